/* Devices of the pool, each alone against a shadow and by several threads; what compressed memory
 * holds, and that it never takes more than its size; files that may and may not be slots; and pools
 * over devices that fail or are full. */
#include "pool_help.h"

#include <sys/resource.h>
#include <sys/stat.h>

#define SLOTS 256u
#define MOST 32u
#define THREADS 4u
#define BUDGET (UINT64_C(4) << 20)

static const char *where_of(const struct td_pool_device *d)
{
	return !strcmp(d->name, "file") ? "/var/tmp" : !strcmp(d->name, "numa") ? "0" : NULL;
}

static int try_alloc(const struct td_pool_device *d, void **state, const char *where,
		     uint64_t slots, uint32_t bytes, uint64_t budget, struct tide_error *err)
{
	struct td_pool_want want = {
		.slots = slots, .slot_bytes = bytes, .most = MOST, .bytes = budget, .where = where};
	*state = NULL;
	return d->alloc(state, &want, err);
}

static void *alloc_sized(const struct td_pool_device *d, uint64_t slots, uint32_t bytes,
			 uint64_t budget)
{
	struct tide_error err = {0};
	void *device;
	if (try_alloc(d, &device, where_of(d), slots, bytes, budget, &err))
		fail_msg("%s: %s", d->name, err.text);
	return device;
}

/* Of which the first `noise` bytes do not compress. */
static void make_block(unsigned char *to, uint32_t bytes, uint32_t noise, uint64_t seed)
{
	memset(to, 0, bytes);
	scribble(to, noise / 8 * 8, seed + 1);
	memcpy(to + bytes - 8, &seed, 8);
}

/* ---- every device against a shadow ---- */

struct bed {
	const struct td_pool_device *d;
	void *device;
	uint32_t bytes;
	_Atomic unsigned bad;
	uint64_t seeds[SLOTS]; /* 0: nothing */
};

static void make_of_seed(const struct bed *b, unsigned char *to, uint64_t seed)
{
	make_block(to, b->bytes, (uint32_t)(seed % 5 * (b->bytes / 4)), seed);
	if (seed % 7 == 0)
		memset(to, (int)(seed % 3), b->bytes);
}

static uint32_t pick_slots(uint32_t *slots, unsigned thread, uint64_t *luck)
{
	uint32_t n = 1 + (uint32_t)(draw(luck) % MOST), first = (uint32_t)draw(luck);
	for (uint32_t i = 0; i < n; i++)
		slots[i] = (first + i * 5) % (SLOTS / THREADS) * THREADS + thread;
	return n;
}

static void write_slots(struct bed *b, const uint32_t *slots, uint32_t n, void **at, uint64_t luck)
{
	for (uint32_t i = 0; i < n; i++) {
		b->seeds[slots[i]] = luck % 1000 + i + 1;
		make_of_seed(b, at[i], b->seeds[slots[i]]);
	}
	b->bad += b->d->scatter(b->device, slots, (const void *const *)at, n) != 0;
}

static void read_slots(struct bed *b, const uint32_t *slots, uint32_t n, void **at,
		       unsigned char *want)
{
	uint32_t full[MOST], k = 0;
	for (uint32_t i = 0; i < n; i++)
		if (b->seeds[slots[i]])
			full[k++] = slots[i];
	b->bad += b->d->gather(b->device, full, at, k) != 0;
	for (uint32_t i = 0; i < k; i++) {
		make_of_seed(b, want, b->seeds[full[i]]);
		b->bad += memcmp(want, at[i], b->bytes) != 0;
	}
}

