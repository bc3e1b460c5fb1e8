/* Accesses in arrays of the program, as a source. */
#include <errno.h>
#include <stdlib.h>

#include "lib.h"
#include "trace/digest.h"

struct arrays {
	struct td_trace_source head; /* must be first */
	struct tide_accesses of;
	uint64_t at;                    /* the next access */
	struct td_trace_digest *digest; /* NULL: not wanted, or known */
	struct tide_batch_object *lent; /* for the digest, if the consumer wants no objects */
};

static void copy_numbers(uint64_t *to, const uint64_t *from, uint64_t at, uint32_t n)
{
	if (from)
		memcpy(to, from + at, n * sizeof *to);
	else
		memset(to, 0, n * sizeof *to);
}

/* The engine shifts them into bitmaps: a 2 would set another page's bit. */
static void copy_flags(uint8_t *to, const uint8_t *from, uint64_t at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] = from && from[at + i];
}

void td_lib_arrays_fill(const struct tide_accesses *of, uint64_t at, uint32_t room,
			struct tide_batch *batch)
{
	uint32_t n = of->n - at < room ? (uint32_t)(of->n - at) : room;
	batch->n = n;
	memcpy(batch->page, of->page + at, n * sizeof *batch->page);
	copy_numbers(batch->ref, of->ref, at, n);
	copy_numbers(batch->stream, of->stream, at, n);
	copy_flags(batch->write, of->write, at, n);
	if (!batch->object)
		return;
	copy_flags(batch->object->first, of->first, at, n);
	copy_numbers(batch->object->bytes, of->bytes, at, n);
	copy_numbers(batch->object->cost, of->cost, at, n);
}

int td_lib_take_accesses(struct tide_accesses *own, const struct tide_accesses *given,
			 struct tide_error *err)
{
	*own = (struct tide_accesses){0};
	int rc = TD_LIB_TAKE(own, given, tide_accesses, err);
	if (!rc && own->n && !own->page)
		rc = tide_fail(err, -EINVAL, "struct tide_accesses has no pages: set `page`");
	return rc;
}

static void put_digest(struct arrays *a, const struct tide_batch *batch)
{
	uint64_t digest[2];
	if (!a->digest)
		return;
	td_trace_digest_put(a->digest, batch, a->of.ref, a->of.stream);
	if (batch->object && td_trace_has_objects(&a->head))
		td_trace_digest_objects(a->digest, batch->object, batch->n);
	if (a->at < a->of.n || td_trace_digest_end(a->digest, digest) != a->of.n)
		return;
	memcpy(a->head.facts.digest, digest, sizeof digest);
	td_trace_digest_free(a->digest);
	a->digest = NULL;
}

static int next(struct td_trace_source *source, struct tide_batch *batch, struct tide_error *err)
{
	struct arrays *a = (struct arrays *)source;
	bool lend = a->digest && a->lent && !batch->object;
	(void)err;
	batch->marks_n = 0;
	if (lend)
		batch->object = a->lent;
	td_lib_arrays_fill(&a->of, a->at, TIDE_BATCH, batch);
	a->at += batch->n;
	if (batch->n)
		put_digest(a, batch);
	if (lend)
		batch->object = NULL;
	return 0;
}

static int rewind_arrays(struct td_trace_source *source, struct tide_error *err)
{
	struct arrays *a = (struct arrays *)source;
	(void)err;
	a->at = 0;
	if (a->digest)
		td_trace_digest_restart(a->digest);
	return 0;
}

static void close_arrays(struct td_trace_source *source)
{
	struct arrays *a = (struct arrays *)source;
	td_trace_digest_free(a->digest);
	free(a->lent);
	free(a);
}

static const struct td_trace_source_ops ops = {
	.format = "arrays", .next = next, .rewind = rewind_arrays, .close = close_arrays};

static int make_digest(struct arrays *a)
{
	a->digest = td_trace_digest_new();
	if (td_trace_has_objects(&a->head))
		a->lent = calloc(1, sizeof *a->lent);
	return a->digest && !a->lent == !td_trace_has_objects(&a->head) ? 0 : -ENOMEM;
}

int td_lib_arrays_open(struct td_trace_source **out, const struct tide_accesses *of, bool digest,
		       struct tide_error *err)
{
	struct arrays *a = calloc(1, sizeof *a);
	int rc = a ? td_lib_take_accesses(&a->of, of, err)
		   : tide_fail(err, -ENOMEM, "out of memory");
	if (!rc && !a->of.n)
		rc = tide_fail(err, -EBADMSG, "there are no accesses: give at least one");
	if (rc) {
		free(a);
		return rc;
	}
	a->head = (struct td_trace_source){.ops = &ops,
					   .facts = TD_TRACE_NO_FACTS,
					   .groups = a->of.first,
					   .sizes = a->of.bytes,
					   .costs = a->of.cost};
	a->head.facts.accesses = a->of.n;
	if (!a->of.ref)
		a->head.facts.refs = 0;
	*out = &a->head;
	if (digest && make_digest(a)) {
		close_arrays(*out);
		return tide_fail(err, -ENOMEM, "out of memory");
	}
	return 0;
}
