/* Writers: what is written comes back, whole or not at all; damage never goes unseen. */
#include <dirent.h>
#include <signal.h>
#include <xxhash.h>

#include "test_trace.h"
#include "trace/bytes.h"
#include "trace/column.h"
#include "trace/tide_layout.h"

/* Shapes that reach all codings: constant, steps, random of every width, outliers, runs. */
static uint64_t make_value(unsigned shape, size_t i, uint64_t *random)
{
	uint64_t r = tide_random_next(random);

	switch (shape % 8) {
	case 0: return 0;
	case 1: return i * 3 % 1000;
	case 2: return r >> (shape / 8 % 64);
	case 3: return r % 50 ? i : r;
	case 4: return i / 100;
	case 5: return UINT64_MAX - (r & 1);
	case 6: return 1000000 + (r % 4 ? i % 64 : r % 100000);
	default: return r % 3 ? 7 : 0;
	}
}

static struct events make_events(size_t n, unsigned shape, uint64_t *random)
{
	struct events e = {malloc(n * sizeof *e.at), n};
	unsigned write = shape % 3;

	for (size_t i = 0; i < n; i++)
		e.at[i] = (struct td_event){
			.page = make_value(shape, i, random),
			.ref = make_value(shape / 3, i, random),
			.stream = make_value(shape / 5, i, random),
			.write = write == 2 || (write && tide_random_next(random) % 2),
		};
	return e;
}

static void columns_come_back(void **state)
{
	enum { N = 5000 };
	uint64_t in[N], out[N], random = 3;
	unsigned char *bytes = malloc(TD_TRACE_COLUMN_MOST(N) + TD_TRACE_COLUMN_SLACK);

	(void)state;
	for (unsigned shape = 0; shape < 8 * 64; shape++) {
		uint32_t n = 1 + (uint32_t)(tide_random_next(&random) % N);

		for (uint32_t i = 0; i < n; i++)
			in[i] = make_value(shape, i, &random);
		for (unsigned kind = TD_TRACE_PACKED; kind <= TD_TRACE_DELTA; kind++) {
			struct td_trace_column c;
			size_t size = td_trace_column_encode(bytes, kind, in, n);
			const unsigned char *at = bytes;
			uint32_t half = n / 3;

			assert_true(size <= TD_TRACE_COLUMN_MOST(n));
			assert_int_equal(td_trace_column_open(&c, &at, bytes + size, n), 0);
			assert_ptr_equal(at, bytes + size);
			td_trace_column_read(&c, out, half);
			td_trace_column_read(&c, out + half, n - half);
			assert_memory_equal(in, out, n * sizeof *in);
			at = bytes;
			assert_int_equal(td_trace_column_open(&c, &at, bytes + size - 1, n),
					 -EBADMSG);
		}
	}
	free(bytes);
}

static void round_trips(void **state)
{
	static const char *const names[] = {"r.tide",    "r.txt",    "r.tide.gz",
					    "r.txt.zst", "r.txt.gz", "r.TIDE.zst"};
	uint64_t random = 11;

	(void)state;
	for (unsigned round = 0; round < 60; round++) {
		size_t n = 1 + tide_random_next(&random) % (round % 10 ? 9000 : 200000);
		struct events e =
			make_events(n, (unsigned)tide_random_next(&random) % 512, &random);
		const char *path = scratch(names[round % 6]);
		struct events got;

		write_good(path, NULL, &e);
		got = read_good(path);
		assert_same(&e, &got, false);
		free(got.at);
		free(e.at);
	}
}

static void check_future(const char *path, const struct events *e)
{
	size_t n;
	unsigned char *bytes = load(path, &n);

	assert_int_equal(n, e->n * 24);
	for (size_t i = 0; i < e->n; i++) {
		uint64_t then = UINT64_MAX;

		for (size_t k = i + 1; k < e->n && then == UINT64_MAX; k++)
			if (e->at[k].page == e->at[i].page)
				then = k + 1;
		assert_true(load64(bytes + i * 24 + 16) == then);
		assert_true(load64(bytes + i * 24 + 4) == e->at[i].page);
	}
	free(bytes);
}

