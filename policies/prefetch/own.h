/* What most prefetchers share: they look at the view and add pages of the faulting chunk. */
#ifndef TIDE_PREFETCH_OWN_H
#define TIDE_PREFETCH_OWN_H

#include "tide/policy.h"

struct own {
	const struct tide_view *view;
};

static inline int own_create(void *self, const struct tide_view *view,
			     const union tide_value *values, struct tide_error *err)
{
	(void)values, (void)err;
	((struct own *)self)->view = view;
	return 0;
}

static inline void own_whole_chunk(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	const struct own *s = self;
	(void)c, (void)p;
	plan->own = tide_whole_chunk(s->view);
}

#endif
