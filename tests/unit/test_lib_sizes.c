#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "lib/sizes.h"

static int near_pages(const char *text, uint64_t page_bytes, uint64_t footprint, uint32_t chunk,
		      uint64_t *pages, struct tide_error *err)
{
	struct td_lib_near near;
	int rc = td_lib_near_parse(text, page_bytes, &near, err);

	return rc ? rc : td_lib_near_resolve(&near, footprint, chunk, pages, err);
}

static void pages_and_chunks_are_sizes(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {{"1", 1},
		    {"4096", 4096},
		    {"4K", 4096},
		    {"64k", 65536},
		    {"0x1000", 4096},
		    {"2M", 2 << 20},
		    {"1T", UINT64_C(1) << 40}};
	static const char *const bad[] = {"",
					  "0",
					  "0K",
					  "4KX",
					  "-4",
					  "4..5K",
					  " 4K",
					  "2T",
					  "K",
					  "18446744073709551616",
					  "99999999999999999999G"};
	uint64_t bytes;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_int_equal(td_lib_page_bytes(good[i].text, &bytes, NULL), 0);
		assert_int_equal(bytes, good[i].bytes);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct tide_error err = {0};
		assert_int_equal(td_lib_page_bytes(bad[i], &bytes, &err), -EINVAL);
		assert_non_null(strchr(err.text, ':'));
	}
}

