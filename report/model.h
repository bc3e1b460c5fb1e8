/* What a report holds, between reading and writing it. */
#ifndef TD_REPORT_MODEL_H
#define TD_REPORT_MODEL_H

#include <jansson.h>
#include <stdint.h>

#include "csv.h"
#include "figure.h"
#include "report.h"

/* Texts that come again and again, each once: numbered by first appearance. */
struct td_report_names {
	json_t *numbers; /* text -> number */
	const char **at;
	size_t n, room;
};

enum td_report_count {
#define TIDE_COUNTER(name, help) TD_REPORT_##name,
#include "tide/counters.def"
#undef TIDE_COUNTER
	TD_REPORT_COUNTS
};
extern const char *const td_report_count_names[TD_REPORT_COUNTS];

/* Of several results of one run, one stands; the others are shown, and not compared: same.c. */
enum td_report_state { TD_REPORT_STANDS, TD_REPORT_CONFLICTS, TD_REPORT_OUTDATED };

/* 100,000 of these must fit into little memory: the documents are not kept. */
struct td_report_run {
	uint32_t input, combination, model, evict, prefetch, place; /* numbers of names */
	uint32_t size, group;  /* of near memory; of the runs that differ in policies alone */
	uint32_t file, number; /* of the first file, 0; of the first run, 1 */
	uint32_t version;      /* of tide: number of a name */
	uint32_t digest;       /* of a trace: number of a name, from 1; 0: it is no trace */
	enum td_report_state state;
	uint32_t instead; /* the number of the run that stands; 0: this one does */
	uint32_t also;    /* the number of another result of the same run; 0: there is none */
	bool is_placed, is_baseline;
	bool is_measured; /* its time is that of a machine, not of a model */
	uint32_t grid;    /* of its sweep, from 1; 0: of none */
	uint64_t index;   /* in that grid */
	uint64_t page_bytes, chunk_bytes, near_pages, host_pages, footprint_pages, seed;
	uint64_t counts[TD_REPORT_COUNTS];
	uint64_t time_ns;          /* 0: the run has no clock */
	double wall_s, near_share; /* the share that was asked for; 0: not said */
	char *command, *error;     /* error NULL: it went well */
};

/* What decides which run is the best: less is better in all of them. */
enum td_report_metric {
	TD_REPORT_FAULTS,
	TD_REPORT_STORAGE,  /* pages read from tier 3 and written to it */
	TD_REPORT_TIME,     /* of a simulated machine */
	TD_REPORT_MEASURED, /* time of a real one */
	TD_REPORT_MIXED,    /* of a report, not of a group */
};

static inline bool td_report_is_time(enum td_report_metric metric)
{
	return metric == TD_REPORT_TIME || metric == TD_REPORT_MEASURED;
}

/* Runs of the same input at the same size, in td_report.order from first on. */
struct td_report_group {
	size_t first, n;
	enum td_report_metric metric;
	const struct td_report_run *baseline, *best; /* NULL: all failed */
	size_t also_best;                            /* others that are as good */
};

/* How a combination does over all groups that it ran in. */
struct td_report_score {
	double log_gain; /* sum */
	size_t gains, groups, best;
	bool is_baseline, is_oracle;
};

/* Of series in figures. */
enum td_report_order_by { TD_REPORT_BY_FIRST, TD_REPORT_BY_NAME, TD_REPORT_BY_BEST };

struct td_report_point {
	double pages, misses, ratio;
	double error; /* of the ratio of a sample, 0: it is not said */
};
struct td_report_curve {
	uint32_t input, policy;   /* numbers of names */
	uint32_t version, digest; /* as of a run */
	enum td_report_state state;
	uint64_t page_bytes, accesses;
	char *method, *command;
	size_t n;
	struct td_report_point *at;
	double footprint_pages, mean;
	bool is_sampled;
};

