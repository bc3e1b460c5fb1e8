/* Policies and memory of host orchestration. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/text.h"
#include "orchestrator.h"

#define CHUNK_MAX 64
#define CHUNK_BYTES ((uint64_t)2 << 20)
#define IO_DEPTH 64

/* ---- policies ---- */

/* A policy of a shared object may be asked for its needs. */
static int choose(struct td_cuda_orchestrator *o, struct td_policy_choice *out, const char *spec,
		  enum tide_role role, struct tide_error *err)
{
	td_engine_begin_call(o->engine, TD_CALL_needs_with, role);
	int rc = td_policy_choose(out, spec, role, err);
	td_engine_end_call(o->engine);
	return rc;
}

static int choose_all(struct td_cuda_orchestrator *o, struct td_engine_config *c,
		      struct tide_error *err)
{
	*c = (struct td_engine_config){
		.chunk_pages = o->chunk_pages,
		.last_page = UINT64_MAX,
		.pages = UINT64_MAX,
		.maps = true,
		.seed = o->g->set.seed,
		.mechanism = "the GPU runtime with orchestrate=host",
		.gives = TIDE_NEEDS_PAGES | TIDE_NEEDS_NOTICES | TIDE_NEEDS_TOUCHED |
			 TIDE_TAKES_SAMPLES,
		.replace_invalid = true,
		.log_path = o->log_path,
	};
	int rc = choose(o, &c->evict, o->evict, TIDE_EVICT, err);
	if (!rc)
		rc = choose(o, &c->prefetch, o->prefetch, TIDE_PREFETCH, err);
	if (!rc)
		rc = td_engine_check_needs(c, err);
	if (rc) {
		td_policy_release(&c->evict);
		td_policy_release(&c->prefetch);
	}
	return rc;
}

static int judge(struct td_cuda_orchestrator *o, void *arg, struct tide_error *err)
{
	struct td_engine_config c;
	int rc = choose_all(o, &c, err);
	(void)arg;
	if (rc)
		return rc;
	td_policy_release(&c.evict);
	td_policy_release(&c.prefetch);
	return 0;
}

static int start(struct td_cuda_orchestrator *o, void *arg, struct tide_error *err)
{
	struct td_engine_config c;
	int rc = choose_all(o, &c, err);
	(void)arg;
	if (rc)
		return rc;
	c.near_pages = o->near_pages;
	o->samples = (c.evict.needs | c.prefetch.needs) & TIDE_TAKES_SAMPLES;
	td_orch_carrier(o, &c.carrier);
	return td_engine_start(o->engine, &c, err);
}

/* The engine is there before its policies, so that one that does not return has a name. */
static int make_engine(struct td_cuda_orchestrator *o, td_orch_work *work, struct tide_error *err)
{
	int rc = td_engine_new(&o->engine, err);
	if (!rc)
		rc = td_orch_call(o, work, NULL, err);
	if (rc)
		td_orch_close_engine(o, NULL);
	return rc;
}

static int judge_policies(struct td_cuda_orchestrator *o, struct tide_error *err)
{
	int rc = make_engine(o, judge, err);
	return rc ? rc : td_orch_close_engine(o, err);
}

int td_orch_open_engine(struct td_cuda_orchestrator *o, uint64_t near_pages, struct tide_error *err)
{
	o->near_pages = near_pages;
	return make_engine(o, start, err);
}

static int dismiss(struct td_cuda_orchestrator *o, void *arg, struct tide_error *err)
{
	(void)arg, (void)err;
	td_engine_dismiss(o->engine);
	return 0;
}

int td_orch_close_engine(struct td_cuda_orchestrator *o, struct tide_error *err)
{
	if (!o->engine || o->late.code)
		return 0;
	int rc = td_orch_call(o, dismiss, NULL, err);
	if (o->late.code)
		return rc;
	td_engine_destroy(o->engine);
	o->engine = NULL;
	o->arrays_mapped = 0;
	return rc;
}

/* ---- options ---- */

/* At most what a bitmap has, and what leaves near memory room for several. */
static uint32_t usual_chunk(const struct td_cuda_settings *s)
{
	uint64_t pages = CHUNK_BYTES >> s->page_shift;
	pages = pages > CHUNK_MAX ? CHUNK_MAX : pages ? pages : 1;
	while (pages > 1 && pages * 4 > s->near_pages)
		pages /= 2;
	return (uint32_t)pages;
}

static int parse_chunk(struct td_cuda_orchestrator *o, const char *text, struct tide_error *err)
{
	const struct td_cuda_settings *s = &o->g->set;
	size_t n = text ? strlen(text) : 0;
	uint64_t bytes = 0, pages = 0;
	o->chunk_pages = usual_chunk(s);
	if (!text)
		return 0;
	bool in_pages = n && text[n - 1] == 'p';
	int rc = in_pages ? td_core_count(text, n - 1, &pages) : td_core_size(text, n, &bytes);
	if (!rc && !in_pages)
		pages = bytes % s->page_bytes ? 0 : bytes / s->page_bytes;
	if (rc || !pages || pages > CHUNK_MAX)
		return tide_fail(err, -EINVAL,
				 "chunk of '%s': give 1 to %d pages of %" PRIu64
				 " bytes, say 2M or 16p",
				 td_core_shown(text, n).text, CHUNK_MAX, s->page_bytes);
	if (pages >= s->near_pages)
		return tide_fail(err, -EINVAL,
				 "chunk of '%s' is %" PRIu64 " pages, and near memory has %" PRIu64
				 ": give a smaller chunk, or more near memory",
				 td_core_shown(text, n).text, pages, s->near_pages);
	o->chunk_pages = (uint32_t)pages;
	return 0;
}

