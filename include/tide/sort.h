/* Sorts in place, without allocating. qsort() of the C library allocates. That is not possible in a
 * policy, because a fault may interrupt the program inside an allocation of its own. */
#ifndef TIDE_SORT_H
#define TIDE_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Sorts ascending by compare, which is as for qsort_r(). Equal items come in any order. Items that
 * are in order already, ascending or descending, take one pass. */
static inline void tide_sort(void *items, size_t n, size_t item_bytes,
			     int (*compare)(const void *a, const void *b, void *arg), void *arg);

/* ---- how ---- */

/* A heap whose root is its largest item. tide_sort() swaps the root with the heap's last item,
 * makes the heap smaller by that item, and repeats this until one item is left. */
struct tide_sort_heap {
	unsigned char *at;
	size_t bytes;
	int (*compare)(const void *a, const void *b, void *arg);
	void *arg;
};

static inline void tide_sort_swap(unsigned char *a, unsigned char *b, size_t bytes)
{
	for (uint64_t x, y; bytes >= sizeof x; bytes -= sizeof x, a += sizeof x, b += sizeof x) {
		memcpy(&x, a, sizeof x);
		memcpy(&y, b, sizeof y);
		memcpy(a, &y, sizeof y);
		memcpy(b, &x, sizeof x);
	}
	for (size_t i = 0; i < bytes; i++) {
		unsigned char c = a[i];
		a[i] = b[i];
		b[i] = c;
	}
}

/* How many of the first items are in order: none is larger than the next (way 1), or smaller
 * (way -1). */
static inline size_t tide_sort_run(const struct tide_sort_heap *h, size_t n, int way)
{
	size_t run = 1;
	for (; run < n; run++) {
		const unsigned char *at = h->at + run * h->bytes;
		if (h->compare(at - h->bytes, at, h->arg) * way > 0)
			break;
	}
	return run;
}

static inline void tide_sort_reverse(const struct tide_sort_heap *h, size_t n)
{
	for (size_t i = 0; i < n / 2; i++)
		tide_sort_swap(h->at + i * h->bytes, h->at + (n - 1 - i) * h->bytes, h->bytes);
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
	if (tide_sort_run(&h, n, 1) >= n)
		return;
	if (tide_sort_run(&h, n, -1) == n) {
		tide_sort_reverse(&h, n);
		return;
	}
	for (size_t i = n / 2; i-- > 0;)
		tide_sort_sift(&h, i, n);
	for (size_t i = n; i-- > 1;) {
		tide_sort_swap(h.at, h.at + i * item_bytes, item_bytes);
		tide_sort_sift(&h, 0, i);
	}
}

#endif
