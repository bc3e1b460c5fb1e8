#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tide/event.h"
#include "tide/order.h"

#define CHUNKS 5000

/* The place comes first, and the slots are wider than it: strides count. */
struct slot {
	uint32_t place, other;
};

struct bench {
	struct slot slots[CHUNKS];
	unsigned char bits[4 * CHUNKS];
	struct tide_near near;
	struct tide_view view;
	struct tide_order order;
	uint32_t model[CHUNKS]; /* the oldest first */
	uint32_t n;
};

static struct tide_links slots(struct bench *b)
{
	return (struct tide_links){(unsigned char *)b->slots, sizeof(struct slot)};
}

static void begin(struct bench *b, uint64_t expected)
{
	memset(b, 0, sizeof *b);
	b->near = (struct tide_near){.chunk_pages = 1,
				     .chunks = CHUNKS,
				     .bits = b->bits,
				     .lane_bytes = 1,
				     .record_shift = 2,
				     .fault_chunk = TIDE_NO_CHUNK};
	b->view.near = &b->near;
	assert_int_equal(tide_order_init(&b->order, expected), 0);
}

static void model_remove(struct bench *b, uint32_t chunk)
{
	uint32_t i = 0;
	while (i < b->n && b->model[i] != chunk)
		i++;
	if (i == b->n)
		return;
	memmove(&b->model[i], &b->model[i + 1], (b->n - i - 1) * sizeof *b->model);
	b->n--;
}

static void put(struct bench *b, uint32_t chunk)
{
	model_remove(b, chunk);
	b->model[b->n++] = chunk;
	tide_order_put(&b->order, slots(b), chunk);
}

static void take(struct bench *b, uint32_t chunk)
{
	model_remove(b, chunk);
	tide_order_remove(&b->order, slots(b), chunk);
}

/* With the chunk that may not be the victim at either end. */
static void check_ends(struct bench *b)
{
	uint32_t n = b->n;
	assert_int_equal(b->order.n, n);
	if (n < 2)
		return;
	assert_int_equal(tide_order_first(&b->order, slots(b), &b->view).index, b->model[0]);
	assert_int_equal(tide_order_oldest(&b->order, slots(b), &b->view).index, b->model[0]);
	assert_int_equal(tide_order_newest(&b->order, slots(b), &b->view).index, b->model[n - 1]);
	b->near.fault_chunk.index = b->model[0];
	assert_int_equal(tide_order_oldest(&b->order, slots(b), &b->view).index, b->model[1]);
	b->near.fault_chunk.index = b->model[n - 1];
	assert_int_equal(tide_order_newest(&b->order, slots(b), &b->view).index, b->model[n - 2]);
	b->near.fault_chunk = TIDE_NO_CHUNK;
}

/* Few chunks and many moves: the log is packed over and over. Then more and more chunks, so that it
 * grows beyond what was reserved. */
static void random_moves(void **state)
{
	static struct bench b;
	uint64_t random = 7;
	(void)state;
	begin(&b, 10);
	for (uint32_t i = 0; i < 200000; i++) {
		uint32_t range = i < 50000 ? 8 : 8 + (i - 50000) / 50;
		uint32_t chunk = (uint32_t)(tide_random_next(&random) % range);
		if (tide_random_next(&random) % 8)
			put(&b, chunk);
		else
			take(&b, chunk);
		if (i % 16 == 0)
			check_ends(&b);
	}
	assert_true(b.n > 1024);
	while (b.n) {
		check_ends(&b);
		take(&b, b.model[0]);
	}
	tide_order_free(&b.order);
}

/* Two orders that share slots. In each, the entries before the mark are ghosts: a chunk that moves
 * becomes resident, and the oldest resident chunk becomes the newest ghost. */
#define ORDERS 2
struct marked {
	struct tide_order order;
	uint32_t model[CHUNKS], n, ghosts;
};

static void model_leave(struct marked *m, uint32_t chunk)
{
	for (uint32_t i = 0; i < m->n; i++) {
		if (m->model[i] != chunk)
			continue;
		memmove(&m->model[i], &m->model[i + 1], (m->n - i - 1) * sizeof *m->model);
		m->n--;
		m->ghosts -= i < m->ghosts;
		return;
	}
}

static void move_between(struct bench *b, struct marked *from, struct marked *to, uint32_t chunk)
{
	model_leave(from, chunk);
	tide_order_remove(&from->order, slots(b), chunk);
	to->model[to->n++] = chunk;
	tide_order_put(&to->order, slots(b), chunk);
}

static void check_marked(struct bench *b, struct marked *m)
{
	uint32_t first = m->n ? m->model[0] : TIDE_NIL;
	uint32_t here = m->n > m->ghosts ? m->model[m->ghosts] : TIDE_NIL;
	assert_int_equal(m->order.n, m->n);
	assert_int_equal(tide_order_first(&m->order, slots(b), &b->view).index, first);
	assert_int_equal(tide_order_marked(&m->order, slots(b), &b->view).index, here);
	if (m->n < m->ghosts + 2)
		return;
	b->near.fault_chunk.index = here;
	assert_int_equal(tide_order_marked(&m->order, slots(b), &b->view).index,
			 m->model[m->ghosts + 1]);
	b->near.fault_chunk = TIDE_NO_CHUNK;
}

static void marks_divide_orders_that_share_slots(void **state)
{
	static struct bench b;
	static struct marked m[ORDERS];
	static uint8_t in[CHUNKS]; /* 1 + the order */
	uint64_t random = 11;
	(void)state;
	begin(&b, 10);
	for (unsigned i = 0; i < ORDERS; i++)
		assert_int_equal(tide_order_init_one(&m[i].order, 100, i), 0);
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t chunk = (uint32_t)(tide_random_next(&random) % (8 + i / 100));
		unsigned to = (unsigned)(tide_random_next(&random) % ORDERS);
		struct marked *other = &m[tide_random_next(&random) % ORDERS];
		move_between(&b, &m[in[chunk] ? in[chunk] - 1u : to], &m[to], chunk);
		in[chunk] = (uint8_t)(to + 1);
		if (i % 3 == 0 &&
		    tide_order_marked(&other->order, slots(&b), &b.view).index != TIDE_NIL) {
			other->order.mark++;
			other->ghosts++;
		}
		check_marked(&b, &m[i % ORDERS]);
	}
	assert_true(m[0].ghosts > 10 && m[1].n > 400);
	for (unsigned i = 0; i < ORDERS; i++)
		tide_order_free(&m[i].order);
	tide_order_free(&b.order);
}

static void empty(void **state)
{
	static struct bench b;
	(void)state;
	begin(&b, 0);
	assert_int_equal(tide_order_oldest(&b.order, slots(&b), &b.view).index, TIDE_NIL);
	assert_int_equal(tide_order_newest(&b.order, slots(&b), &b.view).index, TIDE_NIL);
	take(&b, 3);
	assert_int_equal(b.order.n, 0);
	put(&b, 3);
	assert_int_equal(tide_order_oldest(&b.order, slots(&b), &b.view).index, 3);
	b.near.fault_chunk.index = 3;
	assert_int_equal(tide_order_oldest(&b.order, slots(&b), &b.view).index, TIDE_NIL);
	assert_int_equal(tide_order_newest(&b.order, slots(&b), &b.view).index, TIDE_NIL);
	tide_order_free(&b.order);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_moves),
		cmocka_unit_test(marks_divide_orders_that_share_slots),
		cmocka_unit_test(empty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
