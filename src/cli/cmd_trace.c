/* tide trace: head, convert and generate; info is in trace_info.c. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "core/text.h"
#include "trace_verbs.h"
#include "workload/workload.h"

#define TD_CLI_OPTIONS struct td_cli_trace_options

static const struct td_cli_option info_options[] = {
	TD_CLI_FORMAT_OPTIONS,  TD_CLI_PAGE_OPTION, TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION, TD_CLI_HELP_OPTION, TD_CLI_END_OPTIONS,
};

static const struct td_cli_option head_options[] = {
	{"count", 'n', TD_CLI_NUMBER, TD_CLI_AT(count), "N", "accesses to show (10)", TD_CLI_ANY},
	{"from", 0, TD_CLI_NUMBER, TD_CLI_AT(from), "N", "the first one to show, from 1 (1)",
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
			"format of OUT: tide, txt or oraclegeneral (by its ending)", \
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

int td_cli_open_trace(const struct td_cli_trace_options *args, struct td_trace_source **source,
		      struct tide_error *err)
{
	struct td_trace_options options = {
		.path = args->given.words.at[0], .format = args->format, .columns = args->columns};
	int rc = td_lib_page_bytes(args->page, &options.page_bytes, err);

	return rc ? rc : td_trace_open(source, &options, err);
}

void td_cli_show_source(struct td_cli_progress *progress, const struct td_trace_source *source,
			uint64_t events)
{
	const struct td_trace_facts *facts = &source->facts;

	if (source->bytes_total)
		td_cli_progress_show(progress, source->bytes_done, source->bytes_total);
	else
		td_cli_progress_show(progress, events,
				     facts->accesses == TD_UNKNOWN ? 0 : facts->accesses);
}

/* JSON integers of 64 signed bits are what readers can be relied on to take: a larger number is
 * given as text. */
json_t *td_cli_json_u64(uint64_t n)
{
	char text[24];

	if (n <= INT64_MAX)
		return json_integer((json_int_t)n);
	snprintf(text, sizeof text, "%llu", (unsigned long long)n);
	return json_string(text);
}

/* ---- head ---- */

/* Where the accesses go: lines, or the elements of a list. */
struct show {
	struct td_trace_writer *writer;
	json_t *list;
};

static json_t *mark_json(const struct tide_mark *m)
{
	return json_pack("{ss so so}", "mark", td_trace_mark_name(m), "page",
			 td_cli_json_u64(m->page), "pages", td_cli_json_u64(m->pages));
}

static int show_json(json_t *list, const struct tide_batch *b, struct tide_error *err)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < b->n; i++) {
		json_t *o = json_pack("{so sb so so}", "page", td_cli_json_u64(b->page[i]), "write",
				      b->write[i], "ref", td_cli_json_u64(b->ref[i]), "stream",
				      td_cli_json_u64(b->stream[i]));
		for (; k < b->marks_n && b->marks[k].at <= i; k++)
			json_array_append_new(list, mark_json(&b->marks[k]));
		if (json_array_append_new(list, o) != 0)
			return tide_fail(err, -ENOMEM, "no memory for the accesses: show fewer");
	}
	return 0;
}

static int show_range(const struct td_cli_trace_options *args, struct show *to,
		      struct tide_error *err)
{
	struct tide_batch batch = {0}; /* zero, as sources want it */
	uint64_t count = args->count ? args->count : 10, left = count;
	struct td_trace_source *source;
	int rc = td_cli_open_trace(args, &source, err);

	if (rc)
		return rc;
	if (args->from > 1)
		rc = td_trace_seek(source, args->from - 1, err);
	while (left > 0 && !rc) {
		rc = td_trace_next(source, &batch, err);
		if (rc || batch.n == 0)
			break;
		if (batch.n > left)
			batch.n = (uint32_t)left;
		left -= batch.n;
		rc = to->list ? show_json(to->list, &batch, err)
			      : td_trace_put(to->writer, &batch, err);
	}
	td_trace_close(source);
	if (!rc && left == count)
		rc = tide_fail(
			err, -ERANGE, "%s ends before access %" PRIu64 ": give a smaller --from",
			td_cli_shown(args->given.words.at[0]).text, args->from ? args->from : 1);
	return rc;
}

static int head_json(const struct td_cli_trace_options *args, struct tide_error *err)
{
	struct show to = {.list = json_array()};
	int rc = show_range(args, &to, err);

	if (rc) {
		json_decref(to.list);
		return rc;
	}
	return td_cli_print_json(json_pack("{ss ss so}", "tide", tide_version(), "verb",
					   "trace head", "events", to.list),
				 err);
}

static int run_head(const void *options, struct tide_error *err)
{
	const struct td_cli_trace_options *args = options;
	struct show to = {0};
	int rc;

	if (args->json)
		return head_json(args, err);
	rc = td_trace_create(&to.writer, "-", "txt", err);
	if (rc)
		return rc;
	rc = show_range(args, &to, err);
	if (!rc)
		return td_trace_finish(to.writer, err);
	td_trace_abandon(to.writer);
	return rc;
}

/* ---- convert and generate ---- */

static int check_out(const struct td_cli_trace_options *args, const char *out,
		     struct tide_error *err)
{
	bool is_output = strcmp(out, "-") == 0;
	struct stat st;

