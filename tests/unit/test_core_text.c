#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void numbers_are_read_whole(void **state)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t value;
	} cases[] = {
		{"0", 0, 0},
		{"42", 0, 42},
		{"007", 0, 7},
		{"0x1F", 0, 31},
		{"0Xff", 0, 255},
		{"18446744073709551615", 0, UINT64_MAX},
		{"0xffffffffffffffff", 0, UINT64_MAX},
		{"0000000000000000000000000000001", 0, 1},
		{"18446744073709551616", -ERANGE, 0},
		{"0x10000000000000000", -ERANGE, 0},
		{"99999999999999999999999", -ERANGE, 0},
		{"99999999999999999999999x", -EINVAL, 0},
		{"", -EINVAL, 0},
		{"0x", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 ", -EINVAL, 0},
		{"1.5", -EINVAL, 0},
		{"1f", -EINVAL, 0},
		{"0xg", -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t value = 0;
		assert_int_equal(td_core_u64(cases[i].text, strlen(cases[i].text), &value),
				 cases[i].rc);
		assert_int_equal(value, cases[i].value);
	}
}

static void only_the_given_length_is_read(void **state)
{
	uint64_t value;

	(void)state;
	assert_int_equal(td_core_u64("123456", 3, &value), 0);
	assert_int_equal(value, 123);
	assert_int_equal(td_core_u64("0x12", 1, &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(td_core_u64("0x12", 2, &value), -EINVAL);
	assert_int_equal(td_core_u64("1", 0, &value), -EINVAL);
	assert_int_equal(td_core_size("64KB", 3, &value), 0);
	assert_int_equal(value, 65536);
	assert_int_equal(td_core_size("4", 0, &value), -EINVAL);
}

static void sizes_have_units(void **state)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t bytes;
	} cases[] = {
		{"4096", 0, 4096},
		{"0x1000", 0, 4096},
		{"64K", 0, 65536},
		{"64k", 0, 65536},
		{"2M", 0, UINT64_C(2) << 20},
		{"16G", 0, UINT64_C(16) << 30},
		{"1T", 0, UINT64_C(1) << 40},
		{"64KiB", 0, 65536},
		{"64MiB", 0, UINT64_C(64) << 20},
		{"1GiB", 0, UINT64_C(1) << 30},
		{"1TiB", 0, UINT64_C(1) << 40},
		{"1iB", -EINVAL, 0},
		{"MiB", -EINVAL, 0},
		{"1Mi", 0, UINT64_C(1) << 20},
		{"1mib", 0, UINT64_C(1) << 20},
		{"64 MiB", 0, UINT64_C(64) << 20},
		{"64 ", -EINVAL, 0},
		{"512B", 0, 512},
		{"1Mx", -EINVAL, 0},
		{"1MiBs", -EINVAL, 0},
		{"16777215T", 0, UINT64_C(16777215) << 40},
		{"16777216T", -ERANGE, 0},
		{"18446744073709551616K", -ERANGE, 0},
		{"K", -EINVAL, 0},
		{"", -EINVAL, 0},
		{"1KK", -EINVAL, 0},
		{"1KB", 0, 1000},
		{"512MB", 0, 512000000},
		{"2tb", 0, UINT64_C(2000000000000)},
		{"1BK", -EINVAL, 0},
		{"1.5G", 0, UINT64_C(3) << 29},
		{"0.1K", 0, 103}, /* 102.4 */
		{"0.5", -EINVAL, 0},
		{"0.5B", -EINVAL, 0},
		{"1e6", 0, 1000000},
		{"1.5e3K", 0, 1536000},
		{"1e-9", -EINVAL, 0},
		{"1e-9K", 0, 1},
		{"0e99999", 0, 0},
		{"1e19", 0, UINT64_C(10000000000000000000)},
		{"1e20", -ERANGE, 0},
		{"1e99999999999", -ERANGE, 0},
		{"1e", -EINVAL, 0},
		{"1.", -EINVAL, 0},
		{".", -EINVAL, 0},
		{"1.2.3", -EINVAL, 0},
		{"0x1e6", 0, 0x1e6},
		{"0x10K", 0, 16384},
		{"0xK", -EINVAL, 0},
		{"-1K", -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t bytes = 0;
		assert_int_equal(td_core_size(cases[i].text, strlen(cases[i].text), &bytes),
				 cases[i].rc);
		assert_int_equal(bytes, cases[i].bytes);
	}
}

static void counts_are_whole(void **state)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t n;
	} cases[] = {
		{"1000", 0, 1000},    {"1e6", 0, 1000000}, {"1.5e3", 0, 1500},   {"0x10", 0, 16},
		{"2.0", 0, 2},        {"1.5", -EINVAL, 0}, {"1e-1", -EINVAL, 0}, {"1M", -EINVAL, 0},
		{"1e20", -ERANGE, 0}, {"", -EINVAL, 0},    {"e6", -EINVAL, 0},   {"-1", -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t n = 0;
		assert_int_equal(td_core_count(cases[i].text, strlen(cases[i].text), &n),
				 cases[i].rc);
		assert_int_equal(n, cases[i].n);
	}
}

static void reals_are_finite_decimals(void **state)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {{"0", 0},  {"0.5", 0.5},  {".5", 0.5},    {"5.", 5},     {"-1.25", -1.25},
		    {"+2", 2}, {"1e3", 1000}, {"1E-2", 0.01}, {"2.5e+1", 25}};
	static const char *const bad[] = {"",     ".",   "-",     "e3",   "1e",    "1e+",
					  "0x10", "inf", "nan",   "-inf", "1e999", "1,5",
					  " 1",   "1 ",  "1.2.3", "1_0"};
	double value;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(td_core_real(good[i].text, &value), 0);
		assert_true(value == good[i].value);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(td_core_real(bad[i], &value), -EINVAL);
}

