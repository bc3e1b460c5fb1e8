/* Device memory of a GPU, with plain memory in its place: what its kernels work out, what the
 * device does around them, and a pool over it; with failures of everything that can fail. */
#include "pool_card.h"

#include <xxhash.h>

#define SLOTS 64u
#define MOST 32u

static const struct td_pool_want want = {.slots = SLOTS, .slot_bytes = PAGE, .most = MOST};

/* ---- kernels ---- */

static void test_xxh3(void **state)
{
	unsigned char *block = take_blocks(1 << 20);
	uint64_t seed = 1;
	(void)state;
	for (size_t bytes = 512; bytes <= 1 << 20; bytes *= 2)
		for (unsigned i = 0; i < (bytes > 65536 ? 2 : 20); i++) {
			if (i)
				scribble(block, bytes, draw(&seed));
			else
				memset(block, bytes & 1024 ? 0xff : 0, bytes);
			XXH128_hash_t h = XXH3_128bits(block, bytes);
			struct td_pool_signature s = sign_xxh3(block, bytes);
			assert_int_equal(s.at[0], h.low64);
			assert_int_equal(s.at[1], h.high64);
		}
	free(block);
}

/* Against libcrypto, and against what RFC 1321 gives for no bytes at all. */
static void test_md5(void **state)
{
	static const unsigned char nothing[16] = {0xd4, 0x1d, 0x8c, 0xd9, 0x8f, 0x00, 0xb2, 0x04,
						  0xe9, 0x80, 0x09, 0x98, 0xec, 0xf8, 0x42, 0x7e};
	unsigned char *block = take_blocks(1 << 20);
	struct td_pool_hasher h = {0};
	struct td_pool_signature ours = sign_md5(block, 0), theirs;
	uint64_t seed = 2;
	(void)state;
	assert_memory_equal(&ours, nothing, sizeof nothing);
	for (size_t bytes = 64; bytes <= 1 << 20; bytes *= 2)
		for (unsigned i = 0; i < (bytes > 65536 ? 2 : 20); i++) {
			scribble(block, bytes, draw(&seed));
			ours = sign_md5(block, bytes);
			const void *blocks[] = {block};
			assert_int_equal(
				td_pool_hash_blocks(&h, TD_POOL_MD5, blocks, 1, bytes, &theirs), 0);
			assert_memory_equal(&ours, &theirs, sizeof ours);
		}
	free(block);
}

/* ---- the device alone ---- */

struct bed {
	const struct td_pool_device *d;
	void *state;
	unsigned char *main; /* 2 * MOST blocks */
	uint32_t slots[MOST];
	void *at[MOST];
};

static void open_bed(struct bed *b, bool pinned)
{
	struct tide_error err = {0};
	b->d = &td_pool_device_cuda;
	assert_int_equal(b->d->alloc(&b->state, &want, &err), 0);
	b->main = take_blocks(2 * MOST * PAGE);
	if (pinned)
		assert_int_equal(b->d->pin(b->state, b->main, MOST * PAGE, &err), 0);
	for (uint32_t i = 0; i < MOST; i++) {
		b->slots[i] = i * 5 % SLOTS;
		b->at[i] = b->main + 2 * (size_t)i * PAGE; /* half of them beyond what is pinned */
		scribble(b->at[i], PAGE, i);
	}
}

static void close_bed(struct bed *b)
{
	b->d->free(b->state);
	free(b->main);
	assert_int_equal(card.held, 0);
}

static void check_scribbled(const struct bed *b, bool is)
{
	unsigned char *page = take_blocks(PAGE);
	for (uint32_t i = 0; i < MOST; i++) {
		if (is)
			scribble(page, PAGE, i);
		assert_memory_equal(b->at[i], page, PAGE);
	}
	free(page);
}

static void clear(const struct bed *b)
{
	memset(b->main, 0, 2 * MOST * PAGE);
}

