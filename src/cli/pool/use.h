/* What the verbs of tide pool share. */
#ifndef TD_CLI_POOL_USE_H
#define TD_CLI_POOL_USE_H

#include "cli/cli.h"
#include "tide/pool.h"

/* A file for one run: made in a folder and removed again, or named by the user. */
struct td_pool_file {
	char path[4096];
	bool remove; /* when it is done with */
};

/* Options as the library takes them, but for the path; and judged as far as they can be without a
 * file. */
int td_pool_use_options(const struct td_cli_args *args, struct tide_pool_options *o,
			struct tide_error *err);

/* Makes a file of so many bytes. name NULL: in the folder of the options, and it goes. Its blocks
 * are random; each content is there `copies` times. */
int td_pool_file_make(struct td_pool_file *f, const struct td_cli_args *args, const char *name,
		      struct tide_error *err);
int td_pool_file_fill(const struct td_pool_file *f, uint64_t blocks, size_t block_bytes,
		      double copies, uint64_t seed, struct tide_error *err);
void td_pool_file_end(struct td_pool_file *f);

void td_pool_scribble(void *at, size_t bytes, uint64_t seed); /* bytes: a multiple of 8 */

/* From 0.0001 to 10^6. */
int td_pool_use_real(const char *option, const char *text, double initial, double *out,
		     struct tide_error *err);

#endif
