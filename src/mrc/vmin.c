/* vmin (Prieve and Fabry, 1976): the best that a memory of variable size can do. After an access, a
 * page is kept until its next access if that is at most `window` accesses away. Otherwise it leaves
 * at once.
 *
 * Let r be the interval from an access to the next access to the same page (there is none after the
 * last). Over all accesses:
 *
 *     misses  = accesses - #(r <= window)
 *     size    = (sum of r <= window  +  #(all others)) / accesses
 *
 * A page that is kept takes room for r accesses, its own included. A page that leaves takes room
 * for its own access alone. For a size, the method takes the widest window that does not need more,
 * on average over the whole input. A window of 1 needs one page. Memory: 4 bytes for each length of
 * interval up to the longest, and 8 per page. */
#include "numbers.h"

struct vmin {
	struct td_mrc_numbers numbers;
	struct tide_vec last;   /* by page: time of its last access, uint64_t; 0: none */
	struct tide_vec counts; /* by interval, uint32_t */
	uint64_t longest;
	uint64_t n;
};

static int create(void *self, const void *config, struct tide_error *err)
{
	struct vmin *v = self;
	(void)config;
	tide_vec_init(&v->last, sizeof(uint64_t));
	tide_vec_init(&v->counts, sizeof(uint32_t));
	return tide_map_init(&v->numbers.map, 0) ? td_mrc_no_memory(err) : 0;
}

static int see(void *self, const struct td_mrc_accesses *accesses, struct tide_error *err)
{
	struct vmin *v = self;
	int rc = td_mrc_number(&v->numbers, accesses, err);
	if (rc)
		return rc;
	uint64_t end = accesses->before + TIDE_BATCH;
	if (end > UINT32_MAX)
		return td_mrc_too_long("vmin", err);
	if (tide_vec_reserve(&v->last, v->numbers.map.n) || tide_vec_reserve(&v->counts, end + 1))
		return td_mrc_no_memory(err);
	uint64_t *last = (uint64_t *)(void *)v->last.at;
	uint32_t *counts = (uint32_t *)(void *)v->counts.at;
	const uint32_t *index = v->numbers.index;
	for (uint32_t i = 0; i < accesses->n; i++) {
		uint64_t now = accesses->before + accesses->at[i] + 1, *before = &last[index[i]];
		__builtin_prefetch(&last[index[i + TD_MRC_AHEAD]], 1);
		counts[*before ? now - *before : 0]++;
		*before = now;
	}
	v->n += accesses->n;
	v->longest = end;
	return 0;
}

/* The window grows as long as the sum of all room that is taken stays below what a size has. */
static int answer(void *self, uint64_t accesses, struct td_mrc_point *at, size_t n,
		  struct tide_error *err)
{
	struct vmin *v = self;
	const uint32_t *counts = (const uint32_t *)(void *)v->counts.at;
	uint64_t window = 0, taken = v->n, misses = v->n;
	(void)err;
	for (size_t i = 0; i < n; i++) {
		double room = at[i].pages * (double)accesses;
		for (; window < v->longest; window++) {
			uint64_t more = window * counts[window + 1];
			if ((double)(taken + more) > room && window)
				break;
			taken += more;
			misses -= counts[window + 1];
		}
		at[i].misses = misses;
		at[i].pages = (double)taken / (double)accesses;
	}
	return 0;
}

static uint64_t distinct(const void *self)
{
	return ((const struct vmin *)self)->numbers.map.n;
}

static void destroy(void *self)
{
	struct vmin *v = self;
	tide_map_free(&v->numbers.map);
	tide_vec_free(&v->last);
	tide_vec_free(&v->counts);
}

const struct td_mrc_method td_mrc_vmin = {
	.policy = "vmin",
	.bytes = sizeof(struct vmin),
	.create = create,
	.see = see,
	.answer = answer,
	.pages = distinct,
	.destroy = destroy,
};
