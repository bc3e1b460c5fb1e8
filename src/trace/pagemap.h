/* Page numbers seen by a writer, each with one number. */
#ifndef TD_TRACE_PAGEMAP_H
#define TD_TRACE_PAGEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_trace_pagemap {
	uint64_t *keys;   /* page + 1; 0: free */
	uint64_t *values; /* NULL: a set */
	size_t slots;     /* a power of two */
	uint64_t pages;
	/* The page whose key would be 0. */
	uint64_t top_value;
	bool top;
};

/* values: a map, not a set. 0 or -ENOMEM, as the others. */
int td_trace_pagemap_init(struct td_trace_pagemap *m, bool values);
void td_trace_pagemap_free(struct td_trace_pagemap *m);

/* Sets the page's value and gives the one before, 0 for a new page. */
int td_trace_pagemap_swap(struct td_trace_pagemap *m, uint64_t page, uint64_t value,
			  uint64_t *before);
/* Adds n pages to a set. */
int td_trace_pagemap_add(struct td_trace_pagemap *m, const uint64_t *pages, size_t n);

#endif
