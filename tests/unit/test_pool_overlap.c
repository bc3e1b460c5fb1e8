/* Batches that overlap. A gate in the device holds one crew where its bytes move, while other
 * callers want the same page, the same shared block, a page on its way out, or something else. */
#include "pool_help.h"

#define SECONDS 20 /* what does not come within them never comes */

/* ---- a device with a gate ---- */

enum call { GATHER, SCATTER, HASH, CALLS };

static struct {
	pthread_mutex_t lock;
	pthread_cond_t news;
	bool closed[CALLS];
	unsigned inside, most; /* calls that are in the device, and were at once */
	unsigned wanted;       /* the gate opens for so many */
} gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .news = PTHREAD_COND_INITIALIZER};

static void pass(enum call call)
{
	pthread_mutex_lock(&gate.lock);
	gate.inside++;
	gate.most = gate.inside > gate.most ? gate.inside : gate.most;
	pthread_cond_broadcast(&gate.news);
	while (gate.closed[call] && (!gate.wanted || gate.most < gate.wanted))
		pthread_cond_wait(&gate.news, &gate.lock);
	gate.inside--;
	pthread_mutex_unlock(&gate.lock);
}

static void set_gate(enum call call, bool closed, unsigned wanted)
{
	pthread_mutex_lock(&gate.lock);
	gate.closed[call] = closed;
	gate.wanted = wanted;
	gate.most = 0;
	pthread_cond_broadcast(&gate.news);
	pthread_mutex_unlock(&gate.lock);
}

static void wait_inside(void)
{
	pthread_mutex_lock(&gate.lock);
	while (!gate.inside)
		pthread_cond_wait(&gate.news, &gate.lock);
	pthread_mutex_unlock(&gate.lock);
}

static int gather(void *state, const uint32_t *slots, void *const *to, size_t n)
{
	pass(GATHER);
	return td_pool_device_ram.gather(state, slots, to, n);
}

static int scatter(void *state, const uint32_t *slots, const void *const *from, size_t n)
{
	pass(SCATTER);
	return td_pool_device_ram.scatter(state, slots, from, n);
}

static int hash(void *state, enum td_pool_hash which, const void *const *blocks, size_t n,
		struct td_pool_signature *signatures)
{
	pass(HASH);
	return td_pool_device_ram.hash(state, which, blocks, n, signatures);
}

static struct td_pool_device gated(bool parallel)
{
	struct td_pool_device d = td_pool_device_ram;
	d.gather = gather;
	d.scatter = scatter;
	d.hash = hash;
	d.parallel = parallel;
	return d;
}

/* ---- callers ---- */

struct caller {
	struct fixture *f;
	uint64_t page;
	bool write, trim;
	_Atomic bool done;
	bool right;
	pthread_t thread;
};

static void *call_pool(void *arg)
{
	struct caller *c = arg;
	unsigned char got[PAGE], *shadow = c->f->shadow + c->page * PAGE;
	if (c->trim)
		c->right = !td_pool_clear(c->f->pool, c->page * PAGE, PAGE, 0, NULL);
	else if (c->write)
		c->right = !td_pool_write(c->f->pool, shadow, PAGE / 2, c->page * PAGE, NULL);
	else
		c->right = !td_pool_read(c->f->pool, got, PAGE, c->page * PAGE, NULL) &&
			   memcmp(got, shadow, PAGE) == 0;
	c->done = true;
	return NULL;
}

static void begin(struct caller *c, struct fixture *f, uint64_t page)
{
	c->f = f;
	c->page = page;
	assert_int_equal(pthread_create(&c->thread, NULL, call_pool, c), 0);
}

static void end(struct caller *c)
{
	pthread_join(c->thread, NULL);
	assert_true(c->right);
}

/* Long enough that it would have ended if it could. */
static void check_waits(const struct caller *c)
{
	usleep(20000);
	assert_false(c->done);
}

