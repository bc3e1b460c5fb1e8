/* leu with fixed statistics. What a page is worth depends on the ref that accessed it last and on
 * when, but not on the size of the cache. So leu is a stack algorithm (opt.c says how a stack is
 * repaired). But here the order of two pages changes as time goes by. So at every access, the page
 * on its way down must be compared with each page above the accessed page's place. The time per
 * access grows with the depth, which limits the number of pages that this method is good for.
 *
 *     worth of a page at age a = max over l of k(l) / (rest * (l - a)),      tide/rit.h
 *
 * Within a bin of ages, rest is fixed, and the best l never grows with a. If the best l is the same
 * at both ends of a bin, it is the same in between. So it is computed once per entry and bin. */
#include "leu.h"

#include "numbers.h"

struct page {
	uint64_t last; /* time of the last access */
	uint32_t entry;
	uint32_t place;
};

/* The best l of an entry at all ages of a bin. */
struct best {
	uint64_t k, rest;
	uint64_t l;
	enum { NOT_LOOKED_AT, SAME, CHANGES } state;
};

struct leu {
	struct td_mrc_numbers numbers;
	struct td_mrc_leu_config config;
	struct tide_vec pages; /* by number */
	struct tide_vec stack; /* uint32_t: numbers, top first */
	struct tide_vec bests; /* by entry and bin */
	uint64_t height;
	bool refs; /* some access had one */
	struct td_mrc_hist hist;
};

static int create(void *self, const void *config, struct tide_error *err)
{
	struct leu *l = self;
	l->config = *(const struct td_mrc_leu_config *)config;
	td_mrc_hist_init(&l->hist);
	tide_vec_init(&l->pages, sizeof(struct page));
	tide_vec_init(&l->stack, sizeof(uint32_t));
	tide_vec_init(&l->bests, sizeof(struct best));
	int rc = tide_vec_reserve(&l->bests, (uint64_t)l->config.table->n * TIDE_RIT_BINS);
	if (!rc)
		rc = tide_map_init(&l->numbers.map, 0);
	return rc ? td_mrc_no_memory(err) : 0;
}

/* ---- worth ---- */

static void look(const struct leu *l, uint32_t entry, unsigned bin, struct best *best)
{
	const struct tide_rit *t = l->config.table;
	uint64_t low = tide_rit_since(t, bin), high = tide_rit_since(t, bin + 1) - 1;
	struct tide_rit_worth young = tide_rit_worth_of(t, entry, low);
	struct tide_rit_worth old = tide_rit_worth_of(t, entry, high);
	bool same = low + young.ahead == high + old.ahead || !young.k;
	*best = (struct best){young.k, young.rest, low + young.ahead, same ? SAME : CHANGES};
}

static struct tide_rit_worth worth_of(const struct leu *l, const struct page *p, uint64_t now)
{
	uint64_t age = now - p->last;
	unsigned bin = tide_rit_past(l->config.table, age);
	if (p->entry == TIDE_NIL)
		return TIDE_RIT_WORTHLESS;
	struct best *best =
		(struct best *)(void *)l->bests.at + (size_t)p->entry * TIDE_RIT_BINS + bin;
	if (best->state == NOT_LOOKED_AT)
		look(l, p->entry, bin, best);
	if (best->state == CHANGES)
		return tide_rit_worth_of(l->config.table, p->entry, age);
	return best->k ? (struct tide_rit_worth){best->k, best->rest, best->l - age}
		       : TIDE_RIT_WORTHLESS;
}

/* ---- the stack ---- */

/* Carries the page on top down to the place. Of two pages, the one that is worth less is carried
 * on; if they are equal, the one that has waited longer. */
static void repair(struct leu *l, uint32_t on_top, uint64_t place, uint64_t now)
{
	struct page *pages = (struct page *)(void *)l->pages.at;
	uint32_t *stack = (uint32_t *)(void *)l->stack.at, carried = stack[0];
	struct tide_rit_worth worth = worth_of(l, &pages[carried], now);
	for (uint64_t i = 1; i < place; i++) {
		uint32_t here = stack[i];
		struct tide_rit_worth other = worth_of(l, &pages[here], now);
		int order = tide_rit_compare(other, worth);
		if (order > 0 || (!order && pages[here].last > pages[carried].last))
			continue;
		stack[i] = carried;
		pages[carried].place = (uint32_t)i;
		carried = here;
		worth = other;
	}
	stack[place] = carried;
	pages[carried].place = (uint32_t)place;
	stack[0] = on_top;
	pages[on_top].place = 0;
}

static void use(struct leu *l, uint32_t number, uint64_t key, uint64_t now)
{
	struct page *page = (struct page *)(void *)l->pages.at + number;
	uint64_t place = page->place;
	if (page->last) {
		td_mrc_hist_counts(&l->hist)[place]++;
	} else {
		l->hist.first++;
		place = l->height++;
	}
	if (place)
		repair(l, number, place, now);
	else
		*(uint32_t *)(void *)l->stack.at = number;
	page->last = now;
	page->entry = tide_rit_find(l->config.table, key);
}

static int see(void *self, const struct td_mrc_accesses *accesses, struct tide_error *err)
{
	struct leu *l = self;
	int rc = td_mrc_number(&l->numbers, accesses, err);
	uint64_t n = l->numbers.map.n;
	if (rc)
		return rc;
	if (l->config.most_pages && n > l->config.most_pages)
		return -E2BIG;
	if (tide_vec_reserve(&l->pages, n) || tide_vec_reserve(&l->stack, n) ||
	    td_mrc_hist_reserve(&l->hist, n))
		return td_mrc_no_memory(err);
	for (uint32_t i = 0; i < accesses->n; i++) {
		uint64_t key = l->config.by_page ? accesses->page[i] : accesses->ref[i];
		l->refs = l->refs || accesses->ref[i];
		use(l, l->numbers.index[i], key, accesses->before + accesses->at[i] + 1);
	}
	return 0;
}

/* ---- the rest of the method ---- */

static int answer(void *self, uint64_t accesses, struct td_mrc_point *at, size_t n,
		  struct tide_error *err)
{
	struct leu *l = self;
	(void)accesses;
	if (l->height && !l->refs && !l->config.by_page)
		return tide_fail(
			err, -EINVAL,
			"evict policy leu needs accesses with refs, and this input has none: "
			"record them with it, or add by=page");
	td_mrc_hist_answer(&l->hist, at, n);
	return 0;
}

static uint64_t distinct(const void *self)
{
	return ((const struct leu *)self)->numbers.map.n;
}

static void destroy(void *self)
{
	struct leu *l = self;
	tide_map_free(&l->numbers.map);
	tide_vec_free(&l->pages);
	tide_vec_free(&l->stack);
	tide_vec_free(&l->bests);
	td_mrc_hist_free(&l->hist);
}

const struct td_mrc_method td_mrc_leu = {
	.policy = "leu",
	.bytes = sizeof(struct leu),
	.create = create,
	.see = see,
	.answer = answer,
	.pages = distinct,
	.destroy = destroy,
};
