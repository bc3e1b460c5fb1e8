/* Belady's optimum: the victim is the chunk whose next access is furthest ahead.
 *
 * Every time of the future belongs to one chunk. So the resident chunks that will be accessed again
 * are a set of times, and the victim is the highest member. Chunks that are never accessed again
 * leave first, the one with the lowest number before the others. They are in a heap by chunk
 * number, which lies in the slots. If another policy names a victim, or the program gives up a
 * chunk, it stays in the heap until it comes up. */
#include <errno.h>

#include "tide/bitset.h"
#include "tide/list.h"
#include "tide/policy.h"

struct slot {
	uint32_t heap;  /* slot k: the chunk at place k of the heap; not related to chunk k */
	uint32_t aside; /* the next chunk that a search for a victim has put aside */
	bool in_heap;
};

struct opt {
	const struct tide_view *view;
	struct tide_bitset times;
	uint64_t latest;         /* the highest member of times; 0: times is empty */
	tide_chunk latest_chunk; /* the chunk accessed then; TIDE_NO_CHUNK: not looked up yet */
	uint32_t heap_n;
};

static struct slot *slot(const struct opt *s, uint32_t i)
{
	return tide_slot(s->view, struct slot, (tide_chunk){i});
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct opt *s = self;
	(void)values;
	s->view = view;
	if (tide_bitset_init(&s->times, view->near->length + 1))
		return tide_fail(err, -ENOMEM, "out of memory for the future of the input");
	return 0;
}

static void destroy(void *self)
{
	struct opt *s = self;
	tide_bitset_free(&s->times);
}

/* ---- the heap ---- */

static uint64_t number_at(const struct opt *s, uint32_t place)
{
	return tide_chunk_number(s->view, (tide_chunk){slot(s, place)->heap});
}

static void swap(const struct opt *s, uint32_t a, uint32_t b)
{
	uint32_t was = slot(s, a)->heap;
	slot(s, a)->heap = slot(s, b)->heap;
	slot(s, b)->heap = was;
}

static void push(struct opt *s, uint32_t chunk)
{
	uint32_t at = s->heap_n++;
	slot(s, at)->heap = chunk;
	slot(s, chunk)->in_heap = true;
	for (; at && number_at(s, at) < number_at(s, (at - 1) / 2); at = (at - 1) / 2)
		swap(s, at, (at - 1) / 2);
}

static uint32_t pop(struct opt *s)
{
	uint32_t top = slot(s, 0)->heap, at = 0;
	slot(s, top)->in_heap = false;
	slot(s, 0)->heap = slot(s, --s->heap_n)->heap;
	for (;;) {
		uint32_t least = at, left = 2 * at + 1;
		if (left < s->heap_n && number_at(s, left) < number_at(s, least))
			least = left;
		if (left + 1 < s->heap_n && number_at(s, left + 1) < number_at(s, least))
			least = left + 1;
		if (least == at)
			return top;
		swap(s, at, least);
		at = least;
	}
}

/* ---- events ---- */

/* Call it after the latest time was removed. Which chunk the new latest time belongs to is far away
 * in memory, so it is prefetched. */
static void find_latest(struct opt *s)
{
	uint64_t time = tide_bitset_below(&s->times, s->latest);
	s->latest = time == TIDE_BITSET_NONE ? 0 : time;
	s->latest_chunk = TIDE_NO_CHUNK;
	if (s->latest)
		__builtin_prefetch(&s->view->near->chunk_at[s->latest - 1]);
}

static void insert(struct opt *s, tide_chunk c)
{
	uint64_t next = tide_next_use(s->view, c);
	if (next == TIDE_NEVER) {
		if (!slot(s, c.index)->in_heap)
			push(s, c.index);
		return;
	}
	tide_bitset_add(&s->times, next);
	if (next > s->latest) {
		s->latest = next;
		s->latest_chunk = c;
	}
}

static void take_out(struct opt *s, uint64_t time)
{
	tide_bitset_remove(&s->times, time);
	if (time == s->latest)
		find_latest(s);
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct opt *s = self;
	if (tide_came_in(s->view, c, pages))
		insert(s, c);
}

/* Until now, the present time was this chunk's next use. */
static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct opt *s = self;
	(void)p, (void)ref;
	take_out(s, s->view->near->time);
	insert(s, c);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct opt *s = self;
	(void)what;
	uint64_t next = tide_next_use(s->view, c);
	if (next != TIDE_NEVER)
		take_out(s, next);
}

static tide_chunk never_again(struct opt *s)
{
	uint32_t aside = TIDE_NIL;
	tide_chunk found = TIDE_NO_CHUNK;
	while (s->heap_n && found.index == TIDE_NIL) {
		tide_chunk top = {slot(s, 0)->heap};
		if (!tide_resident(s->view, top)) {
			pop(s);
		} else if (tide_valid(s->view, top)) {
			found = top;
		} else {
			pop(s);
			slot(s, top.index)->aside = aside;
			aside = top.index;
		}
	}
	for (uint32_t next; aside != TIDE_NIL; aside = next) {
		next = slot(s, aside)->aside;
		push(s, aside);
	}
	return found;
}

static tide_chunk pick_victim(void *self)
{
	struct opt *s = self;
	tide_chunk c = never_again(s);
	if (c.index != TIDE_NIL || !s->latest)
		return c;
	c = s->latest_chunk.index != TIDE_NIL ? s->latest_chunk : tide_chunk_at(s->view, s->latest);
	for (uint64_t time = s->latest; !tide_valid(s->view, c); c = tide_chunk_at(s->view, time)) {
		time = tide_bitset_below(&s->times, time);
		if (time == TIDE_BITSET_NONE)
			return TIDE_NO_CHUNK;
	}
	return c;
}

const struct tide_policy td_policy_evict_opt = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "opt",
	.role = TIDE_EVICT,
	.summary = "Belady's optimum: the chunk whose next access is furthest ahead",
	.paper = "reference",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_FUTURE,
	.state_bytes = sizeof(struct opt),
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	.destroy = destroy,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
