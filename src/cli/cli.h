/* The command line: what its verbs share. Nothing outside this room prints or exits. */
#ifndef TD_CLI_CLI_H
#define TD_CLI_CLI_H

#include <jansson.h>
#include <stdio.h>

#include "lib/reading.h"
#include "lib/summary.h"
#include "options.h"
#include "tide/tide.h"

/* help.c */
void td_cli_help_all(FILE *to);
void td_cli_help_verb(FILE *to, const struct td_cli_verb *parent, const struct td_cli_verb *verb);

/* complete.c: the words that may stand where the last of the given ones begins. */
void td_cli_complete(int argc, char *const *argv);

/* input.c: the options of a run as the library takes them. */
int td_cli_setup(const struct td_cli_setup *setup, struct tide_sim_options *options,
		 struct tide_error *err);
/* One input, and no options that it does not take. */
int td_cli_check_input(const struct td_cli_input *in, struct tide_error *err);
/* A trace, or NULL, that can be opened again and again; instead: what to do where it cannot. */
int td_cli_check_rereadable(const char *trace, const char *instead, struct tide_error *err);

/* Results are printed in one form. */
int td_cli_check_form(bool json, bool csv, struct tide_error *err);

/* presets.c: what is not given (NULL) as the preset has it. name NULL: there is no preset. */
struct td_cli_world {
	const char *page, *chunk, *prefetch;
};
int td_cli_preset(const char *name, struct td_cli_world *world, struct tide_error *err);
/* For verbs whose chunks have one page in every world. */
int td_cli_preset_page(const char *name, const char **page, struct tide_error *err);

/* combinations.c: --policies E+P as --evict and --prefetch, of which neither may be given. room:
 * for E. policies NULL: nothing to do. */
struct td_cli_pair_room {
	char evict[1024];
};
int td_cli_pair_take(const char *policies, struct td_cli_pair_room *room, const char **evict,
		     const char **prefetch, struct tide_error *err);

/* ignored.c: has a trace objects of different sizes, as far as a quick look shows? If so, and they
 * are not counted, a line says so. */
bool td_cli_sizes_differ(const struct td_cli_input *in);
void td_cli_note_sizes(const struct td_cli_input *in, bool objects);

/* setup_text.c: what ran and with how much near memory, for people. */
void td_cli_print_setup(const struct td_lib_summary *run);
/* How many accesses a request of a trace is, where requests have sizes. */
const char *td_cli_requests(bool by_page);

/* mrc/json.c: the points of a curve. */
json_t *td_cli_curve_json(const struct tide_mrc *m);

/* modules.c: a library of ours that is loaded when it is needed. */
int td_cli_find_module(const char *name, char *path, size_t size, struct tide_error *err);

/* json.c */
int td_cli_print_json(json_t *root, struct tide_error *err); /* root NULL: -ENOMEM; frees it */
json_t *td_cli_json_text(const char *text);                  /* td_stats_text() */
json_t *td_cli_json_u64(uint64_t n);                         /* text where it is over 63 bits */
/* stuck.c: tide_sim_open(); a policy that does not return then ends the program. */
int td_cli_open_sim(struct tide_sim **sim, const struct tide_sim_options *options,
		    struct tide_error *err);
/* The same for a run that shares the reading of its input; NULL: it reads for itself. */
int td_cli_open_shared(struct tide_sim **sim, const struct tide_sim_options *options,
		       struct td_lib_reading *reading, struct tide_error *err);
int td_cli_load_run(struct tide_sim *sim, json_t **run, struct tide_error *err);
json_t *td_cli_params_json(const struct tide_param *params);
int td_cli_print_params(const struct tide_param *params, struct tide_error *err);

/* output.c: a table whose columns are as wide as their widest cell. */
#define TD_CLI_COLUMNS 64
struct td_cli_table {
	const char *align; /* a letter per column: l or r; at most TD_CLI_COLUMNS */
	size_t n, room;    /* cells, row by row */
	char **cells;
	bool failed;
};
__attribute__((format(printf, 2, 3))) void td_cli_cell(struct td_cli_table *t, const char *format,
						       ...);
/* What JSON holds, as people read it: 0.7677, 1,234, names and lists without brackets. */
void td_cli_value_cell(struct td_cli_table *t, const json_t *value);
int td_cli_table_end(struct td_cli_table *t, struct tide_error *err); /* prints and frees */

/* A name from outside, fit for a terminal: what a terminal would obey is shown as \xNN. */
struct td_cli_name {
	char text[1024];
};
struct td_cli_name td_cli_name(const char *name);

struct td_cli_number {
	char text[40];
};
struct td_cli_number td_cli_grouped(uint64_t n);                        /* 1,234,567 */
struct td_cli_number td_cli_bytes(uint64_t bytes);                      /* 1.5 MiB */
struct td_cli_number td_cli_pages(uint64_t pages, uint64_t page_bytes); /* bytes, 2^64 and more */
struct td_cli_number td_cli_share(uint64_t part, uint64_t of);          /* 12.34% */

/* progress.c: one line on standard error, where that is wanted. */
struct td_cli_progress {
	const char *what;
	uint64_t shown_ns;
	bool on, drawn;
};
int td_cli_progress_start(struct td_cli_progress *p, const char *when, const char *what,
			  struct tide_error *err);
void td_cli_progress_show(void *progress, uint64_t done, uint64_t total); /* a tide_progress */
void td_cli_progress_end(struct td_cli_progress *p);

#endif