static void use_slots(void *arg, unsigned thread)
{
	struct bed *b = arg;
	unsigned char *blocks = NULL;
	void *at[MOST];
	uint64_t luck = thread + 1;
	if (posix_memalign((void **)&blocks, BLOCK, (MOST + 1) * (size_t)b->bytes))
		return;
	for (uint32_t i = 0; i < MOST; i++)
		at[i] = blocks + i * (size_t)b->bytes;
	for (unsigned i = 0; i < 400; i++) {
		uint32_t slots[MOST], n = pick_slots(slots, thread, &luck);
		uint64_t what = draw(&luck) % 8;
		if (what < 3)
			write_slots(b, slots, n, at, draw(&luck));
		else if (what < 7 || !b->d->drop)
			read_slots(b, slots, n, at, blocks + MOST * (size_t)b->bytes);
		for (uint32_t k = 0; what == 7 && b->d->drop && k < n; k++) {
			b->d->drop(b->device, slots[k]);
			b->seeds[slots[k]] = 0;
		}
	}
	free(blocks);
}

/* pick_slots() must not name a slot twice: 5 and SLOTS / THREADS have no common divisor. */
static void test_shadow(void **state)
{
	static const uint32_t sizes[] = {512, 4096, 65536};
	(void)state;
	for (const struct td_pool_device *const *d = td_pool_device_table; *d; d++)
		for (size_t i = 0; i < 3; i++) {
			struct bed b = {.d = *d, .bytes = sizes[i]};
			if (sizes[i] < 4096 && !strcmp((*d)->name, "file"))
				continue;
			b.device = alloc_sized(*d, SLOTS, b.bytes, UINT64_C(64) << 20);
			assert_true((*d)->parallel);
			run_crew(THREADS, use_slots, &b);
			if (b.bad)
				fail_msg("%s: %u calls are wrong", (*d)->name, b.bad);
			(*d)->free(b.device);
		}
}

/* ---- compressed memory ---- */

static const struct td_pool_device *const packed[] = {&td_pool_device_lz4, &td_pool_device_zstd,
						      NULL};

static struct td_pool_device_use use_of(const struct td_pool_device *d, void *device)
{
	struct td_pool_device_use use;
	d->use(device, &use);
	return use;
}

static int put_block(const struct td_pool_device *d, void *device, uint32_t slot,
		     const unsigned char *block)
{
	const void *from = block;
	return d->scatter(device, &slot, &from, 1);
}

/* What a block takes: nothing, less than it has, or all. */
static void test_kinds_of_blocks(void **state)
{
	unsigned char *block = take_blocks(PAGE);
	(void)state;
	for (size_t i = 0; packed[i]; i++) {
		memset(block, 0x55, PAGE);
		void *device = alloc_sized(packed[i], SLOTS, PAGE, BUDGET);
		assert_int_equal(put_block(packed[i], device, 0, block), 0);
		scribble(block, PAGE, 1);
		assert_int_equal(put_block(packed[i], device, 1, block), 0);
		make_block(block, PAGE, 1000, 3);
		assert_int_equal(put_block(packed[i], device, 2, block), 0);
		struct td_pool_device_use use = use_of(packed[i], device);
		assert_int_equal(use.same_blocks, 1);
		assert_int_equal(use.plain_blocks, 1);
		assert_in_range(use.packed_bytes, 1000, 1200);
		for (uint32_t slot = 0; slot < 3; slot++)
			packed[i]->drop(device, slot);
		use = use_of(packed[i], device);
		assert_int_equal(use.same_blocks + use.plain_blocks + use.packed_bytes, 0);
		packed[i]->free(device);
	}
	free(block);
}

/* A queue of slots, oldest first, as the pool has it. */
struct queue {
	const struct td_pool_device *d;
	void *device;
	uint32_t first, end, slots; /* slot i % slots holds block i */
	uint32_t noise[BUDGET / PAGE * 16];
};

#define GONE UINT32_MAX /* as noise: dropped out of turn */

static void drop_first(struct queue *q)
{
	q->d->drop(q->device, q->first++ % q->slots);
}

/* Puts a block in. The oldest leave until there is room. */
static void push(struct queue *q, uint32_t noise, unsigned char *block)
{
	int rc;
	make_block(block, PAGE, noise, q->end);
	if (q->end - q->first == q->slots)
		drop_first(q);
	while ((rc = put_block(q->d, q->device, q->end % q->slots, block)) == -ENOSPC) {
		assert_true(q->first < q->end);
		drop_first(q);
	}
	assert_int_equal(rc, 0);
	q->noise[q->end++ % q->slots] = noise;
}