static void chunks_are_1_to_64_pages(void **state)
{
	static const struct {
		const char *text, *said;
		uint32_t pages;
	} cases[] = {
		{"4K", NULL, 1},
		{"24K", NULL, 6},
		{"64K", NULL, 16},
		{"256K", NULL, 64},
		{"260K", "65 pages is more than 64", 0},
		{"1T", "more than 64", 0},
		{"2K", "not a multiple of the page", 0},
		{"4097", "not a multiple", 0},
		{"0", "not a multiple", 0},
		{"", "is no size", 0},
		{"x", "chunk of 'x' is no size", 0},
		{"p", "is no size", 0},
		{"1p", NULL, 1},
		{"16p", NULL, 16},
		{"64p", NULL, 64},
		{"65p", "65 pages is more than 64", 0},
		{"0p", "not a multiple", 0},
		{"99999999999999999p", "more than 64", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tide_error err = {0};
		uint32_t pages = 0;
		int rc = td_lib_chunk_pages(cases[i].text, 4096, &pages, &err);
		assert_int_equal(rc, cases[i].said ? -EINVAL : 0);
		assert_int_equal(pages, cases[i].pages);
		if (cases[i].said && !strstr(err.text, cases[i].said))
			fail_msg("'%s' does not say '%s'", err.text, cases[i].said);
	}
}

static void sizes_of_memory_are_rounded_up_to_pages(void **state)
{
	static const struct {
		const char *text;
		uint64_t page_bytes, pages;
	} cases[] = {
		{"1", 4096, 1},
		{"4096", 4096, 1},
		{"4097", 4096, 2},
		{"1M", 4096, 256},
		{"1025K", 4096, 257},
		{"1000p", 4096, 1000},
		{"0x10p", 4096, 16},
		{"1p", 65536, 1},
		{"100", 3, 34},
		{"18446744073709551615p", 4096, UINT64_MAX},
		{"18446744073709551615", 1, UINT64_MAX},
		{"18446744073709551615", 2, UINT64_C(1) << 63},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t pages = 0;
		assert_int_equal(
			near_pages(cases[i].text, cases[i].page_bytes, UINT64_MAX, 1, &pages, NULL),
			0);
		assert_int_equal(pages, cases[i].pages);
	}
}

/* The smallest whole number that is not less than the share. */
static void shares_are_exact(void **state)
{
	static const struct {
		const char *text;
		uint64_t footprint, pages;
	} cases[] = {
		{"100%", 12345, 12345},
		{"50%", 10, 5},
		{"50%", 11, 6},
		{"12.5%", 8, 1},
		{"12.5%", 9, 2},
		{"12.5%", 1600, 200},
		{"12.5%", 1601, 201},
		{"0.1%", 1000, 1},
		{"0.1%", 1001, 2},
		{"33.3%", 1000, 333},
		{"33.3%", 1001, 334},
		{"7%", 100, 7},
		{"14%", 50, 7},
		{"28%", 25, 7},
		{"55%", 100, 55},
		{"57%", 100, 57},
		{"29%", 100, 29},
		{"110%", 10, 11},
		{"1000000%", 1, 10000},
		{"0.000000001%", 1, 1},
		{"1.1%", 1000, 11},
		{"0.000000001%", UINT64_C(100000000000), 1},
		{"0.000000001%", UINT64_C(100000000001), 2},
		{"200%", 7, 14},
		{"75%", UINT64_C(1) << 60, UINT64_C(3) << 58},
		{"75%", (UINT64_C(1) << 60) + 1, (UINT64_C(3) << 58) + 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t pages = 0;
		assert_int_equal(
			near_pages(cases[i].text, 4096, cases[i].footprint, 1, &pages, NULL), 0);
		if (pages != cases[i].pages)
			fail_msg("%s of %lu is %lu, not %lu", cases[i].text, cases[i].footprint,
				 cases[i].pages, pages);
	}
	/* All per cents of all small footprints: no rounding goes astray. */
	for (uint64_t per_cent = 1; per_cent <= 100; per_cent++) {
		char text[16];
		snprintf(text, sizeof text, "%lu%%", per_cent);
		for (uint64_t footprint = 1; footprint <= 500; footprint++) {
			uint64_t pages = 0;
			assert_int_equal(near_pages(text, 4096, footprint, 1, &pages, NULL), 0);
			assert_int_equal(pages, (footprint * per_cent + 99) / 100);
		}
	}
}

static void what_is_no_size_is_refused(void **state)
{
	static const char *const bad[] = {"",
					  "%",
					  "p",
					  "-1%",
					  "1e2%",
					  "12.%",
					  ".5%",
					  "1..5%",
					  "1.5.5%",
					  "12.5",
					  "12.5p",
					  "1,5%",
					  "1000001%",
					  "75 %",
					  "12.1234567890%",
					  "1.5x%",
					  "+5%",
					  "0.-1%",
					  "18446744073709551616",
					  "18446744073709551615%"};
	static const char *const zero[] = {"0", "0%", "0p", "0K", "0.000%"};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct tide_error err = {0};
		uint64_t pages;
		if (near_pages(bad[i], 4096, 1000, 1, &pages, &err) != -EINVAL)
			fail_msg("'%s' is taken", bad[i]);
		assert_non_null(strstr(err.text, "is no size"));
	}
	for (size_t i = 0; i < sizeof zero / sizeof *zero; i++) {
		struct tide_error err = {0};
		uint64_t pages;
		assert_int_equal(near_pages(zero[i], 4096, 1000, 1, &pages, &err), -EINVAL);
		assert_non_null(strstr(err.text, "near memory of 0"));
	}
}

static void seeds_are_any_64_bit_number(void **state)
{
	static const char *const bad[] = {"", "x", "-1", "1.0", "18446744073709551616", " 1"};
	uint64_t seed;

	(void)state;
	assert_int_equal(td_lib_seed(NULL, &seed, NULL), 0);
	assert_int_equal(seed, 1);
	assert_int_equal(td_lib_seed("0", &seed, NULL), 0);
	assert_int_equal(seed, 0);
	assert_int_equal(td_lib_seed("18446744073709551615", &seed, NULL), 0);
	assert_int_equal(seed, UINT64_MAX);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(td_lib_seed(bad[i], &seed, NULL), -EINVAL);
}

static void one_chunk_must_fit(void **state)
{
	struct tide_error err = {0};
	uint64_t pages;

	(void)state;
	assert_int_equal(near_pages("16p", 4096, 0, 16, &pages, &err), 0);
	assert_int_equal(near_pages("15p", 4096, 0, 16, &pages, &err), -EINVAL);
	assert_non_null(strstr(err.text, "15 pages is smaller than one chunk of 16 pages"));
	assert_int_equal(near_pages("50%", 4096, 31, 16, &pages, &err), 0);
	assert_int_equal(near_pages("50", 4096, 0, 16, &pages, &err), -EINVAL);
	assert_non_null(strstr(err.text, "50 alone is bytes: write 50% of the footprint, 50p"));
	assert_int_equal(near_pages("50%", 4096, 30, 16, &pages, &err), -EINVAL);
	assert_null(strstr(err.text, "alone"));
	/* An input without accesses has no share. */
	assert_int_equal(near_pages("50%", 4096, 0, 1, &pages, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_and_chunks_are_sizes),
		cmocka_unit_test(chunks_are_1_to_64_pages),
		cmocka_unit_test(sizes_of_memory_are_rounded_up_to_pages),
		cmocka_unit_test(shares_are_exact),
		cmocka_unit_test(what_is_no_size_is_refused),
		cmocka_unit_test(seeds_are_any_64_bit_number),
		cmocka_unit_test(one_chunk_must_fit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
