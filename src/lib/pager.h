/* The handle of a pager, for the files that make its calls. */
#ifndef TD_LIB_PAGER_H
#define TD_LIB_PAGER_H

#include "core/handle.h"
#include "hot.h"
#include "mech/uffd/uffd.h"
#include "recorder.h"

extern const char td_lib_pager_kind[];

struct tide {
	struct td_handle handle;
	struct td_pager *pager;
	struct td_recorder *recorder;
	struct td_lib_hot hot;
	bool lent; /* memory of another process */
	uint64_t page_bytes, near_pages, seed;
	uint32_t chunk_pages;
	char *evict, *prefetch, *place, *host_kind; /* as they were written */
};

struct td_pager *td_lib_pager(struct tide *t);
/* Nothing is recorded any more: in a child, what was is its parent's. */
void td_lib_leave_record(struct tide *t);

#endif
