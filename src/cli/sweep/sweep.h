/* The parts of tide sweep. A grid is the product of axes; a run is a number in it, from which its
 * options and its command line follow, so that nothing is kept per run but a key. */
#ifndef TD_CLI_SWEEP_H
#define TD_CLI_SWEEP_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <xxhash.h>

#include "../braces.h"
#include "../command.h"
#include "../runs.h"

#define TD_CLI_GRID_MAX 10000000 /* runs */

/* The options: of most there may be several. */
struct td_cli_sweep_options {
	struct td_cli_given given;
	struct td_cli_list trace, workload, near_size, host, page, chunk, seed, model;
	struct td_cli_list evict, prefetch, place, policies, skip;
	const char *format, *columns, *split, *output, *shard, *launch_args, *progress, *preset;
	uint64_t jobs, slurm, mpi; /* 0: not given */
	bool functional, replace_invalid, objects, flush, retry, dry_run;
};

extern const struct td_cli_verb td_cli_verb_sweep;

/* ---- grid.c ---- */

struct td_cli_grid {
	struct td_cli_axis trace, workload, near_size, host, page, chunk, seed, model;
	struct td_cli_axis evict, prefetch, place;
	struct td_cli_axis pairs; /* each two texts, one after the other */
	const char *format, *columns, *split;
	bool functional; /* a value of the axis of models */
	bool crossed;    /* evict x prefetch x place; else pairs alone */
	bool replace_invalid, objects, flush;
	uint64_t n; /* runs */
};

/* One run. What is not given is NULL, and left to tide sim. */
struct td_cli_point {
	struct tide_sim_options options;
	uint64_t group; /* runs of the same group have the same input, pages and seed */
};

int td_cli_grid_make(struct td_cli_grid *grid, const struct td_cli_sweep_options *args,
		     struct tide_error *err);
void td_cli_grid_free(struct td_cli_grid *grid);
/* Run i; its texts are the grid's. */
void td_cli_grid_at(const struct td_cli_grid *grid, uint64_t i, struct td_cli_point *point);
/* The policies of --policies number i. */
void td_cli_grid_pair(const struct td_cli_grid *grid, size_t i, struct tide_sim_options *o);
/* `tide sim ...` in the one way it is written here, quoted for a shell. */
int td_cli_grid_command(const struct td_cli_grid *grid, uint64_t i, struct td_cli_text *text);

/* ---- check.c: what can be known to be wrong before the first run ---- */

int td_cli_grid_check(const struct td_cli_grid *grid, struct tide_error *err);

/* ---- plan.c: which runs are this sweep's, and which of them are left ---- */

/* OLD: another version of tide did it; CHANGED: its input was another; REBUILT: the shared object
 * of a policy was another. All three are outdated, and made again. */
enum td_cli_state {
	TD_CLI_LEFT,
	TD_CLI_OLD,
	TD_CLI_CHANGED,
	TD_CLI_REBUILT,
	TD_CLI_DONE,
	TD_CLI_FAILED
};

struct td_cli_planned {
	XXH128_hash_t key; /* of the command line */
	uint32_t index;
	uint32_t state;
};

struct td_cli_plan {
	struct td_cli_planned *at; /* by key; after td_cli_plan_order() those left, by index */
	XXH128_hash_t grid;        /* the key of all of them: another grid has another one */
	size_t n, left, done, failed;
	size_t old, changed, rebuilt; /* of those left */
};

struct td_cli_key {
	char text[33];
};

/* shard: `2/8`, NULL: all. */
int td_cli_plan_make(struct td_cli_plan *plan, const struct td_cli_grid *grid, const char *shard,
		     struct tide_error *err);
