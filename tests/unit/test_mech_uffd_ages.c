/* The queue of tier 2: nobody is lost, and who leaves is one of the oldest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "mech/uffd/ages.h"
#include "tide/event.h"

#define QUEUED 2
#define OTHER 0x1d /* bits of the state that are not the queue's */

struct model {
	struct td_ages ages;
	uint8_t *states;
	uint64_t *came; /* turn; 0: not in the queue */
	uint32_t chunks;
	uint64_t turn, random;
};

static void begin(struct model *m, uint32_t chunks)
{
	*m = (struct model){.chunks = chunks, .random = 1};
	tide_vec_init(&m->ages.blocks, sizeof(uint32_t));
	assert_int_equal(td_ages_reserve(&m->ages, chunks), 0);
	m->states = calloc(chunks, 1);
	m->came = calloc(chunks, sizeof *m->came);
	assert_true(m->states && m->came);
	for (uint32_t i = 0; i < chunks; i++)
		m->states[i] = i & OTHER;
}

static void end(struct model *m)
{
	for (uint32_t i = 0; i < m->chunks; i++)
		assert_int_equal(m->states[i] & OTHER, i & OTHER);
	tide_vec_free(&m->ages.blocks);
	free(m->states);
	free(m->came);
}

static void put(struct model *m, uint32_t chunk)
{
	td_ages_put(&m->ages, m->states, m->chunks, chunk, QUEUED);
	m->came[chunk] = ++m->turn;
}

static void take(struct model *m, uint32_t chunk)
{
	td_ages_take(&m->ages, m->states, chunk, QUEUED);
	assert_false(m->states[chunk] & QUEUED);
	m->came[chunk] = 0;
}

static uint32_t oldest(struct model *m)
{
	uint32_t chunk = td_ages_oldest(&m->ages, m->states, m->chunks, QUEUED);
	assert_true(chunk < m->chunks);
	assert_int_not_equal(m->came[chunk], 0);
	return chunk;
}

static uint32_t below(struct model *m, uint32_t n)
{
	return (uint32_t)(tide_random_next(&m->random) % n);
}

/* How many came before it. */
static uint32_t rank(const struct model *m, uint32_t chunk)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->chunks; i++)
		n += m->came[i] && m->came[i] < m->came[chunk];
	return n;
}

/* As tier 2 is: one comes, the oldest leaves, some go back to near memory. */
static void goes_round(uint32_t chunks, uint32_t held)
{
	struct model m;
	begin(&m, chunks);
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t chunk = below(&m, chunks);
		if (!m.came[chunk])
			put(&m, chunk);
		else if (i % 4 == 0)
			take(&m, chunk);
		if (m.ages.n <= held)
			continue;
		chunk = oldest(&m);
		if (i % 64 == 0)
			assert_true(rank(&m, chunk) <= m.ages.n / 3 + 1);
		take(&m, chunk);
	}
	while (m.ages.n)
		take(&m, oldest(&m));
	for (uint32_t i = 0; i < chunks; i++)
		assert_int_equal(m.came[i], 0);
	end(&m);
}

static void the_oldest_leave(void **state)
{
	(void)state;
	goes_round(1, 0);
	goes_round(9, 3);
	goes_round(1000, 100);
	goes_round(5000, 2500);
	goes_round(5001, 7);
}

/* Those of one age leave by their numbers. */
static void in_the_order_of_numbers(void **state)
{
	struct model m;
	uint32_t last = 0;
	(void)state;
	begin(&m, 4000);
	for (uint32_t i = 4000; i--;)
		put(&m, i);
	uint32_t turns = 0;
	for (uint32_t i = 0; i < 4000; i++) {
		uint32_t chunk = oldest(&m);
		turns += chunk < last;
		last = chunk;
		take(&m, chunk);
	}
	assert_true(turns < 8);
	end(&m);
}

/* One that is put back when it was found does not keep the others from being found. */
static void each_is_found(void **state)
{
	struct model m;
	bool seen[100] = {false};
	(void)state;
	begin(&m, 100);
	for (uint32_t i = 0; i < 100; i++)
		put(&m, i);
	for (uint32_t i = 0; i < 100; i++) {
		uint32_t chunk = oldest(&m);
		assert_false(seen[chunk]);
		seen[chunk] = true;
		take(&m, chunk);
		put(&m, chunk);
	}
	end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_oldest_leave),
		cmocka_unit_test(in_the_order_of_numbers),
		cmocka_unit_test(each_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
