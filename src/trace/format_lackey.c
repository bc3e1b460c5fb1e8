/* lackey: the text of valgrind --tool=lackey --trace-mem=yes. Loads and stores become accesses of
 * pages; the address of the instruction before them is their ref. */
#include <errno.h>
#include <string.h>

#include "hex.h"
#include "reader.h"

struct lackey_reader {
	struct td_trace_reader head;
	uint64_t instruction; /* address of the last one */
};

struct line {
	char kind; /* I, L, S, M; 0: the line is something else */
	uint64_t address, bytes;
};

/* "I  04010000,3" or " L 1ffeffe7e0,8". Other lines are valgrind's or the program's own. */
static struct line parse(const unsigned char *p)
{
	struct line l = {0, 0, 0};
	const unsigned char *end = rawmemchr(p, '\n'), *comma;
	char kind;

	if (end - p < 6 || p[2] != ' ')
		return l;
	kind = (char)(*p == 'I' ? 'I' : *p == ' ' ? p[1] : 0);
	if (!kind || !strchr("ILSM", kind))
		return l;
	end -= end[-1] == '\r';
	comma = td_trace_hex(p + 3, &l.address);
	if (!comma || *comma != ',' ||
	    td_core_u64((const char *)comma + 1, (size_t)(end - comma - 1), &l.bytes))
		return l;
	l.kind = kind;
	return l;
}

static int take_line(struct td_trace_reader *r, const unsigned char *line, struct tide_error *err)
{
	struct lackey_reader *k = (struct lackey_reader *)r;
	struct line l = parse(line);

	if (l.kind == 'I')
		k->instruction = l.address;
	if (!l.kind || l.kind == 'I')
		return 0;
	r->span = (struct td_trace_span){.ref = k->instruction, .write = l.kind == 'S'};
	if (l.bytes > UINT32_MAX ||
	    td_trace_span_bytes(&r->span, l.address, l.bytes, r->page_bytes)) {
		r->span.left = 0;
		return tide_fail(err, -ERANGE,
				 "%s line %lu is an access of %lu bytes at address %#lx, more than "
				 "4 GiB or beyond 64 bits: the file is damaged",
				 r->in->name, (unsigned long)r->line, (unsigned long)l.bytes,
				 (unsigned long)l.address);
	}
	if (l.kind == 'M')
		td_trace_span_repeat(&r->span, 1, true);
	return 0;
}

static int restart(struct td_trace_reader *r, struct tide_error *err)
{
	(void)err;
	((struct lackey_reader *)r)->instruction = 0;
	return 0;
}

/* After valgrind's own lines, ==PID==, comes an access. */
static bool looks(const unsigned char *head, size_t n, uint64_t bytes)
{
	const unsigned char *p = head, *end = head + n, *newline;

	(void)bytes;
	for (; (newline = memchr(p, '\n', (size_t)(end - p))); p = newline + 1)
		if (strncmp((const char *)p, "==", 2) != 0)
			return parse(p).kind && td_trace_is_text(head, n);
	return false;
}

static const char *const endings[] = {".lackey", NULL};

const struct td_trace_format td_trace_format_lackey = {
	.name = "lackey",
	.listed = 60,
	.tried = 18,
	.endings = endings,
	.reader_bytes = sizeof(struct lackey_reader),
	.take_line = take_line,
	.restart = restart,
	.looks = looks,
};
