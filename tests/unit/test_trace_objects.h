/* Whole traces with their groups, sizes and costs in memory. */
#ifndef TEST_TRACE_OBJECTS_H
#define TEST_TRACE_OBJECTS_H

#include "test_trace.h"

struct object {
	uint64_t page, ref, stream, bytes, cost;
	bool write, first;
};

struct objects {
	struct object *at;
	size_t n;
	bool groups, sizes, costs;
	uint64_t digest[2];
	char format[32];
};

static void add_objects(struct objects *got, const struct tide_batch *b)
{
	got->at = realloc(got->at, (got->n + b->n) * sizeof *got->at);
	for (uint32_t i = 0; i < b->n; i++)
		got->at[got->n++] = (struct object){b->page[i],
						    b->ref[i],
						    b->stream[i],
						    b->object->bytes[i],
						    b->object->cost[i],
						    b->write[i] != 0,
						    b->object->first[i] != 0};
}

__attribute__((unused)) static struct objects read_objects(const struct td_trace_options *options)
{
	struct td_trace_options with_digest = *options;
	struct tide_batch *b = calloc(1, sizeof *b);
	struct tide_error err = {0};
	struct td_trace_source *s;
	struct objects got = {0};
	int rc;

	b->object = calloc(1, sizeof *b->object);
	with_digest.digest = true;
	if (td_trace_open(&s, &with_digest, &err))
		fail_msg("%s", err.text);
	while (!(rc = td_trace_next(s, b, &err)) && b->n)
		add_objects(&got, b);
	if (rc)
		fail_msg("%s", err.text);
	got.groups = s->groups;
	got.sizes = s->sizes;
	got.costs = s->costs;
	memcpy(got.digest, s->facts.digest, sizeof got.digest);
	snprintf(got.format, sizeof got.format, "%s", s->ops->format);
	td_trace_close(s);
	free(b->object);
	free(b);
	return got;
}

/* As tide trace convert does it. */
__attribute__((unused)) static void convert(const struct td_trace_options *in, const char *out)
{
	struct tide_batch *b = calloc(1, sizeof *b);
	struct tide_error err = {0};
	struct td_trace_source *s;
	struct td_trace_writer *w;
	int rc = td_trace_open(&s, in, &err);

	b->object = calloc(1, sizeof *b->object);
	if (!rc)
		rc = td_trace_create(&w, out, NULL, &err);
	if (!rc)
		td_trace_write_like(w, s);
	while (!rc && !(rc = td_trace_next(s, b, &err)) && b->n)
		rc = td_trace_put(w, b, &err);
	if (rc || td_trace_finish(w, &err))
		fail_msg("%s", err.text);
	td_trace_close(s);
	free(b->object);
	free(b);
}

__attribute__((unused)) static void free_objects(struct objects *o)
{
	free(o->at);
}

/* "1 2|3": two groups of pages. */
struct test_shown {
	char text[512];
};
__attribute__((unused)) static struct test_shown shown_groups(const struct objects *o)
{
	struct test_shown s = {""};
	size_t used = 0;

	for (size_t i = 0; i < o->n && used < sizeof s.text; i++)
		used += (size_t)snprintf(s.text + used, sizeof s.text - used, "%s%lu",
					 !i               ? ""
					 : o->at[i].first ? "|"
							  : " ",
					 (unsigned long)o->at[i].page);
	return s;
}

__attribute__((unused)) static void digest_without_objects(const char *path, uint64_t digest[2])
{
	struct tide_error err = {0};
	struct td_trace_source *s;
	struct events got;

	if (td_trace_open(&s, &(struct td_trace_options){.path = path, .digest = true}, &err) ||
	    drain(s, &got, &err))
		fail_msg("%s", err.text);
	memcpy(digest, s->facts.digest, 2 * sizeof *digest);
	td_trace_close(s);
	free(got.at);
}

#endif
