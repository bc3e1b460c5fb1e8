#include "lock.h"
#include "core/assert.h"
#include "lanes.h"
#include "pager.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Moving a page takes a microsecond or two, being woken on another processor thirty: look again for
 * a while before going to sleep. */
#define LOOKS 40
#define PAUSES 40
/* The lock is held for a microsecond or two: for less than that, unless its holder has lost its
 * processor. */
#define LOCK_LOOKS 64
#define LOCK_PAUSES 4

static void pause_a_little(int pauses)
{
	for (int i = 0; i < pauses; i++) {
#ifdef __x86_64__
		__builtin_ia32_pause();
#else
		__asm__ volatile("" ::: "memory");
#endif
	}
}

static void lock(struct td_pager *p)
{
	for (int i = 0; i < LOCK_LOOKS; i++) {
		if (!pthread_mutex_trylock(&p->lock))
			return;
		pause_a_little(LOCK_PAUSES);
	}
	pthread_mutex_lock(&p->lock);
}

void td_pager_lock(struct td_pager *p)
{
	lock(p);
	td_pager_collect_done(p);
}

/* ---- what is done without the lock ---- */

struct td_done *td_pager_take_done(struct td_pager *p)
{
	uint32_t unused = ~p->dones_used & ((1u << TD_PAGER_DONES) - 1);
	if (!unused)
		return NULL;
	p->dones_used |= unused & -unused;
	return &p->dones[__builtin_ctz(unused)];
}

void td_pager_give_done(struct td_pager *p, struct td_done *done)
{
	uint32_t bit = 1u << (done - p->dones);
	td_assert(p->dones_used & bit);
	p->dones_used &= ~bit;
}

bool td_pager_collect_done(struct td_pager *p)
{
	bool some = false;
	for (uint32_t rest = p->dones_used; rest; rest &= rest - 1) {
		struct td_done *done = &p->dones[__builtin_ctz(rest)];
		uint32_t chunk_plus_1 =
			atomic_load_explicit(&done->chunk_plus_1, memory_order_acquire);
		if (!chunk_plus_1)
			continue;
		p->stalled_ns += done->stalled_ns;
		atomic_store_explicit(&done->chunk_plus_1, 0, memory_order_relaxed);
		td_pager_give_done(p, done);
		td_pager_calm(p, chunk_plus_1 - 1);
		some = true;
	}
	return some;
}

/* Who goes to sleep is counted before it looks a last time: one of the two sees the other. */
void td_pager_say_done(struct td_pager *p, struct td_done *done, uint32_t chunk,
		       uint64_t stalled_ns)
{
	td_assert(!atomic_load(&done->chunk_plus_1));
	done->stalled_ns = stalled_ns;
	atomic_store(&done->chunk_plus_1, chunk + 1);
	if (!atomic_load(&p->asleep))
		return;
	td_pager_lock(p);
	pthread_mutex_unlock(&p->lock);
}

/* ---- waiting ---- */

/* Until somebody says so, unless something has just been done. The lock is given up meanwhile. */
static void sleep_on(struct td_pager *p, pthread_cond_t *condition)
{
	atomic_fetch_add(&p->asleep, 1);
	if (!td_pager_collect_done(p))
		pthread_cond_wait(condition, &p->lock);
	atomic_fetch_sub(&p->asleep, 1);
}

void td_pager_enter(struct td_pager *p, struct td_pager_caller *saved)
{
	sigset_t all;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved->cancel);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved->signals);
	td_pager_lock(p);
}

void td_pager_leave(struct td_pager *p, const struct td_pager_caller *saved)
{
	td_checked(td_pager_check_some(p));
	pthread_mutex_unlock(&p->lock);
	pthread_sigmask(SIG_SETMASK, &saved->signals, NULL);
	pthread_setcancelstate(saved->cancel, NULL);
}

static bool is_busy(struct td_pager *p, uint32_t chunk)
{
	return *td_pager_state(p, chunk) & CHUNK_BUSY;
}

void td_pager_await_chunk(struct td_pager *p, uint32_t chunk)
{
	for (int i = 0; is_busy(p, chunk); i++) {
		if (i < LOOKS) {
			pthread_mutex_unlock(&p->lock);
			pause_a_little(PAUSES);
			td_pager_lock(p);
		} else {
			*td_pager_state(p, chunk) |= CHUNK_AWAITED;
			sleep_on(p, &p->calm);
		}
	}
}

void td_pager_calm(struct td_pager *p, uint32_t chunk)
{
	uint8_t *state = td_pager_state(p, chunk);
	td_assert(td_pager_is_locked(p) && *state & CHUNK_BUSY);
	if (*state & CHUNK_AWAITED)
		pthread_cond_broadcast(&p->calm);
	*state &= (uint8_t) ~(CHUNK_BUSY | CHUNK_AWAITED);
	td_pager_made_room(p); /* what is not busy can leave */
}

void td_pager_await_room(struct td_pager *p)
{
	td_assert(td_pager_is_locked(p));
	p->waiting++;
	sleep_on(p, &p->room);
	p->waiting--;
}

void td_pager_made_room(struct td_pager *p)
{
	if (p->waiting)
		pthread_cond_broadcast(&p->room);
}

void td_pager_say(struct td_pager *p, const char *format, ...)
{
	char text[400];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(text, sizeof text - 1, format, args);
	va_end(args);
	size_t length = n < 0 ? 0 : (size_t)n < sizeof text - 2 ? (size_t)n : sizeof text - 2;
	if (p->config.message) {
		p->config.message(p->config.message_arg, text);
		return;
	}
	text[length] = '\n';
	/* Not by stdio: its lock may be held by the thread that was interrupted. */
	ssize_t ignored = write(STDERR_FILENO, text, length + 1);
	(void)ignored;
}
