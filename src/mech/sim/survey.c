/* Passes before the run. */
#include <errno.h>
#include <stdlib.h>

#include "functional.h"

/* Distinct pages, as one bitmap per 64 pages: the same numbering as chunks
 * of 64. */
struct survey {
	struct td_space space;
	struct tide_vec seen;
	uint32_t index[TIDE_BATCH];
	uint8_t bit[TIDE_BATCH];
	struct tide_batch batch;
	struct tide_batch_object object;
	uint64_t page_bytes, bytes; /* of all objects, each as it first comes */
};

static uint64_t size_at(const struct survey *s, uint32_t i)
{
	return s->object.bytes[i] ? s->object.bytes[i] : s->page_bytes;
}

static int survey_batch(struct survey *s, struct td_trace_facts *f, struct tide_error *err)
{
	int rc = td_space_batch(&s->space, s->batch.page, s->batch.n, s->index, s->bit);
	if (!rc)
		rc = tide_vec_reserve(&s->seen, s->space.n);
	if (rc)
		return tide_fail(err, rc, "out of memory for the page numbers of the input");
	uint64_t *seen = (uint64_t *)(void *)s->seen.at;
	for (uint32_t i = 0; i < s->batch.n; i++) {
		uint64_t bit = UINT64_C(1) << s->bit[i];
		if (!(seen[s->index[i]] & bit)) {
			f->pages++;
			td_engine_add(&s->bytes, size_at(s, i));
		}
		seen[s->index[i]] |= bit;
		f->last_page = s->batch.page[i] > f->last_page ? s->batch.page[i] : f->last_page;
		f->refs |= s->batch.ref[i] != 0;
	}
	f->accesses += s->batch.n;
	return 0;
}

static int survey_all(struct survey *s, struct td_trace_source *source,
		      struct td_trace_facts *facts, struct tide_error *err)
{
	int rc;
	while (!(rc = td_trace_next(source, &s->batch, err)) && s->batch.n) {
		rc = survey_batch(s, facts, err);
		if (rc)
			break;
	}
	return rc ? rc : source->ops->rewind(source, err);
}

int td_sim_survey(struct td_trace_source *source, struct td_trace_facts *facts,
		  struct tide_error *err)
{
	uint64_t bytes;
	return td_sim_survey_objects(source, 1, facts, &bytes, err);
}

int td_sim_survey_objects(struct td_trace_source *source, uint64_t page_bytes,
			  struct td_trace_facts *facts, uint64_t *bytes, struct tide_error *err)
{
	struct survey *s = calloc(1, sizeof *s);
	if (!s)
		return tide_fail(err, -ENOMEM, "out of memory");
	s->page_bytes = page_bytes;
	s->batch.object = source->sizes ? &s->object : NULL;
	*facts = (struct td_trace_facts){0};
	tide_vec_init(&s->seen, sizeof(uint64_t));
	int rc = td_space_init(&s->space, 64, TD_SPACE_ANY, TD_SPACE_ANY);
	if (rc)
		tide_fail(err, rc, "out of memory");
	else
		rc = survey_all(s, source, facts, err);
	*bytes = s->bytes;
	td_space_free(&s->space);
	tide_vec_free(&s->seen);
	free(s);
	return rc;
}

int td_sim_foresee(struct td_engine *e, struct td_trace_source *source, struct tide_error *err)
{
	struct tide_batch *batch = calloc(1, sizeof *batch);
	if (!batch)
		return tide_fail(err, -ENOMEM, "out of memory");
	int rc;
	while (!(rc = td_trace_next_marked(source, batch, err)) && (batch->n || batch->marks_n)) {
		rc = td_engine_foresee(e, batch, err);
		if (rc)
			break;
	}
	free(batch);
	if (!rc)
		rc = td_engine_foreseen(e, err);
	return rc ? rc : source->ops->rewind(source, err);
}
