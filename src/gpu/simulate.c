/* The simulator's side of a replay, and the comparison. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "selftest.h"
#include "tide/tide.h"

static int read_events(struct tide_trace *trace, struct td_gpu_trace *t, uint64_t limit,
		       struct tide_error *err)
{
	struct tide_event e = {.size = sizeof e};
	int rc = 1;
	while (t->n < limit && (rc = tide_trace_next(trace, &e, err)) > 0) {
		t->access[t->n++] = e.page << 1 | e.write;
		t->pages = e.page >= t->pages ? e.page + 1 : t->pages;
	}
	return rc < 0 ? rc : 0;
}

int td_gpu_trace_load(struct td_gpu_trace *t, const char *workload, uint64_t limit,
		      struct tide_error *err)
{
	struct tide_trace_options o = {.size = sizeof o, .workload = workload};
	struct tide_trace *trace;
	*t = (struct td_gpu_trace){.access = calloc(limit, sizeof *t->access)};
	if (!t->access)
		return tide_fail(err, -ENOMEM, "out of memory");
	int rc = tide_trace_open(&trace, &o, err);
	if (rc)
		return rc;
	rc = read_events(trace, t, limit, err);
	tide_trace_close(trace);
	if (!rc && (!t->n || t->pages > 1 << 24))
		rc = tide_fail(err, -EINVAL, "%s has no accesses, or too many pages", workload);
	return rc;
}

/* ---- decision logs ---- */

static int put_victim(struct td_gpu_outcome *out, uint64_t *room, uint64_t page)
{
	if (out->victims == *room) {
		*room = *room ? 2 * *room : 4096;
		uint64_t *more = realloc(out->victim, *room * sizeof *more);
		if (!more)
			return -ENOMEM;
		out->victim = more;
	}
	out->victim[out->victims++] = page;
	return 0;
}

/* {"page":P,"tier":T}: one decision; {"evict":[P, ...]}: all of a fault. */
static int read_line(struct td_gpu_outcome *out, uint64_t *room, const json_t *line)
{
	const json_t *evict = json_object_get(line, "evict"), *page = json_object_get(line, "page");
	int rc = 0;
	for (size_t i = 0; i < json_array_size(evict) && !rc; i++)
		rc = put_victim(out, room, (uint64_t)json_integer_value(json_array_get(evict, i)));
	if (page && json_integer_value(json_object_get(line, "tier")) != 1)
		rc = put_victim(out, room, (uint64_t)json_integer_value(page));
	return rc;
}

int td_gpu_log_read(const char *log, struct td_gpu_outcome *out, struct tide_error *err)
{
	FILE *f = fopen(log, "re");
	char *line = NULL;
	size_t size = 0;
	uint64_t room = 0;
	int rc = 0;
	if (!f)
		return tide_fail(err, -errno, "cannot read the decision log %s: %s", log,
				 strerror(errno));
	while (!rc && getline(&line, &size, f) > 0) {
		json_t *o = json_loads(line, 0, NULL);
		rc = o ? read_line(out, &room, o) : -EBADMSG;
		json_decref(o);
	}
	free(line);
	fclose(f);
	return rc ? tide_fail(err, rc, "cannot use the decision log %s: %s", log, strerror(-rc))
		  : 0;
}

/* ---- the simulator ---- */

