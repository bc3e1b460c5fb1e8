/* Requests for the copy engine: a page between a slot and a frame. A stream each way, a batch of
 * copies per mark, and nobody waits in a call. */
#include <errno.h>
#include <stdlib.h>

#include "core/assert.h"
#include "runtime.h"

/* ---- batches ---- */

static struct td_cuda_batch *batch_at(struct td_cuda_way *w, uint64_t i)
{
	return &w->batch[i % TD_CUDA_MARKS];
}

static void answer_all(struct td_cuda_copier *c, const struct td_cuda_batch *b, int result)
{
	for (unsigned i = 0; i < b->n; i++) {
		td_cuda_answer(c->g, b->slot[i], result);
		td_cuda_done(c->ring);
	}
}

/* The batch that is being filled is the one at begun; full, or nothing more to come: it is marked.
 */
static void close_batch(struct td_cuda_copier *c, struct td_cuda_way *w)
{
	struct td_cuda_batch *b = batch_at(w, w->begun);
	if (!b->n)
		return;
	int rc = td_cuda_device.stream_mark(w->stream);
	if (rc) { /* no mark will say when: its end is waited for */
		int waited = td_cuda_device.stream_wait(w->stream);
		answer_all(c, b, waited);
		b->n = 0;
		return;
	}
	w->begun++;
	td_assert(w->begun - w->ended < TD_CUDA_MARKS);
	batch_at(w, w->begun)->n = 0;
}

static bool has_room(const struct td_cuda_way *w)
{
	return w->begun - w->ended < TD_CUDA_MARKS - 1;
}

static void begin(struct td_cuda_copier *c, const struct td_dev_request *q)
{
	const struct td_dev_control *k = &c->g->control;
	bool out = q->op == TD_DEV_COPY_OUT;
	struct td_cuda_way *w = &c->way[out];
	unsigned char *slot = k->host_memory + ((uint64_t)q->slot << k->page_shift);
	unsigned char *frame = k->near_memory + ((uint64_t)q->frame << k->page_shift);
	struct td_cuda_batch *b = batch_at(w, w->begun);
	int rc = td_cuda_device.stream_copy(w->stream, out ? slot : frame, out ? frame : slot,
					    (uint64_t)1 << k->page_shift);
	if (rc) {
		td_cuda_failed(c->g, rc, q->page, q->op);
		td_cuda_answer(c->g, q->slot, rc);
		td_cuda_done(c->ring);
		return;
	}
	td_assert(b->n < TD_CUDA_BATCH);
	b->slot[b->n++] = q->slot;
	if (b->n == TD_CUDA_BATCH)
		close_batch(c, w);
}

static bool reap(struct td_cuda_copier *c, struct td_cuda_way *w)
{
	uint64_t reached = w->ended;
	if (w->begun == w->ended)
		return false;
	int rc = td_cuda_device.stream_reached(w->stream, &reached);
	if (rc)
		reached = w->begun; /* the GPU is lost: everybody hears of it */
	bool any = reached != w->ended;
	td_assert(w->ended <= reached && reached <= w->begun);
	for (; w->ended < reached; w->ended++)
		answer_all(c, batch_at(w, w->ended), rc);
	return any;
}

/* ---- the thread ---- */

static bool is_copy(const struct td_cuda_copier *c, const struct td_dev_request *q)
{
	return (q->op == TD_DEV_COPY_IN || q->op == TD_DEV_COPY_OUT) &&
	       q->slot < c->g->control.slots && q->frame < c->g->control.frames;
}

static bool serve(struct td_cuda_copier *c)
{
	struct td_dev_request q;
	bool any = false;
	while (has_room(&c->way[0]) && has_room(&c->way[1]) && td_cuda_take(c->ring, &q)) {
		any = true;
		if (is_copy(c, &q))
			begin(c, &q);
		else
			td_cuda_done(c->ring);
	}
	for (unsigned i = 0; i < 2; i++) {
		close_batch(c, &c->way[i]);
		any |= reap(c, &c->way[i]);
	}
	return any;
}

static void *run(void *arg)
{
	struct td_cuda_copier *c = arg;
	bool usable = td_cuda_device.choose(c->g->set.device, NULL) == 0;
	while (td_cuda_await_launch(c->g)) {
		unsigned idle = 0;
		do {
			idle = usable && serve(c) ? 0 : idle + 1;
			if (idle)
				td_cuda_rest(c->g, idle);
		} while (atomic_load(&c->g->running) || atomic_load(&c->ring->open));
	}
	return NULL;
}

int td_cuda_copier_open(struct tide_gpu *g, struct tide_error *err)
{
	struct td_cuda_copier *c = &g->copier;
	int rc = 0;
	c->g = g;
	c->ring = &g->rings[g->set.proxies];
	if (g->set.transfer == TD_DEV_ZERO_COPY || g->set.host_orchestrated)
		return 0;
	for (unsigned i = 0; i < 2 && !rc; i++)
		rc = td_cuda_device.stream_open(&c->way[i].stream, err);
	if (!rc)
		rc = td_cuda_start(&c->thread, "tide-copier", run, c, err);
	c->started = !rc;
	return rc;
}

void td_cuda_copier_close(struct tide_gpu *g)
{
	struct td_cuda_copier *c = &g->copier;
	if (c->started)
		pthread_join(c->thread, NULL);
	for (unsigned i = 0; i < 2; i++) {
		if (c->way[i].stream)
			td_cuda_device.stream_close(c->way[i].stream);
		c->way[i].stream = NULL;
	}
	c->started = false;
}
