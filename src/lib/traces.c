/* Traces one event at a time, over the batches of the trace room. */
#include <errno.h>
#include <stdlib.h>

#include "lib.h"
#include "workload/workload.h"

struct tide_trace {
	struct td_trace_source *source;
	uint32_t at;
	struct tide_batch batch;
};

int tide_trace_open(struct tide_trace **out, const struct tide_trace_options *options,
		    struct tide_error *err)
{
	struct tide_trace_options own = {0};
	uint64_t seed;
	int rc = TD_LIB_TAKE(&own, options, tide_trace_options, err);
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
	if (!t)
		return tide_fail(err, -ENOMEM, "out of memory");
	if (own.workload)
		rc = td_workload_open(&t->source, own.workload, o.page_bytes, seed, err);
	else
		rc = td_trace_open(&t->source, &o, err);
	if (rc)
		free(t);
	else
		*out = t;
	return rc;
}

int tide_trace_next(struct tide_trace *t, struct tide_event *event, struct tide_error *err)
{
	if (t->at == t->batch.n) {
		int rc = td_trace_next(t->source, &t->batch, err);
		if (rc)
			return rc;
		t->at = 0;
		if (!t->batch.n)
			return 0;
	}
	uint32_t i = t->at++;
	*event = (struct tide_event){t->batch.page[i], t->batch.ref[i], t->batch.stream[i],
				     t->batch.write[i]};
	return 1;
}

void tide_trace_close(struct tide_trace *t)
{
	if (t)
		td_trace_close(t->source);
	free(t);
}

struct tide_trace_writer {
	struct td_trace_writer *writer;
	struct tide_batch batch;
};

int tide_trace_create(struct tide_trace_writer **out, const char *path, const char *format,
		      struct tide_error *err)
{
	struct tide_trace_writer *w = calloc(1, sizeof *w);
	if (!w)
		return tide_fail(err, -ENOMEM, "out of memory");
	int rc = td_trace_create(&w->writer, path, format, err);
	if (rc)
		free(w);
	else
		*out = w;
	return rc;
}

static int flush(struct tide_trace_writer *w, struct tide_error *err)
{
	int rc = w->batch.n ? td_trace_put(w->writer, &w->batch, err) : 0;
	w->batch.n = 0;
	return rc;
}

int tide_trace_put(struct tide_trace_writer *w, const struct tide_event *event,
		   struct tide_error *err)
{
	uint32_t i = w->batch.n++;
	w->batch.page[i] = event->page;
	w->batch.ref[i] = event->ref;
	w->batch.stream[i] = event->stream;
	w->batch.write[i] = event->write;
	return w->batch.n == TIDE_BATCH ? flush(w, err) : 0;
}

int tide_trace_finish(struct tide_trace_writer *w, struct tide_error *err)
{
	int rc = flush(w, err);
	if (rc)
		td_trace_abandon(w->writer);
	else
		rc = td_trace_finish(w->writer, err);
	free(w);
	return rc;
}

void tide_trace_abandon(struct tide_trace_writer *w)
{
	if (w)
		td_trace_abandon(w->writer);
	free(w);
}
