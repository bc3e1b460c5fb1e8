/* Reproductions: what the papers published beside what this program measures. A paper is one
 * PAPER.c with a row in cmd_reproduce.c. */
#ifndef TD_CLI_REPRODUCE_H
#define TD_CLI_REPRODUCE_H

#include "cli/cli.h"

/* The options of tide reproduce: of each paper some. */
struct td_cli_args {
	struct td_cli_given given;
	const char *study, *only, *seed, *scale, *plot, *progress;
	const char *trace, *format, *columns, *page, *sample; /* of leu */
	const char *folder, *device_kind, *hash, *inject;     /* of gram */
	uint64_t jobs, observe;                               /* 0: not given */
	bool quick, large, full, json;
};
#define TD_CLI_OPTIONS struct td_cli_args

/* clang-format off */
#define TD_CLI_QUICK_OPTION \
	{"quick", 0, TD_CLI_FLAG, TD_CLI_AT(quick), NULL, \
	 "at a small scale, in about a minute", TD_CLI_ANY}
#define TD_CLI_STUDY_OPTION(names, values) \
	{"study", 0, TD_CLI_TEXT, TD_CLI_AT(study), "NAME", \
	 "one part of the evaluation alone: " names " (all)", values}
#define TD_CLI_ONLY_OPTION(values) \
	{"only", 0, TD_CLI_TEXT, TD_CLI_AT(only), "APPS", \
	 "these applications alone, with commas between (all)", values}
/* clang-format on */

enum td_cli_verdict {
	TD_CLI_DISAGREES,
	TD_CLI_AGREES,
	TD_CLI_UNJUDGED, /* cannot be judged here */
};

struct td_cli_reproduction {
	const char *paper;
	json_t *statements, *runs;
	struct td_cli_progress progress;
	uint64_t step, steps; /* runs begun, and all of them */
	bool json;
};

/* A published number or claim. */
struct td_cli_statement {
	const char *id, *what;
	json_t *published, *measured; /* numbers or texts; taken over */
	enum td_cli_verdict verdict;
	const char
		*note; /* why the two differ, or what was measured instead; NULL: nothing to say */
};

int td_cli_reproduce_start(struct td_cli_reproduction *r, const char *paper, uint64_t steps,
			   const struct td_cli_args *args, struct tide_error *err);
void td_cli_state(struct td_cli_reproduction *r, const struct td_cli_statement *s);
/* state.c: a number, where NAN is null and not judged; and a claim in words. */
void td_cli_state_number(struct td_cli_reproduction *r, const char *id, const char *what,
			 double published, double measured, bool agrees, const char *note);
void td_cli_state_claim(struct td_cli_reproduction *r, const char *id, const char *what,
			const char *published, bool judged, bool agrees, const char *why,
			const char *format, ...) __attribute__((format(printf, 8, 9)));
/* Names that --study and --only take. */
td_cli_name_at td_cli_cppe_study, td_cli_gmt_study, td_cli_obs_study, td_cli_gram_study;
td_cli_name_at td_cli_cppe_app, td_cli_gmt_app, td_cli_obs_app;
/* What --study names, the first if it is NULL; which applications --only names, all if it is. */
int td_cli_choose_study(const char *study, td_cli_name_at *name, size_t *found,
			struct tide_error *err);
int td_cli_choose_apps(const char *only, td_cli_name_at *name, bool *wanted,
		       struct tide_error *err);
void td_cli_reproduce_show(void *reproduction, uint64_t done, uint64_t total); /* a tide_progress */
/* Prints the statements, or the JSON document. */
int td_cli_reproduce_print(struct td_cli_reproduction *r, struct tide_error *err);
void td_cli_reproduce_free(struct td_cli_reproduction *r);

/* The paper's own parts: run() and options. */
int td_cli_reproduce_leu(const struct td_cli_args *args, struct tide_error *err);
extern const struct td_cli_option td_cli_reproduce_leu_options[];
extern const char td_cli_reproduce_leu_more[];
int td_cli_reproduce_gmt(const struct td_cli_args *args, struct tide_error *err);
extern const struct td_cli_option td_cli_reproduce_gmt_options[];
extern const char td_cli_reproduce_gmt_more[];
int td_cli_reproduce_cppe(const struct td_cli_args *args, struct tide_error *err);
extern const struct td_cli_option td_cli_reproduce_cppe_options[];
extern const char td_cli_reproduce_cppe_more[];
int td_cli_reproduce_observuvm(const struct td_cli_args *args, struct tide_error *err);
extern const struct td_cli_option td_cli_reproduce_observuvm_options[];
extern const char td_cli_reproduce_observuvm_more[];
int td_cli_reproduce_gram(const struct td_cli_args *args, struct tide_error *err);
extern const struct td_cli_option td_cli_reproduce_gram_options[];
extern const char td_cli_reproduce_gram_more[];

/* An input as an unnamed temporary file of the format txt: read as often as wanted, under a name
 * that fits into a parameter, and gone with the process. */
struct td_cli_copy {
	FILE *file;
	char path[40];
	uint64_t accesses;
	bool refs; /* some access has a ref */
};

/* Up to four workloads at a time, each access with the number of its workload, from 1, as ref. */
struct td_cli_part {
	const char *workload; /* up to where the number of pages follows: "zipf:skew=0.9,pages=" */
	uint64_t pages, accesses;
};
int td_cli_weave(struct td_cli_copy *copy, const struct td_cli_part *parts, size_t n,
		 const char *seed, struct tide_error *err);
int td_cli_copy_trace(struct td_cli_copy *copy, const struct td_cli_args *args,
		      struct tide_error *err);
/* A round of one-letter pages, again and again; the ref of a page is the digit below it. */
int td_cli_copy_letters(struct td_cli_copy *copy, const char *round, const char *refs,
			unsigned rounds, struct tide_error *err);
void td_cli_copy_close(struct td_cli_copy *copy);

#endif
