#include <inttypes.h>
#include <pthread.h>

#include "advise.h"
#include "core/jobs.h"

struct measuring {
	const struct td_advise_sample *sample;
	const char *seed;
	struct td_advise_run *runs;
	struct td_cli_progress *progress;
	pthread_mutex_t lock;
	size_t done, n; /* done: under the lock */
};

/* A miniature: a share of the pages in the same share of near memory. */
static uint64_t miniature(const struct td_advise_sample *s, uint64_t pages)
{
	uint64_t near = (uint64_t)((double)pages * s->rate + 0.5);

	return near ? near : 1;
}

/* With groups, what is not in the prefix of a group that is there has to be made again. */
static uint64_t missed(const struct td_advise_sample *s, const struct tide_counts *counts)
{
	return s->groups ? counts->accesses - counts->prefix_hits : counts->faults;
}

static int push_all(struct tide_sim *sim, const struct td_advise_sample *s,
		    struct td_advise_run *run)
{
	struct tide_event event = {.size = sizeof event};
	struct tide_counts counts = {.size = sizeof counts};
	uint64_t misses = 0;
	int rc = 0;

	for (size_t i = 0; i < s->n && !rc;) {
		unsigned part = td_advise_part(s, s->at[i].time);
		for (; i < s->n && td_advise_part(s, s->at[i].time) == part && !rc; i++) {
			event.page = s->at[i].event.page;
			event.ref = s->at[i].event.ref;
			event.stream = s->at[i].event.stream;
			event.write = s->at[i].event.write;
			event.first = s->at[i].first;
			rc = tide_sim_access(sim, &event, &run->err);
		}
		if (!rc)
			rc = tide_sim_counts(sim, &counts, &run->err);
		run->misses[part] = missed(s, &counts) - misses;
		misses = missed(s, &counts);
	}
	run->evicted_pages = counts.evicted_pages;
	run->accesses = (double)s->accesses * s->rate;
	return rc;
}

static void measure_one(void *arg, size_t i)
{
	struct measuring *m = arg;
	struct td_advise_run *run = &m->runs[i];
	char near[32];
	struct tide_sim_options options = {.size = sizeof options,
					   .near_size = near,
					   .chunk = "1p",
					   .evict = run->policy,
					   .prefetch = "none",
					   .seed = m->seed};
	struct tide_sim *sim;

	snprintf(near, sizeof near, "%" PRIu64 "p", miniature(m->sample, run->near_pages));
	run->rc = td_cli_open_sim(&sim, &options, &run->err);
	if (!run->rc) {
		run->rc = push_all(sim, m->sample, run);
		tide_sim_close(sim);
	}
	pthread_mutex_lock(&m->lock);
	td_cli_progress_show(m->progress, ++m->done, m->n);
	pthread_mutex_unlock(&m->lock);
}

void td_advise_measure(const struct td_advise_sample *s, const char *seed, size_t jobs,
		       struct td_advise_run *runs, size_t n, struct td_cli_progress *progress)
{
	struct measuring m = {s, seed, runs, progress, .lock = PTHREAD_MUTEX_INITIALIZER, .n = n};

	td_jobs_run(n, jobs, measure_one, &m);
	td_cli_progress_end(progress);
}

uint64_t td_advise_misses(const struct td_advise_run *run)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < TD_ADVISE_PARTS; i++)
		sum += run->misses[i];
	return sum;
}

double td_advise_miss_ratio(const struct td_advise_run *run)
{
	return run->accesses > 0 ? (double)td_advise_misses(run) / run->accesses : 0;
}