/* As pages leave that are used again. */
static void drop_any(struct queue *q, uint64_t luck)
{
	uint32_t slot = (q->first + (uint32_t)(luck % (q->end - q->first))) % q->slots;
	q->d->drop(q->device, slot);
	q->noise[slot] = GONE;
}

static void check_queue(struct queue *q, unsigned char *block, unsigned char *want)
{
	void *to = block;
	for (uint32_t i = q->first; i < q->end; i++) {
		uint32_t slot = i % q->slots;
		if (q->noise[slot] == GONE)
			continue;
		make_block(want, PAGE, q->noise[slot], i);
		assert_int_equal(q->d->gather(q->device, &slot, &to, 1), 0);
		assert_memory_equal(block, want, PAGE);
	}
}

/* Per cent of its size that are blocks. */
static unsigned share_stored(struct queue *q)
{
	struct td_pool_device_use use = use_of(q->d, q->device);
	assert_true(use.memory_bytes <= BUDGET);
	return (unsigned)((use.packed_bytes + use.plain_blocks * PAGE) * 100 / BUDGET);
}

/* A thousand blocks of about `noise` bytes; UINT32_MAX: of any size. */
static void push_many(struct queue *q, uint32_t noise, uint64_t *luck, unsigned char *block)
{
	for (unsigned k = 0; k < 6 * BUDGET / PAGE; k++) {
		push(q, noise == UINT32_MAX ? (uint32_t)(draw(luck) % PAGE) : noise, block);
		if (draw(luck) % 4 == 0)
			drop_any(q, draw(luck));
	}
}

/* Blocks that become a tenth, then blocks that become a half, and so on, so that room that was cut
 * for some is wanted for others. The memory never exceeds the size. Most of it stays in use. */
static void test_fragments(void **state)
{
	static const uint32_t noises[] = {400, 2000, 800, 3900, 300, 2600, 1500, UINT32_MAX, 3000};
	unsigned char *block = take_blocks(PAGE), *want = take_blocks(PAGE);
	struct queue *q = calloc(1, sizeof *q);
	uint64_t luck = 5;
	(void)state;
	for (size_t i = 0; packed[i]; i++) {
		*q = (struct queue){.d = packed[i], .slots = BUDGET / PAGE * 16};
		q->device = alloc_sized(q->d, q->slots, PAGE, BUDGET);
		for (unsigned round = 0; round < (SANITIZED ? 1 : 3); round++)
			for (size_t k = 0; k < sizeof noises / sizeof *noises; k++) {
				push_many(q, noises[k], &luck, block);
				assert_in_range(share_stored(q), 45, 100);
			}
		check_queue(q, block, want);
		q->d->free(q->device);
	}
	free(q);
	free(block);
	free(want);
}

/* Less than it needs for any block is refused, with what it needs; no slots need nothing. */
static void test_too_small(void **state)
{
	(void)state;
	for (size_t i = 0; packed[i]; i++) {
		struct tide_error err = {0};
		void *device;
		uint64_t least = 0;
		assert_int_equal(try_alloc(packed[i], &device, NULL, 16, PAGE, PAGE, &err),
				 -EINVAL);
		assert_non_null(strstr(err.text, "give "));
		assert_int_equal(sscanf(strstr(err.text, "give "), "give %lu", &least), 1);
		assert_int_equal(try_alloc(packed[i], &device, NULL, 16, PAGE, least - 1, &err),
				 -EINVAL);
		device = alloc_sized(packed[i], 16, PAGE, least);
		unsigned char *noise = take_blocks(PAGE);
		scribble(noise, PAGE, 1);
		assert_int_equal(put_block(packed[i], device, 0, noise), 0);
		packed[i]->free(device);
		device = alloc_sized(packed[i], 0, PAGE, 0);
		packed[i]->free(device);
		free(noise);
	}
}

/* ---- memory nodes ---- */