struct td_report_statement {
	char *id, *what, *published, *measured, *note; /* as texts; note may be NULL */
	double published_value, measured_value;        /* NAN: no number */
	signed char agrees;                            /* 1, 0, or -1: not judged, or a figure */
	double error; /* of a figure, as a share of what was published; NAN: it is none */
};
struct td_report_paper {
	char *name;
	struct td_report_statement *at;
	size_t n, agree, disagree, figures, near; /* near: figures that are off by 25% at most */
};

/* "differs", or of a figure "+12%". */
struct td_report_verdict {
	char text[32];
};
struct td_report_verdict td_report_verdict(const struct td_report_statement *s);

#define TD_REPORT_BASELINES_MOST 8 /* each has tables of its own */

struct td_report {
	struct td_report_wish wish;
	enum td_report_order_by order_by;
	struct td_report_names files, inputs, combinations, policies, models, sizes, groups_named,
		grids, versions, digests;
	struct td_report_run *runs;
	size_t n_runs, runs_room;
	json_t *by_key, *curves_by_key; /* key of same.h -> place in runs, in curves */
	json_t *by_command;             /* command -> the first of its runs */
	json_t *told;                   /* what papers and GPUs said, by the text of it */
	size_t equal, retried; /* results that are there already; failures that have a success */
	size_t conflicting, outdated, failed, others; /* others: runs of a form that is not known */
	size_t renamed;                               /* inputs that go by another's name */
	struct td_report_curve *curves;
	size_t n_curves;
	struct td_report_paper *papers;
	size_t n_papers;
	json_t *gpus; /* what was measured of GPUs: {"device", "micro"} of each document; or NULL */
	json_t *gpu_runs; /* programs in less GPU memory: {"row", "kernels"} of each; or NULL */

	/* Made by td_report_prepare(). */
	uint32_t *order; /* of the runs: by input, size and place in the files */
	struct td_report_group *groups;
	size_t n_groups, run_inputs, n_inputs;       /* inputs: of runs; of runs and curves */
	struct td_report_score *scores;              /* by combination */
	uint32_t baseline[TD_REPORT_BASELINES_MOST]; /* combinations that are one */
	size_t baselines, uncompared;                /* 1: the same everywhere; groups without */
	bool sizes_are_shares;
	struct td_report_look look; /* of figures */
	struct td_report_figure *figures;
	size_t n_figures, undrawn;
	bool has_gnuplot;
};

/* Whether a run takes part in comparisons. */
static inline bool td_report_is_compared(const struct td_report_run *run)
{
	return !run->error && run->state == TD_REPORT_STANDS;
}

struct td_report_keys;

/* store.c */
int td_report_name(struct td_report_names *names, const char *text, uint32_t *number);
void td_report_free_names(struct td_report_names *names);
/* Takes its texts over. keys NULL: it failed, and has only its command. */
int td_report_add_run(struct td_report *r, struct td_report_run *run,
		      const struct td_report_keys *keys);
int td_report_add_curve(struct td_report *r, struct td_report_curve *c,
			const struct td_report_keys *keys);

/* inputs.c: names inputs, so that each has one of its own. */
int td_report_tell_inputs(struct td_report *r);

/* aside.c */
void td_report_put_aside(const struct td_report *r, FILE *to);
const char *td_report_state_name(enum td_report_state state);

/* order.c: after the last result is read. */
int td_report_order(struct td_report *r);

/* group.c */
uint64_t td_report_cost(const struct td_report_run *run, enum td_report_metric metric);
int td_report_group(struct td_report *r);
/* Near memory in hundredths of the footprint, which is known, as it was asked for. */
double td_report_share(const struct td_report_run *run);
/* Of all groups; TD_REPORT_MIXED where they differ. */
enum td_report_metric td_report_metric(const struct td_report *r);
/* Is a time of a machine among them, which is never the same twice? */
bool td_report_any_measured(const struct td_report *r);
/* What knows the future, or has all data near, cannot be chosen for real: it is shown, and not
 * ranked. */
