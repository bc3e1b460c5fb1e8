/* Reads and writes traces one event at a time, over the batches of the trace room. */
#include <errno.h>
#include <stdlib.h>

#include "lib.h"
#include "workload/workload.h"

/* ---- what a cache's input says of an event ---- */

void td_lib_put_object(struct tide_batch_object *object, uint32_t i, const struct tide_event *event)
{
	object->first[i] = event->first != 0;
	object->bytes[i] = event->bytes;
	object->cost[i] = event->cost;
}

static void get_object(const struct tide_batch_object *object, uint32_t i, struct tide_event *event)
{
	event->first = object->first[i];
	event->bytes = object->bytes[i];
	event->cost = object->cost[i];
}

static int make_object(struct tide_batch *batch, struct tide_error *err)
{
	batch->object = calloc(1, sizeof *batch->object);
	return batch->object ? 0 : tide_fail(err, -ENOMEM, "out of memory");
}

void td_lib_batch_free(struct tide_batch *batch)
{
	if (batch)
		free(batch->object);
	free(batch);
}

/* ---- reading ---- */

static const char trace_kind[] = "tide_trace";

struct tide_trace {
	struct td_handle handle;
	struct td_trace_source *source;
	struct tide_batch *batch;
	uint32_t at;
	int failed; /* why no more can be read */
};

int tide_trace_open(struct tide_trace **out, const struct tide_trace_options *options,
		    struct tide_error *err)
{
	struct tide_trace_options own = {0};
	uint64_t seed;
	int rc = td_lib_given(out, "out", err);
	if (!rc)
		rc = TD_LIB_TAKE(&own, options, tide_trace_options, err);
	if (rc)
		return rc;
	struct td_trace_options o = {
		.path = own.path, .format = own.format, .columns = own.columns};
	if (!own.path == !own.workload)
		return tide_fail(err, -EINVAL, "give one of a path and a workload");
	rc = td_lib_page_bytes(own.page, &o.page_bytes, err);
	if (!rc)
		rc = td_lib_seed(own.seed, &seed, err);
	if (rc)
		return rc;
	struct tide_trace *t = calloc(1, sizeof *t);
	if (t)
		t->batch = calloc(1, sizeof *t->batch);
	if (!t || !t->batch) {
		free(t);
		return tide_fail(err, -ENOMEM, "out of memory");
	}
	t->handle.kind = trace_kind;
	if (own.workload)
		rc = td_workload_open(&t->source, own.workload, o.page_bytes, seed, err);
	else
		rc = td_trace_open(&t->source, &o, err);
	if (!rc && (t->source->groups || t->source->sizes || t->source->costs))
		rc = make_object(t->batch, err);
	if (rc)
		tide_trace_close(t);
	else
		*out = t;
	return rc;
}

static int read_batch(struct tide_trace *t, struct tide_error *err)
{
	if (t->failed)
		return tide_fail(err, t->failed, "the trace could not be read further: close it");
	t->at = 0;
	t->failed = td_trace_next(t->source, t->batch, err);
	if (t->failed)
		t->batch->n = 0;
	return t->failed;
}

int tide_trace_next(struct tide_trace *t, struct tide_event *event, struct tide_error *err)
{
	size_t size;
	int rc = td_handle_check(t, trace_kind, err);
	if (!rc)
		rc = td_lib_size(event, "tide_event", &size, err);
	if (!rc && t->at == t->batch->n)
		rc = read_batch(t, err);
	if (rc || !t->batch->n)
		return rc;
	uint32_t i = t->at++;
	struct tide_event own = {.page = t->batch->page[i],
				 .ref = t->batch->ref[i],
				 .stream = t->batch->stream[i],
				 .write = t->batch->write[i]};
	if (t->batch->object)
		get_object(t->batch->object, i, &own);
	rc = TD_LIB_GIVE(event, &own, tide_event, err);
	return rc ? rc : 1;
}

/* What is left of the present batch, or the next one. */
int tide_trace_next_batch(struct tide_trace *t, struct tide_accesses *accesses,
			  struct tide_error *err)
{
	size_t size;
	int rc = td_handle_check(t, trace_kind, err);
	if (!rc)
		rc = td_lib_size(accesses, "tide_accesses", &size, err);
	if (!rc && t->at == t->batch->n)
		rc = read_batch(t, err);
	if (rc || !t->batch->n)
		return rc;
	const struct tide_batch *b = t->batch;
	const struct tide_batch_object *object = b->object;
	struct tide_accesses own = {.n = b->n - t->at,
				    .page = b->page + t->at,
				    .ref = b->ref + t->at,
				    .stream = b->stream + t->at,
				    .write = b->write + t->at,
				    .first = object ? object->first + t->at : NULL,
				    .bytes = object ? object->bytes + t->at : NULL,
				    .cost = object ? object->cost + t->at : NULL};
	t->at = b->n;
	rc = TD_LIB_GIVE(accesses, &own, tide_accesses, err);
	return rc ? rc : 1;
}

