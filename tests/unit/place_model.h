/* The three tiers as a program that one can check by eye: every list is an array, every search
 * looks at all of it. */
#ifndef TESTS_UNIT_PLACE_MODEL_H
#define TESTS_UNIT_PLACE_MODEL_H

#include <math.h>
#include <string.h>

#include "tide/event.h"
#include "tide/stats.h"

#define PAGES 300
#define LONGEST 60000

enum kind { BAM, TIER_ORDER, REUSE, REUSE_BY_PAGE, REUSE_FREE, WORTH };

struct model {
	enum kind kind;
	uint32_t near, host, window;
	uint64_t t;
	struct tide_counts counts;
	bool used[PAGES], dirty[PAGES];
	uint32_t ring[PAGES], n, hand;
	uint32_t queue[PAGES], queued; /* tier 2, oldest first */
	/* reuse */
	uint64_t last[PAGES], evicted[PAGES];
	unsigned prev[PAGES], predicted[PAGES];
	bool marked[PAGES];
	unsigned weight[PAGES][4][4]; /* of page 0 alone, unless by page */
	double m, b;
	uint64_t pairs, x[LONGEST], y[LONGEST];
	unsigned kept;
	uint8_t decision[LONGEST];
	uint32_t decisions;
	uint64_t keeps, judged, right;
	/* worth */
	int64_t away[PAGES], mean, error; /* error: of 65536 */
};

static inline bool is_reuse(const struct model *s)
{
	return s->kind >= REUSE;
}

static inline unsigned (*weights(struct model *s, uint32_t p))[4]
{
	return s->weight[s->kind == REUSE_BY_PAGE ? p : 0];
}

static inline bool in_ring(const struct model *s, uint32_t p)
{
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->ring[i] == p)
			return true;
	}
	return false;
}

/* Out of tier 2; false if it was not there. */
static inline bool unqueue(struct model *s, uint32_t p)
{
	for (uint32_t i = 0; i < s->queued; i++) {
		if (s->queue[i] != p)
			continue;
		memmove(s->queue + i, s->queue + i + 1, (--s->queued - i) * sizeof *s->queue);
		return true;
	}
	return false;
}

static inline void learn_away(struct model *s, uint32_t p)
{
	int64_t away = (int64_t)(s->t - s->evicted[p]), guess = s->away[p] ? s->away[p] : s->mean;

	if (guess) {
		double off = (double)(away > guess ? away - guess : guess - away);
		s->error += ((int64_t)(off / (double)(away > guess ? away : guess) * 65535) -
			     s->error) /
			    128;
	}
	s->mean += s->mean ? (away - s->mean) / 128 : away;
	s->away[p] = away;
}

/* What a page saves over how long it stays, as a quotient. */
static inline void weigh(const struct model *s, uint32_t p, bool there, double worth[2])
{
	double away = (double)s->away[p], gone = there ? (double)(s->t - s->evicted[p]) : 0;
	double mean = (double)s->mean;

	worth[0] = s->dirty[p] ? 2 : 0; /* a write takes as long as two reads */
	if (s->away[p]) {
		worth[0] += 1;
		worth[1] = fmax(fabs(away - gone), floor(away / 4)) + 1;
	} else if (there && s->mean) {
		worth[0] += 1;
		worth[1] = fmax(gone, mean);
	} else {
		worth[1] = 8 * mean + 1;
	}
}

static inline bool makes_room(const struct model *s, uint32_t oldest, uint32_t p)
{
	double sure = (65536 - (double)s->error) / 65536, there[2], comes[2];

	weigh(s, oldest, true, there);
	weigh(s, p, false, comes);
	return comes[0] * there[1] * sure * sure > there[0] * comes[1];
}

static inline unsigned place_by_weight(struct model *s, uint32_t p)
{
	bool claims = s->away[p] || s->dirty[p];

	for (unsigned i = 0; i < 8 && claims && s->host && s->queued == s->host; i++) {
		uint32_t oldest = s->queue[0];
		if (makes_room(s, oldest, p))
			return 2;
		memmove(s->queue, s->queue + 1, (s->queued - 1) * sizeof *s->queue);
		s->queue[s->queued - 1] = oldest;
	}
	return s->queued < s->host ? 2 : 3;
}

static inline void learn(struct model *s, uint32_t p)
{
	double since = (double)(s->t - s->evicted[p]), distance = s->m * since + s->b;
	unsigned correct = 3, prev = s->prev[p];

	if (!s->evicted[p])
		return;
	distance = fmin(fmax(distance, 0), since);
	if (distance < s->near)
		correct = 1;
	else if (distance < s->near + s->host)
		correct = 2;
	if (prev) {
		unsigned *row = weights(s, p)[prev];
		s->judged++;
		s->right += s->predicted[p] == correct;
		if (row[correct] == 63) {
			for (unsigned i = 1; i <= 3; i++)
				row[i] /= 2;
		}
		row[correct]++;
	}
	s->prev[p] = correct;
	learn_away(s, p);
}

