/* A first look through an input finds its footprint and length. All runs on it share what was
 * found, and those that come while one is looking wait for it. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/jobs.h"
#include "runs.h"

/* One more than there can be runs at a time, so that one is always free. */
#define LOOKS (TD_JOBS_THREADS_MAX + 1)

struct td_cli_look {
	uint64_t group;
	unsigned holders;
	bool taken, ready;
	int rc;
	struct tide_facts facts;
	struct tide_error err;
};

struct td_cli_looks {
	pthread_mutex_t lock;
	pthread_cond_t ready;
	struct td_cli_look at[LOOKS];
};

struct td_cli_looks *td_cli_looks_new(void)
{
	struct td_cli_looks *looks = calloc(1, sizeof *looks);

	if (looks) {
		pthread_mutex_init(&looks->lock, NULL);
		pthread_cond_init(&looks->ready, NULL);
	}
	return looks;
}

void td_cli_looks_free(struct td_cli_looks *looks)
{
	free(looks);
}

/* The group's look, or else the free one whose group is furthest behind. */
static struct td_cli_look *find(struct td_cli_looks *looks, uint64_t group)
{
	struct td_cli_look *best = NULL;

	for (struct td_cli_look *l = looks->at; l < looks->at + LOOKS; l++) {
		if (l->taken && l->group == group)
			return l;
		if (!l->holders &&
		    (!best || (best->taken && (!l->taken || l->group < best->group))))
			best = l;
	}
	best->taken = best->ready = false;
	return best;
}

/* A run that wants to know everything is opened and never run. */
static void look(struct td_cli_look *l, const struct tide_sim_options *of)
{
	struct tide_sim_options options = {.size = sizeof options,
					   .trace = of->trace,
					   .workload = of->workload,
					   .format = of->format,
					   .columns = of->columns,
					   .page = of->page,
					   .seed = of->seed,
					   .near_size = "100%",
					   .chunk = "1p"};
	struct tide_sim *sim;

	l->rc = td_cli_open_sim(&sim, &options, &l->err);
	if (l->rc)
		return;
	l->facts.size = sizeof l->facts;
	tide_sim_facts(sim, &l->facts, NULL);
	tide_sim_close(sim);
}

int td_cli_look_take(struct td_cli_looks *looks, struct td_cli_run *run, struct td_cli_look **out)
{
	struct td_cli_look *l;
	bool first;

	pthread_mutex_lock(&looks->lock);
	l = find(looks, run->group);
	first = !l->taken;
	l->taken = true;
	l->group = run->group;
	l->holders++;
	if (first) {
		pthread_mutex_unlock(&looks->lock);
		look(l, &run->options);
		pthread_mutex_lock(&looks->lock);
		l->ready = true;
		pthread_cond_broadcast(&looks->ready);
	}
	while (!l->ready)
		pthread_cond_wait(&looks->ready, &looks->lock);
	run->facts = l->facts;
	pthread_mutex_unlock(&looks->lock);
	*out = l;
	if (l->rc)
		run->err = l->err;
	return l->rc;
}

void td_cli_look_give(struct td_cli_looks *looks, struct td_cli_look *l,
		      const struct td_cli_run *run)
{
	pthread_mutex_lock(&looks->lock);
	if (run->facts.digest[0] || run->facts.digest[1])
		memcpy(l->facts.digest, run->facts.digest, sizeof l->facts.digest);
	l->holders--;
	pthread_mutex_unlock(&looks->lock);
}
