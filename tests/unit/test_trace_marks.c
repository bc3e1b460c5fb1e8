/* Marks in the tide format: what is put comes back where it was, whatever the batches, and nothing
 * wrong is believed. */
#include "test_trace.h"

#include "trace/tide_layout.h"

/* Events and marks in one order: a mark has a kind. */
struct item {
	struct tide_mark mark;
	struct td_event event;
};

struct items {
	struct item *at;
	size_t n, room;
};

static void add(struct items *to, struct item item)
{
	if (to->n == to->room) {
		to->room = to->room ? 2 * to->room : 64;
		to->at = realloc(to->at, to->room * sizeof *to->at);
	}
	to->at[to->n++] = item;
}

static void add_mark(struct items *to, enum tide_mark_kind kind, uint64_t page, uint64_t pages)
{
	add(to, (struct item){.mark = {(uint8_t)kind, 0, page, pages}});
}

static void add_events(struct items *to, uint64_t first, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		add(to, (struct item){.event = {first + i, i % 5, i % 3, i % 2}});
}

static struct td_trace_writer *begin(const char *path, const char *format)
{
	struct td_trace_writer *w;
	struct tide_error err = {0};

	if (td_trace_create(&w, path, format, &err))
		fail_msg("%s", err.text);
	return w;
}

/* In batches of so many events at most, marks within them. */
static void put_items(const char *path, const char *format, const struct items *items,
		      uint32_t most)
{
	static struct tide_batch b;
	static struct tide_mark marks[100];
	struct td_trace_writer *w = begin(path, format);

	b.n = b.marks_n = 0;
	b.marks = marks;
	for (size_t i = 0; i < items->n; i++) {
		const struct item *item = &items->at[i];
		if (item->mark.kind) {
			marks[b.marks_n] = item->mark;
			marks[b.marks_n++].at = b.n;
		} else {
			b.page[b.n] = item->event.page;
			b.ref[b.n] = item->event.ref;
			b.stream[b.n] = item->event.stream;
			b.write[b.n++] = item->event.write;
		}
		if (b.n < most && b.marks_n < 100 && i + 1 < items->n)
			continue;
		assert_int_equal(td_trace_put(w, &b, NULL), 0);
		b.n = b.marks_n = 0;
	}
	assert_int_equal(td_trace_finish(w, NULL), 0);
}

static int take_items(struct td_trace_source *s, struct items *got, struct tide_error *err)
{
	struct tide_batch *b = calloc(1, sizeof *b);
	int rc;

	*got = (struct items){0};
	while (!(rc = td_trace_next_marked(s, b, err)) && (b->n || b->marks_n)) {
		uint32_t k = 0;
		for (uint32_t i = 0; i <= b->n; i++) {
			for (; k < b->marks_n && b->marks[k].at == i; k++)
				add_mark(got, b->marks[k].kind, b->marks[k].page,
					 b->marks[k].pages);
			if (i < b->n)
				add(got, (struct item){.event = {b->page[i], b->ref[i],
								 b->stream[i], b->write[i]}});
		}
		assert_int_equal(k, b->marks_n);
	}
	free(b);
	return rc;
}

static void assert_items(const struct items *got, const struct items *expected)
{
	assert_int_equal(got->n, expected->n);
	for (size_t i = 0; i < got->n; i++) {
		const struct item *a = &got->at[i], *b = &expected->at[i];
		if (a->mark.kind != b->mark.kind || a->mark.page != b->mark.page ||
		    a->mark.pages != b->mark.pages || a->event.page != b->event.page ||
		    a->event.ref != b->event.ref || a->event.stream != b->event.stream ||
		    a->event.write != b->event.write)
			fail_msg("item %zu of %zu differs", i, got->n);
	}
}

static struct td_trace_source *open_good(const char *path)
{
	struct td_trace_source *s;
	struct tide_error err = {0};

	if (td_trace_open(&s, &(struct td_trace_options){.path = path}, &err))
		fail_msg("%s", err.text);
	return s;
}

static void check_read(struct td_trace_source *s, const struct items *expected)
{
	struct tide_error err = {0};
	struct items got;

	assert_true(s->marks);
	if (take_items(s, &got, &err))
		fail_msg("%s", err.text);
	assert_items(&got, expected);
	free(got.at);
}

static void check_file(const char *path, const struct items *expected)
{
	struct td_trace_source *s = open_good(path);
	struct events events;
	size_t n = 0;

	check_read(s, expected);
	assert_int_equal(s->ops->rewind(s, NULL), 0);
	check_read(s, expected);
	/* Who looks at events alone sees them all. */
	assert_int_equal(s->ops->rewind(s, NULL), 0);
	assert_int_equal(drain(s, &events, NULL), 0);
	for (size_t i = 0; i < expected->n; i++)
		n += !expected->at[i].mark.kind;
	assert_int_equal(events.n, n);
	assert_int_equal(s->facts.accesses, n);
	free(events.at);
	td_trace_close(s);
}

