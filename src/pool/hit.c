/* The path of a hit, which takes no lock. */
#include <sched.h>

#include "inside.h"
#include "tide/event.h"

/* By thread, so that one thread's hits stay in order. */
struct td_pool_ring *td_pool_my_ring(struct td_pool *p)
{
	return &p->rings[tide_hash64((uint64_t)pthread_self()) % TD_RINGS];
}

static bool try_take(struct td_pool_ring *r)
{
	return !atomic_exchange_explicit(&r->taken, true, memory_order_acquire);
}

static void give(struct td_pool_ring *r)
{
	atomic_store_explicit(&r->taken, false, memory_order_release);
}

static uint32_t append(struct td_pool_ring *r, uint64_t ref)
{
	uint32_t n = atomic_load_explicit(&r->n, memory_order_relaxed);
	uint64_t hits = atomic_load_explicit(&r->hits, memory_order_relaxed);
	atomic_store_explicit(&r->hits, hits + 1, memory_order_relaxed);
	if (n < TD_RING) {
		r->at[n++] = ref;
		atomic_store_explicit(&r->n, n, memory_order_relaxed);
	}
	return n;
}

static void drain_ring(struct td_pool *p, struct td_pool_ring *r)
{
	while (!try_take(r))
		sched_yield();
	uint32_t n = atomic_load_explicit(&r->n, memory_order_relaxed);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t b = (uint32_t)(r->at[i] >> 32);
		uint64_t word = td_pool_word(p, b);
		if (i + 4 < n)
			__builtin_prefetch(&p->blocks[r->at[i + 4] >> 32]);
		if (word >> 32 == (uint32_t)r->at[i] && word & TD_MAIN)
			td_pool_touch(p, b);
	}
	atomic_store_explicit(&r->n, 0, memory_order_relaxed);
	give(r);
}

void td_pool_drain(struct td_pool *p)
{
	for (unsigned i = 0; i < TD_RINGS; i++)
		if (atomic_load_explicit(&p->rings[i].n, memory_order_relaxed))
			drain_ring(p, &p->rings[i]);
}

/* A full ring is drained where that costs no wait; else what is not recorded is a little of the
 * order of hits that happened at the same time. */
static void record(struct td_pool *p, uint64_t ref)
{
	struct td_pool_ring *r = td_pool_my_ring(p);
	while (!try_take(r))
		r = r == &p->rings[TD_RINGS - 1] ? p->rings : r + 1;
	uint32_t n = append(r, ref);
	give(r);
	if (n == TD_RING && pthread_mutex_trylock(&p->lock) == 0) {
		td_pool_drain(p);
		pthread_mutex_unlock(&p->lock);
	}
}

static bool try_pin(struct td_pool *p, uint64_t ref, uint64_t needed)
{
	_Atomic uint64_t *word = &p->blocks[ref >> 32].word;
	uint64_t was = atomic_load_explicit(word, memory_order_relaxed);
	do
		if (was >> 32 != (uint32_t)ref || (was & needed) != needed)
			return false;
	while (!atomic_compare_exchange_weak_explicit(word, &was, was + 1, memory_order_acquire,
						      memory_order_relaxed));
	return true;
}

bool td_pool_hit(struct td_pool *p, uint64_t page, bool write, struct tide_pool_pin *pin)
{
	uint64_t ref = atomic_load_explicit(&p->refs[page], memory_order_acquire);
	if (!try_pin(p, ref, write ? TD_MAIN | TD_PRIVATE : TD_MAIN))
		return false;
	uint32_t b = (uint32_t)(ref >> 32);
	*pin = (struct tide_pool_pin){td_pool_bytes_of(p, b), page, b,
				      write ? TIDE_POOL_WRITE : TIDE_POOL_READ};
	record(p, ref);
	return true;
}

/* Lock-free: many may push, and flush takes all at once. */
static void list_dirty(struct td_pool *p, uint32_t b)
{
	uint32_t head = atomic_load_explicit(&p->dirty, memory_order_relaxed);
	do
		p->blocks[b].next_dirty = head;
	while (!atomic_compare_exchange_weak_explicit(&p->dirty, &head, b, memory_order_release,
						      memory_order_relaxed));
}

void td_pool_mark_dirty(struct td_pool *p, uint32_t b)
{
	uint64_t owner = p->blocks[b].owner;
	uint64_t was = atomic_fetch_or(&p->blocks[b].word, TD_DIRTY | TD_LISTED);
	if (!(was & TD_DIRTY))
		td_pool_region_dirtied(p, owner / p->degree);
	if (!(was & TD_LISTED))
		list_dirty(p, b);
}

void td_pool_release(struct td_pool *p, uint32_t b, bool dirty)
{
	if (dirty)
		td_pool_mark_dirty(p, b);
	atomic_fetch_sub_explicit(&p->blocks[b].word, 1, memory_order_release);
}
