/* Three tiers: section 7 of the policies' specification. */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

#define PAIRS_PER_FIT 10000
#define PAIRS_MOST 262144

struct memory {                      /* what reuse keeps about a page */
	uint64_t t_last, evicted_at; /* 0: never */
	unsigned prev;               /* tier, 0: none */
	bool kept;
};

struct reuse {
	struct memory *at;
	size_t length;
	unsigned weight[4][4];
	double m, b;
	unsigned __int128 sx, sy, sxx, sxy;
	uint64_t pairs;
	unsigned kept;            /* for the present eviction */
	unsigned char *decisions; /* all of them, 2 or 3 */
	size_t decided, decisions_room;
	uint64_t window;
	bool replace; /* a page predicted in tier 2 takes the place of the oldest there */
};

/* ---- tier 2 ---- */

void look_up_tier2(struct oracle *o, uint32_t c)
{
	if (!list_drop(&o->place->tier2, c)) {
		o->counts.tier2_misses++;
		o->counts.tier3_reads++;
		return;
	}
	o->counts.tier2_hits++;
	if (list_drop(&o->place->dirty, c))
		o->chunks[c].dirty = 1;
}

static void put_in_tier2(struct oracle *o, uint32_t c)
{
	struct list *tier2 = &o->place->tier2, *dirty = &o->place->dirty;

	if (tier2->n == o->host && list_drop(dirty, list_take(tier2, 0)))
		o->counts.tier3_writes++;
	list_push(tier2, c);
	if (o->chunks[c].dirty)
		list_push(dirty, c);
}

void place_victim(struct oracle *o, uint32_t c, enum answer to)
{
	if (to == TIER2)
		put_in_tier2(o, c);
	else if (o->chunks[c].dirty)
		o->counts.tier3_writes++;
}

void flush_tiers(struct oracle *o)
{
	for (uint32_t c = 0; c < o->chunk_len; c++)
		o->counts.tier3_writes += o->chunks[c].resident && o->chunks[c].dirty;
	o->counts.tier3_writes += o->place->dirty.n;
}

static bool has_free_slot(const struct placer *p)
{
	return p->tier2.n < p->o->host;
}

/* ---- bam, tier-order, random ---- */

static enum answer bam_choose(struct placer *p, uint32_t c)
{
	(void)p;
	(void)c;
	return TIER3;
}

static enum answer order_choose(struct placer *p, uint32_t c)
{
	(void)c;
	return p->o->host ? TIER2 : TIER3;
}

static enum answer random_choose(struct placer *p, uint32_t c)
{
	bool lucky = below_share(next_random(p->o), param_decimal(p->spec, "p", "0.5"));

	return lucky ? order_choose(p, c) : TIER3;
}

/* ---- reuse ---- */

static struct memory *memory(struct placer *p, uint32_t c)
{
	struct reuse *x = p->own;

	if (c >= x->length) {
		size_t length = p->o->chunk_room;

		x->at = must(realloc(x->at, length * sizeof(*x->at)));
		memset(x->at + x->length, 0, (length - x->length) * sizeof(*x->at));
		x->length = length;
	}
	return &x->at[c];
}

static void reuse_create(struct placer *p)
{
	struct reuse *x = p->own = own_state(sizeof(*x));

	x->m = 1;
	x->window = param_number(p->spec, "window", 1024);
	x->replace = param_number(p->spec, "replace", 1);
}

static unsigned correct_tier(const struct placer *p, uint64_t rvtd)
{
	const struct reuse *x = p->own;
	double rrd = x->m * (double)rvtd + x->b;

	if (rrd < 0)
		rrd = 0;
	if (rrd > (double)rvtd)
		rrd = (double)rvtd;
	return rrd < (double)p->o->near ? 1 : rrd < (double)(p->o->near + p->o->host) ? 2 : 3;
}

static void reuse_fault(struct placer *p, uint32_t c)
{
	struct reuse *x = p->own;
	struct memory *page = memory(p, c);
	unsigned correct, *row = x->weight[page->prev];

	if (!page->evicted_at)
		return;
	correct = correct_tier(p, p->o->counts.accesses - page->evicted_at);
	if (page->prev) {
		if (row[correct] == 63)
			for (int i = 1; i <= 3; i++)
				row[i] /= 2;
		row[correct]++;
	}
	page->prev = correct;
}

