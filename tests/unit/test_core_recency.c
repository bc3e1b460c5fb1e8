#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/recency.h"
#include "tide/event.h"

/* The list itself, most recent first. */
struct plain {
	uint32_t *at;
	uint32_t n;
};

static uint64_t plain_touch(struct plain *p, uint32_t i)
{
	uint32_t place = 0;
	while (place < p->n && p->at[place] != i)
		place++;
	uint64_t others = place < p->n ? place : TD_RECENCY_FIRST;
	p->n += place == p->n;
	memmove(p->at + 1, p->at, place * sizeof *p->at);
	p->at[0] = i;
	return others;
}

static void touch_both(struct td_recency *r, struct plain *p, uint32_t i)
{
	uint64_t others = plain_touch(p, i);
	assert_int_equal(td_recency_reserve(r, i + 1), 0);
	assert_int_equal(td_recency_touch(r, i), others);
}

/* Few things and many touches, so that slots run out again and again; and many things, so that
 * there must be more slots. */
static void test_like_a_list(void **state)
{
	static const struct {
		uint32_t things;
		unsigned touches;
	} shapes[] = {{1, 70000}, {2, 140000}, {100, 300000}, {3000, 200000}, {20000, 60000}};
	(void)state;
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
		struct plain p = {calloc(shapes[s].things, sizeof(uint32_t)), 0};
		uint64_t random = s;
		struct td_recency r;
		assert_int_equal(td_recency_init(&r), 0);
		for (unsigned t = 0; t < shapes[s].touches; t++) {
			/* The square makes some things more frequent than others. */
			uint64_t x = tide_random_next(&random) % shapes[s].things;
			uint64_t y = tide_random_next(&random) % shapes[s].things;
			touch_both(&r, &p, (uint32_t)(x * y / shapes[s].things));
		}
		td_recency_free(&r);
		free(p.at);
	}
}

/* In turn: the distance is always all others, also over the border where slots run out. */
static void test_in_turn(void **state)
{
	struct td_recency r;
	const uint32_t n = 40000;
	(void)state;
	assert_int_equal(td_recency_init(&r), 0);
	assert_int_equal(td_recency_reserve(&r, n), 0);
	for (unsigned round = 0; round < 12; round++)
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(td_recency_touch(&r, i), round ? n - 1 : TD_RECENCY_FIRST);
	td_recency_free(&r);
}

static void test_too_many(void **state)
{
	struct td_recency r;
	(void)state;
	assert_int_equal(td_recency_init(&r), 0);
	assert_int_equal(td_recency_reserve(&r, (UINT64_C(1) << 30) + 1), -EOVERFLOW);
	assert_int_equal(td_recency_reserve(&r, 1), 0);
	assert_int_equal(td_recency_touch(&r, 0), TD_RECENCY_FIRST);
	td_recency_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_like_a_list),
		cmocka_unit_test(test_in_turn),
		cmocka_unit_test(test_too_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