static void shares_are_parts_or_percent(void **state)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {{"0.25", 0.25}, {"25%", 0.25}, {"100%", 1}, {"12.5%", 0.125}, {"0%", 0}};
	static const char *const bad[] = {"", "%", "5%%", "%5", "5 %", "x%", "1e999%"};
	double value;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(td_core_share(good[i].text, &value), 0);
		assert_true(value == good[i].value);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(td_core_share(bad[i], &value), -EINVAL);
}

static void the_nearest_name_is_found(void **state)
{
	static const char *const names[] = {"clock",        "cyclic",       "fifo", "lfu",
					    "lirs",         "lrm",          "lru",  "matmul",
					    "matmul-tiled", "reserved-lru", "t1",   "t2"};
	static const struct {
		const char *word, *name;
	} cases[] = {
		{"lrx", "lrm"}, /* the first of equals */
		{"lur", "lru"}, /* swapped */
		{"LRU", "lru"},
		{"fif", "fifo"},
		{"cylcic", "cyclic"},
		{"clok", "clock"},
		{"matmull", "matmul"},
		{"matmul-t", "matmul-tiled"}, /* a beginning */
		{"reserved", "reserved-lru"},
		{"reservde-lur", "reserved-lru"},
		{"t9", "t1"},
		{"x", NULL}, /* another letter altogether */
		{"", NULL},
		{"elephant", NULL},
		{"marmalade", NULL},
	};
	char much[1000];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *name = td_core_nearest(cases[i].word, names, COUNT(names));
		if (cases[i].name)
			assert_string_equal(name, cases[i].name);
		else
			assert_null(name);
	}
	memset(much, 'l', sizeof much - 1);
	much[sizeof much - 1] = '\0';
	assert_null(td_core_nearest(much, names, COUNT(names)));
	assert_null(td_core_nearest("lru", (const char *const[]){much}, 1));
	assert_null(td_core_nearest("lru", NULL, 0));
}

