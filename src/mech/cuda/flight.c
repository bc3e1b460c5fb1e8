/* Pages between near memory, host memory and files at rest, several under way at a time. */
#include "flight.h"
#include "core/assert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAGES_MAX 64
#define BYTES_MAX ((uint64_t)16 << 20)

int td_cuda_flight_open(struct tide_gpu *g, struct tide_error *err)
{
	struct td_cuda_flight *f = calloc(1, sizeof *f);
	if (!f)
		return tide_fail(err, -ENOMEM, "out of memory");
	g->flight = f;
	f->g = g;
	f->room = (unsigned)(BYTES_MAX / g->set.page_bytes);
	f->room = f->room > PAGES_MAX ? PAGES_MAX : f->room;
	f->bytes = f->room * g->set.page_bytes;
	f->legs = calloc(f->room, sizeof *f->legs);
	if (!f->legs)
		return tide_fail(err, -ENOMEM, "out of memory");
	void *at = NULL;
	int rc = td_cuda_device.pinned(&at, f->bytes, err);
	f->buffer = at;
	return rc;
}

void td_cuda_flight_close(struct tide_gpu *g)
{
	struct td_cuda_flight *f = g->flight;
	if (!f)
		return;
	if (f->buffer)
		td_cuda_device.pinned_free(f->buffer, f->bytes);
	free(f->legs);
	free(f);
	g->flight = NULL;
}

unsigned char *td_cuda_flight_buffer(const struct td_cuda_flight *f, unsigned i)
{
	return f->buffer + i * f->g->set.page_bytes;
}

/* Direct I/O reads and writes slots and the buffer alike: both are pinned and begin at a page. */
void td_cuda_flight_add(struct td_cuda_flight *f, uint32_t page, void *addr, bool write)
{
	struct td_cuda_array *a = td_cuda_array_of(f->g, page);
	td_assert(a && f->n < f->room);
	struct td_cuda_leg *leg = &f->legs[f->n++];
	*leg = (struct td_cuda_leg){.page = page};
	leg->io.file = a->file;
	leg->io.offset = td_cuda_offset_of(f->g, a, page);
	leg->io.addr = addr;
	leg->io.bytes = f->g->set.page_bytes;
	leg->io.write = write;
}

static void start_all(struct td_cuda_flight *f)
{
	struct td_io_request *requests[PAGES_MAX];
	for (unsigned i = 0; i < f->n; i++)
		requests[i] = &f->legs[i].io;
	td_io_start(f->g->proxies[0].io, requests, f->n);
}

void td_cuda_flight_go(struct td_cuda_flight *f)
{
	start_all(f);
	for (unsigned i = 0; i < f->n; i++) {
		struct td_io_request *r = &f->legs[i].io;
		td_io_wait(f->g->proxies[0].io, r);
		if (r->result)
			f->g->io_errors++;
		else
			f->g->moved_bytes[r->write] += r->bytes;
	}
}

int td_cuda_flight_fail(const struct td_cuda_flight *f, unsigned i, struct tide_error *err)
{
	const struct td_io_request *r = &f->legs[i].io;
	return tide_fail(err, r->result, "cannot %s %zu bytes at byte %llu of %s: %s%s",
			 r->write ? "write" : "read", r->bytes, (unsigned long long)r->offset,
			 r->file->name, strerror(-r->result),
			 r->write ? ": what was to be written is kept, try again" : "");
}
