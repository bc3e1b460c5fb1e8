/* The texts of tools that watch memory: valgrind's lackey, perf script and damo. */
#include "test_trace.h"
#include "test_trace_objects.h"

static struct objects parse(const char *name, const char *text)
{
	return read_objects(&(struct td_trace_options){.path = save(name, text, strlen(text))});
}

static void expect(const char *text, const char *format, const struct object *wanted, size_t n)
{
	struct objects got = parse("unnamed", text);

	assert_string_equal(got.format, format);
	assert_int_equal(got.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(got.at[i].page, wanted[i].page);
		assert_int_equal(got.at[i].ref, wanted[i].ref);
		assert_int_equal(got.at[i].stream, wanted[i].stream);
		assert_int_equal(got.at[i].write, wanted[i].write);
	}
	free_objects(&got);
}

#define EXPECT(text, format, ...) \
	do { \
		const struct object wanted_[] = {__VA_ARGS__}; \
		expect(text, format, wanted_, sizeof wanted_ / sizeof *wanted_); \
	} while (0)

static void refuse(const char *name, const char *text, int code, const char *error)
{
	assert_fails(&(struct td_trace_options){.path = save(name, text, strlen(text))}, code,
		     error);
}

/* A modify is a load of all its pages, then a store; an access over an edge is two. */
static void lackey_reads(void **state)
{
	(void)state;
	EXPECT("==32568== Lackey, an example Valgrind tool\n==32568== \n"
	       "I  0401ab70,3\n S 1fff000708,8\nhello from the program\n L 1ffeffe,8\r\n"
	       "I  0401ab75,5\n M 2ffe,4\n L 5000,1",
	       "lackey", {.page = 0x1fff000, .ref = 0x401ab70, .write = true},
	       {.page = 0x1ffe, .ref = 0x401ab70}, {.page = 0x1fff, .ref = 0x401ab70},
	       {.page = 2, .ref = 0x401ab75}, {.page = 3, .ref = 0x401ab75},
	       {.page = 2, .ref = 0x401ab75, .write = true},
	       {.page = 3, .ref = 0x401ab75, .write = true}, {.page = 5, .ref = 0x401ab75});
	refuse("b.lackey", " L ffffffffffffffff,8\n", -ERANGE,
	       "%s line 1 is an access of 8 bytes at address 0xffffffffffffffff, more than 4 GiB "
	       "or beyond 64 bits: the file is damaged");
	refuse("b.lackey", "I  0401ab70,3\n", -ENODATA,
	       "%s has no accesses: give a trace with at least one");
}

