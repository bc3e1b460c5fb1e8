/* The txt and csv readers: what they take and how they refuse. */
#include "test_trace.h"

static struct events parse(const char *name, const char *text, const char *columns,
			   uint64_t page_bytes)
{
	struct tide_error err = {0};
	struct events got;
	const char *path = save(name, text, strlen(text));

	if (read_with(&(struct td_trace_options){.path = path,
						 .columns = columns,
						 .page_bytes = page_bytes},
		      &got, &err))
		fail_msg("%s", err.text);
	return got;
}

static void expect(const char *name, const char *text, const char *columns, uint64_t page_bytes,
		   const struct td_event *events, size_t n)
{
	struct events got = parse(name, text, columns, page_bytes);

	assert_same(&(struct events){(struct td_event *)events, n}, &got, false);
	free(got.at);
}

#define EXPECT(name, text, columns, page_bytes, ...) \
	do { \
		const struct td_event wanted_[] = {__VA_ARGS__}; \
		expect(name, text, columns, page_bytes, wanted_, \
		       sizeof wanted_ / sizeof *wanted_); \
	} while (0)

static void txt_takes_all_shapes(void **state)
{
	(void)state;
	EXPECT("a.txt",
	       "# comment\n"
	       "0\n7\n\n  \t\n 12345678\n123456789\n1234567890123456\n12345678901234567 \r\n"
	       "18446744073709551615\n0xff\n0XAB\n0xffffffffffffffff\n"
	       "5 w\n6 r\n7\tw\t9\n8 r 9 10\n9 11\n10 11 12\n11#c\n12 w#c\n13 w 1 # c 4\r\n"
	       "00000000000000000000000014 w\n15 r 18446744073709551615 0x10\n16 w",
	       NULL, 0, {0, 0, 0, false}, {7, 0, 0, false}, {12345678, 0, 0, false},
	       {123456789, 0, 0, false}, {1234567890123456, 0, 0, false},
	       {12345678901234567, 0, 0, false}, {UINT64_MAX, 0, 0, false}, {255, 0, 0, false},
	       {0xab, 0, 0, false}, {UINT64_MAX, 0, 0, false}, {5, 0, 0, true}, {6, 0, 0, false},
	       {7, 9, 0, true}, {8, 9, 10, false}, {9, 11, 0, false}, {10, 11, 12, false},
	       {11, 0, 0, false}, {12, 0, 0, true}, {13, 1, 0, true}, {14, 0, 0, true},
	       {15, UINT64_MAX, 16, false}, {16, 0, 0, true});
}

/* A ref in one batch must not show in the next one. */
static void txt_clears_refs(void **state)
{
	char *text = malloc(3 * TIDE_BATCH * 8), *p = text;
	struct events got;

	(void)state;
	for (int i = 0; i < 3 * TIDE_BATCH; i++)
		p += sprintf(p, i % 5000 ? "%d\n" : "%d r 7 8\n", i % 100);
	got = parse("refs.txt", text, NULL, 0);
	assert_int_equal(got.n, 3 * TIDE_BATCH);
	for (size_t i = 0; i < got.n; i++) {
		assert_int_equal(got.at[i].ref, i % 5000 ? 0 : 7);
		assert_int_equal(got.at[i].stream, i % 5000 ? 0 : 8);
	}
	free(got.at);
	free(text);
}

/* Every digit count against the C library, at every position in the buffer's blocks. */
static void txt_numbers(void **state)
{
	enum { N = 100000 };
	char *text = malloc(N * 24), *p = text;
	uint64_t random = 7, *values = malloc(N * sizeof *values);
	struct events got;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		values[i] = tide_random_next(&random) >> tide_random_next(&random) % 64;
		p += sprintf(p, i % 3 ? "%lu\n" : "0x%lx\n", (unsigned long)values[i]);
	}
	got = parse("numbers.txt", text, NULL, 0);
	assert_int_equal(got.n, N);
	for (size_t i = 0; i < N; i++)
		assert_true(got.at[i].page == values[i]);
	free(got.at);
	free(values);
	free(text);
}

static void refuse(const char *name, const char *text, const char *columns, int code,
		   const char *error)
{
	const char *path = save(name, text, strlen(text));

	assert_fails(&(struct td_trace_options){.path = path, .columns = columns}, code, error);
}