static void check_pipe(const char *path, const struct items *expected)
{
	char command[256];
	FILE *pipe;
	struct td_trace_source *s;
	struct td_trace_options options = {.path = "pipe"};

	snprintf(command, sizeof command, "cat %s", path);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	assert_int_equal(td_trace_open_fd(&s, dup(fileno(pipe)), &options, NULL), 0);
	check_read(s, expected);
	td_trace_close(s);
	assert_int_equal(pclose(pipe), 0);
}

/* A little of everything, with marks at borders of frames and batches, and behind the last event.
 */
static struct items some(void)
{
	struct items items = {0};

	add_mark(&items, TIDE_MARK_MAP, 0, 70000);
	add_events(&items, 0, 65536);
	add_mark(&items, TIDE_MARK_GONE, 5, 1);
	add_mark(&items, TIDE_MARK_MAP, UINT64_C(1) << 50, 77);
	add_events(&items, 60000, 4096);
	add_mark(&items, TIDE_MARK_BRING, 9, 2);
	add_events(&items, 100, 1);
	add_mark(&items, TIDE_MARK_COLD, 0, 3);
	add_mark(&items, TIDE_MARK_BRING, 0, 3);
	add_events(&items, 7, 70001);
	add_mark(&items, TIDE_MARK_GONE, 0, UINT64_MAX);
	return items;
}

static void marks_keep_their_places(void **state)
{
	static const uint32_t most[] = {1, 7, 1000, TIDE_BATCH};
	struct items items = some();

	(void)state;
	for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
		const char *path = scratch("some.tide");
		put_items(path, NULL, &items, most[i]);
		check_file(path, &items);
		check_pipe(path, &items);
	}
	free(items.at);
}

/* More than a frame holds, between two events and after the last. */
static void there_may_be_any_number(void **state)
{
	struct items items = {0};
	const char *path = scratch("many.tide");

	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		for (uint64_t k = 0; k < 70000 + 65536 * i; k++)
			add_mark(&items, TIDE_MARK_MAP + k % 4, k * 7, 1 + k % 9);
		add_events(&items, i, i < 2);
	}
	put_items(path, NULL, &items, 1000);
	check_file(path, &items);
	check_pipe(path, &items);
	free(items.at);
}

static void seeking_reads_from_the_front(void **state)
{
	static const uint64_t to[] = {0, 1, 65535, 65536, 69632, 139000, 5};
	struct items items = some();
	const char *path = scratch("seek.tide");
	struct td_trace_source *s;

	(void)state;
	put_items(path, NULL, &items, 1000);
	s = open_good(path);
	for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
		struct items rest = items;
		for (uint64_t n = 0; n < to[i]; rest.at++, rest.n--)
			n += !rest.at->mark.kind;
		/* From an odd place, batches and frames do not meet. */
		assert_int_equal(td_trace_seek(s, to[i], NULL), 0);
		check_read(s, to[i] ? &rest : &items);
	}
	td_trace_close(s);
	free(items.at);
}

static void other_formats_leave_them_out(void **state)
{
	struct items items = {0};
	const char *path = scratch("shown.txt");
	struct td_trace_source *s;
	struct events events;
	char *text;
	size_t n;

	(void)state;
	add_mark(&items, TIDE_MARK_MAP, 0, 16);
	add_events(&items, 3, 2);
	add_mark(&items, TIDE_MARK_COLD, 0, 4);
	add_events(&items, 8, 1);
	add_mark(&items, TIDE_MARK_BRING, 1, 2);
	add_mark(&items, TIDE_MARK_GONE, 0, 16);
	put_items(path, NULL, &items, 1000);
	text = (char *)load(path, &n);
	text[n] = '\0';
	assert_string_equal(text, "# map 0 16\n3\n4 w 1 1\n# cold 0 4\n8\n# bring 1 2\n"
				  "# gone 0 16\n");
	free(text);
	s = open_good(path);
	assert_false(s->marks);
	td_trace_close(s);
	path = scratch("shown.oracleGeneral.bin");
	put_items(path, NULL, &items, 1000);
	events = read_good(path);
	assert_int_equal(events.n, 3);
	free(events.at);
	free(items.at);
}

