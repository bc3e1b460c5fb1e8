/* Between the files of tide reproduce observuvm. */
#ifndef TD_CLI_REPRODUCE_OBSERVUVM_H
#define TD_CLI_REPRODUCE_OBSERVUVM_H

#include "runs.h"

enum td_cli_obs_app {
	OBS_MM,
	OBS_GMM,
	OBS_SRK,
	OBS_SR2,
	OBS_HEL,
	OBS_2DC,
	OBS_GMV,
	OBS_LU,
	OBS_BLK,
	OBS_SPM,
	OBS_AN,
	OBS_SN,
	OBS_BTR,
	OBS_BFS,
	OBS_APPS
};

enum td_cli_obs_config {
	OBS_UVM,
	OBS_LRU, /* the paper's LRU, LFU and CP, with the prefetcher of UVM */
	OBS_LFU,
	OBS_CP,
	OBS_TM,
	OBS_TM1, /* TM+ */
	OBS_TM2, /* TM++ */
	OBS_ACBM,
	OBS_EA,
	OBS_CONFIGS
};

/* What is varied: near memory, what is observed, whether anything is prefetched. */
enum td_cli_obs_setting {
	OBS_MAIN,
	OBS_ZERO, /* all of it fits */
	OBS_O10,
	OBS_O20,
	OBS_O30,
	OBS_O40,
	OBS_O60,
	OBS_O70,
	OBS_WATCH75,
	OBS_WATCH50,
	OBS_WATCH25,
	OBS_SAMPLES1,
	OBS_SAMPLES2,
	OBS_SAMPLES3,
	OBS_BARE,  /* nothing is prefetched */
	OBS_EXACT, /* every warp by itself */
	OBS_SETTINGS
};

struct td_cli_obs_published {
	const char *app;  /* the workload's name */
	const char *name; /* the paper's */
	enum td_cli_obs_config prefers;
	bool no_end_with_cp; /* it did not finish */
	bool exact;          /* its warps run one by one, not in waves */
	double cycles;       /* between accesses, in full size; 0: the model's */
	unsigned part;       /* of the data that is used, 1 in so many: as a run takes seconds */
	const char *seen; /* order or layout that the kernel was seen to have; NULL: as specified */
};
extern const struct td_cli_obs_published td_cli_obs_published[OBS_APPS];
extern const char *const td_cli_obs_names[OBS_CONFIGS];

struct td_cli_obs {
	struct td_cli_evaluation e;
	bool wanted[OBS_APPS];
	bool all;          /* of them are */
	unsigned settings; /* those that run, as bits */
	char model[OBS_APPS][48];
	char evict[OBS_SETTINGS][OBS_APPS][OBS_CONFIGS][48];
	size_t at[OBS_SETTINGS][OBS_APPS][OBS_CONFIGS]; /* number of the run + 1; 0: none */
};

/* ---- observuvm_figures.c: numbers out of runs, NAN where they are not there ---- */

/* The run, or NULL where there is none or it failed. */
const struct td_cli_rerun *td_cli_obs_run(const struct td_cli_obs *o, enum td_cli_obs_setting s,
					  enum td_cli_obs_app a, enum td_cli_obs_config c);

/* What is compared: of a run. */
typedef double td_cli_obs_figure(const struct td_cli_rerun *run);
td_cli_obs_figure td_cli_obs_time_ns, td_cli_obs_faults, td_cli_obs_evictions,
	td_cli_obs_evicted_pages;

/* Percent that c has less of it than `than`; and of a number of applications, as bits: by the
 * geometric mean of the ratios, and the most. */
double td_cli_obs_saved(const struct td_cli_obs *o, td_cli_obs_figure *f, enum td_cli_obs_setting s,
			enum td_cli_obs_app a, enum td_cli_obs_config c,
			enum td_cli_obs_config than);
#define OBS_ALL ((1U << OBS_APPS) - 1)
double td_cli_obs_mean(const struct td_cli_obs *o, td_cli_obs_figure *f, enum td_cli_obs_setting s,
		       unsigned apps, enum td_cli_obs_config c, enum td_cli_obs_config than);
double td_cli_obs_most(const struct td_cli_obs *o, td_cli_obs_figure *f, enum td_cli_obs_setting s,
		       unsigned apps, enum td_cli_obs_config c, enum td_cli_obs_config than,
		       enum td_cli_obs_app *which);
/* The fastest of LRU, LFU and CP, OBS_CONFIGS if one of them is not there. */
enum td_cli_obs_config td_cli_obs_best(const struct td_cli_obs *o, enum td_cli_obs_setting s,
				       enum td_cli_obs_app a);
/* Percent of a chunk's pages that were resident, or touched too, when it left UVM. */
double td_cli_obs_occupied(const struct td_cli_obs *o, enum td_cli_obs_app a, bool touched);

/* ---- the other files ---- */

void td_cli_obs_claims(struct td_cli_obs *o);
void td_cli_obs_study_claims(struct td_cli_obs *o);
int td_cli_obs_print(const struct td_cli_obs *o, struct tide_error *err);

/* ---- observuvm_state.c: one statement; NAN is null and not judged ---- */

/* Of percents that are saved: agrees if something is. */
void td_cli_obs_state_saved(struct td_cli_obs *o, const char *id, const char *what,
			    double published, double measured, const char *why);
void td_cli_obs_state(struct td_cli_obs *o, const char *id, const char *what, double published,
		      double measured, bool agrees, const char *note);

#endif
