/* Command lines that tide makes: options that were given are given again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/options.h"

struct settings {
	struct td_cli_given given;
	struct td_cli_list each;
	const char *text, *other;
	uint64_t number, none;
	bool yes, no;
};
#define TD_CLI_OPTIONS struct settings

static const struct td_cli_option options[] = {
	{"each", 0, TD_CLI_LIST, TD_CLI_AT(each), "X", "several", TD_CLI_ANY},
	{"text", 't', TD_CLI_TEXT, TD_CLI_AT(text), "X", "a text", TD_CLI_ANY},
	{"other", 0, TD_CLI_TEXT, TD_CLI_AT(other), "X", "a text", TD_CLI_ANY},
	{"number", 'n', TD_CLI_NUMBER, TD_CLI_AT(number), "N", "a number", TD_CLI_ANY},
	{"none", 0, TD_CLI_NUMBER, TD_CLI_AT(none), "N", "a number", TD_CLI_ANY},
	{"yes", 0, TD_CLI_FLAG, TD_CLI_AT(yes), NULL, "a flag", TD_CLI_ANY},
	{"no", 0, TD_CLI_FLAG, TD_CLI_AT(no), NULL, "a flag", TD_CLI_ANY},
	TD_CLI_END_OPTIONS,
};

static const struct td_cli_verb verb = {
	.name = "test", .options = options, .options_bytes = sizeof(struct settings)};

static void written_again(void **state)
{
	static char *const words[] = {"--each",      "a b",   "--each=--b", "--number", "1e3", "-t",
				      "it's \xff\n", "--yes", "--other",    "left out"};
	static const char *const wanted[] = {"--each=a b", "--each=--b", "--text=it's \xff\n",
					     "--number=1000", "--yes"};
	static const char *const except[] = {"other", NULL};
	struct settings given, again;
	struct td_cli_argv argv = {0};

	(void)state;
	assert_int_equal(td_cli_parse(&verb, sizeof words / sizeof *words, words, &given, NULL), 0);
	td_cli_argv_given(&argv, options, &given, except);
	assert_false(argv.failed);
	assert_int_equal(argv.n, sizeof wanted / sizeof *wanted);
	for (size_t i = 0; i < argv.n; i++)
		assert_string_equal(argv.at[i], wanted[i]);
	assert_null(argv.at[argv.n]);
	assert_int_equal(td_cli_parse(&verb, (int)argv.n, argv.at, &again, NULL), 0);
	assert_int_equal(again.each.n, 2);
	assert_string_equal(again.text, given.text);
	assert_int_equal(again.number, 1000);
	assert_true(again.yes && !again.no);
	td_cli_argv_free(&argv);
}

static void split(void **state)
{
	struct td_cli_argv argv = {0};

	(void)state;
	td_cli_argv_split(&argv, "");
	td_cli_argv_split(&argv, " \t ");
	assert_int_equal(argv.n, 0);
	td_cli_argv_split(&argv, "  -p long\t--mem=4G \n");
	for (size_t i = 0; i < 100; i++)
		td_cli_argv_add(&argv, "%zu", i);
	assert_false(argv.failed);
	assert_int_equal(argv.n, 103);
	assert_string_equal(argv.at[1], "long");
	assert_string_equal(argv.at[2], "--mem=4G");
	assert_string_equal(argv.at[102], "99");
	assert_null(argv.at[103]);
	td_cli_argv_free(&argv);
}

/* Any shell reads back what was written, byte for byte. */
static void exact(void **state)
{
	struct td_cli_text text = {0};

	(void)state;
	td_cli_put_word(&text, "exec");
	td_cli_put_exact(&text, "it's $x\n");
	td_cli_put_exact(&text, "");
	assert_string_equal(text.at, "exec 'it'\\''s $x\n' ''");
	free(text.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written_again),
		cmocka_unit_test(split),
		cmocka_unit_test(exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