static void wrong_marks_are_refused(void **state)
{
	static const struct tide_mark wrong[] = {
		{0, 0, 0, 1},
		{5, 0, 0, 1},
		{TIDE_MARK_MAP, 0, 0, 0},
		{TIDE_MARK_GONE, 0, UINT64_MAX, 2},
	};
	struct tide_mark good = {TIDE_MARK_MAP, 0, 0, 8};
	static struct tide_batch b = {.n = 1};
	struct td_trace_writer *w = begin(scratch("late.tide"), NULL);
	struct tide_error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_int_equal(td_trace_put_mark(w, &wrong[i], NULL), -EINVAL);
	assert_true(td_trace_holds_marks(w));
	assert_int_equal(td_trace_put(w, &b, NULL), 0);
	assert_int_equal(td_trace_put_mark(w, &good, &err), -EINVAL);
	assert_non_null(strstr(err.text, "begin with a map"));
	td_trace_abandon(w);
	/* Marks alone are no trace. */
	w = begin(scratch("alone.tide"), NULL);
	assert_int_equal(td_trace_put_mark(w, &good, NULL), 0);
	assert_int_equal(td_trace_finish(w, NULL), -ENODATA);
}

/* A small file, every byte of it wrong in turn: read, it is an error or what it was. */
static void damage_is_found(void **state)
{
	struct items items = {0}, got;
	const char *path = scratch("small.tide");
	unsigned char *bytes;
	size_t n;

	(void)state;
	add_mark(&items, TIDE_MARK_MAP, 0, 16);
	add_events(&items, 3, 20);
	add_mark(&items, TIDE_MARK_GONE, 3, 2);
	put_items(path, NULL, &items, 1000);
	bytes = load(path, &n);
	for (size_t i = 0; i < n; i++) {
		struct td_trace_source *s;
		struct tide_error err = {0};
		bytes[i] ^= 0x15;
		save("wrong.tide", bytes, n);
		bytes[i] ^= 0x15;
		struct td_trace_options options = {.path = scratch("wrong.tide")};
		if (td_trace_open(&s, &options, &err))
			continue;
		/* Only in the index, which is for seeking, is nothing found. */
		if (!take_items(s, &got, &err))
			assert_items(&got, &items);
		td_trace_close(s);
		free(got.at);
	}
	free(bytes);
	free(items.at);
}

/* Marks as no writer writes them. */
static void marks_are_checked(void **state)
{
	static const struct {
		uint64_t when[2], page[2], pages[2];
		int rc;
	} each[] = {
		{{4, 9}, {1, 2}, {3, 4}, 0},
		{{40, 43}, {1, 2}, {3, 4}, 0},
		{{4, 44}, {1, 2}, {3, 4}, -EBADMSG},         /* after the last access */
		{{9, 4}, {1, 2}, {3, 4}, -EBADMSG},          /* back */
		{{4, 9}, {1, 2}, {3, 0}, -EBADMSG},          /* no pages */
		{{4, 9}, {1, UINT64_MAX}, {3, 4}, -EBADMSG}, /* beyond all pages */
		{{4, UINT64_MAX}, {1, 2}, {3, 4}, -EBADMSG},
	};
	static unsigned char raw[4 + 3 * TD_TRACE_COLUMN_MOST(2) + TD_TRACE_COLUMN_SLACK];
	static struct tide_mark marks[MOST_MARKS];

	(void)state;
	for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
		const unsigned char *p = raw;
		unsigned char *end = raw + 4;
		uint32_t n;
		memcpy(raw, &(uint32_t){2}, 4);
		end += td_trace_column_encode(end, TD_TRACE_PACKED, each[i].when, 2);
		end += td_trace_column_encode(end, TD_TRACE_DELTA, each[i].page, 2);
		end += td_trace_column_encode(end, TD_TRACE_PACKED, each[i].pages, 2);
		assert_int_equal(td_trace_marks_read(marks, &n, &p, end, 10), each[i].rc);
		for (const unsigned char *cut = raw; cut < end; cut++) {
			p = raw;
			assert_int_equal(td_trace_marks_read(marks, &n, &p, cut, 10), -EBADMSG);
		}
		for (uint32_t count = 0; count < MOST_MARKS * 2; count += MOST_MARKS + 1) {
			memcpy(raw, &count, 4);
			p = raw;
			assert_int_equal(td_trace_marks_read(marks, &n, &p, end, 10), -EBADMSG);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_keep_their_places),
		cmocka_unit_test(there_may_be_any_number),
		cmocka_unit_test(seeking_reads_from_the_front),
		cmocka_unit_test(other_formats_leave_them_out),
		cmocka_unit_test(wrong_marks_are_refused),
		cmocka_unit_test(damage_is_found),
		cmocka_unit_test(marks_are_checked),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
