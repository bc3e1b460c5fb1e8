/* Makes a placement (tide/placement.h) a policy of the simulator and the pager. The header of the
 * placement includes this file after its rules and settle(). TIDE_PLACEMENT is then its name, which
 * the build defines. Its struct tide_policy contains one of the two lists at the end.
 *
 * This file limits how many pages the placement keeps, counts for the report, and takes the samples
 * to which the line from accesses to reuse distance is fitted. */
#ifndef TIDE_PLACED_H
#define TIDE_PLACED_H

#include <errno.h>

#include "ostree.h"
#include "placement.h"
#include "policy.h"

#define TIDE_PLACED_PASTE_(a, b, c) a##b##c
#define TIDE_PLACED_PASTE(a, b, c) TIDE_PLACED_PASTE_(a, b, c)
#define TIDE_PLACED_RULE(rule) TIDE_PLACED_PASTE(tide_, TIDE_PLACEMENT, _##rule)

/* Follows the words of a page, if accesses are sampled. */
struct tide_placed_sample {
	uint64_t last; /* time of the page's last access, while samples are taken */
	struct tide_osnode node;
} __attribute__((packed, aligned(4)));

struct tide_placed {
	const struct tide_view *view;
	struct tide_placing placing;
	size_t page_bytes, sample_at; /* size of a slot; where the sample is in it */
	uint64_t bound;               /* pages with hashes up to this one are sampled */
	struct tide_ostree tree;      /* sampled pages by last access */
	struct tide_sums sums;
	struct tide_line line;
	unsigned kept; /* pages kept since the last eviction */
	uint64_t keeps, lifted, judged, right;
	uint64_t correct[3];
	struct tide_decisions decisions;
};

/* ---- life ---- */

static inline size_t tide_placed_page_bytes(const struct tide_placing *p)
{
	size_t sample = p->rate > 0 ? sizeof(struct tide_placed_sample) : 0;
	return p->page_words * sizeof(tide_word) + sample;
}

static inline size_t tide_placed_chunk_bytes(const union tide_value *values, uint32_t chunk_pages)
{
	struct tide_placing p = {0};
	(void)chunk_pages;
	return settle(values, &p, NULL) ? 0 : tide_placed_page_bytes(&p);
}

static inline int tide_placed_create(void *self, const struct tide_view *view,
				     const union tide_value *values, struct tide_error *err)
{
	struct tide_placed *s = self;
	struct tide_placing *p = &s->placing;
	int rc = settle(values, p, err);
	s->view = view;
	p->near_pages = view->near->capacity_pages;
	p->host_pages = view->near->host_pages;
	s->page_bytes = tide_placed_page_bytes(p);
	s->sample_at = p->page_words * sizeof(tide_word);
	s->bound = p->rate > 0 ? tide_sample_bound(p->rate) : 0;
	s->decisions.window = p->window;
	s->line.m = 1;
	return rc;
}

/* ---- the samples ---- */

static inline struct tide_placed_sample *tide_placed_sample(const struct tide_placed *s, uint32_t i)
{
	unsigned char *at = s->view->slots + i * s->page_bytes + s->sample_at;
	return (struct tide_placed_sample *)(void *)at;
}

static inline uint64_t tide_placed_last(const void *arg, uint32_t i)
{
	return tide_placed_sample(arg, i)->last;
}

static inline struct tide_osview tide_placed_tree(const struct tide_placed *s)
{
	size_t node = s->sample_at + offsetof(struct tide_placed_sample, node);
	return (struct tide_osview){{s->view->slots + node, s->page_bytes}, tide_placed_last, s};
}

/* A sampled page is accessed again. The pages above it in the tree were accessed in between. */
static inline void tide_placed_pair(struct tide_placed *s, const struct tide_osview *v,
				    uint64_t last)
{
	uint64_t above = tide_ostree_count(&s->tree, v) - tide_ostree_rank(&s->tree, v, last) - 1;
	double rate = s->placing.rate;
	uint64_t distance = rate < 1 ? (uint64_t)((double)above / rate) : above;
	tide_sums_add(&s->sums, s->view->near->time - last, distance);
	if (s->sums.n % TIDE_PAIRS_PER_FIT == 0)
		tide_sums_fit(&s->sums, &s->line);
}

static inline void tide_placed_on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct tide_placed *s = self;
	(void)ref;
	if (s->sums.n == TIDE_PAIRS_MAX || !tide_sampled(p.number, s->bound))
		return;
	struct tide_osview v = tide_placed_tree(s);
	struct tide_placed_sample *at = tide_placed_sample(s, c.index);
	if (at->last) {
		tide_placed_pair(s, &v, at->last);
		tide_ostree_remove(&s->tree, &v, c.index);
	}
	at->last = s->view->near->time;
	tide_ostree_add(&s->tree, &v, c.index);
}

