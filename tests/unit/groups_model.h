/* A slow model of caches under requests. Before each request it looks up the request's blocks in
 * order, up to the first that is absent: these are the prefix hits. Then it accesses all of them.
 * It knows eight policies, each as a scan over the pages that are there. */
#ifndef TESTS_UNIT_GROUPS_MODEL_H
#define TESTS_UNIT_GROUPS_MODEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tide/event.h"

static const char *const modelled[] = {"fifo",  "lru",    "mru", "lfu", "clock",
				       "sieve", "random", "opt", "gdsf"};
enum { FIFO, LRU, MRU, LFU, CLOCK, SIEVE, RANDOM, OPT, MODELLED, GDSF = MODELLED };
enum { MODEL_EVENTS = 20000 };

/* A trace: event i begins a group if first[i]. */
struct grouped {
	uint64_t *page, *next; /* next: of the same page, UINT64_MAX: never */
	uint8_t *first;
	uint64_t *bytes, *cost; /* NULL: all objects are 1 large and cost 1 */
	size_t n, pages;        /* page numbers are below pages */
};

static inline struct grouped new_trace(size_t n, size_t pages)
{
	struct grouped t = {.n = n, .pages = pages};

	t.page = calloc(n, sizeof *t.page);
	t.next = calloc(n, sizeof *t.next);
	t.first = calloc(n, 1);
	assert_true(t.page && t.next && t.first);
	return t;
}

static inline void free_trace(struct grouped *t)
{
	free(t->page);
	free(t->next);
	free(t->first);
	free(t->bytes);
	free(t->cost);
}

static inline void grouped_look_ahead(struct grouped *t)
{
	uint64_t *seen = calloc(t->pages, sizeof *seen);

	for (size_t i = t->n; i-- > 0;) {
		t->next[i] = seen[t->page[i]] ? seen[t->page[i]] - 1 : UINT64_MAX;
		seen[t->page[i]] = i + 1;
	}
	free(seen);
}

/* Requests that begin like earlier ones, go on in runs, and end at random. */
static inline struct grouped random_trace(size_t pages, unsigned longest, uint64_t seed)
{
	struct grouped t = new_trace(MODEL_EVENTS, pages);
	uint64_t at = 0, left = 0;

	for (size_t i = 0; i < t.n; i++) {
		uint64_t draw = tide_random_next(&seed);
		if (!left) {
			t.first[i] = 1;
			left = 1 + (draw >> 32) % longest;
			at = draw % 3 ? draw % (pages / 8 + 1) : draw % pages;
		}
		t.page[i] = at;
		at = draw % 16 ? (at + 1) % pages : draw % pages;
		left--;
	}
	grouped_look_ahead(&t);
	return t;
}

/* The numbers of all lines' lists. */
static inline size_t read_lines(FILE *f, struct grouped *into)
{
	static char line[1 << 20];
	size_t n = 0;

	rewind(f);
	while (fgets(line, sizeof line, f)) {
		char *at = strchr(strstr(line, "hash_ids"), '[') + 1;
		for (bool first = true; *at != ']'; first = false, n++) {
			uint64_t page = strtoull(at, &at, 10);
			if (into->page) {
				into->page[n] = page;
				into->first[n] = first;
			}
			into->pages = page >= into->pages ? page + 1 : into->pages;
			at += *at == ',';
		}
	}
	return n;
}

static inline struct grouped mooncake(FILE *f)
{
	struct grouped facts = {0};
	size_t n = read_lines(f, &facts);
	struct grouped t = new_trace(n, facts.pages);

	read_lines(f, &t);
	grouped_look_ahead(&t);
	return t;
}

struct model {
	const struct grouped *trace;
	size_t policy;  /* of modelled[] */
	uint64_t *list; /* pages that are there, in the order of the policy */
	size_t n, near, hand;
	uint64_t *used, *uses, *next, *bytes,
		*cost; /* by page; the last two of those that are here */
	bool *here, *mark;
	double *priority, age; /* gdsf */
	uint64_t random, taken, hits, prefix_hits, groups, bypassed;
	uint64_t hit_bytes, fault_bytes, hit_cost, fault_cost;
};

/* Is page a a better victim than page b? */
static inline bool model_sooner(const struct model *m, uint64_t a, uint64_t b)
{
	if (m->policy == LRU)
		return m->used[a] < m->used[b];
	if (m->policy == MRU)
		return m->used[a] > m->used[b];
	if (m->policy == LFU)
		return m->uses[a] < m->uses[b] ||
		       (m->uses[a] == m->uses[b] && m->used[a] < m->used[b]);
	if (m->policy == OPT)
		return m->next[a] > m->next[b] ||
		       (m->next[a] == UINT64_MAX && m->next[b] == UINT64_MAX && a < b);
	if (m->policy == GDSF)
		return m->priority[a] < m->priority[b] ||
		       (!(m->priority[a] > m->priority[b]) && m->used[a] < m->used[b]);
	return false; /* fifo: the first of the list */
}

