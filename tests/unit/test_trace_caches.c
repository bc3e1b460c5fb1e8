/* Formats of cache traces: lcs, twitter, wiki, and the sizes of oraclegeneral. */
#include "test_trace.h"
#include "test_trace_objects.h"
#include "trace/bytes.h"

#define LCS_MAGIC UINT64_C(0x123456789abcdef0)

enum { LCS_HEAD = 8192 };

static const size_t lcs_bytes[] = {0, 24, 28, 36, 40, 44, 52, 68, 100};

/* A trace of n records of a version: pages 100.., sizes 1000.., every third one a set. */
static size_t make_lcs(unsigned char *to, unsigned version, size_t n)
{
	size_t each = lcs_bytes[version];

	memset(to, 0, LCS_HEAD + n * each);
	store64(to, LCS_MAGIC);
	store64(to + 8, version);
	store64(to + LCS_HEAD - 8, LCS_MAGIC);
	for (size_t i = 0; i < n; i++) {
		unsigned char *p = to + LCS_HEAD + i * each;

		memset(p, 0xee, each);
		store64(p + 4, 100 + i);
		if (version < 3)
			store32(p + 12, (uint32_t)(1000 + i));
		else
			store64(p + 12, (UINT64_C(1) << 33) + i);
		if (version >= 2)
			store32(p + (version == 2 ? 16 : 20), (i % 3 ? 1 : 3) | 7u << 8);
	}
	return LCS_HEAD + n * each;
}

static void lcs_versions(void **state)
{
	unsigned char bytes[LCS_HEAD + 100 * 10];

	(void)state;
	for (unsigned version = 1; version <= 8; version++) {
		size_t n = make_lcs(bytes, version, 10);
		struct objects got =
			read_objects(&(struct td_trace_options){.path = save("unnamed", bytes, n)});

		assert_string_equal(got.format, "lcs");
		assert_true(got.sizes && !got.groups && !got.costs);
		assert_int_equal(got.n, 10);
		for (size_t i = 0; i < 10; i++) {
			assert_int_equal(got.at[i].page, 100 + i);
			assert_true(got.at[i].bytes ==
				    (version < 3 ? 1000 + i : (UINT64_C(1) << 33) + i));
			assert_int_equal(got.at[i].write, version >= 2 && i % 3 == 0);
			assert_int_equal(got.at[i].stream, version >= 2 ? 7 : 0);
		}
		free_objects(&got);
	}
}

static void lcs_seeks(void **state)
{
	unsigned char bytes[LCS_HEAD + 36 * 50];
	size_t n = make_lcs(bytes, 3, 50);
	struct tide_error err = {0};
	struct td_trace_source *s;
	struct events got;

	(void)state;
	assert_int_equal(td_trace_open(&s,
				       &(struct td_trace_options){.path = save("s.lcs", bytes, n)},
				       &err),
			 0);
	assert_int_equal(s->facts.accesses, 50);
	for (unsigned from = 48; from <= 50; from++) {
		assert_int_equal(td_trace_seek(s, from, &err), 0);
		assert_int_equal(drain(s, &got, &err), 0);
		assert_int_equal(got.n, 50 - from);
		if (got.n)
			assert_int_equal(got.at[0].page, 100 + from);
		free(got.at);
	}
	assert_int_equal(s->ops->rewind(s, &err), 0);
	assert_int_equal(drain(s, &got, &err), 0);
	assert_int_equal(got.n, 50);
	free(got.at);
	td_trace_close(s);
}

static void lcs_refuses(void **state)
{
	unsigned char bytes[LCS_HEAD + 24 * 2];
	size_t n = make_lcs(bytes, 1, 2);

	(void)state;
	assert_fails(&(struct td_trace_options){.path = save("b.lcs", bytes, n - 1)}, -EBADMSG,
		     "%s is cut off in record 2, which has 23 of 24 bytes: get the whole file");
	assert_fails(&(struct td_trace_options){.path = save("b.lcs", bytes, 100)}, -EBADMSG,
		     "%s has no lcs header of 8192 bytes: get the whole file, or say its format "
		     "with `format`");
	store64(bytes + 8, 9);
	assert_fails(&(struct td_trace_options){.path = save("b.lcs", bytes, n)}, -ENOTSUP,
		     "%s is an lcs trace of version 9 and versions 1 to 8 are known: convert it "
		     "with libCacheSim");
}

static struct objects parse(const char *name, const char *text)
{
	return read_objects(&(struct td_trace_options){.path = save(name, text, strlen(text))});
}

static void twitter_reads(void **state)
{
	struct objects got = parse("unnamed", "0,q:q:1:8WTfjZU14ee,17,213,4,get,0\r\n"
					      "0,a,b,c,5,10,0,set,60\n\n1,q:q:1:8WTfjZU14ee,17,"
					      "213,5,delete,0");

	(void)state;
	assert_string_equal(got.format, "twitter");
	assert_true(got.sizes && !got.groups);
	assert_int_equal(got.n, 3);
	assert_int_equal(got.at[0].bytes, 230);
	assert_int_equal(got.at[0].stream, 4);
	assert_false(got.at[0].write);
	assert_int_equal(got.at[1].bytes, 15);
	assert_true(got.at[1].write);
	assert_true(got.at[2].write && got.at[2].page == got.at[0].page);
	free_objects(&got);
}