static bool has_policy(const char *policy)
{
	char line[4096];
	FILE *maps = fopen("/proc/self/numa_maps", "r");
	bool found = false;
	while (maps && fgets(line, sizeof line, maps))
		found |= strstr(line, policy) != NULL;
	if (maps)
		fclose(maps);
	return found;
}

static void test_nodes(void **state)
{
	static const char *const wrong[] = {"1023", "1024", "99999999999999999999", "x", "-1",
					    "0x9",  ""};
	struct tide_error err = {0};
	void *device;
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_equal(
			try_alloc(&td_pool_device_numa, &device, wrong[i], SLOTS, PAGE, 0, &err),
			-EINVAL);
		assert_non_null(strstr(err.text, "this machine has"));
	}
	assert_false(has_policy("prefer:0") || has_policy("prefer=0"));
	device = alloc_sized(&td_pool_device_numa, SLOTS, PAGE, 0);
	if (access("/proc/self/numa_maps", R_OK) == 0)
		assert_true(has_policy("prefer:0") || has_policy("prefer=0"));
	td_pool_device_numa.free(device);
}

/* ---- files ---- */

static int try_file(const char *path, uint64_t slots, uint32_t bytes, void **device)
{
	struct tide_error err = {0};
	int rc = try_alloc(&td_pool_device_file, device, path, slots, bytes, 0, &err);
	assert_int_equal(!rc, !err.text[0]);
	return rc;
}

