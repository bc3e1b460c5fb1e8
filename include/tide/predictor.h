/* The predictor of the placements that learn (reuse, worth). Its rules work on a page's past, the
 * line and the weights of tide/tiering.h. tide/placement.h says what rules are.
 *
 *     words of a page      TIDE_PAST; then the placement's own; then, with by=page, the weights
 *     shared words         TIDE_WEIGHTS, not used with by=page; then the placement's own */
#ifndef TIDE_PREDICTOR_H
#define TIDE_PREDICTOR_H

#include "placement.h"

enum {
	TIDE_PAST = 0,    /* a word of a page: struct tide_past */
	TIDE_WEIGHTS = 0, /* a shared word */
	TIDE_BY = 1, /* a choice: which word of a page is its weights; 0: all pages share weights */
};

TIDE_RULE uint64_t tide_predict_weights(struct tide_placing *p, struct tide_leaver v)
{
	uint32_t at = p->choice[TIDE_BY];
	return at ? v.own[at] : TIDE_SHARED_READ(&p->shared[TIDE_WEIGHTS]);
}

/* Predicts the page's tier. A page that is predicted in near memory stays there, once. */
TIDE_RULE bool tide_predict_keeps(struct tide_placing *p, struct tide_leaver v, bool may)
{
	struct tide_past past = {v.own[TIDE_PAST]};
	unsigned predicted = tide_weights_predict(tide_predict_weights(p, v), tide_past_prev(past));
	bool keeps = predicted == 1 && may && !tide_past_kept(past);
	tide_past_set_predicted(&past, predicted);
	if (keeps)
		tide_past_keep(&past);
	v.own[TIDE_PAST] = past.word;
	return keeps;
}

TIDE_RULE void tide_predict_left(struct tide_leaver v)
{
	struct tide_past past = {v.own[TIDE_PAST]};
	tide_past_evict(&past, v.now);
	v.own[TIDE_PAST] = past.word;
}

TIDE_RULE void tide_predict_learn(struct tide_placing *p, struct tide_leaver v, unsigned from,
				  unsigned to)
{
	uint32_t at = p->choice[TIDE_BY];
	if (at) {
		v.own[at] = tide_weights_learn(v.own[at], from, to);
		return;
	}
	uint64_t *shared = &p->shared[TIDE_WEIGHTS], old = TIDE_SHARED_READ(shared), seen;
	while ((seen = TIDE_SHARED_CAS(shared, old, tide_weights_learn(old, from, to))) != old)
		old = seen;
}

/* Finds the tier that would have been right, and learns from it. */
TIDE_RULE struct tide_verdict tide_predict_returned(struct tide_placing *p, struct tide_leaver v,
						    struct tide_line line)
{
	struct tide_past past = {v.own[TIDE_PAST]};
	uint64_t evicted = tide_past_evicted(past);
	unsigned prev = tide_past_prev(past);
	struct tide_verdict verdict = {0, false, false};
	if (!evicted)
		return verdict;
	verdict.correct = tide_correct_tier(line, v.now - evicted, p->near_pages, p->host_pages);
	if (prev) {
		verdict.judged = true;
		verdict.right = tide_past_predicted(past) == verdict.correct;
		tide_predict_learn(p, v, prev, verdict.correct);
	}
	tide_past_set_prev(&past, verdict.correct);
	v.own[TIDE_PAST] = past.word;
	return verdict;
}

#ifdef TIDE_PLACEMENT

#include <errno.h>
#include <string.h>

#include "error.h"

/* On entry, p->page_words is the number of the placement's own words. */
static inline int tide_predict_settle(struct tide_placing *p, const char *name, double rate,
				      const char *by, struct tide_error *err)
{
	bool by_page = strcmp(by, "page") == 0;
	if (!by_page && strcmp(by, "all") != 0)
		return tide_fail(err, -EINVAL,
				 "place policy %s: by=%s is neither all nor page: give one of them",
				 name, by);
	p->rate = rate;
	p->page_words++;
	if (by_page)
		p->choice[TIDE_BY] = p->page_words++;
	return 0;
}

#endif
#endif
