/* What holds for every workload. */
#include "test_workload.h"

static int by_page(const void *a, const void *b)
{
	const struct td_event *x = a, *y = b;

	return (x->page > y->page) - (x->page < y->page);
}

/* What the run itself says. Sorts it. */
static struct td_trace_facts facts_of(struct run *run)
{
	struct td_trace_facts facts = {.accesses = run->n};

	for (size_t i = 0; i < run->n; i++)
		facts.refs |= run->events[i].ref != 0;
	qsort(run->events, run->n, sizeof *run->events, by_page);
	for (size_t i = 0; i < run->n; i++)
		facts.pages += i == 0 || run->events[i].page != run->events[i - 1].page;
	facts.last_page = run->events[run->n - 1].page;
	return facts;
}

static const char *const specs[] = {
	"cyclic:pages=10,rounds=3",
	"cyclic:pages=1,rounds=1",
	"cyclic:pages=10,accesses=4",
	"cyclic:pages=5000,accesses=4096,stride=3",
	"cyclic:pages=5000,accesses=4097,writes=0.3,refs=7",
	"stride:pages=10,step=3,rounds=2",
	"stride:pages=10,step=10,rounds=2",
	"stride:pages=4095,step=1,rounds=1,writes=1",
	"stride:pages=100,step=7,accesses=14",
	"stride:pages=100,step=7,accesses=15",
	"stride:pages=100,step=7,accesses=16",
	"stride:pages=100,step=7,accesses=40",
	"stride:pages=99,step=7,accesses=99",
	"stride:pages=98,step=7,accesses=97,refs=98",
	"uniform:pages=1000,accesses=8192",
	"uniform:pages=1000,accesses=1",
	"uniform:pages=1,accesses=5,writes=0.5",
	"uniform:pages=100000,accesses=50,refs=3",
	"zipf:pages=1000,accesses=8193,writes=0.2",
	"zipf:pages=1000,accesses=3,shuffle=0",
	"zipf:pages=1000,accesses=3",
	"zipf:pages=10,accesses=5000,shuffle=0,skew=0.1,refs=10",
	"zipf:pages=100000,accesses=5000,shuffle=0,skew=1.2",
	"zipf:pages=1,accesses=10",
	"phases:hot=100,phases=3,accesses=10000",
	"phases:hot=100,phases=3,rounds=3,accesses=9",
	"phases:hot=100,phases=7,shift=10,rounds=1,accesses=4097,writes=0.5,refs=4",
	"phases:hot=1,phases=1,rounds=1,accesses=1",
	"phases:hot=10,phases=5,shift=1000,accesses=4100,skew=0",
	"scanhot:pages=1000,hot=50,accesses=5000",
	"scanhot:pages=1000,hot=50,accesses=1500,writes=0.1",
	"scanhot:pages=1000,hot=50,share=0,accesses=1500",
	"scanhot:pages=1000,hot=50,share=0.999,accesses=4096",
	"scanhot:pages=1,hot=1,accesses=1",
	"matmul:n=1",
	"matmul:n=17",
	"matmul:n=70",
	"matmul-tiled:n=33,tile=8",
	"matmul-tiled:n=33,tile=33",
	"matmul-tiled:n=20,tile=1",
};

static void facts_are_true(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(specs); i++) {
		struct td_trace_source *s = open_source(specs[i], PAGE_BYTES, 1);
		struct run run = read_all(s);
		struct td_trace_facts facts = facts_of(&run);

		if (s->facts.accesses != facts.accesses || s->facts.last_page != facts.last_page ||
		    s->facts.refs != facts.refs ||
		    (s->facts.pages != TD_UNKNOWN && s->facts.pages != facts.pages))
			fail_msg("%s: said %ju %ju %ju %ju, was %ju %ju %ju %ju", specs[i],
				 s->facts.accesses, s->facts.pages, s->facts.last_page,
				 s->facts.refs, facts.accesses, facts.pages, facts.last_page,
				 facts.refs);
		free(run.events);
		td_trace_close(s);
	}
}

static void regular_patterns_know_their_pages(void **state)
{
	static const char *const known[] = {"cyclic", "stride", "matmul", "matmul-tiled"};

	(void)state;
	for (size_t i = 0; i < COUNT(known); i++) {
		struct td_trace_source *s = open_source(known[i], PAGE_BYTES, 1);
		assert_true(s->facts.pages != TD_UNKNOWN);
		td_trace_close(s);
	}
}

