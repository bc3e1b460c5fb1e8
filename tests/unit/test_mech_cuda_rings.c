/* Rings of the GPU runtime by hand, as warps fill them: order, gaps, nonsense. */
#include "cuda_help.h"

#include "mech/cuda/runtime.h"

#define PAGES 64u

struct fixture {
	char path[64];
	struct tide_gpu *g;
	struct tide_span span;
};

static void set_up(struct fixture *f, const char *inject, const char *transfer)
{
	struct tide_error err;
	struct tide_gpu_options o = {.size = sizeof o,
				     .near_size = "64p",
				     .page = "4K",
				     .staging = "32p",
				     .address = "256p",
				     .place = "bam",
				     .transfer = transfer,
				     .proxies = "1",
				     .inject = inject};
	struct tide_gpu_array_options how = {.size = sizeof how, .path = f->path, .writable = true};
	make_file(f->path, PAGES * PAGE);
	assert_ok(gpu->open(&f->g, &o, &err), &err);
	assert_ok(gpu->array(f->g, &f->span, 0, &how, &err), &err);
}

static void tear_down(struct fixture *f)
{
	struct tide_error err;
	assert_ok(gpu->close(f->g, &err), &err);
	unlink(f->path);
}

static uint64_t *slot_at(struct fixture *f, uint32_t slot)
{
	return (uint64_t *)(void *)(f->g->control.host_memory + slot * PAGE);
}

static void fill(uint64_t *at, uint64_t value)
{
	for (unsigned i = 0; i < WORDS; i++)
		at[i] = value;
}

static void post(struct fixture *f, uint32_t queue, enum td_dev_op op, uint32_t page, uint32_t slot,
		 uint32_t frame)
{
	struct td_dev_control *c = f->g->on_gpu;
	td_dev_pending(c, slot);
	assert_true(td_dev_post(c, queue, op, page, slot, frame));
}

static int outcome(struct fixture *f, uint32_t slot)
{
	return td_dev_await(f->g->on_gpu, slot, 0, TD_DEV_READ);
}

/* Many writes of one page, and a read between them: each sees the one before it. */
static void test_order(void **state)
{
	struct fixture f;
	struct tide_error err;
	(void)state;
	set_up(&f, NULL, NULL);
	for (unsigned round = 0; round < 40; round++) {
		assert_ok(gpu->begin(f.g, 1, 1, &err), &err);
		for (uint32_t slot = 0; slot < 24; slot++) {
			bool read = slot % 3 == 2;
			fill(slot_at(&f, slot), read ? 0 : round * 100 + slot);
			post(&f, 0, read ? TD_DEV_READ : TD_DEV_WRITE, 5, slot, 0);
		}
		for (uint32_t slot = 0; slot < 24; slot++)
			assert_int_equal(outcome(&f, slot), TD_DEV_DONE);
		for (uint32_t slot = 2; slot < 24; slot += 3)
			for (unsigned i = 0; i < WORDS; i++)
				assert_int_equal(slot_at(&f, slot)[i], round * 100 + slot - 1);
		assert_ok(gpu->end(f.g, &err), &err);
	}
	tear_down(&f);
}

/* A warp that gave up after it took a ticket leaves a gap, which holds up nobody after the launch.
 */
static void test_gap(void **state)
{
	struct fixture f;
	struct tide_error err;
	(void)state;
	set_up(&f, NULL, NULL);
	for (unsigned round = 0; round < 3; round++) {
		assert_ok(gpu->begin(f.g, 1, 1, &err), &err);
		td_dev_add(&f.g->on_gpu->queue[0].tail, 2);
		post(&f, 0, TD_DEV_READ, 7, 1, 0);
		assert_ok(gpu->end(f.g, &err), &err);
		assert_int_equal(outcome(&f, 1), TD_DEV_DONE);
		assert_int_equal(slot_at(&f, 1)[0], word_at(7, 0));
		fill(slot_at(&f, 1), 0);
	}
	tear_down(&f);
}

static void test_nonsense(void **state)
{
	struct fixture f;
	struct tide_error err;
	(void)state;
	set_up(&f, NULL, NULL);
	assert_ok(gpu->begin(f.g, 1, 1, &err), &err);
	post(&f, 0, TD_DEV_READ, PAGES + 3, 0, 0);
	post(&f, 0, TD_DEV_COPY_IN, 1, 1, 0);
	assert_true(td_dev_post(f.g->on_gpu, 0, TD_DEV_READ, 1, UINT32_MAX, 0));
	assert_int_equal(outcome(&f, 0), -EINVAL);
	assert_int_equal(outcome(&f, 1), -EINVAL);
	assert_int_equal(gpu->end(f.g, &err), -EINVAL);
	assert_says(&err, "page 67, which no array has");
	tear_down(&f);
}

/* Both ways at once, more than a stream has marks for. */
static void test_copies(void **state)
{
	struct fixture f;
	struct tide_error err;
	(void)state;
	set_up(&f, NULL, "dma");
	assert_ok(gpu->begin(f.g, 1, 1, &err), &err);
	for (unsigned round = 0; round < 100; round++) {
		for (uint32_t i = 0; i < 16; i++) {
			uint64_t *frame =
				(uint64_t *)(void *)(f.g->control.near_memory + (i + 16) * PAGE);
			fill(slot_at(&f, i), round * 1000 + i);
			fill(frame, round * 1000 + 500 + i);
			post(&f, 1, TD_DEV_COPY_IN, 0, i, i);
			post(&f, 1, TD_DEV_COPY_OUT, 0, i + 16, i + 16);
		}
		for (uint32_t i = 0; i < 32; i++)
			assert_int_equal(outcome(&f, i), TD_DEV_DONE);
		for (uint32_t i = 0; i < 16; i++) {
			uint64_t *frame = (uint64_t *)(void *)(f.g->control.near_memory + i * PAGE);
			assert_int_equal(frame[WORDS - 1], round * 1000 + i);
			assert_int_equal(slot_at(&f, i + 16)[0], round * 1000 + 516 + i - 16);
		}
	}
	assert_ok(gpu->end(f.g, &err), &err);
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_copies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
