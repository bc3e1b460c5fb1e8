/* vmin and osl, against a memory that keeps every page for exactly as long as it is told. */
#include "mrc_help.h"

#define PAGES 30
#define LENGTH 300

struct used {
	uint64_t misses, room; /* room: pages in memory, summed over all accesses */
};

static uint32_t gap(const struct trace *t, uint32_t i)
{
	uint32_t next = i + 1;
	while (next < t->n && t->page[next] != t->page[i])
		next++;
	return next < t->n ? next - i : 0;
}

/* A page accessed at i stays for lease[i] accesses, its own included, or until its next one. */
static struct used run(const struct trace *t, const uint32_t *lease)
{
	uint32_t until[PAGES] = {0};
	struct used used = {0};
	for (uint32_t now = 0; now < t->n; now++) {
		/* until: the first access that no longer finds it. A lease that ends right before
		 * the next access is not enough, one that reaches it is. */
		used.misses += until[t->page[now]] <= now;
		until[t->page[now]] = now + lease[now] + 1;
		for (uint32_t p = 0; p < t->pages; p++)
			used.room += until[p] > now + 1 || p == t->page[now];
	}
	return used;
}

static struct used run_window(const struct trace *t, uint32_t window)
{
	uint32_t lease[LENGTH];
	for (uint32_t i = 0; i < t->n; i++)
		lease[i] = gap(t, i) && gap(t, i) <= window ? gap(t, i) : 1;
	return run(t, lease);
}

static void assert_answer(const struct td_mrc_point *p, const struct used *used, uint32_t n)
{
	assert_int_equal(p->misses, used->misses);
	assert_true(p->pages == (double)used->room / n);
}

static void test_vmin(void **state)
{
	struct trace t;
	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct td_mrc_point at[PAGES];
		double doubt;
		make_trace(&t, seed, LENGTH, (uint32_t)(seed * 3));
		make_curve(&td_mrc_vmin, NULL, 1, &t, at, PAGES, &doubt);
		for (uint32_t size = 1; size <= PAGES; size++) {
			struct used best = run_window(&t, 1);
			for (uint32_t w = 2; w <= t.n; w++) {
				struct used used = run_window(&t, w);
				if (used.room <= (uint64_t)size * t.n)
					best = used;
			}
			assert_answer(&at[size - 1], &best, t.n);
		}
	}
}

/* ---- leases by the definition ---- */

static struct used run_leases(const struct trace *t, const uint32_t *by_page)
{
	uint32_t lease[LENGTH];
	for (uint32_t i = 0; i < t->n; i++)
		lease[i] = by_page[t->page[i]];
	return run(t, lease);
}

/* The best next step of all pages and leases: -1, there is none. Of equal gains for a page the
 * longest, of equal gains of pages the one that needs least. */
static int best_step(const struct trace *t, uint32_t *by_page, const struct used *now,
		     uint32_t *longer)
{
	uint64_t best_hits = 0, best_room = 1;
	int best = -1;
	for (uint32_t p = 0; p < t->pages; p++) {
		uint32_t was = by_page[p], own_lease = 0;
		uint64_t hits = 0, room = 1;
		for (uint32_t lease = was + 1; lease <= t->n; lease++) {
			by_page[p] = lease;
			struct used u = run_leases(t, by_page);
			uint64_t more_hits = now->misses - u.misses, more_room = u.room - now->room;
			if (more_hits && more_hits * room >= hits * more_room) {
				hits = more_hits;
				room = more_room;
				own_lease = lease;
			}
		}
		by_page[p] = was;
		uint64_t a = hits * best_room, b = best_hits * room;
		if (hits && (a > b || (a == b && room < best_room))) {
			best = (int)p;
			best_hits = hits;
			best_room = room;
			*longer = own_lease;
		}
	}
	return best;
}

static void test_osl(void **state)
{
	struct trace t;
	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		uint32_t by_page[PAGES], longer = 0, size = 1;
		struct td_mrc_point at[PAGES];
		double doubt;
		make_trace(&t, seed, 70, (uint32_t)(seed * 4));
		make_curve(&td_mrc_osl, NULL, 1, &t, at, PAGES, &doubt);
		for (uint32_t p = 0; p < PAGES; p++)
			by_page[p] = 1;
		for (struct used now = run_leases(&t, by_page); size <= PAGES;) {
			int p = best_step(&t, by_page, &now, &longer);
			struct used next = now;
			if (p >= 0) {
				by_page[p] = longer;
				next = run_leases(&t, by_page);
			}
			for (; size <= PAGES && (p < 0 || next.room > (uint64_t)size * t.n); size++)
				assert_answer(&at[size - 1], &now, t.n);
			now = next;
		}
	}
}

/* What is known beforehand is worth more than what is likely, at every size used. */
static void test_order(void **state)
{
	struct td_mrc_point vmin[200], osl[200];
	struct trace *t = malloc(sizeof *t);
	double doubt;
	(void)state;
	make_trace(t, 5, 8000, 200);
	make_curve(&td_mrc_vmin, NULL, 1, t, vmin, 200, &doubt);
	make_curve(&td_mrc_osl, NULL, 1, t, osl, 200, &doubt);
	for (size_t i = 0; i < 200; i++) {
		assert_true(vmin[i].pages <= (double)(i + 1) && osl[i].pages <= (double)(i + 1));
		assert_true(vmin[i].misses <= osl[i].misses + 200); /* a window is all or nothing */
		assert_true(!i || vmin[i].misses <= vmin[i - 1].misses);
		assert_true(!i || osl[i].misses <= osl[i - 1].misses);
	}
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vmin),
		cmocka_unit_test(test_osl),
		cmocka_unit_test(test_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
