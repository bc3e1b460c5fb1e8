/* What the runtime's threads share: when to work, when to rest, and rings. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "core/assert.h"
#include "runtime.h"

#define STEP_NS 20000 /* of the first sleeps; later ones are up to eight times as long */
#define STEPS 16u     /* sleeps of one length */

int td_cuda_start(pthread_t *thread, const char *name, void *(*run)(void *), void *arg,
		  struct tide_error *err)
{
	int rc = pthread_create(thread, NULL, run, arg);
	if (rc)
		return tide_fail(err, -rc, "cannot start a thread: %s", strerror(rc));
	pthread_setname_np(*thread, name);
	return 0;
}

bool td_cuda_await_launch(struct tide_gpu *g)
{
	prctl(PR_SET_TIMERSLACK, 1000ul); /* of this thread: its sleeps are short */
	pthread_mutex_lock(&g->lock);
	while (!atomic_load(&g->running) && !atomic_load(&g->stopping))
		pthread_cond_wait(&g->changed, &g->lock);
	pthread_mutex_unlock(&g->lock);
	return !atomic_load(&g->stopping);
}

/* Who yields may give away a whole turn: beside others that compute, threads that do it again and
 * again get nowhere. So they seldom do, and where processors are few they sleep. */
void td_cuda_rest(const struct tide_gpu *g, unsigned idle)
{
	if (idle < g->spins) {
		if (idle % 64 == 63)
			sched_yield();
		return;
	}
	unsigned longer = (idle - g->spins) / STEPS;
	struct timespec t = {.tv_nsec = STEP_NS << (longer < 3 ? longer : 3)};
	nanosleep(&t, NULL);
}

/* ---- rings ---- */

bool td_cuda_take(struct td_cuda_ring *r, struct td_dev_request *out)
{
	td_assert(r->entries && (r->entries & (r->entries - 1)) == 0);
	for (;;) {
		uint64_t taken = atomic_load_explicit(&r->taken, memory_order_relaxed);
		struct td_dev_request *at = &r->at[taken & (r->entries - 1)];
		bool there = __atomic_load_n(&at->sequence, __ATOMIC_ACQUIRE) == taken + 1;
		if (!there && taken >= atomic_load_explicit(&r->limit, memory_order_acquire))
			return false;
		if (there) {
			*out = *at;
			atomic_fetch_add(&r->open, 1);
		}
		__atomic_store_n(&at->sequence, taken + r->entries, __ATOMIC_RELEASE);
		atomic_store(&r->taken, taken + 1);
		if (there)
			return true;
	}
}

void td_cuda_done(struct td_cuda_ring *r)
{
	uint64_t before = atomic_fetch_sub(&r->open, 1);
	td_assert(before > 0);
	(void)before;
}

void td_cuda_answer(struct tide_gpu *g, uint32_t slot, int result)
{
	int32_t status = result ? (int32_t)result : TD_DEV_DONE;
	td_assert(slot < g->control.slots && result <= 0);
	__atomic_store_n(&g->control.slot_status[slot], status, __ATOMIC_RELEASE);
}
