/* osl, optimal steady-state leases (Li and others, 2019). Every page has a lease of l accesses, the
 * same after each of its accesses. The page is kept until it is used again or the lease ends. The
 * best leases follow from the page's reuse intervals. Let r be the interval to the next access.
 * (After the last access there is no hit, and for room, r is the rest of the input.) Then
 *
 *     hits(l) = #(r <= l)          room(l) = sum of min(r, l)
 *
 * All leases begin at 1, which is the access itself. Each step then takes the page and lease with
 * the most additional hits per additional room, until all rooms together reach the size, on average
 * over the whole input. For one page these steps are the corners of the upper hull of (room, hits).
 * So all steps of all pages, sorted by their slope, are the curve:
 *
 *     hits |        .---'     slopes fall from corner to corner; leases between them
 *          |    .--'          are never the best choice
 *          | ,-'   x
 *          |/____________ room
 *
 * Memory: 12 bytes per access, and 16 per step. */
#include <stdlib.h>
#include <string.h>

#include "numbers.h"

struct access {
	uint32_t page, time;
};

/* Leases that a page may get, or what it takes to get from one to the next. */
struct step {
	uint64_t room;
	uint64_t hits;
};

struct osl {
	struct td_mrc_numbers numbers;
	struct tide_vec seen;  /* struct access */
	struct tide_vec times; /* the same by page: first times, then intervals; uint32_t */
	struct tide_vec ends;  /* by page: where its times end, uint64_t */
	struct tide_vec steps; /* struct step */
	uint64_t n, steps_n;
};

static int create(void *self, const void *config, struct tide_error *err)
{
	struct osl *o = self;
	(void)config;
	tide_vec_init(&o->seen, sizeof(struct access));
	tide_vec_init(&o->times, sizeof(uint32_t));
	tide_vec_init(&o->ends, sizeof(uint64_t));
	tide_vec_init(&o->steps, sizeof(struct step));
	return tide_map_init(&o->numbers.map, 0) ? td_mrc_no_memory(err) : 0;
}

static int see(void *self, const struct td_mrc_accesses *accesses, struct tide_error *err)
{
	struct osl *o = self;
	int rc = td_mrc_number(&o->numbers, accesses, err);
	if (rc)
		return rc;
	if (accesses->before + TIDE_BATCH > UINT32_MAX)
		return td_mrc_too_long("osl", err);
	if (tide_vec_reserve(&o->seen, o->n + accesses->n))
		return td_mrc_no_memory(err);
	struct access *seen = (struct access *)(void *)o->seen.at + o->n;
	for (uint32_t i = 0; i < accesses->n; i++)
		seen[i] = (struct access){o->numbers.index[i],
					  (uint32_t)accesses->before + accesses->at[i] + 1};
	o->n += accesses->n;
	return 0;
}

/* ---- times by page ---- */

static int sort_by_page(struct osl *o)
{
	const struct access *seen = (const struct access *)(void *)o->seen.at;
	uint64_t pages = o->numbers.map.n, sum = 0;
	if (tide_vec_reserve(&o->times, o->n) || tide_vec_reserve(&o->ends, pages))
		return -ENOMEM;
	uint64_t *ends = (uint64_t *)(void *)o->ends.at;
	uint32_t *times = (uint32_t *)(void *)o->times.at;
	for (uint64_t i = 0; i < o->n; i++)
		ends[seen[i].page]++;
	for (uint64_t p = 0; p < pages; p++) {
		uint64_t count = ends[p];
		ends[p] = sum;
		sum += count;
	}
	for (uint64_t i = 0; i < o->n; i++)
		times[ends[seen[i].page]++] = seen[i].time;
	tide_vec_free(&o->seen);
	return 0;
}