/* Each record's next request, against a search by hand. */
static void oraclegeneral_knows_the_future(void **state)
{
	uint64_t random = 5;

	(void)state;
	for (unsigned shape = 0; shape < 16; shape++) {
		struct events e = make_events(1500, shape, &random), got;
		const char *path = scratch("o.oracleGeneral.bin");

		write_good(path, NULL, &e);
		check_future(path, &e);
		got = read_good(path);
		for (size_t i = 0; i < e.n; i++)
			e.at[i] = (struct td_event){.page = e.at[i].page};
		assert_same(&e, &got, false);
		free(got.at);
		write_good(scratch("o.oracleGeneral.zst"), NULL, &e);
		got = read_good(scratch("o.oracleGeneral.zst"));
		assert_same(&e, &got, false);
		free(got.at);
		free(e.at);
	}
}

static struct td_trace_source *open_good(const char *path)
{
	struct td_trace_source *s;
	struct tide_error err;

	if (td_trace_open(&s, &(struct td_trace_options){.path = path}, &err))
		fail_msg("%s", err.text);
	return s;
}

static void tide_knows_facts(void **state)
{
	struct td_event at[] = {{7, 0, 0, false}, {9, 0, 0, true}, {7, 0, 0, false}};
	struct td_trace_source *s;

	(void)state;
	write_good(scratch("f.tide"), NULL, &(struct events){at, 3});
	s = open_good(scratch("f.tide"));
	assert_int_equal(s->facts.accesses, 3);
	assert_int_equal(s->facts.pages, 2);
	assert_int_equal(s->facts.last_page, 9);
	assert_int_equal(s->facts.refs, 0);
	td_trace_close(s);
	at[2] = (struct td_event){UINT64_MAX, 4, 0, false};
	write_good(scratch("f.tide"), NULL, &(struct events){at, 3});
	s = open_good(scratch("f.tide"));
	assert_int_equal(s->facts.pages, 3);
	assert_true(s->facts.last_page == UINT64_MAX);
	assert_int_equal(s->facts.refs, 1);
	td_trace_close(s);
}

/* To any event, forwards and back, in every format; then the rest follows. */
static void seeks(void **state)
{
	static const char *const names[] = {"s.tide", "s.txt", "s.oraclegeneral", "s.tide.zst"};
	uint64_t random = 9;
	struct events e = make_events(200000, 1, &random);

	(void)state;
	for (size_t i = 0; i < e.n; i++)
		e.at[i] = (struct td_event){.page = i ^ 0x55};
	for (size_t k = 0; k < 4; k++) {
		struct td_trace_source *s;

		write_good(scratch(names[k]), NULL, &e);
		s = open_good(scratch(names[k]));
		for (int round = 0; round < 20; round++) {
			size_t to = tide_random_next(&random) % (e.n + 5);
			struct events got, rest = {0};

			assert_int_equal(td_trace_seek(s, to, NULL), 0);
			assert_int_equal(drain(s, &got, NULL), 0);
			if (to < e.n)
				rest = (struct events){e.at + to, e.n - to};
			assert_same(&rest, &got, false);
			free(got.at);
		}
		td_trace_close(s);
	}
	free(e.at);
}

/* Every cut of a small file is an error, from a file and from a pipe alike. */
static void tide_cut_anywhere(void **state)
{
	uint64_t random = 21;
	struct events e = make_events(300, 3 + 5 * 3, &random);
	unsigned char *bytes;
	size_t n;

	(void)state;
	write_good(scratch("cut.tide"), NULL, &e);
	bytes = load(scratch("cut.tide"), &n);
	for (size_t cut = 1; cut < n; cut++) {
		const char *path = save("cut.tide", bytes, cut);
		struct td_trace_options options = {.path = path, .format = "tide"};
		struct tide_error err = {0};
		struct td_trace_source *s;
		struct events got = {0};
		int ends[2];

		assert_int_equal(read_with(&options, &got, &err), -EBADMSG);
		assert_non_null(strstr(err.text, "cut off"));
		free(got.at);
		assert_int_equal(pipe(ends), 0);
		assert_int_equal(write(ends[1], bytes, cut), cut);
		close(ends[1]);
		if (!td_trace_open_fd(&s, ends[0], &options, &err)) {
			assert_int_equal(drain(s, &got, &err), -EBADMSG);
			assert_same(&e, &got, true);
			free(got.at);
			td_trace_close(s);
		}
		assert_non_null(strstr(err.text, "cut off"));
	}
	free(bytes);
	free(e.at);
}

