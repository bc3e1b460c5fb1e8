/* The marks of a frame of the tide format: what happened between its accesses. */
#ifndef TD_TRACE_TIDE_MARKS_H
#define TD_TRACE_TIDE_MARKS_H

#include "column.h"
#include "tide/event.h"

#define MOST_MARKS 65536u
/* Their number, then three columns. */
#define MOST_MARKS_RAW (4 + 3 * TD_TRACE_COLUMN_MOST(MOST_MARKS))

/* As they are in the columns. */
struct td_trace_marks {
	uint64_t *when; /* 4 * at + kind - 1; at: how many accesses of the frame come before it */
	uint64_t *page, *pages;
	uint32_t n;
};

int td_trace_marks_init(struct td_trace_marks *m); /* 0 or -ENOMEM; free m->when */
void td_trace_marks_add(struct td_trace_marks *m, const struct tide_mark *mark, uint32_t at);

/* Could there be such a mark? */
bool td_trace_mark_is_sane(const struct tide_mark *mark);

/* Checks the marks at *from, in a frame of so many accesses, and moves past them. `to` has room for
 * MOST_MARKS. 0 or -EBADMSG. */
int td_trace_marks_read(struct tide_mark *to, uint32_t *n, const unsigned char **from,
			const unsigned char *end, uint32_t accesses);

#endif
