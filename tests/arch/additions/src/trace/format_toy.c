/* The format toy: the word TOY, then 8 bytes per page. */
#include <string.h>

#include "bytes.h"
#include "reader.h"
#include "writer.h"

static int start(struct td_trace_reader *r, const struct td_trace_options *options,
		 struct tide_error *err)
{
	unsigned char head[8];
	size_t got;

	(void)options;
	return td_trace_input_take(r->in, head, sizeof head, &got, err);
}

static int restart(struct td_trace_reader *r, struct tide_error *err)
{
	return start(r, NULL, err);
}

static int next(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max,
		struct tide_error *err)
{
	size_t n;
	int rc = td_trace_records(r, 8, &n, err);

	for (; !rc && n && batch->n < max; n--, r->in->at += 8) {
		batch->page[batch->n] = load64(r->in->at);
		batch->write[batch->n++] = 0;
	}
	return rc;
}

static bool looks(const unsigned char *head, size_t n, uint64_t bytes)
{
	(void)bytes;
	return n >= 8 && !memcmp(head, "TOYTOYTO", 8);
}

static int begin(struct td_trace_writer *w, struct tide_error *err)
{
	return td_trace_output_put(w->out, "TOYTOYTO", 8, err);
}

static int put(struct td_trace_writer *w, const struct tide_batch *batch, uint32_t from,
	       uint32_t end, struct tide_error *err)
{
	unsigned char page[8];
	int rc = 0;

	for (uint32_t i = from; i < end && !rc; i++) {
		store64(page, batch->page[i]);
		rc = td_trace_output_put(w->out, page, sizeof page, err);
	}
	return rc;
}

static const struct td_trace_sink sink = {
	.writer_bytes = sizeof(struct td_trace_writer),
	.start = begin,
	.put = put,
};

static const char *const endings[] = {".toy", NULL};

const struct td_trace_format td_trace_format_toy = {
	.name = "toy",
	.listed = 60,
	.tried = 15,
	.endings = endings,
	.reader_bytes = sizeof(struct td_trace_reader),
	.start = start,
	.restart = restart,
	.next = next,
	.looks = looks,
	.sink = &sink,
};