/* A flipped bit is an error, or changes nothing (in the index, which reading does not use). */
static void tide_flipped_anywhere(void **state)
{
	uint64_t random = 22;
	struct events e = make_events(300, 6, &random);
	unsigned char *bytes;
	size_t n, unseen = 0;

	(void)state;
	write_good(scratch("flip.tide"), NULL, &e);
	bytes = load(scratch("flip.tide"), &n);
	for (size_t i = 0; i < n * 8; i++) {
		struct events got;
		const char *path;
		int rc;

		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
		path = save("flip.tide", bytes, n);
		rc = read_with(&(struct td_trace_options){.path = path, .format = "tide"}, &got,
			       NULL);
		assert_same(&e, &got, rc != 0);
		unseen += !rc;
		if (!rc) {
			struct td_trace_source *s = open_good(path);

			assert_true(td_trace_seek(s, 1, NULL) < 0);
			td_trace_close(s);
		}
		free(got.at);
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
	}
	assert_int_equal(unseen, 64);
	free(bytes);
	free(e.at);
}

static void tide_refuses_newer(void **state)
{
	struct td_event at = {1, 0, 0, false};
	unsigned char *bytes;
	size_t n;

	(void)state;
	write_good(scratch("new.tide"), NULL, &(struct events){&at, 1});
	bytes = load(scratch("new.tide"), &n);
	store16(bytes + HEAD_VERSION, 3);
	assert_fails(&(struct td_trace_options){.path = save("new.tide", bytes, n)}, -ENOTSUP,
		     "%s is a tide trace of version 3 and this program reads up to 2: use a newer "
		     "tide");
	store16(bytes + HEAD_VERSION, 1);
	bytes[HEAD_BYTES + FRAME_BYTES] ^= 1;
	assert_fails(&(struct td_trace_options){.path = save("new.tide", bytes, n)}, -EBADMSG,
		     "%s is damaged after access 0: get an intact copy");
	free(bytes);
}

/* An end that is well summed but untrue. */
static void lie(unsigned char *bytes, size_t n, size_t field, uint64_t value)
{
	unsigned char *e = bytes + n - END_BYTES;

	if (field == END_COLUMNS)
		store32(e + field, (uint32_t)value);
	else
		store64(e + field, value);
	store64(e + END_SUM, XXH3_64bits(e, END_SUM));
}

/* Others size their tables by the facts, so a file that breaks them is damaged. */
static void tide_must_keep_its_facts(void **state)
{
	static const struct {
		size_t field;
		uint64_t value;
	} lies[] = {{END_LAST_PAGE, 8}, {END_COLUMNS, 0},         {END_ACCESSES, 2},
		    {END_PAGES, 4},     {END_FRAMES, UINT64_MAX}, {END_FRAMES, 0}};
	struct td_event at[] = {{7, 1, 0, true}, {9, 0, 0, true}, {7, 0, 0, false}};

	(void)state;
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		struct events got;
		unsigned char *bytes;
		size_t n;

		write_good(scratch("lie.tide"), NULL, &(struct events){at, 3});
		bytes = load(scratch("lie.tide"), &n);
		lie(bytes, n, lies[i].field, lies[i].value);
		assert_int_equal(
			read_with(&(struct td_trace_options){.path = save("lie.tide", bytes, n)},
				  &got, NULL),
			-EBADMSG);
		free(got.at);
		free(bytes);
	}
}

/* From a pipe too, where the end cannot be looked up first. */
static void tide_ends_at_its_end(void **state)
{
	struct td_trace_options options = {.path = "pipe", .format = "tide"};
	struct td_event at = {1, 0, 0, false};
	struct td_trace_source *s;
	struct events got;
	unsigned char *bytes;
	size_t n;
	int ends[2];

	(void)state;
	write_good(scratch("end.tide"), NULL, &(struct events){&at, 1});
	bytes = load(scratch("end.tide"), &n);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], bytes, n), n);
	assert_int_equal(write(ends[1], "x", 1), 1);
	close(ends[1]);
	assert_int_equal(td_trace_open_fd(&s, ends[0], &options, NULL), 0);
	assert_int_equal(drain(s, &got, NULL), -EBADMSG);
	td_trace_close(s);
	free(got.at);
	free(bytes);
}

