/* Captures: a stream's works become nodes of a graph, and events carry a capture to other streams.
 */
#include "fake.h"

enum { GLOBAL, THREAD_LOCAL };

static uint64_t captures; /* so far; each has its number */

/* ---- with the lock held ---- */

static bool has(const cu_node *nodes, size_t n, cu_node node)
{
	for (size_t i = 0; i < n; i++)
		if (nodes[i] == node)
			return true;
	return false;
}

static void add_tips(cu_stream s, const cu_node *tips, size_t n)
{
	cu_node *all = fake_allocate((s->tips_n + n) * sizeof *all);
	if (s->tips_n)
		memcpy(all, s->tips, s->tips_n * sizeof *all);
	size_t count = s->tips_n;
	for (size_t i = 0; i < n; i++)
		if (!has(all, count, tips[i]))
			all[count++] = tips[i];
	free(s->tips);
	s->tips = all;
	s->tips_n = count;
}

static void leave(cu_stream s)
{
	s->capture = NULL;
	free(s->tips);
	s->tips = NULL;
	s->tips_n = 0;
}

cu_result fake_capture_work(cu_stream s, struct work *w)
{
	if (s->capture->bad)
		return FAKE_CAPTURE_INVALIDATED;
	if (w->kind >= WORK_FREE || w->staged)
		return CU_NOT_SUPPORTED;
	cu_node node = fake_node_add(s->capture->graph, w, s->tips, s->tips_n);
	free(s->tips);
	s->tips = fake_allocate(sizeof node);
	s->tips[0] = node;
	s->tips_n = 1;
	return CU_OK;
}

/* The default stream would have to wait for what is being captured. */
cu_result fake_capture_refuses(cu_stream s)
{
	if (!s->legacy)
		return CU_OK;
	cu_result result = CU_OK;
	for (cu_stream o = fake_streams; o; o = o->next)
		if (o->capture && o->context == s->context &&
		    !(o->flags & CU_STREAM_NON_BLOCKING)) {
			o->capture->bad = true;
			result = FAKE_CAPTURE_IMPLICIT;
		}
	return result;
}

static struct capture *capture_of(uint64_t id)
{
	for (cu_stream s = fake_streams; s; s = s->next)
		if (s->capture && s->capture->id == id)
			return s->capture;
	return NULL;
}

void fake_capture_event(cu_stream s, cu_event event)
{
	event->capture = s->capture->id;
	event->tips_n = s->tips_n;
	event->tips = fake_allocate(s->tips_n * sizeof *event->tips);
	if (s->tips_n)
		memcpy(event->tips, s->tips, s->tips_n * sizeof *event->tips);
}

cu_result fake_capture_wait(cu_stream s, cu_event event, bool *done)
{
	*done = s->capture || event->capture;
	if (!*done)
		return CU_OK;
	if (s->capture && s->capture->bad)
		return FAKE_CAPTURE_INVALIDATED;
	struct capture *c = event->capture ? capture_of(event->capture) : NULL;
	if (!c && event->capture)
		return FAKE_CAPTURED_EVENT;
	if (!c || (s->capture && s->capture != c)) {
		if (s->capture)
			s->capture->bad = true;
		return FAKE_CAPTURE_ISOLATION;
	}
	if (s->legacy)
		return FAKE_CAPTURE_IMPLICIT;
	s->capture = c;
	add_tips(s, event->tips, event->tips_n);
	return CU_OK;
}

/* ---- without it ---- */

static bool forbids(const struct capture *c)
{
	bool mine = c->thread == fake_thread();
	switch (*fake_capture_mode()) {
	case GLOBAL: return mine ? c->mode != CU_CAPTURE_MODE_RELAXED : c->mode == GLOBAL;
	case THREAD_LOCAL: return mine && c->mode != CU_CAPTURE_MODE_RELAXED;
	default: return false;
	}
}

cu_result fake_unsafe(void)
{
	cu_result result = CU_OK;
	pthread_mutex_lock(&fake_lock);
	for (cu_stream s = fake_streams; s; s = s->next)
		if (s->capture && forbids(s->capture)) {
			s->capture->bad = true;
			result = CU_STREAM_CAPTURE_UNSUPPORTED;
		}
	pthread_mutex_unlock(&fake_lock);
	return result;
}

static cu_graph empty_graph(void)
{
	cu_graph g = fake_make(MADE_GRAPH, sizeof *g);
	g->refs = 1;
	return g;
}

