#include "jobs.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct jobs {
	size_t n;
	void (*job)(void *arg, size_t i);
	void *arg;
	atomic_size_t next; /* the job that a free thread takes */
};

static void *work(void *arg)
{
	struct jobs *jobs = arg;
	size_t i;
	while ((i = atomic_fetch_add(&jobs->next, 1)) < jobs->n)
		jobs->job(jobs->arg, i);
	return NULL;
}

static size_t count_cores(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

size_t td_jobs_threads(size_t threads)
{
	size_t wanted = threads ? threads : count_cores();
	return wanted < TD_JOBS_THREADS_MAX ? wanted : TD_JOBS_THREADS_MAX;
}

/* This thread works too: with no other to be had, it does it all. */
void td_jobs_run(size_t n, size_t threads, void (*job)(void *arg, size_t i), void *arg)
{
	struct jobs jobs = {.n = n, .job = job, .arg = arg};
	pthread_t others[TD_JOBS_THREADS_MAX];
	size_t wanted = td_jobs_threads(threads), started = 0;
	if (wanted > n)
		wanted = n;
	while (started + 1 < wanted && !pthread_create(&others[started], NULL, work, &jobs))
		started++;
	work(&jobs);
	for (size_t i = 0; i < started; i++)
		pthread_join(others[i], NULL);
}
