#include "sort.h"

/* A heap, largest first, whose root changes places with its last item again and again. */
struct heap {
	unsigned char *at;
	size_t bytes;
	int (*compare)(const void *a, const void *b, void *arg);
	void *arg;
};

static void swap(unsigned char *a, unsigned char *b, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		unsigned char c = a[i];
		a[i] = b[i];
		b[i] = c;
	}
}

static void sift(const struct heap *h, size_t root, size_t n)
{
	for (size_t child; (child = 2 * root + 1) < n; root = child) {
		unsigned char *left = h->at + child * h->bytes, *top = h->at + root * h->bytes;
		if (child + 1 < n && h->compare(left, left + h->bytes, h->arg) < 0) {
			left += h->bytes;
			child++;
		}
		if (h->compare(top, left, h->arg) >= 0)
			return;
		swap(top, left, h->bytes);
	}
}

void td_sort(void *items, size_t n, size_t item_bytes,
	     int (*compare)(const void *a, const void *b, void *arg), void *arg)
{
	struct heap h = {items, item_bytes, compare, arg};
	for (size_t i = n / 2; i-- > 0;)
		sift(&h, i, n);
	for (size_t i = n; i-- > 1;) {
		swap(h.at, h.at + i * item_bytes, item_bytes);
		sift(&h, 0, i);
	}
}
