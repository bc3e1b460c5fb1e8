/* The trace room: readers and writers of event files, one format per file. */
#ifndef TD_TRACE_TRACE_H
#define TD_TRACE_TRACE_H

#include "source.h"

struct td_trace_options {
	const char *path;    /* "-": standard input */
	const char *format;  /* NULL: guessed from the name's ending and the content */
	const char *columns; /* csv: "page=5,op=3"; NULL: from the header line, else page=1 */
	uint64_t page_bytes; /* vscsi and csv with byte or sector addresses; 0: 4096 */
	/* Copy a pipe to an unlinked temporary file first (in $TMPDIR, else /tmp), so that it
	 * can be rewound; files are read where they are. */
	bool spool;
	bool digest; /* facts.digest is known once all was read; it is made once */
};

int td_trace_open(struct td_trace_source **out, const struct td_trace_options *options,
		  struct tide_error *err);

/* The next event will be number `event`, counted from 0. Past the end, next() gives 0 events. Only
 * for sources of td_trace_open(). Seeks if the format has an index, and reads otherwise. Going back
 * needs a source that can be rewound. */
int td_trace_seek(struct td_trace_source *s, uint64_t event, struct tide_error *err);

/* Name i of the formats that can be read, and of those that can be written; NULL after the last. */
const char *td_trace_read_format(size_t i);
const char *td_trace_write_format(size_t i);

struct td_trace_writer;

/* path "-" is standard output. format NULL: the name's ending decides. A file whose name ends in
 * .gz or .zst is compressed. A file appears under its name only when td_trace_finish() succeeds.
 * Until then, and after an error, the name is as it was before. In memory, tide keeps 8 and
 * oraclegeneral 16 bytes per distinct page, times at most 4. oraclegeneral also keeps a temporary
 * file as large as its output. */
int td_trace_create(struct td_trace_writer **out, const char *path, const char *format,
		    struct tide_error *err);
/* Writes the tide format, whatever the name. A program that calls only this links no other format
 * and no readers. */
int td_trace_create_tide(struct td_trace_writer **out, const char *path, struct tide_error *err);
int td_trace_put(struct td_trace_writer *w, const struct tide_batch *batch, struct tide_error *err);
/* Before the first put: the batches come from this source, with its groups, sizes, costs and names.
 * The format writes what it can. The source must stay open until the last put, and
 * batches have their object if it has any. */
void td_trace_write_like(struct td_trace_writer *w, const struct td_trace_source *source);
/* Puts a mark after all that was put so far. A trace with marks begins with one. Only the tide
 * format holds marks: txt shows them as comments, and the others leave them out. */
int td_trace_put_mark(struct td_trace_writer *w, const struct tide_mark *mark,
		      struct tide_error *err);
bool td_trace_holds_marks(const struct td_trace_writer *w);
bool td_trace_holds_objects(const struct td_trace_writer *w); /* those of its source */
const char *td_trace_mark_name(const struct tide_mark *mark); /* "map", "gone", "bring", "cold" */
int td_trace_finish(struct td_trace_writer *w, struct tide_error *err); /* frees w too */
void td_trace_abandon(struct td_trace_writer *w);                       /* NULL is fine */

static inline void td_trace_close(struct td_trace_source *s)
{
	if (s)
		s->ops->close(s);
}

#endif
