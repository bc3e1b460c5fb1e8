/* Writers of traces: the part that all formats share. */
#include "writer.h"

#include <errno.h>
#include <stdlib.h>

#include "tide_marks.h"

int td_trace_create_as(struct td_trace_writer **out, const char *path,
		       const struct td_trace_sink *sink, struct tide_error *err)
{
	struct td_trace_writer *w = calloc(1, sink->writer_bytes);
	int rc;

	*out = NULL;
	if (!w)
		return tide_fail(err, -ENOMEM, "out of memory to write %s", path);
	w->sink = sink;
	rc = td_trace_output_open(&w->out, path, err);
	if (!rc && sink->start)
		rc = sink->start(w, err);
	if (rc) {
		td_trace_abandon(w);
		return rc;
	}
	*out = w;
	return 0;
}

int td_trace_put_mark(struct td_trace_writer *w, const struct tide_mark *mark,
		      struct tide_error *err)
{
	if (!td_trace_mark_is_sane(mark))
		return tide_fail(err, -EINVAL,
				 "a mark of kind %u for %lu pages at page %lu "
				 "cannot be: marks are map, gone, bring and cold, of some pages",
				 mark->kind, (unsigned long)mark->pages, (unsigned long)mark->page);
	return w->sink->mark ? w->sink->mark(w, mark, err) : 0;
}

void td_trace_write_like(struct td_trace_writer *w, const struct td_trace_source *source)
{
	w->groups = source->groups;
	w->sizes = source->sizes;
	w->costs = source->costs;
	w->source = source;
}

bool td_trace_holds_objects(const struct td_trace_writer *w)
{
	const struct td_trace_sink *s = w->sink;

	return (!w->groups || s->holds_groups) && (!w->sizes || s->holds_sizes) &&
	       (!w->costs || s->holds_costs);
}

bool td_trace_holds_marks(const struct td_trace_writer *w)
{
	return w->sink->holds_marks;
}

int td_trace_put(struct td_trace_writer *w, const struct tide_batch *batch, struct tide_error *err)
{
	uint32_t done = 0;
	int rc = 0;

	w->events += batch->n;
	for (uint32_t i = 0; i < batch->marks_n && batch->marks[i].at <= batch->n && !rc; i++) {
		if (batch->marks[i].at > done)
			rc = w->sink->put(w, batch, done, batch->marks[i].at, err);
		done = batch->marks[i].at;
		if (!rc)
			rc = td_trace_put_mark(w, &batch->marks[i], err);
	}
	return rc || done == batch->n ? rc : w->sink->put(w, batch, done, batch->n, err);
}

void td_trace_abandon(struct td_trace_writer *w)
{
	if (!w)
		return;
	if (w->sink->stop)
		w->sink->stop(w);
	td_trace_output_abandon(w->out);
	free(w);
}

int td_trace_finish(struct td_trace_writer *w, struct tide_error *err)
{
	int rc = 0;

	if (!w->events)
		rc = tide_fail(err, -ENODATA,
			       "no accesses to write to %s: give a trace with at "
			       "least one",
			       td_trace_output_name(w->out));
	if (!rc && w->sink->finish)
		rc = w->sink->finish(w, err);
	if (!rc) {
		rc = td_trace_output_finish(w->out, err);
		w->out = NULL;
	}
	td_trace_abandon(w);
	return rc;
}
