/* Memory that changes its place, for what is in front of a program. */
#ifndef TD_LIB_REMAP_H
#define TD_LIB_REMAP_H

#include "tide/pager.h"

/* Whole chunks of anonymous memory move to the beginning of a range of addresses that the caller has
 * reserved; new memory, zero, fills the rest of it. Both sizes and addresses are multiples of the
 * chunk. No byte is copied. keep: the old addresses are reserved by the caller from then on.
 * -errno: nothing has moved, and what is reserved is the caller's to unmap. */
int td_lib_remap(struct tide *t, void *old, size_t old_bytes, void *to, size_t bytes, bool keep,
		 struct tide_error *err);
/* New memory in the place of what the caller has reserved there. */
int td_lib_map_over(struct tide *t, void *at, size_t bytes, struct tide_error *err);

#endif
