/* Independent jobs on several threads. */
#ifndef TD_CORE_JOBS_H
#define TD_CORE_JOBS_H

#include <stddef.h>

#define TD_JOBS_THREADS_MAX 256

/* How many of them a number of threads stands for: that many, 0 one per core, within the limit. */
size_t td_jobs_threads(size_t threads);

/* Calls job(arg, i) once for every i below n, on at most so many threads, this one among them; 0:
 * one per core. Comes back when all are done. */
void td_jobs_run(size_t n, size_t threads, void (*job)(void *arg, size_t i), void *arg);

#endif
