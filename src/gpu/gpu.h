/* The door of libtide_gpu.so: what `tide gpu` runs on a GPU. The command line loads the module with
 * dlopen and takes its one exported symbol, tide_gpu_module, from it.
 *
 * Every call fills *out with a JSON document, which the caller puts away with json_decref(), also
 * where the call fails halfway: then it has what was measured up to there. It returns 0, or a
 * negative errno and err says why; -ENODEV is: there is no GPU. Nothing here prints or exits. One
 * call at a time. */
#ifndef TD_GPU_GPU_H
#define TD_GPU_GPU_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "tide/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TD_GPU_API 1
#define TD_GPU_MODULE "tide_gpu_module"

/* One line of text per step, without its end; NULL: nobody listens. */
typedef void td_gpu_say(void *who, const char *line);

/* What all calls take. Everything not set is its default. */
struct td_gpu_setup {
	int device;       /* number of the GPU */
	const char *dir;  /* for files of its own, which are removed; NULL: $TMPDIR, or /var/tmp */
	const char *seed; /* "1" */
	bool quick;       /* info: nothing measured; else: what ends within a minute */
	td_gpu_say *say;
	void *who;
};

struct td_gpu_selftest_options {
	struct td_gpu_setup setup;
	const char *part; /* "pressure,errors": by the start of their names; NULL: all */
	bool thorough;    /* a thousand million accesses with near memory close to its minimum */
};

struct td_gpu_bench_options {
	struct td_gpu_setup setup;
	const char *micro; /* "hit,miss", "all"; NULL: all, or none if app is given */
	const char *app;   /* "srad,bfs", "all"; NULL: none */
	/* of the applications */
	const char *place;         /* "bam,reuse"; NULL: all four, and the baselines */
	const char *oversubscribe; /* "2,4": data over near and host memory; NULL: "2" */
	const char *near_size;     /* "256M" */
	const char *host;          /* NULL: four times near_size */
	const char *page;          /* "64K" */
	const char *transfer;      /* "zero-copy" */
	const char *timeout;       /* of a wait: "30s" */
	const char *repeat;        /* "3": rounds of all placements, the median counts; NULL: "1" */
	/* host orchestration in place of the GPU's, with these policies; NULL: as tide/gpu.h */
	const char *orchestrate, *evict, *prefetch;
};

/* What --micro and --part can name. */
struct td_gpu_part {
	const char *name, *summary; /* the last row has no name */
};

struct td_gpu_module {
	uint32_t api, size; /* TD_GPU_API, sizeof(struct td_gpu_module) */
	int (*info)(const struct td_gpu_setup *options, json_t **out, struct tide_error *err);
	/* {"parts":[{"name","ok","detail","accesses","time_ns"}],"ok":true}; 0 also where a part
	 * failed: the caller looks at "ok". */
	int (*selftest)(const struct td_gpu_selftest_options *options, json_t **out,
			struct tide_error *err);
	/* {"device":{},"micro":{PART:{"rows":[],"claims":[],"ok"}},"apps":{},"ok"}; as above, and
	 * "error" where a part could not run. A row has "what", "bytes" or "count", "time_ns",
	 * "gbps" (10^9 bytes a second) or "per_second", and where it has a baseline "ratio" (rate
	 * over the baseline's) and "of"; a claim "what", "target", "measured", "ok". */
	int (*bench)(const struct td_gpu_bench_options *options, json_t **out,
		     struct tide_error *err);
	const struct td_gpu_part *tests, *micros, *apps;
};

__attribute__((visibility("default"))) extern const struct td_gpu_module tide_gpu_module;

#ifdef __cplusplus
}
#endif

#endif
