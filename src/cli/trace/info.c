/* tide trace info: one pass over a trace. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "tide/map.h"
#include "verbs.h"

#define TOP 5 /* names shown */

struct survey {
	struct tide_map pages, refs, streams; /* how often each of their numbers came */
	uint64_t accesses, writes, last_page, marks;
	uint64_t groups, requested_bytes, object_bytes; /* of requests, and of distinct pages */
};

static int note(struct tide_map *set, uint64_t key)
{
	struct tide_map_entry *e = tide_map_find(set, key);

	if (!e->value_plus_1)
		return tide_map_put(set, e, key, 0);
	e->value_plus_1 += e->value_plus_1 < UINT32_MAX;
	return 0;
}

static uint64_t saturating_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* is_new: the page came for the first time. */
static void note_object(struct survey *s, const struct tide_batch_object *o, uint32_t i,
			bool is_new)
{
	s->groups += o->first[i];
	s->requested_bytes = saturating_sum(s->requested_bytes, o->bytes[i]);
	if (is_new)
		s->object_bytes = saturating_sum(s->object_bytes, o->bytes[i]);
}

static int note_batch(struct survey *s, const struct tide_batch *batch)
{
	int rc = 0;

	for (uint32_t i = 0; i < batch->n && !rc; i++) {
		uint64_t before = s->pages.n;

		rc = note(&s->pages, batch->page[i]);
		note_object(s, batch->object, i, s->pages.n > before);
		s->writes += batch->write[i];
		if (batch->page[i] > s->last_page)
			s->last_page = batch->page[i];
		if (!rc && batch->ref[i])
			rc = note(&s->refs, batch->ref[i]);
		if (!rc && batch->stream[i])
			rc = note(&s->streams, batch->stream[i]);
	}
	s->accesses += batch->n;
	s->marks += batch->marks_n;
	return rc;
}

static int survey(struct survey *s, struct td_trace_source *source,
		  struct td_cli_progress *progress, struct tide_error *err)
{
	struct tide_batch_object object = {0};
	struct tide_batch batch = {.object = &object}; /* zero, as sources want it */
	int rc;

	for (;;) {
		rc = td_trace_next_marked(source, &batch, err);
		if (rc || (batch.n == 0 && batch.marks_n == 0))
			return rc;
		if (note_batch(s, &batch) != 0)
			return tide_fail(err, -ENOMEM,
					 "no memory for the page numbers of the "
					 "trace: free some");
		td_cli_show_source(progress, source, s->accesses);
	}
}

static uint64_t file_bytes(const char *path)
{
	struct stat st;

	return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode)
		       ? (uint64_t)st.st_size
		       : 0;
}