/* The greatest weight; ties to prev, then to the smaller number. */
static unsigned predict(const struct reuse *x, unsigned prev)
{
	const unsigned *row = x->weight[prev];
	unsigned best = prev;

	for (unsigned i = 1; i <= 3; i++)
		if (row[i] > row[best])
			best = i;
	return best;
}

static bool mostly_tier3(const struct reuse *x)
{
	size_t n = x->decided < x->window ? x->decided : (size_t)x->window, threes = 0;

	for (size_t i = x->decided - n; i < x->decided; i++)
		threes += x->decisions[i] == 3;
	return n > 0 && 100 * threes > 80 * n;
}

static void record(struct reuse *x, enum answer decision)
{
	if (x->decided == x->decisions_room) {
		x->decisions_room = x->decisions_room ? 2 * x->decisions_room : 1024;
		x->decisions = must(realloc(x->decisions, x->decisions_room));
	}
	x->decisions[x->decided++] = (unsigned char)decision;
}

/* Is there a slot for a page of that prediction? 0: it has no prev, and takes a free one only. */
static bool has_slot(const struct placer *p, unsigned predicted)
{
	const struct reuse *x = p->own;

	if (predicted == 3)
		return false;
	return has_free_slot(p) || (predicted == 2 && x->replace && p->o->host);
}

static enum answer decide(struct placer *p, unsigned predicted)
{
	struct reuse *x = p->own;
	enum answer decision = has_slot(p, predicted) ? TIER2 : TIER3;
	bool rule = mostly_tier3(x);

	record(x, decision);
	if (decision == TIER3 && rule && has_free_slot(p))
		return TIER2;
	return decision;
}

static enum answer reuse_choose(struct placer *p, uint32_t c)
{
	struct reuse *x = p->own;
	struct memory *page = memory(p, c);
	unsigned predicted = page->prev ? predict(x, page->prev) : 0;

	if (predicted == 1 && !page->kept && x->kept < 64) {
		page->kept = true;
		x->kept++;
		return KEEP;
	}
	x->kept = 0;
	return decide(p, predicted == 1 ? 2 : predicted);
}

static void reuse_evicted(struct placer *p, uint32_t c)
{
	memory(p, c)->kept = false;
	memory(p, c)->evicted_at = p->o->counts.accesses;
}

static void fit(struct reuse *x)
{
	__int128 n = (__int128)x->pairs, sx = (__int128)x->sx, sy = (__int128)x->sy;
	__int128 covariance = n * (__int128)x->sxy - sx * sy;
	__int128 variance = n * (__int128)x->sxx - sx * sx;
	double m, product;

	if (variance == 0 || covariance <= 0)
		return;
	m = (double)covariance / (double)variance;
	product = m * (double)sx;
	x->m = m;
	x->b = ((double)sy - product) / (double)n;
}

static uint64_t distinct_since(const struct reuse *x, uint64_t t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < x->length; i++)
		n += x->at[i].t_last > t;
	return n;
}

static void reuse_accessed(struct placer *p, uint32_t c)
{
	struct reuse *x = p->own;
	struct memory *page = memory(p, c);
	uint64_t t = p->o->counts.accesses, vtd = t - page->t_last, rd;

	if (page->t_last && x->pairs < PAIRS_MOST) {
		rd = distinct_since(x, page->t_last);
		x->pairs++;
		x->sx += vtd;
		x->sy += rd;
		x->sxx += (unsigned __int128)vtd * vtd;
		x->sxy += (unsigned __int128)vtd * rd;
		if (x->pairs % PAIRS_PER_FIT == 0)
			fit(x);
	}
	page->t_last = t;
}

static const struct place placements[] = {
	{.name = "bam", .choose = bam_choose},
	{.name = "tier-order", .choose = order_choose},
	{.name = "random", .keys = "p", .choose = random_choose},
	{.name = "reuse",
	 .keys = "replace window",
	 .create = reuse_create,
	 .fault = reuse_fault,
	 .choose = reuse_choose,
	 .evicted = reuse_evicted,
	 .accessed = reuse_accessed},
};

struct placer *open_placer(struct oracle *o, const struct spec *spec)
{
	struct placer *p = own_state(sizeof(*p));

	for (size_t i = 0; i < sizeof(placements) / sizeof(*placements); i++)
		if (!strcmp(placements[i].name, spec->name))
			p->how = &placements[i];
	if (!p->how)
		usage("unknown placement policy");
	check_keys(spec, p->how->keys);
	p->o = o;
	p->spec = spec;
	if (p->how->create)
		p->how->create(p);
	return p;
}