static int by_length(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* n times become n - 1 intervals, shortest first. */
static void to_intervals(uint32_t *times, uint64_t n)
{
	bool sorted = true;
	for (uint64_t i = 0; i + 1 < n; i++) {
		times[i] = times[i + 1] - times[i];
		sorted = sorted && (!i || times[i - 1] <= times[i]);
	}
	if (!sorted)
		qsort(times, n - 1, sizeof *times, by_length);
}

/* ---- steps ---- */

/* Is the slope of a less than that of b? */
static bool is_flatter(const struct step *a, const struct step *b)
{
	return (unsigned __int128)a->hits * b->room < (unsigned __int128)b->hits * a->room;
}

/* Adds a corner of the hull. Earlier corners that do not lie above the line to it are dropped. */
static void add_corner(struct step *steps, uint64_t from, uint64_t *n, struct step more)
{
	while (*n > from && !is_flatter(&more, &steps[*n - 1])) {
		more.room += steps[*n - 1].room;
		more.hits += steps[*n - 1].hits;
		--*n;
	}
	steps[(*n)++] = more;
}

/* Adds all leases of a page, shortest first. A longer lease takes more room in all intervals, and
 * in the rest of the input, that are longer than the lease before. */
static void add_page(struct osl *o, const uint32_t *intervals, uint64_t n, uint64_t rest)
{
	struct step *steps = (struct step *)(void *)o->steps.at;
	uint64_t from = o->steps_n, lease = 1;
	for (uint64_t i = 0, next; i < n; i = next) {
		uint64_t longer = intervals[i], kept = rest < longer ? rest : longer;
		for (next = i; next < n && intervals[next] == longer;)
			next++;
		if (longer == 1)
			continue; /* a hit without a lease */
		uint64_t room = (longer - lease) * (n - i) + (kept > lease ? kept - lease : 0);
		add_corner(steps, from, &o->steps_n, (struct step){room, next - i});
		lease = longer;
	}
}

static int add_all(struct osl *o, uint64_t accesses)
{
	const uint64_t *ends = (const uint64_t *)(void *)o->ends.at;
	uint32_t *times = (uint32_t *)(void *)o->times.at;
	for (uint64_t p = 0, from = 0; p < o->numbers.map.n; from = ends[p++]) {
		uint64_t n = ends[p] - from, rest = accesses - times[ends[p] - 1] + 1;
		if (tide_vec_reserve(&o->steps, o->steps_n + n))
			return -ENOMEM;
		to_intervals(times + from, n);
		add_page(o, times + from, n - 1, rest);
	}
	return 0;
}

static uint64_t immediate(const struct osl *o)
{
	const uint64_t *ends = (const uint64_t *)(void *)o->ends.at;
	const uint32_t *times = (const uint32_t *)(void *)o->times.at;
	uint64_t hits = 0;
	for (uint64_t p = 0, i = 0; p < o->numbers.map.n; i = ends[p++]) {
		for (; i + 1 < ends[p] && times[i] == 1; i++)
			hits++;
	}
	return hits;
}

/* ---- the curve ---- */

/* Steepest first. If two are equal, the shorter first, so that sizes are met as closely as
 * possible. */
static int by_slope(const void *a, const void *b)
{
	const struct step *x = a, *y = b;
	if (is_flatter(x, y) || is_flatter(y, x))
		return is_flatter(x, y) ? 1 : -1;
	return (x->room > y->room) - (x->room < y->room);
}

static void take_steps(const struct osl *o, uint64_t accesses, struct td_mrc_point *at, size_t n)
{
	const struct step *steps = (const struct step *)(void *)o->steps.at;
	uint64_t taken = o->n, misses = o->n - immediate(o), next = 0;
	for (size_t i = 0; i < n; i++) {
		double room = at[i].pages * (double)accesses;
		while (next < o->steps_n && (double)(taken + steps[next].room) <= room) {
			taken += steps[next].room;
			misses -= steps[next++].hits;
		}
		at[i].misses = misses;
		at[i].pages = (double)taken / (double)accesses;
	}
}

static int answer(void *self, uint64_t accesses, struct td_mrc_point *at, size_t n,
		  struct tide_error *err)
{
	struct osl *o = self;
	if (sort_by_page(o) || add_all(o, accesses))
		return td_mrc_no_memory(err);
	if (o->steps_n)
		qsort(o->steps.at, o->steps_n, sizeof(struct step), by_slope);
	take_steps(o, accesses, at, n);
	return 0;
}

static uint64_t distinct(const void *self)
{
	return ((const struct osl *)self)->numbers.map.n;
}

static void destroy(void *self)
{
	struct osl *o = self;
	tide_map_free(&o->numbers.map);
	tide_vec_free(&o->seen);
	tide_vec_free(&o->times);
	tide_vec_free(&o->ends);
	tide_vec_free(&o->steps);
}

const struct td_mrc_method td_mrc_osl = {
	.policy = "osl",
	.bytes = sizeof(struct osl),
	.create = create,
	.see = see,
	.answer = answer,
	.pages = distinct,
	.destroy = destroy,
};
