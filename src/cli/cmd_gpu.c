/* tide gpu: the GPU runtime, looked at, tested and measured. What runs on the GPU is in a module.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "braces.h"
#include "cli.h"
#include "gpu/use.h"

#define TD_CLI_OPTIONS struct td_gpu_use_options

/* clang-format off */
#define DEVICE_OPTION \
	{"device", 0, TD_CLI_TEXT, TD_CLI_AT(device), "N", "which GPU (0)", TD_CLI_ANY}
#define FOLDER_OPTION \
	{"folder", 0, TD_CLI_TEXT, TD_CLI_AT(folder), "DIR", \
	 "folder for temporary files, on the storage to measure ($TMPDIR, or /var/tmp)", \
	 TD_CLI_ANY}

static const struct td_cli_option info_options[] = {
	DEVICE_OPTION,
	FOLDER_OPTION,
	{"quick", 0, TD_CLI_FLAG, TD_CLI_AT(quick), NULL,
	 "describe the GPU, measure nothing", TD_CLI_ANY},
	TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const struct td_cli_option selftest_options[] = {
	DEVICE_OPTION,
	FOLDER_OPTION,
	{"only", 0, TD_CLI_TEXT, TD_CLI_AT(only), "PARTS",
	 "only parts whose names begin with these words, separated by commas (all)",
	 TD_CLI_NAMES(td_gpu_test_name)},
	{"quick", 0, TD_CLI_FLAG, TD_CLI_AT(quick), NULL,
	 "run for at most a minute", TD_CLI_ANY},
	{"thorough", 0, TD_CLI_FLAG, TD_CLI_AT(thorough), NULL,
	 "make a thousand million accesses, with near memory close to its minimum", TD_CLI_ANY},
	TD_CLI_SEED_OPTION,
	TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const struct td_cli_option bench_options[] = {
	{"app", 0, TD_CLI_TEXT, TD_CLI_AT(app), "APPS",
	 "applications, separated by commas, or all (none)", TD_CLI_NAMES(td_gpu_app_name)},
	{"micro", 0, TD_CLI_TEXT, TD_CLI_AT(micro), "PARTS",
	 "single measurements, separated by commas, or all (all; with --app: none)",
	 TD_CLI_NAMES(td_gpu_micro_name)},
	{"place", 0, TD_CLI_TEXT, TD_CLI_AT(place), "POLICIES",
	 "placements for the applications, separated by commas (bam,tier-order,random,reuse,worth)",
	 TD_CLI_SPECS(td_cli_place_name, td_cli_place_param)},
	{"oversubscribe", 0, TD_CLI_TEXT, TD_CLI_AT(oversubscribe), "LIST",
	 "size of the data, as a multiple of near and host memory, such as 2,4 (2)", TD_CLI_ANY},
	TD_CLI_NEAR_AT(TD_CLI_ONE, near_size, "near memory, tier 1: bytes (256M) or pages (4096p)"),
	{"host", 0, TD_CLI_TEXT, TD_CLI_AT(host), "SIZE",
	 "pinned memory of the host, tier 2 (four times near memory)", TD_CLI_ANY},
	{"page", 0, TD_CLI_TEXT, TD_CLI_AT(page), "SIZE",
	 "bytes per page, a power of two from 4K to 2M (64K)", TD_CLI_ANY},
	{"transfer", 0, TD_CLI_TEXT, TD_CLI_AT(transfer), "HOW",
	 "between tiers 1 and 2: zero-copy, dma or hybrid (zero-copy)",
	 TD_CLI_WORDS("zero-copy", "dma", "hybrid")},
	{"orchestrate", 0, TD_CLI_TEXT, TD_CLI_AT(orchestrate), "WHO",
	 "who serves faults: gpu, or host: the engine with --evict and --prefetch (gpu)",
	 TD_CLI_WORDS("gpu", "host")},
	TD_CLI_EVICT_AT(TD_CLI_ONE, evict,
		"with --orchestrate host: policy that chooses the chunk to evict (lrm)"),
	TD_CLI_PREFETCH_AT(TD_CLI_ONE, prefetch,
		"with --orchestrate host: policy that chooses the pages to bring in on a fault (tree)"),
	TD_CLI_POLICIES_AT(TD_CLI_ONE, policies),
	{"timeout", 0, TD_CLI_TEXT, TD_CLI_AT(timeout), "TIME",
	 "treat a longer wait of the GPU as an error (30s)", TD_CLI_ANY},
	{"repeat", 0, TD_CLI_TEXT, TD_CLI_AT(repeat), "N",
	 "rounds of all placements; the median counts: 1 to 31 (1)", TD_CLI_ANY},
	DEVICE_OPTION,
	FOLDER_OPTION,
	{"quick", 0, TD_CLI_FLAG, TD_CLI_AT(quick), NULL,
	 "run at a small scale, for about a minute", TD_CLI_ANY},
	TD_CLI_SEED_OPTION,
	TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

/* clang-format on */

/* ---- what the three share ---- */

static int begin(struct td_gpu_use *use, const struct td_gpu_use_options *args, const char *verb,
		 struct tide_error *err)
{
	int rc = td_gpu_use_setup(use, args, verb, err);

	return rc ? rc : td_gpu_use_module(use, err);
}

/* How the result of a verb is given. */
struct form {
	const char *verb;
	td_gpu_show *show;
	td_gpu_json *json;
	bool judges_tables;
};

/* Prints the result, also what there is of one where the call failed. Takes it over. */
static int finish(const struct td_gpu_use *use, const struct td_gpu_use_options *args,
		  struct td_gpu_result *r, int rc, const struct form *form, struct tide_error *err)
{
	struct tide_error why = {0, ""};
	int printed = 0;

	if (!r)
		return rc ? rc : tide_fail(err, -ENOMEM, "no memory for the result: free some");
	json_t *document =
		args->json ? td_gpu_use_document(r, form->verb, form->json, rc ? err : NULL) : NULL;
	if (!rc)
		rc = td_gpu_use_judge(r, form->judges_tables, err);
	if (args->json)
		printed = td_cli_print_json(document, &why);
	else
		form->show(r);
	use->module->free_result(r);
	return printed && !rc ? tide_fail(err, why.code, "%s", why.text) : rc;
}

static const struct form info_form = {"gpu info", td_gpu_show_info, td_gpu_info_json, false};

static int run_info(const void *options, struct tide_error *err)
{
	const struct td_gpu_use_options *args = options;
	struct td_gpu_use use;
	struct td_gpu_result *out = NULL;
	int rc = begin(&use, args, info_form.verb, err);

	if (rc)
		return rc;
	rc = use.module->info(&use.setup, &out, err);
	return finish(&use, args, out, rc, &info_form, err);
}

static const struct form selftest_form = {"gpu selftest", td_gpu_show_selftest,
					  td_gpu_selftest_json, true};

static int run_selftest(const void *options, struct tide_error *err)
{
	const struct td_gpu_use_options *args = options;
	struct td_gpu_selftest_options o = {.part = args->only, .thorough = args->thorough};
	struct td_gpu_use use;
	struct td_gpu_result *out = NULL;
	int rc = args->quick && args->thorough
			 ? tide_fail(err, -EINVAL, "--quick and --thorough: give one of them")
			 : begin(&use, args, selftest_form.verb, err);

	if (rc)
		return rc;
	o.setup = use.setup;
	rc = use.module->selftest(&o, &out, err);
	return finish(&use, args, out, rc, &selftest_form, err);
}

static const struct form bench_form = {"gpu bench", td_gpu_show_bench, td_gpu_bench_json, true};

static int bench_as(const struct td_gpu_use_options *args, struct tide_error *err)
{
	struct td_gpu_bench_options o = {
		.micro = args->micro,
		.app = args->app,
		.place = args->place,
		.oversubscribe = args->oversubscribe,
		.near_size = args->near_size,
		.host = args->host,
		.page = args->page,
		.transfer = args->transfer,
		.timeout = args->timeout,
		.repeat = args->repeat,
		.orchestrate = args->orchestrate,
		.evict = args->evict,
		.prefetch = args->prefetch,
	};
	struct td_gpu_use use;
	struct td_gpu_result *out = NULL;
	int rc = td_gpu_use_check(args, err);

	if (!rc)
		rc = begin(&use, args, bench_form.verb, err);
	if (rc)
		return rc;
	o.setup = use.setup;
	rc = use.module->bench(&o, &out, err);
	return finish(&use, args, out, rc, &bench_form, err);
}

/* With what braces and --policies stand for. */
static int run_bench(const void *options, struct tide_error *err)
{
	struct td_gpu_use_options args = *(const struct td_gpu_use_options *)options;
	const struct {
		const char *option, **list;
	} lists[] = {{"app", &args.app},
		     {"micro", &args.micro},
		     {"place", &args.place},
		     {"oversubscribe", &args.oversubscribe}};
	enum { LISTS = sizeof lists / sizeof *lists };
	char *room[LISTS] = {NULL};
	struct td_cli_pair_room pair;
	int rc = td_cli_pair_take(args.policies, &pair, &args.evict, &args.prefetch, err);

	for (size_t i = 0; i < LISTS && !rc; i++)
		rc = td_cli_expand(lists[i].option, lists[i].list, &room[i], err);
	if (!rc)
		rc = bench_as(&args, err);
	for (size_t i = 0; i < LISTS; i++)
		free(room[i]);
	return rc;
}

/* ---- the verbs ---- */

/* clang-format off */
static const char info_more[] =
	"Examples:\n"
	"  tide gpu info\n"
	"  tide gpu info --quick --json\n";

static const struct td_cli_verb info = {
	.name = "info",
	.synopsis = "[OPTIONS]",
	.summary = "Describe the GPU, and measure the limits of the GPU, the bus and the storage",
	.more = info_more,
	.options = info_options,
	.options_bytes = sizeof(struct td_gpu_use_options),
	.run = run_info,
};

static const char selftest_more[] =
	"Needs only the built files. The exit status is 0 only if every part passed.\n\n"
	"Examples:\n"
	"  tide gpu selftest\n"
	"  tide gpu selftest --only pressure,errors --seed 7\n"
	"  tide gpu selftest --thorough --progress=always\n";

static const struct td_cli_verb selftest = {
	.name = "selftest",
	.synopsis = "[OPTIONS]",
	.summary = "Test the runtime on this GPU, under pressure and with injected failures",
	.more = selftest_more,
	.options = selftest_options,
	.options_bytes = sizeof(struct td_gpu_use_options),
	.run = run_selftest,
};

static const char bench_more[] =
	"An application runs on arrays that are larger than near and host memory together, with\n"
	"each placement. Its result is compared with one computed without the runtime. A time\n"
	"covers the kernels and their waits, not making and checking the data.\n\n"
	"Examples:\n"
	"  tide gpu bench --micro hit,miss\n"
	"  tide gpu bench --app srad --place bam,reuse --near 256M --host 1G\n"
	"  tide gpu bench --app all --oversubscribe 2,4 --json >gpu.json; tide report gpu.json\n"
	"  tide gpu bench --app bfs --orchestrate host --evict mhpe --prefetch pattern\n";

static const struct td_cli_verb bench = {
	.name = "bench",
	.synopsis = "[--app APPS] [--micro PARTS] [OPTIONS]",
	.summary = "Measure the runtime: what a hit and a miss cost, and whole applications",
	.more = bench_more,
	.options = bench_options,
	.options_bytes = sizeof(struct td_gpu_use_options),
	.run = run_bench,
};
/* clang-format on */

static const struct td_cli_verb *const verbs[] = {&info, &selftest, &bench, NULL};

static const char more[] =
	"The runtime lets kernels use arrays in files that are larger than the memory of the GPU:\n"
	"near memory on the GPU, pinned memory of the host and the file are its three tiers.\n\n"
	"If there is no GPU, no driver or no libtide_cuda.so, a line names it, and the exit status\n"
	"is 3.\n\n"
	"Examples:\n"
	"  tide gpu info\n"
	"  tide gpu selftest\n"
	"  tide gpu bench --app all --json >gpu.json\n";

const struct td_cli_verb td_cli_verb_gpu = {
	.name = "gpu",
	.order = 130,
	.synopsis = "VERB [OPTIONS]",
	.summary = "Describe the GPU, test the GPU runtime, and measure both",
	.more = more,
	.options = td_cli_help_alone,
	.options_bytes = sizeof(struct td_cli_given),
	.verbs = verbs,
};