/* Pinned memory, none, and some of it: the same bytes, by one kernel each way. */
static void test_transfers(void **state)
{
	(void)state;
	for (int way = 0; way < 3; way++) {
		struct bed b;
		reset_card();
		card.no_pin = way == 2;
		open_bed(&b, way > 0);
		assert_int_equal(b.d->scatter(b.state, b.slots, (const void *const *)b.at, MOST),
				 0);
		clear(&b);
		assert_int_equal(b.d->gather(b.state, b.slots, b.at, MOST), 0);
		check_scribbled(&b, true);
		assert_int_equal(card.moves, 2);
		assert_int_equal(card.waits, 2);
		assert_int_equal(b.d->gather(b.state, b.slots, b.at, 0), 0);
		assert_int_equal(b.d->gather(b.state, b.slots, b.at, MOST + 1), -EINVAL);
		assert_int_equal(card.moves, 2);
		close_bed(&b);
	}
}

static void test_failed_transfers(void **state)
{
	struct bed b;
	(void)state;
	reset_card();
	open_bed(&b, true);
	assert_int_equal(b.d->scatter(b.state, b.slots, (const void *const *)b.at, MOST), 0);
	clear(&b);
	card.fail_move = card.moves + 1;
	assert_int_equal(b.d->gather(b.state, b.slots, b.at, MOST), -EIO);
	card.fail_wait = card.waits + 1;
	assert_int_equal(b.d->gather(b.state, b.slots, b.at, MOST), -EIO);
	check_scribbled(&b, false);
	card.fail_wait = card.waits + 1;
	assert_int_equal(b.d->scatter(b.state, b.slots, (const void *const *)b.at, MOST), -EIO);
	assert_int_equal(b.d->gather(b.state, b.slots, b.at, MOST), 0);
	check_scribbled(&b, true);
	close_bed(&b);
}

/* Whichever of its allocations fails, what was taken before is given back. */
static void test_failed_allocations(void **state)
{
	(void)state;
	for (unsigned i = 0; i <= 4; i++) {
		struct tide_error err = {0};
		void *device = NULL;
		reset_card();
		card.no_gpu = !i;
		card.fail_take = i;
		int rc = td_pool_device_cuda.alloc(&device, &want, &err);
		assert_int_equal(rc, i == 0 ? -ENODEV : i < 4 ? -ENOMEM : 0);
		assert_true(!rc || err.text[0]);
		td_pool_device_cuda.free(device);
		assert_int_equal(card.held, 0);
	}
}

/* Nothing can be pinned, and there is no memory for a buffer in between. */
static void test_no_staging(void **state)
{
	struct bed b;
	struct tide_error err = {0};
	(void)state;
	reset_card();
	open_bed(&b, false);
	card.no_pin = true;
	card.fail_take = card.takes + 1;
	assert_int_equal(b.d->pin(b.state, b.main, MOST * PAGE, &err), -ENOMEM);
	card.fail_take = card.takes + 1;
	assert_int_equal(b.d->gather(b.state, b.slots, b.at, 1), -ENOMEM);
	assert_int_equal(b.d->gather(b.state, b.slots, b.at, 1), 0); /* now there is */
	close_bed(&b);
}

static void check_signatures(struct bed *b, enum td_pool_hash hash, size_t n)
{
	struct td_pool_signature found[MOST], known[MOST];
	struct td_pool_hasher h = {0};
	unsigned signs = card.signs;
	const void *const *blocks = (const void *const *)b->at;
	assert_int_equal(td_pool_hash_blocks(&h, hash, blocks, n, PAGE, known), 0);
	assert_int_equal(b->d->hash(b->state, hash, blocks, n, found), 0);
	assert_memory_equal(found, known, n * sizeof *found);
	memset(found, 0, sizeof found);
	assert_int_equal(td_pool_cuda_sign(b->state, hash, blocks, n, found), 0);
	assert_memory_equal(found, known, n * sizeof *found);
	assert_true(card.signs > signs);
}

