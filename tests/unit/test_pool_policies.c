/* Policies in the pool: pins that they do not know of, trims, what is recorded, and how many hits
 * they hear of. */
#include "pool_help.h"

#include "engine/engine.h"

#define MAIN 32u

/* ---- a run again: what was recorded, through an engine without a pool ---- */

#define STEPS 40000u
struct step {
	struct tide_mark mark; /* kind 0: an access */
	uint64_t page;
	bool write;
};

struct record {
	struct step *steps;
	size_t n;
};

static void note_event(void *arg, const struct td_event *event)
{
	struct record *r = arg;
	assert_true(r->n < STEPS);
	r->steps[r->n++] = (struct step){.page = event->page, .write = event->write};
}

static void note_mark(void *arg, const struct tide_mark *mark)
{
	struct record *r = arg;
	assert_true(r->n < STEPS);
	r->steps[r->n++] = (struct step){.mark = *mark};
}

static void begin_record(struct fixture *f, struct record *r)
{
	*r = (struct record){.steps = calloc(STEPS, sizeof *r->steps)};
	f->config.event = note_event;
	f->config.mark = note_mark;
	f->config.record_arg = r;
}

static struct td_engine *make_engine(const char *evict, uint64_t seed)
{
	struct tide_error err;
	struct td_engine *e;
	struct td_engine_config c = {.near_pages = MAIN,
				     .chunk_pages = 1,
				     .last_page = UINT64_MAX,
				     .pages = UINT64_MAX,
				     .maps = true,
				     .seed = seed,
				     .mechanism = "this test",
				     .gives = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES |
					      TIDE_NEEDS_NOTICES | TIDE_NEEDS_TOUCHED};
	if (td_policy_choose(&c.evict, evict, TIDE_EVICT, &err) || td_engine_create(&e, &c, &err))
		fail_msg("%s", err.text);
	return e;
}

static void take_step(struct td_engine *e, const struct step *s)
{
	struct td_event event = {.page = s->page, .write = s->write};
	tide_chunk c = {(uint32_t)s->page};
	enum td_engine_touched what;
	if (s->mark.kind) {
		assert_int_equal(td_engine_mark(e, &s->mark, NULL), 0);
		return;
	}
	assert_int_equal(td_engine_touch(e, c, 0, &event, &what, NULL), 0);
	if (what == TD_NOTICE)
		assert_int_equal(td_engine_notice(e, c, &event, NULL), 0);
	if (what != TD_ABSENT)
		return;
	td_engine_tick(e, c);
	assert_int_equal(td_engine_fault(e, c, 0, &event, NULL), 0);
}

static void check_again(const struct record *r, const char *evict, const struct tide_counts *was)
{
	struct td_engine *e = make_engine(evict, 7);
	for (size_t i = 0; i < r->n; i++)
		take_step(e, &r->steps[i]);
	td_engine_count_hits(e);
	assert_int_equal(e->counts.accesses, was->accesses);
	assert_int_equal(e->counts.hits, was->hits);
	assert_int_equal(e->counts.faults, was->faults);
	assert_int_equal(e->counts.evicted_pages, was->evicted_pages);
	assert_int_equal(e->counts.writeback_pages, was->writeback_pages);
	td_engine_destroy(e);
}

/* One caller; pages come and go by trims, too. */
static void use_alone(struct fixture *f, uint64_t seed)
{
	for (unsigned i = 0; i < 6000; i++) {
		uint64_t a = draw(&seed) % f->pages, b = draw(&seed) % f->pages, luck = draw(&seed);
		uint64_t page = a < b ? a : b;
		if (luck % 50) {
			access_page(f, page, luck % 5 == 0, luck);
			continue;
		}
		assert_int_equal(td_pool_clear(f->pool, page * PAGE, PAGE, 0, NULL), 0);
		memset(f->shadow + page * PAGE, 0, PAGE);
	}
}

static void test_again(void **state)
{
	static const char *const evicts[] = {"s3fifo",     "arc",    "lirs", "2q",
					     "observ-lru", "random", "lfu",  "tournament"};
	(void)state;
	for (size_t i = 0; i < sizeof evicts / sizeof *evicts; i++) {
		struct fixture f;
		struct record r;
		make_file(&f, 200, NULL);
		f.config.main_pages = MAIN;
		f.config.device_pages = 0;
		f.config.evict = evicts[i];
		f.config.seed = 7;
		begin_record(&f, &r);
		open_pool(&f);
		use_alone(&f, i + 1);
		struct tide_counts c = stats_of(&f).counts;
		check_again(&r, evicts[i], &c);
		close_pool(&f);
		check_file(&f);
		remove_file(&f);
		free(r.steps);
	}
}

/* ---- pins ---- */