static void open_gated(struct fixture *f, struct td_pool_device *d, uint64_t pages,
		       enum td_pool_dedup dedup, uint64_t (*seed_of)(uint64_t page))
{
	make_file(f, pages, seed_of);
	*d = gated(true);
	f->config.device = d;
	f->config.dedup = dedup;
	f->config.epoch_ns = 0;
	f->config.main_pages = 8;
	f->config.device_pages = 32;
	open_pool(f);
	alarm(SECONDS);
}

static void end_gated(struct fixture *f)
{
	close_pool(f);
	check_file(f);
	remove_file(f);
	alarm(0);
}

/* ---- two crews at once ---- */

/* Each waits for the other in the device. */
static void test_parallel(void **state)
{
	struct caller c[4] = {0};
	struct td_pool_device d;
	struct fixture f;
	(void)state;
	open_gated(&f, &d, 40, TD_POOL_ON, NULL);
	set_gate(HASH, true, 4);
	for (uint64_t i = 0; i < 4; i++)
		begin(&c[i], &f, i);
	for (uint64_t i = 0; i < 4; i++)
		end(&c[i]);
	set_gate(HASH, false, 0);
	end_gated(&f);
}

static void read_own(void *arg, unsigned i)
{
	struct fixture *f = arg;
	unsigned char got[PAGE];
	uint64_t seed = i;
	for (unsigned n = 0; n < 300; n++)
		td_pool_read(f->pool, got, PAGE, draw(&seed) % 40 * PAGE, NULL);
}

/* A device that takes one call at a time gets one call at a time. */
static void test_serial_device(void **state)
{
	struct td_pool_device d = gated(false);
	struct fixture f;
	(void)state;
	make_file(&f, 40, NULL);
	f.config.device = &d;
	f.config.dedup = TD_POOL_ON;
	f.config.epoch_ns = 0;
	f.config.main_pages = 4;
	open_pool(&f);
	set_gate(HASH, false, 0);
	run_crew(8, read_own, &f);
	assert_int_equal(gate.most, 1);
	close_pool(&f);
	remove_file(&f);
}

/* ---- the same page, or the same block ---- */

static uint64_t pairs(uint64_t page)
{
	return page / 2 + 1;
}

static void check_two(enum td_pool_dedup dedup, uint64_t other, bool write)
{
	struct caller first = {0}, second = {0}, third = {0};
	struct td_pool_device d;
	struct fixture f;
	open_gated(&f, &d, 40, dedup, pairs);
	for (uint64_t i = 0; i < 20; i++)
		access_page(&f, i, false, 0);
	uint64_t gathers = stats_of(&f).gathers;
	set_gate(GATHER, true, 0);
	begin(&first, &f, 2);
	wait_inside();
	second.write = write;
	if (write)
		memset(f.shadow + other * PAGE, 7, PAGE / 2);
	begin(&second, &f, other);
	check_waits(&second);
	begin(&third, &f, 30); /* from the file */
	end(&third);
	assert_false(first.done);
	if (write && other == 2)
		first.page = 3; /* it may see the write, or not */
	set_gate(GATHER, false, 0);
	pthread_join(first.thread, NULL);
	end(&second);
	assert_int_equal(stats_of(&f).gathers, gathers + 1);
	end_gated(&f);
}

static void test_one_page(void **state)
{
	(void)state;
	check_two(TD_POOL_OFF, 2, false);
	check_two(TD_POOL_ON, 2, true);
}

/* Pages 2 and 3 are equal: one block on the device. */
static void test_one_block(void **state)
{
	(void)state;
	check_two(TD_POOL_ON, 3, false);
	check_two(TD_POOL_ON, 3, true);
}

/* ---- on the way out ---- */

static void test_victim(void **state)
{
	struct caller first = {0}, second = {0}, third = {0};
	struct td_pool_device d;
	struct fixture f;
	(void)state;
	open_gated(&f, &d, 40, TD_POOL_OFF, NULL);
	for (uint64_t i = 0; i < 8; i++)
		access_page(&f, i, true, i);
	set_gate(SCATTER, true, 0);
	begin(&first, &f, 20); /* page 0 leaves */
	wait_inside();
	begin(&second, &f, 0);
	begin(&third, &f, 5);
	check_waits(&second);
	end(&third);
	set_gate(SCATTER, false, 0);
	end(&first);
	end(&second);
	end_gated(&f);
}