	if (is_output && args->json)
		return tide_fail(err, -EINVAL,
				 "the trace and the JSON document cannot both go to "
				 "standard output: give OUT a name");
	/* Of a folder there is more to say, and its writer says it. */
	if (!is_output && !args->force && stat(out, &st) == 0 && !S_ISDIR(st.st_mode))
		return tide_fail(err, -EEXIST, "%s exists: give --force to replace it", out);
	return 0;
}

static int pump(struct td_trace_source *source, struct td_trace_writer *writer,
		struct td_cli_progress *progress, uint64_t *events, struct tide_error *err)
{
	struct tide_batch batch = {0}; /* zero, as sources want it */
	int rc;

	for (*events = 0;; *events += batch.n) {
		rc = td_trace_next_marked(source, &batch, err);
		if (rc || (batch.n == 0 && batch.marks_n == 0))
			return rc;
		rc = td_trace_put(writer, &batch, err);
		if (rc)
			return rc;
		td_cli_show_source(progress, source, *events);
	}
}

static int report_written(const struct td_cli_trace_options *args, const char *verb,
			  const char *out, uint64_t events, struct tide_error *err)
{
	if (args->json)
		return td_cli_print_json(json_pack("{ss ss so so}", "tide", tide_version(), "verb",
						   verb, "output", td_cli_json_text(out),
						   "accesses", td_cli_json_u64(events)),
					 err);
	if (strcmp(out, "-") != 0)
		printf("%s: %s accesses\n", out, td_cli_grouped(events).text);
	return 0;
}

/* Takes the source over. */
static int write_source(const struct td_cli_trace_options *args, struct td_trace_source *source,
			const char *verb, const char *out, struct tide_error *err)
{
	struct td_trace_writer *writer = NULL;
	struct td_cli_progress progress;
	uint64_t events;
	int rc = td_cli_progress_start(&progress, args->progress, verb, err);

	if (!rc)
		rc = td_trace_create(&writer, out, args->to, err);
	if (rc)
		goto out;
	rc = pump(source, writer, &progress, &events, err);
	td_cli_progress_end(&progress);
	if (rc)
		goto out;
	if (source->marks && !td_trace_holds_marks(writer))
		fprintf(stderr,
			"tide %s: the marks are left out: only the tide format holds them\n", verb);
	rc = td_trace_finish(writer, err);
	writer = NULL;
	if (!rc)
		rc = report_written(args, verb, out, events, err);
out:
	td_trace_abandon(writer);
	td_trace_close(source);
	return rc;
}

static int run_convert(const void *options, struct tide_error *err)
{
	const struct td_cli_trace_options *args = options;
	const char *out = args->given.words.at[1];
	struct td_trace_source *source;
	int rc = check_out(args, out, err);

	if (!rc)
		rc = td_cli_open_trace(args, &source, err);
	return rc ? rc : write_source(args, source, "trace convert", out, err);
}

static int run_generate(const void *options, struct tide_error *err)
{
	const struct td_cli_trace_options *args = options;
	const char *out = args->given.words.at[0];
	struct td_trace_source *source;
	uint64_t page_bytes, seed;
	int rc = check_out(args, out, err);

	if (!rc && !args->workload)
		rc = tide_fail(err, -EINVAL,
			       "no workload: give --workload NAME, tide workloads "
			       "lists them");
	if (!rc)
		rc = td_lib_page_bytes(args->page, &page_bytes, err);
	if (!rc)
		rc = td_lib_seed(args->seed, &seed, err);
	if (!rc)
		rc = td_workload_open(&source, args->workload, page_bytes, seed, err);
	return rc ? rc : write_source(args, source, "trace generate", out, err);
}

/* ---- the verbs ---- */

/* clang-format off */
static const char info_more[] =
	"Example:\n"
	"  tide trace info app.tide\n";

static const struct td_cli_verb info = {
	.name = "info",
	.synopsis = "FILE [OPTIONS]",
	.summary = "Say what a trace holds: accesses, pages, reads, writes, refs, streams",
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
	.run = run_head,
};

static const char convert_more[] =
	"OUT ends in .zst or .gz to be compressed; the format tide is compressed by itself. - is\n"
	"standard input or output. OUT appears under its name only when it is complete.\n\n"
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
	.run = run_convert,
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
	.run = run_generate,
};
/* clang-format on */

static const struct td_cli_verb *const verbs[] = {&info, &head, &convert, &generate, NULL};

static const char more[] =
	"Formats: tide (ours, binary), txt, csv, oraclegeneral and vscsi are read, also compressed\n"
	"as .zst or .gz; tide, txt and oraclegeneral are written.\n\n"
	"Examples:\n"
	"  tide trace info app.tide\n"
	"  tide trace convert io.vscsi io.tide\n";

const struct td_cli_verb td_cli_verb_trace = {
	.name = "trace",
	.order = 70,
	.synopsis = "VERB [OPTIONS]",
	.summary = "Look into traces, convert them, and make them from workloads",
	.more = more,
	.options = td_cli_help_alone,
	.options_bytes = sizeof(struct td_cli_given),
	.verbs = verbs,
};
