/* cacheus beside a slow version, which draws the same random numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "slow_help.h"

static struct line s, q, history[2]; /* of SR-LRU's and of CR-LFU's victims */
static uint64_t uses[PAGES], used[PAGES];
static bool is_new[PAGES], is_demoted[PAGES];
static int64_t s_most, q_most, capacity;
static uint64_t now, seed;
static double weight;

static double chance(void)
{
	return ldexp((double)(tide_random_next(&seed) >> 11), -53);
}

/* ---- the learning rate ---- */

static struct {
	double rate, reset, last, before_last, hit_ratio;
	int hits, zero, negative;
} learning;

static double digits3(double x)
{
	return round(x * 1000) / 1000;
}

static void no_direction(double hit_ratio, double change)
{
	learning.zero += change < 0 || (hit_ratio == 0 && change == 0);
	learning.negative += change < 0;
	if (learning.zero >= 10) {
		learning.zero = 0;
		learning.rate = learning.reset;
	} else if (change < 0 && learning.negative >= 10) {
		learning.negative = 0;
		learning.rate = learning.reset;
	} else if (change < 0) {
		if (learning.rate >= 1)
			learning.rate = 0.9;
		else if (learning.rate <= 0.001)
			learning.rate = 0.005;
		else if (chance() < 0.5)
			learning.rate = fmin(learning.rate * 1.25, 1);
		else
			learning.rate = fmax(learning.rate * 0.75, 0.001);
	}
}

static void end_of_period(void)
{
	double hit_ratio = digits3(learning.hits / (double)capacity);
	double change = digits3(hit_ratio - learning.hit_ratio);
	double step = digits3(learning.last) - digits3(learning.before_last);

	if ((change > 0 && step > 0) || (change < 0 && step < 0))
		learning.rate = fmin(learning.rate + fabs(learning.rate * step), 1);
	else if ((change > 0 && step < 0) || (change < 0 && step > 0))
		learning.rate = fmax(learning.rate - fabs(learning.rate * step), 0.001);
	else if (change <= 0)
		no_direction(hit_ratio, change);
	if (change != 0 && step != 0)
		learning.zero = learning.negative = 0;
	learning.before_last = learning.last;
	learning.last = learning.rate;
	learning.hit_ratio = hit_ratio;
	learning.hits = 0;
}

/* ---- the queues ---- */

static void begin(uint64_t near_pages)
{
	double rate = sqrt(2 * log(2) / (double)near_pages);

	memset(uses, 0, sizeof uses);
	memset(is_new, 0, sizeof is_new);
	memset(is_demoted, 0, sizeof is_demoted);
	s.n = q.n = history[0].n = history[1].n = 0;
	capacity = (int64_t)near_pages;
	q_most = (capacity + 50) / 100;
	q_most = q_most ? q_most : 1;
	s_most = capacity - q_most;
	learning = (typeof(learning)){.rate = rate, .last = rate};
	learning.reset = fmin(fmax(rate, 0.001), 1);
	now = 0;
	weight = 0.5;
	seed = 1; /* that of the engine */
}

static int64_t demoted_in_q(void)
{
	int64_t n = 0;

	for (size_t i = 0; i < q.n; i++)
		n += is_demoted[q.at[i]];
	return n;
}

static int64_t new_in_history(void)
{
	int64_t n = 0;

	for (size_t i = 0; i < history[0].n; i++)
		n += is_new[history[0].at[i]];
	return n;
}

static int64_t growth(int64_t by, int64_t of)
{
	return (int64_t)fmax(1, floor((double)by / fmax((double)of, 1) + 0.5));
}

static void demote(void)
{
	uint64_t p = line_pop(&s);

	is_demoted[p] = true;
	line_append(&q, p);
}

static void hit(uint64_t p)
{
	uses[p]++;
	used[p] = now;
	if (line_drop(&s, p)) {
		line_append(&s, p);
		return;
	}
	if (is_demoted[p]) {
		int64_t to = s_most + growth(new_in_history(), demoted_in_q());
		s_most = to < capacity - 1 ? to : capacity - 1;
		q_most = capacity - s_most;
		is_demoted[p] = false;
	}
	line_drop(&q, p);
	if (s.n && (int64_t)s.n >= s_most)
		demote();
	line_append(&s, p);
}

/* CR-LFU: fewest uses; of those, the most recently used. */
static bool churns(uint64_t a, uint64_t b)
{
	return uses[a] != uses[b] ? uses[a] < uses[b] : used[a] > used[b];
}

static uint64_t evict(void)
{
	uint64_t sr_lru = q.n ? q.at[0] : s.at[0], cr_lfu = sr_lru, victim;
	bool by_lru = chance() < weight;

	for (uint64_t p = 0; p < PAGES; p++) {
		if ((line_has(&s, p) || line_has(&q, p)) && churns(p, cr_lfu))
			cr_lfu = p;
	}
	victim = by_lru ? sr_lru : cr_lfu;
	line_drop(&s, victim);
	line_drop(&q, victim);
	is_demoted[victim] = false;
	if (sr_lru == cr_lfu || capacity < 2) {
		uses[victim] = 0;
		return victim;
	}
	if ((int64_t)history[!by_lru].n == capacity / 2)
		uses[line_pop(&history[!by_lru])] = 0;
	line_append(&history[!by_lru], victim);
	return victim;
}

static void blame(int expert)
{
	double w[2] = {weight, 1 - weight};

	w[expert] *= exp(-learning.rate);
	weight = fmin(fmax(w[0] / (w[0] + w[1]), 0.01), 0.99);
}

static uint64_t come_back(int expert, uint64_t p)
{
	uint64_t victim = ROOM;

	line_drop(&history[expert], p);
	if (expert == 0 && is_new[p]) {
		int64_t to = q_most + growth(demoted_in_q(), new_in_history());
		q_most = to < capacity - 1 ? to : capacity - 1;
		s_most = capacity - q_most;
	}
	blame(expert);
	if ((int64_t)(s.n + q.n) == capacity)
		victim = evict();
	is_new[p] = false;
	line_append(&s, p);
	return victim;
}

static uint64_t miss(uint64_t p)
{
	uint64_t victim = ROOM;

	uses[p] = 1;
	if ((int64_t)s.n < s_most && !q.n) {
		is_new[p] = false;
		line_append(&s, p);
		return ROOM;
	}
	if ((int64_t)(s.n + q.n) < capacity && (int64_t)q.n < q_most) {
		is_new[p] = false;
		line_append(&q, p);
		return ROOM;
	}
	if ((int64_t)(s.n + q.n) == capacity)
		victim = evict();
	is_new[p] = true;
	line_append(&q, p);
	return victim;
}

static uint64_t access(uint64_t p)
{
	uint64_t result;
	bool filling = (int64_t)(s.n + q.n) < capacity;

	if (++now % (uint64_t)capacity == 0)
		end_of_period();
	if (line_has(&s, p) || line_has(&q, p)) {
		hit(p);
		learning.hits++;
		return HIT;
	}
	if (line_has(&history[0], p))
		result = come_back(0, p);
	else if (line_has(&history[1], p))
		result = come_back(1, p);
	else
		result = miss(p);
	used[p] = now;
	while ((!filling || is_new[p]) && s.n && (int64_t)s.n >= s_most)
		demote();
	return result;
}

static void equals_the_slow_version(void **state)
{
	(void)state;
	slow_runs("cacheus", begin, access);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_slow_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