static void rewinding_gives_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(specs); i++) {
		struct td_trace_source *s = open_source(specs[i], PAGE_BYTES, 5);
		struct tide_batch *batch = calloc(1, sizeof *batch);
		struct run first = read_all(s), second, third = run_spec(specs[i], PAGE_BYTES, 5);

		assert_int_equal(s->ops->rewind(s, NULL), 0);
		/* From the middle as well as from the end. */
		assert_int_equal(td_trace_next(s, batch, NULL), 0);
		assert_int_equal(s->ops->rewind(s, NULL), 0);
		second = read_all(s);
		assert_true(same_run(&first, &second));
		assert_true(same_run(&first, &third));
		free(first.events);
		free(second.events);
		free(third.events);
		free(batch);
		td_trace_close(s);
	}
}

static void seeds_make_the_difference(void **state)
{
	static const char *const random[] = {
		"uniform:pages=1000,accesses=100",        "zipf:pages=1000,accesses=100",
		"zipf:pages=1000,accesses=100,shuffle=0", "phases:hot=1000,accesses=100",
		"scanhot:hot=1000,accesses=100",          "cyclic:rounds=1,accesses=100,writes=0.5",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(random); i++) {
		struct run one = run_spec(random[i], PAGE_BYTES, 1);
		struct run two = run_spec(random[i], PAGE_BYTES, 2);
		assert_false(same_run(&one, &two));
		free(one.events);
		free(two.events);
	}
}

static void writes_and_refs_leave_the_pages_alone(void **state)
{
	struct run plain = run_spec("zipf:pages=1000,accesses=10000", PAGE_BYTES, 1);
	struct run marked =
		run_spec("zipf:pages=1000,accesses=10000,writes=0.25,refs=4", PAGE_BYTES, 1);
	size_t writes = 0;

	(void)state;
	for (size_t i = 0; i < plain.n; i++) {
		assert_int_equal(marked.events[i].page, plain.events[i].page);
		assert_false(plain.events[i].write);
		assert_int_equal(plain.events[i].ref, 0);
		assert_int_equal(marked.events[i].ref, 1 + marked.events[i].page / 250);
		writes += marked.events[i].write;
	}
	assert_in_range(writes, 2300, 2700);
	free(plain.events);
	free(marked.events);
}

static void huge_sizes_open_at_once(void **state)
{
	static const char *const huge[] = {
		"cyclic:pages=281474976710656",
		"stride:pages=281474976710656",
		"uniform:pages=1000000000000,accesses=281474976710656",
		"zipf:pages=1000000000000,accesses=281474976710656",
		"zipf:pages=1000000000000,accesses=281474976710656,shuffle=0",
		"phases:hot=1000000000,phases=1000,accesses=281474976710656",
		"scanhot:pages=1000000000000,accesses=281474976710656",
		"matmul:n=1048576",
		"matmul-tiled:n=100000,tile=3",
	};
	struct tide_batch *batch = calloc(1, sizeof *batch);

	(void)state;
	for (size_t i = 0; i < COUNT(huge); i++) {
		struct td_trace_source *s = open_source(huge[i], PAGE_BYTES, 1);
		assert_int_equal(td_trace_next(s, batch, NULL), 0);
		assert_int_equal(batch->n, TIDE_BATCH);
		td_trace_close(s);
	}
	free(batch);
}

static void unknown_names_are_told_the_known(void **state)
{
	static const struct {
		const char *spec, *text;
	} cases[] = {
		{"ziph", "unknown workload ziph (did you mean zipf?): known are "},
		{"matmul_tiled:n=1",
		 "unknown workload matmul_tiled (did you mean matmul-tiled?): "},
		{"elephant:pages=1", "unknown workload elephant: known are "},
		{"two\nlines", "unknown workload two?lines: known are "},
		{"", "unknown workload : known are "},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tide_error err = {0};
		struct td_trace_source *s;
		assert_int_equal(td_workload_open(&s, cases[i].spec, PAGE_BYTES, 1, &err), -EINVAL);
		assert_memory_equal(err.text, cases[i].text, strlen(cases[i].text));
		assert_non_null(strstr(err.text, "cyclic, "));
	}
}

