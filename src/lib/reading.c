#include "reading.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "kept.h"
#include "lib.h"

#define SHARE_OF_MEMORY 8

struct td_lib_reading {
	struct td_lib_room *room;
	pthread_mutex_t lock; /* of what follows, until it was read */
	bool was_read, is_kept, was_numbered, is_numbered;
	int64_t bytes; /* taken from the room */
	struct td_lib_kept kept;
	struct td_trace_source *source; /* its allocations are those of all runs */
	struct td_trace_facts facts;    /* before it was read, but for the digest */
	struct td_trace_source_ops ops;
};

/* ---- room ---- */

void td_lib_room_init(struct td_lib_room *room)
{
	int64_t pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	int64_t share = pages > 0 && page_bytes > 0 ? pages / SHARE_OF_MEMORY * page_bytes : 0;
	room->left_bytes = share && share < TD_LIB_ROOM_BYTES ? share : TD_LIB_ROOM_BYTES;
}

static bool take_room(struct td_lib_reading *r, uint64_t bytes)
{
	r->bytes += (int64_t)bytes;
	return atomic_fetch_sub(&r->room->left_bytes, (int64_t)bytes) >= (int64_t)bytes;
}

static void drop(struct td_lib_reading *r)
{
	td_trace_close(r->source);
	td_lib_kept_free(&r->kept);
	atomic_fetch_add(&r->room->left_bytes, r->bytes);
	r->source = NULL;
	r->bytes = 0;
}

/* ---- what is kept, as a source ---- */

struct view {
	struct td_trace_source head; /* must be first */
	struct td_lib_reading *of;
	size_t at; /* batch */
};

static int next(struct td_trace_source *source, struct tide_batch *batch, struct tide_error *err)
{
	struct view *v = (struct view *)source;
	(void)err;
	batch->n = batch->marks_n = 0;
	if (v->at < v->of->kept.n)
		td_lib_kept_copy(&v->of->kept, v->at++, batch);
	return 0;
}

static int rewind_view(struct td_trace_source *source, struct tide_error *err)
{
	(void)err;
	((struct view *)source)->at = 0;
	return 0;
}

static void close_view(struct td_trace_source *source)
{
	free(source);
}

/* ---- reading ---- */

/* What may be too long is known before it is read, if the source says how long it is. */
static bool may_fit(const struct td_lib_reading *r)
{
	uint64_t accesses = r->facts.accesses;
	return !r->source->marks &&
	       (accesses == TD_UNKNOWN ||
		accesses <= (uint64_t)(r->room->left_bytes > 0 ? r->room->left_bytes : 0) /
				    sizeof(uint64_t));
}

static int keep_all(struct td_lib_reading *r)
{
	struct {
		struct tide_batch batch;
		struct tide_batch_object object;
	} *own = calloc(1, sizeof *own);
	uint64_t bytes;
	int rc = own ? 0 : -ENOMEM;
	if (own && td_trace_has_objects(r->source))
		own->batch.object = &own->object;
	while (!rc && !(rc = td_trace_next(r->source, &own->batch, NULL)) && own->batch.n) {
		rc = td_lib_kept_append(&r->kept, &own->batch, &bytes);
		if (!rc && !take_room(r, bytes))
			rc = -ENOMEM;
	}
	free(own);
	return rc;
}

/* Whatever goes wrong, a run that reads for itself says what. */
static bool read_input(struct td_lib_reading *r, const struct td_lib_input *given)
{
	struct td_lib_input in = *given;
	in.trace.digest = true;
	if (td_lib_input_open(&r->source, &in, NULL))
		return false;
	r->facts = r->source->facts;
	r->ops = (struct td_trace_source_ops){.format = r->source->ops->format,
					      .next = next,
					      .rewind = rewind_view,
					      .close = close_view};
	if (!may_fit(r) || keep_all(r))
		return false;
	memcpy(r->facts.digest, r->source->facts.digest, sizeof r->facts.digest);
	return true;
}

bool td_lib_reading_open(struct td_lib_reading *r, const struct td_lib_input *in,
			 struct td_trace_source **out)
{
	pthread_mutex_lock(&r->lock);
	if (!r->was_read) {
		r->was_read = true;
		r->is_kept = read_input(r, in);
		if (!r->is_kept)
			drop(r);
	}
	pthread_mutex_unlock(&r->lock);
	struct view *v = r->is_kept ? calloc(1, sizeof *v) : NULL;
	if (!v)
		return false;
	v->head = *r->source;
	v->head.ops = &r->ops;
	v->head.facts = r->facts;
	v->head.names = false;
	v->of = r;
	*out = &v->head;
	return true;
}

/* ---- the pages' numbers ---- */

/* The map of the pages is not counted: it stands for those of the runs. */
static bool number_pages(struct td_lib_reading *r)
{
	return take_room(r, sizeof(uint32_t) * r->kept.accesses) && !td_lib_kept_number(&r->kept);
}

/* Only chunks of one page have these indices, and a run that prefetches may need more of them.
 * Where pages lie densely, they are their own indices. */
static bool can_share(const struct td_trace_source *source, const struct td_engine *e)
{
	return source->ops->next == next && e->single_pages && !e->wants_future &&
	       !e->space.identity;
}

int td_lib_reading_share(const struct td_trace_source *source, struct td_engine *e,
			 const struct td_lib_kept **numbered, struct tide_error *err)
{
	*numbered = NULL;
	if (!can_share(source, e))
		return 0;
	/* What is kept does not change but for the numbers, which are under the lock. */
	struct td_lib_reading *r = ((const struct view *)source)->of;
	pthread_mutex_lock(&r->lock);
	if (!r->was_numbered) {
		r->was_numbered = true;
		r->is_numbered = number_pages(r);
	}
	pthread_mutex_unlock(&r->lock);
	if (!r->is_numbered)
		return 0;
	int rc = td_lib_kept_share(&r->kept, e, err);
	*numbered = e->borrows ? &r->kept : NULL;
	return rc;
}

/* ---- life ---- */

struct td_lib_reading *td_lib_reading_new(struct td_lib_room *room)
{
	struct td_lib_reading *r = calloc(1, sizeof *r);
	if (r && td_lib_kept_init(&r->kept)) {
		free(r);
		return NULL;
	}
	if (r) {
		r->room = room;
		pthread_mutex_init(&r->lock, NULL);
	}
	return r;
}

bool td_lib_reading_is_kept(struct td_lib_reading *r)
{
	pthread_mutex_lock(&r->lock);
	bool kept = r->is_kept;
	pthread_mutex_unlock(&r->lock);
	return kept;
}

void td_lib_reading_free(struct td_lib_reading *r)
{
	if (!r)
		return;
	if (r->is_kept || !r->was_read)
		drop(r);
	pthread_mutex_destroy(&r->lock);
	free(r);
}
