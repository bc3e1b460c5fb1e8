/* tide report: results in, one HTML page and figures out. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "report/report.h"

struct report_options {
	struct td_cli_given given;
	const char *output, *figures, *title;
};
#define TD_CLI_OPTIONS struct report_options

static const struct td_cli_option options[] = {
	{"output", 'o', TD_CLI_TEXT, TD_CLI_AT(output), "OUT",
	 "write the page to OUT, replacing it (standard output)", TD_CLI_ANY},
	{"figures", 0, TD_CLI_TEXT, TD_CLI_AT(figures), "DIR",
	 "also write every figure as SVG, PNG and CSV, and all results as CSV, to DIR", TD_CLI_ANY},
	{"title", 0, TD_CLI_TEXT, TD_CLI_AT(title), "TEXT", "title of the page", TD_CLI_ANY},
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char more[] =
	"A FILE holds results of tide sim, compare, mrc, reproduce or gpu bench with --json, or the\n"
	"lines of tide sweep; - is standard input. Several files, such as the shards of a sweep,\n"
	"become one report, and duplicate results count once.\n"
	"The page needs no network and no other file. gnuplot draws the figures.\n\n"
	"Examples:\n"
	"  tide compare --workload mvt --near 50% --json >mvt.json\n"
	"  tide report mvt.json -o mvt.html\n"
	"  tide report shard-*.jsonl -o sweep.html --figures figures --title 'All sizes'\n";

/* The page is made beside its place and put there by rename, which must not hit a device. */
static int check_place(const char *path, struct tide_error *err)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return tide_fail(err, -EISDIR, "%s is a folder: give the page a name",
				 td_cli_shown(path).text);
	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return tide_fail(err, -EEXIST,
				 "%s is there and no plain file: give the page another name",
				 td_cli_shown(path).text);
	return 0;
}

static int finish_page(FILE *to, const char *part, const char *path, struct tide_error *err)
{
	bool bad = ferror(to);

	bad |= fclose(to) != 0;
	if (!bad && rename(part, path) == 0)
		return 0;
	tide_fail(err, -EIO, "cannot write %s: %s: is the disk full?", td_cli_shown(path).text,
		  strerror(errno));
	unlink(part);
	return -EIO;
}

static int write_page(const struct td_report *r, const struct report_options *args,
		      struct tide_error *err)
{
	char *part;
	FILE *to;
	int rc;

	if (!args->output || strcmp(args->output, "-") == 0) {
		td_report_page(r, args->title, stdout);
		return 0;
	}
	rc = check_place(args->output, err);
	if (rc)
		return rc;
	if (asprintf(&part, "%s.%ld.part", args->output, (long)getpid()) < 0)
		return tide_fail(err, -ENOMEM, "no memory for the page: free some");
	to = fopen(part, "wx");
	if (to) {
		td_report_page(r, args->title, to);
		rc = finish_page(to, part, args->output, err);
	} else {
		rc = tide_fail(err, -EIO, "cannot write %s: %s: give the page another place",
			       td_cli_shown(args->output).text, strerror(errno));
	}
	free(part);
	return rc;
}

/* A page without figures is worth more than no page: its reader is told, and so is its maker. */
static int draw(struct td_report *r, struct tide_error *err)
{
	int rc = td_report_draw(r, err);

	if (rc != -ENOENT)
		return rc;
	fprintf(stderr, "tide report: the page has no figures: %s\n", err->text);
	return 0;
}

static void print_count(size_t n, const char *one, const char *between)
{
	printf("%s%s %s%s", between, td_cli_grouped(n).text, one, n == 1 ? "" : "s");
}

static void print_facts(const struct td_report *r, const struct report_options *args)
{
	struct td_report_facts f = td_report_facts(r);

	printf("%s: ", args->output);
	print_count(f.runs, "run", "");
	if (f.failed)
		printf(" (%s failed)", td_cli_grouped(f.failed).text);
	print_count(f.inputs, "input", ", ");
	print_count(f.curves, "curve", ", ");
	print_count(f.papers, "paper", ", ");
	print_count(f.figures, "figure", ", ");
	if (f.duplicates) {
		print_count(f.duplicates, "duplicate", "; ");
		printf(" dropped");
	}
	putchar('\n');
}

static int check_output(const struct report_options *args, struct tide_error *err)
{
	if (!args->output && isatty(STDOUT_FILENO))
		return tide_fail(err, -EINVAL,
				 "the page would go to the terminal: add -o report.html");
	return 0;
}

static int run(const void *given, struct tide_error *err)
{
	const struct report_options *args = given;
	int rc = check_output(args, err);
	struct td_report *r = rc ? NULL : td_report_open();

	if (rc)
		return rc;
	if (!r)
		return tide_fail(err, -ENOMEM, "no memory for the report: free some");
	for (size_t i = 0; i < args->given.words.n && !rc; i++)
		rc = td_report_read(r, args->given.words.at[i], err);
	if (!rc)
		rc = td_report_prepare(r, err);
	if (!rc && args->figures)
		rc = td_report_figures(r, args->figures, err);
	if (!rc)
		rc = draw(r, err);
	if (!rc)
		rc = write_page(r, args, err);
	if (!rc && args->output && strcmp(args->output, "-") != 0)
		print_facts(r, args);
	td_report_close(r);
	return rc;
}

const struct td_cli_verb td_cli_verb_report = {
	.name = "report",
	.order = 60,
	.synopsis = "FILE... [-o OUT] [OPTIONS]",
	.summary = "Make one HTML page, and figures, from results",
	.more = more,
	.options = options,
	.options_bytes = sizeof(struct report_options),
	.words_min = 1,
	.words_max = TD_CLI_LIST_MAX,
	.run = run,
};
