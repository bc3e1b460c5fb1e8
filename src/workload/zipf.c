/* Exact drawing by rejection. Ranks lie in cells: the first 32 alone, the others in runs that grow
 * with the rank, so that the probability hardly changes within one. A cell is drawn as if all its
 * ranks were as likely as its first (by an alias table: one random number, one look), a rank
 * uniformly within it, and accepted with its probability over the first one's; else all is drawn
 * anew. What is left is Zipf's law itself, for any skew, with a table that grows with log n.
 *
 * Random numbers meet thresholds only as integers, and the powers behind the thresholds are worked
 * out below with + - * / alone, so every machine draws the same ranks (the build has the compiler
 * fuse none of these: -ffp-contract=off). */
#include "zipf.h"

#include <math.h>
#include <stdbool.h>

#include "tide/event.h"

#define SINGLE_RANKS 32

static const double ln2 = 0.6931471805599453;

static double ln(double x)
{
	int exponent;
	double m = frexp(x, &exponent), t, square, sum = 0;

	if (m < 0.7071067811865476) {
		m *= 2;
		exponent--;
	}
	/* ln m = 2 artanh t; t is at most 0.172, so the 13th term is below 1e-19. */
	t = (m - 1) / (m + 1);
	square = t * t;
	for (int i = 25; i > 0; i -= 2)
		sum = sum * square + 1.0 / i;
	return 2 * t * sum + exponent * ln2;
}

/* e^x for x of at most 0. */
static double e_to(double x)
{
	double whole, rest, sum = 1;

	if (x < -700)
		return 0;
	whole = floor(x / ln2 + 0.5);
	rest = x - whole * ln2;
	for (int i = 16; i > 0; i--)
		sum = sum * rest / i + 1;
	return ldexp(sum, (int)whole);
}

/* x^-skew for x of at least 1. */
static double falling(double x, double skew)
{
	return e_to(-skew * ln(x));
}

static uint64_t of_2_64(double share)
{
	return share < 1 ? (uint64_t)(share * 0x1p64) : UINT64_MAX;
}

static uint64_t acceptance(uint64_t rank, const struct td_workload_cell *cell, double skew)
{
	return of_2_64(falling((double)(rank + 1) / (double)(cell->first + 1), skew));
}

static double cut(struct td_workload_zipf *z, uint64_t n, double *weights)
{
	double total = 0;
	uint64_t first = 0;

	for (uint32_t i = 0; first < n; i++) {
		uint64_t count = first < SINGLE_RANKS ? 1 : first / SINGLE_RANKS;
		struct td_workload_cell *cell = &z->cells[i];

		cell->first = first;
		cell->count = count < n - first ? count : n - first;
		first += cell->count;
		cell->sure = acceptance(first - 1, cell, z->skew);
		weights[i] = falling((double)(cell->first + 1), z->skew) * (double)cell->count;
		total += weights[i];
		z->n_cells = i + 1;
	}
	return total;
}

/* Vose's alias method: places of equal width; a cell lighter than a place shares it with one that
 * is heavier. weights are in places, and are used up. */
static void share_places(struct td_workload_zipf *z, double *weights)
{
	uint32_t light[TD_WORKLOAD_CELLS], heavy[TD_WORKLOAD_CELLS];
	uint32_t n_light = 0, n_heavy = 0;

	for (uint32_t i = 0; i < z->n_cells; i++) {
		z->cells[i].keep = UINT64_MAX;
		z->cells[i].other = i;
		if (weights[i] < 1)
			light[n_light++] = i;
		else
			heavy[n_heavy++] = i;
	}
	while (n_light && n_heavy) {
		uint32_t from = light[--n_light], to = heavy[n_heavy - 1];

		z->cells[from].keep = of_2_64(weights[from]);
		z->cells[from].other = to;
		weights[to] -= 1 - weights[from];
		if (weights[to] < 1) {
			n_heavy--;
			light[n_light++] = to;
		}
	}
}

void td_workload_zipf_make(struct td_workload_zipf *z, uint64_t n, double skew)
{
	double weights[TD_WORKLOAD_CELLS], total;

	z->skew = skew;
	total = cut(z, n, weights);
	for (uint32_t i = 0; i < z->n_cells; i++)
		weights[i] = weights[i] / total * z->n_cells;
	share_places(z, weights);
}

static uint64_t high(unsigned __int128 x)
{
	return (uint64_t)(x >> 64);
}

static uint64_t draw(const struct td_workload_zipf *z, uint64_t *random)
{
	for (;;) {
		unsigned __int128 place = (unsigned __int128)tide_random_next(random) * z->n_cells;
		const struct td_workload_cell *cell = &z->cells[high(place)];
		uint64_t rank, luck;

		if ((uint64_t)place >= cell->keep)
			cell = &z->cells[cell->other];
		rank = cell->first +
		       high((unsigned __int128)tide_random_next(random) * cell->count);
		luck = tide_random_next(random);
		if (__builtin_expect(luck < cell->sure, 1) ||
		    luck < acceptance(rank, cell, z->skew))
			return rank;
	}
}

void td_workload_zipf_draw(const struct td_workload_zipf *z, uint64_t *random, uint64_t *ranks,
			   size_t count)
{
	uint64_t state = *random;

	for (size_t i = 0; i < count; i++)
		ranks[i] = draw(z, &state);
	*random = state;
}

void td_workload_scatter_make(struct td_workload_scatter *s, uint64_t n, uint64_t seed)
{
	uint64_t random = tide_hash64(~seed);
	unsigned bits = n > 1 ? 64 - (unsigned)__builtin_clzll(n - 1) : 0;

	s->n = n;
	s->mask = (UINT64_C(1) << bits) - 1;
	s->shift = bits / 2 + 1;
	s->add = tide_random_next(&random);
	s->multiply[0] = tide_random_next(&random) | 1;
	s->multiply[1] = tide_random_next(&random) | 1;
	s->turn = 0;
}

/* Each step can be undone, so it permutes the numbers of that many bits; walking on from those
 * that are n or more leaves a permutation of the others. */
static uint64_t permute(const struct td_workload_scatter *s, uint64_t x)
{
	do {
		x = (x + s->add) & s->mask;
		x ^= x >> s->shift;
		x = (x * s->multiply[0]) & s->mask;
		x ^= x >> s->shift;
		x = (x * s->multiply[1]) & s->mask;
		x ^= x >> s->shift;
	} while (x >= s->n);
	x += s->turn;
	return x < s->n ? x : x - s->n;
}

void td_workload_scatter_pin(struct td_workload_scatter *s, uint64_t from, uint64_t to)
{
	uint64_t at = permute(s, from);

	s->turn = (s->turn + (to >= at ? to - at : to + s->n - at)) % s->n;
}

void td_workload_scatter_map(const struct td_workload_scatter *s, uint64_t base, uint64_t *numbers,
			     size_t count)
{
	for (size_t i = 0; i < count; i++)
		numbers[i] = base + permute(s, numbers[i]);
}
