/* Which part deserves how much of near memory. Each part has its curve, the misses of lru by size.
 *
 * Where that is little work, all shares are tried, part by part: the best shares of the parts so
 * far in every number of pages follow from those without the last part.
 *
 * Else the lower hulls of the curves decide. A hull falls in straight steps, ever less steeply. All
 * steps of all parts are taken, the steepest first, until near memory is used up. If the curves are
 * convex, so that the hulls are the curves themselves, no other shares have fewer misses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mrc/mrc.h"
#include "split.h"
#include "tide/sort.h"

#define MOST_TRIALS (UINT64_C(1) << 28) /* below a second */
#define MOST_CHOICES (UINT64_C(1) << 24)

/* A step of a hull: so many pages more save so many misses. */
struct step {
	uint64_t pages, saved;
	uint32_t part;
};

struct steps {
	struct tide_vec at;
	uint64_t n;
};

static int no_memory(struct tide_error *err)
{
	return tide_fail(err, -ENOMEM, "out of memory for the curves of the parts");
}

static int measure(struct td_lib_part *p, struct td_mrc_point *at, size_t n, struct tide_error *err)
{
	struct tide_batch *batch = calloc(1, sizeof *batch);
	struct td_mrc *m = NULL;
	double doubt;
	int rc = batch ? td_mrc_open(&m, &td_mrc_lru, NULL, 1, err) : no_memory(err);
	while (!rc && !(rc = td_trace_next(&p->head, batch, err)) && batch->n)
		rc = td_mrc_batch(m, batch, err);
	if (!rc)
		rc = td_mrc_measure(m, at, n, &doubt, err);
	td_mrc_close(m);
	free(batch);
	return rc ? rc : p->head.ops->rewind(&p->head, err);
}

/* The curve of a part at the sizes 1 to n. */
static int measure_to(struct td_lib_part *p, struct td_mrc_point **curve, size_t n,
		      struct tide_error *err)
{
	struct td_mrc_point *at = *curve = calloc(n, sizeof *at);
	if (!at)
		return no_memory(err);
	for (size_t i = 0; i < n; i++)
		at[i].pages = (double)(i + 1);
	return measure(p, at, n, err);
}

/* What no curve asks for is for all. */
static void hand_out_rest(struct td_lib_split *split, uint64_t left)
{
	for (uint32_t i = 0; i < split->n; i++)
		split->part[i]->near_pages += left / split->n + (i < left % split->n);
}

/* ---- all shares ---- */

/* least[p]: the misses of the parts so far, if they have p pages together. before[p]: the same
 * without the last of them. share, a row per part: how many of the p pages are for it. */
struct trials {
	uint64_t *least, *before;
	uint32_t *share;
	uint64_t pages; /* that are divided: no part gets more than it touches */
};

static uint64_t of_use(const struct td_lib_part *p, uint64_t near_pages)
{
	return p->head.facts.pages < near_pages ? p->head.facts.pages : near_pages;
}

static bool is_little_work(const struct td_lib_split *split, uint64_t near_pages)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < split->n; i++)
		sum += of_use(split->part[i], near_pages);
	return near_pages < MOST_CHOICES / split->n && sum <= MOST_TRIALS / near_pages;
}

/* The parts before this one take at least a page each, and so does this one. */
static void try_shares(struct trials *t, uint32_t part, const struct td_mrc_point *curve, size_t n)
{
	uint32_t *share = t->share + part * (t->pages + 1);
	uint64_t *swap = t->before;
	t->before = t->least;
	t->least = swap;
	memset(t->least, 0xff, (t->pages + 1) * sizeof *t->least);
	for (size_t own = 1; own <= n; own++)
		for (uint64_t p = part + own; p <= t->pages; p++) {
			uint64_t before = t->before[p - own];
			if (before != UINT64_MAX && before + curve[own - 1].misses < t->least[p]) {
				t->least[p] = before + curve[own - 1].misses;
				share[p] = (uint32_t)own;
			}
		}
}

static int try_parts(struct td_lib_split *split, struct trials *t, struct tide_error *err)
{
	int rc = 0;
	for (uint32_t i = 0; i < split->n && !rc; i++) {
		size_t n = (size_t)of_use(split->part[i], t->pages);
		struct td_mrc_point *curve;
		rc = measure_to(split->part[i], &curve, n, err);
		if (!rc)
			try_shares(t, i, curve, n);
		free(curve);
	}
	return rc;
}

