/* An input that several runs have in common. The first run reads it, and keeps its accesses in
 * memory; all runs go over these. So a trace is decompressed and decoded once, and a workload is
 * generated once. An input that takes more memory than there is room for is not kept: every run
 * reads it for itself. The results are the same. */
#ifndef TD_LIB_READING_H
#define TD_LIB_READING_H

#include <stdatomic.h>
#include <stdbool.h>

#include "tide/tide.h"

/* Memory for all readings that there are at a time. An access takes 8 bytes, what more the input
 * says of it, and 4 for the number of its page if runs share that: at most 46. */
struct td_lib_room {
	_Atomic int64_t left_bytes;
};

#define TD_LIB_ROOM_BYTES (INT64_C(1) << 30)
/* That many, but at most an eighth of the machine's memory. */
void td_lib_room_init(struct td_lib_room *room);

struct td_lib_reading;

struct td_lib_reading *td_lib_reading_new(struct td_lib_room *room); /* NULL: no memory */
void td_lib_reading_free(struct td_lib_reading *r);                  /* NULL is fine */
bool td_lib_reading_is_kept(struct td_lib_reading *r);

/* As tide_sim_open(), for one of several runs with the same input, pages and seed. reading NULL:
 * the run reads for itself. Runs on several threads may be opened at a time. The reading outlives
 * the run. */
int td_lib_sim_open(struct tide_sim **out, const struct tide_sim_options *options,
		    struct td_lib_reading *reading, struct tide_error *err);

/* The same for a curve, one of several. */
int td_lib_mrc_run(struct tide_mrc **out, const struct tide_mrc_options *options,
		   struct td_lib_reading *reading, tide_progress *progress, void *arg,
		   struct tide_error *err);

#endif
