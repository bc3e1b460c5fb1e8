/* The books of mapping kernel, with processes that are arrays: what is near, what left and why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine_help.h"
#include "mech/kernel/books.h"
#include "mech/kernel/kernel.h"

#define PROCESSES 3
#define PAGES 4096 /* of each process, from FIRST on */
#define FIRST ((uint64_t)0x7f0000000 - 100)

enum state { NOTHING, PRESENT, SWAPPED };

struct world {
	struct td_kernel_books books;
	struct td_engine *engine;
	uint8_t state[PROCESSES][PAGES];
	uint8_t stuck[PROCESSES][PAGES]; /* cannot leave */
};

static void begin(struct world *w, const char *evict, const char *prefetch, uint32_t chunk_pages,
		  uint64_t near_pages)
{
	struct td_engine_config c = config_of(chunk_pages, near_pages);
	memset(w, 0, sizeof *w);
	td_kernel_books_init(&w->books, near_pages);
	c.mechanism = td_kernel_mech.name;
	c.gives = td_kernel_mech.gives;
	c.maps = true;
	c.replace_invalid = true;
	c.evict = named(evict, TIDE_EVICT);
	c.prefetch = named(prefetch, TIDE_PREFETCH);
	td_kernel_books_carrier(&w->books, &c.carrier);
	w->engine = w->books.engine = start(&c);
}

static void end(struct world *w)
{
	assert_int_equal(w->books.failed, 0);
	assert_int_equal(td_engine_check(w->engine), 0);
	td_engine_destroy(w->engine);
	td_kernel_books_free(&w->books);
}

static void look(struct world *w, uint32_t process)
{
	td_kernel_books_begin(&w->books, process);
	for (uint64_t at = 0, to; at < PAGES; at = to) {
		uint8_t state = w->state[process][at];
		for (to = at + 1; to < PAGES && w->state[process][to] == state; to++)
			;
		if (state != NOTHING)
			td_kernel_books_range(&w->books, process, FIRST + at, FIRST + to,
					      state == SWAPPED);
	}
	td_kernel_books_end(&w->books, process);
}

/* As the kernel would: what leaves is swapped, what comes ahead of its use stays so. */
static uint64_t carry_out(struct world *w)
{
	struct td_kernel_books *b = &w->books;
	uint64_t left = 0;
	for (uint64_t i = 0; i < b->out.n; i++) {
		const struct td_kernel_run *r = td_kernel_run_at(&b->out, i);
		assert_true(r->pages && r->pages <= TD_KERNEL_RUN);
		for (uint64_t at = r->page - FIRST; at < r->page - FIRST + r->pages; at++) {
			assert_true(at < PAGES);
			assert_int_equal(w->state[r->process][at], PRESENT);
			if (w->stuck[r->process][at])
				td_kernel_books_stayed(b, r->process, FIRST + at, FIRST + at + 1);
			else
				w->state[r->process][at] = SWAPPED;
			left++;
		}
	}
	for (uint64_t i = 0; i < b->arm.n; i++) {
		const struct td_kernel_run *r = td_kernel_run_at(&b->arm, i);
		memset(w->state[r->process] + (r->page - FIRST), SWAPPED, r->pages);
	}
	b->out.n = b->arm.n = b->ahead.n = 0;
	return left;
}

static uint64_t count(const struct world *w, enum state state)
{
	uint64_t n = 0;
	for (unsigned p = 0; p < PROCESSES; p++)
		for (unsigned i = 0; i < PAGES; i++)
			n += w->state[p][i] == state;
	return n;
}

static uint64_t resident(const struct world *w)
{
	return w->engine->near.capacity_pages - w->engine->near.free_pages;
}

/* Everybody is looked at, and so much more than near_pages is too much. */
static uint64_t turn(struct world *w, uint64_t near_pages)
{
	for (uint32_t p = 0; p < PROCESSES; p++)
		look(w, p);
	td_kernel_books_serve(&w->books, (int64_t)count(w, PRESENT) - (int64_t)near_pages);
	return carry_out(w);
}

static void test_pages_come_leave_and_come_back(void **state)
{
	static struct world w;
	(void)state;
	begin(&w, "lrm", "none", 1, 1000);
	memset(w.state[0] + 50, PRESENT, 600);
	assert_int_equal(turn(&w, 1000), 0);
	assert_int_equal(w.engine->counts.faults, 600);
	assert_int_equal(resident(&w), 600);
	/* The least recently migrated ones leave for the new ones. */
	memset(w.state[0] + 2000, PRESENT, 500);
	assert_int_equal(turn(&w, 1000), 100);
	assert_int_equal(resident(&w), 1000);
	for (unsigned i = 50; i < 150; i++)
		assert_int_equal(w.state[0][i], SWAPPED);
	assert_int_equal(w.books.back_pages, 0);
	memset(w.state[0] + 50, PRESENT, 10);
	assert_int_equal(turn(&w, 1000), 10);
	assert_int_equal(w.books.back_pages, 10);
	assert_int_equal(w.engine->counts.faults, 1110);
	assert_int_equal(w.books.kernel_out_pages, 0);
	end(&w);
}

static void test_what_the_kernel_chooses_is_gone(void **state)
{
	static struct world w;
	(void)state;
	begin(&w, "lrm", "none", 16, 1000);
	memset(w.state[1], PRESENT, 700);
	turn(&w, 1000);
	memset(w.state[1] + 3, SWAPPED, 40);   /* the kernel reclaims */
	memset(w.state[1] + 100, NOTHING, 60); /* the program unmaps */
	turn(&w, 1000);
	assert_int_equal(resident(&w), 600);
	assert_int_equal(w.books.kernel_out_pages, 40);
	assert_int_equal(w.engine->counts.evicted_chunks, 0);
	end(&w);
}

