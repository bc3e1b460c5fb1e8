/* opt: the priority stack of Mattson and others (1970). A page comes before another if it is used
 * sooner. The stack's first n pages are what a cache of n pages holds.
 *
 * An access to x takes x out of its place d and puts it on top. The page that was on top is carried
 * down. At every place above d, it is compared with the page there: the one used sooner stays, and
 * the other is carried on. The page that is left takes place d.
 *
 * Only some sizes are asked for, so what happens between two of them need not be known. The stack
 * is cut at these sizes into layers. A layer is a heap with the page used latest on top. A page
 * that is carried through a layer is compared with the page on top. If the carried page is used
 * sooner, the two change places.
 *
 *     sizes             3            6              9
 *     next uses  9 7 2  |   12 8 5   |   11 10 now  |
 *     after      20 7 2 |    9 8 5   |   11 10 12   |     used again at 20
 *
 * So the time per access is at most the logarithm of a layer's pages times the number of layers
 * above d. (A stack of single places, with a tree to skip places where nothing changes, was thirty
 * times slower on skewed accesses to a million pages. The deeper a page is, the later its use, so
 * something changes at most places.)
 *
 * A page is known by the time of its next use, which no two pages share. Pages that are never used
 * again are all alike. When a page is used, it gets a new time, but its old time stays in its heap.
 * Old times are less than all times that count. They are swept out when a heap is full. Memory: 6
 * bytes per access, 7 if the input has groups, and 8 per page besides its number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"

#define NEVER INT32_MAX
#define NOWHERE 0
#define SLACK (UINT64_C(1) << 24) /* places of a heap for old times, at most */

struct layer {
	int32_t *heap; /* from 1 on */
	uint32_t n, room;
	uint64_t pages, capacity; /* without old times */
	uint64_t hits;
	uint64_t prefix_hits; /* accesses of whose group, so far, this was the deepest layer */
	uint64_t size;        /* of all layers down to this one */
};

struct opt {
	struct td_mrc_numbers numbers;
	struct tide_vec next;  /* by access: first its page, then the time of the next to it */
	struct tide_vec home;  /* by time of next use: the layer, uint16_t */
	struct tide_vec first; /* of inputs with groups, by access: does it begin one? uint8_t */
	bool has_groups;
	unsigned deepest; /* layer of the present group so far; NOWHERE: an access missed */
	struct tide_vec memory;
	uint64_t n;
	struct layer *layers; /* from 1 on */
	unsigned depth;
};

/* ---- heaps ---- */

