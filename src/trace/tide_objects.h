/* The columns of a frame of the tide format that say what objects have: groups, sizes and costs. */
#ifndef TD_TRACE_TIDE_OBJECTS_H
#define TD_TRACE_TIDE_OBJECTS_H

#include "tide/event.h"
#include "tide_layout.h"

struct td_trace_objects {
	unsigned columns;            /* that the frame has, of HAS_GROUPS, HAS_SIZES, HAS_COSTS */
	const unsigned char *firsts; /* bitmap */
	struct td_trace_column sizes, costs;
};

/* The columns that frames may have after a header with these flags. */
unsigned td_trace_tide_columns(unsigned flags);

/* A bitmap of n bits at *p, which moves past it: 0 or -EBADMSG. */
int td_trace_bitmap_open(const unsigned char **bits, const unsigned char **p,
			 const unsigned char *end, uint32_t n);

/* Checks those of a frame of n accesses at *p, which moves past them: 0 or -EBADMSG. */
int td_trace_objects_open(struct td_trace_objects *o, unsigned columns, const unsigned char **p,
			  const unsigned char *end, uint32_t n);
/* The next n, of which the first is number i of the frame, to place `at`. What the frame does not
 * have, but the header promises, is 0. */
void td_trace_objects_read(struct td_trace_objects *o, unsigned flags, uint32_t i,
			   struct tide_batch_object *to, uint32_t at, uint32_t n);

#endif