static int keep(char **to, const char *text, const char *otherwise, struct tide_error *err)
{
	const char *from = text ? text : otherwise;
	*to = from ? strdup(from) : NULL;
	return from && !*to ? tide_fail(err, -ENOMEM, "out of memory") : 0;
}

static int parse(struct td_cuda_orchestrator *o, const struct tide_gpu_options *options,
		 struct tide_error *err)
{
	int rc = keep(&o->evict, options->evict, "lrm", err);
	if (!rc)
		rc = keep(&o->prefetch, options->prefetch, "tree", err);
	if (!rc)
		rc = keep(&o->log_path, options->log, NULL, err);
	if (!rc)
		rc = parse_chunk(o, options->chunk, err);
	return rc ? rc : judge_policies(o, err);
}

/* ---- memory ---- */

static int open_commands(struct td_cuda_orchestrator *o, struct tide_error *err)
{
	struct tide_gpu *g = o->g;
	void *at = NULL;
	uint64_t bytes = TD_ORCH_COMMANDS * sizeof *o->commands;
	int rc = td_cuda_device.pinned(&at, bytes + 4096, err);
	if (rc)
		return rc;
	o->commands = at;
	o->posted = o->commands + TD_ORCH_COMMANDS;
	rc = td_cuda_device.memory(&at, sizeof *o->remote, err);
	if (rc)
		return rc;
	o->remote = at;
	g->control.remote = o->remote;
	return td_cuda_device.copy(&g->on_gpu->remote, &g->control.remote, sizeof o->remote, err);
}

static uint64_t power_above(uint64_t n)
{
	return (uint64_t)1 << (64 - __builtin_clzll(n));
}

/* A page on its way has a frame, so there are no more of them than frames. */
static int open_way(struct td_cuda_orchestrator *o, struct td_orch_way *w, struct tide_error *err)
{
	w->room = power_above(o->g->control.frames);
	w->runs = calloc(w->room, sizeof *w->runs);
	w->next = calloc(w->room, sizeof *w->next);
	if (!w->runs || !w->next)
		return tide_fail(err, -ENOMEM, "out of memory");
	return td_cuda_device.stream_open(&w->stream, err);
}

static int open_memory(struct td_cuda_orchestrator *o, struct tide_error *err)
{
	const struct td_dev_control *k = &o->g->control;
	o->changes_room = (size_t)k->frames + TIDE_PLAN_ENTRIES + 1;
	o->pages = calloc(k->pages, sizeof *o->pages);
	o->free = calloc((k->frames + 63) / 64, sizeof *o->free);
	o->changes = calloc(o->changes_room, sizeof *o->changes);
	for (unsigned i = 0; i < TD_ORCH_READS; i++) {
		o->reads[i].next = o->free_reads;
		o->free_reads = &o->reads[i];
	}
	if (!o->pages || !o->free || !o->changes)
		return tide_fail(err, -ENOMEM, "out of memory");
	int rc = open_commands(o, err);
	for (unsigned i = 0; i < TD_ORCH_WAYS && !rc && o->g->set.transfer != TD_DEV_ZERO_COPY; i++)
		rc = open_way(o, &o->way[i], err);
	return rc;
}

/* ---- life ---- */

int td_cuda_orchestrate_open(struct tide_gpu *g, const struct tide_gpu_options *options,
			     struct tide_error *err)
{
	struct td_cuda_orchestrator *o = calloc(1, sizeof *o);
	if (!o)
		return tide_fail(err, -ENOMEM, "out of memory");
	o->g = g;
	g->orchestrator = o;
	o->done_fd = eventfd(0, EFD_CLOEXEC);
	int rc = o->done_fd < 0
			 ? tide_fail(err, -errno, "cannot make an eventfd: %s", strerror(errno))
			 : parse(o, options, err);
	if (!rc)
		rc = open_memory(o, err);
	if (!rc)
		rc = td_io_open(&o->io, IO_DEPTH, options->inject, err);
	if (rc && !g->stuck)
		td_cuda_orchestrate_close(g);
	return rc;
}

static void close_way(struct td_orch_way *w)
{
	if (w->stream)
		td_cuda_device.stream_close(w->stream);
	free(w->runs);
	free(w->next);
}

void td_cuda_orchestrate_close(struct tide_gpu *g)
{
	struct td_cuda_orchestrator *o = g->orchestrator;
	atomic_store(&o->ending, 1);
	if (o->started)
		td_orch_join(o, NULL);
	td_orch_close_engine(o, NULL);
	if (g->stuck)
		return;
	if (o->done_fd >= 0)
		close(o->done_fd);
	td_io_close(o->io);
	for (unsigned i = 0; i < TD_ORCH_WAYS; i++)
		close_way(&o->way[i]);
	if (o->remote)
		td_cuda_device.memory_free(o->remote, sizeof *o->remote);
	if (o->commands)
		td_cuda_device.pinned_free(o->commands,
					   TD_ORCH_COMMANDS * sizeof *o->commands + 4096);
	free(o->pages);
	free(o->free);
	free(o->changes);
	free(o->backlog);
	free(o->evict);
	free(o->prefetch);
	free(o->log_path);
	free(o);
	g->orchestrator = NULL;
}
