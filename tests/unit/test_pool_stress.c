/* Eight threads against a shadow: reads, writes, pins, trims and flushes, shared pages and own
 * ones, with and without dedup. TIDE_LONG=1: ten million calls each. */
#include "pool_help.h"

#define THREADS 8
#define STRIPE (PAGE / THREADS)
#define PAGES 512u
#define SHARED 256u /* pages below: a stripe per thread; above: a page per thread */

/* A page that is written while it is read or flushed is there in part, which is allowed; what must
 * not be mixed up is compared with the shadow. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
	return "race:copy_hit\n";
}

struct stress {
	struct fixture f;
	uint64_t calls;
	_Atomic unsigned bad;
	bool may_fail; /* failures are injected */
	_Atomic unsigned failed;
	_Atomic unsigned pending;
	char said[512];
};

static void complain(struct stress *s, const char *what)
{
	if (!atomic_fetch_add(&s->bad, 1))
		snprintf(s->said, sizeof s->said, "%s", what);
}

static void refuse(struct stress *s, const char *what)
{
	if (!s->may_fail)
		complain(s, what);
	s->failed++;
}

/* Few different contents, so that there are equal ones. */
static void fill(unsigned char *at, size_t bytes, uint64_t luck)
{
	uint64_t seed = luck % 4 ? luck % 3 : luck;
	for (size_t i = 0; i < bytes; i += 8) {
		uint64_t word = draw(&seed);
		memcpy(at + i, &word, bytes - i < 8 ? bytes - i : 8);
	}
}

/* A write, all in one page, failed: it has done nothing, or all. */
static void settle(struct stress *s, const unsigned char *was, uint64_t offset, size_t bytes)
{
	unsigned char now[PAGE];
	unsigned tries = 0;
	while (td_pool_read(s->f.pool, now, bytes, offset, NULL))
		if (++tries == 10000) {
			complain(s, "a page cannot be read any more");
			return;
		}
	if (memcmp(now, s->f.shadow + offset, bytes) && memcmp(now, was, bytes))
		complain(s, "a write that failed left something else");
	memcpy(s->f.shadow + offset, now, bytes);
}

enum how { WRITE, ZERO, TRIM };

static void change(struct stress *s, uint64_t offset, size_t bytes, enum how how, uint64_t luck)
{
	struct tide_error err = {0};
	unsigned char was[PAGE], *shadow = s->f.shadow + offset;
	memcpy(was, shadow, bytes);
	memset(shadow, 0, bytes);
	if (how == WRITE)
		fill(shadow, bytes, luck);
	int rc = how == WRITE ? td_pool_write(s->f.pool, shadow, bytes, offset, &err)
			      : td_pool_clear(s->f.pool, offset, bytes,
					      how == ZERO ? TIDE_POOL_KEEP : 0, &err);
	if (!rc)
		return;
	refuse(s, err.text);
	settle(s, was, offset, bytes);
}

static void write_range(struct stress *s, uint64_t offset, size_t bytes, uint64_t luck)
{
	change(s, offset, bytes, WRITE, luck);
}

static void read_range(struct stress *s, uint64_t offset, size_t bytes)
{
	unsigned char bytes_read[4 * PAGE];
	struct tide_error err = {0};
	if (td_pool_read(s->f.pool, bytes_read, bytes, offset, &err))
		refuse(s, err.text);
	else if (memcmp(bytes_read, s->f.shadow + offset, bytes))
		complain(s, "a read gave other bytes than were written");
}

static void zero_range(struct stress *s, uint64_t offset, size_t bytes, bool trim)
{
	change(s, offset, bytes, trim ? TRIM : ZERO, 0);
}

/* A page of this thread alone. */
static uint64_t own_page(unsigned thread, uint64_t luck)
{
	return SHARED + luck % ((PAGES - SHARED) / THREADS) * THREADS + thread;
}

static void use_pin(struct stress *s, uint64_t page, bool write, uint64_t luck)
{
	struct tide_error err = {0};
	struct tide_pool_pin pin = {.size = sizeof pin};
	unsigned char *shadow = s->f.shadow + page * PAGE;
	if (td_pool_get(s->f.pool, page, write ? TIDE_POOL_WRITE : TIDE_POOL_READ, &pin, &err)) {
		refuse(s, err.text);
		return;
	}
	if (memcmp(pin.addr, shadow, PAGE))
		complain(s, "a pin shows other bytes than were written");
	if (write) {
		fill(shadow, PAGE, luck);
		memcpy(pin.addr, shadow, PAGE);
	}
	td_pool_put(s->f.pool, &pin, NULL);
}

