/* wtinylfu beside a slow version with a sketch of one byte per counter and per bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "slow_help.h"

#define MOST (1 << 20)

static struct {
	const char *spec;
	uint64_t window, protected, sample; /* per cent, per cent, times near memory */
} with;

static struct line window, probation, protected;
static uint64_t capacity, window_most, protected_most;

/* ---- the sketch ---- */

static uint8_t counter[4][MOST], door[MOST];
static uint64_t row_size, door_size, sample, seen, turn[PAGES], turns;

static uint64_t power_of_two(uint64_t at_least)
{
	uint64_t n = 64;

	while (n < at_least)
		n *= 2;
	assert_true(n <= MOST);
	return n;
}

static uint64_t row_place(uint64_t page, unsigned row)
{
	return tide_hash64(tide_hash64(turn[page]) + row + 1) % row_size;
}

static uint64_t door_place(uint64_t page, unsigned i)
{
	uint64_t hash = tide_hash64(turn[page]);

	return (hash + i * (hash / 4294967296 | 1)) % door_size;
}

static bool at_door(uint64_t page)
{
	for (unsigned i = 0; i < 4; i++) {
		if (!door[door_place(page, i)])
			return false;
	}
	return true;
}

static unsigned least(uint64_t page)
{
	unsigned n = 15;

	for (unsigned r = 0; r < 4; r++) {
		if (counter[r][row_place(page, r)] < n)
			n = counter[r][row_place(page, r)];
	}
	return n;
}

static void count(uint64_t page)
{
	unsigned n = least(page);

	for (unsigned r = 0; n < 15 && at_door(page) && r < 4; r++) {
		if (counter[r][row_place(page, r)] == n)
			counter[r][row_place(page, r)]++;
	}
	for (unsigned i = 0; i < 4; i++)
		door[door_place(page, i)] = 1;
	if (++seen < sample)
		return;
	seen /= 2;
	memset(door, 0, sizeof door);
	for (unsigned r = 0; r < 4; r++) {
		for (uint64_t i = 0; i < row_size; i++)
			counter[r][i] /= 2;
	}
}

/* ---- the queues ---- */

static void begin(uint64_t near_pages)
{
	memset(counter, 0, sizeof counter);
	memset(door, 0, sizeof door);
	memset(turn, 0, sizeof turn);
	window.n = probation.n = protected.n = 0;
	seen = turns = 0;
	capacity = near_pages;
	window_most = near_pages * with.window / 100;
	window_most = window_most ? window_most : 1;
	protected_most = (near_pages - window_most) * with.protected / 100;
	sample = with.sample * near_pages;
	row_size = power_of_two(4 * near_pages);
	door_size = power_of_two(8 * sample);
}

static void hit_in_main(uint64_t page)
{
	line_append(&protected, page);
	if (protected.n > protected_most)
		line_append(&probation, line_pop(&protected));
}

/* The main part's victim is the first of the probationary pages; all are protected: of those. */
static uint64_t evict(void)
{
	struct line *main = probation.n ? &probation : &protected;

	if (main->n && least(window.at[0]) + at_door(window.at[0]) >
			       least(main->at[0]) + at_door(main->at[0])) {
		uint64_t victim = line_pop(main);
		line_append(&probation, line_pop(&window));
		return victim;
	}
	return line_pop(&window);
}

static uint64_t access(uint64_t page)
{
	uint64_t result = HIT;

	if (line_drop(&window, page)) {
		line_append(&window, page);
	} else if (line_drop(&probation, page) || line_drop(&protected, page)) {
		hit_in_main(page);
	} else {
		bool full = window.n + probation.n + protected.n == capacity;
		result = full ? evict() : ROOM;
		turn[page] = turn[page] ? turn[page] : ++turns;
		line_append(&window, page);
		if (window.n > window_most)
			line_append(&probation, line_pop(&window));
	}
	count(page);
	return result;
}

static void equals_the_slow_version(void **state)
{
	(void)state;
	with = (typeof(with)){"wtinylfu", 1, 80, 10};
	slow_runs(with.spec, begin, access);
	with = (typeof(with)){"wtinylfu:window=20,protected=50,sample=3", 20, 50, 3};
	slow_runs(with.spec, begin, access);
	with = (typeof(with)){"wtinylfu:window=100", 100, 80, 10};
	slow_runs(with.spec, begin, access);
	with = (typeof(with)){"wtinylfu:window=0,protected=100,sample=1", 0, 100, 1};
	slow_runs(with.spec, begin, access);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_slow_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