static inline unsigned predict(struct model *s, uint32_t p)
{
	const unsigned *row = weights(s, p)[s->prev[p]];
	unsigned best = s->prev[p];

	if (!best)
		return 0;
	for (unsigned i = 1; i <= 3; i++)
		best = row[i] > row[best] ? i : best;
	return best;
}

static inline bool mostly_storage(const struct model *s)
{
	uint32_t first = s->decisions > s->window ? s->decisions - s->window : 0, storage = 0;

	for (uint32_t i = first; i < s->decisions; i++)
		storage += s->decision[i] == 3;
	return 100 * storage > 80 * (s->decisions - first);
}

static inline unsigned place_by_reuse(struct model *s, uint32_t p)
{
	bool room = s->queued < s->host, rule = mostly_storage(s), there;
	unsigned seen = predict(s, p), tier;

	s->predicted[p] = seen;
	if (seen == 1 && !s->marked[p] && s->kept < 64) {
		s->marked[p] = true;
		s->kept++;
		s->keeps++;
		return 1;
	}
	s->kept = 0;
	if (s->kind == WORTH)
		return place_by_weight(s, p);
	there = room || (seen && s->host && s->kind != REUSE_FREE);
	tier = seen == 3 || !there ? 3 : 2;
	s->decision[s->decisions++] = (uint8_t)tier;
	return tier == 3 && room && rule ? 2 : tier;
}

static inline unsigned place(struct model *s, uint32_t p)
{
	if (is_reuse(s))
		return place_by_reuse(s, p);
	return s->kind == TIER_ORDER && s->host ? 2 : 3;
}

static inline void leave_near(struct model *s, uint32_t p, unsigned tier)
{
	s->counts.evicted_chunks++;
	s->counts.evicted_pages++;
	s->counts.writeback_pages += s->dirty[p];
	s->evicted[p] = s->t;
	s->marked[p] = false;
	if (tier == 3) {
		s->counts.tier3_writes += s->dirty[p];
		return;
	}
	if (s->queued == s->host) {
		s->counts.tier3_writes += s->dirty[s->queue[0]];
		unqueue(s, s->queue[0]);
	}
	s->queue[s->queued++] = p;
}

/* The page takes its victim's place in the ring, which is just behind the hand. */
static inline void enter_near(struct model *s, uint32_t p)
{
	if (s->n < s->near) {
		s->ring[s->n++] = p;
		return;
	}
	for (;; s->hand = (s->hand + 1) % s->n) {
		uint32_t at = s->ring[s->hand];
		unsigned tier;
		if (s->used[at]) {
			s->used[at] = false;
			continue;
		}
		tier = place(s, at);
		if (tier == 1)
			continue;
		leave_near(s, at, tier);
		s->ring[s->hand] = p;
		s->hand = (s->hand + 1) % s->n;
		return;
	}
}

static inline void fit(struct model *s)
{
	/* All these sums are exact in 64-bit integers: 60000 pairs of numbers below 60000. */
	uint64_t n = s->pairs, x = 0, y = 0, xx = 0, xy = 0;
	double rise, run;

	for (uint64_t i = 0; i < n; i++) {
		x += s->x[i];
		y += s->y[i];
		xx += s->x[i] * s->x[i];
		xy += s->x[i] * s->y[i];
	}
	run = (double)(n * xx - x * x);
	rise = n * xy > x * y ? (double)(n * xy - x * y) : 0;
	if (run == 0 || rise == 0)
		return;
	s->m = rise / run;
	s->b = ((double)y - s->m * (double)x) / (double)n;
}

static inline void sample(struct model *s, uint32_t p)
{
	uint64_t between = 0;

	if (s->last[p]) {
		for (uint32_t i = 0; i < PAGES; i++)
			between += s->last[i] > s->last[p];
		s->x[s->pairs] = s->t - s->last[p];
		s->y[s->pairs++] = between;
		if (s->pairs % 10000 == 0)
			fit(s);
	}
	s->last[p] = s->t;
}

static inline void access_model(struct model *s, uint32_t p, bool write)
{
	s->t++;
	s->counts.accesses++;
	if (in_ring(s, p)) {
		s->counts.hits++;
		s->dirty[p] |= write;
	} else {
		s->counts.faults++;
		s->counts.migrated_pages++;
		if (is_reuse(s))
			learn(s, p);
		if (unqueue(s, p)) {
			s->counts.tier2_hits++;
		} else {
			s->counts.tier2_misses++;
			s->counts.tier3_reads++;
			s->dirty[p] = false;
		}
		s->dirty[p] |= write;
		enter_near(s, p);
	}
	s->used[p] = true;
	if (is_reuse(s))
		sample(s, p);
}

#endif
