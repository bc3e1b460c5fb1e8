#include "tide_marks.h"

#include <errno.h>
#include <stdlib.h>

#include "bytes.h"
#include "trace.h"

const char *td_trace_mark_name(const struct tide_mark *mark)
{
	static const char *const names[] = {"map", "gone", "bring", "cold"};

	return names[mark->kind - TIDE_MARK_MAP];
}

bool td_trace_mark_is_sane(const struct tide_mark *mark)
{
	uint64_t end;

	return mark->kind >= TIDE_MARK_MAP && mark->kind <= TIDE_MARK_COLD && mark->pages &&
	       !__builtin_add_overflow(mark->page, mark->pages, &end);
}

int td_trace_marks_init(struct td_trace_marks *m)
{
	m->when = malloc(3 * MOST_MARKS * sizeof *m->when);
	if (!m->when)
		return -ENOMEM;
	m->page = m->when + MOST_MARKS;
	m->pages = m->page + MOST_MARKS;
	m->n = 0;
	return 0;
}

void td_trace_marks_add(struct td_trace_marks *m, const struct tide_mark *mark, uint32_t at)
{
	m->when[m->n] = (uint64_t)at << 2 | (mark->kind - TIDE_MARK_MAP);
	m->page[m->n] = mark->page;
	m->pages[m->n++] = mark->pages;
}

/* The next n of all columns; *before is the place of the one before. */
static int read_some(struct tide_mark *to, struct td_trace_column columns[3], uint32_t n,
		     uint32_t accesses, uint64_t *before)
{
	uint64_t when[256], page[256], pages[256];

	td_trace_column_read(&columns[0], when, n);
	td_trace_column_read(&columns[1], page, n);
	td_trace_column_read(&columns[2], pages, n);
	for (uint32_t i = 0; i < n; i++) {
		to[i] = (struct tide_mark){(uint8_t)(TIDE_MARK_MAP + (when[i] & 3)),
					   (uint32_t)(when[i] >> 2), page[i], pages[i]};
		if (when[i] >> 2 > accesses || when[i] >> 2 < *before ||
		    !td_trace_mark_is_sane(&to[i]))
			return -EBADMSG;
		*before = when[i] >> 2;
	}
	return 0;
}

int td_trace_marks_read(struct tide_mark *to, uint32_t *n, const unsigned char **from,
			const unsigned char *end, uint32_t accesses)
{
	struct td_trace_column columns[3];
	uint64_t before = 0;
	int rc = 0;

	if (end - *from < 4)
		return -EBADMSG;
	*n = load32(*from);
	*from += 4;
	if (!*n || *n > MOST_MARKS)
		return -EBADMSG;
	for (int k = 0; k < 3 && !rc; k++)
		rc = td_trace_column_open(&columns[k], from, end, *n);
	for (uint32_t i = 0; i < *n && !rc; i += 256)
		rc = read_some(to + i, columns, *n - i < 256 ? *n - i : 256, accesses, &before);
	return rc;
}
