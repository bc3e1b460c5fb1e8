/* A libtide_gpu.so without CUDA: gives the document of the file FAKE_DOCUMENT, fails with the text
 * of FAKE_ERROR, and says what it was asked for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu.h"

#ifndef API
#define API TD_GPU_API
#endif

static void tell(const struct td_gpu_setup *s, const char *what, const char *value)
{
	char line[200];

	if (!s->say || !value)
		return;
	snprintf(line, sizeof line, "%s %s", what, value);
	s->say(s->who, line);
}

static int give(const struct td_gpu_setup *s, json_t **out, struct tide_error *err)
{
	const char *path = getenv("FAKE_DOCUMENT"), *error = getenv("FAKE_ERROR");

	tell(s, "folder", s->dir);
	tell(s, "seed", s->seed);
	tell(s, "quick", s->quick ? "yes" : NULL);
	*out = path ? json_load_file(path, 0, NULL) : NULL;
	return error ? tide_fail(err, -EIO, "%s", error) : 0;
}

static int info(const struct td_gpu_setup *options, json_t **out, struct tide_error *err)
{
	return give(options, out, err);
}

static int selftest(const struct td_gpu_selftest_options *o, json_t **out, struct tide_error *err)
{
	tell(&o->setup, "part", o->part);
	tell(&o->setup, "thorough", o->thorough ? "yes" : NULL);
	return give(&o->setup, out, err);
}

static int bench(const struct td_gpu_bench_options *o, json_t **out, struct tide_error *err)
{
	tell(&o->setup, "micro", o->micro);
	tell(&o->setup, "app", o->app);
	tell(&o->setup, "place", o->place);
	tell(&o->setup, "oversubscribe", o->oversubscribe);
	tell(&o->setup, "near", o->near_size);
	tell(&o->setup, "host", o->host);
	tell(&o->setup, "page", o->page);
	tell(&o->setup, "transfer", o->transfer);
	tell(&o->setup, "timeout", o->timeout);
	tell(&o->setup, "orchestrate", o->orchestrate);
	tell(&o->setup, "evict", o->evict);
	tell(&o->setup, "prefetch", o->prefetch);
	return give(&o->setup, out, err);
}

static const struct td_gpu_part parts[] = {{"pressure", "near memory close to its minimum"},
					   {"errors", "reads that fail"},
					   {NULL, NULL}};
static const struct td_gpu_part micros[] = {{"hit", "all is near"}, {NULL, NULL}};
static const struct td_gpu_part apps[] = {{"srad", "an image"}, {NULL, NULL}};

extern const struct td_gpu_module tide_gpu_module;
const struct td_gpu_module tide_gpu_module = {
	API, sizeof(struct td_gpu_module), info, selftest, bench, parts, micros, apps};
