/* Takes an input apart by streams. Each part keeps its accesses in memory, 9 bytes each, so the
 * input is decoded only once, however many parts there are. */
#include "split.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/jobs.h"
#include "core/text.h"
#include "mech/sim/functional.h"
#include "tide/sort.h"

enum { WRITES = 1, FIRST = 2 };

static int no_memory(struct tide_error *err)
{
	return tide_fail(err, -ENOMEM, "out of memory for the parts of the input");
}

/* ---- a part as a source ---- */

static void unpack(const struct td_lib_part *p, struct tide_batch *batch)
{
	const uint8_t *flags = p->flags.at + p->at;
	memcpy(batch->page, (const uint64_t *)(void *)p->page.at + p->at,
	       batch->n * sizeof *batch->page);
	if (p->ref.at)
		memcpy(batch->ref, (const uint64_t *)(void *)p->ref.at + p->at,
		       batch->n * sizeof *batch->ref);
	for (uint32_t i = 0; i < batch->n; i++) {
		batch->stream[i] = p->stream;
		batch->write[i] = flags[i] & WRITES;
	}
	for (uint32_t i = 0; batch->object && i < batch->n; i++)
		batch->object->first[i] = (flags[i] & FIRST) != 0;
}

static int next(struct td_trace_source *source, struct tide_batch *batch, struct tide_error *err)
{
	struct td_lib_part *p = (struct td_lib_part *)source;
	uint64_t left = p->n - p->at;
	(void)err;
	batch->n = (uint32_t)(left < TIDE_BATCH ? left : TIDE_BATCH);
	unpack(p, batch);
	p->at += batch->n;
	return 0;
}

static int rewind_part(struct td_trace_source *source, struct tide_error *err)
{
	(void)err;
	((struct td_lib_part *)source)->at = 0;
	return 0;
}

static void close_part(struct td_trace_source *source)
{
	(void)source; /* the split frees it */
}

static const struct td_trace_source_ops part_ops = {
	.format = "part", .next = next, .rewind = rewind_part, .close = close_part};

/* ---- taking apart ---- */

static int add_part(struct td_lib_split *s, uint64_t stream, struct td_lib_part **out,
		    struct tide_error *err)
{
	if (s->n == TD_LIB_PARTS_MAX)
		return tide_fail(err, -EINVAL,
				 "the input has more than %d streams: `split` is for fewer",
				 TD_LIB_PARTS_MAX);
	struct td_lib_part *p = calloc(1, sizeof *p);
	if (!p)
		return no_memory(err);
	p->head = (struct td_trace_source){.ops = &part_ops, .facts = TD_TRACE_NO_FACTS};
	p->stream = stream;
	tide_vec_init(&p->page, sizeof(uint64_t));
	tide_vec_init(&p->ref, sizeof(uint64_t));
	tide_vec_init(&p->flags, 1);
	s->part[s->n] = *out = p;
	return tide_map_put(&s->index, tide_map_find(&s->index, stream), stream, s->n++)
		       ? no_memory(err)
		       : 0;
}

static int find_part(struct td_lib_split *s, uint64_t stream, struct td_lib_part **out,
		     struct tide_error *err)
{
	uint32_t i = tide_map_get(&s->index, stream);
	if (i == UINT32_MAX)
		return add_part(s, stream, out, err);
	*out = s->part[i];
	return 0;
}

/* The first access of a group in this part begins the group here. */
static bool begins(struct td_lib_part *p, uint64_t group)
{
	bool first = p->group != group;
	p->group = group;
	return first;
}

static int append(struct td_lib_split *s, struct td_lib_part *p, const struct tide_batch *b,
		  uint32_t i)
{
	uint64_t at = p->n;
	if (tide_vec_reserve(&p->page, at + 1) || tide_vec_reserve(&p->flags, at + 1) ||
	    ((b->ref[i] || p->ref.at) && tide_vec_reserve(&p->ref, at + 1)))
		return -ENOMEM;
	((uint64_t *)(void *)p->page.at)[at] = b->page[i];
	p->flags.at[at] =
		(uint8_t)((b->write[i] ? WRITES : 0) | (begins(p, s->groups) ? FIRST : 0));
	if (p->ref.at)
		((uint64_t *)(void *)p->ref.at)[at] = b->ref[i];
	p->n++;
	return 0;
}

static int take_apart(struct td_lib_split *s, const struct tide_batch *b, struct tide_error *err)
{
	struct td_lib_part *p = NULL;
	for (uint32_t i = 0; i < b->n; i++) {
		int rc = p && p->stream == b->stream[i] ? 0 : find_part(s, b->stream[i], &p, err);
		if (rc)
			return rc;
		s->groups += b->object && b->object->first[i];
		if (append(s, p, b, i))
			return no_memory(err);
	}
	return 0;
}

