/* The jsonl reader, groups, and keys that are texts. */
#include "test_trace.h"
#include "test_trace_objects.h"

#define REFUSE(code, error, ...) \
	do { \
		const char *path_ = save("b.jsonl", __VA_ARGS__, strlen(__VA_ARGS__)); \
		assert_fails(&(struct td_trace_options){.path = path_}, code, error); \
	} while (0)

static struct objects parse(const char *text, const char *columns)
{
	return read_objects(&(struct td_trace_options){.path = save("a.jsonl", text, strlen(text)),
						       .columns = columns});
}

static void expect(const char *text, const char *columns, const char *wanted)
{
	struct objects got = parse(text, columns);

	assert_true(got.groups && !got.sizes && !got.costs);
	assert_string_equal(shown_groups(&got).text, wanted);
	free_objects(&got);
}

static void takes_all_shapes(void **state)
{
	(void)state;
	expect("{\"hash_ids\": [1, 2, 3]}\n{\"hash_ids\":[1,4]}\n", NULL, "1 2 3|1 4");
	/* No newline at the end, blank lines, carriage returns, tabs, an empty list. */
	expect("\n\r\n { \"hash_ids\" : [ 7\t, 18446744073709551615 , -1, -9223372036854775808 ] "
	       "} \r\n{\"hash_ids\":[]}\n  \n{\"hash_ids\":[0]}",
	       NULL, "7 18446744073709551615 18446744073709551615 9223372036854775808|0");
	/* Other members, of every kind, before and behind. */
	expect("{\"a\":{\"b\":[{},[[]],\"x]}\\\"\",-1.5e+3,0.0E-1,true,false,null]},\"t\":0,"
	       "\"hash_ids\":[5],\"z\":\"\\u00e9\\ud83d\\ude00\\n\"}\n",
	       NULL, "5");
	/* hash_ids before others, empty or not; else the first list of numbers or texts. */
	expect("{\"tags\":[\"a\"],\"hash_ids\":[]}\n{\"tags\":[],\"hash_ids\":[2]}", NULL, "2");
	expect("{\"tokens\":[9,9],\"hash_ids\":[1]}\n{\"tokens\":[9],\"hash_ids\":[2]}", NULL,
	       "1|2");
	expect("{\"x\":[[1]],\"y\":[{}],\"blocks\":[3,4],\"w\":[8]}", NULL, "3 4");
	expect("{\"hash_ids\":[1],\"w\":[8]}", "blocks=w", "8");
	expect("{\"\\u0068ash_ids\":[1]}", NULL, "1");
}

static void texts_are_keys(void **state)
{
	const char *text = "{\"k\":[\"a\",\"12\",\"012\",\"b\\n\\u00e9\"]}\n{\"k\":[\"a\"]}\n";
	const char *path = save("keys.jsonl", text, strlen(text));
	struct tide_batch *b = calloc(1, sizeof *b);
	struct tide_error err = {0};
	struct td_trace_source *s;

	(void)state;
	assert_int_equal(td_trace_open(&s, &(struct td_trace_options){.path = path}, &err), 0);
	assert_false(s->names);
	assert_int_equal(td_trace_next(s, b, &err), 0);
	assert_int_equal(b->n, 5);
	assert_true(s->names && b->page[0] == b->page[4]);
	assert_int_equal(b->page[1], 12);
	assert_string_equal(td_trace_name(s, b->page[0]), "a");
	assert_null(td_trace_name(s, 12));
	assert_string_equal(td_trace_name(s, b->page[2]), "012");
	assert_string_equal(td_trace_name(s, b->page[3]), "b\n\xc3\xa9");
	td_trace_close(s);
	free(b);
}

/* A line of several MB, longer than the buffer, with numbers of every length. */
static void long_lines(void **state)
{
	enum { LINES = 3, EACH = 300000 };
	char *text = malloc((size_t)LINES * (EACH * 22 + 600100)), *p = text;
	uint64_t random = 5, *pages = malloc(sizeof *pages * LINES * EACH);
	struct objects got;
	size_t n = 0;

	(void)state;
	for (int i = 0; i < LINES; i++) {
		p += sprintf(p, "{\"prompt\":\"");
		memset(p, 'x', 600000);
		p += 600000;
		p += sprintf(p, "\",\"hash_ids\":[");
		for (int k = 0; k < EACH; k++) {
			pages[n] = tide_random_next(&random) >> tide_random_next(&random) % 64;
			p += sprintf(p, "%s%lu", k ? k % 3 ? ", " : "," : "",
				     (unsigned long)pages[n++]);
		}
		p += sprintf(p, "]}\n");
	}
	got = read_objects(
		&(struct td_trace_options){.path = save("long.jsonl", text, (size_t)(p - text)),
					   .columns = "blocks=hash_ids"});
	assert_int_equal(got.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_true(got.at[i].page == pages[i]);
		assert_int_equal(got.at[i].first, i % EACH == 0);
	}
	free_objects(&got);
	free(pages);
	free(text);
}

