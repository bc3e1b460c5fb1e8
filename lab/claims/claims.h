/* What papers say, as rows, beside what this program measures.
 *
 *     PAPER.def    the rows: a sentence, its place, what was published, an expression over results
 *     PAPER_runs.h what is run: applications, configurations, studies and settings, as rows
 *     PAPER.c      figures out of results, and tables of them; reads the rows
 *     grid.c       runs applications x settings x configurations, on all cores
 *     claims.c     judges a row and states it
 *     table.c      the figures, as tables
 *
 * A claim is added by adding a row to PAPER.def. rows.h says how rows are written. */
#ifndef TD_CLAIMS_H
#define TD_CLAIMS_H

#include "cli/runs.h"
#include "reproduce.h"

/* ---- rows ---- */

struct td_claims;

enum td_claim_kind {
	TD_CLAIM_FIGURE,    /* a number, and ours: how far off is it? */
	TD_CLAIM_DIRECTION, /* words: more, less, alike, in this order */
	TD_CLAIM_IDENTITY,  /* holds by construction: shown, not counted */
	TD_CLAIM_NOT_JUDGED /* why says the reason */
};

struct td_claim {
	const char *id, *what;
	const char *place; /* in the paper */
	enum td_claim_kind kind;
	double published; /* NAN: nothing was */
	const char *text; /* published words, in place of the number; NULL: the number */
	/* How measured values are written: as for printf, all of them doubles but that %s takes the
	 * number of an application and %c that of a configuration. NULL: the first, as a number. */
	const char *format;
	const char *why; /* it differs, or is not judged; NULL: nothing to say */
};

/* A text by value. */
struct td_claims_cell {
	char text[200];
};

#define TD_CLAIMS_VALUES 8
struct td_claims_measured {
	double v[TD_CLAIMS_VALUES]; /* NAN: not run */
	const char *words;          /* in place of them; NULL or empty: the values */
	int agrees;                 /* not of a figure: 0, 1, or TD_UNJUDGED: not here */
	const char *note;           /* in place of the row's why; NULL or empty: that */
};
#define TD_UNJUDGED (-1)

/* The row of an application: format is its id, with %s for the name. NULL: there is none. */
const struct td_claim *td_claims_row(const struct td_claims *p, const char *format,
				     const char *app);
double td_claims_published(const struct td_claims *p, const char *format, const char *app);

void td_claims_state(struct td_cli_reproduction *r, const struct td_claim *row,
		     const struct td_claims_measured *measured);

/* ---- fold.c: one value out of those of several applications ---- */

struct td_fold {
	unsigned n, missing; /* values, and those that are NAN */
	double sum, logs, least, most;
	unsigned least_at, most_at;
};

void td_fold_add(struct td_fold *f, unsigned at, double value);
/* NAN where one is missing. */
double td_fold_mean(struct td_fold f);
double td_fold_geomean(struct td_fold f);
double td_fold_least(struct td_fold f);
double td_fold_most(struct td_fold f);
/* The fold without what is missing; still NAN if nothing is there. */
struct td_fold td_fold_known(struct td_fold f);

/* Of two; NAN if one of them is. */
double td_claims_lower(double x, double y);
double td_claims_higher(double x, double y);

/* ---- grid.c ---- */

/* A run as the paper's make() says it, with the texts it needs. */
struct td_claims_run {
	char workload[128], near_size[24], host[24], evict[64], model[64];
	const char *page, *chunk, *prefetch, *place;
	bool flush;
	struct td_cli_run result;
};

/* What is varied; the first member of the paper's own row. */
struct td_claims_setting {
	unsigned study;         /* number of the one that it belongs to */
	uint32_t apps, configs; /* that run with it, as bits */
};

struct td_claims_study {
	const char *name;      /* for --study; NULL: it has none */
	uint32_t main_configs; /* that it needs of setting 0 */
};

