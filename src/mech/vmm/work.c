/* The program's work, on its way to the driver. While all memory fits on the card, only the gate is
 * passed. After that every piece of work says what it names, and is followed by an event of its
 * stream.
 *
 * With trust, work waits until what it names is calm, and goes; later decisions wait for its event.
 * Without, chunks move only while no work is under way: work that needs another chunk closes the
 * gate, waits for the GPU, has all decisions carried out, goes, and opens the gate. */
#include <stdlib.h>

#include "core/clock.h"
#include "inside.h"

/* ---- following work ---- */

/* From here on, all that was allocated so far may have been written to. */
static void follow(struct td_vmm *v)
{
	pthread_mutex_lock(&v->lock);
	for (uint32_t i = 0; i < v->chunks_n; i++) {
		v->chunk[i].blank = false;
		v->chunk[i].used = true;
	}
	v->pressed = true;
	pthread_mutex_unlock(&v->lock);
}

bool td_vmm_press(struct td_vmm *v)
{
	if (v->pressed)
		return true;
	pthread_rwlock_wrlock(&v->gate);
	struct td_vmm_inside was = td_vmm_step_in(v);
	bool waited = v->pressed || v->cuda->cuCtxSynchronize() == CU_OK;
	td_vmm_step_out(v, was);
	if (waited && !v->pressed)
		follow(v);
	v->press_soon = !waited;
	pthread_rwlock_unlock(&v->gate);
	return waited;
}

bool td_vmm_begin(struct td_vmm *v)
{
	if (v->press_soon)
		td_vmm_press(v);
	pthread_rwlock_rdlock(&v->gate);
	return !v->pressed;
}

void td_vmm_end(struct td_vmm *v)
{
	pthread_rwlock_unlock(&v->gate);
}

/* ---- what it names ---- */

static void add_chunks(struct td_vmm *v, struct td_vmm_work *w, uint32_t from, uint32_t end)
{
	for (uint32_t i = from; i < end; i++) {
		const struct td_vmm_chunk *c = &v->chunk[i];
		if (c->allocation == TD_VMM_NONE || v->allocation[c->allocation].dying ||
		    c->seen == v->serial)
			continue;
		v->chunk[i].seen = v->serial;
		w->chunks[w->chunks_n++] = i;
	}
}

static void add_name(struct td_vmm *v, struct td_vmm_work *w, const struct td_vmm_name *n)
{
	if (!td_vmm_in(&v->arena, n->address))
		return;
	uint32_t at = (uint32_t)((n->address - v->arena.base) / v->chunk_bytes);
	if (at >= v->chunks_n || v->chunk[at].allocation == TD_VMM_NONE)
		return;
	uint32_t first = v->chunk[at].allocation, end = first + v->allocation[first].chunks;
	if (!n->bytes) {
		add_chunks(v, w, first, end);
		return;
	}
	uint64_t last = (n->address + n->bytes - 1 - v->arena.base) / v->chunk_bytes;
	add_chunks(v, w, at, last < end ? (uint32_t)last + 1 : end);
}

/* Room for as many chunks as there are, kept by the thread. */
static uint32_t *room_for(uint32_t n)
{
	static __thread uint32_t *room;
	static __thread uint32_t room_n;
	if (n > room_n) {
		uint32_t *at = realloc(room, (n + 256) * sizeof *at);
		if (!at)
			return NULL;
		room = at;
		room_n = n + 256;
	}
	return room;
}

static void find_chunks(struct td_vmm *v, struct td_vmm_work *w)
{
	v->serial++;
	w->chunks_n = w->held_n = 0;
	w->chunks = room_for(v->chunks_n);
	if (!w->chunks)
		abort(); /* what the work touches would move under it */
	if (w->everything) {
		add_chunks(v, w, 0, v->chunks_n);
		w->named_n = w->chunks_n;
		return;
	}
	for (uint32_t i = 0; i < w->n; i++)
		add_name(v, w, &w->names[i]);
	w->named_n = w->chunks_n;
	if (w->strays && v->trust == TD_VMM_TRUST_ARGS)
		add_chunks(v, w, 0, v->chunks_n);
}

/* What work does to a chunk, where it is now. */
static void mark(struct td_vmm *v, const struct td_vmm_work *w)
{
	for (uint32_t i = 0; i < w->chunks_n; i++) {
		struct td_vmm_chunk *c = &v->chunk[w->chunks[i]];
		c->blank = false;
		c->used = true;
		if (c->place == TD_VMM_ON_HOST)
			c->hashed = false;
	}
}

/* ---- with trust ---- */

static bool is_calm(const struct td_vmm *v, const struct td_vmm_work *w)
{
	for (uint32_t i = 0; i < w->chunks_n; i++) {
		if (v->chunk[w->chunks[i]].jobs)
			return false;
	}
	return true;
}

static void wait_calm(struct td_vmm *v, struct td_vmm_work *w)
{
	if (is_calm(v, w))
		return;
	uint64_t since = td_clock_ns();
	do
		pthread_cond_wait(&v->calm, &v->lock);
	while (!is_calm(v, w));
	w->waited_ns += td_clock_ns() - since;
}

/* Chunks that are still being filled: the stream waits for the copies, not the thread. */
static void wait_arrivals(struct td_vmm *v, struct td_vmm_work *w)
{
	uint64_t last = 0;
	for (uint32_t i = 0; i < w->chunks_n; i++) {
		const struct td_vmm_chunk *c = &v->chunk[w->chunks[i]];
		last = c->arrival > last ? c->arrival : last;
	}
	if (last > v->in.done &&
	    v->cuda->cuStreamWaitEvent(w->stream, v->in.ring[last % TD_VMM_RING], 0))
		td_vmm_wait(v, &v->in, last);
}