/* A hole of this thread's own bytes: they must be zero. */
static bool is_hole_zero(void *arg, uint64_t offset, uint64_t bytes, bool is_hole)
{
	struct stress *s = arg;
	for (uint64_t i = offset; is_hole && i < offset + bytes; i++)
		if (s->f.shadow[i])
			complain(s, "what was written is called a hole");
	return true;
}

static void look_for_holes(struct stress *s, uint64_t page, uint64_t at, uint64_t n)
{
	if (td_pool_extents(s->f.pool, page * PAGE + at, n, is_hole_zero, s, NULL))
		complain(s, "extents failed");
}

struct later {
	struct stress *s;
	_Atomic bool done;
};

static void when_done(void *arg, struct tide_pool_pin *pin, int result)
{
	struct later *l = arg;
	if (result)
		refuse(l->s, "an asynchronous get failed");
	else if (memcmp(pin->addr, l->s->f.shadow + pin->page * PAGE, PAGE))
		complain(l->s, "an asynchronous pin shows other bytes");
	if (!result)
		td_pool_put(l->s->f.pool, pin, NULL);
	atomic_store(&l->done, true);
}

static void use_async(struct stress *s, uint64_t page)
{
	struct later l = {.s = s};
	struct tide_error err = {0};
	if (td_pool_get_async(s->f.pool, page, TIDE_POOL_READ, when_done, &l, &err)) {
		complain(s, err.text);
		return;
	}
	while (!atomic_load(&l.done))
		usleep(20);
}

static void work(void *arg, unsigned thread)
{
	struct stress *s = arg;
	uint64_t seed = thread + 1;
	for (uint64_t i = 0; i < s->calls && !s->bad; i++) {
		uint64_t luck = draw(&seed), page = own_page(thread, luck >> 8);
		uint64_t stripe = (luck >> 8) % SHARED * PAGE + thread * STRIPE;
		uint64_t at = draw(&seed) % STRIPE, n = 1 + draw(&seed) % (STRIPE - at);
		switch (luck % 16) {
		case 0: use_pin(s, page, true, luck); break;
		case 1:
		case 2: use_pin(s, page, false, luck); break;
		case 3: write_range(s, page * PAGE + at, n, luck); break;
		case 4: write_range(s, page * PAGE, PAGE, luck >> 20); break;
		case 5: zero_range(s, page * PAGE + at, n, luck & 256); break;
		case 6: zero_range(s, page * PAGE, PAGE, luck & 256); break;
		case 7: read_range(s, page * PAGE, PAGE); break;
		case 8:
		case 9: write_range(s, stripe + at, n, luck >> 20); break;
		case 10:
			if (luck % 320 == 10)
				use_async(s, page);
			else
				look_for_holes(s, page, at, n);
			break;
		case 11:
			if (luck % 1600 == 11 && td_pool_flush(s->f.pool, NULL))
				refuse(s, "flush failed");
			if (td_pool_prefetch(s->f.pool, page * PAGE, n, NULL))
				refuse(s, "a prefetch failed");
			break;
		default: read_range(s, stripe + at, n);
		}
	}
}

static uint64_t few(uint64_t page)
{
	return page % 7;
}

/* Again and again, until it is done. */
static void end_with_failures(struct stress *s)
{
	unsigned tries = 0;
	for (uint64_t i = 0; i < PAGES; i++)
		settle(s, s->f.shadow + i * PAGE, i * PAGE, PAGE);
	while (td_pool_flush(s->f.pool, NULL))
		assert_true(++tries < 1000);
	if (s->bad)
		fail_msg("%s", s->said);
	assert_true(s->failed > 10);
}

static struct {
	const char *evict, *place;
} policies;               /* of this run */
static bool with_threads; /* of the pool, and reads past it */
static const struct td_pool_device *device_kind = &td_pool_device_ram;
static const char *device_where;

