/* Which part deserves how much of near memory. Each part has its curve, the misses of lru by size.
 * The lower hull of a curve falls in straight steps, ever less steeply. All steps of all parts are
 * taken, the steepest first, until near memory is used up. If the curves are convex, so that the
 * hulls are the curves themselves, no other shares have fewer misses. */
#include <errno.h>
#include <stdlib.h>

#include "mrc/mrc.h"
#include "split.h"
#include "tide/sort.h"

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
	struct td_mrc_point *at = calloc(n, sizeof *at);
	if (!at)
		return no_memory(err);
	for (size_t i = 0; i < n; i++)
		at[i].pages = (double)(i + 1);
	int rc = measure(p, at, n, err);
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

/* What no curve asks for is for all. */
static void hand_out(struct td_lib_split *split, const struct steps *s, uint64_t left)
{
	const struct step *at = (const struct step *)(void *)s->at.at;
	for (uint64_t i = 0; i < s->n && left && at[i].saved; i++) {
		uint64_t pages = at[i].pages < left ? at[i].pages : left;
		split->part[at[i].part]->near_pages += pages;
		left -= pages;
	}
	for (uint32_t i = 0; i < split->n; i++)
		split->part[i]->near_pages += left / split->n + (i < left % split->n);
}

int td_lib_shares_lru(struct td_lib_split *split, uint64_t near_pages, struct tide_error *err)
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
