/* How far the program's streams have come: an event after each piece of work that names memory,
 * while work is followed. An event of the ring that is recorded again stands for later work, so
 * that waiting for it takes too long, but is not wrong. */
#include <stdlib.h>
#include <unistd.h>

#include "inside.h"

/* The default stream of a thread is another one in each thread. */
static uint64_t key_of(cu_stream stream)
{
	uint64_t key = (uint64_t)(uintptr_t)stream;
	return key == CU_STREAM_PER_THREAD ? (uint64_t)gettid() << 3 | 7 : key;
}

static uint32_t add(struct td_vmm *v, uint64_t key, cu_stream stream)
{
	uint32_t i = v->streams_n;
	if (i == v->streams_room)
		return TD_VMM_NONE;
	v->streams_n++;
	v->stream[i] = (struct td_vmm_stream){.key = key, .handle = stream};
	return i;
}

uint32_t td_vmm_stream_of(struct td_vmm *v, cu_stream stream)
{
	uint64_t key = key_of(stream);
	uint32_t free = TD_VMM_NONE;
	for (uint32_t i = 0; i < v->streams_n; i++) {
		struct td_vmm_stream *s = &v->stream[i];
		if (s->key == key && !s->gone)
			return i;
		if (s->gone && s->done == s->recorded)
			free = i;
	}
	if (free == TD_VMM_NONE)
		return add(v, key, stream);
	v->stream[free].key = key;
	v->stream[free].handle = stream;
	v->stream[free].gone = false;
	return free;
}

uint64_t td_vmm_record(struct td_vmm *v, struct td_vmm_stream *s)
{
	uint64_t n = s->recorded + 1;
	cu_event *e = &s->ring[n % TD_VMM_RING];
	if (!*e && v->cuda->cuEventCreate(e, CU_EVENT_DISABLE_TIMING)) {
		*e = NULL;
		return 0;
	}
	if (v->cuda->cuEventRecord(*e, s->handle))
		return 0;
	s->recorded = n;
	return n;
}

/* Tried twice: after that nobody knows what is under way, and nothing moves any more. While a graph is
 * captured, the driver refuses for now. */
cu_result td_vmm_wait_everything(struct td_vmm *v)
{
	struct td_vmm_inside was = td_vmm_step_in(v);
	cu_result rc = v->cuda->cuCtxSynchronize();
	if (rc)
		rc = v->cuda->cuCtxSynchronize();
	if (rc && rc != CU_STREAM_CAPTURE_UNSUPPORTED)
		v->broken = rc;
	td_vmm_step_out(v, was);
	return rc;
}

cu_result td_vmm_wait(struct td_vmm *v, struct td_vmm_stream *s, uint64_t event)
{
	uint64_t done = s->done;
	if (event <= done || v->broken)
		return v->broken;
	cu_result rc = v->cuda->cuEventSynchronize(s->ring[event % TD_VMM_RING]);
	if (rc && (rc = td_vmm_wait_everything(v)))
		return rc;
	while (done < event && !atomic_compare_exchange_weak(&s->done, &done, event))
		;
	return CU_OK;
}

bool td_vmm_is_past(struct td_vmm *v, const struct td_vmm_stream *s, uint64_t event)
{
	return event <= s->done || v->cuda->cuEventQuery(s->ring[event % TD_VMM_RING]) == CU_OK;
}

void td_vmm_note_use(struct td_vmm *v, struct td_vmm_chunk *c, struct td_vmm_use use)
{
	for (uint32_t i = 0; i < c->uses_n; i++) {
		struct td_vmm_use *u = &c->uses[i];
		if (u->stream != TD_VMM_NONE &&
		    (u->stream == use.stream || u->event <= v->stream[u->stream].done)) {
			*u = use;
			return;
		}
	}
	if (c->uses_n < TD_VMM_USES) {
		c->uses[c->uses_n++] = use;
		return;
	}
	/* More streams than there is room for: their work since then counts, too. */
	c->uses[0] = (struct td_vmm_use){TD_VMM_NONE, 0};
	c->uses[1] = use;
	c->uses_n = 2;
}

/* The first n streams; later ones come with work that waits for the chunk. */
static void wait_all(struct td_vmm *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		td_vmm_wait(v, &v->stream[i], v->stream[i].recorded);
}

bool td_vmm_is_used(struct td_vmm *v, uint32_t chunk)
{
	const struct td_vmm_chunk *c = &v->chunk[chunk];
	for (uint32_t i = 0; i < c->uses_n; i++) {
		const struct td_vmm_use *u = &c->uses[i];
		if (u->stream == TD_VMM_NONE || !td_vmm_is_past(v, &v->stream[u->stream], u->event))
			return true;
	}
	return !td_vmm_is_past(v, &v->in, c->arrival);
}

cu_result td_vmm_wait_uses(struct td_vmm *v, uint32_t chunk)
{
	struct td_vmm_use uses[TD_VMM_USES];
	struct td_vmm_chunk *c = &v->chunk[chunk];
	pthread_mutex_lock(&v->lock);
	uint32_t n = c->uses_n, streams_n = v->streams_n;
	for (uint32_t i = 0; i < n; i++)
		uses[i] = c->uses[i];
	c->uses_n = 0;
	pthread_mutex_unlock(&v->lock);
	for (uint32_t i = 0; i < n; i++) {
		if (uses[i].stream == TD_VMM_NONE)
			wait_all(v, streams_n);
		else
			td_vmm_wait(v, &v->stream[uses[i].stream], uses[i].event);
	}
	return v->broken;
}

void td_vmm_forget_stream(struct td_vmm *v, cu_stream stream)
{
	uint64_t key = key_of(stream);
	pthread_mutex_lock(&v->lock);
	for (uint32_t i = 0; i < v->streams_n; i++)
		v->stream[i].gone |= v->stream[i].key == key;
	pthread_mutex_unlock(&v->lock);
}
