/* observ-lru and observ-lfu: every victim and every candidate beside a naive reader's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "policy_help.h"

static struct order used; /* resident chunks, the last used one last */
static uint64_t frequency[CHUNKS];
static bool faulted[CHUNKS];

static void begin(void)
{
	memset(&used, 0, sizeof used);
	memset(frequency, 0, sizeof frequency);
	memset(faulted, 0, sizeof faulted);
}

static void evicted(uint64_t chunk, bool unused)
{
	(void)unused;
	assert_true(order_remove(&used, chunk));
}

/* ---- observ-lru ---- */

static void lru_use(uint64_t chunk)
{
	if (order_remove(&used, chunk))
		order_append(&used, chunk);
}

static void lru_came(uint64_t chunk, bool first)
{
	if (first)
		order_append(&used, chunk);
	lru_use(chunk);
}

static uint64_t lru_victim(void)
{
	for (size_t i = 0; i < used.n; i++)
		if (is_valid(used.at[i]))
			return used.at[i];
	return NONE;
}

static uint64_t lru_candidate(void)
{
	for (size_t i = 0; i < used.n; i++)
		if (!is_observed(used.at[i]))
			return used.at[i];
	return NONE;
}

static const struct model observ_lru = {
	.fault = lru_use,
	.came = lru_came,
	.notice = lru_use,
	.evicted = evicted,
	.victim = lru_victim,
	.candidate = lru_candidate,
};

static void answers_of_observ_lru(void **state)
{
	(void)state;
	run_models(&observ_lru, "observ-lru", begin);
	run_models(&observ_lru, "observ-lru:observe=7,samples=2", begin);
}

/* ---- observ-lfu ---- */

static void lfu_use(uint64_t chunk)
{
	frequency[chunk]++;
	lru_use(chunk);
}

/* The first fault ever of a chunk that came by prefetch is not its second use. */
static void lfu_fault(uint64_t chunk)
{
	frequency[chunk] += faulted[chunk] || !frequency[chunk];
	faulted[chunk] = true;
	lru_use(chunk);
}

static void lfu_came(uint64_t chunk, bool first)
{
	if (first)
		order_append(&used, chunk);
	if (!frequency[chunk])
		frequency[chunk] = 1;
}

/* The first of the lowest frequency, of those that pass. */
static uint64_t lfu_least(bool (*passes)(uint64_t chunk))
{
	uint64_t best = NONE;

	for (size_t i = 0; i < used.n; i++) {
		uint64_t c = used.at[i];
		if (passes(c) && (best == NONE || frequency[c] < frequency[best]))
			best = c;
	}
	return best;
}

static uint64_t lfu_victim(void)
{
	return lfu_least(is_valid);
}

static bool is_unobserved(uint64_t chunk)
{
	return !is_observed(chunk);
}

static uint64_t lfu_candidate(void)
{
	return lfu_least(is_unobserved);
}

static const struct model observ_lfu = {
	.fault = lfu_fault,
	.came = lfu_came,
	.notice = lfu_use,
	.evicted = evicted,
	.victim = lfu_victim,
	.candidate = lfu_candidate,
};

static void answers_of_observ_lfu(void **state)
{
	(void)state;
	run_models(&observ_lfu, "observ-lfu", begin);
	run_models(&observ_lfu, "observ-lfu:observe=7,samples=2", begin);
}

/* ---- by hand ---- */

/* Three frames; after each fault one chunk more is observed, from the oldest on, so the access to
 * page 0 is seen and page 1 leaves. */
static void a_notice_saves_the_oldest(void **state)
{
	struct td_engine *e = start_with("observ-lru", "none", 1, 3, UINT64_MAX);

	(void)state;
	for (uint64_t p = 0; p < 3; p++)
		read_page(e, p);
	read_page(e, 0);
	read_page(e, 3);
	assert_int_equal(e->counts.notices, 1);
	assert_true(is_resident(e, 0));
	assert_false(is_resident(e, 1));
	td_engine_destroy(e);
}

/* Without observation it is lrm: hits are not seen. */
static void unobserved_is_lrm(void **state)
{
	struct td_engine *e = start_with("observ-lru:observe=0", "none", 1, 3, UINT64_MAX);

	(void)state;
	for (uint64_t p = 0; p < 3; p++)
		read_page(e, p);
	read_page(e, 0);
	read_page(e, 3);
	assert_int_equal(e->counts.notices, 0);
	assert_false(is_resident(e, 0));
	td_engine_destroy(e);
}

/* Page 0 leaves with frequency 1 and comes back with 2, so then page 1, used once, leaves before
 * it although it came in later. */
static void frequency_survives_eviction(void **state)
{
	struct td_engine *e = start_with("observ-lfu:observe=0", "none", 1, 2, UINT64_MAX);

	(void)state;
	read_page(e, 0);
	read_page(e, 1);
	read_page(e, 2); /* 0 leaves */
	read_page(e, 0); /* 1 leaves */
	read_page(e, 1); /* 2 leaves: bin 1, where 0 and 1 have been twice */
	assert_false(is_resident(e, 2));
	read_page(e, 2); /* 0, the older of bin 2 */
	assert_false(is_resident(e, 0));
	read_page(e, 3); /* 1, then 2 in bin 2 */
	assert_false(is_resident(e, 1));
	read_page(e, 4); /* 3, in bin 1, and not the older 2 */
	assert_false(is_resident(e, 3));
	assert_true(is_resident(e, 2));
	td_engine_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_of_observ_lru),
		cmocka_unit_test(answers_of_observ_lfu),
		cmocka_unit_test(a_notice_saves_the_oldest),
		cmocka_unit_test(unobserved_is_lrm),
		cmocka_unit_test(frequency_survives_eviction),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