/* ---- trims and checks ---- */

static void test_trim_waits(void **state)
{
	struct caller first = {0}, trim = {.trim = true}, second = {0};
	struct td_pool_device d;
	struct fixture f;
	(void)state;
	open_gated(&f, &d, 40, TD_POOL_OFF, NULL);
	for (uint64_t i = 0; i < 20; i++)
		access_page(&f, i, false, 0);
	set_gate(GATHER, true, 0);
	begin(&first, &f, 2);
	wait_inside();
	memset(f.shadow + 3 * PAGE, 0, PAGE);
	begin(&trim, &f, 3);
	check_waits(&trim);
	begin(&second, &f, 33); /* starts behind the trim, which must not wait for ever */
	check_waits(&second);
	set_gate(GATHER, false, 0);
	end(&first);
	end(&trim);
	end(&second);
	end_gated(&f);
}

/* Trims never end, and reads go on; the other way round too. */
struct turns {
	struct fixture f;
	_Atomic unsigned reads, trims, flushes;
};

#define ENOUGH 200u

static bool all_had_turns(const struct turns *t)
{
	return t->reads >= ENOUGH && t->trims >= ENOUGH && t->flushes >= 20;
}

static void take_turns(void *arg, unsigned i)
{
	struct turns *t = arg;
	unsigned char got[PAGE];
	uint64_t seed = i;
	while (!all_had_turns(t)) {
		if (i < 2)
			t->trims += !td_pool_clear(t->f.pool, (60 + i) * PAGE, PAGE, 0, NULL);
		else if (i == 2)
			t->flushes += !td_pool_flush(t->f.pool, NULL);
		else
			t->reads +=
				!td_pool_read(t->f.pool, got, PAGE, draw(&seed) % 60 * PAGE, NULL);
	}
}

static void test_turns(void **state)
{
	struct turns t = {0};
	(void)state;
	make_file(&t.f, 64, NULL);
	t.f.config.epoch_ns = 0;
	open_pool(&t.f);
	alarm(3 * SECONDS);
	run_crew(6, take_turns, &t);
	alarm(0);
	close_pool(&t.f);
	remove_file(&t.f);
}

/* ---- writes ---- */

#define WRITERS 6

struct writes {
	struct fixture f;
	_Atomic unsigned bad;
	bool may_fail;
	int fd;
};

/* What was synced is in the file, whichever crew has written it. */
static void sync_page(struct writes *w, uint64_t page)
{
	uint64_t got;
	if (td_pool_sync(w->f.pool, page * PAGE + 3, 2, NULL))
		w->bad += !w->may_fail;
	else if (pread(w->fd, &got, 8, (off_t)(page * PAGE)) != 8 ||
		 memcmp(&got, w->f.shadow + page * PAGE, 8))
		w->bad++;
}

/* Each writes its own pages, so its last write counts. Reads and flushes make them leave. A write
 * to the file that came late, or a read that came early, would bring back an old one. */
static void write_own(void *arg, unsigned i)
{
	struct writes *w = arg;
	uint64_t seed = i, value[2] = {0}, got;
	for (unsigned n = 0; n < (SANITIZED ? 150 : 400) && !w->bad; n++) {
		uint64_t page = draw(&seed) % 4 * WRITERS + i;
		unsigned char *shadow = w->f.shadow + page * PAGE;
		value[0] = draw(&seed);
		if (!td_pool_write(w->f.pool, value, 8, page * PAGE, NULL))
			memcpy(shadow, value, 8);
		else
			w->bad += !w->may_fail;
		if (n % 4 == 1)
			sync_page(w, page);
		if (n % 16 == i && td_pool_flush(w->f.pool, NULL))
			w->bad += !w->may_fail;
		page = draw(&seed) % 4 * WRITERS + i;
		shadow = w->f.shadow + page * PAGE;
		if (!td_pool_read(w->f.pool, &got, 8, page * PAGE, NULL))
			w->bad += memcmp(&got, shadow, 8) != 0;
		else
			w->bad += !w->may_fail;
	}
}

