/* cp: every victim and every candidate beside a naive reader's, and its split by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "policy_help.h"

static struct {
	struct order list, area; /* area: fixed at the first victim of a fault */
	uint64_t u, fixed_at;
} m;

static void begin(void)
{
	memset(&m, 0, sizeof m);
}

static uint64_t within(uint64_t u)
{
	uint64_t most = m.list.n > 1 ? m.list.n - 1 : 1;

	return u < 1 ? 1 : u < most ? u : most;
}

/* Where the unprotected area begins. */
static size_t split(void)
{
	uint64_t n = m.u ? within(m.u) : 0;

	return m.list.n - (n < m.list.n ? n : m.list.n);
}

static bool is_unprotected(uint64_t chunk)
{
	for (size_t i = split(); i < m.list.n; i++)
		if (m.list.at[i] == chunk)
			return true;
	return false;
}

static void full(void)
{
	m.u = m.list.n / 16 > 2 ? m.list.n / 16 : 2;
	m.u = within(m.u);
}

static void fault(uint64_t chunk)
{
	if (is_unprotected(chunk)) {
		order_remove(&m.list, chunk);
		order_append(&m.list, chunk);
	}
}

static void came(uint64_t chunk, bool first)
{
	if (first)
		order_append(&m.list, chunk);
}

static void notice(uint64_t chunk)
{
	if (is_unprotected(chunk))
		m.u = within(m.u + 1);
}

static void evicted(uint64_t chunk, bool unused)
{
	assert_true(order_remove(&m.list, chunk));
	order_remove(&m.area, chunk);
	if (unused)
		m.u = within(m.u - 1);
}

static bool in_area(uint64_t chunk)
{
	for (size_t i = 0; i < m.area.n; i++)
		if (m.area.at[i] == chunk)
			return true;
	return false;
}

static uint64_t victim(void)
{
	if (m.fixed_at != books.view->near->time) {
		m.fixed_at = books.view->near->time;
		m.area.n = 0;
		for (size_t i = split(); i < m.list.n; i++)
			order_append(&m.area, m.list.at[i]);
	}
	for (size_t i = 0; i < m.area.n; i++)
		if (is_valid(m.area.at[i]))
			return m.area.at[i];
	for (size_t i = m.list.n; i-- > 0;)
		if (is_valid(m.list.at[i]) && !in_area(m.list.at[i]))
			return m.list.at[i];
	return NONE;
}

static uint64_t candidate(void)
{
	for (size_t i = split(); i < m.list.n; i++)
		if (!is_observed(m.list.at[i]))
			return m.list.at[i];
	return NONE;
}

static const struct model model = {
	.full = full,
	.fault = fault,
	.came = came,
	.notice = notice,
	.evicted = evicted,
	.victim = victim,
	.candidate = candidate,
};

static void answers(void **state)
{
	(void)state;
	run_models(&model, "cp", begin);
	run_models(&model, "cp:observe=3", begin);
	run_models(&model, "cp:samples=8,adapt=0", begin);
}

static struct td_engine *filled(const char *evict, uint64_t n)
{
	struct td_engine *e = start_with(evict, "none", 1, n, UINT64_MAX);

	for (uint64_t p = 0; p < n; p++)
		read_page(e, p);
	return e;
}

/* 48 pages: u = 3, so 45, 46, 47 are unprotected and 45 is at the split. */
static void first_victim_is_at_the_split(void **state)
{
	struct td_engine *e = filled("cp:observe=0", 48);

	(void)state;
	read_page(e, 48);
	assert_false(is_resident(e, 45));
	assert_reports(e, TD_BOX_EVICT, "unprotected=3");
	assert_reports(e, TD_BOX_EVICT, "length=48");
	read_page(e, 49);
	assert_false(is_resident(e, 46));
	for (uint64_t p = 50; p < 100; p++)
		read_page(e, p);
	for (uint64_t p = 0; p < 45; p++)
		assert_true(is_resident(e, p)); /* protected */
	td_engine_destroy(e);
}

/* Before memory is full there is no area, so nothing is observed. After the first victim the area
 * is 46, 47, 48, and 46 is observed. */
static void notices_make_the_area_longer(void **state)
{
	struct td_engine *e = filled("cp", 48);

	(void)state;
	assert_int_equal(e->counts.observe_pages, 0);
	read_page(e, 48);
	assert_int_equal(e->counts.observe_pages, 1);
	read_page(e, 47);
	assert_int_equal(e->counts.notices, 0);
	read_page(e, 46);
	assert_int_equal(e->counts.notices, 1);
	assert_reports(e, TD_BOX_EVICT, "unprotected=4");
	read_page(e, 49); /* 44 has become the oldest of the area, was observed and leaves unused */
	assert_false(is_resident(e, 44));
	assert_true(is_resident(e, 46));
	assert_reports(e, TD_BOX_EVICT, "unprotected=3");
	td_engine_destroy(e);
}

/* On a cycle longer than memory the area shrinks to one page, and the rest stays. */
static void a_cycle_keeps_all_but_one(void **state)
{
	struct td_engine *e = filled("cp", 80);
	uint64_t before;

	(void)state;
	for (int round = 0; round < 20; round++)
		for (uint64_t p = 0; p < 100; p++)
			read_page(e, p);
	assert_reports(e, TD_BOX_EVICT, "unprotected=1");
	before = e->counts.faults;
	for (uint64_t p = 0; p < 100; p++)
		read_page(e, p);
	assert_int_equal(e->counts.faults - before, 21);
	td_engine_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
		cmocka_unit_test(first_victim_is_at_the_split),
		cmocka_unit_test(notices_make_the_area_longer),
		cmocka_unit_test(a_cycle_keeps_all_but_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
