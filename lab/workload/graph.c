/* Edges are drawn twice from the same seed, once to count them and once to place them: no list of
 * edges is kept beside the graph. */
#include "graph.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tide/event.h"

#define EDGES_PER_NODE 16 /* of a Kronecker graph, undirected */

/* An edge of a Kronecker graph descends LEVELS levels with one draw: 4 bits of its row and 4 of
 * its column. Draw one of the 256 outcomes, then keep it or take the other one of its cell
 * (Walker's alias method), so that each comes up with its probability. */
enum { LEVELS = 4, SIDE = 1 << LEVELS, OUTCOMES = SIDE * SIDE };

struct descent {
	uint32_t keep[OUTCOMES]; /* of 2^24 */
	uint8_t other[OUTCOMES];
};

struct making {
	struct td_graph *g;
	uint64_t seed;
	unsigned scale; /* Kronecker */
	struct descent descent;
	uint32_t *name;        /* the number that a node gets */
	unsigned least, range; /* random: partners drawn are least .. least + range - 1 */
};

/* ---- memory ---- */

/* Memory that can be had without pushing others out; 0: not known. */
static double free_bytes(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	unsigned long long kib = 0;
	char line[128];

	while (f && !kib && fgets(line, sizeof line, f))
		sscanf(line, "MemAvailable: %llu", &kib);
	if (f)
		fclose(f);
	return (double)kib * 1024;
}

int td_graph_fits(const char *who, double bytes, struct tide_error *err)
{
	double free = free_bytes();

	if (free == 0 || bytes <= free)
		return 0;
	return tide_fail(err, -EINVAL,
			 "workload %s: its data needs %.1f GiB of memory and %.1f GiB are free: "
			 "give a smaller size",
			 who, bytes * 0x1p-30, free * 0x1p-30);
}

/* What a graph takes while it is made. */
static double bytes_of(double nodes, double edges)
{
	return nodes * 12 + edges * 4;
}

static int no_memory(const char *who, struct tide_error *err)
{
	return tide_fail(err, -ENOMEM, "workload %s: no memory for its graph: free some", who);
}

/* Places are random: large pages of memory save half the time. */
static void *room_for(uint64_t bytes)
{
	enum { LARGE = 2 << 20 };
	uint64_t whole = (bytes + LARGE - 1) / LARGE * LARGE;
	void *at = aligned_alloc(LARGE, whole);

	if (at)
		(void)madvise(at, whole, MADV_HUGEPAGE);
	return at;
}

void td_graph_free(struct td_graph *g)
{
	free(g->first);
	free(g->to);
	*g = (struct td_graph){0};
}

/* ---- edges ---- */

enum { WAITING = 128 };

/* Edges wait here while the memory that they go to is on its way. */
struct waiting {
	struct td_graph *g;
	unsigned n;
	uint32_t from[WAITING], to[WAITING];
};

/* While counting there is no to, and first[v + 2] counts v's; while placing first[v + 1] is where
 * v's next goes, which in the end is where the next node's begin. */
static void flush(struct waiting *w)
{
	struct td_graph *g = w->g;
	uint64_t at[WAITING];

	for (unsigned i = 0; i < w->n && !g->to; i++)
		g->first[w->from[i] + UINT64_C(2)]++;
	for (unsigned i = 0; i < w->n && g->to; i++) {
		at[i] = g->first[w->from[i] + UINT64_C(1)]++;
		__builtin_prefetch(&g->to[at[i]], 1);
	}
	for (unsigned i = 0; i < w->n && g->to; i++)
		g->to[at[i]] = w->to[i];
	w->n = 0;
}

static inline void add(struct waiting *w, uint32_t from, uint32_t to)
{
	__builtin_prefetch(&w->g->first[from + UINT64_C(1)], 1);
	w->from[w->n] = from;
	w->to[w->n] = to;
	if (++w->n == WAITING)
		flush(w);
}

static int make(const struct making *m, void (*draw)(const struct making *m, struct waiting *w))
{
	struct td_graph *g = m->g;
	struct waiting waiting = {.g = g};

	g->first = room_for((g->nodes + 2) * sizeof *g->first);
	if (!g->first)
		return -ENOMEM;
	memset(g->first, 0, (g->nodes + 2) * sizeof *g->first);
	draw(m, &waiting);
	flush(&waiting);
	for (uint64_t v = 0; v <= g->nodes; v++)
		g->first[v + 1] += g->first[v];
	g->edges = g->first[g->nodes + 1];
	g->to = room_for((g->edges + 1) * sizeof *g->to);
	if (!g->to)
		return -ENOMEM;
	draw(m, &waiting);
	flush(&waiting);
	return 0;
}

/* ---- Kronecker ---- */