static int read_all(struct td_lib_split *s, struct td_trace_source *source, struct tide_error *err)
{
	struct tide_batch *batch = calloc(1, sizeof *batch);
	struct tide_batch_object *object = calloc(1, sizeof *object);
	int rc = batch && object ? 0 : no_memory(err);
	if (!rc && source->groups)
		batch->object = object;
	while (!rc && !(rc = td_trace_next(source, batch, err)) && batch->n)
		rc = take_apart(s, batch, err);
	free(batch);
	free(object);
	return rc;
}

/* ---- facts ---- */

static int by_stream(const void *a, const void *b, void *arg)
{
	uint64_t x = (*(struct td_lib_part *const *)a)->stream;
	uint64_t y = (*(struct td_lib_part *const *)b)->stream;
	(void)arg;
	return (x > y) - (x < y);
}

static void add_facts(struct td_trace_facts *to, const struct td_trace_facts *part)
{
	to->accesses += part->accesses;
	to->pages += part->pages;
	to->last_page = part->last_page > to->last_page ? part->last_page : to->last_page;
	to->refs |= part->refs;
}

struct surveys {
	struct td_lib_split *split;
	atomic_int rc;
};

static void survey_part(void *arg, size_t i)
{
	struct surveys *all = arg;
	struct td_lib_part *p = all->split->part[i];
	int rc = all->rc ? 0 : td_sim_survey(&p->head, &p->head.facts, NULL);
	if (rc)
		all->rc = rc;
}

/* What is known of the parts, and of all together. Of memory alone there may be too little. */
static int survey_parts(struct td_lib_split *s, struct td_trace_facts *facts,
			struct tide_error *err)
{
	struct surveys all = {.split = s};
	td_jobs_run(s->n, s->threads, survey_part, &all);
	*facts = (struct td_trace_facts){0};
	for (uint32_t i = 0; i < s->n; i++)
		add_facts(facts, &s->part[i]->head.facts);
	return all.rc ? no_memory(err) : 0;
}

int td_lib_split_read(struct td_lib_split *s, struct td_trace_source *source,
		      struct td_trace_facts *facts, struct tide_error *err)
{
	if (source->marks)
		return tide_fail(
			err, -EINVAL,
			"the input has marks, memory that comes and goes, which `split` "
			"does not follow: convert it to txt (tide trace convert) to drop them");
	int rc = read_all(s, source, err);
	if (!rc && !s->n)
		rc = tide_fail(err, -EINVAL, "the input is empty: nothing can be split");
	tide_sort(s->part, s->n, sizeof *s->part, by_stream, NULL);
	for (uint32_t i = 0; i < s->n; i++) {
		struct td_lib_part *p = s->part[i];
		p->head.groups = source->groups;
		p->head.stop = source->stop;
		p->head.allocations = source->allocations;
		p->head.allocations_n = source->allocations_n;
	}
	return rc ? rc : survey_parts(s, facts, err);
}

/* ---- shares ---- */

int td_lib_split_share(struct td_lib_split *s, uint64_t near_pages, uint32_t chunk_pages,
		       struct tide_error *err)
{
	if (near_pages / s->n < chunk_pages)
		return tide_fail(err, -EINVAL,
				 "near memory of %" PRIu64 " pages is less than a chunk for each "
				 "of %" PRIu32 " streams: give at least %" PRIu64 "p",
				 near_pages, s->n, (uint64_t)chunk_pages * s->n);
	if (s->by_lru && chunk_pages != 1)
		return tide_fail(err, -EINVAL,
				 "shares=lru is about chunks of one page: give `chunk` the size of "
				 "`page`");
	if (s->by_lru)
		return td_lib_shares_lru(s, near_pages, err);
	for (uint32_t i = 0; i < s->n; i++)
		s->part[i]->near_pages = near_pages / s->n + (i < near_pages % s->n);
	return 0;
}

/* ---- life ---- */

int td_lib_split_new(struct td_lib_split **out, const char *text, struct tide_error *err)
{
	bool by_lru = strcmp(text, "stream:shares=lru") == 0;
	if (!by_lru && strcmp(text, "stream") != 0 && strcmp(text, "stream:shares=equal") != 0)
		return tide_fail(err, -EINVAL,
				 "no way to split is called '%s': write stream, or "
				 "stream:shares=lru",
				 td_core_shown(text, strlen(text)).text);
	struct td_lib_split *s = calloc(1, sizeof *s);
	*out = s;
	if (!s)
		return no_memory(err);
	s->by_lru = by_lru;
	s->text = strdup(text);
	s->part = calloc(TD_LIB_PARTS_MAX, sizeof(struct td_lib_part *));
	if (!s->text || !s->part || tide_map_init(&s->index, 0))
		return no_memory(err);
	return 0;
}

void td_lib_split_free(struct td_lib_split *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n; i++) {
		tide_vec_free(&s->part[i]->page);
		tide_vec_free(&s->part[i]->ref);
		tide_vec_free(&s->part[i]->flags);
		free(s->part[i]);
	}
	if (s->index.entries.at)
		tide_map_free(&s->index);
	free(s->part);
	free(s->text);
	free(s);
}
