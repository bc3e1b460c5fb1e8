/* Hits that a policy hears of, or that are recorded, with their pages and times.
 *
 * The paper's queue needs only the blocks that were hit, and may miss some. A policy hears of every
 * hit, in the order in which they happened: requests of one client reach the pool in different
 * threads. So a note has a time, and a thread whose ring is full waits for the lock. */
#include <sched.h>
#include <stdlib.h>

#include "core/clock.h"
#include "queue.h"
#include "tide/event.h"
#include "tide/sort.h"

/* Two words of a ring. */
struct note {
	uint64_t time, what; /* what: page << 1, and is it a write? */
};
#define NOTES ((size_t)TD_RINGS * (TD_RING / 2))

static bool try_take(struct td_pool_ring *r)
{
	return !atomic_exchange_explicit(&r->taken, true, memory_order_acquire);
}

static void give(struct td_pool_ring *r)
{
	atomic_store_explicit(&r->taken, false, memory_order_release);
}

/* ---- told ---- */

/* A page that left before its hit was told of is not here to be used: no thread waits for it. */
static void tell(struct td_pool *p, const struct note *note)
{
	uint64_t page = note->what >> 1;
	uint32_t b = td_pool_resolve(p, page);
	if (b != TIDE_NIL && td_pool_word(p, b) & TD_MAIN)
		td_queue_used(p, page, note->what & 1);
	else
		p->late_hits++;
}

static size_t empty(struct td_pool_ring *r, struct note *to)
{
	while (!try_take(r))
		sched_yield();
	uint32_t n = atomic_load_explicit(&r->n, memory_order_relaxed);
	for (uint32_t i = 0; i < n; i += 2)
		*to++ = (struct note){r->at[i], r->at[i + 1]};
	atomic_store_explicit(&r->n, 0, memory_order_relaxed);
	give(r);
	return n / 2;
}

/* The notes of a ring have ascending times. */
static int by_time(const void *a, const void *b, void *arg)
{
	uint64_t x = ((const struct note *)a)->time, y = ((const struct note *)b)->time;
	(void)arg;
	return (x > y) - (x < y);
}

void td_pool_tell_notes(struct td_pool *p, uint64_t used)
{
	struct note *notes = p->noted;
	size_t n = 0;
	bool several = used & (used - 1);
	for (; used; used &= used - 1)
		n += empty(&p->rings[__builtin_ctzll(used)], notes + n);
	td_assert(n <= NOTES);
	if (several)
		tide_sort(notes, n, sizeof *notes, by_time, NULL);
	for (size_t i = 0; i < n; i++)
		tell(p, &notes[i]);
}

bool td_pool_notes_open(struct td_pool *p)
{
	p->noted = malloc(NOTES * sizeof(struct note));
	return p->noted;
}

/* ---- noted ---- */

static struct td_pool_ring *take_mine(struct td_pool *p, unsigned *i)
{
	*i = (unsigned)(tide_hash64((uint64_t)pthread_self()) % TD_RINGS);
	while (!try_take(&p->rings[*i]))
		*i = (*i + 1) % TD_RINGS;
	return &p->rings[*i];
}

/* A ring has room once it is drained, whichever thread did it. */
static void make_room(struct td_pool *p)
{
	pthread_mutex_lock(&p->lock);
	td_pool_drain(p);
	pthread_mutex_unlock(&p->lock);
}

/* Times of a ring must not be equal, since the notes are sorted by them. */
static void append(struct td_pool_ring *r, uint32_t n, uint64_t what)
{
	uint64_t hits = atomic_load_explicit(&r->hits, memory_order_relaxed);
	uint64_t time = td_clock_ns();
	if (n && time <= r->at[n - 2])
		time = r->at[n - 2] + 1;
	r->at[n] = time;
	r->at[n + 1] = what;
	atomic_store_explicit(&r->n, n + 2, memory_order_relaxed);
	atomic_store_explicit(&r->hits, hits + 1, memory_order_relaxed);
}

void td_pool_note(struct td_pool *p, uint64_t page, bool write)
{
	for (;;) {
		unsigned i;
		struct td_pool_ring *r = take_mine(p, &i);
		uint32_t n = atomic_load_explicit(&r->n, memory_order_relaxed);
		if (n + 2 <= TD_RING)
			append(r, n, page << 1 | write);
		give(r);
		if (!n)
			atomic_fetch_or_explicit(&p->used_rings, UINT64_C(1) << i,
						 memory_order_relaxed);
		if (n + 2 <= TD_RING)
			return;
		make_room(p);
	}
}
