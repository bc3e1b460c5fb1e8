/* A sweep whose runs are made by jobs elsewhere. Part i of N is the shard i/N of the sweep. A job
 * makes one part and writes its results into a file of its own:
 *
 *	r.jsonl                  what is merged; jobs skip the runs that it has
 *	r.jsonl.parts/17.3.jsonl results of job 17 for part 3, until the job has ended
 *	r.jsonl.parts/17.3.log   what that job said
 *
 * When a job has ended, however, its results are merged and its file is removed. What a part then
 * lacks is given to another job. So nothing but the results says what is done, and a sweep whose
 * tide was killed goes on from them. */
#ifndef TD_CLI_SWEEP_CLUSTER_H
#define TD_CLI_SWEEP_CLUSTER_H

#include "sweep.h"

/* A few words. */
struct td_cli_last {
	char text[160];
};

struct td_cli_part {
	size_t left, left_before; /* runs that are not merged: now, and when its job was begun */
	uint64_t job;             /* its last one */
	bool out;                 /* a job was begun, and its results are not merged */
	bool live, running;       /* that job waits or runs; runs */
	unsigned idle;            /* jobs in a row that made no run */
	uint64_t due_ns;          /* when the next one may begin */
	size_t seen;              /* lines of the job's file, in its first */
	off_t seen_bytes;         /* bytes */
};

struct td_cli_cluster;

/* What differs between Slurm and MPI. */
struct td_cli_cluster_kind {
	const char *name;
	const char *script;   /* how the script of a job begins: sets shard and cores */
	const char *number;   /* of the job, in the script; NULL: tide gives it one */
	const char *end;      /* how the script ends; empty: with the command itself */
	const char *stopped;  /* what to do when tide was stopped; the name of the jobs follows */
	unsigned idle_max;    /* jobs in a row without a run until a part is given up */
	uint64_t wait_max_ns; /* between two looks */
	/* Which jobs are live. */
	int (*look)(struct td_cli_cluster *c, struct tide_error *err);
	/* The command line that begins a job for each part with go set. */
	void (*command)(struct td_cli_cluster *c, const char *script, struct td_cli_argv *argv);
	/* Runs it; job: the number of the jobs. */
	int (*begin)(struct td_cli_cluster *c, char *const *argv, const char *script, uint64_t *job,
		     struct tide_error *err);
	/* What the last job of a part is called, and the file that has what it said. */
	const char *(*job)(const struct td_cli_cluster *c, size_t part, struct td_cli_last *out);
	void (*log)(const struct td_cli_cluster *c, size_t part, char *path, size_t size);
};

struct td_cli_cluster {
	struct td_cli_sweep *s;
	const struct td_cli_sweep_options *args;
	const struct td_cli_cluster_kind *kind;
	size_t n;
	struct td_cli_part *parts;
	bool *go;               /* the parts that jobs are begun for */
	char folder[4096];      /* of the parts */
	char name[48];          /* of its jobs: which sweep they are of */
	size_t repeated;        /* jobs that ended early */
	uint64_t job;           /* the number of the next one, where tide gives it */
	uint64_t trouble_ns[3]; /* since when each step fails; 0: it does not */
	bool worked[3];         /* once, each step */
	pid_t pid;              /* of mpirun; 0: none */
};

extern const struct td_cli_cluster_kind td_cli_cluster_slurm, td_cli_cluster_mpi;

int td_cli_cluster_run(struct td_cli_sweep *s, const struct td_cli_sweep_options *args,
		       struct tide_error *err);

/* ---- rounds.c: look, merge, begin, wait ---- */

/* How many runs each part lacks. */
void td_cli_cluster_count(struct td_cli_cluster *c);
bool td_cli_part_given_up(const struct td_cli_cluster *c, const struct td_cli_part *part);
/* Which parts are to have a job now: c->go; how many of them. */
size_t td_cli_cluster_choose(struct td_cli_cluster *c);
/* What begins their jobs. */
int td_cli_cluster_command(struct td_cli_cluster *c, struct td_cli_text *script,
			   struct td_cli_argv *argv, struct tide_error *err);
/* Until all parts are done or given up. */
int td_cli_cluster_watch(struct td_cli_cluster *c, struct tide_error *err);

/* ---- merge.c ---- */

/* The results of all jobs that have ended, into the sweep's. */
int td_cli_cluster_merge(struct td_cli_cluster *c, struct tide_error *err);
/* Counts the lines that live jobs have written. */
void td_cli_cluster_see(struct td_cli_cluster *c);
/* Removes what is left of a sweep that is done. */
void td_cli_cluster_tidy(const struct td_cli_cluster *c);

/* ---- script.c ---- */

/* What a job runs. */
int td_cli_cluster_script(const struct td_cli_cluster *c, struct td_cli_text *text,
			  struct tide_error *err);

/* ---- spawn.c: other programs ---- */

/* Runs a program to its end, with a text as its standard input. out has its standard output. Where
 * it fails, the error has its last words. */
int td_cli_capture(const struct td_cli_cluster *c, char *const *argv, const char *input,
		   struct td_cli_text *out, struct tide_error *err);
/* Starts one that ends with tide, and whose words go to a file. */
int td_cli_start(const struct td_cli_cluster *c, char *const *argv, const char *log, pid_t *pid,
		 struct tide_error *err);
/* The last line with a letter in it. */
struct td_cli_last td_cli_last_line(const char *text, size_t n);
struct td_cli_last td_cli_last_of(const char *path);

#endif