static uint64_t saturating_product(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* The pages that came most often, the first one first; of equals, the lowest number. */
struct top {
	struct tide_map_entry at[TOP];
	size_t n;
};

static bool before(const struct tide_map_entry *a, const struct tide_map_entry *b)
{
	return a->value_plus_1 > b->value_plus_1 ||
	       (a->value_plus_1 == b->value_plus_1 && a->key < b->key);
}

static void add_to_top(struct top *top, const struct tide_map_entry *e)
{
	size_t i = top->n;

	if (i == TOP && !before(e, &top->at[--i]))
		return;
	top->n = i + 1;
	for (; i && before(e, &top->at[i - 1]); i--)
		top->at[i] = top->at[i - 1];
	top->at[i] = *e;
}

/* Those of pages whose keys are texts. */
static struct top find_top(const struct survey *s, const struct td_trace_source *source)
{
	const struct tide_map_entry *all = (const void *)s->pages.entries.at;
	struct top top = {.n = 0};

	for (uint64_t i = 0; source->names && i <= s->pages.mask; i++)
		if (all[i].value_plus_1 && td_trace_name(source, all[i].key))
			add_to_top(&top, &all[i]);
	return top;
}

static json_t *top_json(const struct survey *s, const struct td_trace_source *source)
{
	struct top top = find_top(s, source);
	json_t *list = json_array();

	for (size_t i = 0; i < top.n; i++)
		json_array_append_new(
			list, json_pack("{so so}", "name",
					td_cli_json_text(td_trace_name(source, top.at[i].key)),
					"accesses", td_cli_json_u64(top.at[i].value_plus_1)));
	return list;
}

/* NULL where there is none: an empty trace, or a pipe. */
static json_t *per_access(uint64_t bytes, uint64_t accesses)
{
	return bytes && accesses ? json_real((double)bytes / (double)accesses) : json_null();
}

static int print_json(const struct survey *s, const char *path,
		      const struct td_trace_source *source, uint64_t footprint_bytes,
		      struct tide_error *err)
{
	uint64_t bytes = file_bytes(path);
	json_t *doc = json_pack(
		"{ss ss so ss so so so so so so so so so so}", "tide", tide_version(), "verb",
		"trace info", "file", td_cli_json_text(path), "format", source->ops->format,
		"accesses", td_cli_json_u64(s->accesses), "pages", td_cli_json_u64(s->pages.n),
		"footprint_bytes", td_cli_json_u64(footprint_bytes), "last_page",
		td_cli_json_u64(s->last_page), "reads", td_cli_json_u64(s->accesses - s->writes),
		"writes", td_cli_json_u64(s->writes), "refs", td_cli_json_u64(s->refs.n), "streams",
		td_cli_json_u64(s->streams.n), "file_bytes", td_cli_json_u64(bytes),
		"bytes_per_access", per_access(bytes, s->accesses));

	if (s->marks)
		json_object_set_new(doc, "marks", td_cli_json_u64(s->marks));
	if (source->groups)
		json_object_set_new(doc, "groups", td_cli_json_u64(s->groups));
	if (source->sizes) {
		json_object_set_new(doc, "requested_bytes", td_cli_json_u64(s->requested_bytes));
		json_object_set_new(doc, "object_bytes", td_cli_json_u64(s->object_bytes));
	}
	if (source->names)
		json_object_set_new(doc, "names", top_json(s, source));
	return td_cli_print_json(doc, err);
}

static void add_row(struct td_cli_table *t, const char *name, const char *value, const char *more)
{
	td_cli_cell(t, "%s", name);
	td_cli_cell(t, "%s", value);
	td_cli_cell(t, "%s", more);
}

static void add_object_rows(struct td_cli_table *t, const struct survey *s,
			    const struct td_trace_source *source)
{
	struct top top = find_top(s, source);
	char per[40];

	for (size_t i = 0; i < top.n; i++)
		add_row(t, i ? "" : "most accessed", td_cli_grouped(top.at[i].value_plus_1).text,
			td_cli_name(td_trace_name(source, top.at[i].key)).text);
	if (source->groups) {
		snprintf(per, sizeof per, "%.2f accesses each",
			 (double)s->accesses / (double)s->groups);
		add_row(t, "groups", td_cli_grouped(s->groups).text, per);
	}
	if (source->sizes) {
		add_row(t, "requested", td_cli_bytes(s->requested_bytes).text, "");
		add_row(t, "objects", td_cli_bytes(s->object_bytes).text, "all of them");
	}
}

static int print_table(const struct survey *s, const char *path,
		       const struct td_trace_source *source, uint64_t footprint_bytes,
		       struct tide_error *err)
{
	struct td_cli_table t = {.align = "lrl"};
	uint64_t reads = s->accesses - s->writes, bytes = file_bytes(path);
	char per[40];

	printf("%s: %s", td_cli_name(path).text, source->ops->format);
	if (source->by_page || source->sizes)
		printf("; %s", td_cli_requests(source->by_page));
	putchar('\n');
	add_row(&t, "accesses", td_cli_grouped(s->accesses).text, "");
	add_row(&t, "reads", td_cli_grouped(reads).text, td_cli_share(reads, s->accesses).text);
	add_row(&t, "writes", td_cli_grouped(s->writes).text,
		td_cli_share(s->writes, s->accesses).text);
	add_row(&t, "pages", td_cli_grouped(s->pages.n).text, "distinct");
	add_row(&t, "footprint", td_cli_bytes(footprint_bytes).text, "");
	add_row(&t, "last page", td_cli_grouped(s->last_page).text, "");
	add_row(&t, "refs", td_cli_grouped(s->refs.n).text, "distinct, besides 0");
	add_row(&t, "streams", td_cli_grouped(s->streams.n).text, "distinct, besides 0");
	if (s->marks)
		add_row(&t, "marks", td_cli_grouped(s->marks).text, "memory that came and went");
	add_object_rows(&t, s, source);
	if (bytes && s->accesses) {
		snprintf(per, sizeof per, "%.2f per access", (double)bytes / (double)s->accesses);
		add_row(&t, "file bytes", td_cli_grouped(bytes).text, per);
	}
	return td_cli_table_end(&t, err);
}

static int init(struct survey *s, struct tide_error *err)
{
	if (tide_map_init(&s->pages, 1 << 10) || tide_map_init(&s->refs, 64) ||
	    tide_map_init(&s->streams, 64))
		return tide_fail(err, -ENOMEM, "no memory to begin: free some");
	return 0;
}

int td_cli_trace_info(const void *options, struct tide_error *err)
{
	const struct td_cli_trace_options *args = options;
	const char *path = args->given.words.at[0];
	struct td_trace_source *source = NULL;
	struct td_cli_progress progress;
	struct survey s = {0};
	uint64_t page_bytes, footprint_bytes;
	int rc = td_cli_progress_start(&progress, args->progress, "trace info", err);

	if (!rc)
		rc = td_lib_page_bytes(args->page, &page_bytes, err);
	if (!rc)
		rc = td_cli_open_trace(args, &source, err);
	if (!rc)
		rc = init(&s, err);
	if (rc)
		goto out;
	rc = survey(&s, source, &progress, err);
	td_cli_progress_end(&progress);
	if (rc)
		goto out;
	footprint_bytes = saturating_product(s.pages.n, page_bytes);
	rc = (args->json ? print_json : print_table)(&s, path, source, footprint_bytes, err);
out:
	tide_map_free(&s.pages);
	tide_map_free(&s.refs);
	tide_map_free(&s.streams);
	td_trace_close(source);
	return rc;
}
