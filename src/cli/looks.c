/* A first look through an input finds its footprint and length, and keeps its accesses in memory,
 * if there is room. All runs on it share what was found and kept. Those that come while one is
 * looking wait for it. */
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
	struct td_lib_reading *reading; /* NULL: not kept any more, or no memory */
};

struct td_cli_looks {
	pthread_mutex_t lock;
	pthread_cond_t ready;
	uint64_t newest; /* group */
	struct td_lib_room room;
	struct td_cli_look at[LOOKS];
};

struct td_cli_looks *td_cli_looks_new(void)
{
	struct td_cli_looks *looks = calloc(1, sizeof *looks);

	if (looks) {
		pthread_mutex_init(&looks->lock, NULL);
		pthread_cond_init(&looks->ready, NULL);
		td_lib_room_init(&looks->room);
	}
	return looks;
}

static void drop_reading(struct td_cli_look *l)
{
	td_lib_reading_free(l->reading);
	l->reading = NULL;
}

void td_cli_looks_free(struct td_cli_looks *looks)
{
	for (struct td_cli_look *l = looks->at; l < looks->at + LOOKS; l++)
		drop_reading(l);
	free(looks);
}

/* Runs come group by group: an input that no run has, while a later one is there, makes room. */
static void drop_idle(struct td_cli_looks *looks)
{
	for (struct td_cli_look *l = looks->at; l < looks->at + LOOKS; l++) {
		if (!l->holders && l->group < looks->newest)
			drop_reading(l);
	}
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
	drop_reading(best);
	best->taken = best->ready = false;
	return best;
}

/* The group's look is this run's from now on. True: the run is the first. */
static bool hold(struct td_cli_looks *looks, struct td_cli_look *l, uint64_t group)
{
	bool first = !l->taken;

	l->taken = true;
	l->group = group;
	l->holders++;
	looks->newest = group > looks->newest ? group : looks->newest;
	drop_idle(looks);
	if (first)
		l->reading = td_lib_reading_new(&looks->room);
	return first;
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

	l->rc = td_cli_open_shared(&sim, &options, l->reading, &l->err);
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
	first = hold(looks, l, run->group);
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
	run->reading = l->reading;
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
	drop_idle(looks);
	pthread_mutex_unlock(&looks->lock);
}