static void refuses(void **state)
{
	char deep[300] = "{\"a\":";

	(void)state;
	REFUSE(-EBADMSG,
	       "%s line 2 has no list named hash_ids: say the right one with `columns` blocks=NAME",
	       "{\"hash_ids\":[1]}\n{\"a\":1}\n");
	REFUSE(-EBADMSG,
	       "%s line 1 has no list in hash_ids: say the right one with `columns` blocks=NAME",
	       "{\"hash_ids\":7}\n");
	REFUSE(-EBADMSG,
	       "%s line 1 has two members hash_ids: say the right one with `columns` blocks=NAME",
	       "{\"hash_ids\":[7],\"hash_ids\":[8]}\n");
	REFUSE(-EBADMSG, "%s line 2 has \"[\" where JSON needs {: each line is one object, {...}",
	       "{\"hash_ids\":[1]}\n[1]\n");
	REFUSE(-EBADMSG,
	       "%s line 1 ends where JSON needs a comma or ]: each line is one object, {...}",
	       "{\"hash_ids\":[1\n");
	REFUSE(-EBADMSG,
	       "%s line 1 has \"x\" where JSON needs the end of the line: each line is one "
	       "object, {...}",
	       "{\"hash_ids\":[1]} x\n");
	REFUSE(-EBADMSG,
	       "%s line 1 has \"]\" where JSON needs a block, a whole number or a text: each line "
	       "is one object, {...}",
	       "{\"hash_ids\":[1,]}\n");
	REFUSE(-EBADMSG, "%s line 1: a block is no whole number: blocks are whole numbers or texts",
	       "{\"hash_ids\":[1.5]}\n");
	REFUSE(-EBADMSG, "%s line 1: a number begins with 0: leave the 0 out",
	       "{\"hash_ids\":[01, 1                                            ]}\n");
	REFUSE(-ERANGE,
	       "%s line 1: a number does not fit 64 bits: numbers go up to 18446744073709551615",
	       "{\"hash_ids\":[18446744073709551616]}\n");
	REFUSE(-ERANGE,
	       "%s line 1: a number does not fit 64 bits: numbers go down to -9223372036854775808",
	       "{\"hash_ids\":[-9223372036854775809]}\n");
	REFUSE(-EBADMSG, "%s line 1: a text has half of a \\u pair: correct it",
	       "{\"a\":\"\\ud83d\\u0041\",\"hash_ids\":[1]}\n");
	REFUSE(-EBADMSG,
	       "%s line 1 has \"?\" where JSON needs the end of a text: each line is one object, "
	       "{...}",
	       "{\"a\":\"\x01\",\"hash_ids\":[1]}\n");
	REFUSE(-EBADMSG,
	       "%s line 1 has \"u\" where JSON needs true, false or null: each line is one object, "
	       "{...}",
	       "{\"a\":nuul,\"hash_ids\":[1]}\n");
	REFUSE(-ENODATA, "%s has no accesses: give a trace with at least one",
	       "{\"hash_ids\":[]}\n");
	memset(deep + 5, '[', 200);
	REFUSE(-EBADMSG, "%s line 1: lists and objects are more than 64 deep: is this a trace?",
	       deep);
	assert_fails(&(struct td_trace_options){.path = save("b.jsonl", "{}", 2),
						.columns = "blocks=a,b=c"},
		     -EINVAL,
		     "jsonl has one column: write blocks=NAME, the member that is the list of "
		     "blocks");
}

/* What is guessed by content must not change by how a line begins. */
static void is_guessed(void **state)
{
	const char *text = " {\"hash_ids\":[1,2]}\n";
	struct objects got = read_objects(
		&(struct td_trace_options){.path = save("unnamed", text, strlen(text))});

	(void)state;
	assert_string_equal(got.format, "jsonl");
	assert_int_equal(got.n, 2);
	free_objects(&got);
}

/* The digest is the same for a consumer that wants no groups, and tells groups apart. */
static void digest_sees_groups(void **state)
{
	const char *one = "{\"h\":[1,2,3]}\n", *two = "{\"h\":[1,2]}\n{\"h\":[3]}\n";
	struct objects a = parse(one, NULL), b = parse(two, NULL);
	uint64_t blind[2];

	(void)state;
	assert_true(a.digest[0] != b.digest[0]);
	digest_without_objects(save("a.jsonl", one, strlen(one)), blind);
	assert_memory_equal(blind, a.digest, sizeof blind);
	free_objects(&a);
	free_objects(&b);
}

static void keys_are_bounded(void **state)
{
	struct td_trace_keys k;

	(void)state;
	assert_int_equal(td_trace_keys_init(&k, 40), 0);
	assert_int_equal(td_trace_keys_note(&k, 5, "first", 5), 0);
	assert_int_equal(td_trace_keys_note(&k, 6, "second", 6), 0);
	assert_int_equal(td_trace_keys_note(&k, 7, "beyond the room", 15), 0);
	assert_string_equal(td_trace_keys_text(&k, 5), "first");
	assert_string_equal(td_trace_keys_text(&k, 6), "second");
	assert_null(td_trace_keys_text(&k, 7));
	/* Two texts with one hash. */
	assert_int_equal(td_trace_keys_note(&k, 5, "first", 5), 0);
	assert_int_equal(td_trace_keys_note(&k, 5, "firsT", 5), -EEXIST);
	td_trace_keys_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_all_shapes), cmocka_unit_test(texts_are_keys),
		cmocka_unit_test(long_lines),       cmocka_unit_test(refuses),
		cmocka_unit_test(is_guessed),       cmocka_unit_test(digest_sees_groups),
		cmocka_unit_test(keys_are_bounded),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
