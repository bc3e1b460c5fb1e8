/* Inside the trace room: what all readers share, and the table of formats. */
#ifndef TD_TRACE_READER_H
#define TD_TRACE_READER_H

#include "digest.h"
#include "input.h"
#include "keys.h"
#include "trace.h"

/* The pages of one request that are still to be handed out. */
struct td_trace_span {
	uint64_t page, left;
	uint64_t ref, stream;
	uint8_t write;
	uint8_t first;        /* its first page begins a group */
	uint64_t bytes, cost; /* of each page's object */
	/* After them, all pages come so many times again. */
	uint64_t again, from, pages;
	uint8_t then_write;
};

struct td_trace_format;

struct td_trace_reader {
	struct td_trace_source source; /* must be first: a source is cast to its reader */
	struct td_trace_source_ops ops;
	const struct td_trace_format *format;
	struct td_trace_input *in;
	uint64_t page_bytes;
	uint64_t done; /* events handed out */
	uint64_t line; /* or record, counted from 1: the last one looked at */
	struct td_trace_span span;
	/* Set once a ref or stream other than 0 was written. From then on, the arrays are
	 * cleared before each batch, so that a format writes only the values that it has. */
	bool refs, streams;
	struct tide_error pending;      /* returned after the events that were read before it */
	struct td_trace_digest *digest; /* NULL: not wanted, or known */
	/* For the digest, where the consumer does not want them. */
	struct tide_batch_object *object;
	struct td_trace_keys *keys; /* NULL: no text came yet */
};

struct td_trace_sink;

/* A format: one file, format_NAME.c, which defines td_trace_format_NAME. The build lists them. */
struct td_trace_format {
	const char *name;
	unsigned listed;            /* place in lists: the least comes first */
	unsigned tried;             /* order in which looks() is tried: a stricter one has less */
	const char *const *endings; /* of file names, capitals or not; NULL-ended */
	bool any_text;              /* people give texts of other formats its endings */
	bool has_columns;           /* it takes options->columns */
	size_t reader_bytes;
	/* The input is at its first byte. NULL: nothing to do. */
	int (*start)(struct td_trace_reader *r, const struct td_trace_options *options,
		     struct tide_error *err);
	int (*restart)(struct td_trace_reader *r, struct tide_error *err);
	/* Of text formats, in place of next: sets the span for the line, or leaves it empty.
	 * r->line is the line's number. */
	int (*take_line)(struct td_trace_reader *r, const unsigned char *line,
			 struct tide_error *err);
	/* Adds events after batch->n (0 at the call), at most up to max. */
	int (*next)(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max,
		    struct tide_error *err);
	/* Sets done to a number near `event`, but not above it; the rest is skipped by reading.
	 * NULL: all is skipped by reading. */
	int (*seek)(struct td_trace_reader *r, uint64_t event, struct tide_error *err);
	void (*stop)(struct td_trace_reader *r);
	/* Could a file of this format start so? bytes is the size of the file, 0 if not known. */
	bool (*looks)(const unsigned char *head, size_t n, uint64_t bytes);
	const struct td_trace_sink *sink; /* NULL: it cannot be written */
};

/* All formats, in no order; NULL after the last. */
extern const struct td_trace_format *const td_trace_format_table[];

/* Format i of those whose content is tried; NULL after the last. */
const struct td_trace_format *td_trace_format_tried(size_t i);

/* As td_trace_open(), but from a descriptor, which it takes over. options->path is for errors. */
int td_trace_open_fd(struct td_trace_source **out, int fd, const struct td_trace_options *options,
		     struct tide_error *err);

/* The format by its name, else by the path's ending, else NULL. An unknown name is an error, and so
 * is a format that cannot be written if it is to be written. */
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
/* Its pages, which were set, come `times` more times, as reads or writes. */
void td_trace_span_repeat(struct td_trace_span *span, uint64_t times, bool write);
void td_trace_span_put(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max);

/* The page that a text of the input means. Keeps the text, if it is not a plain number. */
int td_trace_key_page(struct td_trace_reader *r, const char *text, size_t n, uint64_t *page,
		      struct tide_error *err);

/* Text formats: whole lines from `at` up to *stop, each ended by a newline (one is put after
 * the last line if it has none); *stop == at only at the end of the file. */
int td_trace_lines(struct td_trace_reader *r, unsigned char **stop, struct tide_error *err);

/* A batch out of lines, each of which the format takes. */
int td_trace_next_lines(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max,
			struct tide_error *err);

/* The start of a format whose requests have sizes and no refs. */
int td_trace_start_sized(struct td_trace_reader *r, const struct td_trace_options *options,
			 struct tide_error *err);

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
