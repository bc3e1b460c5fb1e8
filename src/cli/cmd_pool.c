/* tide pool: the buffer pool, measured and checked. */
#include "pool/use.h"

#define TD_CLI_OPTIONS struct td_pool_use_options

/* clang-format off */
#define POOL_OPTIONS \
	{"main", 0, TD_CLI_TEXT, TD_CLI_AT(main_size), "SIZE", \
	 "main memory: bytes (2M) or pages (1024p)", TD_CLI_ANY}, \
	{"near", 0, TD_CLI_TEXT, TD_CLI_AT(main_size), "SIZE", NULL, TD_CLI_ANY}, \
	{"device", 0, TD_CLI_TEXT, TD_CLI_AT(device_size), "SIZE", \
	 "device memory behind it (2M); 0: none", TD_CLI_ANY}, \
	{"device-kind", 0, TD_CLI_TEXT, TD_CLI_AT(device_kind), "KIND", \
	 "where device memory is: ram, or cuda, a GPU (ram)", TD_CLI_WORDS("ram", "cuda")}, \
	{"page", 0, TD_CLI_TEXT, TD_CLI_AT(page), "SIZE", \
	 "bytes per page, a power of two from 4K to 1M (4K)", TD_CLI_ANY}, \
	{"dedup", 0, TD_CLI_TEXT, TD_CLI_AT(dedup), "WHEN", \
	 "store duplicate blocks once: off, on or auto (off)", TD_CLI_WORDS("off", "on", "auto")}, \
	{"block", 0, TD_CLI_TEXT, TD_CLI_AT(block), "SIZE", \
	 "bytes per block, a power of two from 512 to the page size (4K)", TD_CLI_ANY}, \
	{"hash", 0, TD_CLI_TEXT, TD_CLI_AT(hash), "NAME", \
	 "signatures of blocks: xxh3, md5 (xxh3)", TD_CLI_WORDS("xxh3", "md5")}, \
	{"batch", 0, TD_CLI_TEXT, TD_CLI_AT(batch), "N", \
	 "misses served together, at most (256)", TD_CLI_ANY}, \
	{"epoch", 0, TD_CLI_TEXT, TD_CLI_AT(epoch), "TIME", \
	 "how long a miss waits for other misses (50us)", TD_CLI_ANY}, \
	{"max-backlog", 0, TD_CLI_TEXT, TD_CLI_AT(max_backlog), "N", \
	 "blocks that may wait for signatures; further blocks enter unshared (4096)", TD_CLI_ANY}, \
	{"threads", 0, TD_CLI_NUMBER, TD_CLI_AT(threads), "N", \
	 "callers at the same time (bench: 1, check: 4)", TD_CLI_ANY}, \
	{"folder", 0, TD_CLI_TEXT, TD_CLI_AT(folder), "DIR", \
	 "folder for the temporary file, on the storage to measure ($TMPDIR, or /var/tmp)", \
	 TD_CLI_ANY}, \
	{"inject", 0, TD_CLI_TEXT, TD_CLI_AT(inject), "LIST", \
	 "failures of the file, such as short=100,delay=200us (none)", TD_CLI_ANY}, \
	TD_CLI_SEED_OPTION, \
	TD_CLI_JSON_OPTION, \
	TD_CLI_HELP_OPTION, \
	TD_CLI_END_OPTIONS

static const struct td_cli_option bench_options[] = {
	{"pattern", 0, TD_CLI_TEXT, TD_CLI_AT(pattern), "NAME",
	 "which pages: uniform, zipf or zipf:SKEW (uniform)", TD_CLI_WORDS("uniform", "zipf")},
	{"working-set", 0, TD_CLI_TEXT, TD_CLI_AT(working_set), "N",
	 "pages of the file, in multiples of main and device memory (5)", TD_CLI_ANY},
	{"updates", 0, TD_CLI_TEXT, TD_CLI_AT(updates), "SHARE",
	 "share of the accesses that write (0%)", TD_CLI_ANY},
	{"duplicates", 0, TD_CLI_TEXT, TD_CLI_AT(duplicates), "N",
	 "how often each block occurs in the file (1)", TD_CLI_ANY},
	{"accesses", 0, TD_CLI_NUMBER, TD_CLI_AT(count), "N",
	 "accesses of all threads together (16 per page of the file)", TD_CLI_ANY},
	{"warm", 0, TD_CLI_NUMBER, TD_CLI_AT(warm), "N",
	 "accesses before these, which are not counted (0)", TD_CLI_ANY},
	{"depth", 0, TD_CLI_NUMBER, TD_CLI_AT(depth), "N",
	 "asynchronous gets in progress per thread (1: plain gets)", TD_CLI_ANY},
	POOL_OPTIONS,
};

static const struct td_cli_option check_options[] = {
	{"calls", 0, TD_CLI_NUMBER, TD_CLI_AT(count), "N",
	 "reads and writes of all threads together (40000)", TD_CLI_ANY},
	{"force", 0, TD_CLI_FLAG, TD_CLI_AT(force), NULL, "replace FILE if it exists", TD_CLI_ANY},
	TD_CLI_PROGRESS_OPTION,
	POOL_OPTIONS,
};

static const char bench_more[] =
	"Examples:\n"
	"  tide pool bench --working-set 0.4 --threads 2        (hits of main memory)\n"
	"  tide pool bench --main 64M --device 64M --pattern zipf --updates 20%\n"
	"  tide pool bench --duplicates 4 --dedup on --json\n";

static const struct td_cli_verb bench = {
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
	"is 0 only if every read, and the file at the end, gave what was written last.\n\n"
	"Examples:\n"
	"  tide pool check --dedup on --threads 8\n"
	"  tide pool check --main 256p --device 0 --inject short=50\n";

static const struct td_cli_verb check = {
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

static const struct td_cli_verb *const verbs[] = {&bench, &check, NULL};

static const char more[] =
	"The pool keeps pages of a file in main memory, and behind it in device memory. With --dedup\n"
	"it stores duplicate blocks once.\n\n"
	"Examples:\n"
	"  tide pool bench\n"
	"  tide pool check\n";

const struct td_cli_verb td_cli_verb_pool = {
	.name = "pool",
	.order = 140,
	.synopsis = "VERB [OPTIONS]",
	.summary = "Measure and check the buffer pool: main memory, device memory, a file",
	.more = more,
	.options = td_cli_help_alone,
	.options_bytes = sizeof(struct td_cli_given),
	.verbs = verbs,
};
