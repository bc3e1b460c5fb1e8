/* The tide format with groups, sizes and costs. */
#include "test_trace.h"
#include "test_trace_objects.h"
#include "trace/bytes.h"
#include "trace/tide_layout.h"

enum { N = 150000 }; /* some frames */

/* Groups of random lengths, sizes and costs in part of the frames only. */
static char path[80];

static void make_csv(void)
{
	char *text = malloc(N * 64), *p = text;
	uint64_t random = 9, group = 0;

	p += sprintf(p, "page,op,ref,stream,group,size,cost\n");
	for (int i = 0; i < N; i++) {
		group += tide_random_next(&random) % 5 == 0;
		p += sprintf(p, "%lu,%c,%lu,%lu,%lu,%lu,%d\n",
			     (unsigned long)tide_random_next(&random) % 1000,
			     tide_random_next(&random) % 2 ? 'w' : 'r',
			     (unsigned long)tide_random_next(&random) % 3,
			     (unsigned long)tide_random_next(&random) % 3, (unsigned long)group,
			     i > 70000 ? (unsigned long)tide_random_next(&random) >> i % 60 : 0,
			     i < 100 ? i : 0);
	}
	save("o.csv", text, (size_t)(p - text));
	free(text);
	strcpy(path, scratch("o.csv"));
}

static void assert_equal(const struct objects *a, const struct objects *b)
{
	assert_int_equal(a->n, b->n);
	assert_true(a->groups == b->groups && a->sizes == b->sizes && a->costs == b->costs);
	for (size_t i = 0; i < a->n; i++) {
		const struct object *x = &a->at[i], *y = &b->at[i];

		assert_true(x->page == y->page && x->ref == y->ref && x->stream == y->stream &&
			    x->write == y->write && x->first == y->first && x->bytes == y->bytes &&
			    x->cost == y->cost);
	}
	assert_memory_equal(a->digest, b->digest, sizeof a->digest);
}

static void holds_everything(void **state)
{
	static const char *const columns[] = {NULL, "page=1,group=5", "page=1,op=2,size=6",
					      "page=1,cost=7"};

	(void)state;
	make_csv();
	for (int i = 0; i < 4; i++) {
		struct td_trace_options in = {.path = path, .columns = columns[i]};
		struct objects before = read_objects(&in), after;

		convert(&in, scratch("o.tide"));
		after = read_objects(&(struct td_trace_options){.path = scratch("o.tide")});
		assert_equal(&before, &after);
		free_objects(&after);
		/* In a pipe, where the end is not looked at first. */
		convert(&in, scratch("o.tide.zst"));
		after = read_objects(&(struct td_trace_options){.path = scratch("o.tide.zst")});
		assert_equal(&before, &after);
		free_objects(&after);
		free_objects(&before);
	}
}

static void seeks(void **state)
{
	struct td_trace_options in = {.path = path};
	struct objects all;
	struct tide_batch *b = calloc(1, sizeof *b);
	struct tide_error err = {0};
	struct td_trace_source *s;

	(void)state;
	b->object = calloc(1, sizeof *b->object);
	make_csv();
	all = read_objects(&in);
	convert(&in, scratch("s.tide"));
	assert_int_equal(
		td_trace_open(&s, &(struct td_trace_options){.path = scratch("s.tide")}, &err), 0);
	for (uint64_t at = 0; at < N; at += 65537 / 2) {
		assert_int_equal(td_trace_seek(s, at, &err), 0);
		assert_int_equal(td_trace_next(s, b, &err), 0);
		assert_true(b->n > 0);
		for (uint32_t i = 0; i < b->n; i++)
			assert_true(b->object->first[i] == all.at[at + i].first &&
				    b->object->bytes[i] == all.at[at + i].bytes &&
				    b->object->cost[i] == all.at[at + i].cost);
	}
	td_trace_close(s);
	free(b->object);
	free(b);
	free_objects(&all);
}

/* A trace without them is of version 1, byte for byte as before; one with them is not, so that a
 * reader of version 1 refuses it. */
static void versions(void **state)
{
	unsigned char *bytes;
	size_t n;

	(void)state;
	convert(&(struct td_trace_options){.path = save("v.txt", "5 w\n6\n", 6)},
		scratch("v.tide"));
	bytes = load(scratch("v.tide"), &n);
	assert_int_equal(load16(bytes + HEAD_VERSION), 1);
	assert_int_equal(load16(bytes + HEAD_FLAGS), 0);
	free(bytes);
	convert(&(struct td_trace_options){.path = save("v.jsonl", "{\"h\":[5]}", 9)},
		scratch("v.tide"));
	bytes = load(scratch("v.tide"), &n);
	assert_int_equal(load16(bytes + HEAD_VERSION), 2);
	assert_int_equal(load16(bytes + HEAD_FLAGS), WITH_GROUPS);
	/* Any byte that is wrong is noticed; the index is for seeks alone. */
	for (size_t i = 0; i < n - END_BYTES - INDEX_BYTES - 8; i++) {
		struct tide_error err = {0};
		struct events got;

		bytes[i] ^= 0x10;
		assert_true(read_with(&(struct td_trace_options){.path = save("w.tide", bytes, n),
								 .format = "tide"},
				      &got, &err) < 0);
		free(got.at);
		bytes[i] ^= 0x10;
	}
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds_everything),
		cmocka_unit_test(seeks),
		cmocka_unit_test(versions),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
