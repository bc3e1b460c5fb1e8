/* Feeds bytes to a trace reader: from a file, where it also seeks and rewinds, and from a pipe.
 * Only what the sanitizers and these checks find is wrong; any error of the reader is right. */
#ifndef FUZZ_TRACE_H
#define FUZZ_TRACE_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/reader.h"

#define MOST_BATCHES 40 /* a few bytes can mean very many accesses */
#define PIPE_BYTES 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void drain(struct td_trace_source *s, struct tide_batch *batch)
{
	struct tide_error err = {0};

	for (int i = 0; i < MOST_BATCHES; i++) {
		int rc = td_trace_next_marked(s, batch, &err);

		if (rc > 0 || (rc && (err.code != rc || !*err.text)) || batch->n > TIDE_BATCH)
			abort();
		for (uint32_t k = 0; k < batch->marks_n; k++)
			if (batch->marks[k].at > batch->n ||
			    !*td_trace_mark_name(&batch->marks[k]) || !s->marks ||
			    batch->marks[k].page + batch->marks[k].pages <= batch->marks[k].page)
				abort();
		for (uint32_t k = 0; k < batch->n; k++)
			if (batch->write[k] > 1 || batch->object->first[k] > 1 ||
			    (td_trace_name(s, batch->page[k]) && !s->names))
				abort();
		if (rc || (!batch->n && !batch->marks_n))
			break;
	}
}

static void read_fd(int fd, const struct td_trace_options *options)
{
	struct tide_batch_object *object = calloc(1, sizeof *object);
	struct tide_batch *batch = calloc(1, sizeof *batch);
	struct tide_error err = {0};
	struct td_trace_source *s;

	batch->object = object;
	if (!td_trace_open_fd(&s, fd, options, &err)) {
		drain(s, batch);
		if (s->ops->rewind && !s->ops->rewind(s, &err))
			drain(s, batch);
		if (s->ops->rewind && !td_trace_seek(s, 70000, &err))
			drain(s, batch);
		td_trace_close(s);
	} else if (!*err.text) {
		abort();
	}
	free(batch);
	free(object);
}

static void fuzz_trace(const uint8_t *data, size_t n, const char *format, const char *columns)
{
	struct td_trace_options options = {.path = "input", .format = format, .columns = columns};
	int fd = memfd_create("input", MFD_CLOEXEC), ends[2];

	if (fd < 0 || write(fd, data, n) != (ssize_t)n || lseek(fd, 0, SEEK_SET))
		abort();
	read_fd(fd, &options);
	if (n > PIPE_BYTES)
		return;
	if (pipe(ends) || write(ends[1], data, n) != (ssize_t)n)
		abort();
	close(ends[1]);
	read_fd(ends[0], &options);
}

#endif
