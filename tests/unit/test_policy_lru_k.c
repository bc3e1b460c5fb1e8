/* lru-k beside a slow version, which follows the pseudocode of the paper. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "slow_help.h"

static struct {
	const char *spec;
	unsigned k;
	uint64_t correlated, retain;
} with;

static uint64_t hist[PAGES][9], last[PAGES]; /* hist[p][1] is the newest */
static bool here[PAGES];
static uint64_t now, resident, capacity;

static void begin(uint64_t near_pages)
{
	memset(hist, 0, sizeof hist);
	memset(last, 0, sizeof last);
	memset(here, 0, sizeof here);
	now = resident = 0;
	capacity = near_pages;
}

static bool leaves_before(uint64_t a, uint64_t b)
{
	if (hist[a][with.k] != hist[b][with.k])
		return hist[a][with.k] < hist[b][with.k];
	return last[a] < last[b];
}

static uint64_t victim_among(bool only_uncorrelated)
{
	uint64_t victim = ROOM;

	for (uint64_t q = 0; q < PAGES; q++) {
		if (!here[q] || (only_uncorrelated && now - last[q] <= with.correlated))
			continue;
		if (victim == ROOM || leaves_before(q, victim))
			victim = q;
	}
	return victim;
}

static void hit(uint64_t p)
{
	if (now - last[p] > with.correlated) {
		uint64_t period = last[p] - hist[p][1];
		for (unsigned i = with.k; i > 1; i--)
			hist[p][i] = hist[p][i - 1] ? hist[p][i - 1] + period : 0;
		hist[p][1] = now;
	}
	last[p] = now;
}

static uint64_t access(uint64_t p)
{
	uint64_t victim = ROOM;

	now++;
	if (here[p]) {
		hit(p);
		return HIT;
	}
	if (resident == capacity) {
		victim = victim_among(true);
		victim = victim == ROOM ? victim_among(false) : victim;
		here[victim] = false;
		resident--;
	}
	if (with.retain && now - last[p] > with.retain)
		memset(hist[p], 0, sizeof hist[p]);
	for (unsigned i = with.k; i > 1; i--)
		hist[p][i] = hist[p][i - 1];
	hist[p][1] = last[p] = now;
	here[p] = true;
	resident++;
	return victim;
}

static void equals_the_slow_version(void **state)
{
	(void)state;
	with = (typeof(with)){"lru-k", 2, 0, 0};
	slow_runs(with.spec, begin, access);
	with = (typeof(with)){"lru-k:k=1", 1, 0, 0};
	slow_runs(with.spec, begin, access);
	with = (typeof(with)){"lru-k:k=3,retain=200", 3, 0, 200};
	slow_runs(with.spec, begin, access);
	with = (typeof(with)){"lru-k:correlated=5", 2, 5, 0};
	slow_runs(with.spec, begin, access);
	with = (typeof(with)){"lru-k:k=8,correlated=30,retain=90", 8, 30, 90};
	slow_runs(with.spec, begin, access);
}

/* Pages 1 and 2 are used twice each, then a scan passes by. LRU would lose them. */
static void a_scan_passes_by(void **state)
{
	struct td_engine_config config = config_of(1, 4);
	struct td_engine *e;

	(void)state;
	config.evict = named("lru-k", TIDE_EVICT);
	config.prefetch = named("none", TIDE_PREFETCH);
	e = start(&config);
	for (int i = 0; i < 4; i++)
		read_page(e, 1 + (uint64_t)i % 2);
	for (uint64_t p = 10; p < 30; p++)
		read_page(e, p);
	assert_true(is_resident(e, 1));
	assert_true(is_resident(e, 2));
	assert_true(is_resident(e, 29));
	td_engine_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_slow_version),
		cmocka_unit_test(a_scan_passes_by),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
