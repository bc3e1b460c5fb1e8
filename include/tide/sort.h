/* Sorting in place, without memory: qsort() of the C library allocates, and a fault may be served
 * where the program was interrupted in an allocation of its own. */
#ifndef TIDE_SORT_H
#define TIDE_SORT_H

#include <stddef.h>

/* Ascending by compare, as for qsort_r(). Equal items come in any order. */
static inline void tide_sort(void *items, size_t n, size_t item_bytes,
			     int (*compare)(const void *a, const void *b, void *arg), void *arg);

/* ---- how ---- */

/* A heap, largest first, whose root changes places with its last item again and again. */
struct tide_sort_heap {
	unsigned char *at;
	size_t bytes;
	int (*compare)(const void *a, const void *b, void *arg);
	void *arg;
};

static inline void tide_sort_swap(unsigned char *a, unsigned char *b, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		unsigned char c = a[i];
		a[i] = b[i];
		b[i] = c;
	}
}

static inline void tide_sort_sift(const struct tide_sort_heap *h, size_t root, size_t n)
{
	for (size_t child; (child = 2 * root + 1) < n; root = child) {
		unsigned char *left = h->at + child * h->bytes, *top = h->at + root * h->bytes;
		if (child + 1 < n && h->compare(left, left + h->bytes, h->arg) < 0) {
			left += h->bytes;
			child++;
		}
		if (h->compare(top, left, h->arg) >= 0)
			return;
		tide_sort_swap(top, left, h->bytes);
	}
}

static inline void tide_sort(void *items, size_t n, size_t item_bytes,
			     int (*compare)(const void *a, const void *b, void *arg), void *arg)
{
	struct tide_sort_heap h = {items, item_bytes, compare, arg};
	for (size_t i = n / 2; i-- > 0;)
		tide_sort_sift(&h, i, n);
	for (size_t i = n; i-- > 1;) {
		tide_sort_swap(h.at, h.at + i * item_bytes, item_bytes);
		tide_sort_sift(&h, 0, i);
	}
}

#endif