static void bad_ones_are_refused(void **state)
{
	static const struct {
		const char *spec;
		uint64_t page_bytes;
		const char *text;
	} cases[] = {
		{"zipf", 0, "workload zipf: pages of 0 bytes: give a page size"},
		{"zipf:pages=0", 4096,
		 "workload zipf: pages=0 is out of range: give a whole number from 1 to "
		 "281474976710656"},
		{"zipf:skew=-1", 4096,
		 "workload zipf: skew=-1 is out of range: give a number from 0 to 100"},
		{"zipf:pages=281474976710656", UINT64_C(1) << 21,
		 "workload zipf: its pages do not fit 64-bit addresses: give fewer or smaller "
		 "pages"},
		{"cyclic:pages=281474976710656,rounds=281474976710656", 4096,
		 "workload cyclic: rounds times pages is more than 64 bits hold: give fewer "
		 "rounds"},
		{"cyclic:pages=281474976710656,stride=281474976710656", 4096,
		 "workload cyclic: pages times stride is more than 64 bits hold: give a smaller "
		 "stride"},
		{"cyclic:pages=1000000000000,stride=1000000", 4096,
		 "workload cyclic: its pages do not fit 64-bit addresses: give fewer or smaller "
		 "pages"},
		{"uniform:pages=10,refs=11", 4096,
		 "workload uniform: refs is more than its pages: give at most 10"},
		{"stride:pages=10,step=11", 4096,
		 "workload stride: step is larger than pages: give at most 10"},
		{"phases:phases=10,rounds=10,accesses=99", 4096,
		 "workload phases: phases times rounds is more than accesses: give every phase at "
		 "least one access"},
		{"phases:phases=281474976710656,rounds=281474976710656", 4096,
		 "workload phases: phases times rounds is more than accesses: give every phase at "
		 "least one access"},
		{"phases:phases=100000000,rounds=1,accesses=100000000,shift=281474976710656", 4096,
		 "workload phases: phases times shift is more than 64 bits hold: give fewer phases "
		 "or a smaller shift"},
		{"matmul-tiled:n=16", 4096,
		 "workload matmul-tiled: tile=32 is larger than n=16: give a tile of at most n"},
		{"matmul", 4095,
		 "workload matmul: 4095 bytes a page do not hold whole 8-byte numbers: give a page "
		 "size that is a multiple of 8"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tide_error err = {0};
		struct td_trace_source *s;
		assert_int_equal(td_workload_open(&s, cases[i].spec, cases[i].page_bytes, 1, &err),
				 -EINVAL);
		assert_string_equal(err.text, cases[i].text);
	}
}

static void the_table_is_sorted_and_complete(void **state)
{
	const struct td_workload *w, *before = NULL;
	size_t n = 0, patterns = 0;

	(void)state;
	for (; (w = td_workload_at(n)); n++, before = w) {
		const struct tide_param *row = w->params;
		assert_true(w->name && w->paper && w->type && w->summary && w->open);
		assert_int_equal(!w->kind, !strcmp(w->paper, "pattern"));
		assert_ptr_equal(td_workload_find(w->name), w);
		assert_null(strchr(w->summary, '\n'));
		if (before)
			assert_true(strcmp(before->name, w->name) < 0);
		patterns += !w->kind;
		for (; row->name; row++)
			assert_true(row->initial && row->help);
		/* Those of the papers may make a graph first; their own tests open them. */
		if (!w->kind)
			td_trace_close(open_source(w->name, PAGE_BYTES, 1));
	}
	assert_true(patterns >= 8 && n > patterns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_are_true),
		cmocka_unit_test(regular_patterns_know_their_pages),
		cmocka_unit_test(rewinding_gives_the_same),
		cmocka_unit_test(seeds_make_the_difference),
		cmocka_unit_test(writes_and_refs_leave_the_pages_alone),
		cmocka_unit_test(huge_sizes_open_at_once),
		cmocka_unit_test(unknown_names_are_told_the_known),
		cmocka_unit_test(bad_ones_are_refused),
		cmocka_unit_test(the_table_is_sorted_and_complete),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
