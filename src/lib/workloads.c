/* Describes workloads: their arrays and kernels, and what they measure when they run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "core/params.h"
#include "core/text.h"
#include "lib.h"

#define PROGRESS_EVERY 256 /* batches */

static int no_memory(const char *workload, struct tide_error *err)
{
	size_t len = td_core_spec_name(workload);

	return tide_fail(err, -ENOMEM, "workload %s: no memory to look into it: free some",
			 td_core_shown(workload, len).text);
}

/* ---- what it is made of ---- */

int tide_workload_describe(struct tide_workload_shape **out, const char *workload, const char *seed,
			   struct tide_error *err)
{
	struct td_trace_source *source;
	uint64_t number;
	int rc = td_lib_given(out, "out", err);

	if (!rc)
		rc = td_lib_given(workload, "workload", err);
	if (!rc)
		rc = td_lib_seed(seed, &number, err);
	if (rc)
		return rc;
	uint64_t page_bytes = td_workload_page_bytes(td_workload_find(workload));
	rc = td_workload_open(&source, workload, page_bytes, number, err);
	if (rc)
		return rc;
	struct tide_workload_shape *s = calloc(1, sizeof *s);
	const struct td_workload_kind *kind = td_workload_find(workload)->kind;
	rc = s ? 0 : -ENOMEM;
	if (!rc)
		s->size = sizeof *s;
	if (!rc && kind)
		rc = kind->describe(source, s);
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

static double processor_seconds(void)
{
	return (double)td_clock_of_ns(CLOCK_THREAD_CPUTIME_ID) * 1e-9;
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
	const struct td_workload_kind *kind = td_workload_find(workload)->kind;
	struct td_workload_extent extent = {.end_pages = source->facts.last_page + 1};

	if (kind)
		extent = kind->extent(source, page_bytes);
	uint64_t bound = extent.end_pages;
	struct pass *p = calloc(1, sizeof *p + (bound / 64 + 1) * sizeof p->seen[0]);
	double start = processor_seconds();

	if (!p)
		return no_memory(workload, err);
	p->bound = bound;
	int rc = see_all(p, source, progress, arg, err);
	out->seconds = processor_seconds() - start;
	out->accesses = p->accesses;
	out->touched_bytes = p->pages * page_bytes;
	out->allocated_bytes = extent.allocated_pages * page_bytes;
	out->footprint_bytes = extent.counts_allocated ? out->allocated_bytes : out->touched_bytes;
	free(p);
	return rc;
}

int tide_workload_measure(struct tide_workload_measured *out, const char *workload,
			  const char *page, const char *seed, tide_progress *progress, void *arg,
			  struct tide_error *err)
{
	struct tide_workload_measured own = {0};
	struct td_trace_source *source;
	uint64_t number;
	double start = processor_seconds();
	int rc = td_lib_given(workload, "workload", err);

	if (!rc)
		rc = td_lib_size(out, "tide_workload_measured", &(size_t){0}, err);
	if (!rc)
		rc = td_lib_seed(seed, &number, err);
	if (rc)
		return rc;
	uint64_t page_bytes = td_workload_page_bytes(td_workload_find(workload));
	if (page)
		rc = td_lib_page_bytes(page, &page_bytes, err);
	if (!rc)
		rc = td_workload_open(&source, workload, page_bytes, number, err);
	if (rc)
		return rc;
	own.prepare_seconds = processor_seconds() - start;
	rc = measure(&own, source, workload, page_bytes, progress, arg, err);
	td_trace_close(source);
	return rc ? rc : TD_LIB_GIVE(out, &own, tide_workload_measured, err);
}