/* What lackey itself says of the accesses of a program is what is read. */
static void lackey_runs(void **state)
{
	char command[512];
	struct objects got;
	size_t loads = 0, stores = 0;
	FILE *f;
	char line[256], kind;

	(void)state;
	snprintf(command, sizeof command,
		 "command -v valgrind >/dev/null && valgrind --tool=lackey --trace-mem=yes "
		 "--log-file=%s/run.lackey /bin/true 2>/dev/null",
		 folder);
	if (system(command))
		skip();
	f = fopen(scratch("run.lackey"), "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f))
		if (sscanf(line, " %c", &kind) == 1 && line[0] == ' ') {
			loads += kind == 'L' || kind == 'M';
			stores += kind == 'S' || kind == 'M';
		}
	fclose(f);
	/* With one page for all addresses, no access is two. */
	got = read_objects(&(struct td_trace_options){.path = scratch("run.lackey"),
						      .page_bytes = UINT64_C(1) << 62});
	assert_true(loads > 1000 && got.n == loads + stores);
	for (size_t i = 0; i < got.n; i++) {
		assert_true(got.at[i].page == 0 && got.at[i].ref);
		stores -= got.at[i].write;
	}
	assert_int_equal(stores, 0);
	free_objects(&got);
}

static void perf_reads(void **state)
{
	(void)state;
	/* As perf 6 prints them: -F pid,tid,time,addr,ip; with all names; one field of the two. */
	EXPECT("31854/31855  4496.387555:     55bea5e1b1e0 ffffffff81752a2a\n"
	       "# a comment\n\n"
	       "    my app 7 31854/31854  4496.387555: page-faults:     55bea5e1b1e0 __progname "
	       "(/usr/bin/true) ffffffff81752a2a elf_load ([kernel.kallsyms])\n"
	       "\t    ffffffff81752a2a elf_load ([kernel.kallsyms])\n"
	       "  9  1.5: cpu/mem-stores/P:  1000\n"
	       "  9  1.5: cpu/mem-loads/P:  2000 abc |OP STORE|LVL L1 hit\n"
	       "  9  1.5: cpu/mem-loads/P:     0 1234\n"
	       "  9  1.5:       2003 ibs_op//:  3000 abc\n",
	       "perf", {.page = 0x55bea5e1b, .ref = 0xffffffff81752a2a, .stream = 31855},
	       {.page = 0x55bea5e1b, .ref = 0xffffffff81752a2a, .stream = 31854},
	       {.page = 1, .stream = 9, .write = true},
	       {.page = 2, .ref = 0xabc, .stream = 9, .write = true},
	       {.page = 3, .ref = 0xabc, .stream = 9});
	refuse("b.perf", "31854/31854  4496.387555: page-faults:\n", -EBADMSG,
	       "%s line 1, \"31854/31854  4496.387555: page-faults:\", is no sample with an "
	       "address: give the text of perf script -F pid,tid,time,event,addr,ip");
}

static const char damon_head[] =
	"base_time_absolute: 8 m 59.809 s\n\n"
	"monitoring_start:                0 ns\nmonitoring_end:       104.599 ms\n"
	"monitoring_duration:  104.599 ms\ntarget_id: 3\nnr_regions: 4\n"
	"# start_addr     end_addr        length  nr_accesses   age\n";

static void damon_reads(void **state)
{
	char text[1024];

	(void)state;
	snprintf(text, sizeof text, "%s%s", damon_head,
		 "000000001000-000000003000 (   8.000 KiB)           2     0\n"
		 "000000003000-7f0000000000 ( 127.000 TiB)           0    14\n"
		 "7f0000000000-7f0000000001 (1)           1    -1\n\n"
		 "target_id: 4\n000000005000-000000006000 (4,096)   1 1\n"
		 "target_id: None\n6000-7000(   4.000 KiB):        1\n");
	EXPECT(text, "damon", {.page = 1, .stream = 3}, {.page = 2, .stream = 3},
	       {.page = 1, .stream = 3}, {.page = 2, .stream = 3},
	       {.page = 0x7f0000000, .stream = 3}, {.page = 5, .stream = 4}, {.page = 6});
}

/* However often and however much: bounded. */
static void damon_is_bounded(void **state)
{
	struct objects got = parse("c.damon", "1000-2000 (4.000 KiB) 18446744073709551615 0\n");

	(void)state;
	assert_int_equal(got.n, 1000);
	free_objects(&got);
	refuse("b.damon", "0-ffffffffffffffff (16.000 EiB) 1 0\n", -ERANGE,
	       "%s line 1 has a region of more than 2^30 pages: give a larger page size");
	refuse("b.damon", "1000-1000 (0) 1 0\n", -EBADMSG,
	       "%s line 1, \"1000-1000 (0) 1 0\", is no region: give the raw form of `damo "
	       "report access`, START-END (BYTES) ACCESSES AGE");
	refuse("b.damon", "1000-2000 (4 KiB\n", -EBADMSG,
	       "%s line 1, \"1000-2000 (4 KiB\", is no region: give the raw form of `damo "
	       "report access`, START-END (BYTES) ACCESSES AGE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lackey_reads),     cmocka_unit_test(lackey_runs),
		cmocka_unit_test(perf_reads),       cmocka_unit_test(damon_reads),
		cmocka_unit_test(damon_is_bounded),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
