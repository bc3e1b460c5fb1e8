/* The page numbers that a writer has seen, each with one value. */
#ifndef TD_TRACE_PAGEMAP_H
#define TD_TRACE_PAGEMAP_H

#include "tide/map.h"

struct td_trace_pagemap {
	struct tide_map map;    /* page -> place in values, in the order in which pages came */
	struct tide_vec values; /* uint64_t */
};

/* This call and the others return 0 or -ENOMEM. */
int td_trace_pagemap_init(struct td_trace_pagemap *m);
void td_trace_pagemap_free(struct td_trace_pagemap *m);

/* Sets the page's value, and gives the value before; 0 for a new page. */
int td_trace_pagemap_swap(struct td_trace_pagemap *m, uint64_t page, uint64_t value,
			  uint64_t *before);
/* Adds n pages whose values do not matter. */
int td_trace_pagemap_add(struct td_trace_pagemap *m, const uint64_t *pages, size_t n);

static inline uint64_t td_trace_pagemap_pages(const struct td_trace_pagemap *m)
{
	return m->map.n;
}

#endif
