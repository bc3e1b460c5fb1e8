/* Accesses of an input that are kept in memory, so that many runs share the work of reading them
 * and of numbering their pages. */
#ifndef TD_LIB_KEPT_H
#define TD_LIB_KEPT_H

#include "lib.h"

struct td_lib_kept_batch {
	struct tide_batch events; /* memory of fields that the input does not have is not touched */
	uint32_t index[TIDE_BATCH];
	struct tide_batch_object object; /* of inputs with groups: where these begin */
	unsigned has; /* a bit per field that td_lib_kept_append() found to be more than zeroes */
};

struct td_lib_kept {
	struct td_lib_kept_batch **at;
	size_t n, room;
	uint64_t accesses;
	struct td_space space; /* of the indices */
	uint64_t group;        /* of the last access that was added */
	unsigned has;          /* the fields that some batch has */
};

int td_lib_kept_init(struct td_lib_kept *k);
void td_lib_kept_free(struct td_lib_kept *k);

/* Adds event i of a batch: 0 or -ENOMEM. group: a number of its group, 0: before the first. */
int td_lib_kept_add(struct td_lib_kept *k, const struct tide_batch *from, uint32_t i,
		    uint64_t group);

/* Adds a whole batch, with all that it says of objects. bytes: what it takes of memory. 0 or
 * -ENOMEM. A kept input is made by this or by td_lib_kept_add(), not by both. */
int td_lib_kept_append(struct td_lib_kept *k, const struct tide_batch *from, uint64_t *bytes);
/* A batch as it was appended. Of objects, to->object gets what it has; NULL: not wanted. */
void td_lib_kept_copy(const struct td_lib_kept *k, size_t batch, struct tide_batch *to);

/* Gives the pages their indices, after the last access. The pages with the most accesses have the
 * lowest indices, so the state of the hot pages lies in few cache lines. 0, -ENOMEM, -EOVERFLOW. */
int td_lib_kept_number(struct td_lib_kept *k);

/* Makes the engine use these indices, before its first access. A policy that needs the future has
 * it by the engine's own indices, which stay. So do those of a policy that is not built in: to one
 * that compares indices, an order by heat would tell the future. */
int td_lib_kept_share(const struct td_lib_kept *k, struct td_engine *e, struct tide_error *err);

/* Runs one of the batches. */
int td_lib_kept_run(const struct td_lib_kept *k, size_t batch, struct td_engine *e,
		    struct tide_error *err);

#endif