/* Pinned pages stay, however often the policy evicts them; the others leave instead. */
static void pin_and_scan(const char *evict, uint32_t batch, unsigned pins_n)
{
	struct fixture f;
	struct tide_pool_pin pins[2 * MAIN];
	make_file(&f, 300, NULL);
	f.config.main_pages = MAIN;
	f.config.device_pages = 0;
	f.config.batch = batch;
	f.config.evict = evict;
	open_pool(&f);
	for (unsigned i = 0; i < pins_n; i++)
		pins[i] = get(&f, i, true);
	for (unsigned round = 0; round < 3; round++)
		for (uint64_t page = pins_n; page < f.pages; page++)
			access_page(&f, page, page % 3 == 0, page);
	assert_true(stats_of(&f).main_used_bytes <= (MAIN + pins_n) * PAGE);
	for (unsigned i = 0; i < pins_n; i++) {
		assert_memory_equal(pins[i].addr, f.shadow + i * PAGE, PAGE);
		scribble(pins[i].addr, PAGE, i + 1000);
		scribble(f.shadow + i * PAGE, PAGE, i + 1000);
		td_pool_put(f.pool, &pins[i], NULL);
	}
	read_all(&f);
	close_pool(&f);
	check_file(&f);
	remove_file(&f);
}

static void test_pins(void **state)
{
	static const char *const evicts[] = {NULL, "s3fifo", "arc", "lirs", "fifo", "mru"};
	(void)state;
	for (size_t i = 0; i < sizeof evicts / sizeof *evicts; i++) {
		pin_and_scan(evicts[i], 1, MAIN);
		pin_and_scan(evicts[i], 16, MAIN - 1);
		pin_and_scan(evicts[i], 16, MAIN + 8);
	}
}

/* All memory is pinned: a get fails in time, and succeeds when there is room again. */
static void test_all_pinned(void **state)
{
	struct fixture f;
	struct tide_pool_pin pins[MAIN + 20], more = {.size = sizeof more};
	unsigned n = 0;
	(void)state;
	make_file(&f, 300, NULL);
	f.config.main_pages = MAIN;
	f.config.device_pages = 0;
	f.config.batch = 8;
	f.config.evict = "s3fifo";
	open_pool(&f);
	while (!td_pool_get(f.pool, n, TIDE_POOL_READ, &pins[n], NULL))
		assert_true(++n < MAIN + 20);
	assert_true(n >= MAIN + 8);
	td_pool_put(f.pool, &pins[0], NULL);
	assert_int_equal(td_pool_get(f.pool, 200, TIDE_POOL_READ, &more, NULL), 0);
	td_pool_put(f.pool, &more, NULL);
	for (unsigned i = 1; i < n; i++)
		td_pool_put(f.pool, &pins[i], NULL);
	read_all(&f);
	close_pool(&f);
	remove_file(&f);
}

/* ---- hits of many ---- */

#define CREW 6
#define HITS 20000u

static void hit_often(void *arg, unsigned thread)
{
	struct fixture *f = arg;
	uint64_t seed = thread + 1;
	for (unsigned i = 0; i < HITS; i++) {
		struct tide_pool_pin pin = {.size = sizeof pin};
		assert_int_equal(
			td_pool_get(f->pool, draw(&seed) % MAIN, TIDE_POOL_READ, &pin, NULL), 0);
		td_pool_put(f->pool, &pin, NULL);
	}
}

/* None is lost, however full the rings are. */
static void test_every_hit(void **state)
{
	struct fixture f;
	(void)state;
	make_file(&f, 100, NULL);
	f.config.main_pages = MAIN;
	f.config.evict = "lfu";
	open_pool(&f);
	for (uint64_t page = 0; page < MAIN; page++)
		access_page(&f, page, false, 0);
	run_crew(CREW, hit_often, &f);
	struct tide_counts c = stats_of(&f).counts;
	assert_int_equal(c.accesses, MAIN + CREW * HITS);
	assert_int_equal(c.hits, CREW * HITS);
	assert_int_equal(c.faults, MAIN);
	close_pool(&f);
	remove_file(&f);
}

/* ---- what cannot be ---- */

static void test_refused(void **state)
{
	struct fixture f;
	struct tide_error err;
	(void)state;
	make_file(&f, 10, NULL);
	f.config.evict = "arc";
	f.config.dedup = TD_POOL_ON;
	assert_int_equal(td_pool_open(&f.pool, &f.config, &err), -EINVAL);
	assert_non_null(strstr(err.text, "leave one of them out"));
	f.config.dedup = TD_POOL_OFF;
	f.config.evict = "opt";
	assert_int_equal(td_pool_open(&f.pool, &f.config, &err), -EINVAL);
	assert_non_null(strstr(err.text, "needs the future"));
	f.config.evict = "lru";
	f.config.dedup = TD_POOL_ON;
	open_pool(&f);
	close_pool(&f);
	remove_file(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_again),      cmocka_unit_test(test_pins),
		cmocka_unit_test(test_all_pinned), cmocka_unit_test(test_every_hit),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
