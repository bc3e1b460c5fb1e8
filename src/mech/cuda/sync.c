/* What kernels wrote goes to its files. */
#include <errno.h>
#include <string.h>

#include "core/assert.h"
#include "flight.h"

/* ---- pages ---- */

/* The content of a dirty page, where a file can have it written from. NULL: *rc. With host
 * orchestration that is the page's home, which a clean page of near memory leaves for. */
static void *content(struct tide_gpu *g, uint32_t page, uint64_t entry, int *rc,
		     struct tide_error *err)
{
	const struct td_dev_control *k = &g->control;
	uint64_t at = (uint64_t)td_dev_index(entry) << g->set.page_shift;
	if (td_dev_state(entry) != TD_DEV_TIER1)
		return k->host_memory + at;
	unsigned char *to = td_cuda_flight_buffer(g->flight, g->flight->n);
	if (g->orchestrator)
		to = k->host_memory + ((uint64_t)page << g->set.page_shift);
	*rc = td_cuda_device.copy(to, k->near_memory + at, g->set.page_bytes, err);
	return *rc ? NULL : to;
}

/* It is in its file now: clean where it is, or, where it waited to be written, gone from there. */
static void clean(uint64_t *entry)
{
	*entry &= ~TD_DEV_DIRTY;
	if (td_dev_state(*entry) == TD_DEV_WRITING)
		*entry &= TD_DEV_GENERATION;
}

static int write_flight(struct tide_gpu *g, struct td_cuda_tables *t, struct tide_error *err)
{
	struct td_cuda_flight *f = g->flight;
	int rc = 0;
	td_cuda_flight_go(f);
	for (unsigned i = 0; i < f->n; i++) {
		if (!f->legs[i].io.result)
			clean(&t->entries[f->legs[i].page]);
		else if (!rc)
			rc = td_cuda_flight_fail(f, i, err);
	}
	f->n = 0;
	return rc;
}

static int refuse(const struct td_cuda_array *a, uint64_t *entry, struct tide_error *err)
{
	clean(entry);
	return tide_fail(err, -EROFS,
			 "a kernel wrote to the array of %s, which is not writable: give writable; "
			 "what it wrote is dropped",
			 a->file->name);
}

static int write_array(struct tide_gpu *g, struct td_cuda_tables *t, const struct td_cuda_array *a,
		       struct tide_error *err)
{
	int first = 0, rc = 0;
	for (uint32_t page = a->first_page; page < a->first_page + a->pages; page++) {
		uint64_t *e = &t->entries[page];
		rc = 0;
		if (!(*e & TD_DEV_DIRTY) || td_dev_state(*e) == TD_DEV_ABSENT)
			continue;
		void *addr = a->writable ? content(g, page, *e, &rc, first ? NULL : err) : NULL;
		if (addr)
			td_cuda_flight_add(g->flight, page, addr, true);
		else if (!rc)
			rc = refuse(a, e, first ? NULL : err);
		if (g->flight->n == g->flight->room)
			rc = write_flight(g, t, first ? NULL : err);
		first = first ? first : rc;
	}
	rc = write_flight(g, t, first ? NULL : err);
	return first ? first : rc;
}

int td_cuda_write_dirty(struct tide_gpu *g, struct td_cuda_tables *t, bool all,
			struct tide_error *err)
{
	int rc = 0;
	for (uint32_t i = 0; i < g->arrays_n; i++) {
		const struct td_cuda_array *a = &g->arrays[i];
		int one = a->kept || all ? write_array(g, t, a, rc ? NULL : err) : 0;
		rc = rc ? rc : one;
	}
	int settled = td_cuda_tables_settle(g, t, rc ? NULL : err);
	return rc ? rc : settled;
}

/* ---- files ---- */

static int flush_files(struct tide_gpu *g, struct tide_error *err)
{
	int rc = 0;
	for (uint32_t i = 0; i < g->arrays_n; i++) {
		struct td_cuda_array *a = &g->arrays[i];
		int one = a->kept && a->writable ? td_io_flush(g->proxies[0].io, a->file) : 0;
		if (one && !rc)
			rc = tide_fail(err, one, "cannot make %s durable: %s", a->file->name,
				       strerror(-one));
		g->io_errors += one != 0;
	}
	return rc;
}

int td_cuda_sync(struct tide_gpu *g, struct tide_error *err)
{
	struct td_cuda_tables t;
	int rc = td_cuda_ready(g, err);
	if (!rc)
		rc = td_cuda_tables_load_settled(g, &t, err);
	if (rc)
		return rc;
	rc = td_cuda_write_dirty(g, &t, false, err);
	int stored = td_cuda_tables_store(g, &t, rc ? NULL : err);
	td_cuda_tables_free(&t);
	int flushed = flush_files(g, rc || stored ? NULL : err);
	td_checked(td_cuda_check_rest(g));
	return rc ? rc : stored ? stored : flushed;
}
