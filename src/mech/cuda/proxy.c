/* Requests for files: a thread per queue takes them from its ring, hands them to the kernel many at
 * a time, and says how each of them ended where the warp that asked is looking.
 *
 *     ring -> alone for its page?  yes -> batch -> io_uring -> slot_status
 *                                  no  -> behind the one that is under way */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/assert.h"
#include "runtime.h"

#define DEPTH 256 /* requests of a proxy that the kernel has at once */

/* ---- one request at a time for a page ---- */

static struct td_cuda_transfer **bucket_of(struct td_cuda_proxy *p, uint32_t page)
{
	return &p->bucket[tide_hash64(page) % TD_CUDA_BUCKETS];
}

/* False: it waits. */
static bool enter(struct td_cuda_proxy *p, struct td_cuda_transfer *t)
{
	struct td_cuda_transfer **bucket = bucket_of(p, t->page), *first = *bucket;
	while (first && first->page != t->page)
		first = first->peer;
	if (!first) {
		t->peer = *bucket;
		*bucket = t;
		return true;
	}
	while (first->after)
		first = first->after;
	first->after = t;
	return false;
}

/* The one that is next takes its place; NULL: there is none. */
static struct td_cuda_transfer *leave(struct td_cuda_proxy *p, struct td_cuda_transfer *t)
{
	struct td_cuda_transfer **at = bucket_of(p, t->page), *after = t->after;
	while (*at != t) {
		td_assert(*at);
		at = &(*at)->peer;
	}
	*at = after ? after : t->peer;
	if (after)
		after->peer = t->peer;
	return after;
}

/* ---- the end of a request ---- */

static void count(struct td_cuda_proxy *p, const struct td_cuda_transfer *t, int result)
{
	if (result)
		td_cuda_failed(p->g, result, t->page, t->io.write ? TD_DEV_WRITE : TD_DEV_READ);
	else
		atomic_fetch_add_explicit(t->io.write ? &p->writes : &p->reads, 1,
					  memory_order_relaxed);
}

static void start_batch(struct td_cuda_proxy *p)
{
	unsigned n = p->batch_n;
	struct td_io_request *batch[64];
	memcpy(batch, p->batch, n * sizeof *batch);
	p->batch_n = 0; /* first: what ends here and now may add to it */
	if (n)
		td_io_start(p->io, batch, n);
}

static void put(struct td_cuda_proxy *p, struct td_cuda_transfer *t)
{
	if (p->batch_n == 64)
		start_batch(p);
	td_assert(p->batch_n < 64);
	p->batch[p->batch_n++] = &t->io;
}

/* Whoever comes after may begin before the warp hears of it: the slot is the warp's again then. */
static void finish(struct td_cuda_transfer *t, int result)
{
	struct td_cuda_proxy *p = t->proxy;
	struct td_cuda_transfer *next = leave(p, t);
	count(p, t, result);
	td_cuda_answer(p->g, t->slot, result);
	td_cuda_done(p->ring);
	if (next)
		put(p, next);
}

static void done(struct td_io_request *r)
{
	finish(r->arg, r->result);
}

/* ---- the beginning ---- */

/* What is written to an array that is not writable is gone, and said once. */
static bool is_refused(struct td_cuda_proxy *p, const struct td_cuda_array *a,
		       const struct td_dev_request *q)
{
	if (q->op != TD_DEV_WRITE || !a || a->writable)
		return false;
	td_cuda_failed(p->g, -EROFS, q->page, TD_DEV_WRITE);
	td_cuda_answer(p->g, q->slot, 0);
	td_cuda_done(p->ring);
	return true;
}

static void refuse(struct td_cuda_proxy *p, const struct td_dev_request *q)
{
	td_cuda_failed(p->g, -EINVAL, q->page, q->op);
	if (q->slot < p->g->control.slots)
		td_cuda_answer(p->g, q->slot, -EINVAL);
	td_cuda_done(p->ring);
}

static void begin(struct td_cuda_proxy *p, const struct td_dev_request *q)
{
	struct tide_gpu *g = p->g;
	struct td_cuda_array *a = td_cuda_array_of(g, q->page);
	if (is_refused(p, a, q))
		return;
	if (!a || q->slot >= g->control.slots || (q->op != TD_DEV_READ && q->op != TD_DEV_WRITE)) {
		refuse(p, q);
		return;
	}
	struct td_cuda_transfer *t = &g->transfers[q->slot];
	*t = (struct td_cuda_transfer){.proxy = p, .page = q->page, .slot = q->slot};
	t->io.file = a->file;
	t->io.offset = td_cuda_offset_of(g, a, q->page);
	t->io.addr = g->control.host_memory + ((uint64_t)q->slot << g->set.page_shift);
	t->io.bytes = g->set.page_bytes;
	t->io.write = q->op == TD_DEV_WRITE;
	t->io.done = done;
	t->io.arg = t;
	if (enter(p, t))
		put(p, t);
}

/* ---- the thread ---- */

/* Was there anything to do? */
static bool serve(struct td_cuda_proxy *p)
{
	struct td_dev_request q;
	bool any = false;
	while (p->batch_n < 64 && td_cuda_take(p->ring, &q)) {
		begin(p, &q);
		any = true;
	}
	start_batch(p);
	uint64_t open = atomic_load_explicit(&p->ring->open, memory_order_relaxed);
	if (open)
		td_io_poll(p->io);
	start_batch(p);
	return any || atomic_load_explicit(&p->ring->open, memory_order_relaxed) != open;
}

static bool is_idle(const struct td_cuda_proxy *p)
{
	return !atomic_load(&p->g->running) && !atomic_load(&p->ring->open);
}

static void *run(void *arg)
{
	struct td_cuda_proxy *p = arg;
	while (td_cuda_await_launch(p->g)) {
		unsigned idle = 0;
		do {
			idle = serve(p) ? 0 : idle + 1;
			if (idle)
				td_cuda_rest(p->g, idle);
		} while (!is_idle(p));
	}
	return NULL;
}

int td_cuda_proxies_open(struct tide_gpu *g, const char *inject, struct tide_error *err)
{
	int rc = 0;
	g->proxies = calloc(g->set.proxies, sizeof *g->proxies);
	g->transfers = calloc(g->control.slots, sizeof *g->transfers);
	if (!g->proxies || !g->transfers)
		return tide_fail(err, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < g->set.proxies && !rc; i++) {
		struct td_cuda_proxy *p = &g->proxies[i];
		p->g = g;
		p->ring = &g->rings[i];
		rc = td_io_open(&p->io, DEPTH, inject, err);
		if (!rc)
			rc = td_cuda_start(&p->thread, "tide-proxy", run, p, err);
		p->started = !rc;
	}
	return rc;
}

void td_cuda_proxies_close(struct tide_gpu *g)
{
	for (uint32_t i = 0; g->proxies && i < g->set.proxies; i++) {
		if (g->proxies[i].started)
			pthread_join(g->proxies[i].thread, NULL);
		td_io_close(g->proxies[i].io);
	}
	free(g->proxies);
	free(g->transfers);
	g->proxies = NULL;
	g->transfers = NULL;
}
