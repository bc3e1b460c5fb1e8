#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/assert.h"
#include "core/params.h"
#include "core/text.h"
#include "generator.h"

#define PATTERN_PAGE_BYTES 4096

static void mark_writes(struct td_workload_generator *g, struct tide_batch *batch)
{
	if (g->write_share == 0 || g->write_share == UINT64_MAX) {
		memset(batch->write, g->write_share != 0, batch->n);
		return;
	}
	for (uint32_t i = 0; i < batch->n; i++)
		batch->write[i] = tide_random_next(&g->write_random) < g->write_share;
}

static void mark_refs(const struct td_workload_generator *g, struct tide_batch *batch)
{
	for (uint32_t i = 0; i < batch->n; i++)
		batch->ref[i] = 1 + batch->page[i] / g->ref_pages;
}

static int next(struct td_trace_source *s, struct tide_batch *batch, struct tide_error *err)
{
	struct td_workload_generator *g = (struct td_workload_generator *)s;
	uint64_t left = s->facts.accesses - g->done;

	(void)err;
	batch->n = left < TIDE_BATCH ? (uint32_t)left : TIDE_BATCH;
	if (batch->n == 0)
		return 0;
	g->fill(g, batch);
	if (!g->own_writes)
		mark_writes(g, batch);
	if (g->ref_pages)
		mark_refs(g, batch);
	g->done += batch->n;
	s->bytes_done = g->done;
	return 0;
}

static int restart(struct td_trace_source *s, struct tide_error *err)
{
	struct td_workload_generator *g = (struct td_workload_generator *)s;

	(void)err;
	g->done = 0;
	s->bytes_done = 0;
	g->write_random = g->write_seed;
	g->start(g);
	return 0;
}

static void finish(struct td_trace_source *s)
{
	free(s);
}

static const struct td_trace_source_ops workload_ops = {
	.format = "workload",
	.next = next,
	.rewind = restart,
	.close = finish,
};

static int check_plan(const struct td_workload_plan *plan, struct tide_error *err)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(plan->range, plan->page_bytes, &bytes))
		return tide_fail(err, -EINVAL,
				 "workload %s: its pages do not fit 64-bit addresses: "
				 "give fewer or smaller pages",
				 plan->name);
	if (plan->refs > plan->range)
		return tide_fail(err, -EINVAL,
				 "workload %s: refs is more than its pages: give at most %" PRIu64,
				 plan->name, plan->range);
	return 0;
}

int td_workload_new(void **out, size_t bytes, const struct td_workload_plan *plan,
		    struct tide_error *err)
{
	struct td_workload_generator *g;
	int rc = check_plan(plan, err);

	if (rc)
		return rc;
	g = calloc(1, bytes);
	if (!g)
		return tide_fail(err, -ENOMEM, "workload %s: no memory to generate it: free some",
				 plan->name);
	g->head.ops = &workload_ops;
	g->head.facts = (struct td_trace_facts){
		plan->accesses, plan->pages, plan->last_page, plan->refs > 0, {0, 0}};
	g->head.bytes_total = plan->accesses;
	g->write_share = plan->writes < 1 ? (uint64_t)(plan->writes * 0x1p64) : UINT64_MAX;
	/* Writes draw from a sequence of their own, so that their share does not change the
	 * pages. */
	g->write_seed = ~tide_hash64(plan->seed);
	if (plan->refs)
		g->ref_pages = (plan->range - 1) / plan->refs + 1;
	*out = g;
	return 0;
}

int td_workload_ready(struct td_trace_source **out, struct td_workload_generator *g)
{
	*out = &g->head;
	return restart(&g->head, NULL);
}

int td_workload_rounds(const char *name, uint64_t rounds, uint64_t pages, uint64_t *accesses,
		       struct tide_error *err)
{
	if (*accesses == 0 && __builtin_mul_overflow(rounds, pages, accesses))
		return tide_fail(err, -EINVAL,
				 "workload %s: rounds times pages is more than 64 bits "
				 "hold: give fewer rounds",
				 name);
	return 0;
}

static int fail_unknown(const char *name, struct tide_error *err)
{
	size_t n = 0, used = 0;
	const char *names[256], *near;
	char list[384] = "";

	for (const struct td_workload *w; n < 256 && (w = td_workload_at(n)); n++) {
		names[n] = w->name;
		if (used < sizeof list)
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
						 n ? ", " : "", names[n]);
	}
	if (*td_core_spec_meant(name).text)
		return tide_fail(err, -EINVAL,
				 "unknown workload %s: parameters follow a colon, write %s", name,
				 td_core_spec_meant(name).text);
	near = td_core_nearest(name, names, n);
	return tide_fail(err, -EINVAL, "unknown workload %s%s%s%s: known are %s", name,
			 near ? " (did you mean " : "", near ? near : "", near ? "?)" : "", list);
}

