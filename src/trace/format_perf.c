/* perf: the text of `perf script -F pid,tid,time,event,addr,ip`, of samples with addresses. */
#include <errno.h>
#include <string.h>

#include "hex.h"
#include "reader.h"

struct sample {
	uint64_t thread, address, instruction;
	bool write;
};

static bool blank(unsigned char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static const unsigned char *past_blanks(const unsigned char *p)
{
	while (blank(*p))
		p++;
	return p;
}

static const unsigned char *past_word(const unsigned char *p)
{
	while (!blank(*p) && *p != '\n')
		p++;
	return p;
}

/* "12/34" or "34": the thread. */
static bool take_thread(const unsigned char *p, const unsigned char *end, uint64_t *thread)
{
	const unsigned char *slash = memchr(p, '/', (size_t)(end - p));
	uint64_t process;

	if (slash && td_core_u64((const char *)p, (size_t)(slash - p), &process))
		return false;
	p = slash ? slash + 1 : p;
	return !td_core_u64((const char *)p, (size_t)(end - p), thread);
}

/* "4496.387555:" */
static bool is_time(const unsigned char *p, const unsigned char *end)
{
	return end - p > 2 && end[-1] == ':' &&
	       strspn((const char *)p, "0123456789.") == (size_t)(end - p - 1);
}

/* Up to the time: the thread is the last number before it, since a name may be any words. */
static const unsigned char *take_start(const unsigned char *p, struct sample *s)
{
	bool found = false;

	for (p = past_blanks(p); *p != '\n'; p = past_blanks(p)) {
		const unsigned char *end = past_word(p);

		if (found && is_time(p, end))
			return end;
		found |= take_thread(p, end, &s->thread);
		p = end;
	}
	return NULL;
}

static bool has(const unsigned char *p, const unsigned char *end, const char *text)
{
	return memmem(p, (size_t)(end - p), text, strlen(text)) != NULL;
}

/* The word at *start, if it ends in a colon; *start moves past blanks. */
static const unsigned char *past_event(const unsigned char **start)
{
	const unsigned char *end = past_word(*start = past_blanks(*start));

	return end > *start && end[-1] == ':' ? end : NULL;
}

/* The event ends in a colon, and the period of the sample may stand before it. Of stores, perf says
 * so in the name of the event or in its data source. */
static const unsigned char *take_event(const unsigned char *p, struct sample *s)
{
	const unsigned char *start = p, *end = past_event(&start);

	if (!end) {
		start = past_word(start);
		end = past_event(&start);
	}
	s->write =
		has(p, rawmemchr(p, '\n'), "|OP STORE") || (end && has(start, end, "mem-stores"));
	return end ? end : p;
}

/* The instruction follows the address, or the symbol and the file of the address. */
static void take_instruction(const unsigned char *p, struct sample *s)
{
	const unsigned char *end;

	p = past_blanks(p);
	end = td_trace_hex(p, &s->instruction);
	if (end && (blank(*end) || *end == '\n'))
		return;
	s->instruction = 0;
	p += strcspn((const char *)p, ")\n");
	if (*p != ')')
		return;
	p = past_blanks(p + 1);
	end = td_trace_hex(p, &s->instruction);
	if (!end || (!blank(*end) && *end != '\n'))
		s->instruction = 0;
}

static bool parse(const unsigned char *line, struct sample *s)
{
	const unsigned char *p = take_start(line, s), *end;

	if (!p)
		return false;
	p = past_blanks(take_event(p, s));
	end = td_trace_hex(p, &s->address);
	if (!end || (!blank(*end) && *end != '\n'))
		return false;
	take_instruction(end, s);
	return true;
}

/* Chains of calls are lines of their own below a sample: they begin with a tab. */
static int take_line(struct td_trace_reader *r, const unsigned char *line, struct tide_error *err)
{
	struct sample s = {0};

	if (*line == '#' || *line == '\t' || *past_blanks(line) == '\n')
		return 0;
	if (!parse(line, &s))
		return tide_fail(err, -EBADMSG,
				 "%s line %lu, \"%s\", is no sample with an address: give the text "
				 "of perf script -F pid,tid,time,event,addr,ip",
				 r->in->name, (unsigned long)r->line,
				 td_trace_show(line, strcspn((const char *)line, "\r\n")).text);
	if (!s.address)
		return 0;
	r->span = (struct td_trace_span){.page = s.address / r->page_bytes,
					 .left = 1,
					 .ref = s.instruction,
					 .stream = s.thread,
					 .write = s.write};
	return 0;
}

/* The first line that is no comment is a sample. */
static bool looks(const unsigned char *head, size_t n, uint64_t bytes)
{
	const unsigned char *p = head, *end = head + n, *newline;
	struct sample s;

	(void)bytes;
	for (; (newline = memchr(p, '\n', (size_t)(end - p))); p = newline + 1)
		if (*p != '#' && *past_blanks(p) != '\n')
			return parse(p, &s) && td_trace_is_text(head, n);
	return false;
}

static const char *const endings[] = {".perf", NULL};

const struct td_trace_format td_trace_format_perf = {
	.name = "perf",
	.listed = 62,
	.tried = 19,
	.endings = endings,
	.reader_bytes = sizeof(struct td_trace_reader),
	.take_line = take_line,
	.looks = looks,
};
