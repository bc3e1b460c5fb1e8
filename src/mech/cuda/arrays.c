/* Arrays: ranges of page numbers, each with a place in a file. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "orchestrate.h"
#include "runtime.h"

struct td_cuda_array *td_cuda_array_of(const struct tide_gpu *g, uint32_t page)
{
	uint32_t low = 0,
		 high = g->arrays_n; /* the first that begins behind page is in [low, high] */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (g->arrays[middle].first_page <= page)
			low = middle + 1;
		else
			high = middle;
	}
	struct td_cuda_array *a = low ? &g->arrays[low - 1] : NULL;
	return a && page - a->first_page < a->pages ? a : NULL;
}

uint64_t td_cuda_offset_of(const struct tide_gpu *g, const struct td_cuda_array *a, uint32_t page)
{
	return a->offset + ((uint64_t)(page - a->first_page) << g->set.page_shift);
}

/* ---- a file of its own ---- */

/* Two arrays that write the same bytes would each have its own idea of them. */
static int judge_overlap(const struct tide_gpu *g, const struct td_cuda_array *a,
			 struct tide_error *err)
{
	for (uint32_t i = 0; i < g->arrays_n; i++) {
		const struct td_cuda_array *b = &g->arrays[i];
		if (b->kept && b->file_device == a->file_device &&
		    b->file_number == a->file_number && (a->writable || b->writable) &&
		    a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes)
			return tide_fail(err, -EBUSY,
					 "bytes of %s belong to another array already, and one of "
					 "the two is writable: give them once",
					 a->own.name);
	}
	return 0;
}

static int judge_range(const struct tide_gpu *g, const struct td_cuda_array *a, uint64_t *bytes,
		       struct tide_error *err)
{
	uint64_t end = a->own.bytes;
	if (a->offset % g->set.page_bytes)
		return tide_fail(err, -EINVAL,
				 "offset %" PRIu64 " in %s is no multiple of the page of %" PRIu64
				 " bytes: give one",
				 a->offset, a->own.name, g->set.page_bytes);
	if (a->offset > end || *bytes > end - a->offset)
		return tide_fail(err, -EINVAL,
				 "%s has %" PRIu64 " bytes, fewer than the %" PRIu64
				 " from %" PRIu64
				 " on that the array wants: give fewer, or make it longer "
				 "(truncate -s)",
				 a->own.name, end, *bytes, a->offset);
	if (!*bytes)
		*bytes = end - a->offset;
	return 0;
}

static int open_own(const struct tide_gpu *g, struct td_cuda_array *a, uint64_t *bytes,
		    const struct tide_gpu_array_options *how, struct tide_error *err)
{
	struct stat st;
	int rc = td_io_file_open(&a->own, how->path, how->writable ? TD_IO_WRITE : TD_IO_READ, err);
	if (rc)
		return rc;
	a->kept = true;
	a->writable = how->writable;
	a->offset = how->offset;
	rc = judge_range(g, a, bytes, err);
	if (!rc && fstat(a->own.fd, &st))
		rc = tide_fail(err, -errno, "cannot look at %s", a->own.name);
	if (rc)
		return rc;
	a->file_device = (uint64_t)st.st_dev;
	a->file_number = (uint64_t)st.st_ino;
	a->bytes = *bytes;
	return judge_overlap(g, a, err);
}

/* ---- a part of the storage file ---- */

/* A block device is no longer than it is, and has something on it: pages that nobody has written
 * are dropped, and read from there when they are wanted again. */
static int clear_storage(struct tide_gpu *g, uint64_t bytes, struct tide_error *err)
{
	uint64_t page = g->set.page_bytes, from = g->storage_bytes;
	uint64_t room = g->storage.bytes - from, end = (bytes + page - 1) / page * page;
	if (from > g->storage.bytes || bytes > room || end > room)
		return tide_fail(err, -ENOSPC,
				 "%s has %" PRIu64 " bytes left for an array of %" PRIu64
				 ": give a larger one",
				 g->storage.name, room, bytes);
	if (fallocate(g->storage.fd, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, (off_t)from,
		      (off_t)end))
		return tide_fail(err, -errno, "cannot clear %s: %s", g->storage.name,
				 strerror(errno));
	return 0;
}