/* Set once, before main(): the one table that a library has added. */
static const struct td_workload *const *registered;

void td_workload_register(const struct td_workload *const *table)
{
	td_assert(!registered);
	registered = table;
}

/* Both tables are sorted, so that the next by name is at the head of one of them. */
const struct td_workload *td_workload_at(size_t i)
{
	static const struct td_workload *const none[] = {NULL};
	const struct td_workload *const *a = td_workload_patterns;
	const struct td_workload *const *b = registered ? registered : none;

	for (;; i--) {
		bool from_a = *a && (!*b || strcmp((*a)->name, (*b)->name) < 0);
		const struct td_workload *w = from_a ? *a++ : *b ? *b++ : NULL;
		if (!w || i == 0)
			return w;
	}
}

static const struct td_workload *find_in(const struct td_workload *const *w, const char *name,
					 size_t len)
{
	while (w && *w && (strncmp((*w)->name, name, len) != 0 || (*w)->name[len]))
		w++;
	return w ? *w : NULL;
}

const struct td_workload *td_workload_find(const char *spec)
{
	size_t len = td_core_spec_name(spec);
	const struct td_workload *w = find_in(td_workload_patterns, spec, len);

	return w ? w : find_in(registered, spec, len);
}

uint64_t td_workload_page_bytes(const struct td_workload *w)
{
	return w && w->kind ? w->kind->page_bytes(w) : PATTERN_PAGE_BYTES;
}

/* The generator and all that it is given: the same text gives the same events. */
static int make_digest(const struct td_workload *w, const union tide_value *values,
		       uint64_t page_bytes, uint64_t seed, uint64_t digest[2])
{
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	if (!to)
		return -ENOMEM;
	fprintf(to, "%s\npage=%" PRIx64 "\nseed=%" PRIx64 "\n", w->name, page_bytes, seed);
	for (size_t i = 0; w->params && w->params[i].name; i++)
		td_core_put_param(to, &w->params[i], &values[i]);
	if (fclose(to) != 0) {
		free(text);
		return -ENOMEM;
	}
	XXH128_hash_t h = XXH3_128bits(text, bytes);
	digest[0] = h.high64;
	digest[1] = h.low64;
	free(text);
	return 0;
}

/* The workload of a spec, and its values. */
static int choose(const char *spec, const struct td_workload **w, union tide_value **values,
		  struct tide_error *err)
{
	struct td_core_word name = td_core_shown(spec, td_core_spec_name(spec));
	char who[80];

	*w = td_workload_find(spec);
	if (!*w)
		return fail_unknown(name.text, err);
	snprintf(who, sizeof who, "workload %s", name.text);
	return td_core_params((*w)->params, spec, who, values, err);
}

int td_workload_digest(const char *spec, uint64_t page_bytes, uint64_t seed, uint64_t digest[2],
		       struct tide_error *err)
{
	const struct td_workload *w;
	union tide_value *values;
	int rc = choose(spec, &w, &values, err);

	if (rc)
		return rc;
	rc = make_digest(w, values, page_bytes, seed, digest);
	free(values);
	return rc ? tide_fail(err, rc, "workload %s: no memory to look at it: free some", w->name)
		  : 0;
}

int td_workload_open(struct td_trace_source **out, const char *spec, uint64_t page_bytes,
		     uint64_t seed, struct tide_error *err)
{
	const struct td_workload *w;
	union tide_value *values;
	uint64_t digest[2];
	int rc = choose(spec, &w, &values, err);

	if (rc)
		return rc;
	if (page_bytes == 0)
		rc = tide_fail(err, -EINVAL, "workload %s: pages of 0 bytes: give a page size",
			       w->name);
	if (!rc && make_digest(w, values, page_bytes, seed, digest))
		rc = tide_fail(err, -ENOMEM, "workload %s: no memory to generate it: free some",
			       w->name);
	if (!rc)
		rc = w->open(out, w, values, page_bytes, seed, err);
	if (!rc)
		memcpy((*out)->facts.digest, digest, sizeof digest);
	free(values);
	return rc;
}
