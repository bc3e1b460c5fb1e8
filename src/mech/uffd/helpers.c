/* Threads of ours for what the program need not wait for: reads ahead, and batches that are written
 * to files. They also start these reads themselves, since the kernel ends a request in the thread
 * that began it, and that would interrupt the program's own system calls. */
#include "core/assert.h"
#include "core/clock.h"
#include "in.h"
#include "lock.h"
#include "out.h"
#include "pager.h"
#include "threads.h"

#include <errno.h>
#include <time.h>

#define AT_ONCE 16 /* reads of one helper */
#define RETRY_NS 5000000

static bool batch_is_due(const struct td_pager *p)
{
	return td_pager_can_leave(p) > p->batch_pages || td_pager_tier2_is_over(p);
}

/* One helper at a time: there is one disk, and the others are for reads. */
static void write_behind(struct td_pager *p)
{
	p->flushing = true;
	if (!td_pager_flush(p, false)) {
		/* All of it is busy, held for a system call, or cannot be written. */
		struct timespec again =
			td_clock_timespec(td_clock_of_ns(CLOCK_REALTIME) + RETRY_NS);
		pthread_cond_timedwait(&p->work, &p->lock, &again);
	}
	p->flushing = false;
}

static unsigned take_reads(struct td_pager *p, struct td_read **reads)
{
	unsigned n = p->queued_n < AT_ONCE ? p->queued_n : AT_ONCE;
	memcpy(reads, p->queued, n * sizeof *reads);
	p->queued_n -= n;
	memmove(p->queued, p->queued + n, p->queued_n * sizeof *reads);
	return n;
}

/* A read belongs to its helper until that has waited for it. */
static void read_all(struct td_pager *p, struct td_read **reads, unsigned n)
{
	bool started[AT_ONCE];
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < n; i++)
		started[i] = td_pager_start_read(p, reads[i]);
	for (unsigned i = 0; i < n; i++) {
		if (started[i])
			td_io_wait(p->io, &reads[i]->request);
	}
	td_pager_lock(p);
	for (unsigned i = 0; i < n; i++)
		reads[i]->used = false;
	td_pager_made_room(p);
}

static void *run(void *arg)
{
	struct td_pager *p = arg;
	struct td_read *reads[AT_ONCE];
	pthread_setname_np(pthread_self(), "tide-helper");
	td_pager_lock(p);
	while (!atomic_load(&p->stopping) || p->queued_n) {
		if (p->queued_n) {
			read_all(p, reads, take_reads(p, reads));
		} else if (!atomic_load(&p->stopping) && !p->flushing && batch_is_due(p)) {
			write_behind(p);
		} else {
			p->idle++;
			pthread_cond_wait(&p->work, &p->lock);
			p->idle--;
		}
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

void td_pager_call_helper(struct td_pager *p)
{
	if (p->idle)
		pthread_cond_signal(&p->work);
}

void td_pager_queue_read(struct td_pager *p, struct td_read *r)
{
	td_assert(r->used && p->queued_n < TD_PAGER_READS); /* as many as there are reads */
	p->queued[p->queued_n++] = r;
	td_pager_call_helper(p);
}

int td_pager_start_helpers(struct td_pager *p)
{
	int rc = 0;
	while (!rc && p->helpers_n < TD_PAGER_HELPERS) {
		rc = td_pager_start_thread(&p->helper[p->helpers_n], run, p);
		p->helpers_n += !rc;
	}
	return rc;
}

void td_pager_stop_helpers(struct td_pager *p)
{
	td_pager_lock(p);
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->helpers_n; i++)
		pthread_join(p->helper[i], NULL);
	p->helpers_n = 0;
}
