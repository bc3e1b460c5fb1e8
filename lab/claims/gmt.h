/* Between the files of tide reproduce gmt. */
#ifndef TD_CLI_REPRODUCE_GMT_H
#define TD_CLI_REPRODUCE_GMT_H

#include "runs.h"

enum td_cli_gmt_app {
	GMT_LAVAMD,
	GMT_PATHFINDER,
	GMT_BFS,
	GMT_MVA,
	GMT_SRAD,
	GMT_BACKPROP,
	GMT_PAGERANK,
	GMT_SSSP,
	GMT_HOTSPOT,
	GMT_APPS
};

enum td_cli_gmt_place {
	GMT_BAM,
	GMT_TIER_ORDER,
	GMT_RANDOM,
	GMT_REUSE,
	GMT_HMM,
	GMT_FREE, /* reuse, with look-ups and copies to host memory that take no time */
	GMT_PLACES
};

/* What is varied: sizes of tiers and data. */
enum td_cli_gmt_setting {
	GMT_MAIN,
	GMT_OSF4,
	GMT_RATIO2,
	GMT_RATIO8,
	GMT_LARGER,
	GMT_IMPLIED,
	GMT_SETTINGS
};

/* What the paper says of an application. */
struct td_cli_gmt_published {
	const char *name;
	bool graph;
	double speedup; /* of reuse over BaM */
	double reuse_percent, io_gb;
	double data_gb;      /* 160, or the graph's edges */
	unsigned tier;       /* where most remaining reuse distances lie */
	double tier_percent; /* so many of them; 0: not said */
	double cut_percent;  /* of storage reads by reuse; 0: not said */
	/* Where sizes differ, of the speedup, of the reads, of the tier; NULL: nothing to say. */
	const char *why, *io_why, *tier_why;
};
extern const struct td_cli_gmt_published td_cli_gmt_published[GMT_APPS];

struct td_cli_gmt_sizes {
	char near_size[24], host[24];
};

struct td_cli_gmt {
	struct td_cli_evaluation e;
	bool wanted[GMT_APPS];
	bool all;                       /* of them are */
	struct td_cli_gmt_sizes *sizes; /* of the same run */
	/* Number of the run + 1; 0: there is none. */
	size_t at[GMT_SETTINGS][GMT_APPS][GMT_PLACES];
};

/* The run, or NULL where there is none or it failed. */
const struct td_cli_rerun *td_cli_gmt_run(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
					  enum td_cli_gmt_app a, enum td_cli_gmt_place p);

/* ---- gmt_figures.c: numbers out of runs; NAN where they are not there ---- */

typedef double td_cli_gmt_figure(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
				 enum td_cli_gmt_app a, enum td_cli_gmt_place p);
td_cli_gmt_figure td_cli_gmt_speedup;   /* over BaM */
td_cli_gmt_figure td_cli_gmt_cut;       /* percent of BaM's storage reads that are saved */
td_cli_gmt_figure td_cli_gmt_useless;   /* look-ups of tier 2 in vain, as percent of the misses */
td_cli_gmt_figure td_cli_gmt_returned;  /* pages back from tier 2, as percent of those put there */
td_cli_gmt_figure td_cli_gmt_traffic;   /* pages to and from tier 2, as percent of BaM's reads */
td_cli_gmt_figure td_cli_gmt_reuse;     /* percent: 1 - pages / misses */
td_cli_gmt_figure td_cli_gmt_io_gb;     /* storage reads, were the data of the paper's size */
td_cli_gmt_figure td_cli_gmt_accuracy;  /* of predictions, percent */
td_cli_gmt_figure td_cli_gmt_lifted;    /* percent of the pages put into tier 2 by the 80% rule */
td_cli_gmt_figure td_cli_gmt_equalised; /* speedup of reuse over HMM with reuse's reads */
/* Percent of the pages that came back whose distance was tier's; the tier that has most: 0: none
 * came back. */
double td_cli_gmt_class_percent(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
				enum td_cli_gmt_app a, unsigned tier);
unsigned td_cli_gmt_class(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
			  enum td_cli_gmt_app a);

enum td_cli_gmt_group { GMT_ALL, GMT_NO_GRAPH, GMT_TIER2_BIAS, GMT_OTHER_BIAS };
double td_cli_gmt_geomean(const struct td_cli_gmt *g, td_cli_gmt_figure *f,
			  enum td_cli_gmt_setting s, enum td_cli_gmt_place p,
			  enum td_cli_gmt_group group);
double td_cli_gmt_mean(const struct td_cli_gmt *g, td_cli_gmt_figure *f, enum td_cli_gmt_setting s,
		       enum td_cli_gmt_place p);

/* ---- the other files ---- */

void td_cli_gmt_claim_class(struct td_cli_gmt *g, enum td_cli_gmt_setting s, enum td_cli_gmt_app a);
void td_cli_gmt_claims(struct td_cli_gmt *g);
void td_cli_gmt_study_claims(struct td_cli_gmt *g);
int td_cli_gmt_print(const struct td_cli_gmt *g, struct tide_error *err);

/* ---- gmt_state.c ---- */

/* "its size agrees", or by how much it does not and why. */
struct td_cli_gmt_note {
	char text[400];
};
struct td_cli_gmt_note td_cli_gmt_size_note(double published, double measured, const char *why);

/* A speedup: agrees if on the same side of 1. */
void td_cli_gmt_state_speedup(struct td_cli_gmt *g, const char *id, const char *what,
			      double published, double measured, const char *why);
/* A share that is saved: agrees if there is one. */
void td_cli_gmt_state_gain(struct td_cli_gmt *g, const char *id, const char *what, double published,
			   double measured, const char *why);
/* What cannot be judged here. */
void td_cli_gmt_skip(struct td_cli_gmt *g, const char *id, const char *what, const char *published,
		     const char *why);

#endif
