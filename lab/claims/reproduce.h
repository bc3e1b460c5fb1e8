/* Reproductions: what the papers published beside what this program measures. A paper is one
 * PAPER.c with a row in cmd_reproduce.c. */
#ifndef TD_CLI_REPRODUCE_H
#define TD_CLI_REPRODUCE_H

#include "cli/cli.h"

/* What a paper can be asked; each takes some of it. */
struct td_claims_options {
	struct td_cli_given given; /* gram takes images */
	const char *study, *only, *seed, *scale, *plot, *progress;
	const char *trace, *format, *columns, *page, *sample; /* of leu */
	const char *folder, *device_kind, *hash, *inject;     /* of gram */
	uint64_t jobs, observe;                               /* 0: not given */
	bool quick, large, full, json;
};

struct td_cli_reproduction {
	const char *paper;
	json_t *statements, *runs;
	struct td_cli_progress progress;
	uint64_t step, steps;         /* runs begun, and all of them */
	td_cli_name_at *app, *config; /* names that rows write; NULL: none */
	const char *const *headlines; /* ids of the rows to begin with; ends with NULL */
	bool json;
};

int td_cli_reproduce_start(struct td_cli_reproduction *r, const char *paper, uint64_t steps,
			   const struct td_claims_options *args, struct tide_error *err);
/* Names that --study and --only take. */
td_cli_name_at td_cli_cppe_study, td_cli_gmt_study, td_cli_obs_study, td_cli_gram_study;
td_cli_name_at td_cli_cppe_app, td_cli_gmt_app, td_cli_obs_app;
/* What --study names, the first if it is NULL; which applications --only names, as bits, all if it
 * is. */
int td_cli_choose_study(const char *study, td_cli_name_at *name, size_t *found,
			struct tide_error *err);
int td_cli_choose_apps(const char *only, td_cli_name_at *name, uint32_t *wanted,
		       struct tide_error *err);
void td_cli_reproduce_show(void *reproduction, uint64_t done, uint64_t total); /* a tide_progress */
/* measure.c: the headline numbers, how far off the figures are, and how many directions agree. As
 * text, and as JSON, NULL: no memory. */
int td_cli_reproduce_measure(const struct td_cli_reproduction *r, struct tide_error *err);
json_t *td_cli_reproduce_measured(const struct td_cli_reproduction *r, struct tide_error *err);
struct td_cli_number td_cli_error_words(const json_t *statement); /* "+12%" */
/* Prints the statements, or the JSON document. */
int td_cli_reproduce_print(struct td_cli_reproduction *r, struct tide_error *err);
void td_cli_reproduce_free(struct td_cli_reproduction *r);

/* The papers. */
typedef int td_claims_reproduce(const void *options,
				struct tide_error *err); /* td_claims_options */
td_claims_reproduce td_claims_leu, td_claims_gmt, td_claims_cppe, td_claims_observuvm,
	td_claims_gram;

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
int td_cli_copy_trace(struct td_cli_copy *copy, const struct td_claims_options *args,
		      struct tide_error *err);
/* A round of one-letter pages, again and again; the ref of a page is the digit below it. */
int td_cli_copy_letters(struct td_cli_copy *copy, const char *round, const char *refs,
			unsigned rounds, struct tide_error *err);
void td_cli_copy_close(struct td_cli_copy *copy);

#endif