static int take_storage(struct tide_gpu *g, struct td_cuda_array *a, uint64_t bytes,
			struct tide_error *err)
{
	if (g->storage.fd < 0)
		return tide_fail(err, -EINVAL,
				 "an array without a file needs somewhere to go: give storage, a "
				 "file that may be overwritten");
	if (!bytes)
		return tide_fail(err, -EINVAL, "an array without a file needs a size: give bytes");
	a->writable = true;
	a->offset = g->storage_bytes;
	return g->storage.grows ? 0 : clear_storage(g, bytes, err);
}

/* ---- pages ---- */

static int take_pages(struct tide_gpu *g, struct td_cuda_array *a, uint64_t bytes,
		      struct tide_error *err)
{
	uint64_t page = g->set.page_bytes, pages = bytes / page + (bytes % page != 0);
	uint64_t first = g->pages_used;
	if (!bytes)
		return tide_fail(err, -EINVAL,
				 "%s is empty from %" PRIu64 " on: an array has at least a byte",
				 a->own.name, a->offset);
	if (pages <= g->set.pages && g->orchestrator) {
		int rc = td_cuda_orchestrate_place(g, pages, &first, err);
		if (rc)
			return rc;
	}
	if (first > g->set.pages || pages > g->set.pages - first)
		return tide_fail(err, -ENOSPC,
				 "an array of %" PRIu64 " pages of %" PRIu64
				 " bytes, where %" PRIu64 " of %" PRIu64
				 " are left: give a larger address",
				 pages, page, g->set.pages - g->pages_used, g->set.pages);
	a->bytes = bytes;
	a->pages = (uint32_t)pages;
	a->first_page = (uint32_t)first;
	return 0;
}

/* No file has them: they are zero when they are first touched. */
static int make_fresh(struct tide_gpu *g, const struct td_cuda_array *a, struct tide_error *err)
{
	uint64_t *fresh = malloc(a->pages * sizeof *fresh);
	if (!fresh)
		return tide_fail(err, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < a->pages; i++)
		fresh[i] = td_dev_entry(TD_DEV_ABSENT, 0) | TD_DEV_FRESH;
	int rc = td_cuda_device.copy(&g->control.entries[a->first_page], fresh,
				     a->pages * sizeof *fresh, err);
	free(fresh);
	return rc;
}

static void add(struct tide_gpu *g, const struct td_cuda_array *made, struct tide_span *out)
{
	struct td_cuda_array *a = &g->arrays[g->arrays_n++];
	*a = *made;
	a->file = a->kept ? &a->own : &g->storage;
	g->pages_used = a->first_page + a->pages;
	if (!a->kept)
		g->storage_bytes += (uint64_t)a->pages << g->set.page_shift;
	*out = (struct tide_span){
		.entries = g->control.entries + a->first_page,
		.near_memory = g->control.near_memory,
		.control = g->on_gpu,
		.bytes = a->bytes,
		.sample_bound = g->control.sampling ? tide_sample_bound(g->set.rate) : 0,
		.first_page = a->first_page,
		.page_shift = g->set.page_shift,
	};
}

int td_cuda_array(struct tide_gpu *g, struct tide_span *out, uint64_t bytes,
		  const struct tide_gpu_array_options *how, struct tide_error *err)
{
	struct td_cuda_array a = {.own = {.fd = -1, .direct_fd = -1}};
	int rc = td_cuda_ready(g, err);
	if (!rc && g->arrays_n == TD_CUDA_ARRAYS)
		rc = tide_fail(err, -ENOSPC, "there are %d arrays already, as many as can be",
			       TD_CUDA_ARRAYS);
	if (rc)
		return rc;
	if (how && how->path)
		rc = open_own(g, &a, &bytes, how, err);
	else
		rc = take_storage(g, &a, bytes, err);
	if (!rc)
		rc = take_pages(g, &a, bytes, err);
	if (!rc && !a.kept)
		rc = make_fresh(g, &a, err);
	if (rc)
		td_io_file_close(&a.own);
	else
		add(g, &a, out);
	return rc;
}
