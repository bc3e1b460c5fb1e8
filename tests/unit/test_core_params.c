#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/params.h"

enum { PAGES, SKEW, MODE, DELTA, BIG };

static const struct tide_param table[] = {
	{"pages", TIDE_PARAM_INT, "100", 1, 1000, "pages"},
	{"skew", TIDE_PARAM_REAL, "0.8", 0, 2.5, "skew"},
	{"mode", TIDE_PARAM_TEXT, "plain", 0, 0, "mode"},
	{"delta", TIDE_PARAM_INT, "-1", -5, 5, "delta"},
	{"big", TIDE_PARAM_INT, "0", 0, 0x1p53, "big"},
	{0},
};

static union tide_value *parse(const char *spec)
{
	struct tide_error err = {0};
	union tide_value *values = NULL;

	if (td_core_params(table, spec, "policy demo", &values, &err) != 0)
		fail_msg("%s", err.text);
	return values;
}

static void defaults_come_from_the_table(void **state)
{
	static const char *const specs[] = {"demo", ""};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		union tide_value *v = parse(specs[i]);
		assert_int_equal(v[PAGES].i, 100);
		assert_true(v[SKEW].r == 0.8);
		assert_string_equal(v[MODE].text, "plain");
		assert_int_equal(v[DELTA].i, -1);
		free(v);
	}
}

static void values_are_taken(void **state)
{
	union tide_value *v = parse("demo:skew=2.5,mode=a=b:c,pages=0x10,delta=-5");

	(void)state;
	assert_int_equal(v[PAGES].i, 16);
	assert_true(v[SKEW].r == 2.5);
	assert_string_equal(v[MODE].text, "a=b:c");
	assert_int_equal(v[DELTA].i, -5);
	free(v);
}

static void values_outlive_the_spec(void **state)
{
	char spec[] = "demo:mode=kept";
	union tide_value *v = parse(spec);

	(void)state;
	memset(spec, 'x', sizeof spec - 1);
	assert_string_equal(v[MODE].text, "kept");
	free(v);
}

static void errors_say_what_and_what_to_do(void **state)
{
	static const struct {
		const char *spec, *text;
	} cases[] = {
		{"demo:pgaes=1", "policy demo has no parameter pgaes (did you mean pages?): "
				 "it takes pages, skew, mode, delta, big"},
		{"demo:elephant=1", "policy demo has no parameter elephant: "
				    "it takes pages, skew, mode, delta, big"},
		{"demo:pages=", "policy demo: parameter pages has no value: write pages=VALUE"},
		{"demo:pages", "policy demo: parameter pages has no value: write pages=VALUE"},
		{"demo:mode=", "policy demo: parameter mode has no value: write mode=VALUE"},
		{"demo:pages=ten", "policy demo: pages=ten is not a whole number: "
				   "give a whole number from 1 to 1000"},
		{"demo:pages=1.5", "policy demo: pages=1.5 is not a whole number: "
				   "give a whole number from 1 to 1000"},
		{"demo:pages=--1", "policy demo: pages=--1 is not a whole number: "
				   "give a whole number from 1 to 1000"},
		{"demo:pages=0", "policy demo: pages=0 is out of range: "
				 "give a whole number from 1 to 1000"},
		{"demo:pages=1001", "policy demo: pages=1001 is out of range: "
				    "give a whole number from 1 to 1000"},
		{"demo:delta=99999999999999999999",
		 "policy demo: delta=99999999999999999999 is out of range: "
		 "give a whole number from -5 to 5"},
		{"demo:big=9007199254740993", "policy demo: big=9007199254740993 is out of range: "
					      "give a whole number from 0 to 9.0072e+15"},
		{"demo:skew=inf",
		 "policy demo: skew=inf is not a number: give a number from 0 to 2.5"},
		{"demo:skew=-0.1",
		 "policy demo: skew=-0.1 is out of range: give a number from 0 to 2.5"},
		{"demo:pages=1,pages=1",
		 "policy demo: parameter pages is given twice: give it once"},
		{"demo:", "policy demo: a parameter has no name: write key=value,key=value"},
		{"demo:pages=1,",
		 "policy demo: a parameter has no name: write key=value,key=value"},
		{"demo:=1", "policy demo: a parameter has no name: write key=value,key=value"},
		{"demo:pages=1\n2", "policy demo: pages=1?2 is not a whole number: "
				    "give a whole number from 1 to 1000"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tide_error err = {0};
		union tide_value *v = (void *)&err;
		assert_int_equal(td_core_params(table, cases[i].spec, "policy demo", &v, &err),
				 -EINVAL);
		assert_string_equal(err.text, cases[i].text);
		assert_int_equal(err.code, -EINVAL);
		assert_ptr_equal(v, &err); /* left alone */
		assert_int_equal(td_core_params(table, cases[i].spec, "policy demo", &v, NULL),
				 -EINVAL);
	}
}

static void a_table_may_be_empty(void **state)
{
	static const struct tide_param none[] = {{0}};
	const struct tide_param *tables[] = {none, NULL};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct tide_error err = {0};
		union tide_value *v = NULL;
		assert_int_equal(td_core_params_count(tables[i]), 0);
		assert_int_equal(td_core_params(tables[i], "lru", "policy lru", &v, &err), 0);
		assert_non_null(v);
		free(v);
		assert_int_equal(td_core_params(tables[i], "lru:a=1", "policy lru", &v, &err),
				 -EINVAL);
		assert_string_equal(err.text, "policy lru has no parameter a: it takes none");
	}
}

static void a_bad_default_is_an_error(void **state)
{
	/* A policy from outside may have any table. */
	static const struct tide_param bad[][2] = {
		{{"n", TIDE_PARAM_INT, "none", 0, 1, ""}, {0}},
		{{"n", TIDE_PARAM_INT, NULL, 0, 1, ""}, {0}},
		{{"n", TIDE_PARAM_REAL, "2", 0, 1, ""}, {0}},
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		union tide_value *v;
		assert_int_equal(td_core_params(bad[i], "mine", "policy mine", &v, NULL), -EINVAL);
	}
}

static void names_end_at_the_first_colon(void **state)
{
	(void)state;
	assert_int_equal(td_core_spec_name("zipf"), 4);
	assert_int_equal(td_core_spec_name("zipf:a=b:c"), 4);
	assert_int_equal(td_core_spec_name(":a"), 0);
	assert_int_equal(td_core_spec_name(""), 0);
	assert_int_equal(td_core_params_count(table), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_come_from_the_table),
		cmocka_unit_test(values_are_taken),
		cmocka_unit_test(values_outlive_the_spec),
		cmocka_unit_test(errors_say_what_and_what_to_do),
		cmocka_unit_test(a_table_may_be_empty),
		cmocka_unit_test(a_bad_default_is_an_error),
		cmocka_unit_test(names_end_at_the_first_colon),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
