/* Memory of another process, between the files that take it over and open its pager. */
#ifndef TD_LIB_LENT_H
#define TD_LIB_LENT_H

#include "mech/uffd/uffd.h"

struct tide;
struct tide_options;

/* pager.c: tide_open(), for memory of this process (lent is NULL) or of another one. */
int td_lib_pager_open(struct tide **out, const struct tide_options *options,
		      const struct td_uffd_lent *lent, struct tide_error *err);

/* lent.c: do the regions fit the chunks and the memory that came with them, and are they apart? */
int td_lib_lent_check(const struct td_uffd_lent *lent, uint64_t page_bytes, uint64_t chunk_bytes,
		      struct tide_error *err);

#endif
