#include <errno.h>
#include <stdlib.h>

#include "advise.h"
#include "tide/map.h"

static int no_memory(struct tide_error *err)
{
	return tide_fail(err, -ENOMEM, "no memory for a sample of the input: free some");
}

/* Half of the pages stay. */
static void thin(struct td_advise_sample *s)
{
	size_t kept = 0;

	s->bound /= 2;
	s->rate /= 2;
	s->groups = false;
	for (size_t i = 0; i < s->n; i++)
		if (tide_hash64(s->at[i].event.page) < s->bound)
			s->at[kept++] = s->at[i];
	s->n = kept;
}

static int grow(struct td_advise_sample *s)
{
	size_t room = s->room ? s->room * 2 : 4096;
	struct td_advise_access *at = realloc(s->at, room * sizeof *at);

	if (!at)
		return -ENOMEM;
	s->at = at;
	s->room = room;
	return 0;
}

static int take_batch(struct td_advise_sample *s, const struct tide_batch *batch, size_t most)
{
	for (uint32_t i = 0; i < batch->n; i++, s->accesses++) {
		if (s->bound != UINT64_MAX && tide_hash64(batch->page[i]) >= s->bound)
			continue;
		if (s->n == most)
			thin(s);
		if (s->bound != UINT64_MAX && tide_hash64(batch->page[i]) >= s->bound)
			continue;
		if (s->n == s->room && grow(s))
			return -ENOMEM;
		s->at[s->n++] = (struct td_advise_access){
			{batch->page[i], batch->ref[i], batch->stream[i], batch->write[i] != 0},
			s->accesses,
			batch->object && batch->object->first[i]};
	}
	return 0;
}

unsigned td_advise_part(const struct td_advise_sample *s, uint64_t time)
{
	return (unsigned)((unsigned __int128)time * TD_ADVISE_PARTS / s->accesses);
}

static uint64_t scaled(const struct td_advise_sample *s, uint64_t pages)
{
	return (uint64_t)((double)pages / s->rate + 0.5);
}

/* The part in which a page was last seen tells whether it is new there. */
static int count_pages(struct td_advise_sample *s)
{
	struct tide_map pages;
	struct tide_vec last = {0};
	uint64_t distinct[TD_ADVISE_PARTS] = {0};
	int rc = tide_map_init(&pages, 1024);

	tide_vec_init(&last, 1);
	for (size_t i = 0; i < s->n && !rc; i++) {
		unsigned part = td_advise_part(s, s->at[i].time) + 1;
		struct tide_map_entry *e = tide_map_find(&pages, s->at[i].event.page);
		uint32_t number = e->value_plus_1 ? e->value_plus_1 - 1 : (uint32_t)pages.n;
		if (!e->value_plus_1)
			rc = tide_map_put(&pages, e, s->at[i].event.page, number);
		if (!rc)
			rc = tide_vec_reserve(&last, (uint64_t)number + 1);
		if (rc || last.at[number] == part)
			continue;
		last.at[number] = (unsigned char)part;
		distinct[part - 1]++;
	}
	s->pages = scaled(s, pages.n);
	for (unsigned i = 0; i < TD_ADVISE_PARTS; i++)
		s->working_set[i] = scaled(s, distinct[i]);
	tide_vec_free(&last);
	tide_map_free(&pages);
	return rc;
}

int td_advise_read(struct td_advise_sample *s, struct td_trace_source *source, size_t most,
		   struct td_cli_progress *progress, struct tide_error *err)
{
	struct tide_batch *batch = calloc(1, sizeof *batch);
	struct tide_batch_object *object = calloc(1, sizeof *object);
	int rc = batch && object ? 0 : no_memory(err);

	*s = (struct td_advise_sample){.bound = UINT64_MAX, .rate = 1, .groups = source->groups};
	if (!rc && source->groups)
		batch->object = object;
	s->format = source->ops->format;
	s->marks = source->marks;
	while (!rc && !(rc = td_trace_next(source, batch, err)) && batch->n) {
		if (take_batch(s, batch, most))
			rc = no_memory(err);
		td_cli_progress_show(progress, s->accesses,
				     source->facts.accesses == TD_UNKNOWN ? 0
									  : source->facts.accesses);
	}
	free(object);
	free(batch);
	if (!rc && !s->n)
		rc = tide_fail(err, -EBADMSG, "the input has no accesses: give one that has some");
	if (!rc && count_pages(s))
		rc = no_memory(err);
	if (rc)
		td_advise_free(s);
	return rc;
}

void td_advise_free(struct td_advise_sample *s)
{
	free(s->at);
	s->at = NULL;
}
