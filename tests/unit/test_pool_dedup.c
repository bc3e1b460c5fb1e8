/* DEDU: equal blocks are stored once, after a byte comparison; written pages are on their own. */
#include "pool_help.h"

static uint64_t of_three(uint64_t page)
{
	return page % 3;
}

static void start(struct fixture *f, uint64_t pages, uint64_t (*seed_of)(uint64_t), uint32_t block)
{
	make_file(f, pages, seed_of);
	f->config.dedup = TD_POOL_ON;
	f->config.block_bytes = block;
	open_pool(f);
}

static void end(struct fixture *f)
{
	read_all(f);
	close_pool(f);
	check_file(f);
	remove_file(f);
}

static void test_stored_once(void **state)
{
	struct fixture f;
	(void)state;
	start(&f, 60, of_three, PAGE);
	read_all(&f);
	struct tide_pool_stats s = stats_of(&f);
	assert_int_equal(s.main_used_bytes + s.device_used_bytes, 3 * PAGE);
	assert_int_equal(s.held_bytes, 60 * PAGE);
	assert_int_equal(s.hashed_blocks, 60);
	assert_int_equal(s.compared_blocks, 57);
	assert_int_equal(s.shared_blocks, 57);
	assert_int_equal(s.counts.tier3_reads, 60);
	read_all(&f); /* all of it is there now, though main and device memory are half as large */
	assert_int_equal(stats_of(&f).counts.tier3_reads, 60);
	end(&f);
}

/* Parts of pages are equal. */
static void test_blocks_of_pages(void **state)
{
	struct fixture f;
	(void)state;
	start(&f, 32, of_three, 512);
	read_all(&f);
	struct tide_pool_stats s = stats_of(&f);
	assert_int_equal(s.main_used_bytes + s.device_used_bytes, 3 * PAGE);
	assert_int_equal(s.held_bytes, 32 * PAGE);
	access_page(&f, 7, true, 9);
	assert_int_equal(stats_of(&f).private_copies, 8);
	end(&f);
}

/* The writer gets a copy; the others, and who has it pinned for reading, keep what they had. */
static void test_copy_on_write(void **state)
{
	struct fixture f;
	unsigned char was[PAGE];
	(void)state;
	start(&f, 30, of_three, PAGE);
	read_all(&f);
	struct tide_pool_pin pin = get(&f, 3, false);
	memcpy(was, pin.addr, PAGE);
	access_page(&f, 0, true, 1);
	assert_memory_equal(pin.addr, was, PAGE);
	td_pool_put(f.pool, &pin, NULL);
	struct tide_pool_stats s = stats_of(&f);
	assert_int_equal(s.private_copies, 1);
	assert_int_equal(s.main_used_bytes + s.device_used_bytes, 4 * PAGE);
	assert_int_equal(s.dirty_pages, 1);
	access_page(&f, 0, true, 2); /* its own already */
	assert_int_equal(stats_of(&f).private_copies, 1);
	check_pool(&f);
	end(&f);
}

/* A pin keeps what it showed when its page got a copy, also if the last page that has the content
 * is written then. */
static void test_pin_on_what_was_left(void **state)
{
	struct fixture f;
	unsigned char was[PAGE];
	(void)state;
	start(&f, 6, of_three, PAGE);
	read_all(&f);
	struct tide_pool_pin pin = get(&f, 3, false);
	memcpy(was, pin.addr, PAGE);
	access_page(&f, 3, true, 1);
	access_page(&f, 0, true, 2);
	assert_memory_equal(pin.addr, was, PAGE);
	assert_int_equal(td_pool_clear(f.pool, 3 * PAGE, PAGE, 0, NULL), 0);
	memset(f.shadow + 3 * PAGE, 0, PAGE);
	td_pool_put(f.pool, &pin, NULL);
	end(&f);
}

/* The same for a page of several blocks, which is pinned in one piece: all pins of it see the
 * write. */
static void test_copy_on_write_of_pinned(void **state)
{
	struct fixture f;
	(void)state;
	start(&f, 30, of_three, 1024);
	read_all(&f);
	struct tide_pool_pin reader = get(&f, 3, false), other = get(&f, 0, false);
	access_page(&f, 3, true, 1);
	assert_memory_equal(reader.addr, f.shadow + 3 * PAGE, PAGE);
	assert_memory_equal(other.addr, f.shadow, PAGE);
	td_pool_put(f.pool, &reader, NULL);
	td_pool_put(f.pool, &other, NULL);
	check_pool(&f);
	end(&f);
}

