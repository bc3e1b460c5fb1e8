/* tide trace head: accesses as lines, or as a list. */
#include <errno.h>
#include <inttypes.h>

#include "verbs.h"

/* Where the accesses go: lines, or the elements of a list. */
struct show {
	struct td_trace_writer *writer;
	json_t *list;
};

static json_t *mark_json(const struct tide_mark *m)
{
	return json_pack("{ss so so}", "mark", td_trace_mark_name(m), "page",
			 td_cli_json_u64(m->page), "pages", td_cli_json_u64(m->pages));
}

/* Adds what the trace says of the object of access i. */
static void add_object(json_t *o, const struct td_trace_source *source, const struct tide_batch *b,
		       uint32_t i)
{
	const char *name = td_trace_name(source, b->page[i]);

	if (name)
		json_object_set_new(o, "name", td_cli_json_text(name));
	if (source->groups)
		json_object_set_new(o, "first", json_boolean(b->object->first[i]));
	if (source->sizes)
		json_object_set_new(o, "bytes", td_cli_json_u64(b->object->bytes[i]));
	if (source->costs)
		json_object_set_new(o, "cost", td_cli_json_u64(b->object->cost[i]));
}

static int show_json(json_t *list, const struct td_trace_source *source, const struct tide_batch *b,
		     struct tide_error *err)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < b->n; i++) {
		json_t *o = json_pack("{so sb so so}", "page", td_cli_json_u64(b->page[i]), "write",
				      b->write[i], "ref", td_cli_json_u64(b->ref[i]), "stream",
				      td_cli_json_u64(b->stream[i]));
		for (; k < b->marks_n && b->marks[k].at <= i; k++)
			json_array_append_new(list, mark_json(&b->marks[k]));
		add_object(o, source, b, i);
		if (json_array_append_new(list, o) != 0)
			return tide_fail(err, -ENOMEM, "no memory for the accesses: show fewer");
	}
	return 0;
}

static int show_range(const struct td_cli_trace_options *args, struct show *to,
		      struct tide_error *err)
{
	struct tide_batch_object object = {0};
	struct tide_batch batch = {.object = &object}; /* zero, as sources want it */
	uint64_t count = args->count ? args->count : 10, left = count;
	struct td_trace_source *source;
	int rc = td_cli_open_trace(args, &source, err);

	if (rc)
		return rc;
	if (to->writer)
		td_trace_write_like(to->writer, source);
	if (args->from > 1)
		rc = td_trace_seek(source, args->from - 1, err);
	while (left > 0 && !rc) {
		rc = td_trace_next(source, &batch, err);
		if (rc || batch.n == 0)
			break;
		if (batch.n > left)
			batch.n = (uint32_t)left;
		left -= batch.n;
		rc = to->list ? show_json(to->list, source, &batch, err)
			      : td_trace_put(to->writer, &batch, err);
	}
	td_trace_close(source);
	if (!rc && left == count)
		rc = tide_fail(
			err, -ERANGE, "%s ends before access %" PRIu64 ": give a smaller --from",
			td_cli_shown(args->given.words.at[0]).text, args->from ? args->from : 1);
	return rc;
}

static int head_json(const struct td_cli_trace_options *args, struct tide_error *err)
{
	struct show to = {.list = json_array()};
	int rc = show_range(args, &to, err);

	if (rc) {
		json_decref(to.list);
		return rc;
	}
	return td_cli_print_json(json_pack("{ss ss so}", "tide", tide_version(), "verb",
					   "trace head", "events", to.list),
				 err);
}

int td_cli_trace_head(const void *options, struct tide_error *err)
{
	const struct td_cli_trace_options *args = options;
	struct show to = {0};
	int rc;

	if (args->json)
		return head_json(args, err);
	rc = td_trace_create(&to.writer, "-", "txt", err);
	if (rc)
		return rc;
	rc = show_range(args, &to, err);
	if (!rc)
		return td_trace_finish(to.writer, err);
	td_trace_abandon(to.writer);
	return rc;
}