/* ---- pages that leave and come back ---- */

static inline struct tide_leaver tide_placed_leaver(const struct tide_placed *s, tide_chunk c,
						    bool dirty)
{
	tide_word *own = (tide_word *)(void *)(s->view->slots + c.index * s->page_bytes);
	return (struct tide_leaver){own, s->view->near->time, dirty};
}

static inline void tide_placed_on_fault(void *self, tide_chunk c, tide_page p)
{
	struct tide_placed *s = self;
	(void)p;
	struct tide_verdict verdict =
		TIDE_PLACED_RULE(returned)(&s->placing, tide_placed_leaver(s, c, false), s->line);
	if (verdict.correct)
		s->correct[verdict.correct - 1]++;
	s->judged += verdict.judged;
	s->right += verdict.right;
}

static inline enum tide_placement tide_placed_victim(void *self, tide_chunk c)
{
	struct tide_placed *s = self;
	const struct tide_near *near = s->view->near;
	struct tide_leaver v = tide_placed_leaver(s, c, tide_bits(s->view, c, TIDE_DIRTY) != 0);
	struct tide_room room = {near->host_pages, near->host_free_pages, s->view->random,
				 &s->decisions};
	if (TIDE_PLACED_RULE(keeps)(&s->placing, v, s->kept < TIDE_KEEPS_MAX)) {
		s->kept++;
		s->keeps++;
		return TIDE_KEEP;
	}
	struct tide_answer answer = TIDE_PLACED_RULE(tier)(&s->placing, v, room);
	s->kept = 0;
	s->lifted += answer.lifted;
	return answer.tier == 2 ? TIDE_TO_TIER2 : TIDE_TO_TIER3;
}

/* The engine does not say whether the oldest page is dirty. With `true`, the placement goes by what
 * it remembers of the page. */
static inline bool tide_placed_yields(void *self, tide_chunk oldest, tide_chunk c)
{
	struct tide_placed *s = self;
	return TIDE_PLACED_RULE(yields)(
		&s->placing, tide_placed_leaver(s, oldest, true),
		tide_placed_leaver(s, c, tide_bits(s->view, c, TIDE_DIRTY) != 0));
}

static inline void tide_placed_on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct tide_placed *s = self;
	TIDE_PLACED_RULE(left)(&s->placing, tide_placed_leaver(s, c, what->dirty != 0));
}

/* ---- report ---- */

static inline void tide_placed_report(void *self, const struct tide_report *r)
{
	struct tide_placed *s = self;
	if (s->judged)
		r->real(r->to, "prediction_accuracy", (double)s->right / (double)s->judged);
	else
		r->text(r->to, "prediction_accuracy", NULL);
	r->number(r->to, "predictions_judged", s->judged);
	r->list(r->to, "correct_tiers", s->correct, 3);
	r->number(r->to, "keeps", s->keeps);
	if (s->placing.window)
		r->number(r->to, "lifted_to_tier2", s->lifted);
	r->real(r->to, "slope", s->line.m);
	r->real(r->to, "intercept", s->line.b);
	r->number(r->to, "pairs", s->sums.n);
}

/* ---- the lists of callbacks ---- */

/* clang-format off */
#define TIDE_PLACED_PLAIN \
	.state_bytes = sizeof(struct tide_placed), \
	.create = tide_placed_create, \
	.place_victim = tide_placed_victim

#define TIDE_PLACED_LEARNS \
	TIDE_PLACED_PLAIN, \
	.chunk_bytes = TIDE_PAGE_WORDS * sizeof(tide_word) + sizeof(struct tide_placed_sample), \
	.chunk_bytes_with = tide_placed_chunk_bytes, \
	.on_fault = tide_placed_on_fault, \
	.on_access = tide_placed_on_access, \
	.on_evicted = tide_placed_on_evicted
/* clang-format on */

extern const struct tide_policy TIDE_PLACED_PASTE(td_policy_place_, TIDE_PLACEMENT, );
extern const struct tide_placer TIDE_PLACED_PASTE(td_placer_, TIDE_PLACEMENT, );
const struct tide_placer TIDE_PLACED_PASTE(td_placer_, TIDE_PLACEMENT, ) = {
	&TIDE_PLACED_PASTE(td_policy_place_, TIDE_PLACEMENT, ), settle};

#endif
