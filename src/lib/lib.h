/* What the files of this room share: the handles behind tide.h. */
#ifndef TD_LIB_LIB_H
#define TD_LIB_LIB_H

#include "core/handle.h"
#include "core/watchdog.h"
#include "engine/engine.h"
#include "mech/sim/functional.h"
#include "mech/sim/timed/timed.h"
#include "reading.h"
#include "sized.h"
#include "sizes.h"
#include "split.h"
#include "tide/tide.h"
#include "trace/trace.h"
#include "workload/workload.h"

/* sim.c: the kind of a struct tide_sim. */
extern const char td_lib_sim_kind[];

struct tide_sim {
	struct td_handle handle;
	struct td_engine *engine;
	struct td_timed *timed; /* NULL: functional */
	struct td_timed_model model;
	char *model_text;
	struct td_trace_source *source; /* NULL: accesses are pushed */
	struct td_lib_reading *reading; /* while it opens: shared with other runs, or NULL */
	struct td_trace_facts facts;
	struct tide_batch *batch;
	uint64_t page_bytes, near_pages, host_pages, seed;
	/* Where objects have sizes: near memory, and all objects' sizes, 0 if not known. */
	uint64_t near_bytes, object_bytes;
	double near_share; /* as it was asked for, 0.75; 0: in pages or bytes */
	uint32_t chunk_pages;
	char *input, *evict, *prefetch, *place; /* as they were written; place NULL: none */
	bool is_workload;
	struct td_lib_split *split;       /* NULL: one cache for all */
	uint64_t settings[2], learned[2]; /* digests: record.h */
	uint64_t started_ns, finished_ns;
	struct td_watchdog watchdog;
	void (*on_stuck)(void *arg, const char *why);
	void *on_stuck_arg;
	const int *stop; /* as in the options */
	const struct tide_policy *const *own;
	bool flush;
};

/* traces.c: what a cache's input says of event i, and a batch with its object, which may be NULL.
 */
void td_lib_put_object(struct tide_batch_object *object, uint32_t i,
		       const struct tide_event *event);
void td_lib_batch_free(struct tide_batch *batch);

/* sim.c: the steps of opening a run that every part of a split takes again. The source may be NULL:
 * accesses are pushed. */
int td_lib_sim_choose(struct tide_sim *sim, struct td_engine_config *config,
		      const struct tide_sim_options *o, struct tide_error *err);
int td_lib_sim_start(struct tide_sim *sim, struct td_engine_config *config,
		     const struct td_trace_source *source, const struct td_trace_facts *facts,
		     struct tide_error *err);
int td_lib_sim_foresee(struct tide_sim *sim, struct td_trace_source *source,
		       struct tide_error *err);

/* sim_run.c: a source without a clock, after td_lib_sim_foresee(). */
int td_lib_sim_run_functional(struct tide_sim *sim, struct td_trace_source *source,
			      tide_progress *progress, void *arg, struct tide_error *err);

/* parts.c: runs the parts of a split, each once. In the end the engine has the counts of all. */
int td_lib_parts_run(struct tide_sim *sim, tide_progress *progress, void *arg,
		     struct tide_error *err);

/* input.c: what to open. */
struct td_lib_input {
	const struct tide_accesses *accesses; /* NULL: the workload, or */
	const char *workload;                 /* NULL: the trace */
	uint64_t seed;
	const int *stop;
	struct td_trace_options trace; /* its page_bytes are the workload's too */
};
int td_lib_input_open(struct td_trace_source **out, const struct td_lib_input *in,
		      struct tide_error *err);

/* arrays.c: arrays as a source. `of` is copied, its arrays are not. */
int td_lib_arrays_open(struct td_trace_source **out, const struct tide_accesses *of, bool digest,
		       struct tide_error *err);
/* -EINVAL: accesses without pages. */
int td_lib_take_accesses(struct tide_accesses *own, const struct tide_accesses *given,
			 struct tide_error *err);
/* Fills a batch with up to `room` accesses from number `at` on. A batch without an object gets
 * none. */
void td_lib_arrays_fill(const struct tide_accesses *of, uint64_t at, uint32_t room,
			struct tide_batch *batch);

/* reading.c: the input as a source over what is kept of it. The first call reads it. False: it
 * is not kept, because it is too long, has marks or cannot be read. The reading outlives the
 * source. */
bool td_lib_reading_open(struct td_lib_reading *r, const struct td_lib_input *in,
			 struct td_trace_source **out);

/* The kept batches of such a source, with the indices of their pages, which the engine then shares.
 * NULL: the engine finds the indices itself. */
struct td_lib_kept;
int td_lib_reading_share(const struct td_trace_source *source, struct td_engine *e,
			 const struct td_lib_kept **numbered, struct tide_error *err);

/* sim.c: the facts that a program gives about an input. given NULL: none. */
int td_lib_take_facts(struct td_trace_facts *facts, const struct tide_facts *given,
		      struct tide_error *err);

#endif
