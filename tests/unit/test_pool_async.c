/* Who is told of an asynchronous get, and when. Callers of the pool may hold locks, and a program
 * has its signals: neither is the business of the thread that tells. */
#include "pool_help.h"

#include <signal.h>

#define GETS 2000

static _Thread_local bool is_caller, is_inside; /* inside: a call of the pool, holding a lock */

struct calls {
	struct fixture f;
	_Atomic unsigned done, bad;
	_Atomic bool over;
};

static void when_done(void *arg, struct tide_pool_pin *pin, int result)
{
	struct calls *c = arg;
	sigset_t mask;
	c->bad += is_inside || result;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	c->bad += !is_caller && !sigismember(&mask, SIGTERM);
	if (!result)
		td_pool_put(c->f.pool, pin, NULL);
	c->done++;
}

static void ask(struct calls *c)
{
	uint64_t seed = 1;
	for (unsigned i = 0; i < GETS; i++)
		c->bad += td_pool_get_async(c->f.pool, draw(&seed) % 200, TIDE_POOL_READ, when_done,
					    c, NULL) != 0;
	while (c->done < GETS)
		usleep(100);
	c->over = true;
}

static void use_pool(void *arg, unsigned i)
{
	struct calls *c = arg;
	struct tide_pool_pin pin = {.size = sizeof pin};
	uint64_t seed = i + 2;
	is_caller = true;
	if (i == 0)
		ask(c);
	while (!c->over) {
		is_inside = true;
		int rc = td_pool_get(c->f.pool, draw(&seed) % 200, TIDE_POOL_READ, &pin, NULL);
		is_inside = false;
		c->bad += rc != 0;
		if (!rc)
			td_pool_put(c->f.pool, &pin, NULL);
	}
}

static void test_told_by_the_pool(void **state)
{
	struct calls c = {0};
	(void)state;
	make_file(&c.f, 200, NULL);
	c.f.config.main_pages = 64;
	c.f.config.batch = 64;
	open_pool(&c.f);
	run_crew(4, use_pool, &c);
	assert_int_equal(c.done, GETS);
	assert_int_equal(c.bad, 0);
	close_pool(&c.f);
	remove_file(&c.f);
}

struct order {
	struct fixture *f;
	uint64_t pages[64];
	_Atomic unsigned n;
};

static void note_page(void *arg, struct tide_pool_pin *pin, int result)
{
	struct order *o = arg;
	if (result)
		return;
	o->pages[o->n] = pin->page;
	td_pool_put(o->f->pool, pin, NULL);
	o->n++;
}

/* What was asked for first is told first. */
static void test_order(void **state)
{
	struct fixture f;
	struct order o = {.f = &f};
	(void)state;
	make_file(&f, 64, NULL);
	f.config.main_pages = 64;
	f.config.batch = 64;
	f.config.epoch_ns = 100000000;
	open_pool(&f);
	for (uint64_t i = 0; i < 64; i++)
		assert_int_equal(
			td_pool_get_async(f.pool, i * 7 % 64, TIDE_POOL_READ, note_page, &o, NULL),
			0);
	while (o.n < 64)
		usleep(100);
	for (uint64_t i = 0; i < 64; i++)
		assert_int_equal(o.pages[i], i * 7 % 64);
	close_pool(&f);
	remove_file(&f);
}

/* ---- one client, whose calls come in different threads ---- */

struct turns {
	struct fixture f;
	_Atomic uint64_t next;
};

static void take_turns(void *arg, unsigned i)
{
	struct turns *t = arg;
	for (uint64_t turn = i; turn < 32; turn += 2) {
		while (t->next != turn)
			usleep(10);
		access_page(&t->f, turn, false, 0);
		t->next++;
	}
}

/* A wait for the epoch would outlast the alarm. */
static void test_lone_client(void **state)
{
	struct turns t = {0};
	(void)state;
	make_file(&t.f, 64, NULL);
	t.f.config.epoch_ns = UINT64_C(3600) * 1000000000;
	open_pool(&t.f);
	alarm(60);
	run_crew(2, take_turns, &t);
	alarm(0);
	assert_int_equal(stats_of(&t.f).batches, 32);
	close_pool(&t.f);
	remove_file(&t.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_told_by_the_pool),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_lone_client),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