static void test_what_cannot_leave_is_not_asked_again(void **state)
{
	static struct world w;
	(void)state;
	begin(&w, "lrm", "none", 1, 1000);
	memset(w.state[2], PRESENT, 900);
	memset(w.stuck[2], 1, 300);
	turn(&w, 900);
	assert_int_equal(turn(&w, 500), 400); /* 300 of them stay */
	assert_int_equal(w.books.stayed_pages, 300);
	uint64_t faults = w.engine->counts.faults;
	assert_int_equal(turn(&w, 500), 300); /* others leave instead */
	assert_int_equal(count(&w, PRESENT), 500);
	assert_int_equal(turn(&w, 500), 0);
	assert_int_equal(w.engine->counts.faults, faults);
	td_kernel_books_retry(&w.books);
	memset(w.stuck, 0, sizeof w.stuck);
	assert_int_equal(turn(&w, 450), 50);
	assert_int_equal(w.engine->counts.faults, faults + 300);
	end(&w);
}

static void test_numbers_of_processes_that_end_are_used_again(void **state)
{
	static struct world w;
	(void)state;
	begin(&w, "lrm", "none", 16, 4000);
	for (unsigned i = 0; i < 50; i++) {
		memset(w.state[i % PROCESSES], PRESENT, PAGES / 4);
		turn(&w, 4000);
		memset(w.state[i % PROCESSES], NOTHING, PAGES);
		if (i % 2)
			td_kernel_books_drop(&w.books, i % PROCESSES);
		turn(&w, 4000);
		assert_int_equal(resident(&w), 0);
	}
	assert_true(w.books.blocks_n <= 2 * (PAGES / 4 / TD_KERNEL_BLOCK + 2));
	end(&w);
}

/* An armed page leaves the page table, and its next touch is a notice. */
static void test_armed_pages_give_notices(void **state)
{
	static struct world w;
	(void)state;
	begin(&w, "cp", "none", 16, 1000);
	for (unsigned round = 0; round < 40; round++) {
		for (unsigned i = 0; i < 1600; i++) {
			w.state[0][i] = PRESENT;
			if (i % 50 == 49)
				turn(&w, 1000);
		}
	}
	assert_true(w.engine->counts.observe_pages > 100);
	assert_true(w.engine->counts.notices > 0);
	assert_true(w.engine->counts.notices < w.engine->counts.observe_pages);
	end(&w);
}

/* What comes ahead of its use is near without being present. */
static void test_what_comes_ahead_is_near(void **state)
{
	static struct world w;
	(void)state;
	begin(&w, "lrm", "locality", 16, 1000);
	memset(w.state[0], PRESENT, 160);
	turn(&w, 1000);
	memset(w.state[0], SWAPPED, 160);
	turn(&w, 1000);
	assert_int_equal(resident(&w), 0);
	w.state[0][20] = PRESENT;
	turn(&w, 1000);
	assert_true(w.books.ahead_pages > 0 && w.books.ahead_pages < 16);
	assert_int_equal(resident(&w), 1 + w.books.ahead_pages);
	uint64_t faults = w.engine->counts.faults;
	w.state[0][21] = PRESENT;
	turn(&w, 1000);
	assert_int_equal(w.engine->counts.faults, faults); /* a hit */
	end(&w);
}

/* At random; the engine has what is present and not stuck. */
static void test_random_programs(void **state)
{
	static const char *const policies[] = {"lrm", "mhpe", "cp", "fifo", "random"};
	static struct world w;
	(void)state;
	for (unsigned n = 0; n < 20; n++) {
		srand(n + 1);
		begin(&w, policies[n % 5], "none", 1u << (n % 4 * 2), 2000);
		for (unsigned i = 0; i < 120; i++) {
			unsigned p = (unsigned)rand() % PROCESSES, at = (unsigned)rand() % PAGES;
			unsigned pages = (unsigned)rand() % 700;
			if (at + pages > PAGES)
				pages = PAGES - at;
			memset(w.state[p] + at, (enum state)(rand() % 5 ? PRESENT : NOTHING),
			       pages);
			for (unsigned k = at; k < at + pages; k++)
				w.stuck[p][k] = rand() % 50 == 0;
			turn(&w, 1500);
			assert_true(resident(&w) <= 2000);
			assert_true(resident(&w) + w.books.stayed_pages + 64 >= count(&w, PRESENT));
			assert_int_equal(td_engine_check(w.engine), 0);
		}
		end(&w);
	}
}

static void refused(const char *evict, const char *why)
{
	struct td_engine_config c = config_of(16, 1000);
	struct tide_error err = {0, ""};
	c.mechanism = td_kernel_mech.name;
	c.gives = td_kernel_mech.gives;
	c.evict = named(evict, TIDE_EVICT);
	assert_int_equal(td_engine_check_needs(&c, &err), -EINVAL);
	assert_non_null(strstr(err.text, why));
	td_policy_release(&c.evict);
}

static void test_policies_that_need_more_are_refused(void **state)
{
	(void)state;
	refused("lru", "needs every access");
	refused("mru", "needs every access");
	refused("opt", "needs the future");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages_come_leave_and_come_back),
		cmocka_unit_test(test_what_the_kernel_chooses_is_gone),
		cmocka_unit_test(test_what_cannot_leave_is_not_asked_again),
		cmocka_unit_test(test_numbers_of_processes_that_end_are_used_again),
		cmocka_unit_test(test_armed_pages_give_notices),
		cmocka_unit_test(test_what_comes_ahead_is_near),
		cmocka_unit_test(test_random_programs),
		cmocka_unit_test(test_policies_that_need_more_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