static uint64_t bytes_of(const char *path)
{
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	return (uint64_t)st.st_size;
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* What is not empty and not tide's stays as it is. */
static void test_file_of_others(void **state)
{
	char path[64], text[16] = "";
	void *device;
	(void)state;
	make_path(path, "/var/tmp");
	write_file(path, "precious");
	assert_int_equal(try_file(path, SLOTS, PAGE, &device), -EEXIST);
	FILE *f = fopen(path, "r");
	assert_non_null(fgets(text, sizeof text, f));
	fclose(f);
	assert_string_equal(text, "precious");
	unlink(path);
	assert_int_equal(try_file("/dev/null", SLOTS, PAGE, &device), -EINVAL);
	assert_int_equal(try_file("/nowhere/at/all", SLOTS, PAGE, &device), -ENOENT);
	assert_int_equal(try_file("/var/tmp", SLOTS, 512, &device), -EINVAL);
	assert_int_equal(try_file("/var/tmp", UINT64_C(1) << 30, PAGE, &device), -ENOSPC);
	assert_int_equal(try_file("/var/tmp", UINT64_MAX / PAGE, PAGE, &device), -EFBIG);
}

/* A file is emptied in the end. One that a crash left is known by its mark. */
static void test_file_of_ours(void **state)
{
	char path[64], copy[160];
	void *device, *second;
	(void)state;
	make_path(path, "/var/tmp");
	assert_int_equal(try_file(path, SLOTS, PAGE, &device), 0);
	assert_int_equal(bytes_of(path), (SLOTS + 1) * PAGE);
	assert_int_equal(try_file(path, SLOTS, PAGE, &second), -EBUSY);
	snprintf(copy, sizeof copy, "cp %s %s.crashed", path, path);
	assert_int_equal(system(copy), 0);
	td_pool_device_file.free(device);
	assert_int_equal(bytes_of(path), 0);
	snprintf(copy, sizeof copy, "%s.crashed", path);
	assert_int_equal(try_file(copy, SLOTS, PAGE, &device), 0);
	td_pool_device_file.free(device);
	assert_int_equal(bytes_of(copy), 0);
	unlink(path);
	unlink(copy);
}

/* Beyond ulimit -f a write would end the program. */
static void test_file_limit(void **state)
{
	struct rlimit was, limit;
	void *device;
	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	limit = was;
	limit.rlim_cur = SLOTS * PAGE;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(try_file("/var/tmp", SLOTS, PAGE, &device), -EFBIG);
	assert_int_equal(try_file("/var/tmp", SLOTS - 1, PAGE, &device), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	td_pool_device_file.free(device);
}

/* Another program cuts the file off: reads fail, and the pool takes what is clean from its own
 * file. */
static void test_file_is_cut(void **state)
{
	struct fixture f;
	char path[64];
	(void)state;
	make_path(path, "/var/tmp");
	make_file(&f, 100, NULL);
	f.config.device = &td_pool_device_file;
	f.config.where = path;
	f.config.device_pages = 64;
	open_pool(&f);
	read_all(&f);
	assert_int_equal(truncate(path, 0), 0);
	for (uint64_t i = f.pages; i-- > 0;)
		access_page(&f, i, false, 0);
	struct tide_pool_stats s = stats_of(&f);
	assert_true(s.io_errors > 0 && s.counts.tier3_reads > s.counts.tier2_misses);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
	unlink(path);
}

/* ---- pools over devices that fail ---- */

static struct {
	bool no_scatter, no_gather;
	uint32_t bad_slot; /* gathers that name it fail */
} broken;

static int broken_gather(void *state, const uint32_t *slots, void *const *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (broken.no_gather || slots[i] == broken.bad_slot)
			return -EIO;
	return td_pool_device_ram.gather(state, slots, to, n);
}

static int broken_scatter(void *state, const uint32_t *slots, const void *const *from, size_t n)
{
	return broken.no_scatter ? -EIO : td_pool_device_ram.scatter(state, slots, from, n);
}

static struct td_pool_device broken_device(void)
{
	struct td_pool_device d = td_pool_device_ram;
	d.gather = broken_gather;
	d.scatter = broken_scatter;
	memset(&broken, 0, sizeof broken);
	broken.bad_slot = UINT32_MAX;
	return d;
}

static uint64_t seed_of(uint64_t page)
{
	return page % 40;
}

/* The device takes nothing, and what it has cannot be read: the pool goes on without. */
static void run_dead(enum td_pool_dedup dedup, uint32_t block)
{
	struct td_pool_device d = broken_device();
	struct fixture f;
	uint64_t luck = 11;
	make_file(&f, 100, seed_of);
	f.config.device = &d;
	f.config.dedup = dedup;
	f.config.block_bytes = block;
	open_pool(&f);
	read_all(&f);
	assert_true(stats_of(&f).device_used_bytes > 0);
	broken.no_scatter = broken.no_gather = true;
	for (unsigned i = 0; i < 3000; i++)
		access_page(&f, draw(&luck) % f.pages, draw(&luck) % 2, draw(&luck));
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

static void test_dead_device(void **state)
{
	(void)state;
	run_dead(TD_POOL_OFF, PAGE);
	run_dead(TD_POOL_ON, PAGE);
	run_dead(TD_POOL_ON, 1024);
}

/* One slot cannot be read. Of a flush, only its page fails; of a batch, only its page. */
static void run_bad_slot(uint32_t block)
{
	struct td_pool_device d = broken_device();
	struct fixture f;
	unsigned char *got = malloc(40 * PAGE);
	unsigned failed = 0;
	make_file(&f, 40, NULL);
	f.config.device = &d;
	f.config.dedup = block < PAGE ? TD_POOL_ON : TD_POOL_OFF;
	f.config.block_bytes = block;
	f.config.batch = 64;
	open_pool(&f);
	for (uint64_t i = 0; i < 30; i++)
		access_page(&f, i, true, i);
	broken.bad_slot = 0;
	assert_int_equal(td_pool_flush(f.pool, NULL), -EIO);
	assert_int_equal(stats_of(&f).dirty_pages, 1);
	for (uint64_t i = 0; i < 40; i++)
		failed += td_pool_read(f.pool, got, 8, i * PAGE, NULL) != 0;
	assert_int_equal(failed, 1);
	assert_int_equal(td_pool_read(f.pool, got, 16 * PAGE, 0, NULL), -EIO);
	broken.bad_slot = UINT32_MAX;
	read_all(&f);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
	free(got);
}

static void test_bad_slot(void **state)
{
	(void)state;
	run_bad_slot(PAGE);
	run_bad_slot(1024);
}

/* ---- a full disk behind compressed memory ---- */

static void write_page(struct fixture *f, uint64_t page, uint64_t luck)
{
	unsigned char *bytes = take_blocks(PAGE);
	make_block(bytes, PAGE, (uint32_t)(luck % PAGE), luck);
	int rc = td_pool_write(f->pool, bytes, PAGE, page * PAGE, NULL);
	if (!rc)
		memcpy(f->shadow + page * PAGE, bytes, PAGE);
	else
		assert_int_equal(rc, -ENOSPC);
	free(bytes);
}

/* Nothing can be written. A page that comes from the device makes less room there than the page
 * that leaves for it needs; reads succeed nevertheless, and show what was written last. */
static void run_full(const struct td_pool_device *d, uint32_t block)
{
	struct fixture f;
	unsigned char *got = take_blocks(PAGE);
	uint64_t luck = 3;
	make_file(&f, 1000, NULL);
	f.config.device = d;
	f.config.device_pages = 200;
	f.config.dedup = block < PAGE ? TD_POOL_ON : TD_POOL_OFF;
	f.config.block_bytes = block;
	f.config.inject = "write=ENOSPC:1";
	open_pool(&f);
	for (unsigned i = 0; i < 6000; i++) {
		uint64_t page = draw(&luck) % f.pages;
		if (draw(&luck) % 2) {
			write_page(&f, page, draw(&luck));
			continue;
		}
		assert_int_equal(td_pool_read(f.pool, got, PAGE, page * PAGE, NULL), 0);
		assert_memory_equal(got, f.shadow + page * PAGE, PAGE);
	}
	check_pool(&f);
	assert_int_equal(td_pool_close(f.pool, NULL), -ENOSPC);
	remove_file(&f);
	free(got);
}

static void test_full(void **state)
{
	(void)state;
	for (size_t i = 0; packed[i]; i++) {
		run_full(packed[i], PAGE);
		run_full(packed[i], 1024);
	}
}

/* More pages than its size says: four times as many, if they become a fifth. */
static void test_holds_more(void **state)
{
	(void)state;
	for (size_t i = 0; packed[i]; i++) {
		struct fixture f;
		make_file(&f, 4000, NULL);
		for (uint64_t page = 0; page < f.pages; page++)
			make_block(f.shadow + page * PAGE, PAGE, PAGE / 5, page);
		int fd = open(f.path, O_WRONLY);
		assert_int_equal(write(fd, f.shadow, f.pages * PAGE), f.pages * PAGE);
		close(fd);
		f.config.device = packed[i];
		f.config.device_pages = 1000;
		open_pool(&f);
		for (uint64_t page = 0; page < 3016; page++)
			access_page(&f, page, false, 0);
		struct tide_pool_stats s = stats_of(&f);
		assert_in_range(s.held_bytes, 3000 * PAGE, 3016 * PAGE);
		assert_int_equal(s.device_bytes, 1000 * PAGE);
		assert_in_range(s.device_used_bytes, 500 * PAGE, 1000 * PAGE);
		assert_in_range(s.packed_bytes, 3000 * PAGE / 5, 1000 * PAGE);
		uint64_t reads = s.counts.tier3_reads;
		for (uint64_t page = 0; page < 3000; page++)
			access_page(&f, page, false, 0);
		assert_int_equal(stats_of(&f).counts.tier3_reads, reads);
		read_all(&f);
		close_pool(&f);
		remove_file(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shadow),       cmocka_unit_test(test_kinds_of_blocks),
		cmocka_unit_test(test_fragments),    cmocka_unit_test(test_too_small),
		cmocka_unit_test(test_nodes),        cmocka_unit_test(test_file_of_others),
		cmocka_unit_test(test_file_of_ours), cmocka_unit_test(test_file_limit),
		cmocka_unit_test(test_file_is_cut),  cmocka_unit_test(test_dead_device),
		cmocka_unit_test(test_bad_slot),     cmocka_unit_test(test_full),
		cmocka_unit_test(test_holds_more),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
