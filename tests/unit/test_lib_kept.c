/* Accesses that are kept: what was added comes back, with indices that lead to its pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "lib/kept.h"

#define ACCESSES (2 * TIDE_BATCH + 100)

static uint64_t page_of(uint64_t i)
{
	return tide_hash64(i * i % 977) >> 8; /* sparse, and some more often than others */
}

static void add_all(struct td_lib_kept *k, struct tide_batch *from)
{
	for (uint64_t i = 0; i < ACCESSES; i++) {
		from->page[5] = page_of(i);
		from->ref[5] = i % 3;
		from->stream[5] = i % 5;
		from->write[5] = i % 2;
		assert_int_equal(td_lib_kept_add(k, from, 5, i / 10), 0);
	}
	assert_int_equal(k->accesses, ACCESSES);
	assert_int_equal(td_lib_kept_number(k), 0);
}

static void test_comes_back(void **state)
{
	struct tide_batch *from = calloc(1, sizeof *from);
	struct td_lib_kept k;
	(void)state;
	from->object = calloc(1, sizeof *from->object);
	assert_int_equal(td_lib_kept_init(&k), 0);
	add_all(&k, from);
	const uint64_t *number = (const uint64_t *)(void *)k.space.numbers.at;
	for (uint64_t i = 0; i < ACCESSES; i++) {
		const struct td_lib_kept_batch *b = k.at[i / TIDE_BATCH];
		uint32_t at = i % TIDE_BATCH;
		assert_true(at < b->events.n);
		assert_int_equal(b->events.page[at], page_of(i));
		assert_int_equal(b->events.ref[at], i % 3);
		assert_int_equal(b->events.stream[at], i % 5);
		assert_int_equal(b->events.write[at], i % 2);
		assert_int_equal(b->events.object->first[at], i >= 10 && i % 10 == 0);
		assert_int_equal(number[b->index[at]], page_of(i));
		assert_int_equal(td_space_find(&k.space, page_of(i)), b->index[at]);
	}
	td_lib_kept_free(&k);
	free(from->object);
	free(from);
}

static void test_hot_pages_come_first(void **state)
{
	struct tide_batch *from = calloc(1, sizeof *from);
	uint64_t uses[ACCESSES] = {0};
	struct td_lib_kept k;
	(void)state;
	assert_int_equal(td_lib_kept_init(&k), 0);
	add_all(&k, from);
	for (size_t i = 0; i < k.n; i++)
		for (uint32_t j = 0; j < k.at[i]->events.n; j++)
			uses[k.at[i]->index[j]]++;
	assert_true(k.space.n > 100);
	for (uint32_t i = 1; i < k.space.n; i++)
		assert_true(uses[i] <= uses[i - 1]);
	assert_null(k.at[0]->events.object); /* an input without groups */
	td_lib_kept_free(&k);
	free(from);
}

static void test_nothing(void **state)
{
	struct td_lib_kept k;
	(void)state;
	assert_int_equal(td_lib_kept_init(&k), 0);
	assert_int_equal(td_lib_kept_number(&k), 0);
	assert_int_equal(k.space.n, 0);
	td_lib_kept_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_comes_back),
		cmocka_unit_test(test_hot_pages_come_first),
		cmocka_unit_test(test_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