static void test_signatures(void **state)
{
	struct bed b;
	struct td_pool_signature found[MOST];
	(void)state;
	reset_card();
	open_bed(&b, true);
	for (size_t n = 1; n <= MOST; n++) {
		check_signatures(&b, TD_POOL_XXH3, n);
		check_signatures(&b, TD_POOL_MD5, n);
	}
	card.fail_sign = card.signs + 1;
	assert_int_equal(
		td_pool_cuda_sign(b.state, TD_POOL_XXH3, (const void *const *)b.at, MOST, found),
		-EIO);
	card.fail_wait = card.waits + 1;
	assert_int_equal(
		td_pool_cuda_sign(b.state, TD_POOL_MD5, (const void *const *)b.at, MOST, found),
		-EIO);
	close_bed(&b);
}

/* ---- a pool over it ---- */

static void access_some(struct fixture *f, uint64_t *luck, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t page = draw(luck) % f->pages;
		access_page(f, page, draw(luck) % 4 == 0, draw(luck));
	}
}

static uint64_t seed_of(uint64_t page)
{
	return page % 20;
}

static void run_pool(enum td_pool_dedup dedup, enum td_pool_hash hash, uint32_t block, bool no_pin)
{
	struct fixture f;
	uint64_t luck = 7;
	reset_card();
	card.no_pin = no_pin;
	make_file(&f, 100, seed_of);
	f.config.device = &td_pool_device_cuda;
	f.config.dedup = dedup;
	f.config.hash = hash;
	f.config.block_bytes = block;
	open_pool(&f);
	access_some(&f, &luck, 4000);
	assert_true(card.moves > 100);
	assert_true(stats_of(&f).counts.tier2_hits > 100);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
	assert_int_equal(card.held, 0);
}

static void test_pool(void **state)
{
	(void)state;
	run_pool(TD_POOL_OFF, TD_POOL_XXH3, PAGE, false);
	run_pool(TD_POOL_OFF, TD_POOL_XXH3, PAGE, true);
	run_pool(TD_POOL_ON, TD_POOL_XXH3, PAGE, false);
	run_pool(TD_POOL_ON, TD_POOL_MD5, 512, false);
	run_pool(TD_POOL_ON, TD_POOL_XXH3, 1024, true);
}

/* Every tenth kernel fails: what is clean comes from the file, and no byte is wrong. */
static void test_pool_with_failures(void **state)
{
	struct fixture f;
	uint64_t luck = 3;
	(void)state;
	reset_card();
	make_file(&f, 100, NULL);
	f.config.device = &td_pool_device_cuda;
	open_pool(&f);
	for (unsigned i = 0; i < 4000; i++) {
		card.fail_wait = card.waits / 10 * 10 + 10;
		access_page(&f, draw(&luck) % f.pages, false, 0);
	}
	struct tide_counts c = stats_of(&f).counts;
	assert_true(card.waits > 100 && c.tier3_reads > c.tier2_misses + 10);
	card.fail_wait = 0;
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
	assert_int_equal(card.held, 0);
}

static void test_pool_cannot_open(void **state)
{
	struct fixture f;
	struct tide_error err = {0};
	(void)state;
	make_file(&f, 100, NULL);
	f.config.device = &td_pool_device_cuda;
	for (unsigned i = 0; i < 4; i++) {
		reset_card();
		card.no_gpu = !i;
		card.fail_take = i;
		assert_int_equal(td_pool_open(&f.pool, &f.config, &err), i ? -ENOMEM : -ENODEV);
		assert_int_equal(card.held, 0);
	}
	remove_file(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_xxh3),
		cmocka_unit_test(test_md5),
		cmocka_unit_test(test_transfers),
		cmocka_unit_test(test_failed_transfers),
		cmocka_unit_test(test_failed_allocations),
		cmocka_unit_test(test_no_staging),
		cmocka_unit_test(test_signatures),
		cmocka_unit_test(test_pool),
		cmocka_unit_test(test_pool_with_failures),
		cmocka_unit_test(test_pool_cannot_open),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
