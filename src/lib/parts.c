/* The runs of the parts of a split, several at a time. Every part has an engine of its own, so the
 * results do not depend on how many threads there are. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/jobs.h"
#include "lib.h"
#include "watch.h"

struct parts {
	struct tide_sim *sim;
	tide_progress *progress;
	void *arg;
	pthread_mutex_t lock;  /* of progress */
	_Atomic uint64_t done; /* accesses of all parts */
	atomic_bool failed;
	struct part_run *run;
};

struct part_run {
	struct parts *all;
	uint64_t done; /* of its accesses */
	int rc;
	struct tide_error err;
};

/* Called by every thread; one that finds another drawing goes on with its part. */
static void show(void *arg, uint64_t done, uint64_t total)
{
	struct part_run *run = arg;
	struct parts *all = run->all;
	all->done += done - run->done;
	run->done = done;
	if (!all->progress || pthread_mutex_trylock(&all->lock))
		return;
	all->progress(all->arg, all->done, total);
	pthread_mutex_unlock(&all->lock);
}

/* A run like the first part's, up to the first access. */
static int open_part(struct tide_sim *own, const struct td_lib_part *part, struct tide_error *err)
{
	struct tide_sim_options texts = {.evict = own->evict, .prefetch = own->prefetch};
	struct td_engine_config config = own->split->config;
	bool has_object = own->batch->object;
	own->engine = NULL;
	own->batch = calloc(1, sizeof *own->batch);
	if (own->batch && has_object)
		own->batch->object = calloc(1, sizeof *own->batch->object);
	if (!own->batch || !own->batch->object != !has_object)
		return tide_fail(err, -ENOMEM, "out of memory");
	int rc = td_engine_new(&own->engine, err);
	if (!rc)
		rc = td_lib_watch_alike(own, err);
	if (!rc)
		rc = td_lib_sim_choose(own, &config, &texts, err);
	config.near_pages = part->near_pages;
	if (!rc)
		rc = td_lib_sim_start(own, &config, &part->head, &part->head.facts, err);
	td_policy_release(&config.evict);
	td_policy_release(&config.prefetch);
	return rc;
}

static void close_part(struct tide_sim *own)
{
	if (own->engine)
		td_engine_dismiss(own->engine);
	td_lib_unwatch(own);
	td_engine_destroy(own->engine);
	td_lib_batch_free(own->batch);
}

static int run_part(struct tide_sim *sim, struct td_lib_part *part, struct part_run *run)
{
	int rc = td_lib_sim_foresee(sim, &part->head, &run->err);
	if (!rc)
		rc = td_lib_sim_run_functional(sim, &part->head, show, run, &run->err);
	part->counts = sim->engine->counts;
	show(run, part->counts.accesses, sim->facts.accesses);
	return rc ? rc : td_engine_finish(sim->engine, &run->err);
}

/* The first part was opened with the whole. */
static void do_part(void *arg, size_t i)
{
	struct parts *all = arg;
	struct td_lib_part *part = all->sim->split->part[i];
	struct part_run *run = &all->run[i];
	struct tide_sim own = *all->sim;
	if (all->failed)
		return;
	run->all = all;
	run->rc = i ? open_part(&own, part, &run->err) : 0;
	if (!run->rc)
		run->rc = run_part(i ? &own : all->sim, part, run);
	if (i)
		close_part(&own);
	if (run->rc)
		all->failed = true;
}

static void add_counts(struct tide_counts *to, const struct tide_counts *part)
{
#define TIDE_COUNTER(name, help) to->name += part->name;
#include "tide/counters.def"
#undef TIDE_COUNTER
}

/* Parts begin in their order: of those that failed, the first is the same on any number of
 * threads. */
static int first_failure(const struct parts *all, struct tide_error *err)
{
	for (uint32_t i = 0; i < all->sim->split->n; i++) {
		if (all->run[i].rc)
			return tide_fail(err, all->run[i].rc, "%s", all->run[i].err.text);
	}
	return 0;
}

int td_lib_parts_run(struct tide_sim *sim, tide_progress *progress, void *arg,
		     struct tide_error *err)
{
	struct td_lib_split *s = sim->split;
	struct parts all = {
		.sim = sim, .progress = progress, .arg = arg, .lock = PTHREAD_MUTEX_INITIALIZER};
	struct tide_counts sum = {.size = sizeof sum};
	if (s->ran)
		return 0;
	s->ran = true;
	all.run = calloc(s->n, sizeof *all.run);
	if (!all.run)
		return tide_fail(err, -ENOMEM, "out of memory");
	td_jobs_run(s->n, s->threads, do_part, &all);
	for (uint32_t i = 0; i < s->n; i++)
		add_counts(&sum, &s->part[i]->counts);
	td_engine_reset(sim->engine);
	sim->engine->counts = sum;
	int rc = first_failure(&all, err);
	free(all.run);
	return rc;
}
