/* What the verbs of tide pool share. */
#ifndef TD_CLI_POOL_USE_H
#define TD_CLI_POOL_USE_H

#include "cli/cli.h"
#include "tide/pool.h"

struct td_pool_use_options {
	struct td_cli_given given;
	struct tide_pool_options pool;
	const char *folder, *seed, *progress;
	const char *pattern, *working_set, *updates, *duplicates, *compressible; /* of bench */
	uint64_t threads, count, warm, depth;                                    /* 0: not given */
	bool force, json;
};

int td_pool_bench_run(const void *options, struct tide_error *err); /* bench.c */
int td_pool_check_run(const void *options, struct tide_error *err); /* check.c */

/* A file for one run: named by the user; or made in a folder, where it has no name, so that nothing
 * is left of it however the run ends. */
struct td_pool_file {
	char path[4096];
	char name[256]; /* of one without a name: for messages */
	int fd;         /* of one without a name; -1 */
	bool made;      /* by us, with a name: if it cannot be filled it goes */
};

/* Options as the library takes them, but for the path; and judged as far as they can be without a
 * file. main_size, device_size: if not given. */
int td_pool_use_options(const struct tide_pool_options *given, struct tide_pool_options *o,
			const char *main_size, const char *device_size, struct tide_error *err);

/* A file of that name, which may be there already with force. */
int td_pool_file_named(struct td_pool_file *f, const char *name, bool force,
		       struct tide_error *err);
/* One without a name, which goes when it is closed; folder NULL: where temporary files are. */
int td_pool_file_nameless(struct td_pool_file *f, const char *folder, struct tide_error *err);
/* What its blocks are made of. */
struct td_pool_content {
	size_t block_bytes;
	double copies; /* each content is there so many times */
	double zeros;  /* per cent of each block; the rest is random */
	uint64_t seed;
};

int td_pool_file_fill(struct td_pool_file *f, uint64_t blocks, const struct td_pool_content *c,
		      struct tide_error *err);
/* Messages name a file without a name by its folder. */
void td_pool_file_explain(const struct td_pool_file *f, struct tide_error *err);
void td_pool_file_end(struct td_pool_file *f);

void td_pool_scribble(void *at, size_t bytes, uint64_t seed); /* bytes: a multiple of 8 */

/* From 0.0001 to 10^6. */
int td_pool_use_real(const char *option, const char *text, double initial, double *out,
		     struct tide_error *err);

#endif
