/* csv with keys of texts, groups, sizes and costs. */
#include "test_trace.h"
#include "test_trace_objects.h"

static struct objects parse(const char *text, const char *columns)
{
	return read_objects(&(struct td_trace_options){.path = save("a.csv", text, strlen(text)),
						       .columns = columns});
}

/* The same text is the same page, and every other text another one. */
static void expect_names(const char *text, const char *columns, const char *const *names, size_t n)
{
	const char *path = save("n.csv", text, strlen(text));
	struct tide_batch *b = calloc(1, sizeof *b);
	struct tide_error err = {0};
	struct td_trace_source *s;

	if (td_trace_open(&s, &(struct td_trace_options){.path = path, .columns = columns}, &err) ||
	    td_trace_next(s, b, &err))
		fail_msg("%s", err.text);
	assert_int_equal(b->n, n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(td_trace_name(s, b->page[i]), names[i]);
		for (size_t k = 0; k < i; k++)
			assert_int_equal(b->page[i] == b->page[k], !strcmp(names[i], names[k]));
	}
	td_trace_close(s);
	free(b);
}

static void keys_of_several_columns(void **state)
{
	static const char *const names[] = {"3,17", "3,18", "31,7", "3,17"};
	static const char *const odd[] = {"a,b", "\"a,b\",c", "a,\"b,c\"", "a,b"};

	(void)state;
	expect_names("token,layer,expert\n1,3,17\n1,3,18\n2,31,7\n2,3,17\n",
		     "key=layer+expert,group=token", names, 4);
	expect_names("1,3,17\n1,3,18\n2,31,7\n2, \"3\" ,17\n", "key=2+3,group=1", names, 4);
	/* A header above numbers is one, if the columns are numbers too. */
	expect_names("token,layer,expert\n1,3,17\n1,3,18\n2,31,7\n2,3,17\n", "key=2+3,group=1",
		     names, 4);
	/* A comma inside a field must not make two keys one. */
	expect_names("x,y\na,b\n\"a,b\",c\na,\"b,c\"\na,b\n", "key=X+Y", odd, 4);
}

/* What stands behind a quote inside a field is part of its text. */
static void quotes_inside_a_key(void **state)
{
	static const char *const names[] = {"a\"\"b", "a\"\"c", "\"a\"b", "\"a\"c", "a,\"\"", "a"};
	static const char *const pairs[] = {"a\"\"b,c", "\"a,\"\"\",c"};

	(void)state;
	expect_names("key,size\n\"a\"\"b\",1\n\"a\"\"c\",1\n\"a\"b,1\n\"a\"c,1\n"
		     "\"a,\"\"\",1\n \"a\" ,1\r\n",
		     "key=key,size=size", names, 6);
	expect_names("x,y\n\"a\"\"b\",c\n\"a,\"\"\",c\n", "key=x+y", pairs, 2);
}

static void groups(void **state)
{
	struct objects got = parse("token,e\n1,5\n1,6\n2,5\n2,7\n1,5\n", "key=e,group=token");

	(void)state;
	assert_true(got.groups && !got.sizes && !got.costs);
	assert_string_equal(shown_groups(&got).text, "5 6|5 7|5");
	assert_true(got.at[0].first);
	free_objects(&got);
	/* Only the first page of a request begins a group. */
	got = parse("0,8192,a\n8192,4096,b\n", "addr=1,size=2,group=3");
	assert_string_equal(shown_groups(&got).text, "0 1|2");
	assert_false(got.sizes);
	free_objects(&got);
}

/* A group goes on over batches, and begins again after a rewind. */
static void groups_span_batches(void **state)
{
	enum { N = 3 * TIDE_BATCH };
	char *text = malloc(N * 16), *p = text;
	struct tide_batch *b = calloc(1, sizeof *b);
	struct tide_error err = {0};
	struct td_trace_source *s;

	(void)state;
	b->object = calloc(1, sizeof *b->object);
	for (int i = 0; i < N; i++)
		p += sprintf(p, "%d,%d\n", i, i / 5000);
	save("g.csv", text, (size_t)(p - text));
	assert_int_equal(td_trace_open(&s,
				       &(struct td_trace_options){.path = scratch("g.csv"),
								  .columns = "page=1,group=2"},
				       &err),
			 0);
	for (int round = 0; round < 2; round++) {
		uint64_t at = 0;

		while (!td_trace_next(s, b, &err) && b->n)
			for (uint32_t i = 0; i < b->n; i++, at++)
				assert_int_equal(b->object->first[i], at % 5000 == 0);
		assert_int_equal(at, N);
		assert_int_equal(s->ops->rewind(s, &err), 0);
	}
	td_trace_close(s);
	free(b->object);
	free(b);
	free(text);
}

static void sizes_and_costs(void **state)
{
	struct objects got =
		parse("time,key,bytes,price,op\n0,a,100,7,r\n1,12,5000000000,0,w\n2,012,0,1,get\n",
		      "key=key,size=bytes,cost=price,op=op,time=time");

	(void)state;
	assert_true(!got.groups && got.sizes && got.costs);
	assert_int_equal(got.n, 3);
	assert_int_equal(got.at[0].bytes, 100);
	assert_int_equal(got.at[0].cost, 7);
	/* A number is itself; one with a zero in front is a text. */
	assert_int_equal(got.at[1].page, 12);
	assert_true(got.at[1].bytes == 5000000000 && got.at[1].write);
	assert_true(got.at[2].page != 12);
	free_objects(&got);
	/* By the header alone. */
	got = parse("key,size,cost,group\n5,10,1,x\n6,20,2,x\n", NULL);
	assert_true(got.groups && got.sizes && got.costs);
	assert_int_equal(got.at[1].bytes, 20);
	free_objects(&got);
	got = parse("1,2\n", "page=1,size=2");
	assert_true(got.sizes && got.at[0].bytes == 2);
	free_objects(&got);
}

/* A digest tells sizes and costs apart; without them it is what it always was. */
static void digests(void **state)
{
	struct objects plain = parse("1\n2\n", NULL), a = parse("1,5\n2,5\n", "page=1,size=2"),
		       b = parse("1,5\n2,5\n", "page=1,cost=2"),
		       zero = parse("1,0\n2,0\n", "page=1,size=2");

	(void)state;
	assert_true(a.digest[0] != b.digest[0] && a.digest[0] != plain.digest[0]);
	assert_memory_equal(zero.digest, plain.digest, sizeof plain.digest);
	assert_true(plain.digest[0] == UINT64_C(0x702d101f1887a9a5) &&
		    plain.digest[1] == UINT64_C(0xc3fb011bb0a1a0c));
	free_objects(&plain);
	free_objects(&a);
	free_objects(&b);
	free_objects(&zero);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_several_columns),
		cmocka_unit_test(quotes_inside_a_key),
		cmocka_unit_test(groups),
		cmocka_unit_test(groups_span_batches),
		cmocka_unit_test(sizes_and_costs),
		cmocka_unit_test(digests),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
