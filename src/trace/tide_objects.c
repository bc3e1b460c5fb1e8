#include "tide_objects.h"

#include <errno.h>
#include <string.h>

unsigned td_trace_tide_columns(unsigned flags)
{
	return HAS_WRITES | HAS_REFS | HAS_STREAMS | (flags & WITH_MARKS ? HAS_MARKS : 0u) |
	       (flags & WITH_GROUPS ? HAS_GROUPS : 0u) | (flags & WITH_SIZES ? HAS_SIZES : 0u) |
	       (flags & WITH_COSTS ? HAS_COSTS : 0u);
}

int td_trace_bitmap_open(const unsigned char **bits, const unsigned char **p,
			 const unsigned char *end, uint32_t n)
{
	size_t bytes = (n + 7) / 8;

	if ((size_t)(end - *p) < bytes)
		return -EBADMSG;
	*bits = *p;
	*p += bytes;
	return 0;
}

int td_trace_objects_open(struct td_trace_objects *o, unsigned columns, const unsigned char **p,
			  const unsigned char *end, uint32_t n)
{
	int rc = 0;

	o->columns = columns;
	if (columns & HAS_GROUPS)
		rc = td_trace_bitmap_open(&o->firsts, p, end, n);
	if (!rc && columns & HAS_SIZES)
		rc = td_trace_column_open(&o->sizes, p, end, n);
	if (!rc && columns & HAS_COSTS)
		rc = td_trace_column_open(&o->costs, p, end, n);
	return rc;
}

void td_trace_objects_read(struct td_trace_objects *o, unsigned flags, uint32_t i,
			   struct tide_batch_object *to, uint32_t at, uint32_t n)
{
	if (o->columns & HAS_GROUPS)
		td_trace_column_bits(to->first + at, o->firsts, i, n);
	else if (flags & WITH_GROUPS)
		memset(to->first + at, 0, n);
	if (o->columns & HAS_SIZES)
		td_trace_column_read(&o->sizes, to->bytes + at, n);
	else if (flags & WITH_SIZES)
		memset(to->bytes + at, 0, n * sizeof *to->bytes);
	if (o->columns & HAS_COSTS)
		td_trace_column_read(&o->costs, to->cost + at, n);
	else if (flags & WITH_COSTS)
		memset(to->cost + at, 0, n * sizeof *to->cost);
}
