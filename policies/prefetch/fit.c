/* Brings in as many pages with a fault as the program uses there. Memory is divided into regions,
 * and each has a unit: an aligned run of 1, 2, 4, ... pages, up to the whole chunk. A fault brings
 * in the unit around its page.
 *
 * The policy learns from faults and evictions alone, so that it works where nobody sees which of
 * the pages that came are touched. Now and then a chunk is a sample: its faults bring in one page
 * each, and the policy notes when.
 *
 *     used        x x . .  . . . .  . . . x  . . . .
 *     unit 1      3 faults for 3 pages
 *     unit 2      2 faults for 4 pages
 *     unit 16     1 fault for 16 pages
 *
 * One fault is worth `worth` pages, so each sample gives every unit a cost. The unit with the
 * lowest mean cost of late samples is the region's. Long units have a cost that one sample does not
 * show: if each fault brings in n pages, whatever came is gone n times as soon. So a page that is
 * used later than that counts as a fault of its own.
 *
 * When single pages have cost more than the whole chunk would have, the sample is over. The rest of
 * the chunk comes, and all of it counts as used. */
#include <errno.h>
#include <stdlib.h>

#include "tree.h"

#define LEVELS 7 /* units of 1 to 64 pages */
#define REGIONS_LEAST 1024u
#define REGIONS_MOST 65536u
#define PERIOD_LEAST 4u
#define PERIOD_MOST 128u
#define SAMPLES 64u /* at once */

/* Two regions may share a place; they then share a unit. */
struct region {
	uint16_t cost[LEVELS]; /* by level, sums in which a sample loses a quarter with each later
				  one */
	uint8_t level;         /* units have 1 << level pages */
	uint8_t period, wait;  /* chunks that come from one sample to the next; 0: a new region */
};

/* The faults on a sampled chunk. */
struct sample {
	uint32_t at[64]; /* in faults */
	uint8_t page[64];
	uint8_t n; /* 0: not in use */
};

struct slot {
	uint8_t sample; /* its number, from 1; 0: none */
};

struct fit {
	const struct tide_view *view;
	struct region *regions;
	uint64_t mask, chunks_each; /* regions - 1; chunks of a region */
	unsigned worth, top;        /* top: level of the whole chunk */
	uint8_t level, period;      /* of the last sample's region: where new ones begin */
	bool full;
	uint32_t faults;
	uint64_t ended, cut_short, changes;
	struct sample samples[SAMPLES];
};

enum { WORTH, REGION };

static struct region *region_of(const struct fit *s, tide_chunk c)
{
	uint64_t number = tide_chunk_number(s->view, c) / s->chunks_each;
	return &s->regions[number & s->mask];
}

static struct slot *slot(const struct fit *s, tide_chunk c)
{
	return tide_slot(s->view, struct slot, c);
}

static uint64_t regions_for(uint64_t chunks)
{
	uint64_t n = REGIONS_LEAST;
	while (n < REGIONS_MOST && n < chunks)
		n *= 2;
	return n;
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct fit *s = self;
	uint64_t chunk_pages = view->near->chunk_pages, pages = (uint64_t)values[REGION].i;
	s->view = view;
	s->worth = (unsigned)values[WORTH].i;
	s->chunks_each = 1;
	while (2 * s->chunks_each * chunk_pages <= pages)
		s->chunks_each *= 2;
	s->mask = regions_for(2 * view->near->capacity_pages / chunk_pages / s->chunks_each) - 1;
	while (1u << s->top < chunk_pages)
		s->top++;
	s->level = (uint8_t)s->top;
	s->period = PERIOD_LEAST;
	s->regions = calloc(s->mask + 1, sizeof *s->regions);
	return s->regions ? 0 : tide_fail(err, -ENOMEM, "out of memory for the regions of fit");
}

static void destroy(void *self)
{
	struct fit *s = self;
	free(s->regions);
}

static void on_full(void *self)
{
	((struct fit *)self)->full = true;
}

/* ---- learning ---- */

/* What the faults of a sample would have cost in units of this level. The chunk stays for as many
 * faults as fill half of near memory; other chunks need the other half. */
static unsigned cost_of(const struct fit *s, const struct sample *of, unsigned level)
{
	uint64_t stay = s->view->near->capacity_pages / 2 >> level, near = 0;
	uint32_t last = 0;
	unsigned faults = 0;
	for (unsigned i = 0; i < of->n; i++) {
		if (of->at[i] - last > stay)
			near = 0;
		if (near >> of->page[i] & 1)
			continue;
		near |= tree_run(s->view, of->page[i], 1u << level);
		last = of->at[i];
		faults++;
	}
	return faults * (s->worth + (1u << level));
}

