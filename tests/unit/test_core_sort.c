#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tide/event.h"
#include "tide/sort.h"

struct item {
	uint32_t key;
	unsigned char rest[7]; /* an odd size */
} __attribute__((packed));

static int by_key(const void *a, const void *b, void *arg)
{
	const struct item *x = a, *y = b;
	++*(uint64_t *)arg;
	return (x->key > y->key) - (x->key < y->key);
}

static void items_come_in_order_and_none_is_lost(void **state)
{
	static struct item items[1000];
	uint64_t seed = 1;
	(void)state;
	for (size_t n = 0; n <= 1000; n = n < 20 ? n + 1 : n * 2 + 1) {
		uint64_t sum = 0, compared = 0;
		for (size_t i = 0; i < n; i++) {
			items[i].key = (uint32_t)(tide_random_next(&seed) % (n + 1));
			memset(items[i].rest, (int)(items[i].key & 255), sizeof items[i].rest);
			sum += items[i].key;
		}
		tide_sort(items, n, sizeof *items, by_key, &compared);
		for (size_t i = 0; i < n; i++) {
			assert_true(i == 0 || items[i - 1].key <= items[i].key);
			assert_int_equal(items[i].rest[6], items[i].key & 255);
			sum -= items[i].key;
		}
		assert_int_equal(sum, 0);
		assert_true(compared <= 2 * n * 12); /* n log n, not n * n */
	}
}

/* A plan of thousands of chunks comes in order nearly always, upwards or downwards. */
static void what_is_in_order_takes_one_pass(void **state)
{
	static struct item items[1000];
	(void)state;
	for (int way = 0; way < 3; way++) {
		uint64_t compared = 0;
		for (uint32_t i = 0; i < 1000; i++)
			items[i].key = way == 0 ? i : way == 1 ? 1000 - i : (1000 - i) / 3;
		tide_sort(items, 1000, sizeof *items, by_key, &compared);
		for (size_t i = 1; i < 1000; i++)
			assert_true(items[i - 1].key <= items[i].key);
		assert_true(compared <= 2 * 1000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_come_in_order_and_none_is_lost),
		cmocka_unit_test(what_is_in_order_takes_one_pass),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