static void run_sized(enum td_pool_dedup dedup, uint32_t block, uint64_t main, uint64_t device,
		      uint32_t batch, const char *inject)
{
	struct stress *s = calloc(1, sizeof *s);
	make_file(&s->f, PAGES, few);
	s->calls = getenv("TIDE_LONG") ? 10000000 / THREADS : SANITIZED ? 1500 : 6000;
	if (policies.evict || policies.place)
		s->calls /= 5;
	s->f.config.dedup = dedup;
	s->f.config.block_bytes = block;
	s->f.config.main_pages = main;
	s->f.config.device_pages = device;
	s->f.config.batch = batch;
	s->f.config.inject = inject;
	s->f.config.evict = policies.evict;
	s->f.config.place = policies.place;
	if (with_threads) {
		s->f.config.dirty_pages = 8;
		s->f.config.ahead_bytes = 1 << 20;
		s->f.config.straight_bytes = 256;
	}
	s->f.config.device = device_kind;
	s->f.config.where = device_where;
	s->may_fail = inject && strstr(inject, "=E");
	open_pool(&s->f);
	run_crew(THREADS, work, s);
	if (s->bad)
		fail_msg("%s", s->said);
	if (s->may_fail)
		end_with_failures(s);
	else
		read_all(&s->f);
	close_pool(&s->f);
	check_file(&s->f);
	remove_file(&s->f);
	free(s);
}

static void run_stress(enum td_pool_dedup dedup, uint32_t block, uint64_t device,
		       const char *inject)
{
	run_sized(dedup, block, 96, device, 16, inject);
}

/* ---- flushes of pages that others write too ---- */

static void flush_own(void *arg, unsigned thread)
{
	struct stress *s = arg;
	uint64_t seed = thread + 100, got[STRIPE / 8];
	int fd = open(s->f.path, O_RDONLY);
	for (uint64_t i = 0; i < s->calls && !s->bad; i++) {
		uint64_t at = draw(&seed) % 4 * PAGE + thread * STRIPE;
		fill(s->f.shadow + at, STRIPE, draw(&seed) * 4);
		if (td_pool_write(s->f.pool, s->f.shadow + at, STRIPE, at, NULL) ||
		    td_pool_flush(s->f.pool, NULL))
			complain(s, "a write or a flush failed");
		if (pread(fd, got, STRIPE, (off_t)at) != STRIPE ||
		    memcmp(got, s->f.shadow + at, STRIPE))
			complain(s, "what was flushed is not in the file");
	}
	close(fd);
}

static void test_flush_by_many(void **state)
{
	static const uint32_t blocks[] = {PAGE, 1024};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct stress *s = calloc(1, sizeof *s);
		make_file(&s->f, 16, few);
		s->calls = getenv("TIDE_LONG") ? 100000 : 1000;
		s->f.config.dedup = i ? TD_POOL_ON : TD_POOL_OFF;
		s->f.config.block_bytes = blocks[i];
		s->f.config.dirty_pages = 2;
		open_pool(&s->f);
		run_crew(THREADS, flush_own, s);
		if (s->bad)
			fail_msg("%s", s->said);
		close_pool(&s->f);
		check_file(&s->f);
		remove_file(&s->f);
		free(s);
	}
}

/* ---- equal pages that part ---- */

#define PAIRS 4u /* pages 2i and 2i + 1 are equal at first, and after every flush */

/* Each thread writes one page; what it reads of another is that page's, whole. */
static void part(void *arg, unsigned thread)
{
	struct stress *s = arg;
	uint64_t seed = thread + 7, words[PAGE / 8];
	for (uint64_t i = 0; i < s->calls && !s->bad; i++) {
		uint64_t page = draw(&seed) % (2 * PAIRS);
		if (td_pool_read(s->f.pool, words, 64, page * PAGE, NULL))
			complain(s, "a read failed");
		if (words[0] != 0 && words[0] != page + 1)
			complain(s, "a page shows what another one got");
		if (thread >= 2 * PAIRS)
			continue;
		words[0] = draw(&seed) % 4 ? thread + 1 : 0;
		if (td_pool_write(s->f.pool, words, 8, thread * PAGE, NULL))
			complain(s, "a write failed");
		if (words[0] == 0 && td_pool_flush(s->f.pool, NULL))
			complain(s, "a flush failed");
	}
}

static void test_equal_pages_part(void **state)
{
	(void)state;
#ifdef __SANITIZE_THREAD__
	skip(); /* readers meet writers on purpose */
#endif
	struct stress *s = calloc(1, sizeof *s);
	make_file(&s->f, 2 * PAIRS, NULL);
	memset(s->f.shadow, 0, 2 * PAIRS * PAGE);
	assert_int_equal(truncate(s->f.path, 0), 0);
	assert_int_equal(truncate(s->f.path, 2 * PAIRS * PAGE), 0);
	s->calls = getenv("TIDE_LONG") ? 1000000 : SANITIZED ? 2000 : 8000;
	s->f.config.dedup = TD_POOL_ON;
	open_pool(&s->f);
	run_crew(2 * PAIRS + 4, part, s);
	if (s->bad)
		fail_msg("%s", s->said);
	close_pool(&s->f);
	remove_file(&s->f);
	free(s);
}

