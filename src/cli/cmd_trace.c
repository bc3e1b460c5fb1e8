/* tide trace: its verbs and their options. */
#include "trace/verbs.h"

#define TD_CLI_OPTIONS struct td_cli_trace_options

static const struct td_cli_option info_options[] = {
	TD_CLI_FORMAT_OPTIONS,  TD_CLI_PAGE_OPTION, TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION, TD_CLI_HELP_OPTION, TD_CLI_END_OPTIONS,
};

static const struct td_cli_option head_options[] = {
	{"count", 'n', TD_CLI_NUMBER, TD_CLI_AT(count), "N", "accesses to show (10)", TD_CLI_ANY},
	{"from", 0, TD_CLI_NUMBER, TD_CLI_AT(from), "N", "first access to show, from 1 (1)",
	 TD_CLI_ANY},
	TD_CLI_FORMAT_OPTIONS,
	TD_CLI_PAGE_OPTION,
	TD_CLI_JSON_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

#define TO_OPTION \
	{ \
		"to", 0, TD_CLI_TEXT, TD_CLI_AT(to), "FORMAT", \
			"format of OUT: %s (by the ending of its name)", \
			TD_CLI_NAMES(td_cli_write_format_name) \
	}

#define FORCE_OPTION \
	{ \
		"force", 0, TD_CLI_FLAG, TD_CLI_AT(force), NULL, "replace OUT if it exists", \
			TD_CLI_ANY \
	}

static const struct td_cli_option convert_options[] = {
	TO_OPTION,          FORCE_OPTION,           TD_CLI_FORMAT_OPTIONS, TD_CLI_PAGE_OPTION,
	TD_CLI_JSON_OPTION, TD_CLI_PROGRESS_OPTION, TD_CLI_HELP_OPTION,    TD_CLI_END_OPTIONS,
};

static const struct td_cli_option generate_options[] = {
	TD_CLI_WORKLOAD_AT(workload),
	TD_CLI_SEED_OPTION,
	TO_OPTION,
	FORCE_OPTION,
	TD_CLI_PAGE_OPTION,
	TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

/* clang-format off */
static const char info_more[] =
	"Example:\n"
	"  tide trace info app.tide\n";

static const struct td_cli_verb info = {
	.name = "info",
	.synopsis = "FILE [OPTIONS]",
	.summary = "Summarise a trace: accesses, pages, reads, writes, refs, streams",
	.more = info_more,
	.options = info_options,
	.options_bytes = sizeof(struct td_cli_trace_options),
	.words_min = 1,
	.words_max = 1,
	.run = td_cli_trace_info,
};

static const char head_more[] =
	"Example:\n"
	"  tide trace head app.tide -n 5 --from 1000000\n";

static const struct td_cli_verb head = {
	.name = "head",
	.synopsis = "FILE [OPTIONS]",
	.summary = "Show accesses of a trace, as lines of the format txt",
	.more = head_more,
	.options = head_options,
	.options_bytes = sizeof(struct td_cli_trace_options),
	.words_min = 1,
	.words_max = 1,
	.run = td_cli_trace_head,
};

static const char convert_more[] =
	"OUT is compressed if its name ends in .zst or .gz; the format tide is always compressed.\n"
	"- is standard input or output. OUT appears under its name only when it is complete.\n\n"
	"Examples:\n"
	"  tide trace convert io.vscsi io.tide\n"
	"  tide trace convert app.tide - --to txt | less\n";

static const struct td_cli_verb convert = {
	.name = "convert",
	.synopsis = "IN OUT [OPTIONS]",
	.summary = "Write a trace in another format",
	.more = convert_more,
	.options = convert_options,
	.options_bytes = sizeof(struct td_cli_trace_options),
	.words_min = 2,
	.words_max = 2,
	.run = td_cli_trace_convert,
};

static const char generate_more[] =
	"Example:\n"
	"  tide trace generate --workload zipf:pages=1000000,accesses=20000000 zipf.tide\n";

static const struct td_cli_verb generate = {
	.name = "generate",
	.synopsis = "--workload SPEC OUT [OPTIONS]",
	.summary = "Write the accesses of a workload as a trace",
	.more = generate_more,
	.options = generate_options,
	.options_bytes = sizeof(struct td_cli_trace_options),
	.words_min = 1,
	.words_max = 1,
	.run = td_cli_trace_generate,
};
/* clang-format on */

static const struct td_cli_verb *const verbs[] = {&info, &head, &convert, &generate, NULL};

static const char more[] =
	"Formats: --format of info lists those that are read, also compressed as .zst, .gz or .xz;\n"
	"--to of convert lists those that are written.\n\n"
	"Examples:\n"
	"  tide trace info app.tide\n"
	"  tide trace convert io.vscsi io.tide\n";

const struct td_cli_verb td_cli_verb_trace = {
	.name = "trace",
	.order = 70,
	.synopsis = "VERB [OPTIONS]",
	.summary = "Inspect traces, convert them, and make them from workloads",
	.more = more,
	.options = td_cli_help_alone,
	.options_bytes = sizeof(struct td_cli_given),
	.verbs = verbs,
};
