/* Real traces: one in four encodings, which agree, and one with groups. Skipped where the files are
 * not there. */
#include "test_trace.h"
#include "test_trace_objects.h"

#ifndef TIDE_SOURCE_DIR
#error "TIDE_SOURCE_DIR: the folder of this source tree"
#endif

#define REAL TIDE_SOURCE_DIR "/../shared/traces/cloudPhysicsIO"
#define MOONCAKE TIDE_SOURCE_DIR "/../shared/traces/mooncake-synthetic.jsonl"

enum { REQUESTS = 113872, WRITES = 66898, SECTOR = 512 };

static struct events read_real(const char *ending, const char *columns, uint64_t page_bytes)
{
	char path[512];
	struct tide_error err = {0};
	struct events got;

	snprintf(path, sizeof path, "%s%s", REAL, ending);
	if (read_with(&(struct td_trace_options){.path = path,
						 .columns = columns,
						 .page_bytes = page_bytes},
		      &got, &err))
		fail_msg("%s", err.text);
	return got;
}

static size_t count_writes(const struct events *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++)
		n += e->at[i].write;
	return n;
}

static void requests_agree(void **state)
{
	struct events txt = read_real(".txt", NULL, 0);
	struct events oracle = read_real(".oracleGeneral.bin", NULL, 0);
	struct events csv = read_real(".csv", "page=5", 0);
	struct events with_op = read_real(".csv", "page=5,op=3", 0);

	(void)state;
	assert_int_equal(txt.n, REQUESTS);
	assert_same(&txt, &oracle, false);
	assert_same(&txt, &csv, false);
	assert_int_equal(count_writes(&with_op), WRITES);
	for (size_t i = 0; i < txt.n; i++)
		assert_true(with_op.at[i].page == txt.at[i].page);
	free(txt.at);
	free(oracle.at);
	free(csv.at);
	free(with_op.at);
}

/* By pages: vscsi and csv split requests alike; at sector size each run starts at its request. */
static void pages_agree(void **state)
{
	static const uint64_t sizes[] = {SECTOR, 4096, 65536};
	struct events txt = read_real(".txt", NULL, 0);

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		struct events vscsi = read_real(".vscsi", NULL, sizes[k]);
		struct events csv = read_real(".csv", NULL, sizes[k]);

		assert_true(vscsi.n > REQUESTS);
		assert_same(&vscsi, &csv, false);
		/* 4,205,978,112 bytes were requested. */
		if (sizes[k] == SECTOR)
			assert_int_equal(vscsi.n, 4205978112 / SECTOR);
		if (sizes[k] == SECTOR)
			assert_true(vscsi.at[0].page == txt.at[0].page);
		free(vscsi.at);
		free(csv.at);
	}
	free(txt.at);
}

/* Through our own formats and back. */
static void converts(void **state)
{
	struct events vscsi = read_real(".vscsi", NULL, 0);
	struct events got;
	struct stat tide, txt;

	(void)state;
	write_good(scratch("real.tide"), NULL, &vscsi);
	got = read_good(scratch("real.tide"));
	assert_same(&vscsi, &got, false);
	free(got.at);
	write_good(scratch("real.txt.zst"), NULL, &vscsi);
	got = read_good(scratch("real.txt.zst"));
	assert_same(&vscsi, &got, false);
	free(got.at);
	assert_int_equal(stat(scratch("real.tide"), &tide), 0);
	assert_int_equal(stat(scratch("real.txt.zst"), &txt), 0);
	assert_true(tide.st_size < txt.st_size);
	free(vscsi.at);
}

/* The oraclegeneral that we write has the same future as the one that came. */
static void future_agrees(void **state)
{
	struct events txt = read_real(".txt", NULL, 0);
	unsigned char *theirs, *ours;
	size_t n, m;

	(void)state;
	write_good(scratch("real.oracleGeneral.bin"), NULL, &txt);
	ours = load(scratch("real.oracleGeneral.bin"), &n);
	theirs = load(REAL ".oracleGeneral.bin", &m);
	assert_int_equal(n, m);
	for (size_t at = 0; at < n; at += 24) {
		assert_memory_equal(ours + at + 4, theirs + at + 4, 8);
		assert_memory_equal(ours + at + 16, theirs + at + 16, 8);
	}
	free(ours);
	free(theirs);
	free(txt.at);
}

/* Each object has one size there, and so the requested bytes are known. */
static void sizes_are_there(void **state)
{
	struct objects got =
		read_objects(&(struct td_trace_options){.path = REAL ".oracleGeneral.bin"});
	uint64_t bytes = 0;

	(void)state;
	assert_true(got.sizes && got.n == REQUESTS);
	for (size_t i = 0; i < got.n; i++)
		bytes += got.at[i].bytes;
	assert_true(bytes == 4368040448);
	free_objects(&got);
}

/* 3,993 requests to a language model; the digest goes through our own format. */
static void mooncake(void **state)
{
	struct td_trace_options in = {.path = MOONCAKE};
	struct objects got, again;
	size_t groups = 0;

	(void)state;
	if (access(MOONCAKE, R_OK))
		skip();
	got = read_objects(&in);
	assert_string_equal(got.format, "jsonl");
	assert_true(got.groups && got.n == 121877);
	for (size_t i = 0; i < got.n; i++)
		groups += got.at[i].first;
	assert_int_equal(groups, 3993);
	convert(&in, scratch("mooncake.tide"));
	again = read_objects(&(struct td_trace_options){.path = scratch("mooncake.tide")});
	assert_memory_equal(got.digest, again.digest, sizeof got.digest);
	free_objects(&got);
	free_objects(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_agree),  cmocka_unit_test(pages_agree),
		cmocka_unit_test(converts),        cmocka_unit_test(future_agrees),
		cmocka_unit_test(sizes_are_there), cmocka_unit_test(mooncake),
	};

	if (access(REAL ".vscsi", R_OK)) {
		printf("skipped: no %s.vscsi\n", REAL);
		return 77;
	}
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