int tide_trace_close(struct tide_trace *t)
{
	int rc = t ? td_handle_check(t, trace_kind, NULL) : 0;
	if (!t || rc)
		return rc;
	t->handle.kind = NULL;
	td_trace_close(t->source);
	td_lib_batch_free(t->batch);
	free(t);
	return 0;
}

/* ---- writing ---- */

static const char writer_kind[] = "tide_trace_writer";

struct tide_trace_writer {
	struct td_handle handle;
	struct td_trace_writer *writer;
	struct tide_batch *batch;
	bool begun; /* a batch was written */
	int failed; /* of a put */
};

static int discard(struct tide_trace_writer *w, int rc)
{
	if (w) {
		w->handle.kind = NULL;
		td_lib_batch_free(w->batch);
	}
	free(w);
	return rc;
}

int tide_trace_create(struct tide_trace_writer **out, const char *path, const char *format,
		      struct tide_error *err)
{
	int rc = td_lib_given(out, "out", err);
	if (!rc)
		rc = td_lib_given(path, "path", err);
	if (rc)
		return rc;
	struct tide_trace_writer *w = calloc(1, sizeof *w);
	if (w)
		w->batch = calloc(1, sizeof *w->batch);
	if (!w || !w->batch)
		return discard(w, tide_fail(err, -ENOMEM, "out of memory"));
	rc = td_trace_create(&w->writer, path, format, err);
	if (rc)
		return discard(w, rc);
	w->handle.kind = writer_kind;
	*out = w;
	return 0;
}

/* The first batch says whether the trace has groups, sizes and costs. */
static void begin(struct tide_trace_writer *w)
{
	static const struct td_trace_source source = {.groups = true, .sizes = true, .costs = true};
	if (!w->begun && w->batch->object)
		td_trace_write_like(w->writer, &source);
	w->begun = true;
}

static int flush(struct tide_trace_writer *w, struct tide_error *err)
{
	if (w->failed)
		return tide_fail(err, w->failed, "the trace could not be written: abandon it");
	if (w->batch->n) {
		begin(w);
		w->failed = td_trace_put(w->writer, w->batch, err);
	}
	w->batch->n = 0;
	return w->failed;
}

/* Traces without groups, sizes and costs need no room for them. */
static int need_object(struct tide_trace_writer *w, struct tide_error *err)
{
	if (w->batch->object)
		return 0;
	if (!w->begun)
		return make_object(w->batch, err);
	return tide_fail(err, -EINVAL,
			 "the trace began without groups, sizes and costs: give them within the "
			 "first %d events",
			 TIDE_BATCH);
}

int tide_trace_put(struct tide_trace_writer *w, const struct tide_event *event,
		   struct tide_error *err)
{
	struct tide_event own = {0};
	int rc = td_handle_check(w, writer_kind, err);
	if (!rc)
		rc = TD_LIB_TAKE(&own, event, tide_event, err);
	if (!rc && w->failed)
		rc = flush(w, err);
	if (!rc && (own.first || own.bytes || own.cost))
		rc = need_object(w, err);
	if (rc)
		return rc;
	uint32_t i = w->batch->n++;
	w->batch->page[i] = own.page;
	w->batch->ref[i] = own.ref;
	w->batch->stream[i] = own.stream;
	w->batch->write[i] = own.write;
	if (w->batch->object)
		td_lib_put_object(w->batch->object, i, &own);
	return w->batch->n == TIDE_BATCH ? flush(w, err) : 0;
}

/* Goes on with a batch of the writer's own, after what single puts left. */
int tide_trace_put_batch(struct tide_trace_writer *w, const struct tide_accesses *accesses,
			 struct tide_error *err)
{
	struct tide_accesses own;
	int rc = td_handle_check(w, writer_kind, err);
	if (!rc)
		rc = td_lib_take_accesses(&own, accesses, err);
	if (!rc && (own.first || own.bytes || own.cost))
		rc = need_object(w, err);
	if (!rc && (w->failed || (w->batch->n && own.n)))
		rc = flush(w, err);
	for (uint64_t at = 0; !rc && at < own.n; at += TIDE_BATCH) {
		td_lib_arrays_fill(&own, at, TIDE_BATCH, w->batch);
		rc = flush(w, err);
	}
	return rc;
}

int tide_trace_finish(struct tide_trace_writer *w, struct tide_error *err)
{
	int rc = td_handle_check(w, writer_kind, err);
	if (rc)
		return rc;
	rc = flush(w, err);
	if (rc)
		td_trace_abandon(w->writer);
	else
		rc = td_trace_finish(w->writer, err);
	return discard(w, rc);
}

int tide_trace_abandon(struct tide_trace_writer *w)
{
	int rc = w ? td_handle_check(w, writer_kind, NULL) : 0;
	if (!w || rc)
		return rc;
	td_trace_abandon(w->writer);
	return discard(w, 0);
}