static cu_result enter_trusted(struct td_vmm *v, struct td_vmm_work *w)
{
	for (uint32_t i = w->held_n; i < w->chunks_n; i++)
		v->chunk[w->chunks[i]].waits++;
	wait_calm(v, w);
	for (uint32_t i = w->held_n; i < w->chunks_n; i++) {
		v->chunk[w->chunks[i]].waits--;
		v->chunk[w->chunks[i]].guards++;
	}
	wait_arrivals(v, w);
	return td_vmm_lead_all(v, w->chunks, w->chunks_n) ? CU_OK : v->lost;
}

/* ---- without ---- */

/* The gate is closed when this returns, and no work is under way. False: some may be. */
static bool close_gate(struct td_vmm *v)
{
	pthread_mutex_unlock(&v->lock);
	pthread_rwlock_unlock(&v->gate);
	pthread_rwlock_wrlock(&v->gate);
	struct td_vmm_inside was = td_vmm_step_in(v);
	bool waited = v->cuda->cuCtxSynchronize() == CU_OK;
	td_vmm_step_out(v, was);
	pthread_mutex_lock(&v->lock);
	v->figures.failures += !waited;
	return waited;
}

static void wait_copies(struct td_vmm *v)
{
	struct td_vmm_inside was = td_vmm_step_in(v);
	td_vmm_wait(v, &v->in, v->in.recorded);
	td_vmm_step_out(v, was);
}

static void enter_closed(struct td_vmm *v, struct td_vmm_work *w)
{
	uint64_t since = td_clock_ns();
	bool closed = close_gate(v);
	find_chunks(v, w); /* others may have freed and taken memory meanwhile */
	if (closed) {
		w->remote = !td_vmm_access(v, w);
		td_vmm_carry_out_all(v);
		wait_copies(v);
	}
	w->waited_ns += td_clock_ns() - since;
}

/* ---- all work ---- */

static cu_result enter_locked(struct td_vmm *v, struct td_vmm_work *w)
{
	bool trusted = v->trust == TD_VMM_TRUST_ARGS;
	find_chunks(v, w);
	if (w->kind == TD_VMM_LAUNCH && !trusted && !td_vmm_is_ready(v, w))
		enter_closed(v, w);
	else if (w->kind == TD_VMM_LAUNCH)
		w->remote = !td_vmm_access(v, w);
	if (w->kind == TD_VMM_LAUNCH)
		td_vmm_count_launch(v);
	if (!trusted)
		td_vmm_find_lost(v);
	cu_result rc = trusted ? enter_trusted(v, w) : v->lost;
	mark(v, w);
	return v->broken ? v->broken : rc;
}

/* Work that is captured goes to the GPU when its graph is launched. Where another stream is being
 * captured, the default one cannot be asked, and must be left alone. */
static bool is_captured(struct td_vmm *v, const struct td_vmm_work *w)
{
	int capturing = 0;
	cu_result rc = v->cuda->cuStreamIsCapturing(w->stream, &capturing);
	return rc ? rc == CU_STREAM_CAPTURE_IMPLICIT : capturing;
}

cu_result td_vmm_enter(struct td_vmm *v, struct td_vmm_work *w)
{
	w->waited_ns = 0;
	w->remote = false;
	w->entered = !is_captured(v, w);
	if (!w->entered)
		return CU_OK;
	pthread_mutex_lock(&v->lock);
	cu_result rc = enter_locked(v, w);
	pthread_mutex_unlock(&v->lock);
	return rc;
}

/* Whoever moves a chunk that was named waits for this event. */
static struct td_vmm_use follow_up(struct td_vmm *v, const struct td_vmm_work *w)
{
	struct td_vmm_use use = {TD_VMM_NONE, 0};
	use.stream = td_vmm_stream_of(v, w->stream);
	if (use.stream != TD_VMM_NONE)
		use.event = td_vmm_record(v, &v->stream[use.stream]);
	if (!use.event && v->cuda->cuStreamSynchronize(w->stream))
		td_vmm_wait_everything(v);
	return use;
}

void td_vmm_leave(struct td_vmm *v, struct td_vmm_work *w)
{
	bool trusted = v->trust == TD_VMM_TRUST_ARGS;
	if (!w->entered)
		return;
	pthread_mutex_lock(&v->lock);
	struct td_vmm_use use = {TD_VMM_NONE, 0};
	if (trusted && w->chunks_n)
		use = follow_up(v, w);
	for (uint32_t i = 0; i < w->chunks_n; i++) {
		struct td_vmm_chunk *c = &v->chunk[w->chunks[i]];
		if (use.event)
			td_vmm_note_use(v, c, use);
		if (i < w->held_n)
			td_vmm_release(v, w->chunks[i]);
		else if (trusted)
			c->guards--;
	}
	if (trusted && v->jobs_n && w->held_n < w->chunks_n)
		pthread_cond_broadcast(&v->work);
	if (v->ending)
		pthread_cond_broadcast(&v->calm);
	if (w->waited_ns) {
		v->figures.waited_launches++;
		v->figures.waited_ns += w->waited_ns;
	}
	v->figures.remote_launches += w->remote;
	v->figures.launches += w->kind == TD_VMM_LAUNCH;
	pthread_mutex_unlock(&v->lock);
}