static inline size_t model_sweep(struct model *m)
{
	size_t i = m->hand < m->n ? m->hand : 0;

	while (m->mark[m->list[i]]) {
		m->mark[m->list[i]] = false;
		i = i + 1 < m->n ? i + 1 : 0;
	}
	m->hand = i;
	return i;
}

static inline void model_evict(struct model *m)
{
	size_t at = 0;

	if (m->policy == CLOCK || m->policy == SIEVE)
		at = model_sweep(m);
	else if (m->policy == RANDOM)
		at = tide_random_next(&m->random) % m->n;
	else
		for (size_t i = 1; i < m->n; i++)
			if (model_sooner(m, m->list[i], m->list[at]))
				at = i;
	m->here[m->list[at]] = false;
	m->age = m->priority[m->list[at]];
	m->taken -= m->bytes[m->list[at]];
	m->n--;
	memmove(m->list + at, m->list + at + 1, (m->n - at) * sizeof *m->list);
	if (m->hand >= m->n)
		m->hand = 0;
}

/* Clock puts a new page just behind its hand, random keeps the order of numbers, the others put it
 * last. */
static inline void model_bring(struct model *m, uint64_t page)
{
	size_t at = m->policy == CLOCK ? m->hand : m->n;

	while (m->policy == RANDOM && at && m->list[at - 1] > page)
		at--;

	memmove(m->list + at + 1, m->list + at, (m->n - at) * sizeof *m->list);
	m->list[at] = page;
	m->n++;
	m->here[page] = true;
	m->uses[page] = 0;
	m->mark[page] = m->policy == CLOCK;
	if (m->policy == CLOCK)
		m->hand = m->n > 1 ? at + 1 : 0;
}

/* false: it is larger than the cache. */
static inline bool model_miss(struct model *m, size_t i)
{
	uint64_t page = m->trace->page[i];
	uint64_t bytes = m->trace->bytes ? m->trace->bytes[i] : 1;
	uint64_t cost = m->trace->cost ? m->trace->cost[i] : 1;

	m->fault_bytes += bytes;
	m->fault_cost += cost;
	m->bypassed += bytes > m->near;
	if (bytes > m->near)
		return false;
	while (m->taken + bytes > m->near)
		model_evict(m);
	m->bytes[page] = bytes;
	m->cost[page] = cost;
	m->taken += bytes;
	model_bring(m, page);
	return true;
}

static inline void model_access(struct model *m, size_t i)
{
	uint64_t page = m->trace->page[i];

	m->next[page] = m->trace->next[i];
	if (m->here[page]) {
		m->hits++;
		m->hit_bytes += m->bytes[page];
		m->hit_cost += m->cost[page];
		m->mark[page] = true;
	} else if (!model_miss(m, i)) {
		return;
	}
	m->used[page] = i;
	m->uses[page]++;
	/* Pages of 16 bytes. */
	m->priority[page] = m->age + (double)m->uses[page] * (double)m->cost[page] /
					     ((double)m->bytes[page] / 16);
}

static inline void model_look_up(struct model *m, size_t i)
{
	m->groups++;
	do {
		if (!m->here[m->trace->page[i]])
			return;
		m->prefix_hits++;
		i++;
	} while (i < m->trace->n && !m->trace->first[i]);
}

/* Frees nothing but its own: the counts stay. */
static inline struct model model_run(const struct grouped *trace, size_t policy, size_t near)
{
	struct model m = {.trace = trace, .policy = policy, .near = near, .random = 1};

	m.priority = calloc(trace->pages, sizeof *m.priority);
	m.list = calloc(trace->pages + 1, sizeof *m.list);
	m.bytes = calloc(trace->pages, sizeof *m.bytes);
	m.cost = calloc(trace->pages, sizeof *m.cost);
	m.used = calloc(trace->pages, sizeof *m.used);
	m.uses = calloc(trace->pages, sizeof *m.uses);
	m.next = calloc(trace->pages, sizeof *m.next);
	m.here = calloc(trace->pages, sizeof *m.here);
	m.mark = calloc(trace->pages, sizeof *m.mark);
	for (size_t i = 0; i < trace->n; i++) {
		if (trace->first[i])
			model_look_up(&m, i);
		model_access(&m, i);
	}
	uint64_t **lists[] = {&m.list, &m.bytes, &m.cost, &m.used, &m.uses, &m.next};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		free(*lists[i]);
		*lists[i] = NULL;
	}
	free(m.here);
	free(m.mark);
	m.here = m.mark = NULL;
	free(m.priority);
	m.priority = NULL;
	return m;
}

#endif
