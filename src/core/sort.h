/* Sorting in place, without memory: qsort() of the C library allocates, and a fault may be served
 * where the program was interrupted in an allocation of its own. */
#ifndef TD_CORE_SORT_H
#define TD_CORE_SORT_H

#include <stddef.h>

/* Ascending by compare, as for qsort_r(). Equal items come in any order. */
void td_sort(void *items, size_t n, size_t item_bytes,
	     int (*compare)(const void *a, const void *b, void *arg), void *arg);

#endif
