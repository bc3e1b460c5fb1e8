/* tide report: results in, one HTML page and figures out. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "core/mode.h"
#include "plot.h"
#include "report/report.h"

struct report_options {
	struct td_cli_given given;
	const char *output, *figures, *title, *width, *colours, *order, *baseline;
	struct td_cli_list series;
};
#define TD_CLI_OPTIONS struct report_options

static const struct td_cli_option options[] = {
	{"output", 'o', TD_CLI_TEXT, TD_CLI_AT(output), "OUT",
	 "write the page to OUT, replacing an older page (standard output)", TD_CLI_ANY},
	{"figures", 0, TD_CLI_TEXT, TD_CLI_AT(figures), "DIR",
	 "write every figure as PDF, SVG, PNG and CSV, and all results as CSV, to DIR", TD_CLI_ANY},
	{"width", 0, TD_CLI_TEXT, TD_CLI_AT(width), "WIDTH",
	 "of these figures, in in, cm, mm or pt (3.33in, a column)", TD_CLI_ANY},
	{"series", 0, TD_CLI_LIST, TD_CLI_AT(series), "NAME",
	 "show this combination or policy in figures, in the order given (the best eight)",
	 TD_CLI_ANY},
	{"baseline", 0, TD_CLI_TEXT, TD_CLI_AT(baseline), "NAME",
	 "compare with this combination or policy (lrm+tree, or the nearest to it)", TD_CLI_ANY},
	{"order", 0, TD_CLI_TEXT, TD_CLI_AT(order), "ORDER",
	 "of series in figures: first, name or best (first: as the results have them)",
	 TD_CLI_WORDS("first", "name", "best")},
	TD_CLI_COLOURS_OPTION,
	{"title", 0, TD_CLI_TEXT, TD_CLI_AT(title), "TEXT", "title of the page", TD_CLI_ANY},
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char more[] =
	"A FILE holds results of tide sim, compare, mrc, reproduce or gpu bench with --json, the lines\n"
	"of tide sweep, or --stats of tide run --gpu-near; - is standard input. Several files, such as\n"
	"the shards of a sweep, become one report. Equal results count once; of the same run, results of\n"
	"a newer tide are used.\n"
	"The page needs no network and no other file. gnuplot draws the figures. With --figures and\n"
	"without -o there is no page.\n\n"
	"Examples:\n"
	"  tide compare --workload mvt --near 50% --json >mvt.json\n"
	"  tide report mvt.json -o mvt.html\n"
	"  tide report shard-*.jsonl -o sweep.html --title 'All sizes'\n"
	"  tide report shard-*.jsonl --figures figures --width 3.33in --baseline lru\n";

/* Who asks for figures alone gets no page. */
static bool has_page(const struct report_options *args)
{
	return args->output || !args->figures;
}

static bool is_printed(const struct report_options *args)
{
	return has_page(args) && (!args->output || strcmp(args->output, "-") == 0);
}

/* Whether the file at path may be replaced: it is empty, or a page. Results must not be lost, such
 * as those of -o shard-*.jsonl, which the shell makes the page's name and other results. */
static bool is_page(const char *path)
{
	static const char start[] = "<!doctype html>";
	char text[sizeof start - 1];
	FILE *from = fopen(path, "re");
	size_t n = from ? fread(text, 1, sizeof text, from) : 1;

	if (from)
		fclose(from);
	return n == 0 || (n == sizeof text && memcmp(text, start, n) == 0);
}