static void refuse(const char *name, const char *text, int code, const char *error)
{
	assert_fails(&(struct td_trace_options){.path = save(name, text, strlen(text))}, code,
		     error);
}

static void twitter_refuses(void **state)
{
	(void)state;
	refuse("b.twitter", "0,k,1,2,3,get\n", -EBADMSG,
	       "%s line 1: too few fields \"0,k,1,2,3,get\": a line is time, key, key size, value "
	       "size, client, operation, time to live");
	refuse("b.twitter", "0,k,1,x,3,get,0\n", -EBADMSG,
	       "%s line 1: no number \"x\": a line is time, key, key size, value size, client, "
	       "operation, time to live");
	refuse("b.twitter", "0,k,1,2,3,peek,0\n", -EBADMSG,
	       "%s line 1: unknown operation \"peek\": a line is time, key, key size, value size, "
	       "client, operation, time to live");
	refuse("b.twitter", "0,k,1,18446744073709551615,3,get,0\n", -ERANGE,
	       "%s line 1: a size beyond 64 bits \"18446744073709551615\": a line is time, key, "
	       "key size, value size, client, operation, time to live");
}

/* A mark of UTF-8 is no part of a text. Its content tells a twitter trace that is called .csv, or
 * the output of valgrind that is called .txt, unless the caller has said the format or the columns.
 */
static void names_of_any_text(void **state)
{
	static const struct {
		const char *name, *text, *columns, *format;
	} files[] = {
		{"a.csv", "0,q:q:1:8W,17,213,4,get,0\n", NULL, "twitter"},
		{"a.csv", "0,q:q:1:8W,17,213,4,get,0\n", "key=2,size=4", "csv"},
		{"a.csv", "1,w\n", NULL, "csv"},
		{"a.txt", "==1== Lackey\n L 1ffefff7e8,8\n", NULL, "lackey"},
		{"a.txt", "sort 12 1.5: mem-loads: 7f1234567800 \n", NULL, "perf"},
		{"a.txt", "1 w\n", NULL, "txt"},
		{"a.txt",
		 "\xef\xbb\xbf"
		 "7\n",
		 NULL, "txt"},
		{"unnamed",
		 "\xef\xbb\xbf"
		 "page,op\n7,w\n",
		 NULL, "csv"},
		{"unnamed",
		 "\xef\xbb\xbf"
		 "{\"hash_ids\": [7]}\n",
		 NULL, "jsonl"},
		{"a.txt", "# pages, of a disk\n7\n", NULL, "txt"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct objects got = read_objects(&(struct td_trace_options){
			.path = save(files[i].name, files[i].text, strlen(files[i].text)),
			.columns = files[i].columns});
		assert_string_equal(got.format, files[i].format);
		free_objects(&got);
	}
}

static void wiki_reads(void **state)
{
	struct objects got = parse(
		"unnamed", "relative_unix\thashed_path_query\timage_type\tresponse_size\ttime_"
			   "firstbyte\n0\t833946053\tjpeg\t9665\t1.6E-4\n0\t-5\tpng\t17\t0.1\n");

	(void)state;
	assert_string_equal(got.format, "wiki");
	assert_true(got.sizes && got.n == 2);
	assert_int_equal(got.at[0].page, 833946053);
	assert_int_equal(got.at[0].bytes, 9665);
	assert_int_equal(got.at[1].bytes, 17);
	free_objects(&got);
	got = parse("text.wiki", "3,77,500,0.2\r\n");
	assert_true(got.n == 1 && got.at[0].page == 77 && got.at[0].bytes == 500);
	free_objects(&got);
	refuse("b.wiki", "3,77,500\n", -EBADMSG,
	       "%s line 1, \"3,77,500\", is no request: a line is time, key, type (of images "
	       "only), bytes, seconds to the first byte");
}

/* Other files of commas are still csv. */
static void others_stay_csv(void **state)
{
	struct objects got = parse("unnamed", "0,1,17,213,4,6,0\n");

	(void)state;
	assert_string_equal(got.format, "csv");
	free_objects(&got);
}

/* Sizes go from a csv through oraclegeneral, as far as 32 bits hold them. */
static void oraclegeneral_sizes(void **state)
{
	static const uint64_t wanted[] = {100, 1, UINT32_MAX, 100};
	const char *text = "5,100\n6,0\n7,5000000000\n5,100\n";
	struct td_trace_options in = {.path = save("s.csv", text, strlen(text)),
				      .columns = "page=1,size=2"};
	struct objects got;

	(void)state;
	convert(&in, scratch("s.oracleGeneral"));
	got = read_objects(&(struct td_trace_options){.path = scratch("s.oracleGeneral")});
	assert_true(got.sizes && got.n == 4);
	for (size_t i = 0; i < 4; i++)
		assert_true(got.at[i].bytes == wanted[i]);
	free_objects(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lcs_versions),        cmocka_unit_test(lcs_seeks),
		cmocka_unit_test(lcs_refuses),         cmocka_unit_test(twitter_reads),
		cmocka_unit_test(twitter_refuses),     cmocka_unit_test(wiki_reads),
		cmocka_unit_test(names_of_any_text),   cmocka_unit_test(others_stay_csv),
		cmocka_unit_test(oraclegeneral_sizes),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
