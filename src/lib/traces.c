/* Traces one event at a time, over the batches of the trace room. */
#include <errno.h>
#include <stdlib.h>

#include "lib.h"
#include "workload/workload.h"

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
	int rc = td_handle_check(t, trace_kind, err);
	if (!rc)
		rc = td_lib_given(event, "event", err);
	if (!rc && t->at == t->batch->n)
		rc = read_batch(t, err);
	if (rc || !t->batch->n)
		return rc;
	uint32_t i = t->at++;
	*event = (struct tide_event){t->batch->page[i], t->batch->ref[i], t->batch->stream[i],
				     t->batch->write[i]};
	return 1;
}

int tide_trace_close(struct tide_trace *t)
{
	int rc = t ? td_handle_check(t, trace_kind, NULL) : 0;
	if (!t || rc)
		return rc;
	t->handle.kind = NULL;
	td_trace_close(t->source);
	free(t->batch);
	free(t);
	return 0;
}

/* ---- writing ---- */

static const char writer_kind[] = "tide_trace_writer";

struct tide_trace_writer {
	struct td_handle handle;
	struct td_trace_writer *writer;
	struct tide_batch *batch;
	int failed; /* of a put */
};

static int discard(struct tide_trace_writer *w, int rc)
{
	if (w) {
		w->handle.kind = NULL;
		free(w->batch);
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

static int flush(struct tide_trace_writer *w, struct tide_error *err)
{
	if (w->failed)
		return tide_fail(err, w->failed, "the trace could not be written: abandon it");
	if (w->batch->n)
		w->failed = td_trace_put(w->writer, w->batch, err);
	w->batch->n = 0;
	return w->failed;
}

int tide_trace_put(struct tide_trace_writer *w, const struct tide_event *event,
		   struct tide_error *err)
{
	int rc = td_handle_check(w, writer_kind, err);
	if (!rc)
		rc = td_lib_given(event, "event", err);
	if (!rc && w->failed)
		rc = flush(w, err);
	if (rc)
		return rc;
	uint32_t i = w->batch->n++;
	w->batch->page[i] = event->page;
	w->batch->ref[i] = event->ref;
	w->batch->stream[i] = event->stream;
	w->batch->write[i] = event->write;
	return w->batch->n == TIDE_BATCH ? flush(w, err) : 0;
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
