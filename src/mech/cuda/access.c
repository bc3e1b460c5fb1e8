/* Bytes of an array, read and written by the processor wherever their pages are. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/assert.h"
#include "flight.h"
#include "tide/device/queue.h"

/* What is to be done: bytes of one array, in parts of as many pages as a flight has. */
struct job {
	struct tide_gpu *g;
	struct td_cuda_array *a;
	unsigned char *at; /* of the caller */
	uint64_t offset, bytes;
	bool write;
	uint64_t *entries; /* of the pages of this part */
	bool changed;      /* these have */
};

/* Of a page: its number in the array, where in it the job begins, and how many bytes. */
struct piece {
	uint32_t page; /* of the runtime */
	uint64_t from, bytes;
	unsigned char *at; /* of the caller */
	uint64_t *entry;
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static unsigned char *place_of(const struct tide_gpu *g, const struct piece *p)
{
	bool near = td_dev_state(*p->entry) == TD_DEV_TIER1;
	unsigned char *base = near ? g->control.near_memory : g->control.host_memory;
	return base + ((uint64_t)td_dev_index(*p->entry) << g->set.page_shift) + p->from;
}

/* ---- pages that are somewhere ---- */

static int move(struct job *j, const struct piece *p, struct tide_error *err)
{
	unsigned char *there = place_of(j->g, p);
	if (j->write && !(*p->entry & TD_DEV_DIRTY)) {
		*p->entry |= TD_DEV_DIRTY;
		j->changed = true;
	}
	return td_cuda_device.copy(j->write ? there : p->at, j->write ? p->at : there, p->bytes,
				   err);
}

/* ---- pages that their file alone has ---- */

static int fly(struct td_cuda_flight *f, struct tide_error *err)
{
	int rc = 0;
	td_cuda_flight_go(f);
	for (unsigned i = 0; i < f->n && !rc; i++)
		if (f->legs[i].io.result)
			rc = td_cuda_flight_fail(f, i, err);
	return rc;
}

/* Into the buffer of the flight, whole: to read, and to change a part. */
static int fetch(struct job *j, const struct piece *pieces, unsigned n, struct tide_error *err)
{
	struct td_cuda_flight *f = j->g->flight;
	f->n = 0;
	for (unsigned i = 0; i < n; i++) {
		bool whole = j->write && pieces[i].bytes == j->g->set.page_bytes;
		if (*pieces[i].entry & TD_DEV_FRESH)
			memset(td_cuda_flight_buffer(f, i), 0, j->g->set.page_bytes);
		else if (!whole)
			td_cuda_flight_add(f, pieces[i].page, td_cuda_flight_buffer(f, i), false);
	}
	return fly(f, err);
}

static int put_back(struct job *j, const struct piece *pieces, unsigned n, struct tide_error *err)
{
	struct td_cuda_flight *f = j->g->flight;
	f->n = 0;
	for (unsigned i = 0; i < n; i++)
		td_cuda_flight_add(f, pieces[i].page, td_cuda_flight_buffer(f, i), true);
	int rc = fly(f, err);
	for (unsigned i = 0; i < n; i++) {
		if (!f->legs[i].io.result && *pieces[i].entry & TD_DEV_FRESH) {
			*pieces[i].entry &= ~TD_DEV_FRESH;
			j->changed = true;
		}
	}
	return rc;
}

static int use_file(struct job *j, const struct piece *pieces, unsigned n, struct tide_error *err)
{
	int rc = n ? fetch(j, pieces, n, err) : 0;
	for (unsigned i = 0; i < n && !rc; i++) {
		unsigned char *in = td_cuda_flight_buffer(j->g->flight, i) + pieces[i].from;
		memcpy(j->write ? in : pieces[i].at, j->write ? pieces[i].at : in, pieces[i].bytes);
	}
	return rc || !n || !j->write ? rc : put_back(j, pieces, n, err);
}

/* ---- parts ---- */

static struct piece cut(const struct job *j, uint64_t done, uint32_t first_page)
{
	uint64_t page_bytes = j->g->set.page_bytes, offset = j->offset + done;
	struct piece p = {.page = j->a->first_page + (uint32_t)(offset / page_bytes),
			  .from = offset % page_bytes,
			  .at = j->at + done};
	p.bytes = least(page_bytes - p.from, j->bytes - done);
	p.entry = &j->entries[p.page - first_page];
	return p;
}

/* What was written in the meantime must not be changed where it waited for that. */
static bool is_stale(const struct job *j, uint64_t entry)
{
	return j->write && td_dev_state(entry) == TD_DEV_WRITING &&
	       td_dev_status(&j->g->control, td_dev_index(entry)) == TD_DEV_DONE;
}

static int look_up(struct job *j, uint32_t first, unsigned n, struct tide_error *err)
{
	const uint64_t *there = &j->g->control.entries[first];
	bool stale = false;
	int rc = td_cuda_device.copy(j->entries, there, n * sizeof *there, err);
	for (unsigned i = 0; i < n && !rc; i++)
		stale |= is_stale(j, j->entries[i]);
	if (!stale)
		return rc;
	rc = td_cuda_settle(j->g, err);
	return rc ? rc : td_cuda_device.copy(j->entries, there, n * sizeof *there, err);
}

/* From byte done of the job on, as far as a flight goes: *done grows. */
static int do_part(struct job *j, uint64_t *done, struct piece *absent, struct tide_error *err)
{
	uint32_t first = j->a->first_page + (uint32_t)((j->offset + *done) >> j->g->set.page_shift);
	uint32_t end = j->a->first_page + j->a->pages;
	unsigned n = (unsigned)least(j->g->flight->room, end - first), away = 0;
	int rc = look_up(j, first, n, err);
	j->changed = false;
	for (unsigned i = 0; i < n && *done < j->bytes && !rc; i++) {
		struct piece p = cut(j, *done, first);
		*done += p.bytes;
		if (td_dev_state(*p.entry) == TD_DEV_ABSENT)
			absent[away++] = p;
		else
			rc = move(j, &p, err);
	}
	if (!rc)
		rc = use_file(j, absent, away, err);
	int stored = !j->changed ? 0
				 : td_cuda_device.copy(&j->g->control.entries[first], j->entries,
						       n * sizeof *j->entries, rc ? NULL : err);
	return rc ? rc : stored;
}

static int do_parts(struct job *j, struct tide_error *err)
{
	struct piece *absent = calloc(j->g->flight->room, sizeof *absent);
	j->entries = calloc(j->g->flight->room, sizeof *j->entries);
	uint64_t done = 0;
	int rc = absent && j->entries ? 0 : tide_fail(err, -ENOMEM, "out of memory");
	while (!rc && done < j->bytes)
		rc = do_part(j, &done, absent, err);
	j->g->flight->n = 0; /* nobody is aboard for the next one */
	free(absent);
	free(j->entries);
	return rc;
}

/* ---- the calls ---- */

static int judge(const struct tide_gpu *g, struct tide_span array, uint64_t offset, uint64_t bytes,
		 struct td_cuda_array **a, struct tide_error *err)
{
	int rc = td_cuda_ready(g, err);
	if (rc)
		return rc;
	*a = td_cuda_array_of(g, array.first_page);
	if (array.control != g->on_gpu || !*a || (*a)->first_page != array.first_page)
		return tide_fail(err, -EINVAL,
				 "this is no array of this runtime: give one that "
				 "tide_gpu_array() made");
	if (offset > (*a)->bytes || bytes > (*a)->bytes - offset)
		return tide_fail(err, -EINVAL,
				 "%" PRIu64 " bytes from %" PRIu64 " on, of an array of %" PRIu64
				 ": give a range within it",
				 bytes, offset, (*a)->bytes);
	return 0;
}

int td_cuda_read(struct tide_gpu *g, struct tide_span array, uint64_t offset, void *to,
		 uint64_t bytes, struct tide_error *err)
{
	struct job j = {.g = g, .at = to, .offset = offset, .bytes = bytes};
	int rc = judge(g, array, offset, bytes, &j.a, err);
	return rc ? rc : do_parts(&j, err);
}

int td_cuda_write(struct tide_gpu *g, struct tide_span array, uint64_t offset, const void *from,
		  uint64_t bytes, struct tide_error *err)
{
	struct job j = {.g = g, .offset = offset, .bytes = bytes, .write = true};
	memcpy(&j.at, &from, sizeof from); /* which is only read */
	int rc = judge(g, array, offset, bytes, &j.a, err);
	if (!rc && !j.a->writable)
		rc = tide_fail(err, -EROFS, "the array of %s is not writable: give writable",
			       j.a->file->name);
	if (!rc)
		rc = do_parts(&j, err);
	td_checked(td_cuda_check_rest(g));
	return rc;
}