static size_t count_files(void)
{
	DIR *d = opendir(folder);
	size_t n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* Does the file system have files without a name, of which nothing stays after a kill? */
static bool has_unnamed(void)
{
	int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Nothing appears until the end, nothing stays of what was given up. */
static void appears_whole_or_not(void **state)
{
	static const char *const formats[] = {"tide", "txt", "oraclegeneral"};
	struct tide_batch *b = calloc(1, sizeof *b);
	struct tide_error err = {0};
	struct td_trace_writer *w;
	const char *path = save("keep.out", "old", 3);
	size_t before = count_files(), n;

	(void)state;
	b->n = TIDE_BATCH;
	for (size_t i = 0; i < 3; i++) {
		unsigned char *old;

		assert_int_equal(td_trace_create(&w, path, formats[i], &err), 0);
		assert_int_equal(td_trace_put(w, b, &err), 0);
		if (has_unnamed())
			assert_int_equal(count_files(), before);
		td_trace_abandon(w);
		assert_int_equal(td_trace_create(&w, path, formats[i], &err), 0);
		assert_int_equal(td_trace_finish(w, &err), -ENODATA);
		old = load(path, &n);
		assert_memory_equal(old, "old", 3);
		free(old);
		assert_int_equal(count_files(), before);
	}
	td_trace_abandon(NULL);
	free(b);
}

/* text: how the message begins; what follows may be a list of what the build has. */
static void refuse_create(const char *path, const char *format, int code, const char *text)
{
	struct td_trace_writer *w;
	struct tide_error err = {0};

	assert_int_equal(td_trace_create(&w, path, format, &err), code);
	assert_null(w);
	assert_int_equal(strncmp(err.text, text, strlen(text)), 0);
}

static void refuses_to_write(void **state)
{
	char text[256];

	(void)state;
	refuse_create(
		"/nonexistent/a.txt", NULL, -ENOENT,
		"cannot write /nonexistent/a.txt: No such file or directory: give another name");
	refuse_create("x.csv", NULL, -EINVAL,
		      "x.csv cannot be written as csv: name it .tide, .txt");
	refuse_create("x", NULL, -EINVAL,
		      "cannot tell the format of x from its name: name it .tide, .txt");
	refuse_create("x", "vscsi", -EINVAL,
		      test_names("unknown trace format vscsi: known here are ",
				 td_trace_write_format, ", ")
			      .text);
	snprintf(text, sizeof text, "%s is a directory: name a file in it", folder);
	refuse_create(folder, "txt", -EISDIR, text);
}

static struct td_trace_writer *start_pipe(const char *path, int *reader)
{
	struct tide_batch *b = calloc(1, sizeof *b);
	struct tide_error err = {0};
	struct td_trace_writer *w;

	*reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(*reader >= 0);
	b->n = 3;
	assert_int_equal(td_trace_create(&w, path, "txt", &err), 0);
	assert_int_equal(td_trace_put(w, b, &err), 0);
	free(b);
	return w;
}

/* What is no regular file is written to and stays what it is. A named pipe of our own stands for
 * all of them: a test must not put a device of the machine at risk. */
static void writes_into_pipe(void **state)
{
	const char *path = scratch("pipe");
	struct td_trace_writer *w;
	struct tide_error err = {0};
	struct stat st;
	char text[16], expected[256];
	int reader;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	w = start_pipe(path, &reader);
	assert_int_equal(td_trace_finish(w, &err), 0);
	assert_int_equal(read(reader, text, sizeof text), 6);
	assert_memory_equal(text, "0\n0\n0\n", 6);
	close(reader);
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));

	signal(SIGPIPE, SIG_IGN);
	w = start_pipe(path, &reader);
	close(reader);
	assert_int_equal(td_trace_finish(w, &err), -EPIPE);
	snprintf(expected, sizeof expected, "cannot write %s: Broken pipe: is its reader gone?",
		 path);
	assert_string_equal(err.text, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_come_back),
		cmocka_unit_test(round_trips),
		cmocka_unit_test(oraclegeneral_knows_the_future),
		cmocka_unit_test(tide_knows_facts),
		cmocka_unit_test(seeks),
		cmocka_unit_test(tide_cut_anywhere),
		cmocka_unit_test(tide_flipped_anywhere),
		cmocka_unit_test(tide_refuses_newer),
		cmocka_unit_test(tide_must_keep_its_facts),
		cmocka_unit_test(tide_ends_at_its_end),
		cmocka_unit_test(appears_whole_or_not),
		cmocka_unit_test(refuses_to_write),
		cmocka_unit_test(writes_into_pipe),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