static void test_gram(void **state)
{
	(void)state;
	run_stress(TD_POOL_OFF, PAGE, 96, NULL);
}

static void test_no_device(void **state)
{
	(void)state;
	run_stress(TD_POOL_OFF, PAGE, 0, "short=7");
}

static void test_dedu(void **state)
{
	(void)state;
	run_stress(TD_POOL_ON, PAGE, 64, NULL);
}

static void test_dedu_small_blocks(void **state)
{
	(void)state;
	run_stress(TD_POOL_ON, 512, 64, NULL);
}

static void test_auto(void **state)
{
	(void)state;
	run_stress(TD_POOL_AUTO, 1024, 32, "short=11");
}

static void test_failures(void **state)
{
	(void)state;
	run_stress(TD_POOL_OFF, PAGE, 32, "read=EIO:40,write=ENOSPC:9,short=5");
	run_stress(TD_POOL_ON, PAGE, 32, "read=EIO:40,write=EIO:9");
	run_stress(TD_POOL_ON, 1024, 0, "read=EIO:40,write=EIO:9");
}

/* Hardly a page of memory: whoever misses waits for the others to put theirs. */
static void test_tiny(void **state)
{
	(void)state;
	run_sized(TD_POOL_OFF, PAGE, 1, 0, 1, NULL);
	run_sized(TD_POOL_ON, PAGE, 1, 1, 1, "short=7");
	run_sized(TD_POOL_AUTO, 512, 2, 1, 2, NULL);
	run_sized(TD_POOL_ON, 1024, 1, 1, 3, "read=EIO:40,write=EIO:9");
}

static void run_policies(const char *evict, const char *place)
{
	policies.evict = evict;
	policies.place = place;
	run_stress(TD_POOL_OFF, PAGE, 96, NULL);
	run_stress(TD_POOL_OFF, PAGE, place ? 64 : 0, "short=7");
	run_stress(TD_POOL_OFF, PAGE, 32, "read=EIO:40,write=ENOSPC:9,short=5");
	run_sized(TD_POOL_OFF, PAGE, 1, place ? 1 : 0, 1, NULL);
	policies.evict = policies.place = NULL;
}

static void test_policies(void **state)
{
	(void)state;
	run_policies("s3fifo", NULL);
	run_policies("arc", NULL);
	run_policies("lirs", NULL);
	run_policies("observ-lru", NULL);
	run_policies(NULL, "reuse");
}

/* Threads of the pool write and read too, and many reads go past it. */
static void test_background(void **state)
{
	(void)state;
	with_threads = true;
	run_stress(TD_POOL_OFF, PAGE, 96, NULL);
	run_stress(TD_POOL_ON, 1024, 32, "short=7");
	run_stress(TD_POOL_AUTO, PAGE, 96, "read=EIO:40,write=ENOSPC:9,short=5");
	run_policies("s3fifo", NULL);
	run_policies(NULL, "reuse");
	with_threads = false;
}

/* Compressed memory of few pages is full soon: its blocks are noise. */
static void test_devices(void **state)
{
	static const struct {
		const struct td_pool_device *device;
		const char *where;
		uint64_t pages;
	} kinds[] = {{&td_pool_device_lz4, NULL, 48},
		     {&td_pool_device_zstd, NULL, 160},
		     {&td_pool_device_numa, "0", 64},
		     {&td_pool_device_file, "/var/tmp", 64}};
	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		device_kind = kinds[i].device;
		device_where = kinds[i].where;
		run_stress(TD_POOL_OFF, PAGE, kinds[i].pages, NULL);
		run_stress(TD_POOL_ON, PAGE, kinds[i].pages, "read=EIO:40,write=ENOSPC:9,short=5");
	}
	device_kind = &td_pool_device_lz4;
	device_where = NULL;
	run_stress(TD_POOL_ON, 512, 48, NULL);
	device_kind = &td_pool_device_ram;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flush_by_many), cmocka_unit_test(test_equal_pages_part),
		cmocka_unit_test(test_gram),          cmocka_unit_test(test_no_device),
		cmocka_unit_test(test_dedu),          cmocka_unit_test(test_dedu_small_blocks),
		cmocka_unit_test(test_auto),          cmocka_unit_test(test_failures),
		cmocka_unit_test(test_tiny),          cmocka_unit_test(test_policies),
		cmocka_unit_test(test_background),    cmocka_unit_test(test_devices),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
