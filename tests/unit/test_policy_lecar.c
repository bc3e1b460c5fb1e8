/* lecar beside a slow version, which draws the same random numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "slow_help.h"

static struct line recent, history[2]; /* of the LRU's and of the LFU's victims */
static uint64_t uses[PAGES], left[PAGES];
static uint64_t now, capacity, percent, seed;
static double weight[2], rate;

static void begin(uint64_t near_pages)
{
	memset(uses, 0, sizeof uses);
	recent.n = history[0].n = history[1].n = 0;
	now = 0;
	capacity = near_pages;
	weight[0] = weight[1] = 0.5;
	seed = 1; /* that of the engine */
}

static void regret(int expert, uint64_t page)
{
	double discount = pow(0.005, 1 / (double)capacity), sum;

	weight[!expert] *= exp(rate * pow(discount, (double)(now - left[page])));
	sum = weight[0] + weight[1];
	for (int i = 0; i < 2; i++)
		weight[i] = fmin(fmax(weight[i] / sum, 0.01), 0.99);
}

static void remember(int expert, uint64_t page)
{
	uint64_t most = capacity * percent / 100;

	if (!most) {
		uses[page] = 0;
		return;
	}
	if (history[expert].n == most)
		uses[line_pop(&history[expert])] = 0;
	line_append(&history[expert], page);
	left[page] = now;
}

static uint64_t evict(void)
{
	uint64_t lru = recent.at[0], lfu = lru;
	bool by_lru = ldexp((double)(tide_random_next(&seed) >> 11), -53) < weight[0];

	for (size_t i = 0; i < recent.n; i++) {
		uint64_t p = recent.at[i];
		if (uses[p] < uses[lfu] || (uses[p] == uses[lfu] && p < lfu))
			lfu = p;
	}
	line_drop(&recent, by_lru ? lru : lfu);
	if (lru == lfu)
		uses[lru] = 0;
	else
		remember(!by_lru, by_lru ? lru : lfu);
	return by_lru ? lru : lfu;
}

static uint64_t access(uint64_t p)
{
	uint64_t result = ROOM;

	now++;
	if (line_drop(&recent, p)) {
		result = HIT;
	} else {
		for (int expert = 0; expert < 2; expert++) {
			if (line_drop(&history[expert], p))
				regret(expert, p);
		}
		if (recent.n == capacity)
			result = evict();
	}
	uses[p]++;
	line_append(&recent, p);
	return result;
}

static void equals_the_slow_version(void **state)
{
	(void)state;
	rate = 0.45;
	percent = 50;
	slow_runs("lecar", begin, access);
	rate = 3;
	percent = 0;
	slow_runs("lecar:rate=3,history=0", begin, access);
	rate = 0.1;
	percent = 200;
	slow_runs("lecar:rate=0.1,history=200", begin, access);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_slow_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