static void sift_down(int32_t *heap, uint32_t n, uint32_t i, int32_t value)
{
	uint32_t child;
	while ((child = 2 * i) <= n) {
		child += child < n && heap[child + 1] > heap[child];
		if (heap[child] <= value)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = value;
}

static void sweep(struct layer *l, int32_t now)
{
	uint32_t kept = 0;
	for (uint32_t i = 1; i <= l->n; i++) {
		if (l->heap[i] > now)
			l->heap[++kept] = l->heap[i];
	}
	l->n = kept;
	for (uint32_t i = kept / 2; i; i--)
		sift_down(l->heap, kept, i, l->heap[i]);
}

static void push(struct layer *l, int32_t value, int32_t now)
{
	if (l->n == l->room)
		sweep(l, now);
	uint32_t i = ++l->n;
	for (; i > 1 && l->heap[i / 2] < value; i /= 2)
		l->heap[i] = l->heap[i / 2];
	l->heap[i] = value;
}

/* ---- layers ---- */

static void settle(struct opt *o, int32_t value, unsigned layer)
{
	if (value != NEVER)
		((uint16_t *)(void *)o->home.at)[value] = (uint16_t)layer;
}

/* Only a page not seen before finds room. Then nothing is carried on. */
static bool find_room(struct layer *l, int32_t value, int32_t now)
{
	if (l->pages == l->capacity)
		return false;
	l->pages++;
	push(l, value, now);
	return true;
}

/* A page comes to a full layer: the page used latest is carried on. The page used now comes to the
 * first layer, and must stay there. */
static void come_by(struct opt *o, unsigned i, int32_t *carried)
{
	struct layer *l = &o->layers[i];
	int32_t latest = l->heap[1];
	if (latest <= *carried && i > 1)
		return;
	sift_down(l->heap, l->n, 1, *carried);
	settle(o, *carried, i);
	*carried = latest;
}

/* A cache has all of a group up to this access if it reaches down to the deepest layer of them. */
static void count_prefix(struct opt *o, int32_t now, unsigned home)
{
	if (((const uint8_t *)(void *)o->first.at)[now - 1])
		o->deepest = home;
	else if (home == NOWHERE || (o->deepest != NOWHERE && home > o->deepest))
		o->deepest = home;
	o->layers[o->deepest].prefix_hits++;
}

static void use(struct opt *o, int32_t now, int32_t next)
{
	unsigned home = ((const uint16_t *)(void *)o->home.at)[now], i = 1;
	int32_t carried = next;
	o->layers[home].hits++; /* of NOWHERE: a miss in all sizes */
	if (o->has_groups)
		count_prefix(o, now, home);
	for (; i <= o->depth && i != home; i++) {
		if (find_room(&o->layers[i], carried, now))
			break;
		come_by(o, i, &carried);
	}
	if (i == home)
		push(&o->layers[i], carried, now);
	settle(o, carried, i <= o->depth ? i : NOWHERE);
}

static int make_layers(struct opt *o, const struct td_mrc_point *at, size_t n)
{
	uint64_t all = 0, before = 0;
	o->layers = calloc(n + 1, sizeof *o->layers);
	if (!o->layers)
		return -ENOMEM;
	for (size_t i = 0; i < n && before < o->numbers.map.n; i++) {
		double size = ceil(at[i].pages);
		uint64_t whole =
			size < (double)o->numbers.map.n ? (uint64_t)size : o->numbers.map.n;
		struct layer *l = &o->layers[o->depth + 1];
		if (whole <= before)
			continue;
		*l = (struct layer){.capacity = whole - before, .size = whole};
		l->room =
			(uint32_t)(l->capacity + (l->capacity < SLACK ? l->capacity + 64 : SLACK));
		all += l->room + 1;
		before = whole;
		o->depth++;
	}
	int rc = tide_vec_reserve(&o->memory, all);
	int32_t *heap = (int32_t *)(void *)o->memory.at;
	for (unsigned i = 1; i <= o->depth; heap += o->layers[i++].room + 1)
		o->layers[i].heap = heap;
	return rc;
}

/* ---- the method ---- */

static int create(void *self, const void *config, struct tide_error *err)
{
	struct opt *o = self;
	(void)config;
	tide_vec_init(&o->next, sizeof(int32_t));
	tide_vec_init(&o->home, sizeof(uint16_t));
	tide_vec_init(&o->first, sizeof(uint8_t));
	tide_vec_init(&o->memory, sizeof(int32_t));
	return tide_map_init(&o->numbers.map, 0) ? td_mrc_no_memory(err) : 0;
}

/* Nothing is in a group before the first begins. */
static int keep_groups(struct opt *o, const struct td_mrc_accesses *accesses)
{
	o->has_groups = accesses->first != NULL;
	if (!o->has_groups)
		return 0;
	if (tide_vec_reserve(&o->first, o->n + accesses->n))
		return -ENOMEM;
	memcpy((uint8_t *)o->first.at + o->n, accesses->first, accesses->n);
	return 0;
}

static int see(void *self, const struct td_mrc_accesses *accesses, struct tide_error *err)
{
	struct opt *o = self;
	int rc = td_mrc_number(&o->numbers, accesses, err);
	if (rc)
		return rc;
	if (o->n + accesses->n >= NEVER)
		return tide_fail(
			err, -EFBIG,
			"the curve of opt takes at most 2 billion accesses: give `sample`");
	if (tide_vec_reserve(&o->next, o->n + accesses->n) || keep_groups(o, accesses))
		return td_mrc_no_memory(err);
	memcpy((uint32_t *)(void *)o->next.at + o->n, o->numbers.index,
	       accesses->n * sizeof o->numbers.index[0]);
	o->n += accesses->n;
	return 0;
}

/* Backwards over the accesses: from pages to times, which count from 1. */
static int foresee(struct opt *o)
{
	int32_t *next = (int32_t *)(void *)o->next.at;
	struct tide_vec later;
	tide_vec_init(&later, sizeof(int32_t));
	if (tide_vec_reserve(&later, o->numbers.map.n))
		return -ENOMEM;
	int32_t *soonest = (int32_t *)(void *)later.at;
	for (uint64_t t = o->n; t; t--) {
		int32_t *of_page = &soonest[next[t - 1]];
		if (t > TD_MRC_AHEAD)
			__builtin_prefetch(&soonest[next[t - 1 - TD_MRC_AHEAD]], 1);
		next[t - 1] = *of_page ? *of_page : NEVER;
		*of_page = (int32_t)t;
	}
	tide_vec_free(&later);
	return 0;
}

static void fill(const struct opt *o, struct td_mrc_point *at, size_t n)
{
	uint64_t misses = o->n, prefix_misses = o->n;
	unsigned layer = 1;
	for (size_t i = 0; i < n; i++) {
		for (; layer <= o->depth && (double)o->layers[layer].size <= ceil(at[i].pages);
		     layer++) {
			misses -= o->layers[layer].hits;
			prefix_misses -= o->layers[layer].prefix_hits;
		}
		at[i].misses = misses;
		at[i].prefix_misses = prefix_misses;
	}
}

static int answer(void *self, uint64_t accesses, struct td_mrc_point *at, size_t n,
		  struct tide_error *err)
{
	struct opt *o = self;
	(void)accesses;
	if (foresee(o) || make_layers(o, at, n) || tide_vec_reserve(&o->home, o->n + 1))
		return td_mrc_no_memory(err);
	const int32_t *next = (const int32_t *)(void *)o->next.at;
	for (uint64_t t = 1; t <= o->n; t++)
		use(o, (int32_t)t, next[t - 1]);
	fill(o, at, n);
	return 0;
}

static uint64_t distinct(const void *self)
{
	return ((const struct opt *)self)->numbers.map.n;
}

static void destroy(void *self)
{
	struct opt *o = self;
	tide_map_free(&o->numbers.map);
	tide_vec_free(&o->next);
	tide_vec_free(&o->home);
	tide_vec_free(&o->first);
	tide_vec_free(&o->memory);
	free(o->layers);
}

const struct td_mrc_method td_mrc_opt = {
	.policy = "opt",
	.groups = true,
	.bytes = sizeof(struct opt),
	.create = create,
	.see = see,
	.answer = answer,
	.pages = distinct,
	.destroy = destroy,
};
