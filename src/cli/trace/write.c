/* tide trace convert and generate: a source into a new trace. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "verbs.h"
#include "workload/workload.h"

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
	struct tide_batch_object object = {0};
	struct tide_batch batch = {0}; /* zero, as sources want it */
	int rc;

	batch.object = td_trace_has_objects(source) ? &object : NULL;
	td_trace_write_like(writer, source);

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
		printf("%s: %s accesses\n", td_cli_name(out).text, td_cli_grouped(events).text);
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
	if (td_trace_has_objects(source) && !td_trace_holds_objects(writer))
		fprintf(stderr,
			"tide %s: groups, sizes or costs are left out: only the tide format holds "
			"them all\n",
			verb);
	rc = td_trace_finish(writer, err);
	writer = NULL;
	if (!rc)
		rc = report_written(args, verb, out, events, err);
out:
	td_trace_abandon(writer);
	td_trace_close(source);
	return rc;
}

int td_cli_trace_convert(const void *options, struct tide_error *err)
{
	const struct td_cli_trace_options *args = options;
	const char *out = args->given.words.at[1];
	struct td_trace_source *source;
	int rc = check_out(args, out, err);

	if (!rc)
		rc = td_cli_open_trace(args, &source, err);
	return rc ? rc : write_source(args, source, "trace convert", out, err);
}

int td_cli_trace_generate(const void *options, struct tide_error *err)
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
