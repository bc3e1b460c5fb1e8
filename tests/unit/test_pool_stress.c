/* Eight threads against a shadow: reads, writes, pins, trims and flushes, shared pages and own
 * ones, with and without dedup. TIDE_LONG=1: ten million calls each. */
#include "pool_help.h"

#define THREADS 8
#define STRIPE (PAGE / THREADS)
#define PAGES 512u
#define SHARED 256u /* pages below: a stripe per thread; above: a page per thread */

struct stress {
	struct fixture f;
	uint64_t calls;
	_Atomic unsigned bad;
	_Atomic unsigned pending;
	char said[512];
};

static void complain(struct stress *s, const char *what)
{
	if (!atomic_fetch_add(&s->bad, 1))
		snprintf(s->said, sizeof s->said, "%s", what);
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

static void write_range(struct stress *s, uint64_t offset, size_t bytes, uint64_t luck)
{
	struct tide_error err = {0};
	fill(s->f.shadow + offset, bytes, luck);
	if (td_pool_write(s->f.pool, s->f.shadow + offset, bytes, offset, &err))
		complain(s, err.text);
}

static void read_range(struct stress *s, uint64_t offset, size_t bytes)
{
	unsigned char bytes_read[4 * PAGE];
	struct tide_error err = {0};
	if (td_pool_read(s->f.pool, bytes_read, bytes, offset, &err))
		complain(s, err.text);
	else if (memcmp(bytes_read, s->f.shadow + offset, bytes))
		complain(s, "a read gave other bytes than were written");
}

static void zero_range(struct stress *s, uint64_t offset, size_t bytes, bool trim)
{
	struct tide_error err = {0};
	memset(s->f.shadow + offset, 0, bytes);
	if (trim ? td_pool_trim(s->f.pool, offset, bytes, &err)
		 : td_pool_write(s->f.pool, NULL, bytes, offset, &err))
		complain(s, err.text);
}

/* A page of this thread alone. */
static uint64_t own_page(unsigned thread, uint64_t luck)
{
	return SHARED + luck % ((PAGES - SHARED) / THREADS) * THREADS + thread;
}

static void use_pin(struct stress *s, uint64_t page, bool write, uint64_t luck)
{
	struct tide_error err = {0};
	struct tide_pool_pin pin;
	unsigned char *shadow = s->f.shadow + page * PAGE;
	if (td_pool_get(s->f.pool, page, write ? TIDE_POOL_WRITE : TIDE_POOL_READ, &pin, &err)) {
		complain(s, err.text);
		return;
	}
	if (memcmp(pin.addr, shadow, PAGE))
		complain(s, "a pin shows other bytes than were written");
	if (write) {
		fill(shadow, PAGE, luck);
		memcpy(pin.addr, shadow, PAGE);
	}
	td_pool_put(s->f.pool, &pin);
}

struct later {
	struct stress *s;
	_Atomic bool done;
};

static void when_done(void *arg, const struct tide_pool_pin *pin, int result)
{
	struct later *l = arg;
	if (result)
		complain(l->s, "an asynchronous get failed");
	else if (memcmp(pin->addr, l->s->f.shadow + pin->page * PAGE, PAGE))
		complain(l->s, "an asynchronous pin shows other bytes");
	if (!result)
		td_pool_put(l->s->f.pool, pin);
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
			break;
		case 11:
			if (luck % 1600 == 11 && td_pool_flush(s->f.pool, NULL))
				complain(s, "flush failed");
			break;
		default: read_range(s, stripe + at, n);
		}
	}
}

static uint64_t few(uint64_t page)
{
	return page % 7;
}

static void run_stress(enum td_pool_dedup dedup, uint32_t block, uint64_t device,
		       const char *inject)
{
	struct stress *s = calloc(1, sizeof *s);
	make_file(&s->f, PAGES, few);
	s->calls = getenv("TIDE_LONG") ? 10000000 / THREADS : SANITIZED ? 1500 : 6000;
	s->f.config.dedup = dedup;
	s->f.config.block_bytes = block;
	s->f.config.main_pages = 96;
	s->f.config.device_pages = device;
	s->f.config.inject = inject;
	open_pool(&s->f);
	run_crew(THREADS, work, s);
	if (s->bad)
		fail_msg("%s", s->said);
	read_all(&s->f);
	close_pool(&s->f);
	check_file(&s->f);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gram), cmocka_unit_test(test_no_device),
		cmocka_unit_test(test_dedu), cmocka_unit_test(test_dedu_small_blocks),
		cmocka_unit_test(test_auto),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
