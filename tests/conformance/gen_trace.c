/*
 * gen_trace SHAPE SEED ACCESSES PAGES SPREAD: writes a small random trace as txt to standard
 * output. The same arguments always give the same bytes. Integer arithmetic only, so that this
 * holds on every machine.
 *
 * SHAPE: uniform zipf scan loop strided chunks phases mixed
 * SPREAD, how the numbers 0 .. PAGES-1 become page numbers: dense, offset (from a random start),
 *         clusters (runs of 8 pages anywhere in 64 bits), sparse (single pages anywhere),
 *         top (down from the highest 64-bit number)
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gen {
	uint64_t random; /* state of splitmix64 */
	uint64_t salt;   /* where the spread puts the pages */
	uint64_t pages;
	uint64_t at, length, base, stride; /* the walk of scan, loop, strided and phases */
	uint64_t (*shape)(struct gen *);   /* mixed: the shape of the present burst */
	uint64_t left;                     /* mixed: what is left of it */
	unsigned write_percent;
	enum { NO_REFS, RANDOM_REFS, PAGE_REFS, BURST_REFS } refs;
	uint64_t refs_len, burst; /* how many there are; the one of the present burst */
	bool hex, streams, notes, explicit_reads;
};

static uint64_t mix(uint64_t z)
{
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

static uint64_t draw(struct gen *g, uint64_t below)
{
	g->random += 0x9E3779B97F4A7C15u;
	return mix(g->random) % below;
}

static uint64_t uniform(struct gen *g)
{
	return draw(g, g->pages);
}

/* A uniform draw below a uniform draw, twice: the chance falls with the rank, as zipf's does. */
static uint64_t zipf(struct gen *g)
{
	return draw(g, draw(g, draw(g, g->pages) + 1) + 1);
}

static uint64_t scan(struct gen *g)
{
	return g->at++ % g->pages;
}

/* Round and round in a window, now and then another window. */
static uint64_t loop(struct gen *g)
{
	if (g->length == 0 || draw(g, 200) == 0) {
		g->base = draw(g, g->pages);
		g->length = 1 + draw(g, g->pages);
		g->at = 0;
	}
	return (g->base + g->at++ % g->length) % g->pages;
}

static uint64_t strided(struct gen *g)
{
	if (g->stride == 0 || draw(g, 300) == 0)
		g->stride = 1 + draw(g, 20);
	g->base += g->stride;
	if (g->base >= g->pages)
		g->base = draw(g, g->stride) % g->pages;
	return g->base;
}

/* Round and round over every so manyth page: chunks leave with the same pages touched each time. */
static uint64_t chunks(struct gen *g)
{
	if (g->stride == 0 || draw(g, 1000) == 0)
		g->stride = 2 + draw(g, 7);
	g->at += g->stride;
	if (g->at >= g->pages)
		g->at = 0;
	return g->at;
}

static uint64_t phases(struct gen *g)
{
	if (g->length == 0 || draw(g, 100) == 0) {
		g->base = draw(g, g->pages);
		g->length = 1 + draw(g, g->pages / 4 + 1);
	}
	return (g->base + draw(g, g->length)) % g->pages;
}

static uint64_t mixed(struct gen *g);

static const struct {
	const char *name;
	uint64_t (*next)(struct gen *);
} shapes[] = {
	{"uniform", uniform}, {"zipf", zipf},     {"scan", scan},     {"loop", loop},
	{"strided", strided}, {"chunks", chunks}, {"phases", phases}, {"mixed", mixed},
};

static uint64_t mixed(struct gen *g)
{
	if (g->left == 0) {
		g->shape = shapes[draw(g, 7)].next;
		g->left = 1 + draw(g, 150);
	}
	g->left--;
	return g->shape(g);
}

static uint64_t dense(const struct gen *g, uint64_t i)
{
	(void)g;
	return i;
}

static uint64_t offset(const struct gen *g, uint64_t i)
{
	return g->salt % 1000000 + i;
}

static uint64_t clusters(const struct gen *g, uint64_t i)
{
	return (mix(g->salt + i / 8) & ~(uint64_t)7) + i % 8;
}

static uint64_t sparse(const struct gen *g, uint64_t i)
{
	return mix(g->salt + i);
}

static uint64_t top(const struct gen *g, uint64_t i)
{
	(void)g;
	return UINT64_MAX - i;
}

static const struct {
	const char *name;
	uint64_t (*page)(const struct gen *, uint64_t i);
} spreads[] = {
	{"dense", dense},   {"offset", offset}, {"clusters", clusters},
	{"sparse", sparse}, {"top", top},
};

/* Of the page or of the moment, as instructions are in loops, or of neither. */
static uint64_t draw_ref(struct gen *g, uint64_t i)
{
	if (g->burst == 0 || draw(g, 50) == 0)
		g->burst = 1 + draw(g, g->refs_len);
	switch (g->refs) {
	case PAGE_REFS: return 1 + mix(i / 5) % g->refs_len;
	case BURST_REFS: return g->burst;
	default: return 1 + draw(g, g->refs_len);
	}
}

/* One line, in whichever of the allowed spellings the trace uses. */
static void write_line(struct gen *g, uint64_t i, uint64_t page)
{
	bool write = draw(g, 100) < g->write_percent;

	if (g->notes && draw(g, 20) == 0)
		puts(draw(g, 2) ? "" : "# a line without an access");
	printf(g->hex ? "0x%" PRIx64 : "%" PRIu64, page);
	if (write)
		printf(" w");
	else if (g->explicit_reads)
		printf("\tr");
	if (g->refs)
		printf(" %" PRIu64, draw_ref(g, i));
	if (g->refs && g->streams)
		printf("  %" PRIu64, draw(g, 3));
	puts(g->notes && draw(g, 10) == 0 ? " # note" : "");
}

static void choose_style(struct gen *g)
{
	static const unsigned percents[] = {0, 10, 50, 100}, lengths[] = {0, 3, 9, 40};

	g->salt = draw(g, UINT64_MAX);
	g->write_percent = percents[draw(g, 4)];
	g->hex = draw(g, 3) == 0;
	g->refs_len = lengths[draw(g, 4)];
	g->refs = g->refs_len ? RANDOM_REFS + draw(g, 3) : NO_REFS;
	g->streams = draw(g, 2);
	g->notes = draw(g, 3) == 0;
	g->explicit_reads = draw(g, 2);
}

static int usage(void)
{
	fputs("gen_trace: bad usage: gen_trace SHAPE SEED ACCESSES PAGES SPREAD\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct gen g = {0};
	size_t shape = 0, spread = 0;
	uint64_t accesses;

	if (argc != 6)
		return usage();
	while (shape < sizeof(shapes) / sizeof(*shapes) && strcmp(argv[1], shapes[shape].name))
		shape++;
	while (spread < sizeof(spreads) / sizeof(*spreads) && strcmp(argv[5], spreads[spread].name))
		spread++;
	g.random = strtoull(argv[2], NULL, 10);
	accesses = strtoull(argv[3], NULL, 10);
	g.pages = strtoull(argv[4], NULL, 10);
	if (shape == sizeof(shapes) / sizeof(*shapes) ||
	    spread == sizeof(spreads) / sizeof(*spreads) || !g.pages)
		return usage();
	choose_style(&g);
	for (uint64_t n = 0; n < accesses; n++) {
		uint64_t i = shapes[shape].next(&g);

		write_line(&g, i, spreads[spread].page(&g, i));
	}
	return 0;
}
