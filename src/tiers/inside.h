/* What a struct td_store is made of. */
#ifndef TD_TIERS_INSIDE_H
#define TD_TIERS_INSIDE_H

#include "codec.h"
#include "slabs.h"
#include "table.h"

struct td_store {
	uint32_t page_bytes;
	struct td_budget budget;
	struct td_codec codec;
	struct td_slabs slabs;
	struct td_table table;
	_Atomic uint64_t pages, stored_bytes;
};

#endif
