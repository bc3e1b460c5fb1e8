#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tide/event.h"
#include "tide/list.h"

#define ITEMS 40

/* The link is not first, and the items are wider than it: strides count. */
struct item {
	uint64_t other;
	struct tide_link link;
	uint32_t more;
};

struct bench {
	struct item items[ITEMS];
	struct tide_list list;
	uint32_t order[ITEMS]; /* what the list should be */
	uint32_t n;
};

static struct tide_links links(struct bench *b)
{
	return (struct tide_links){(unsigned char *)b->items + offsetof(struct item, link),
				   sizeof(struct item)};
}

static void check(struct bench *b)
{
	uint32_t at = b->list.head, prev = TIDE_NIL;

	assert_int_equal(b->list.n, b->n);
	for (uint32_t i = 0; i < b->n; i++) {
		assert_int_equal(at, b->order[i]);
		assert_int_equal(tide_link_at(links(b), at)->prev, prev);
		prev = at;
		at = tide_link_at(links(b), at)->next;
	}
	assert_int_equal(at, TIDE_NIL);
	assert_int_equal(b->list.tail, prev);
}

static uint32_t place_of(const struct bench *b, uint32_t item)
{
	uint32_t i = 0;

	while (i < b->n && b->order[i] != item)
		i++;
	return i;
}

static void insert(struct bench *b, uint32_t place, uint32_t item)
{
	memmove(&b->order[place + 1], &b->order[place], (b->n - place) * sizeof *b->order);
	b->order[place] = item;
	b->n++;
}

static void erase(struct bench *b, uint32_t place)
{
	b->n--;
	memmove(&b->order[place], &b->order[place + 1], (b->n - place) * sizeof *b->order);
}

static void put_in(struct bench *b, uint32_t item, uint64_t how, uint32_t place)
{
	uint32_t prev = place ? b->order[place - 1] : TIDE_NIL;
	uint32_t next = place < b->n ? b->order[place] : TIDE_NIL;

	if (how == 0) {
		tide_list_push_head(&b->list, links(b), item);
		insert(b, 0, item);
	} else if (how == 1) {
		tide_list_push_tail(&b->list, links(b), item);
		insert(b, b->n, item);
	} else {
		tide_list_between(&b->list, links(b), item, prev, next);
		insert(b, place, item);
	}
}

static void take_out(struct bench *b, uint32_t item, uint64_t how, uint32_t place)
{
	erase(b, place);
	if (how) {
		tide_list_remove(&b->list, links(b), item);
	} else {
		tide_list_to_tail(&b->list, links(b), item);
		insert(b, b->n, item);
	}
}

static void random_steps_keep_order(void **state)
{
	struct bench b = {0};
	uint64_t random = 1;

	(void)state;
	tide_list_init(&b.list);
	check(&b);
	for (int step = 0; step < 20000; step++) {
		uint32_t item = (uint32_t)(tide_random_next(&random) % ITEMS);
		uint64_t how = tide_random_next(&random) % 3;
		uint32_t place = place_of(&b, item);
		if (place < b.n)
			take_out(&b, item, how, place);
		else
			put_in(&b, item, how, (uint32_t)(tide_random_next(&random) % (b.n + 1)));
		check(&b);
	}
}

static void links_touch_nothing_else(void **state)
{
	struct bench b = {0};

	(void)state;
	memset(b.items, 0x5a, sizeof b.items);
	tide_list_init(&b.list);
	for (uint32_t i = 0; i < ITEMS; i++)
		tide_list_push_head(&b.list, links(&b), i);
	tide_list_remove(&b.list, links(&b), 7);
	for (uint32_t i = 0; i < ITEMS; i++) {
		assert_int_equal(b.items[i].other, UINT64_C(0x5a5a5a5a5a5a5a5a));
		assert_int_equal(b.items[i].more, 0x5a5a5a5a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_steps_keep_order),
		cmocka_unit_test(links_touch_nothing_else),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