static unsigned cheapest(const struct fit *s, const struct region *r)
{
	unsigned best = s->top;
	for (unsigned level = s->top; level--;) {
		if (r->cost[level] < r->cost[best])
			best = level;
	}
	return best;
}

/* Where samples only say what is known, they become seldom. */
static void judge(struct fit *s, struct region *r)
{
	unsigned level = cheapest(s, r), period = 2u * r->period;
	unsigned most = level ? PERIOD_MOST : PERIOD_LEAST;
	s->changes += level != r->level;
	period = level != r->level ? PERIOD_LEAST : period < most ? period : most;
	r->period = s->period = (uint8_t)period;
	r->level = s->level = (uint8_t)level;
}

static void end_sample(struct fit *s, tide_chunk c)
{
	struct region *r = region_of(s, c);
	struct sample *of = &s->samples[slot(s, c)->sample - 1];
	for (unsigned level = 0; level <= s->top; level++)
		r->cost[level] =
			(uint16_t)(r->cost[level] - r->cost[level] / 4 + cost_of(s, of, level));
	judge(s, r);
	of->n = slot(s, c)->sample = 0;
	s->ended++;
}

static void note_fault(struct fit *s, struct sample *of, unsigned bit)
{
	of->page[of->n] = (uint8_t)bit;
	of->at[of->n++] = s->faults;
}

/* All other pages count as used, too. */
static void cut_short(struct fit *s, tide_chunk c, uint64_t resident)
{
	uint64_t rest = tide_whole_chunk(s->view) & ~resident;
	for (; rest; rest &= rest - 1)
		note_fault(s, &s->samples[slot(s, c)->sample - 1], (unsigned)__builtin_ctzll(rest));
	end_sample(s, c);
	s->cut_short++;
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct fit *s = self;
	(void)what;
	if (slot(s, c)->sample)
		end_sample(s, c);
}

/* ---- what comes ---- */

static unsigned free_sample(const struct fit *s)
{
	unsigned i = 0;
	while (i < SAMPLES && s->samples[i].n)
		i++;
	return i;
}

/* Is the chunk, which comes now, a sample? */
static void begin_sample(struct fit *s, struct region *r, tide_chunk c)
{
	if (!r->period)
		*r = (struct region){.level = s->level, .period = s->period, .wait = s->period / 2};
	if (r->wait) {
		r->wait--;
		return;
	}
	unsigned i = free_sample(s);
	r->wait = r->period;
	slot(s, c)->sample = (uint8_t)(i < SAMPLES ? i + 1 : 0);
}

/* The one page, or the whole chunk. */
static uint64_t plan_sample(struct fit *s, tide_chunk c, unsigned bit, uint64_t resident)
{
	struct sample *of = &s->samples[slot(s, c)->sample - 1];
	note_fault(s, of, bit);
	if (cost_of(s, of, 0) < cost_of(s, of, s->top))
		return UINT64_C(1) << bit;
	cut_short(s, c, resident | UINT64_C(1) << bit);
	return tide_whole_chunk(s->view);
}

static void plan_prefetch(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	struct fit *s = self;
	struct region *r = region_of(s, c);
	unsigned bit = tide_page_bit(s->view, p);
	uint64_t resident = tide_resident(s->view, c);
	s->faults++;
	if (!resident && s->full && s->top)
		begin_sample(s, r, c);
	if (slot(s, c)->sample)
		plan->own = plan_sample(s, c, bit, resident);
	else
		plan->own = tree_run(s->view, bit, 1u << (r->period ? r->level : s->level));
}

static void report(void *self, const struct tide_report *r)
{
	const struct fit *s = self;
	r->number(r->to, "last_unit_pages", UINT64_C(1) << s->level);
	r->number(r->to, "samples", s->ended);
	r->number(r->to, "cut_short", s->cut_short);
	r->number(r->to, "changes", s->changes);
}

static const struct tide_param params[] = {
	[WORTH] = {"worth", TIDE_PARAM_INT, "1", 1, 1000, "pages that one fault less is worth"},
	[REGION] = {"region", TIDE_PARAM_INT, "256", 1, 1e9,
		    "pages that share a unit, rounded to a power of two of chunks"},
	{0},
};

const struct tide_policy td_policy_prefetch_fit = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "fit",
	.role = TIDE_PREFETCH,
	.summary = "a run of 1, 2, 4, ... pages of the chunk, as long as they are used",
	.paper = "tide",
	.params = params,
	.state_bytes = sizeof(struct fit),
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	.destroy = destroy,
	.on_full = on_full,
	.on_evicted = on_evicted,
	.plan_prefetch = plan_prefetch,
	.report = report,
};
