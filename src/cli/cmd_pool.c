/* tide pool: the buffer pool, served as a block device, measured and checked. */
#include "pool/serve.h"
#include "pool/use.h"

#define TD_CLI_OPTIONS struct td_pool_use_options

/* clang-format off */
#define TEST_OPTIONS \
	{"threads", 0, TD_CLI_NUMBER, TD_CLI_AT(threads), "N", \
	 "callers at the same time (bench: 1, check: 4)", TD_CLI_ANY}, \
	{"folder", 0, TD_CLI_TEXT, TD_CLI_AT(folder), "DIR", \
	 "folder for the temporary file, on the storage to measure ($TMPDIR, or /var/tmp)", \
	 TD_CLI_ANY}, \
	TD_CLI_SEED_OPTION, \
	TD_CLI_JSON_OPTION, \
	TD_CLI_HELP_OPTION, \
	TD_CLI_END_OPTIONS

static const struct td_cli_option bench_options[] = {
	{"pattern", 0, TD_CLI_TEXT, TD_CLI_AT(pattern), "NAME",
	 "which pages: uniform, zipf:SKEW, or scan:PERCENT beside hot pages (uniform)",
	 TD_CLI_WORDS("uniform", "zipf", "scan")},
	{"working-set", 0, TD_CLI_TEXT, TD_CLI_AT(working_set), "N",
	 "pages of the file, in multiples of main and device memory (5)", TD_CLI_ANY},
	{"updates", 0, TD_CLI_TEXT, TD_CLI_AT(updates), "SHARE",
	 "share of the accesses that write (0%)", TD_CLI_ANY},
	{"duplicates", 0, TD_CLI_TEXT, TD_CLI_AT(duplicates), "N",
	 "how often each block occurs in the file (1)", TD_CLI_ANY},
	{"compressible", 0, TD_CLI_TEXT, TD_CLI_AT(compressible), "SHARE",
	 "share of each block that compresses to nothing (0%)", TD_CLI_ANY},
	{"accesses", 0, TD_CLI_NUMBER, TD_CLI_AT(count), "N",
	 "accesses of all threads together (16 per page of the file)", TD_CLI_ANY},
	{"warm", 0, TD_CLI_NUMBER, TD_CLI_AT(warm), "N",
	 "accesses before these, which are not counted (0)", TD_CLI_ANY},
	{"depth", 0, TD_CLI_NUMBER, TD_CLI_AT(depth), "N",
	 "asynchronous gets in progress per thread (1: plain gets)", TD_CLI_ANY},
#include "pool/rows.def"
	TEST_OPTIONS,
};

static const struct td_cli_option check_options[] = {
	{"calls", 0, TD_CLI_NUMBER, TD_CLI_AT(count), "N",
	 "reads and writes of all threads together (40000)", TD_CLI_ANY},
	{"force", 0, TD_CLI_FLAG, TD_CLI_AT(force), NULL, "replace FILE if it exists", TD_CLI_ANY},
	TD_CLI_PROGRESS_OPTION,
#include "pool/rows.def"
	TEST_OPTIONS,
};

static const char bench_more[] =
	"Main and device memory have 2M each if nothing else is asked for.\n\n"
	"Examples:\n"
	"  tide pool bench --working-set 0.4 --threads 2        (hits of main memory)\n"
	"  tide pool bench --main 64M --device 64M --pattern zipf --updates 20%\n"
	"  tide pool bench --duplicates 4 --dedup on --json\n";

static const struct td_cli_verb bench = {
	.order = 30,
	.name = "bench",
	.synopsis = "[OPTIONS]",
	.summary = "Measure the pool with random accesses to a temporary file",
	.more = bench_more,
	.options = bench_options,
	.options_bytes = sizeof(struct td_pool_use_options),
	.run = td_pool_bench_run,
};

static const char check_more[] =
	"The file is a temporary file of 16 MiB, or FILE, which is created and kept. The exit status\n"
	"is 0 only if every read, and the file at the end, gave what was written last.\n"
	"Main and device memory have 2M each if nothing else is asked for.\n\n"
	"Examples:\n"
	"  tide pool check --dedup on --threads 8\n"
	"  tide pool check --main 256p --device 0 --inject short=50\n";

static const struct td_cli_verb check = {
	.order = 40,
	.name = "check",
	.synopsis = "[FILE] [OPTIONS]",
	.summary = "Read and write at random from several threads, and compare with a shadow",
	.more = check_more,
	.options = check_options,
	.options_bytes = sizeof(struct td_pool_use_options),
	.words_max = 1,
	.run = td_pool_check_run,
};
/* clang-format on */

static const struct td_cli_verb *const verbs[] = {&td_cli_pool_serve, &td_cli_pool_status, &bench,
						  &check, NULL};

static const char more[] =
	"The pool keeps pages of a file in main memory, and behind it in device memory. With --dedup\n"
	"it stores duplicate blocks once. Behind nbdkit it caches a disk: see man nbdkit-tide-plugin.\n\n"
	"Examples:\n"
	"  tide pool serve disk.img --socket /tmp/disk.sock --main 1G\n"
	"  tide pool status /tmp/disk.sock\n"
	"  tide pool bench\n"
	"  tide pool check\n";

const struct td_cli_verb td_cli_verb_pool = {
	.name = "pool",
	.order = 140,
	.synopsis = "VERB [OPTIONS]",
	.summary = "Cache a file in main and device memory: as a block device, measured, checked",
	.more = more,
	.options = td_cli_help_alone,
	.options_bytes = sizeof(struct td_cli_given),
	.verbs = verbs,
};