static void txt_refuses(void **state)
{
	(void)state;
	refuse("b.txt", "1\n2\nhello\n", NULL, -EBADMSG,
	       "%s line 3: page \"hello\" is no number: a line is PAGE [r|w] [REF] [STREAM], "
	       "decimal or 0x hexadecimal");
	refuse("b.txt", "1\n-5\n", NULL, -EBADMSG,
	       "%s line 2: page \"-5\" is no number: a line is PAGE [r|w] [REF] [STREAM], decimal "
	       "or 0x hexadecimal");
	refuse("b.txt", "# x\n\n18446744073709551616\n", NULL, -ERANGE,
	       "%s line 3: page 18446744073709551616 does not fit 64 bits: numbers go up to "
	       "18446744073709551615");
	refuse("b.txt", "1 w 0x10000000000000000", NULL, -ERANGE,
	       "%s line 1: ref 0x10000000000000000 does not fit 64 bits: numbers go up to "
	       "18446744073709551615");
	refuse("b.txt", "1 w 2 3x\n", NULL, -EBADMSG,
	       "%s line 1: stream \"3x\" is no number: a line is PAGE [r|w] [REF] [STREAM], "
	       "decimal or 0x hexadecimal");
	refuse("b.txt", "1 w 2 3 4\n", NULL, -EBADMSG,
	       "%s line 1 has too many words: a line is PAGE [r|w] [REF] [STREAM]");
	refuse("b.txt", "1 2 3 4\n", NULL, -EBADMSG,
	       "%s line 1 has too many words: a line is PAGE [r|w] [REF] [STREAM]");
	refuse("b.txt", "# only\n\n # comments\n", NULL, -ENODATA,
	       "%s has no accesses: give a trace with at least one");
	refuse("b.txt", "", NULL, -ENODATA, "%s has no accesses: it is empty");
}

/* What was good before a bad line is handed out before the error. */
static void txt_gives_events_before_error(void **state)
{
	const char *path = save("late.txt", "1\n2\nx\n", 6);
	struct tide_error err = {0};
	struct events got;

	(void)state;
	assert_int_equal(read_with(&(struct td_trace_options){.path = path}, &got, &err), -EBADMSG);
	assert_int_equal(got.n, 2);
	assert_int_equal(got.at[1].page, 2);
	free(got.at);
}

static void txt_refuses_endless_line(void **state)
{
	size_t n = TD_TRACE_INPUT_BYTES + 100;
	char *text = malloc(n);
	const char *path;

	(void)state;
	memset(text, ' ', n);
	memcpy(text, "1\n", 2);
	path = save("long.txt", text, n);
	assert_fails(&(struct td_trace_options){.path = path}, -EBADMSG,
		     "%s line 2 is longer than 262144 bytes: is this a text file?");
	free(text);
}

static void csv_finds_columns(void **state)
{
	(void)state;
	EXPECT("a.csv", "5\n6\n", NULL, 0, {5, 0, 0, false}, {6, 0, 0, false});
	EXPECT("a.csv", "5,w\n6,r\n7,Write\n", NULL, 0, {5, 0, 0, true}, {6, 0, 0, false},
	       {7, 0, 0, true});
	/* A number in column 2 may be anything. */
	EXPECT("a.csv", "5,28\n6,99\n", NULL, 0, {5, 0, 0, false}, {6, 0, 0, false});
	EXPECT("a.csv", "Time,OP,Page,ref,stream\n1,set,9,3,4\n\n2,get,10,0,0\n", NULL, 0,
	       {9, 3, 4, true}, {10, 0, 0, false});
	EXPECT("a.csv", "x,y\n1,0x20\n", "page=2", 0, {32, 0, 0, false});
	EXPECT("a.csv", "1,20\n2,21\n", "page=2", 0, {20, 0, 0, false}, {21, 0, 0, false});
	EXPECT("a.csv", " \"7\" , \"w\"\r\n\"8\",r", "page=1,op=2", 0, {7, 0, 0, true},
	       {8, 0, 0, false});
}

/* One access per page touched. */
static void csv_splits_requests(void **state)
{
	(void)state;
	EXPECT("s.csv", "4095,2,w\n8192,0,r\n8192,4096,r\n8192,4097,r\n", "addr=1,size=2,op=3",
	       4096, {0, 0, 0, true}, {1, 0, 0, true}, {2, 0, 0, false}, {2, 0, 0, false},
	       {2, 0, 0, false}, {3, 0, 0, false});
	EXPECT("s.csv", "version,time,op,size,lbn\n1,5,2a,1024,7\n1,6,28,512,16\n", NULL, 4096,
	       {0, 0, 0, true}, {1, 0, 0, true}, {2, 0, 0, false});
	EXPECT("s.csv", "lbn\n8\n17\n", NULL, 0, {1, 0, 0, false}, {2, 0, 0, false});
	EXPECT("s.csv", "size,address,ref\n4096,1,5\n", NULL, 0, {0, 5, 0, false},
	       {1, 5, 0, false});
}