/* Probability of an outcome, times how many there are. */
static double weight_of(unsigned outcome)
{
	static const double quarter[] = {.57, .19, .19, .05};
	double weight = OUTCOMES;

	for (unsigned i = 0; i < LEVELS; i++)
		weight *= quarter[(outcome >> (LEVELS + i) & 1) << 1 | (outcome >> i & 1)];
	return weight;
}

/* Cells that weigh less than 1 are filled up from those that weigh more. */
static void prepare(struct descent *d)
{
	double weight[OUTCOMES];
	unsigned heavy = 0;

	for (unsigned i = 0; i < OUTCOMES; i++) {
		weight[i] = weight_of(i);
		d->keep[i] = 1 << 24;
		d->other[i] = (uint8_t)i;
	}
	for (unsigned left = OUTCOMES; left; left--) {
		unsigned light = 0;
		while (light < OUTCOMES && !(weight[light] >= 0 && weight[light] < 1))
			light++;
		while (heavy < OUTCOMES && !(weight[heavy] > 1))
			heavy++;
		if (light == OUTCOMES || heavy == OUTCOMES)
			return;
		d->keep[light] = (uint32_t)(weight[light] * 0x1p24);
		d->other[light] = (uint8_t)heavy;
		weight[heavy] -= 1 - weight[light];
		weight[light] = -1; /* done */
	}
}

static void draw_kronecker(const struct making *m, struct waiting *w)
{
	uint64_t random = m->seed, edges = m->g->nodes * EDGES_PER_NODE, mask = m->g->nodes - 1;
	unsigned draws = (m->scale + LEVELS - 1) / LEVELS;

	for (uint64_t e = 0; e < edges; e++) {
		uint64_t from = 0, to = 0, bits = 0;
		for (unsigned i = 0; i < draws; i++) {
			bits = i % 2 ? bits >> 32 : tide_random_next(&random);
			unsigned cell = bits & (OUTCOMES - 1);
			bool keep = (bits >> 8 & 0xffffff) < m->descent.keep[cell];
			unsigned outcome = keep ? cell : m->descent.other[cell];
			from = from << LEVELS | outcome / SIDE;
			to = to << LEVELS | outcome % SIDE;
		}
		/* Levels past the scale are dropped. */
		uint32_t u = m->name[from & mask], v = m->name[to & mask];
		add(w, u, v);
		add(w, v, u);
	}
}

static uint32_t *shuffled(uint64_t n, uint64_t *random)
{
	uint32_t *name = room_for(n * sizeof *name);

	for (uint64_t i = 0; name && i < n; i++) {
		uint64_t j = tide_random_next(random) % (i + 1);
		name[i] = name[j];
		name[j] = (uint32_t)i;
	}
	return name;
}

int td_graph_kronecker(struct td_graph *g, const char *who, unsigned scale, uint64_t seed,
		       uint64_t extra_bytes, struct tide_error *err)
{
	double nodes = (double)(UINT64_C(1) << scale);
	struct making m = {.g = g, .seed = seed, .scale = scale};
	int rc = td_graph_fits(
		who, bytes_of(nodes, nodes * 2 * EDGES_PER_NODE) + (double)extra_bytes, err);

	if (rc)
		return rc;
	*g = (struct td_graph){.nodes = UINT64_C(1) << scale};
	m.name = shuffled(g->nodes, &m.seed);
	prepare(&m.descent);
	if (!m.name || make(&m, draw_kronecker)) {
		rc = no_memory(who, err);
		td_graph_free(g);
	}
	free(m.name);
	return rc;
}

/* ---- random ---- */

static void draw_random(const struct making *m, struct waiting *w)
{
	uint64_t random = m->seed, nodes = m->g->nodes;

	for (uint64_t v = 0; v < nodes; v++) {
		uint64_t n = m->least + tide_random_next(&random) % m->range;
		for (uint64_t i = 0; i < n; i++) {
			uint32_t partner = (uint32_t)(tide_random_next(&random) % nodes);
			add(w, (uint32_t)v, partner);
			add(w, partner, (uint32_t)v);
		}
	}
}

int td_graph_random(struct td_graph *g, const char *who, uint64_t nodes, unsigned least,
		    unsigned most, uint64_t seed, uint64_t extra_bytes, struct tide_error *err)
{
	struct making m = {.g = g, .seed = seed, .least = least, .range = most - least + 1};
	double edges = (double)nodes * ((double)least + most); /* on average, both ways */
	int rc = 0;

	if (nodes == 0 || nodes > UINT32_MAX || least > most)
		return tide_fail(err, -EINVAL,
				 "workload %s: a graph of this size cannot be numbered: give "
				 "another size",
				 who);
	rc = td_graph_fits(who, bytes_of((double)nodes, edges) + (double)extra_bytes, err);
	if (rc)
		return rc;
	*g = (struct td_graph){.nodes = nodes};
	if (make(&m, draw_random)) {
		rc = no_memory(who, err);
		td_graph_free(g);
	}
	return rc;
}