static cu_result begin(cu_stream s, int mode)
{
	if (!s)
		return CU_INVALID_HANDLE;
	if (mode < 0 || mode > CU_CAPTURE_MODE_RELAXED)
		return CU_INVALID_VALUE;
	pthread_mutex_lock(&fake_lock);
	bool fine = !s->legacy && !s->capture;
	if (fine) {
		struct capture *c = fake_allocate(sizeof *c);
		*c = (struct capture){.id = ++captures,
				      .origin = s,
				      .graph = empty_graph(),
				      .mode = mode,
				      .thread = fake_thread()};
		s->capture = c;
	}
	pthread_mutex_unlock(&fake_lock);
	return fine ? CU_OK : CU_STREAM_CAPTURE_UNSUPPORTED;
}

/* Whether all that was captured comes before what `s` would do next. */
static bool joined(cu_stream s)
{
	cu_graph g = s->capture->graph;
	bool all = true;
	for (size_t i = 0; i < g->n && all; i++) {
		bool followed = has(s->tips, s->tips_n, g->nodes[i]);
		for (size_t k = i + 1; k < g->n && !followed; k++)
			followed = has(g->nodes[k]->before, g->nodes[k]->before_n, g->nodes[i]);
		all = followed;
	}
	return all;
}

static cu_result finish(cu_stream s, cu_graph *graph)
{
	struct capture *c = s->capture;
	if (!c)
		return CU_INVALID_VALUE;
	if (c->origin != s)
		return FAKE_CAPTURE_UNMATCHED;
	if (c->mode != CU_CAPTURE_MODE_RELAXED && c->thread != fake_thread())
		return 908;
	cu_result result = c->bad      ? FAKE_CAPTURE_INVALIDATED
			   : joined(s) ? CU_OK
				       : FAKE_CAPTURE_UNJOINED;
	*graph = result ? NULL : c->graph;
	for (cu_stream o = fake_streams; o; o = o->next)
		if (o->capture == c)
			leave(o);
	return result;
}

static cu_result end(cu_stream s, cu_graph *graph)
{
	if (!s)
		return CU_INVALID_HANDLE;
	pthread_mutex_lock(&fake_lock);
	struct capture *c = s->capture;
	cu_result result = finish(s, graph);
	bool over = c && !s->capture;
	pthread_mutex_unlock(&fake_lock);
	if (over && result)
		fake_graph_drop(c->graph);
	if (over)
		free(c);
	return result;
}

BOTH_SZ(cuStreamBeginCapture_v2, (cu_stream stream, int mode),
	begin(fake_stream(stream, per_thread), mode))
BOTH_SZ(cuStreamEndCapture, (cu_stream stream, cu_graph *graph),
	end(fake_stream(stream, per_thread), graph))

/* Of the default stream it is an error while a stream that it would wait for captures. */
static cu_result info(cu_stream s, int *status, uint64_t *id, cu_graph *graph,
		      const cu_node **before, size_t *n)
{
	if (!s)
		return fake_context() ? CU_INVALID_HANDLE : CU_INVALID_CONTEXT;
	pthread_mutex_lock(&fake_lock);
	const struct capture *c = s->capture;
	*status = !c ? 0 : c->bad ? 2 : 1;
	if (id)
		*id = c ? c->id : 0;
	if (graph)
		*graph = c ? c->graph : NULL;
	if (before)
		*before = c ? s->tips : NULL;
	if (n)
		*n = c ? s->tips_n : 0;
	pthread_mutex_unlock(&fake_lock);
	return CU_OK;
}

BOTH_SZ(cuStreamIsCapturing, (cu_stream stream, int *capturing),
	info(fake_stream(stream, per_thread), capturing, NULL, NULL, NULL, NULL))
BOTH_SZ(cuStreamGetCaptureInfo_v2,
	(cu_stream stream, int *status, uint64_t *id, cu_graph *graph, const cu_node **before,
	 size_t *n),
	info(fake_stream(stream, per_thread), status, id, graph, before, n))
BOTH_SZ(cuStreamGetCaptureInfo_v3,
	(cu_stream stream, int *status, uint64_t *id, cu_graph *graph, const cu_node **before,
	 const void **edges, size_t *n),
	(edges ? (void)(*edges = NULL) : (void)0,
	 info(fake_stream(stream, per_thread), status, id, graph, before, n)))

EXPORT cu_result cuThreadExchangeStreamCaptureMode(int *mode)
{
	ENTER(cuThreadExchangeStreamCaptureMode);
	if (*mode < 0 || *mode > CU_CAPTURE_MODE_RELAXED)
		return CU_INVALID_VALUE;
	int old = *fake_capture_mode();
	*fake_capture_mode() = *mode;
	*mode = old;
	return CU_OK;
}
