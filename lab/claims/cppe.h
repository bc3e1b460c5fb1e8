/* Between the files of tide reproduce cppe. */
#ifndef TD_CLI_REPRODUCE_CPPE_H
#define TD_CLI_REPRODUCE_CPPE_H

#include "runs.h"

/* In the order of the paper's Table II. */
enum td_cli_cppe_app {
	CPPE_HOT,
	CPPE_LEU,
	CPPE_2DC,
	CPPE_3DC,
	CPPE_BKP,
	CPPE_PAT,
	CPPE_DWT,
	CPPE_KMN,
	CPPE_SAD,
	CPPE_NW,
	CPPE_BFS,
	CPPE_MVT,
	CPPE_BIC,
	CPPE_SRD,
	CPPE_HSD,
	CPPE_MRQ,
	CPPE_STN,
	CPPE_HWL,
	CPPE_SGM,
	CPPE_HIS,
	CPPE_SPV,
	CPPE_BT,
	CPPE_HYB,
	CPPE_APPS
};

enum td_cli_cppe_config {
	CPPE_BASELINE,
	CPPE_SCHEME2, /* CPPE as the paper has it */
	CPPE_SCHEME1,
	CPPE_RANDOM,
	CPPE_LRU10,
	CPPE_LRU20,
	CPPE_STOP,
	CPPE_HPE,
	CPPE_CONFIGS
};

enum td_cli_cppe_size { CPPE_75, CPPE_50, CPPE_SIZES };

#define CPPE_NONE (-1) /* the paper's tables leave it out */

struct td_cli_cppe_published {
	const char *name, *type;
	const char *params, *quick; /* of the workload */
	unsigned cost;              /* of its run, in seconds or so: the long ones go first */
	int most[CPPE_SIZES];       /* Table III */
	int total[CPPE_SIZES];      /* Table IV */
	/* Why an untouch level is another one; NULL: it is not, or nobody knows. */
	const char *why;
};
extern const struct td_cli_cppe_published td_cli_cppe_published[CPPE_APPS];
extern const char *const td_cli_cppe_sizes[CPPE_SIZES];
extern const char *const td_cli_cppe_names[CPPE_CONFIGS];

/* A value of a study, and what to run with it. */
struct td_cli_cppe_value {
	const char *text, *evict, *prefetch, *model, *params;
};
#define CPPE_VALUES_MAX 8
struct td_cli_cppe_study {
	const char *name, *what;
	bool baseline;                                    /* differs with the value too */
	struct td_cli_cppe_value values[CPPE_VALUES_MAX]; /* ends with a NULL text */
};

struct td_cli_cppe {
	struct td_cli_evaluation e;
	const struct td_cli_cppe_study *study; /* NULL: the evaluation */
	bool wanted[CPPE_APPS];
	/* Number of the run + 1; 0: there is none. In a study the baseline and CPPE by value. */
	size_t at[CPPE_APPS][CPPE_SIZES][CPPE_CONFIGS];
	size_t study_at[CPPE_APPS][CPPE_SIZES][CPPE_VALUES_MAX][2];
};

/* cppe.c */
size_t td_cli_cppe_add(struct td_cli_cppe *p, enum td_cli_cppe_app a, enum td_cli_cppe_size s,
		       const struct td_cli_cppe_value *how);

/* cppe_figures.c: numbers out of runs; NAN where there are none. */
double td_cli_cppe_time(const struct td_cli_cppe *p, size_t at);
double td_cli_cppe_speedup(const struct td_cli_cppe *p, enum td_cli_cppe_app a,
			   enum td_cli_cppe_size s, enum td_cli_cppe_config c);
/* Of pages, by the baseline for each of the one without prefetching. */
double td_cli_cppe_evictions(const struct td_cli_cppe *p, enum td_cli_cppe_app a,
			     enum td_cli_cppe_size s);
/* Pages that the baseline evicts for each of them that was touched. */
double td_cli_cppe_stride(const struct td_cli_cppe *p, enum td_cli_cppe_app a,
			  enum td_cli_cppe_size s);
double td_cli_cppe_most(const struct td_cli_cppe *p, enum td_cli_cppe_app a,
			enum td_cli_cppe_size s);
double td_cli_cppe_total(const struct td_cli_cppe *p, enum td_cli_cppe_app a,
			 enum td_cli_cppe_size s);
double td_cli_cppe_reported(const struct td_cli_cppe *p, enum td_cli_cppe_app a,
			    enum td_cli_cppe_size s, const char *key);
/* Average speedup over the baseline of a type, or of all types (NULL), MVT and BIC left out; NAN if
 * one of the applications was not run. */
double td_cli_cppe_average(const struct td_cli_cppe *p, const char *type, enum td_cli_cppe_size s,
			   enum td_cli_cppe_config c);
double td_cli_cppe_geomean(const struct td_cli_cppe *p, enum td_cli_cppe_size s,
			   enum td_cli_cppe_config c);
bool td_cli_cppe_crashed(enum td_cli_cppe_app a);

/* cppe_state.c: a number with whether its direction agrees, and a note about its size.
 * NAN is null and not judged. */
void td_cli_cppe_number(struct td_cli_cppe *p, const char *id, const char *what, double published,
			double measured, bool agrees, const char *why);
/* Of untouched pages. */
void td_cli_cppe_level(struct td_cli_cppe *p, const char *id, const char *what, int published,
		       double measured, bool agrees, const char *why);
void td_cli_cppe_claims(struct td_cli_cppe *p);       /* cppe_claims.c */
void td_cli_cppe_figure10(struct td_cli_cppe *p);     /* cppe_stop.c */
void td_cli_cppe_table_claims(struct td_cli_cppe *p); /* cppe_tables.c */
int td_cli_cppe_print(const struct td_cli_cppe *p, struct tide_error *err);

/* cppe_studies.c */
int td_cli_cppe_find_study(struct td_cli_cppe *p, struct tide_error *err);
void td_cli_cppe_plan_study(struct td_cli_cppe *p, enum td_cli_cppe_app a);
void td_cli_cppe_study_claims(struct td_cli_cppe *p);
int td_cli_cppe_print_study(const struct td_cli_cppe *p, struct tide_error *err);

#endif