/* Contents that come and go while most of the index is in use: all others are still found. */
static void test_index_under_change(void **state)
{
	struct fixture f;
	uint64_t seed = 6;
	(void)state;
	start(&f, 300, NULL, 512);
	for (unsigned i = 0; i < 2000; i++) {
		access_page(&f, draw(&seed) % 300, draw(&seed) % 8 == 0, draw(&seed));
		if (i % 50 == 0)
			check_pool(&f);
	}
	end(&f);
}

/* The least memory there can be still has room for a copy of what comes from the device. */
static void test_copy_in_one_page(void **state)
{
	struct fixture f;
	(void)state;
	make_file(&f, 9, of_three);
	f.config.dedup = TD_POOL_ON;
	f.config.main_pages = f.config.batch = 1;
	open_pool(&f);
	read_all(&f);
	for (uint64_t i = 0; i < 9; i++)
		access_page(&f, i, true, i);
	end(&f);
}

/* The last page that has a content writes it where it is. */
static void test_last_one_needs_no_copy(void **state)
{
	struct fixture f;
	(void)state;
	start(&f, 2, NULL, PAGE);
	access_page(&f, 0, false, 0);
	access_page(&f, 0, true, 5);
	assert_int_equal(stats_of(&f).private_copies, 0);
	assert_int_equal(stats_of(&f).main_used_bytes, PAGE);
	end(&f);
}

/* What was written is hashed again when the file has it, and shared again. */
static void test_shared_after_flush(void **state)
{
	struct fixture f;
	(void)state;
	start(&f, 30, NULL, PAGE);
	for (uint64_t i = 0; i < 10; i++) {
		scribble(f.shadow + i * PAGE, PAGE, 77);
		assert_int_equal(td_pool_write(f.pool, f.shadow + i * PAGE, PAGE, i * PAGE, NULL),
				 0);
	}
	assert_int_equal(stats_of(&f).dirty_pages, 10);
	assert_int_equal(stats_of(&f).counts.tier3_reads, 0);
	assert_int_equal(td_pool_flush(f.pool, NULL), 0);
	struct tide_pool_stats s = stats_of(&f);
	assert_int_equal(s.dirty_pages, 0);
	assert_int_equal(s.shared_blocks, 9);
	assert_int_equal(s.main_used_bytes, PAGE);
	assert_int_equal(s.held_bytes, 10 * PAGE);
	check_file(&f);
	end(&f);
}

/* A page that comes again is not hashed again; and comes back for all that are equal to it. */
static void test_remembered(void **state)
{
	struct fixture f;
	(void)state;
	start(&f, 200, NULL, PAGE);
	memcpy(f.shadow + 199 * PAGE, f.shadow, PAGE);
	assert_int_equal(td_pool_write(f.pool, f.shadow, PAGE, 199 * PAGE, NULL), 0);
	assert_int_equal(td_pool_flush(f.pool, NULL), 0);
	access_page(&f, 0, false, 0); /* equal to the last page */
	assert_int_equal(stats_of(&f).shared_blocks, 1);
	for (uint64_t i = 1; i < 100; i++)
		access_page(&f, i, false, 0); /* both are out */
	struct tide_pool_stats s = stats_of(&f);
	access_page(&f, 0, false, 0);
	assert_int_equal(stats_of(&f).counts.tier3_reads, s.counts.tier3_reads + 1);
	assert_int_equal(stats_of(&f).hashed_blocks, s.hashed_blocks);
	assert_int_equal(stats_of(&f).known_blocks, s.known_blocks + 1);
	access_page(&f, 199, false, 0);
	assert_int_equal(stats_of(&f).counts.tier3_reads, s.counts.tier3_reads + 1);
	end(&f);
}

/* A device whose hash says that all blocks are equal: bytes decide. */
static int hash_badly(void *state, enum td_pool_hash hash, const void *const *blocks, size_t n,
		      struct td_pool_signature *signatures)
{
	(void)state;
	(void)hash;
	(void)blocks;
	memset(signatures, 0, n * sizeof *signatures);
	return 0;
}