static uint64_t number_in(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

/* What `reuse` reports is in the document alone. */
static int read_report(struct tide_sim *sim, struct td_gpu_outcome *out, struct tide_error *err)
{
	char *text = NULL;
	int rc = tide_sim_json(sim, &text, err);
	json_t *o = text ? json_loads(text, 0, NULL) : NULL;
	const json_t *policy = json_object_get(o, "policy");
	out->keeps = number_in(policy, "keeps");
	out->judged = number_in(policy, "predictions_judged");
	out->lifted = number_in(policy, "lifted_to_tier2");
	json_decref(o);
	free(text);
	return rc;
}

static int push_all(struct tide_sim *sim, const struct td_gpu_trace *t, struct tide_error *err)
{
	int rc = 0;
	for (uint64_t i = 0; i < t->n && !rc; i++) {
		struct tide_event e = {
			.size = sizeof e, .page = t->access[i] >> 1, .write = t->access[i] & 1};
		rc = tide_sim_access(sim, &e, err);
	}
	return rc;
}

int td_gpu_simulate(const struct td_gpu_trace *t, const struct td_gpu_replay *r, const char *log,
		    struct td_gpu_outcome *out, struct tide_error *err)
{
	char near[32], host[32];
	struct tide_sim_options o = {
		.size = sizeof o, .near_size = near, .host = host, .place = "reuse", .log = log};
	struct tide_sim *sim;
	snprintf(near, sizeof near, "%" PRIu64 "p", r->near_pages);
	snprintf(host, sizeof host, "%" PRIu64 "p", r->host_pages);
	int rc = tide_sim_open(&sim, &o, err);
	if (rc)
		return rc;
	rc = push_all(sim, t, err);
	if (!rc)
		rc = read_report(sim, out, err);
	out->counts.size = sizeof out->counts;
	tide_sim_counts(sim, &out->counts, NULL);
	tide_sim_close(sim); /* and the log is whole */
	return rc ? rc : td_gpu_log_read(log, out, err);
}

/* ---- equal? ---- */

static int differ(struct tide_error *err, const char *what, uint64_t gpu, uint64_t sim)
{
	return tide_fail(err, -EILSEQ, "%s: %" PRIu64 " on the GPU, %" PRIu64 " in the simulator",
			 what, gpu, sim);
}

static int victims_equal(const struct td_gpu_outcome *gpu, const struct td_gpu_outcome *sim,
			 struct tide_error *err)
{
	uint64_t n = gpu->victims < sim->victims ? gpu->victims : sim->victims;
	for (uint64_t i = 0; i < n; i++) {
		char what[48];
		snprintf(what, sizeof what, "page of victim %" PRIu64, i + 1);
		if (gpu->victim[i] != sim->victim[i])
			return differ(err, what, gpu->victim[i], sim->victim[i]);
	}
	if (gpu->victims != sim->victims)
		return differ(err, "victims", gpu->victims, sim->victims);
	return 0;
}

int td_gpu_outcomes_equal(const struct td_gpu_outcome *gpu, const struct td_gpu_outcome *sim,
			  struct tide_error *err)
{
	const struct tide_counts *a = &gpu->counts, *b = &sim->counts;
	/* A page taken back from its write is not read, and is still dirty. */
	const struct {
		const char *what;
		uint64_t gpu, sim, more;
	} rows[] = {
		{"accesses", a->accesses, b->accesses, 0},
		{"faults", a->faults, b->faults, 0},
		{"hits", a->hits, b->hits, 0},
		{"evicted pages", a->evicted_pages, b->evicted_pages, 0},
		{"keeps", gpu->keeps, sim->keeps, 0},
		{"predictions judged", gpu->judged, sim->judged, 0},
		{"lifted to tier 2", gpu->lifted, sim->lifted, 0},
		{"tier 2 hits", a->tier2_hits, b->tier2_hits, 0},
		{"tier 2 misses", a->tier2_misses, b->tier2_misses, 0},
		{"tier 3 reads", a->tier3_reads + gpu->reclaimed, b->tier3_reads, 0},
		{"written back", a->writeback_pages, b->writeback_pages, gpu->reclaimed},
		{"tier 3 writes", a->tier3_writes, b->tier3_writes, gpu->reclaimed},
	};
	int rc = victims_equal(gpu, sim, err);
	for (size_t i = 0; i < sizeof rows / sizeof *rows && !rc; i++) {
		if (rows[i].gpu < rows[i].sim || rows[i].gpu > rows[i].sim + rows[i].more)
			rc = differ(err, rows[i].what, rows[i].gpu, rows[i].sim);
	}
	return rc;
}