void td_cli_plan_free(struct td_cli_plan *plan);
/* The run with this key, NULL: it is not of this sweep. False: it is no key. */
bool td_cli_plan_find(const struct td_cli_plan *plan, const char *key, struct td_cli_planned **run);
/* What a line of results says. Of those that count the last one does. */
void td_cli_plan_mark(struct td_cli_planned *run, enum td_cli_state state);
/* How many there are of each state; to be retried, those that failed are left. */
void td_cli_plan_count(struct td_cli_plan *plan, bool retry);
void td_cli_plan_order(struct td_cli_plan *plan);
struct td_cli_key td_cli_key_text(XXH128_hash_t key);

/* ---- inputs.c ---- */

/* The digest of the input of run i, as its record would say it; empty: it cannot be read. found
 * keeps those of inputs that were looked at before. */
int td_cli_grid_digest(const struct td_cli_grid *grid, json_t *found, uint64_t i,
		       struct td_cli_key *out);
/* The digest of the shared objects of run i, as they are now; empty: it has none. */
struct td_cli_key td_cli_grid_plugins(const struct td_cli_grid *grid, uint64_t i);

/* ---- file.c: the results, a line each ---- */

/* What is read back, and what it is held against. */
struct td_cli_reading {
	const struct td_cli_grid *grid;
	struct td_cli_plan *plan;
	json_t *digests; /* of inputs that were looked at */
};

/* Which run a line is a result of, NULL: none of this sweep, and whether it counts. -EBADMSG: it is
 * no result. */
int td_cli_read_result(struct td_cli_reading *in, const char *line, size_t n,
		       struct td_cli_planned **run, enum td_cli_state *state);

struct td_cli_results {
	const char *path; /* NULL: standard output */
	int fd;
	bool regular;         /* what is there can be read, locked and cut */
	bool restored;        /* it was removed while the sweep ran, and written again */
	atomic_bool unsynced; /* lines were written since the last sync */
};

/* Reads what is there and marks it in the plan. For a look alone nothing is changed, made or
 * locked. */
int td_cli_results_open(struct td_cli_results *r, const char *path, bool look,
			struct td_cli_reading *in, struct tide_error *err);
/* If the file was removed, writes it again. To be called now and then, while nobody adds. */
int td_cli_results_keep(struct td_cli_results *r, struct tide_error *err);
/* All of it, or none. */
int td_cli_results_add(struct td_cli_results *r, const char *line, size_t n,
		       struct tide_error *err);
int td_cli_results_sync(struct td_cli_results *r, struct tide_error *err);
int td_cli_results_close(struct td_cli_results *r, struct tide_error *err);

/* ---- watch.c: a thread that waits for signals, and calls now and then ---- */

struct td_cli_watch {
	pthread_t thread;
	sigset_t signals, before;
	atomic_bool ending;
	void (*tick)(void *arg);
	void (*stop)(void *arg, int signal); /* then the process ends by that signal */
	void *arg;
};

int td_cli_watch_start(struct td_cli_watch *watch, struct tide_error *err);
void td_cli_watch_end(struct td_cli_watch *watch);

/* ---- runs.c: the runs themselves ---- */

struct td_cli_sweep {
	const struct td_cli_grid *grid;
	struct td_cli_plan plan;
	struct td_cli_reading reading;
	struct td_cli_results results;
	struct td_cli_runs runs;
	struct td_cli_watch watch;
	bool progress;        /* is to be shown */
	int drawn;            /* characters of it that stand on the line */
	char note[64];        /* that stands at its end */
	size_t elsewhere;     /* done now by jobs, and not yet merged */
	pthread_mutex_t lock; /* of the results and of what follows */
	size_t done, failed;  /* now, not before */
	uint32_t failed_index;
	struct tide_error failure; /* of the failed run that comes first in the grid */
	int rc;                    /* of a sweep that cannot go on */
	struct tide_error err;
	atomic_bool stopped;
	uint64_t started_ns, synced_ns;
};

int td_cli_sweep_run(struct td_cli_sweep *sweep, size_t jobs, struct tide_error *err);

/* ---- shown.c: the line of progress ---- */

void td_cli_sweep_draw(struct td_cli_sweep *sweep);
void td_cli_sweep_wipe(struct td_cli_sweep *sweep);

#endif
