/* GMT-Reuse: predicts how far ahead a victim's next use is, and so the tier where it belongs.
 *
 *     at a fault      accesses since the page left -> a line fitted from samples -> its reuse
 *                     distance -> the tier that would have been right -> weights of a Markov chain
 *     for a victim    its last right tier -> the heaviest way out of it -> keep, tier 2 or tier 3
 *     if that is full what it saves there, and for how long -> against those that are there
 *
 * What a fault and a victim need is in tide/tiering.h, which the GPU runtime shares; here are the
 * samples that the line is fitted to. */
#include "tide/tiering.h"

#include <errno.h>

#include "tide/ostree.h"
#include "tide/policy.h"

/* Every page has one, so of the extras only those that the parameters ask for. */
struct page {
	struct tide_past past;
	uint64_t last; /* time of its last access, while it is sampled */
	struct tide_osnode node;
	uint64_t extra[2]; /* its weights, if by_page; how it left, if WEIGHS */
} __attribute__((packed, aligned(4)));

#define LEFT_DIRTY 1u /* the rest of the word: how long it was away the last time, times 2 */

struct reuse {
	const struct tide_view *view;
	size_t page_bytes; /* of a slot */
	bool by_page;
	enum { NEVER, OLDEST, WEIGHS } replaces; /* which page of a full tier 2 */
	double rate;
	uint64_t bound;          /* of the hashes that are sampled */
	struct tide_ostree tree; /* sampled pages by last access */
	struct tide_sums sums;
	struct tide_line line;
	struct tide_returns returns;
	uint64_t weights; /* of all pages, unless by_page */
	unsigned kept;    /* since the last eviction */
	uint64_t keeps, lifted, judged, right;
	uint64_t correct[3];
	struct tide_decisions decisions;
};

enum { RATE, WINDOW, BY, REPLACE };

static bool by_page(const union tide_value *values)
{
	return strcmp(values[BY].text, "page") == 0;
}

static size_t chunk_bytes_with(const union tide_value *values, uint32_t chunk_pages)
{
	size_t bytes = offsetof(struct page, extra);
	(void)chunk_pages;
	bytes += by_page(values) ? sizeof(uint64_t) : 0;
	bytes += values[REPLACE].i == 2 ? sizeof(uint64_t) : 0;
	return bytes;
}

static struct page *slot(const struct reuse *s, uint32_t i)
{
	return (struct page *)(void *)(s->view->slots + i * s->page_bytes);
}

static uint64_t weights_of(const struct reuse *s, const struct page *at)
{
	return s->by_page ? at->extra[0] : s->weights;
}

static void set_weights(struct reuse *s, struct page *at, uint64_t weights)
{
	if (s->by_page)
		at->extra[0] = weights;
	else
		s->weights = weights;
}

static uint64_t how_it_left(const struct reuse *s, const struct page *at)
{
	return at->extra[s->by_page];
}

static void set_how_it_left(const struct reuse *s, struct page *at, uint64_t away, bool dirty)
{
	at->extra[s->by_page] = away << 1 | (dirty ? LEFT_DIRTY : 0);
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct reuse *s = self;
	s->view = view;
	s->page_bytes = chunk_bytes_with(values, view->near->chunk_pages);
	s->rate = values[RATE].r;
	s->bound = tide_sample_bound(s->rate);
	s->decisions.window = (uint32_t)values[WINDOW].i;
	s->by_page = by_page(values);
	if (!s->by_page && strcmp(values[BY].text, "all") != 0)
		return tide_fail(
			err, -EINVAL,
			"place policy reuse: by=%s is neither all nor page: give one of them",
			values[BY].text);
	s->replaces = values[REPLACE].i == 2 ? WEIGHS : values[REPLACE].i == 1 ? OLDEST : NEVER;
	s->line.m = 1;
	return 0;
}

/* ---- the samples ---- */

static uint64_t last_access(const void *arg, uint32_t i)
{
	return slot(arg, i)->last;
}

static struct tide_osview tree_view(const struct reuse *s)
{
	unsigned char *nodes = s->view->slots + offsetof(struct page, node);
	return (struct tide_osview){{nodes, s->page_bytes}, last_access, s};
}

/* A sampled page is used again: what lies above it in the tree was used in between. */
static void add_pair(struct reuse *s, const struct tide_osview *v, uint64_t last)
{
	uint64_t above = tide_ostree_count(&s->tree, v) - tide_ostree_rank(&s->tree, v, last) - 1;
	uint64_t distance = s->rate < 1 ? (uint64_t)((double)above / s->rate) : above;
	tide_sums_add(&s->sums, s->view->near->time - last, distance);
	if (s->sums.n % TIDE_PAIRS_PER_FIT == 0)
		tide_sums_fit(&s->sums, &s->line);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct reuse *s = self;
	(void)ref;
	if (s->sums.n == TIDE_PAIRS_MAX || !tide_sampled(p.number, s->bound))
		return;
	struct tide_osview v = tree_view(s);
	struct page *at = slot(s, c.index);
	if (at->last) {
		add_pair(s, &v, at->last);
		tide_ostree_remove(&s->tree, &v, c.index);
	}
	at->last = s->view->near->time;
	tide_ostree_add(&s->tree, &v, c.index);
}

/* ---- what a fault teaches ---- */

