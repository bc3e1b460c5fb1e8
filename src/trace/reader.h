/* Inside the trace room: what every reader has in common, and the table of formats. */
#ifndef TD_TRACE_READER_H
#define TD_TRACE_READER_H

#include "input.h"
#include "trace.h"

/* The pages of one request that are still to be handed out. */
struct td_trace_span {
	uint64_t page, left;
	uint64_t ref, stream;
	uint8_t write;
};

struct td_trace_format;

struct td_trace_reader {
	struct td_trace_source source; /* first: a source is cast to its reader */
	struct td_trace_source_ops ops;
	const struct td_trace_format *format;
	struct td_trace_input *in;
	uint64_t page_bytes;
	uint64_t done; /* events handed out */
	uint64_t line; /* or record, counted from 1: the last one looked at */
	struct td_trace_span span;
	/* Set once a ref or stream other than 0 was written: from then on the arrays are
	 * cleared before each batch, so that a format writes only what is there. */
	bool refs, streams;
	struct tide_error pending; /* comes after the events that were read before it */
};

struct td_trace_sink;

/* A format: one file, format_NAME.c, which defines td_trace_format_NAME. The build lists them. */
struct td_trace_format {
	const char *name;
	unsigned listed;            /* where lists have it: the least comes first */
	unsigned tried;             /* when content is tried: a stricter look has less */
	const char *const *endings; /* of file names, capitals or not; NULL-ended */
	bool has_columns;           /* it takes options->columns */
	size_t reader_bytes;
	/* The input is at its first byte. NULL: nothing to do. */
	int (*start)(struct td_trace_reader *r, const struct td_trace_options *options,
		     struct tide_error *err);
	int (*restart)(struct td_trace_reader *r, struct tide_error *err);
	/* Adds events after batch->n (0 at the call), at most up to max. */
	int (*next)(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max,
		    struct tide_error *err);
	/* NULL, or sets done to at most `event`, near it; the rest is skipped by reading. */
	int (*seek)(struct td_trace_reader *r, uint64_t event, struct tide_error *err);
	void (*stop)(struct td_trace_reader *r);
	/* Could a file of this format start so? bytes is its size, 0 if not known. */
	bool (*looks)(const unsigned char *head, size_t n, uint64_t bytes);
	const struct td_trace_sink *sink; /* NULL: it cannot be written */
};

/* All of them, NULL-ended, in no order. */
extern const struct td_trace_format *const td_trace_format_table[];

/* Format i of those that content is tried for; NULL behind the last. */
const struct td_trace_format *td_trace_format_tried(size_t i);

/* As td_trace_open, from a descriptor that is taken over; options->path is for errors. */
int td_trace_open_fd(struct td_trace_source **out, int fd, const struct td_trace_options *options,
		     struct tide_error *err);

/* The format by name, else by the path's ending, else NULL. A name that is unknown, or not known
 * as one to write, is an error. */
int td_trace_named_format(const struct td_trace_format **out, const char *format, const char *path,
			  bool to_write, struct tide_error *err);

/* The names of all formats that can be read, with `between` between them and `last` before the last
 * one. */
struct td_trace_names {
	char text[160];
};
struct td_trace_names td_trace_names_to_read(const char *between, const char *last);

/* A request of some bytes at a byte address. -ERANGE: it ends beyond 64 bits. */
int td_trace_span_bytes(struct td_trace_span *span, uint64_t address, uint64_t bytes,
			uint64_t page_bytes);
/* From 512-byte sectors. */
int td_trace_span_sectors(struct td_trace_span *span, uint64_t sector, uint64_t bytes,
			  uint64_t page_bytes);
void td_trace_span_put(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max);

/* Text formats: whole lines from `at` up to *stop, each ended by a newline (one is put after
 * the last line if it has none); *stop == at only at the end of the file. */
int td_trace_lines(struct td_trace_reader *r, unsigned char **stop, struct tide_error *err);

/* Whole records of record_bytes from `at`: *n of them, 0 only at the end. */
int td_trace_records(struct td_trace_reader *r, size_t record_bytes, size_t *n,
		     struct tide_error *err);

/* Bytes from a file as part of an error: printable, at most 40 of them. */
struct td_trace_shown {
	char text[41];
};
struct td_trace_shown td_trace_show(const void *bytes, size_t n);

bool td_trace_is_text(const unsigned char *head, size_t n);

#endif
