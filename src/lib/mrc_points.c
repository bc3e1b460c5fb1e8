/* The sizes of a curve, from what was asked for and the footprint. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "curves.h"

static uint64_t spread(uint64_t footprint_pages, size_t i, size_t n)
{
	unsigned __int128 product = (unsigned __int128)footprint_pages * (i + 1);
	return (uint64_t)((product + n - 1) / n);
}

static int by_size(const void *a, const void *b)
{
	double x = ((const struct tide_mrc_point *)a)->pages;
	double y = ((const struct tide_mrc_point *)b)->pages;
	return (x > y) - (x < y);
}

/* Sizes that are bytes so far, in bytes and in pages. */
static void measure_in_bytes(const struct td_lib_curve *c, struct tide_mrc *mrc)
{
	struct tide_mrc_point *at = td_lib_curve_at(mrc);
	struct tide_mrc_object *objects = td_lib_curve_objects(mrc);
	mrc->object_bytes = c->object_bytes;
	for (size_t i = 0; i < mrc->n; i++) {
		objects[i].near_bytes = (uint64_t)fmin(at[i].pages, 0x1p63);
		at[i].pages /= (double)c->page_bytes;
	}
}

int td_lib_curve_points(const struct td_lib_curve *c, uint64_t footprint_pages,
			struct tide_mrc **out, struct tide_error *err)
{
	uint64_t all = c->options->objects ? c->object_bytes : footprint_pages;
	struct tide_mrc *mrc = calloc(
		1, sizeof *mrc + c->n * (sizeof mrc->at[0] + sizeof mrc->errors[0] +
					 sizeof mrc->prefix_hits[0] + sizeof mrc->objects[0]));
	if (!mrc)
		return tide_fail(err, -ENOMEM, "out of memory");
	struct tide_mrc_point *at = td_lib_curve_at(mrc);
	mrc->size = sizeof *mrc;
	mrc->at = at;
	mrc->footprint_pages = footprint_pages;
	mrc->format = c->format;
	for (size_t i = 0; i < c->n; i++) {
		uint64_t pages = spread(all, i, c->n);
		int rc = c->sizes ? td_lib_near_resolve(&c->sizes[i], all, 1, &pages, err) : 0;
		if (rc) {
			free(mrc);
			return rc;
		}
		at[i].pages = (double)pages;
	}
	qsort(at, c->n, sizeof *at, by_size);
	for (size_t i = 0; i < c->n; i++) {
		if (!mrc->n || at[i].pages != at[mrc->n - 1].pages)
			at[mrc->n++] = at[i];
	}
	if (c->options->objects)
		measure_in_bytes(c, mrc);
	for (size_t i = 0; i < mrc->n; i++)
		at[i].size_pages = (uint64_t)ceil(at[i].pages);
	*out = mrc;
	return 0;
}
