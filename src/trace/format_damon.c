/* damon: the text of `damo report access --raw_form`: snapshots of the regions of a program's
 * memory, each with the number of times that DAMON found it accessed. */
#include <errno.h>
#include <string.h>

#include "hex.h"
#include "reader.h"

#define MOST_PAGES (UINT64_C(1) << 30) /* of a region */
#define MOST_TIMES 1000

struct damon_reader {
	struct td_trace_reader head;
	uint64_t target; /* of this snapshot */
};

static const unsigned char *past_blanks(const unsigned char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

static bool begins(const unsigned char *line, const char *word)
{
	return !strncmp((const char *)line, word, strlen(word));
}

static int fail(struct td_trace_reader *r, const unsigned char *line, struct tide_error *err)
{
	return tide_fail(err, -EBADMSG,
			 "%s line %lu, \"%s\", is no region: give the raw form of `damo report "
			 "access`, START-END (BYTES) ACCESSES AGE",
			 r->in->name, (unsigned long)r->line,
			 td_trace_show(line, strcspn((const char *)line, "\r\n")).text);
}

/* A decimal number at p, with commas between its digits or without. */
static const unsigned char *take_decimal(const unsigned char *p, uint64_t *value)
{
	const unsigned char *start = p;

	for (*value = 0; (*p >= '0' && *p <= '9') || (p > start && *p == ','); p++)
		if (*p != ',' && (__builtin_mul_overflow(*value, 10, value) ||
				  __builtin_add_overflow(*value, (uint64_t)(*p - '0'), value)))
			return NULL;
	return p > start ? p : NULL;
}

/* "7f0000000000-7f0000021000 ( 132.000 KiB)          5     3", or in an older form
 * "7f0000000000-7f0000021000( 132.000 KiB):        5". */
static bool parse_region(const unsigned char *p, uint64_t *from, uint64_t *end, uint64_t *times)
{
	p = td_trace_hex(past_blanks(p), from);
	if (!p || *p++ != '-' || !(p = td_trace_hex(p, end)))
		return false;
	p = past_blanks(p);
	if (*p == '(') {
		p += strcspn((const char *)p, ")\n");
		if (*p++ != ')')
			return false;
		p += *p == ':';
	}
	return take_decimal(past_blanks(p), times) && *end > *from;
}

static int take_region(struct damon_reader *d, const unsigned char *line, struct tide_error *err)
{
	struct td_trace_reader *r = &d->head;
	uint64_t from, end, times;

	if (!parse_region(line, &from, &end, &times))
		return fail(r, line, err);
	if (!times)
		return 0;
	r->span = (struct td_trace_span){.page = from / r->page_bytes, .stream = d->target};
	r->span.left = (end - 1) / r->page_bytes - r->span.page + 1;
	if (r->span.left > MOST_PAGES) {
		r->span.left = 0;
		return tide_fail(err, -ERANGE,
				 "%s line %lu has a region of more than 2^30 pages: give a larger "
				 "page size",
				 r->in->name, (unsigned long)r->line);
	}
	td_trace_span_repeat(&r->span, (times < MOST_TIMES ? times : MOST_TIMES) - 1, false);
	return 0;
}

/* Records of physical memory may have no target: "None". */
static bool take_target(struct damon_reader *d, const unsigned char *p)
{
	d->target = 0;
	p = past_blanks(p);
	return begins(p, "None") || take_decimal(p, &d->target);
}

/* What is neither a region nor the target is about times. */
static int take_line(struct td_trace_reader *r, const unsigned char *line, struct tide_error *err)
{
	static const char *const others[] = {
		"base_time_absolute:", "monitoring_", "nr_regions:", "#",
		"intervals:",          "\n",          "\r\n"};
	struct damon_reader *d = (struct damon_reader *)r;
	static const char target[] = "target_id:";

	if (begins(line, target))
		return take_target(d, line + strlen(target)) ? 0 : fail(r, line, err);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (begins(line, others[i]))
			return 0;
	return take_region(d, line, err);
}

static int start(struct td_trace_reader *r, const struct td_trace_options *options,
		 struct tide_error *err)
{
	(void)options;
	(void)err;
	r->source.facts.refs = 0;
	return 0;
}

static int restart(struct td_trace_reader *r, struct tide_error *err)
{
	(void)err;
	((struct damon_reader *)r)->target = 0;
	return 0;
}

static bool looks(const unsigned char *head, size_t n, uint64_t bytes)
{
	static const char first[] = "base_time_absolute:";

	(void)bytes;
	return n > strlen(first) && !memcmp(head, first, strlen(first)) &&
	       td_trace_is_text(head, n);
}

static const char *const endings[] = {".damon", NULL};

const struct td_trace_format td_trace_format_damon = {
	.name = "damon",
	.listed = 64,
	.tried = 14,
	.endings = endings,
	.reader_bytes = sizeof(struct damon_reader),
	.start = start,
	.restart = restart,
	.take_line = take_line,
	.looks = looks,
};