struct td_claims_paper {
	const char *name;
	unsigned apps, configs, settings;
	td_cli_name_at *app, *config, *study_name;
	const struct td_claims_setting *(*setting)(unsigned s);
	const struct td_claims_study *studies; /* ends with a NULL name */
	bool first_alone; /* without --study the first study runs, which has no name; else all */
	/* The longer a run takes the earlier it starts, so that no core is idle at the end. NULL:
	 * in the order of the table. */
	unsigned (*cost)(unsigned a);
	int (*check)(const struct td_claims_options *options, struct tide_error *err); /* or NULL */
	void (*make)(const struct td_claims *p, unsigned s, unsigned a, unsigned c,
		     struct td_claims_run *run);
	const struct td_claim *rows;
	size_t rows_n;
	const char *const *headlines; /* ids of the figures to begin with; ends with NULL */
	void (*claim)(struct td_claims *p);
	int (*print)(const struct td_claims *p, struct tide_error *err);
};

struct td_claims {
	const struct td_claims_paper *paper;
	const struct td_claims_options *options;
	struct td_cli_reproduction r;
	uint32_t wanted; /* applications, as bits */
	unsigned study;  /* that --study names */
	struct td_claims_run *runs;
	size_t n;
	size_t *at; /* [setting][app][config]: number of the run + 1; 0: none */
};

int td_claims_evaluate(const struct td_claims_paper *paper, const struct td_claims_options *options,
		       struct tide_error *err);
/* Of leu and gram the rows alone. */
extern const struct td_claims_paper td_claims_paper_cppe, td_claims_paper_gmt,
	td_claims_paper_observuvm, td_claims_paper_leu, td_claims_paper_gram;
/* Does the study, by number, run? */
bool td_claims_studied(const struct td_claims *p, unsigned study);

/* Results. NULL or NAN where the run is not there or failed. */
const struct td_cli_run *td_claims_run(const struct td_claims *p, unsigned s, unsigned a,
				       unsigned c);
double td_claims_time_ns(const struct td_claims *p, unsigned s, unsigned a, unsigned c);
double td_claims_counted(const struct td_claims *p, unsigned s, unsigned a, unsigned c,
			 size_t counter);
/* A number that the policy reported: "threshold", "transfers.tier2_to_tier1". */
double td_claims_reported(const struct td_claims *p, unsigned s, unsigned a, unsigned c,
			  const char *key);

/* ---- table.c ---- */

typedef double td_claims_figure(const struct td_claims *p, unsigned s, unsigned a, unsigned c);
typedef struct td_claims_cell td_claims_words(const struct td_claims *p, unsigned s, unsigned a,
					      unsigned c);

struct td_claims_column {
	const char *head;
	td_claims_figure *figure;
	unsigned s, c;
	int digits;
	const char *published; /* of the mean; NULL: nothing */
	const char *row;       /* the number that this row published instead, %s: the application */
	td_claims_words *words; /* in place of both */
	bool left;              /* aligned */
	bool alone;             /* it has no mean */
};

#define TD_COLUMN(head_, figure_, s_, c_, digits_, published_) \
	{ \
		.head = head_, .figure = figure_, .s = s_, .c = c_, .digits = digits_, \
		.published = published_ \
	}

/* Below the applications: a fold of each column over some of them. */
struct td_claims_summary {
	const char *name, *type; /* type: in the first column, if that has words; NULL: nothing */
	uint32_t apps;
	double (*fold)(struct td_fold f);
};

struct td_claims_table {
	const char *title;
	const char *corner; /* head of the column of names */
	const struct td_claims_column *columns;
	const struct td_claims_summary *summaries;
	size_t columns_n, summaries_n;
	bool published; /* a row of what was */
};

int td_claims_print(const struct td_claims *p, const struct td_claims_table *table, uint32_t apps,
		    struct tide_error *err);

#define TD_BIT(x) (UINT32_C(1) << (x))

#endif