static void a_shown_word_is_one_short_line(void **state)
{
	char much[200];

	(void)state;
	assert_string_equal(td_core_shown("zipf:pages", 4).text, "zipf");
	assert_string_equal(td_core_shown("a\nb\tc\x7f"
					  "d",
					  99)
				    .text,
			    "a?b?c?d");
	memset(much, 'x', sizeof much - 1);
	much[sizeof much - 1] = '\0';
	assert_int_equal(strlen(td_core_shown(much, sizeof much).text),
			 sizeof(struct td_core_word) - 1);
}

static void bytes_that_are_no_text_are_escaped(void **state)
{
	static const struct {
		const char *from, *text, *shown; /* for JSON; for a terminal */
	} cases[] = {
		{"", "", ""},
		{"plain", "plain", "plain"},
		{"\303\244\342\202\254\360\237\230\200", "\303\244\342\202\254\360\237\230\200",
		 "\303\244\342\202\254\360\237\230\200"},
		{"a\377b\303", "a\\xffb\\xc3", "a\\xffb\\xc3"},
		{"\300\200\355\240\200", "\\xc0\\x80\\xed\\xa0\\x80", "\\xc0\\x80\\xed\\xa0\\x80"},
		{"\33[1m\n", "\33[1m\n", "\\x1b[1m\\x0a"},
		{"\302\233", "\302\233", "\\xc2\\x9b"},
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(td_core_escape(text, sizeof text, cases[i].from, false),
				 strlen(cases[i].text));
		assert_string_equal(text, cases[i].text);
		td_core_escape(text, sizeof text, cases[i].from, true);
		assert_string_equal(text, cases[i].shown);
	}
	/* Cut before what has no room whole. */
	assert_int_equal(td_core_escape(text, 6, "ab\377\377", false), 10);
	assert_string_equal(text, "ab");
	assert_int_equal(td_core_escape(NULL, 0, "\377", false), 4);
}

static void members_become_options(void **state)
{
	static const char *const cases[][2] = {
		{"give `near_size`, say `near_size` 75%", "give --near, say --near 75%"},
		{"add `replace_invalid`", "add --replace-invalid"},
		{"`page`", "--page"},
		{"a `mark, `` and `A b` stay", "a `mark, `` and `A b` stay"},
		{"`_size`", "---size"},
		{"", ""},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[64];
		snprintf(text, sizeof text, "%s", cases[i][0]);
		assert_int_equal(td_core_as_options(text), strlen(cases[i][1]));
		assert_string_equal(text, cases[i][1]);
	}
}

static void a_line_is_utf8_without_control_characters(void **state)
{
	static const char *const lines[] = {"", "lru", "na\xc3\xafve", "\xe2\x82\xac",
					    "\xf0\x9f\x8c\x8a"};
	static const char *const others[] = {"a\nb",
					     "\x1b[31m",
					     "\x7f",
					     "\xff",
					     "\xc3",
					     "\xc0\xaf",
					     "\xe0\x80\xaf",
					     "\xed\xa0\x80",
					     "\xf4\x90\x80\x80",
					     "\xa4",
					     "\xf8\x88\x80\x80"};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		assert_true(td_core_is_line(lines[i]));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false(td_core_is_line(others[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_become_options),
		cmocka_unit_test(bytes_that_are_no_text_are_escaped),
		cmocka_unit_test(numbers_are_read_whole),
		cmocka_unit_test(only_the_given_length_is_read),
		cmocka_unit_test(sizes_have_units),
		cmocka_unit_test(counts_are_whole),
		cmocka_unit_test(reals_are_finite_decimals),
		cmocka_unit_test(shares_are_parts_or_percent),
		cmocka_unit_test(the_nearest_name_is_found),
		cmocka_unit_test(a_shown_word_is_one_short_line),
		cmocka_unit_test(a_line_is_utf8_without_control_characters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
