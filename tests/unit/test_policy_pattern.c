/* pattern on the paper's Figure 6, and what makes a record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "engine_help.h"

/* Chunks of 4 pages and room for two of them. */
static struct td_engine *start_pattern(const char *evict, const char *prefetch)
{
	struct td_engine_config config = config_of(4, 8);

	config.last_page = 63;
	config.evict = named(evict, TIDE_EVICT);
	config.prefetch = named(prefetch, TIDE_PREFETCH);
	return start(&config);
}

/* Two other chunks push chunk 0 out; all their pages are used, so they leave no record. */
static void push_out(struct td_engine *e)
{
	for (uint64_t page = 8; page < 16; page++)
		read_page(e, page);
	for (uint64_t page = 0; page < 4; page++)
		assert_false(is_resident(e, page));
}

/* Chunk 0 leaves with pages 1 and 3 touched: the record 0101. */
static struct td_engine *with_record(const char *evict, const char *prefetch)
{
	struct td_engine *e = start_pattern(evict, prefetch);

	read_page(e, 1);
	read_page(e, 3);
	push_out(e);
	return e;
}

static unsigned pages_of_chunk_0(struct td_engine *e)
{
	unsigned pages = 0;

	for (unsigned i = 0; i < 4; i++)
		pages |= (unsigned)is_resident(e, i) << i;
	return pages;
}

/* A fault on page brings those pages of chunk 0, and nothing else. */
static void fault_brings(struct td_engine *e, uint64_t page, unsigned pages)
{
	unsigned before = pages_of_chunk_0(e);
	uint64_t migrated = e->counts.migrated_pages;

	assert_false(is_resident(e, page));
	read_page(e, page);
	assert_int_equal(pages_of_chunk_0(e) & ~before, pages);
	assert_int_equal(e->counts.migrated_pages - migrated, __builtin_popcount(pages));
}

#define WHOLE 0xfu
#define ODD 0xau  /* pages 1 and 3 */
#define EVEN 0x5u /* pages 0 and 2 */

/* Stream "2": no match at the first search. */
static void figure_6_first_stream(void **state)
{
	static const char *const schemes[] = {"pattern:scheme=1", "pattern:scheme=2"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct td_engine *e = with_record("lrm", schemes[i]);
		fault_brings(e, 2, WHOLE);
		for (uint64_t page = 0; page < 4; page++)
			read_page(e, page); /* all touched: no new record */
		push_out(e);
		fault_brings(e, 1, WHOLE); /* the old one is gone */
		td_engine_destroy(e);
	}
}

/* Stream "1, 2": a match, then none. All is touched then, so the eviction makes no record and
 * leaves the one there is. */
static struct td_engine *second_stream(const char *prefetch)
{
	struct td_engine *e = with_record("lrm", prefetch);

	fault_brings(e, 1, ODD);
	fault_brings(e, 2, EVEN);
	for (uint64_t page = 0; page < 4; page++)
		read_page(e, page);
	push_out(e);
	return e;
}

static void figure_6_second_stream(void **state)
{
	struct td_engine *e = second_stream("pattern:scheme=1");

	(void)state;
	fault_brings(e, 1, WHOLE); /* deleted */
	td_engine_destroy(e);

	e = second_stream("pattern:scheme=2");
	fault_brings(e, 1, ODD); /* kept */
	td_engine_destroy(e);

	e = second_stream("pattern"); /* and searched: still not deleted by a mismatch */
	fault_brings(e, 2, WHOLE);
	for (uint64_t page = 0; page < 4; page++)
		read_page(e, page);
	push_out(e);
	fault_brings(e, 3, ODD);
	td_engine_destroy(e);
}

/* A new record begins unsearched. */
static void a_new_record_overwrites(void **state)
{
	struct td_engine *e = with_record("lrm", "pattern");

	(void)state;
	fault_brings(e, 1, ODD);
	fault_brings(e, 0, EVEN);
	push_out(e); /* touched: 0 and 1 */
	fault_brings(e, 2, WHOLE);
	for (uint64_t page = 0; page < 4; page++)
		read_page(e, page);
	push_out(e);
	fault_brings(e, 1, WHOLE);
	td_engine_destroy(e);
}

/* Less than half untouched is no pattern. */
static void half_is_enough(void **state)
{
	struct td_engine *e = start_pattern("lrm", "pattern");

	(void)state;
	for (uint64_t page = 0; page < 3; page++)
		read_page(e, page);
	push_out(e);
	fault_brings(e, 0, WHOLE);
	td_engine_destroy(e);
}

/* Policies without a strategy count as LRU, whatever they do; mhpe while it is at MRU does not. */
static void only_while_lru_is_followed(void **state)
{
	static const struct {
		const char *evict;
		unsigned pages;
	} cases[] = {{"lrm", ODD}, {"fifo", ODD}, {"lru", ODD}, {"mhpe", WHOLE}, {"hpe", WHOLE}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct td_engine *e = with_record(cases[i].evict, "pattern");
		fault_brings(e, 1, cases[i].pages);
		td_engine_destroy(e);
	}
}

/* mhpe:t1=0 goes over to LRU at the end of the first interval after memory is full. */
static void after_the_switch_of_mhpe(void **state)
{
	struct td_engine *e = with_record("mhpe:interval=4,t1=0", "pattern");

	(void)state;
	fault_brings(e, 1, WHOLE); /* it left under MRU, unrecorded */
	read_page(e, 3);
	push_out(e);
	fault_brings(e, 1, ODD);
	td_engine_destroy(e);
}

static uint64_t entries;

static void see_entries(void *to, const char *key, uint64_t value)
{
	(void)to;
	assert_string_equal(key, "pattern_entries");
	entries = value;
}

/* The most at once, not those at the end. */
static void entries_are_reported(void **state)
{
	struct td_engine *e = with_record("lrm", "pattern:scheme=1");
	const struct td_engine_box *box = &e->box[TD_BOX_PREFETCH];
	struct tide_report report = {.number = see_entries};

	(void)state;
	read_page(e, 0); /* deletes it */
	box->choice.policy->report(box->self, &report);
	assert_int_equal(entries, 1);
	td_engine_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figure_6_first_stream),
		cmocka_unit_test(figure_6_second_stream),
		cmocka_unit_test(a_new_record_overwrites),
		cmocka_unit_test(half_is_enough),
		cmocka_unit_test(only_while_lru_is_followed),
		cmocka_unit_test(after_the_switch_of_mhpe),
		cmocka_unit_test(entries_are_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
