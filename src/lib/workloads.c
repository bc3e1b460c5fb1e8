/* Workloads looked into: arrays and kernels, and what they come to when they run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/params.h"
#include "core/text.h"
#include "lib.h"
#include "workload/gpu.h"

#define LAUNCHES_MOST 1000000 /* after so many, the rest is not counted */
#define PROGRESS_EVERY 256    /* batches */

static int no_memory(const char *workload, struct tide_error *err)
{
	size_t len = td_core_spec_name(workload);

	return tide_fail(err, -ENOMEM, "workload %s: no memory to look into it: free some",
			 td_core_shown(workload, len).text);
}

/* ---- what it is made of ---- */

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

int tide_workload_describe(struct tide_workload_shape **out, const char *workload, const char *seed,
			   struct tide_error *err)
{
	uint64_t page_bytes = td_workload_page_bytes(td_workload_find(workload)), number;
	struct td_trace_source *source;
	struct td_gpu_app *app;
	int rc = td_lib_seed(seed, &number, err);

	if (!rc)
		rc = td_workload_open(&source, workload, page_bytes, number, err);
	if (rc)
		return rc;
	struct tide_workload_shape *s = calloc(1, sizeof *s);
	app = td_gpu_of(source);
	rc = s ? 0 : -ENOMEM;
	if (!rc && app) {
		s->wave = app->wave;
		s->regular = true;
		rc = copy_arrays(s, app);
		if (!rc)
			rc = copy_kernels(s, app);
	}
	td_trace_close(source);
	if (!rc) {
		*out = s;
		return 0;
	}
	tide_workload_free(s);
	return no_memory(workload, err);
}

void tide_workload_free(struct tide_workload_shape *s)
{
	if (!s)
		return;
	free(s->array);
	free(s->kernel);
	free(s);
}

/* ---- what it comes to ---- */

/* One more than the highest page that it can touch. */
static uint64_t page_bound(struct td_trace_source *source, uint64_t page_bytes)
{
	const struct td_gpu_app *app = td_gpu_of(source);
	uint64_t end = 0;

	if (!app)
		return source->facts.last_page + 1;
	for (unsigned i = 0; i < app->arrays; i++)
		end = app->array[i].base + app->array[i].bytes;
	return (end + page_bytes - 1) / page_bytes;
}

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

static double processor_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct pass {
	struct tide_batch batch;
	uint64_t pages, accesses, bound;
	uint64_t seen[];
};

static bool see(struct pass *p)
{
	for (uint32_t i = 0; i < p->batch.n; i++) {
		uint64_t page = p->batch.page[i], bit = UINT64_C(1) << (page % 64);
		if (page >= p->bound)
			return false;
		p->pages += !(p->seen[page / 64] & bit);
		p->seen[page / 64] |= bit;
	}
	p->accesses += p->batch.n;
	return true;
}

static int see_all(struct pass *p, struct td_trace_source *source, tide_progress *progress,
		   void *arg, struct tide_error *err)
{
	uint64_t batches = 0;
	int rc;

	while (!(rc = td_trace_next(source, &p->batch, err)) && p->batch.n) {
		if (!see(p))
			return tide_fail(err, -ERANGE,
					 "a page after the last one of its arrays is accessed: "
					 "mend its formulas");
		if (progress && ++batches % PROGRESS_EVERY == 0)
			progress(arg, p->accesses, 0);
	}
	return rc;
}

static int measure(struct tide_workload_measured *out, struct td_trace_source *source,
		   const char *workload, uint64_t page_bytes, tide_progress *progress, void *arg,
		   struct tide_error *err)
{
	const struct td_gpu_app *app = td_gpu_of(source);
	uint64_t bound = page_bound(source, page_bytes);
	struct pass *p = calloc(1, sizeof *p + (bound / 64 + 1) * sizeof p->seen[0]);
	double start = processor_seconds();

	if (!p)
		return no_memory(workload, err);
	p->bound = bound;
	int rc = see_all(p, source, progress, arg, err);
	out->seconds = processor_seconds() - start;
	out->accesses = p->accesses;
	out->touched_bytes = p->pages * page_bytes;
	out->allocated_bytes = app ? allocated_pages(app, page_bytes) * page_bytes : 0;
	out->footprint_bytes =
		app && app->machine->counts_allocated ? out->allocated_bytes : out->touched_bytes;
	free(p);
	return rc;
}

int tide_workload_measure(struct tide_workload_measured *out, const char *workload,
			  const char *page, const char *seed, tide_progress *progress, void *arg,
			  struct tide_error *err)
{
	uint64_t page_bytes = td_workload_page_bytes(td_workload_find(workload)), number;
	struct td_trace_source *source;
	double start = processor_seconds();
	int rc = td_lib_seed(seed, &number, err);

	if (!rc && page)
		rc = td_lib_page_bytes(page, &page_bytes, err);
	if (!rc)
		rc = td_workload_open(&source, workload, page_bytes, number, err);
	if (rc)
		return rc;
	out->prepare_seconds = processor_seconds() - start;
	rc = measure(out, source, workload, page_bytes, progress, arg, err);
	td_trace_close(source);
	return rc;
}