/* The page is made beside its place and put there by rename, which must not hit a device. */
static int check_place(const char *path, struct tide_error *err)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return tide_fail(err, -EISDIR, "%s is a folder: give the page a name",
				 td_cli_shown(path).text);
	if (lstat(path, &st) != 0)
		return 0;
	if (!S_ISREG(st.st_mode))
		return tide_fail(err, -EEXIST,
				 "%s is there and no plain file: give the page another name",
				 td_cli_shown(path).text);
	if (!is_page(path))
		return tide_fail(err, -EEXIST,
				 "%s is there and no page, and would be lost: give -o the name of "
				 "a page, such as report.html",
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

	if (is_printed(args)) {
		td_report_page(r, args->title, stdout);
		return 0;
	}
	if (asprintf(&part, "%s.%ld.part", args->output, (long)getpid()) < 0)
		return tide_fail(err, -ENOMEM, "no memory for the page: free some");
	to = fopen(part, "wxe");
	if (to) {
		td_core_keep_mode(fileno(to), args->output);
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
	struct tide_error why;
	int rc = td_report_draw(r, &why);

	if (rc == -ENOENT)
		fprintf(stderr, "tide report: the page has no figures: %s\n", why.text);
	else if (rc)
		return tide_fail(err, rc, "%s", why.text);
	return 0;
}

static void print_count(size_t n, const char *one, const char *between)
{
	printf("%s%s %s%s", between, td_cli_grouped(n).text, one, n == 1 ? "" : "s");
}

static void print_same(size_t n, const char *what, const char **between)
{
	if (!n)
		return;
	printf("%s%s %s", *between, td_cli_grouped(n).text, what);
	*between = ", ";
}

static void print_facts(const struct td_report *r, const struct report_options *args)
{
	const char *between = "; ";
	struct td_report_facts f = td_report_facts(r);

	printf("%s: ", td_cli_name(args->output ? args->output : args->figures).text);
	print_count(f.runs, "run", "");
	if (f.failed)
		printf(" (%s failed)", td_cli_grouped(f.failed).text);
	print_count(f.inputs, "input", ", ");
	print_count(f.curves, "curve", ", ");
	print_count(f.papers, "paper", ", ");
	print_count(f.figures, "figure", ", ");
	print_same(f.equal, "equal to another", &between);
	print_same(f.retried, "failed and done again", &between);
	print_same(f.outdated, "outdated", &between);
	print_same(f.conflicting, "conflicting", &between);
	putchar('\n');
}

/* Without gnuplot the data are written, and the page too, before the failure is told. */
static int write_all(struct td_report *r, const struct report_options *args, struct tide_error *err)
{
	struct tide_error why = {0, ""};
	int missing = args->figures ? td_report_figures(r, args->figures, &why) : 0;
	int rc = missing && missing != -ENOENT ? tide_fail(err, missing, "%s", why.text) : 0;

	if (!rc && !missing && has_page(args))
		rc = draw(r, err);
	if (!rc && has_page(args))
		rc = write_page(r, args, err);
	if (!rc && !is_printed(args))
		print_facts(r, args);
	if (!rc && missing)
		rc = tide_fail(err, -EIO, "no figure could be drawn, and %s has CSV alone: %s",
			       td_cli_shown(args->figures).text, why.text);
	return rc;
}

static int check_output(const struct report_options *args, struct tide_error *err)
{
	if (!has_page(args))
		return 0;
	if (!args->output && isatty(STDOUT_FILENO))
		return tide_fail(err, -EINVAL,
				 "the page would go to the terminal: add -o report.html");
	return is_printed(args) ? 0 : check_place(args->output, err);
}

static int wish(struct td_report *r, const struct report_options *args, struct tide_error *err)
{
	if (args->width && !args->figures)
		return tide_fail(err, -EINVAL, "--width is of figures in files: add --figures DIR");
	return td_report_wish(r,
			      &(struct td_report_wish){.version = tide_version(),
						       .width = args->width,
						       .colours = args->colours,
						       .order = args->order,
						       .baseline = args->baseline,
						       .series = args->series.at,
						       .n_series = args->series.n},
			      err);
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
	rc = wish(r, args, err);
	for (size_t i = 0; i < args->given.words.n && !rc; i++)
		rc = td_report_read(r, args->given.words.at[i], err);
	if (!rc)
		rc = td_report_prepare(r, err);
	if (!rc)
		rc = write_all(r, args, err);
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