bool td_report_is_oracle(const struct td_report *r, const struct td_report_run *run);
/* How many times better than the baseline a run is: its cost in that of run. NAN: not known. */
double td_report_gain(const struct td_report_group *group, const struct td_report_run *run);
/* Of all groups, by the geometric mean. NAN: nothing to compare. */
double td_report_mean_gain(const struct td_report *r, uint32_t combination);

/* baseline.c: what runs are compared with; in tables, by its number. */
void td_report_choose_baselines(struct td_report *r);
size_t td_report_baseline_of(const struct td_report *r, const struct td_report_group *g);
const char *td_report_baseline(const struct td_report *r, size_t i); /* NULL: there is none */

/* wish.c: whether "lrm+tree" is called "lrm+tree", "lrm" or "tree", and a curve "lrm" the same. */
bool td_report_is_called(const char *name, const char *wanted);
/* -EINVAL: what was asked for is not there. */
int td_report_check_wish(const struct td_report *r, struct tide_error *err);
/* The place of a name among the series that were asked for; SIZE_MAX: it was not. */
size_t td_report_wanted(const struct td_report *r, const char *name);

/* choose.c */
int td_report_choose(struct td_report *r);

/* Numbers and texts for people. */
struct td_report_text {
	char text[64];
};
struct td_report_text td_report_grouped(uint64_t n);
struct td_report_text td_report_bytes(uint64_t bytes);
struct td_report_text td_report_ns(uint64_t ns);
struct td_report_text td_report_near(const struct td_report_run *run);
const char *td_report_metric_name(enum td_report_metric metric);
void td_report_html(FILE *to, const char *text);
void td_report_html_part(FILE *to, const char *text, size_t n); /* its first n bytes */

/* table.c: a table in a box that scrolls by itself. The rows behind the first ones are data. */
#define TD_REPORT_ROWS_MOST 1000
struct td_report_table {
	FILE *to;
	size_t rows;                  /* begun */
	struct td_report_names texts; /* of rows that are data */
};
/* A head with "#" first is of numbers. */
void td_report_put_heads(struct td_report_table *t, const char *caption, const char *const *heads,
			 FILE *to);
void td_report_put_row(struct td_report_table *t, bool is_best); /* begins it */
/* One cell of the row. NAN: empty. */
void td_report_put_number(struct td_report_table *t, double value, const char *shown);
void td_report_put_text(struct td_report_table *t, const char *text);
/* what: the rows; file: of --figures, which has them all. */
void td_report_put_foot(struct td_report_table *t, const char *what, const char *file);
/* A word about what is not on the page at all. */
void td_report_put_left_out(size_t n, const char *what, const char *file, FILE *to);

struct td_report_caption {
	char text[300];
};
/* What a table has, and its baseline. */
struct td_report_caption td_report_caption(const struct td_report *r, const char *what,
					   size_t baseline);

/* table_runs.c, tables.c */
void td_report_put_best(const struct td_report *r, size_t baseline, FILE *to);
void td_report_put_runs(const struct td_report *r, size_t baseline, FILE *to);
void td_report_put_failed(const struct td_report *r, FILE *to);
void td_report_put_curves(const struct td_report *r, FILE *to);
void td_report_put_statements(const struct td_report_paper *paper, FILE *to);
void td_report_put_commands(const struct td_report *r, FILE *to);

/* table_gpu.c */
void td_report_put_gpus(const struct td_report *r, FILE *to);
void td_report_put_gpu_runs(const struct td_report *r, FILE *to);

/* summary.c */
void td_report_put_summary(const struct td_report *r, FILE *to);

/* Made by cmake/page.cmake from page.css and page.js: their texts, and their SHA-256 in hex. */
extern const char td_report_css[], td_report_js[], td_report_css_sum[], td_report_js_sum[];

#endif