static void test_bytes_decide(void **state)
{
	struct td_pool_device bad = td_pool_device_ram;
	struct fixture f;
	(void)state;
	bad.hash = hash_badly;
	make_file(&f, 100, of_three);
	f.config.device = &bad;
	f.config.dedup = TD_POOL_ON;
	open_pool(&f);
	for (unsigned i = 0; i < 3; i++)
		read_all(&f);
	assert_true(stats_of(&f).compared_blocks > stats_of(&f).shared_blocks);
	end(&f);
}

static int hash_never(void *state, enum td_pool_hash hash, const void *const *blocks, size_t n,
		      struct td_pool_signature *signatures)
{
	(void)state;
	(void)hash;
	(void)blocks;
	(void)n;
	(void)signatures;
	return -EIO;
}

static void test_no_hash(void **state)
{
	struct td_pool_device bad = td_pool_device_ram;
	struct fixture f;
	(void)state;
	bad.hash = hash_never;
	make_file(&f, 50, of_three);
	f.config.device = &bad;
	f.config.dedup = TD_POOL_ON;
	open_pool(&f);
	read_all(&f);
	access_page(&f, 1, true, 3);
	assert_int_equal(td_pool_flush(f.pool, NULL), 0);
	assert_int_equal(stats_of(&f).shared_blocks, 0);
	end(&f);
}

static void test_backlog(void **state)
{
	struct fixture f;
	(void)state;
	make_file(&f, 40, of_three);
	f.config.dedup = TD_POOL_ON;
	f.config.max_backlog = 0;
	open_pool(&f);
	read_all(&f);
	assert_int_equal(stats_of(&f).hashed_blocks, 0);
	assert_int_equal(stats_of(&f).unshared_blocks, 40);
	assert_int_equal(stats_of(&f).main_used_bytes, 16 * PAGE);
	end(&f);
}

static void test_md5(void **state)
{
	struct fixture f;
	struct td_pool_hasher hasher = {0};
	(void)state;
	if (td_pool_hash_load(&hasher, TD_POOL_MD5, NULL))
		skip();
	/* RFC 1321: of "abc" */
	static const unsigned char abc[16] = {0x90, 0x01, 0x50, 0x98, 0x3c, 0xd2, 0x4f, 0xb0,
					      0xd6, 0x96, 0x3f, 0x7d, 0x28, 0xe1, 0x7f, 0x72};
	const void *block = "abc";
	struct td_pool_signature s;
	assert_int_equal(td_pool_hash_blocks(&hasher, TD_POOL_MD5, &block, 1, 3, &s), 0);
	assert_memory_equal(&s, abc, 16);
	make_file(&f, 60, of_three);
	f.config.dedup = TD_POOL_ON;
	f.config.hash = TD_POOL_MD5;
	open_pool(&f);
	read_all(&f);
	assert_int_equal(stats_of(&f).shared_blocks, 57);
	end(&f);
}

/* Less than one hundredth of the block memory, for blocks of 4 KiB. */
static void test_index_is_small(void **state)
{
	struct fixture f;
	(void)state;
	make_file(&f, 4096, NULL);
	f.config.dedup = TD_POOL_ON;
	f.config.main_pages = 4096;
	f.config.device_pages = 4096;
	open_pool(&f);
	struct tide_pool_stats s = stats_of(&f);
	assert_true(s.index_bytes > 0);
	assert_true(s.index_bytes * 100 < s.main_bytes + s.device_bytes);
	close_pool(&f);
	remove_file(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stored_once),
		cmocka_unit_test(test_blocks_of_pages),
		cmocka_unit_test(test_copy_on_write),
		cmocka_unit_test(test_pin_on_what_was_left),
		cmocka_unit_test(test_copy_on_write_of_pinned),
		cmocka_unit_test(test_index_under_change),
		cmocka_unit_test(test_copy_in_one_page),
		cmocka_unit_test(test_last_one_needs_no_copy),
		cmocka_unit_test(test_shared_after_flush),
		cmocka_unit_test(test_remembered),
		cmocka_unit_test(test_bytes_decide),
		cmocka_unit_test(test_no_hash),
		cmocka_unit_test(test_backlog),
		cmocka_unit_test(test_md5),
		cmocka_unit_test(test_index_is_small),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