static void learn_return(struct reuse *s, struct page *at, uint64_t accesses)
{
	uint64_t away = tide_away(accesses);
	s->returns = tide_returns_learn(s->returns, away, how_it_left(s, at) >> 1);
	set_how_it_left(s, at, away, false);
}

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct reuse *s = self;
	const struct tide_near *near = s->view->near;
	struct page *at = slot(s, c.index);
	struct tide_past past = at->past;
	uint64_t evicted = tide_past_evicted(past);
	unsigned prev = tide_past_prev(past);
	(void)p;
	if (!evicted)
		return;
	unsigned correct = tide_correct_tier(s->line, near->time - evicted, near->capacity_pages,
					     near->host_pages);
	s->correct[correct - 1]++;
	if (prev) {
		s->judged++;
		s->right += tide_past_predicted(past) == correct;
		set_weights(s, at, tide_weights_learn(weights_of(s, at), prev, correct));
	}
	tide_past_set_prev(&past, correct);
	at->past = past;
	if (s->replaces == WEIGHS)
		learn_return(s, at, near->time - evicted);
}

/* ---- victims ---- */

/* A page that is about to leave, if WEIGHS. */
static struct tide_weighed weigh(const struct reuse *s, tide_chunk c)
{
	return (struct tide_weighed){how_it_left(s, slot(s, c.index)) >> 1, 0,
				     tide_bits(s->view, c, TIDE_DIRTY) != 0};
}

static bool has_claim(const struct reuse *s, tide_chunk c)
{
	return tide_saves(s->returns, weigh(s, c)) > 0;
}

/* The tier of one that is not kept. */
static unsigned place(struct reuse *s, tide_chunk c, unsigned predicted)
{
	const struct tide_near *near = s->view->near;
	if (s->replaces == WEIGHS)
		return near->host_free_pages || (near->host_pages && has_claim(s, c)) ? 2 : 3;
	return tide_place(&s->decisions, predicted, false, near->host_free_pages != 0,
			  s->replaces && near->host_pages);
}

static enum tide_placement place_victim(void *self, tide_chunk c)
{
	struct reuse *s = self;
	struct page *at = slot(s, c.index);
	struct tide_past past = at->past;
	unsigned predicted = tide_weights_predict(weights_of(s, at), tide_past_prev(past));
	bool may_keep = s->kept < TIDE_KEEPS_MAX && !tide_past_kept(past);
	unsigned tier = predicted == 1 && may_keep ? 1 : place(s, c, predicted);
	tide_past_set_predicted(&past, predicted);
	if (tier == 1)
		tide_past_keep(&past);
	at->past = past;
	if (tier == 1) {
		s->kept++;
		s->keeps++;
		return TIDE_KEEP;
	}
	s->kept = 0;
	s->lifted += predicted == 3 && tier == 2 && s->replaces != WEIGHS;
	return tier == 2 ? TIDE_TO_TIER2 : TIDE_TO_TIER3;
}

static bool yields(void *self, tide_chunk oldest, tide_chunk c)
{
	const struct reuse *s = self;
	const struct page *old = slot(s, oldest.index);
	if (s->replaces != WEIGHS)
		return true;
	uint64_t gone = tide_gone(tide_past_evicted(old->past), s->view->near->time);
	uint64_t left = how_it_left(s, old);
	struct tide_weighed there = {left >> 1, gone, left & LEFT_DIRTY};
	return tide_yields(s->returns, there, weigh(s, c));
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct reuse *s = self;
	struct page *at = slot(s, c.index);
	struct tide_past past = at->past;
	tide_past_evict(&past, s->view->near->time);
	at->past = past;
	if (s->replaces == WEIGHS)
		set_how_it_left(s, at, how_it_left(s, at) >> 1, what->dirty != 0);
}

static void report(void *self, const struct tide_report *r)
{
	struct reuse *s = self;
	if (s->judged)
		r->real(r->to, "prediction_accuracy", (double)s->right / (double)s->judged);
	else
		r->text(r->to, "prediction_accuracy", NULL);
	r->number(r->to, "predictions_judged", s->judged);
	r->list(r->to, "correct_tiers", s->correct, 3);
	r->number(r->to, "keeps", s->keeps);
	r->number(r->to, "lifted_to_tier2", s->lifted);
	r->real(r->to, "slope", s->line.m);
	r->real(r->to, "intercept", s->line.b);
	r->number(r->to, "pairs", s->sums.n);
	if (s->replaces != WEIGHS)
		return;
	r->number(r->to, "mean_away", tide_returns_mean(s->returns));
	r->real(r->to, "guess_error", (double)tide_returns_error(s->returns) / 65536);
}

static const struct tide_param params[] = {
	{"rate", TIDE_PARAM_REAL, "1", 1e-6, 1, "share of the pages that is sampled, by hash"},
	{"window", TIDE_PARAM_INT, "1024", 1, TIDE_DECISIONS_MAX,
	 "last decisions that the 80% rule looks at"},
	{"by", TIDE_PARAM_TEXT, "all", 0, 0, "weights: one table for all pages, or one per page"},
	{"replace", TIDE_PARAM_INT, "1", 0, 2,
	 "full tier 2: 0 to storage, 1 in place of the oldest, 2 of one that is worth less"},
	{0},
};

const struct tide_policy td_policy_place_reuse = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "reuse",
	.role = TIDE_PLACE,
	.summary = "to the tier where its reuse distance will belong, by a Markov chain",
	.paper = "GMT (ASPLOS 2024)",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES | TIDE_TAKES_SAMPLES,
	.params = params,
	.state_bytes = sizeof(struct reuse),
	.chunk_bytes = sizeof(struct page),
	.chunk_bytes_with = chunk_bytes_with,
	.create = create,
	.on_fault = on_fault,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.place_victim = place_victim,
	.yields = yields,
	.report = report,
};
