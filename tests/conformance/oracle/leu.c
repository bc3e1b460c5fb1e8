/* LEU: section 6 of the policies' specification, by exhaustive search. List a holds the resident
 * pages in the order of their coming in. */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

#define BINS (64 + 58 * 8)

struct entry {
	uint64_t ref;
	uint64_t made, credited; /* times; credited begins as made */
	uint64_t n;
	uint64_t reuses[BINS];
};

struct fraction {
	unsigned __int128 up, down;
};

struct leu {
	struct entry *at;
	size_t n, room;
	struct decimal sample;
	bool by_page, trained;
	bool next; /* edge=next */
};

/* ---- bins ---- */

static unsigned log2_floor(uint64_t x)
{
	unsigned e = 0;

	while (x >>= 1)
		e++;
	return e;
}

static size_t bin_of(uint64_t ri)
{
	unsigned e = log2_floor(ri);

	if (ri < 64)
		return (size_t)ri;
	return 64 + (e - 6) * 8 + (size_t)((ri - ((uint64_t)1 << e)) >> (e - 3));
}

static uint64_t upper_edge(size_t bin)
{
	unsigned e = (unsigned)(bin - 64) / 8 + 6;

	if (bin < 64)
		return bin;
	return ((uint64_t)1 << e) + (((bin - 64) % 8 + 1) << (e - 3)) - 1;
}

/* ---- the table ---- */

static struct entry *find(struct leu *x, uint64_t ref)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->at[i].ref == ref)
			return &x->at[i];
	return NULL;
}

static struct entry *least_recent(struct leu *x)
{
	struct entry *best = x->at;

	for (struct entry *y = x->at; y < x->at + x->n; y++)
		if (y->credited < best->credited ||
		    (y->credited == best->credited && y->ref < best->ref))
			best = y;
	return best;
}

static struct entry *make(struct leu *x, uint64_t ref, uint64_t t)
{
	struct entry *entry = x->n < x->room ? &x->at[x->n++] : least_recent(x);

	memset(entry, 0, sizeof(*entry));
	entry->ref = ref;
	entry->made = entry->credited = t;
	return entry;
}

static void learn(struct leu *x, const struct state *page, uint64_t ref, uint64_t t)
{
	struct entry *previous = page->t_last ? find(x, page->ref) : NULL, *own;

	if (previous && page->t_last >= previous->made) {
		previous->reuses[bin_of(t - page->t_last)]++;
		previous->credited = t;
	}
	own = find(x, ref);
	if (!own)
		own = make(x, ref, t);
	own->n++;
}

static void observe(struct evictor *e, uint32_t c, const struct access *a, uint64_t t, bool learns)
{
	struct leu *x = e->own;
	struct state *page = state(e, c);
	uint64_t ref = x->by_page ? a->page : a->ref;

	if (learns && below_share(hash(a->page), x->sample))
		learn(x, page, ref, t);
	page->ref = ref;
	page->t_last = t;
}

/* ---- life ---- */

static void train(struct evictor *e, const char *name)
{
	struct access *trace;
	size_t n;

	read_trace(name, &trace, &n);
	for (size_t i = 0; i < n; i++)
		observe(e, chunk_of(e->o, trace[i].page), &trace[i], i + 1, true);
	free(trace);
	memset(e->states, 0, e->states_len * sizeof(*e->states));
}

static bool has_refs(const struct oracle *o)
{
	for (size_t i = 0; i < o->trace_len; i++)
		if (o->trace[i].ref)
			return true;
	return false;
}

static void create(struct evictor *e)
{
	struct leu *x = e->own = own_state(sizeof(*x));
	const char *by = param(e->spec, "by"), *trace = param(e->spec, "train");
	const char *edge = param(e->spec, "edge");

	if (by && strcmp(by, "page") && strcmp(by, "ref"))
		usage("leu goes by ref or by page");
	if (edge && strcmp(edge, "bin") && strcmp(edge, "next"))
		usage("leu's edge is bin or next");
	x->by_page = by && !strcmp(by, "page");
	x->next = !edge || !strcmp(edge, "next");
	if (!x->by_page && !has_refs(e->o))
		usage("a trace without refs");
	x->room = param_number(e->spec, "refs", 1024);
	x->at = must(calloc(x->room, sizeof(*x->at)));
	x->sample = param_decimal(e->spec, "sample", "1");
	if (trace)
		train(e, trace);
	x->trained = trace;
}

static void accessed(struct evictor *e, uint32_t c, const struct access *a, bool hit)
{
	const struct leu *x = e->own;

	(void)hit;
	observe(e, c, a, e->o->counts.accesses, !x->trained);
}

/* ---- the choice ---- */

static bool less(struct fraction a, struct fraction b)
{
	return a.up * b.down < b.up * a.down;
}

static struct fraction priority(const struct entry *entry, uint64_t tesla, bool next)
{
	struct fraction best = {0, 1};
	size_t ahead = next ? bin_of(tesla + 1) : bin_of(tesla) + 1;
	uint64_t g = 0, k = 0;

	for (size_t i = 0; i < ahead; i++)
		g += entry->reuses[i];
	if (entry->n == g)
		return best;
	for (size_t i = ahead; i < BINS; i++) {
		struct fraction f;

		k += entry->reuses[i];
		f.up = k;
		f.down = (unsigned __int128)(entry->n - g) * (upper_edge(i) - tesla);
		if (entry->reuses[i] && less(best, f))
			best = f;
	}
	return best;
}

static uint32_t victim(struct evictor *e)
{
	struct leu *x = e->own;
	struct fraction lowest = {0, 1};
	uint32_t best = NONE;

	for (size_t i = 0; i < e->a.n; i++) {
		uint32_t c = e->a.at[i];
		const struct entry *entry = find(x, state(e, c)->ref);
		uint64_t t_last = state(e, c)->t_last;
		struct fraction p = {0, 1};

		if (!valid(e->o, c))
			continue;
		if (entry)
			p = priority(entry, e->o->counts.accesses - t_last, x->next);
		if (best == NONE || less(p, lowest) ||
		    (!less(lowest, p) && t_last < state(e, best)->t_last)) {
			best = c;
			lowest = p;
		}
	}
	return best;
}

const struct evict leu_evictors[] = {
	{.name = "leu",
	 .keys = "by edge refs sample train",
	 .single = true,
	 .create = create,
	 .victim = victim,
	 .evicted = leave,
	 .migrated = enter_once,
	 .accessed = accessed},
	{0},
};