static void check_writes(enum td_pool_dedup dedup, uint32_t block, uint64_t main, uint64_t device,
			 const char *inject)
{
	struct writes w = {.may_fail = strstr(inject, "=E") != NULL};
	unsigned tries = 0;
	make_file(&w.f, 4 * WRITERS, NULL);
	w.f.config.dedup = dedup;
	w.f.config.block_bytes = block;
	w.f.config.main_pages = main;
	w.f.config.device_pages = device;
	w.f.config.batch = 4;
	w.f.config.epoch_ns = 0;
	w.f.config.inject = inject;
	open_pool(&w.f);
	w.fd = open(w.f.path, O_RDONLY);
	run_crew(WRITERS, write_own, &w);
	assert_int_equal(w.bad, 0);
	close(w.fd);
	while (td_pool_flush(w.f.pool, NULL))
		assert_true(w.may_fail && ++tries < 100);
	check_file(&w.f);
	check_pool(&w.f);
	while (w.may_fail && td_pool_flush(w.f.pool, NULL))
		assert_true(++tries < 200);
	assert_int_equal(td_pool_close(w.f.pool, NULL), 0);
	remove_file(&w.f);
}

static void test_flush_beside_eviction(void **state)
{
	(void)state;
	check_writes(TD_POOL_OFF, PAGE, 4, 0, "delay=200us");
	check_writes(TD_POOL_OFF, PAGE, 4, 6, "delay=200us");
	check_writes(TD_POOL_ON, PAGE, 4, 6, "delay=200us");
	check_writes(TD_POOL_ON, 1024, 3, 4, "delay=200us");
	check_writes(TD_POOL_AUTO, 512, 1, 1, "delay=200us");
}

static void test_failing_writes(void **state)
{
	(void)state;
	check_writes(TD_POOL_OFF, PAGE, 4, 0, "delay=200us,write=EIO:5");
	check_writes(TD_POOL_ON, 1024, 3, 4, "delay=200us,write=ENOSPC:4");
}

/* Pages that are neighbours in the file are one write, whatever blocks they have: so one fails with
 * the other, and the next flush writes all of them. */
static void test_neighbours(void **state)
{
	struct fixture f;
	(void)state;
	make_file(&f, 64, NULL);
	f.config.inject = "write=EIO:2";
	open_pool(&f);
	for (uint64_t i = 0; i < 8; i++)
		access_page(&f, 20 + i * 3 % 8, true, i + 1);
	access_page(&f, 40, true, 1);
	assert_int_equal(td_pool_flush(f.pool, NULL), -EIO);
	assert_int_equal(stats_of(&f).dirty_pages, 1); /* 20 to 27 were the first write */
	assert_int_equal(stats_of(&f).io_errors, 1);
	assert_int_equal(td_pool_flush(f.pool, NULL), 0);
	for (uint64_t i = 0; i < 8; i++)
		access_page(&f, 20 + i * 5 % 8, true, i + 7);
	assert_int_equal(td_pool_flush(f.pool, NULL), -EIO);
	assert_int_equal(stats_of(&f).dirty_pages, 8);
	assert_int_equal(td_pool_flush(f.pool, NULL), 0);
	check_file(&f);
	close_pool(&f);
	remove_file(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parallel),       cmocka_unit_test(test_serial_device),
		cmocka_unit_test(test_one_page),       cmocka_unit_test(test_one_block),
		cmocka_unit_test(test_victim),         cmocka_unit_test(test_trim_waits),
		cmocka_unit_test(test_turns),          cmocka_unit_test(test_flush_beside_eviction),
		cmocka_unit_test(test_failing_writes), cmocka_unit_test(test_neighbours),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
