/* Counts and figures of the runtime. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "orchestrate.h"
#include "runtime.h"
#include "stats/json.h"

/* ---- from the GPU ---- */

static int sum_shards(struct tide_gpu *g, uint64_t *sum, struct tide_error *err)
{
	const struct td_dev_control *k = &g->control;
	struct td_dev_shard *shard = calloc(k->shards, sizeof *shard);
	if (!shard)
		return tide_fail(err, -ENOMEM, "out of memory");
	int rc = td_cuda_device.copy(shard, k->shard, k->shards * sizeof *shard, err);
	for (uint32_t i = 0; i < k->shards && !rc; i++)
		for (unsigned c = 0; c < TD_DEV_COUNTS; c++)
			sum[c] += shard[i].counts[c];
	free(shard);
	return rc;
}

static int sum_clock(struct tide_gpu *g, uint64_t *accesses, struct tide_error *err)
{
	struct td_dev_clock clock[TD_DEV_CLOCKS];
	int rc = td_cuda_device.copy(clock, g->on_gpu->clock, sizeof clock, err);
	*accesses = 0;
	for (unsigned i = 0; i < TD_DEV_CLOCKS && !rc; i++)
		*accesses += clock[i].accesses;
	return rc;
}

/* ---- into the struct ---- */

static void set_counts(struct tide_counts *to, const uint64_t *n, uint64_t accesses)
{
	to->accesses = accesses;
	to->faults = n[TD_DEV_FAULTS];
	to->hits = accesses - n[TD_DEV_FAULTS];
	to->migrated_pages = n[TD_DEV_FAULTS];
	to->evicted_chunks = to->evicted_pages = n[TD_DEV_EVICTED];
	to->writeback_pages = n[TD_DEV_EVICTED_DIRTY];
	to->tier2_hits = n[TD_DEV_TIER2_HITS];
	to->tier2_misses = n[TD_DEV_TIER2_MISSES];
	to->tier3_reads = n[TD_DEV_TIER3_READS];
	to->tier3_writes = n[TD_DEV_TIER3_WRITES];
}

static void set_figures(struct tide_gpu *g, struct tide_gpu_stats *s, const uint64_t *n)
{
	uint64_t page = g->set.page_bytes;
	s->near_bytes = g->set.near_pages * page;
	s->host_bytes = g->set.host_pages * page;
	s->staging_bytes = (g->control.slots - g->set.host_pages) * page;
	s->metadata_bytes = g->metadata_bytes;
	s->from_tier2_bytes = n[TD_DEV_TIER2_HITS] * page;
	s->to_tier2_bytes = n[TD_DEV_TO_TIER2] * page;
	s->read_bytes = g->moved_bytes[0];
	s->write_bytes = g->moved_bytes[1];
	for (uint32_t i = 0; i < g->set.proxies; i++) {
		s->read_bytes += atomic_load(&g->proxies[i].reads) * page;
		s->write_bytes += atomic_load(&g->proxies[i].writes) * page;
	}
	s->reclaimed_pages = n[TD_DEV_RECLAIMED];
	s->waited_faults = n[TD_DEV_WAITED];
	s->keeps = n[TD_DEV_KEEPS];
	s->predictions_judged = n[TD_DEV_JUDGED];
	s->predictions_right = n[TD_DEV_RIGHT];
	s->lifted_to_tier2 = n[TD_DEV_LIFTED];
	s->samples_lost = n[TD_DEV_SAMPLES_LOST];
	s->io_errors = g->io_errors;
	s->clock_steps = n[TD_DEV_STEPS];
	struct tide_line line = td_cuda_regression_line(g, &s->sampled_pairs);
	s->slope = line.m;
	s->intercept = line.b;
}

int td_cuda_stats(struct tide_gpu *g, struct tide_gpu_stats *stats, struct tide_error *err)
{
	uint64_t n[TD_DEV_COUNTS] = {0}, accesses = 0;
	*stats = (struct tide_gpu_stats){0};
	int rc = td_cuda_ready(g, err);
	if (!rc)
		rc = sum_shards(g, n, err);
	if (!rc)
		rc = sum_clock(g, &accesses, err);
	if (rc)
		return rc;
	set_counts(&stats->counts, n, accesses);
	set_figures(g, stats, n);
	if (g->orchestrator)
		td_cuda_orchestrate_stats(g, stats);
	return 0;
}

/* ---- as JSON ---- */

static json_t *number(uint64_t n)
{
	return td_stats_integer(n);
}

static json_t *config(const struct tide_gpu *g)
{
	const struct td_cuda_settings *s = &g->set;
	json_t *o = json_object();
	json_object_set_new(o, "page_bytes", number(s->page_bytes));
	json_object_set_new(o, "near_pages", number(s->near_pages));
	json_object_set_new(o, "host_pages", number(s->host_pages));
	json_object_set_new(o, "place", json_string(s->place_text));
	json_object_set_new(o, "transfer", json_string(s->transfer_text));
	json_object_set_new(o, "orchestrate", json_string(s->host_orchestrated ? "host" : "gpu"));
	json_object_set_new(o, "shards", number(s->shards));
	json_object_set_new(o, "proxies", number(s->proxies));
	json_object_set_new(o, "files", json_string(g->async ? "io_uring" : "pread"));
	json_object_set_new(o, "seed", number(s->seed));
	return o;
}

static json_t *figures(const struct tide_gpu_stats *s)
{
	json_t *o = json_object();
#define TIDE_FIGURE(name, help) json_object_set_new(o, #name, number(s->name));
#include "tide/gpu_figures.def"
#undef TIDE_FIGURE
	json_object_set_new(o, "slope", json_real(s->slope));
	json_object_set_new(o, "intercept", json_real(s->intercept));
	json_object_set_new(o, "prediction_accuracy",
			    s->predictions_judged ? json_real((double)s->predictions_right /
							      (double)s->predictions_judged)
						  : json_null());
	return o;
}

int td_cuda_stats_json(struct tide_gpu *g, char **text, struct tide_error *err)
{
	struct tide_gpu_stats s;
	int rc = td_cuda_stats(g, &s, err);
	if (rc)
		return rc;
	json_t *o = json_object(), *policy = g->orchestrator ? json_object() : NULL;
	if (policy)
		rc = td_cuda_orchestrate_policy(g, policy, err);
	if (rc) {
		json_decref(o);
		if (!g->stuck) /* else whoever fills it is still at it */
			json_decref(policy);
		return rc;
	}
	json_object_set_new(o, "verb", json_string("gpu"));
	json_object_set_new(o, "config", config(g));
	json_object_set_new(o, "counts", td_stats_counts(&s.counts));
	json_object_set_new(o, "gpu", figures(&s));
	if (policy)
		json_object_set_new(o, "policy", policy);
	*text = json_dumps(o, JSON_INDENT(1));
	json_decref(o);
	return *text ? 0 : tide_fail(err, -ENOMEM, "out of memory for the result");
}