/* A request longer than a batch. */
static void csv_long_request(void **state)
{
	struct events got = parse("l.csv", "0,41943040\n", "addr=1,size=2", 0);

	(void)state;
	assert_int_equal(got.n, 10240);
	for (size_t i = 0; i < got.n; i++)
		assert_int_equal(got.at[i].page, i);
	free(got.at);
}

static void csv_refuses(void **state)
{
	(void)state;
	refuse("b.csv", "1,2\n", "pagee=1", -EINVAL,
	       "unknown csv column pagee, did you mean page?: known are page, addr, lbn, key, size, "
	       "cost, group, op, ref, stream and time");
	refuse("b.csv", "1,2\n", "page", -EINVAL,
	       "csv column page needs a number from 1 to 1024, or a name of the header line: write "
	       "page=1 for the first");
	refuse("b.csv", "1,2\n", "page=0", -EINVAL,
	       "csv column page needs a number from 1 to 1024, or a name of the header line: write "
	       "page=1 for the first");
	refuse("b.csv", "1,2\n", "page=1,page=2", -EINVAL,
	       "csv column page is given twice: give it once");
	refuse("b.csv", "1,2\n", "op=1", -EINVAL,
	       "csv columns name none of page, key, addr and lbn: give exactly one, such as page=1");
	refuse("b.csv", "1,2\n", "page=1,lbn=2", -EINVAL,
	       "csv columns name several of page, key, addr and lbn: give exactly one, such as page=1");
	refuse("b.csv", "1,2\n", "page=x", -EINVAL,
	       "the first line of %s has no column named x: give a name that it has, or a number "
	       "from 1 to 1024");
	refuse("b.csv", "1,2\n", "key=1+2+1+2+1+2+1+2+1", -EINVAL,
	       "csv column key has over 8 parts: give fewer");
	refuse("b.csv", "1,2\n", "key=1+", -EINVAL,
	       "csv column key needs a number from 1 to 1024, or a name of the header line: write "
	       "key=1 for the first");
	refuse("b.csv", "1,2\n3\n", "page=2", -EBADMSG,
	       "%s line 2 has 1 columns and not 2: say the right columns with `columns`");
	refuse("b.csv", "1,2\n3,y\n", "page=2", -EBADMSG,
	       "%s line 2 column 2: page \"y\" is no number: say the right columns with `columns`");
	refuse("b.csv", "99999999999999999999\n", NULL, -ERANGE,
	       "%s line 1 column 1: page \"99999999999999999999\" does not fit 64 bits: numbers go "
	       "up to 18446744073709551615");
	refuse("b.csv", "1,r\n1,peek\n", NULL, -EBADMSG,
	       "%s line 2 column 2: op \"peek\" is neither a read nor a write: known are r, w, "
	       "read, write, get, set, put, load, store and SCSI commands such as 28 and 2a");
	refuse("b.csv", "1,5000000000\n", "addr=1,size=2", -EBADMSG,
	       "%s line 1 column 2: size \"5000000000\" is more than 4 GiB: is this the size "
	       "column?");
	refuse("b.csv", "36028797018963968\n", "lbn=1", -ERANGE,
	       "%s line 1 column 1: lbn \"36028797018963968\" is an address beyond 64 bits: is "
	       "this the right column?");
	refuse("b.csv", "time,id\n1,2\n", NULL, -EINVAL,
	       "%s line 1 is a header without a column named page, key, addr or lbn: say where it "
	       "is with `columns` page=N, key=NAME or addr=NAME");
	refuse("b.csv", "time;page\n1;2\n", NULL, -EINVAL,
	       "%s has no comma in line 1: separate its fields by commas, as by tr ';\\t' ',,'");
	refuse("b.csv", "time,offset\n", "offset", -EINVAL,
	       "csv column offset: say what it is: page=offset, key=offset, or addr=offset for "
	       "bytes");
	refuse("b.txt", "alice\nbob\n", NULL, -EBADMSG,
	       "%s line 1: page \"alice\" is no number: if it is a key, say `format` csv and "
	       "`columns` key=1");
	refuse("b.csv", "page,op\n", NULL, -ENODATA,
	       "%s has no accesses: give a trace with at least one");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(txt_takes_all_shapes),
		cmocka_unit_test(txt_clears_refs),
		cmocka_unit_test(txt_numbers),
		cmocka_unit_test(txt_refuses),
		cmocka_unit_test(txt_gives_events_before_error),
		cmocka_unit_test(txt_refuses_endless_line),
		cmocka_unit_test(csv_finds_columns),
		cmocka_unit_test(csv_splits_requests),
		cmocka_unit_test(csv_long_request),
		cmocka_unit_test(csv_refuses),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
