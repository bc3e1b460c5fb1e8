/* What an application is made of (tide_workload_describe()), and where its arrays lie. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "tide/tide.h"

#define LAUNCHES_MOST 1000000 /* after so many, the rest is not counted */

/* ---- arrays and kernels ---- */

static int copy_arrays(struct tide_workload_shape *s, const struct td_gpu_app *app)
{
	s->array = calloc(app->arrays ? app->arrays : 1, sizeof *s->array);
	if (!s->array)
		return -ENOMEM;
	for (; s->arrays < app->arrays; s->arrays++) {
		const struct td_gpu_array *from = &app->array[s->arrays];
		struct tide_workload_array *to = &s->array[s->arrays];
		snprintf(to->name, sizeof to->name, "%s", from->name);
		to->bytes = from->bytes;
		to->base = from->base;
	}
	return 0;
}

static struct tide_workload_kernel *find_kernel(struct tide_workload_shape *s, const char *name)
{
	struct tide_workload_kernel *k;

	for (size_t i = 0; i < s->kernels; i++)
		if (strncmp(s->kernel[i].name, name, sizeof s->kernel[i].name - 1) == 0)
			return &s->kernel[i];
	k = realloc(s->kernel, (s->kernels + 1) * sizeof *k);
	if (!k)
		return NULL;
	s->kernel = k;
	k += s->kernels++;
	*k = (struct tide_workload_kernel){.launches = 0};
	snprintf(k->name, sizeof k->name, "%s", name);
	return k;
}

static void widen(uint32_t range[2], uint32_t n, bool first)
{
	if (first || n < range[0])
		range[0] = n;
	if (first || n > range[1])
		range[1] = n;
}

static int count_launch(struct tide_workload_shape *s, const struct td_gpu_launch *l)
{
	struct tide_workload_kernel *k = find_kernel(s, l->kernel);
	bool first = k && k->launches == 0;

	if (!k)
		return -ENOMEM;
	widen(k->grid_x, l->blocks ? (uint32_t)l->blocks : l->grid_x, first);
	widen(k->grid_y, l->blocks ? 1 : l->grid_y, first);
	widen(k->block_x, l->block_x, first);
	widen(k->block_y, l->block_y, first);
	s->regular = s->regular && l->instr;
	k->launches++;
	s->launches++;
	return 0;
}

/* Where the data decides how often its kernels are launched, what comes after each of them has been
 * launched once cannot be said without running them. */
static int copy_kernels(struct tide_workload_shape *s, struct td_gpu_app *app)
{
	struct td_gpu_launch l = {0};
	size_t known = 0;
	int rc = 0;

	while (!rc && app->launch(app, s->launches, &l)) {
		if (s->launches == LAUNCHES_MOST) {
			s->more = true;
			break;
		}
		known = s->kernels;
		rc = count_launch(s, &l);
		if (app->by_data && s->kernels == known)
			break;
	}
	s->more |= app->by_data;
	return rc;
}

static int describe(struct td_trace_source *source, struct tide_workload_shape *s)
{
	struct td_gpu_app *app = td_gpu_of(source);

	s->wave = app->wave;
	s->regular = true;
	int rc = copy_arrays(s, app);
	return rc ? rc : copy_kernels(s, app);
}

/* ---- pages ---- */

/* Pages that the arrays lie on. */
static uint64_t allocated_pages(const struct td_gpu_app *app, uint64_t page_bytes)
{
	uint64_t pages = 0, next = 0; /* next: after the page that was counted last */

	for (unsigned i = 0; i < app->arrays; i++) {
		const struct td_gpu_array *a = &app->array[i];
		uint64_t first = a->base / page_bytes;
		uint64_t end = (a->base + a->bytes + page_bytes - 1) / page_bytes;

		first = first > next ? first : next;
		if (a->bytes && end > first) {
			pages += end - first;
			next = end;
		}
	}
	return pages;
}

static struct td_workload_extent extent(struct td_trace_source *source, uint64_t page_bytes)
{
	const struct td_gpu_app *app = td_gpu_of(source);
	struct td_workload_extent e = {
		.allocated_pages = allocated_pages(app, page_bytes),
		.counts_allocated = app->machine->counts_allocated,
	};

	if (app->arrays) {
		const struct td_gpu_array *last = &app->array[app->arrays - 1];
		e.end_pages = (last->base + last->bytes + page_bytes - 1) / page_bytes;
	}
	return e;
}

static uint64_t page_bytes(const struct td_workload *w)
{
	return ((const struct td_gpu_workload *)w)->machine->page_bytes;
}

const struct td_workload_kind td_gpu_kind = {
	.page_bytes = page_bytes,
	.describe = describe,
	.extent = extent,
};