static void take_shares(struct td_lib_split *split, const struct trials *t)
{
	uint64_t left = t->pages;
	for (uint32_t i = split->n; i-- > 0;) {
		split->part[i]->near_pages = t->share[i * (t->pages + 1) + left];
		left -= split->part[i]->near_pages;
	}
}

static int best_shares(struct td_lib_split *split, uint64_t near_pages, struct tide_error *err)
{
	struct trials t = {.pages = 0};
	int rc = 0;
	for (uint32_t i = 0; i < split->n; i++)
		t.pages += of_use(split->part[i], near_pages);
	t.pages = t.pages < near_pages ? t.pages : near_pages;
	t.least = malloc((t.pages + 1) * sizeof *t.least);
	t.before = malloc((t.pages + 1) * sizeof *t.before);
	t.share = calloc(split->n * (t.pages + 1), sizeof *t.share);
	if (!t.least || !t.before || !t.share) {
		rc = no_memory(err);
	} else {
		memset(t.least, 0xff, (t.pages + 1) * sizeof *t.least);
		t.least[0] = 0;
		rc = try_parts(split, &t, err);
	}
	if (!rc) {
		take_shares(split, &t);
		hand_out_rest(split, near_pages - t.pages);
	}
	free(t.least);
	free(t.before);
	free(t.share);
	return rc;
}

/* ---- hulls ---- */

/* Is a page of step a worth more than one of step b? */
static bool steeper(const struct step *a, const struct step *b)
{
	return (unsigned __int128)a->saved * b->pages > (unsigned __int128)b->saved * a->pages;
}

/* The hull of a curve over the sizes 1 to n: a step that is steeper than the one before it joins
 * it. */
static int add_hull(struct steps *s, uint32_t part, const struct td_mrc_point *at, size_t n)
{
	uint64_t first = s->n;
	for (size_t i = 1; i < n; i++) {
		struct step step = {1, at[i - 1].misses - at[i].misses, part};
		struct step *all;
		for (all = (struct step *)(void *)s->at.at;
		     s->n > first && !steeper(&all[s->n - 1], &step); s->n--) {
			step.pages += all[s->n - 1].pages;
			step.saved += all[s->n - 1].saved;
		}
		if (tide_vec_reserve(&s->at, s->n + 1))
			return -ENOMEM;
		((struct step *)(void *)s->at.at)[s->n++] = step;
	}
	return 0;
}

static int add_curve(struct steps *s, uint32_t part, struct td_lib_part *p, struct tide_error *err)
{
	size_t n = (size_t)p->head.facts.pages;
	struct td_mrc_point *at;
	int rc = measure_to(p, &at, n, err);
	if (!rc && add_hull(s, part, at, n))
		rc = no_memory(err);
	free(at);
	return rc;
}

/* The steps of one part are in their order already: the order is total, and theirs. */
static int by_worth(const void *a, const void *b, void *arg)
{
	const struct step *x = a, *y = b;
	(void)arg;
	if (steeper(x, y) || steeper(y, x))
		return steeper(x, y) ? -1 : 1;
	return (x->part > y->part) - (x->part < y->part);
}

static void hand_out(struct td_lib_split *split, const struct steps *s, uint64_t left)
{
	const struct step *at = (const struct step *)(void *)s->at.at;
	for (uint64_t i = 0; i < s->n && left && at[i].saved; i++) {
		uint64_t pages = at[i].pages < left ? at[i].pages : left;
		split->part[at[i].part]->near_pages += pages;
		left -= pages;
	}
	hand_out_rest(split, left);
}

static int hull_shares(struct td_lib_split *split, uint64_t near_pages, struct tide_error *err)
{
	struct steps s = {.n = 0};
	int rc = 0;
	tide_vec_init(&s.at, sizeof(struct step));
	for (uint32_t i = 0; i < split->n && !rc; i++) {
		split->part[i]->near_pages = 1;
		rc = add_curve(&s, i, split->part[i], err);
	}
	if (!rc) {
		tide_sort(s.at.at, s.n, sizeof(struct step), by_worth, NULL);
		hand_out(split, &s, near_pages - split->n);
	}
	tide_vec_free(&s.at);
	return rc;
}

int td_lib_shares_lru(struct td_lib_split *split, uint64_t near_pages, struct tide_error *err)
{
	return is_little_work(split, near_pages) ? best_shares(split, near_pages, err)
						 : hull_shares(split, near_pages, err);
}
