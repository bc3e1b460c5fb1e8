/* The path of a hit, which takes no lock.
 *
 * A locked instruction waits until all bytes stored before it are in the cache. So the pages of one
 * call are pinned together, then copied, then unpinned together. */
#include <sched.h>

#include "queue.h"
#include "tide/event.h"

/* The thread decides the ring, so that one thread's hits stay in order. */
static unsigned my_ring(void)
{
	return (unsigned)(tide_hash64((uint64_t)pthread_self()) % TD_RINGS);
}

static bool try_take(struct td_pool_ring *r)
{
	return !atomic_exchange_explicit(&r->taken, true, memory_order_acquire);
}

static void give(struct td_pool_ring *r)
{
	atomic_store_explicit(&r->taken, false, memory_order_release);
}

static uint32_t room_in(const struct td_pool_ring *r)
{
	return TD_RING - atomic_load_explicit(&r->n, memory_order_relaxed);
}

/* What it has no room for is counted alone. True: it was empty. */
static bool append(struct td_pool_ring *r, const uint64_t *refs, uint32_t n)
{
	uint32_t had = atomic_load_explicit(&r->n, memory_order_relaxed);
	uint64_t hits = atomic_load_explicit(&r->hits, memory_order_relaxed);
	atomic_store_explicit(&r->hits, hits + n, memory_order_relaxed);
	n = n < room_in(r) ? n : room_in(r);
	for (uint32_t i = 0; i < n; i++)
		r->at[had + i] = refs[i];
	atomic_store_explicit(&r->n, had + n, memory_order_relaxed);
	return !had;
}

static void drain_ring(struct td_pool *p, struct td_pool_ring *r)
{
	while (!try_take(r))
		sched_yield();
	uint32_t n = atomic_load_explicit(&r->n, memory_order_relaxed);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t b = (uint32_t)(r->at[i] >> 32);
		uint64_t word = td_pool_word(p, b);
		td_assert(b < p->n_blocks);
		if (i + 4 < n)
			__builtin_prefetch(&p->blocks[r->at[i + 4] >> 32]);
		if (word >> 32 == (uint32_t)r->at[i] && word & TD_MAIN)
			td_queue_touch(p, b);
	}
	atomic_store_explicit(&r->n, 0, memory_order_relaxed);
	give(r);
}

void td_pool_drain(struct td_pool *p)
{
	if (!atomic_load_explicit(&p->used_rings, memory_order_relaxed))
		return;
	uint64_t used = atomic_exchange_explicit(&p->used_rings, 0, memory_order_relaxed);
	if (p->noted) {
		td_pool_tell_notes(p, used);
		return;
	}
	for (; used; used &= used - 1)
		drain_ring(p, &p->rings[__builtin_ctzll(used)]);
}

static unsigned take_mine(struct td_pool *p)
{
	unsigned i = my_ring();
	while (!try_take(&p->rings[i]))
		i = (i + 1) % TD_RINGS;
	return i;
}

/* A ring without room is drained if that costs no wait. Otherwise these hits are not recorded: a
 * little of the order of hits that happened at the same time is lost. */
static void record(struct td_pool *p, const uint64_t *refs, uint32_t n)
{
	unsigned i = take_mine(p);
	if (room_in(&p->rings[i]) < n) {
		give(&p->rings[i]);
		if (pthread_mutex_trylock(&p->lock) == 0) {
			td_pool_drain(p);
			pthread_mutex_unlock(&p->lock);
		}
		i = take_mine(p);
	}
	bool first = append(&p->rings[i], refs, n);
	give(&p->rings[i]);
	if (first)
		atomic_fetch_or_explicit(&p->used_rings, UINT64_C(1) << i, memory_order_relaxed);
}

bool td_pool_try_pin(struct td_pool *p, uint64_t ref, uint64_t needed)
{
	_Atomic uint64_t *word = &p->blocks[ref >> 32].word;
	uint64_t was = atomic_load_explicit(word, memory_order_relaxed);
	do
		if (was >> 32 != (uint32_t)ref || (was & needed) != needed ||
		    (was & TD_PINS) == TD_PINS)
			return false;
	while (!atomic_compare_exchange_weak_explicit(word, &was, was + 1, memory_order_acquire,
						      memory_order_relaxed));
	return true;
}

static void unpin(struct td_pool *p, uint32_t b)
{
	td_assert(td_pool_word(p, b) & TD_PINS);
	atomic_fetch_sub_explicit(&p->blocks[b].word, 1, memory_order_release);
}

/* The page may have left the block for another one before the pin. Another page that shared the
 * block may now have it alone, and may write it. So the ref is read again. */
static bool pin(struct td_pool *p, uint64_t page, bool write, uint64_t *ref)
{
	_Atomic uint64_t *at = td_pool_ref_at(p, page);
	*ref = atomic_load_explicit(at, memory_order_acquire);
	if (!td_pool_try_pin(p, *ref, write ? TD_MAIN | TD_PRIVATE : TD_MAIN))
		return false;
	if (atomic_load_explicit(at, memory_order_acquire) == *ref)
		return true;
	unpin(p, (uint32_t)(*ref >> 32));
	return false;
}

size_t td_pool_hits(struct td_pool *p, uint64_t page, size_t most, bool write, uint64_t *refs)
{
	size_t n = 0;
	while (n < most && pin(p, page + n, write, &refs[n]))
		n++;
	if (!p->noted && n)
		record(p, refs, (uint32_t)n);
	for (size_t i = 0; p->noted && i < n; i++)
		td_pool_note(p, page + i, write);
	return n;
}

bool td_pool_hit(struct td_pool *p, uint64_t page, bool write, struct tide_pool_pin *pin)
{
	uint64_t ref;
	if (!td_pool_hits(p, page, 1, write, &ref))
		return false;
	*pin = (struct tide_pool_pin){sizeof *pin, td_pool_bytes_of(p, (uint32_t)(ref >> 32)), page,
				      ref, write ? TIDE_POOL_WRITE : TIDE_POOL_READ};
	return true;
}

/* Every writer sets the bit itself, because the writer that set TD_DIRTY may not have set the bit
 * yet. If a flush cleared the bit before this call reads it, the flush will see TD_DIRTY. */
void td_pool_mark_dirty(struct td_pool *p, uint32_t b)
{
	_Atomic uint64_t *bits = &p->dirty[b / 64];
	uint64_t bit = UINT64_C(1) << b % 64, owner = p->blocks[b].owner;
	td_assert(td_pool_word(p, b) & TD_PRIVATE && owner != TD_NOBODY);
	if (!(atomic_fetch_or(&p->blocks[b].word, TD_DIRTY) & TD_DIRTY)) {
		td_pool_count_dirty(p);
		td_pool_region_dirtied(p, owner / p->degree);
	}
	if (!(atomic_load(bits) & bit))
		atomic_fetch_or(bits, bit);
}

void td_pool_release(struct td_pool *p, uint32_t b, bool dirty)
{
	if (dirty)
		td_pool_mark_dirty(p, b);
	unpin(p, b);
}
