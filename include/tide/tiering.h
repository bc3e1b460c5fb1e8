/* The decisions between the tiers that the simulator and the GPU runtime share: the clock's look at
 * an entry, the predictor of `reuse`, its 80% rule, and the worths of `worth`.
 *
 * The functions are static inline, without libc and without globals. They compile as C11, as C++17,
 * and for the device by nvcc. The part that only the host needs is at the end. State that fits a
 * word is passed by value, so that a GPU thread can load the word, work on it, and put it back by
 * compare-and-swap.
 *
 * The same input must give the same answer everywhere. So a compiler may not fuse a product with a
 * sum: build with -ffp-contract=off. tide_line_at() spells its product and sum out for the device.
 *
 * Tiers are numbered 1 (near memory), 2 (host memory), 3 (storage). 0 means: none so far. */
#ifndef TIDE_TIERING_H
#define TIDE_TIERING_H

#include "event.h"

/* ---- the clock ---- */

/* The clock's hand is on an entry. Is the entry the victim? The hand passes an entry that was used
 * since the hand's last look. */
TIDE_DEVICE static inline bool tide_clock_takes(bool *used)
{
	bool takes = !*used;
	*used = false;
	return takes;
}

/* ---- a page's past: one word ----
 *
 *     63                                        5   4     3   2  1   0
 *    | time of its last eviction, 0: none so far | predicted | prev | kept |
 *
 * predicted is the tier that the predictor named at that eviction. prev is the tier that would have
 * been right at the last eviction from which the page came back. kept marks a page that was spared
 * once. Such a page is not spared again before it has left. */

struct tide_past {
	uint64_t word;
};

TIDE_DEVICE static inline uint64_t tide_past_evicted(struct tide_past past)
{
	return past.word >> 5;
}

TIDE_DEVICE static inline unsigned tide_past_predicted(struct tide_past past)
{
	return (unsigned)(past.word >> 3) & 3;
}

TIDE_DEVICE static inline unsigned tide_past_prev(struct tide_past past)
{
	return (unsigned)(past.word >> 1) & 3;
}

TIDE_DEVICE static inline bool tide_past_kept(struct tide_past past)
{
	return past.word & 1;
}

TIDE_DEVICE static inline void tide_past_keep(struct tide_past *past)
{
	past->word |= 1;
}

TIDE_DEVICE static inline void tide_past_set_predicted(struct tide_past *past, unsigned tier)
{
	past->word = (past->word & ~((uint64_t)3 << 3)) | (uint64_t)tier << 3;
}

TIDE_DEVICE static inline void tide_past_set_prev(struct tide_past *past, unsigned tier)
{
	past->word = (past->word & ~((uint64_t)3 << 1)) | (uint64_t)tier << 1;
}

/* The page leaves near memory: notes the time, and clears kept. */
TIDE_DEVICE static inline void tide_past_evict(struct tide_past *past, uint64_t time)
{
	past->word = time << 5 | (past->word & 0x1e);
}

/* ---- the tier that would have been right ---- */

/* The reuse distance as a line: m * accesses that passed + b. */
struct tide_line {
	double m, b;
};

TIDE_DEVICE static inline double tide_line_at(struct tide_line line, double x)
{
#ifdef __CUDA_ARCH__
	return __dadd_rn(__dmul_rn(line.m, x), line.b);
#else
	double product = line.m * x;
	return product + line.b;
#endif
}

/* The right tier for a page that came back so many accesses after it had left. */
TIDE_DEVICE static inline unsigned tide_correct_tier(struct tide_line line, uint64_t accesses,
						     uint64_t near_pages, uint64_t host_pages)
{
	double most = (double)accesses, distance = tide_line_at(line, most);
	distance = distance < 0 ? 0 : distance > most ? most : distance;
	if (distance < (double)near_pages)
		return 1;
	return distance < (double)(near_pages + host_pages) ? 2 : 3;
}

/* ---- the Markov chain: nine weights of six bits in one word, row by row ---- */

#define TIDE_WEIGHT_MAX 63

TIDE_DEVICE static inline unsigned tide_weight_shift(unsigned from, unsigned to)
{
	return 18 * (from - 1) + 6 * (to - 1);
}

TIDE_DEVICE static inline unsigned tide_weight(uint64_t weights, unsigned from, unsigned to)
{
	return (unsigned)(weights >> tide_weight_shift(from, to)) & TIDE_WEIGHT_MAX;
}

/* The new weights. The right tier of some page was `from` the last time, and is `to` now. */
TIDE_DEVICE static inline uint64_t tide_weights_learn(uint64_t weights, unsigned from, unsigned to)
{
	unsigned row = tide_weight_shift(from, 1);
	if (tide_weight(weights, from, to) == TIDE_WEIGHT_MAX) {
		/* Halve the row's three weights. The mask drops bits that the shift moves from one
		 * weight into another. */
		uint64_t halves = weights >> 1 & (uint64_t)0x1f7df << row;
		weights = (weights & ~((uint64_t)0x3ffff << row)) | halves;
	}
	return weights + ((uint64_t)1 << tide_weight_shift(from, to));
}

/* The tier where a page with this prev will belong: the one with the greatest weight. Ties go to
 * prev, then to the smaller number. 0: the page has no prev, so nothing is known. */
TIDE_DEVICE static inline unsigned tide_weights_predict(uint64_t weights, unsigned prev)
{
	unsigned best = prev;
	for (unsigned to = 1; prev && to <= 3; to++) {
		if (tide_weight(weights, prev, to) > tide_weight(weights, prev, best))
			best = to;
	}
	return best;
}

/* ---- the last decisions: a ring of bits; a set bit is a decision for tier 3 ----
 *
 * On a device many warps record decisions at once. Each warp takes a place of its own and swaps one
 * bit, so `storage` stays the number of set bits. A warp that reads it meanwhile may see a number
 * that is a few decisions old. */

#define TIDE_DECISIONS_MAX 65536

struct tide_decisions {
	uint32_t window;  /* how many decisions count, 1 to TIDE_DECISIONS_MAX */
	uint32_t storage; /* how many of these were for tier 3 */
	uint64_t made;    /* decisions since the start */
	uint32_t bits[TIDE_DECISIONS_MAX / 32];
};

TIDE_DEVICE static inline uint64_t tide_decisions_ticket(struct tide_decisions *d)
{
#ifdef __CUDA_ARCH__
	return atomicAdd((unsigned long long *)&d->made, 1ull);
#else
	return d->made++;
#endif
}

TIDE_DEVICE static inline void tide_decisions_count(struct tide_decisions *d, uint32_t change)
{
#ifdef __CUDA_ARCH__
	atomicAdd(&d->storage, change);
#else
	d->storage += change;
#endif
}

/* Sets or clears the bits of mask in a word, and gives the word as it was before. */
TIDE_DEVICE static inline uint32_t tide_decisions_swap(uint32_t *word, uint32_t mask, bool set)
{
#ifdef __CUDA_ARCH__
	return set ? atomicOr(word, mask) : atomicAnd(word, ~mask);
#else
	uint32_t old = *word;
	*word = set ? old | mask : old & ~mask;
	return old;
#endif
}

TIDE_DEVICE static inline void tide_decisions_record(struct tide_decisions *d, bool storage)
{
	uint32_t at = (uint32_t)(tide_decisions_ticket(d) % d->window);
	uint32_t mask = (uint32_t)1 << at % 32;
	bool before = (tide_decisions_swap(&d->bits[at / 32], mask, storage) & mask) != 0;
	if (before != storage)
		tide_decisions_count(d, storage ? 1 : UINT32_MAX);
}

/* Were more than 80% of the last decisions for tier 3? */
TIDE_DEVICE static inline bool tide_decisions_rule(const struct tide_decisions *d)
{
	uint64_t n = d->made < d->window ? d->made : d->window;
	return (uint64_t)100 * d->storage > 80 * n;
}

/* ---- where a victim goes ---- */

#define TIDE_KEEPS_MAX 64 /* pages that may be kept before one is evicted */

/* The tier for a victim with this prediction. 1 means: keep the page; may_keep allows that answer.
 * Call it once per answer, because it records the decision. replaces: a page that is predicted in
 * tier 1 or 2 goes to tier 2 even if tier 2 is full, in place of the oldest page there. */
TIDE_DEVICE static inline unsigned tide_place(struct tide_decisions *d, unsigned predicted,
					      bool may_keep, bool host_free, bool replaces)
{
	if (predicted == 1 && may_keep)
		return 1;
	bool room = host_free || (replaces && (predicted == 1 || predicted == 2));
	bool storage = predicted == 3 || !room;
	bool lift = storage && host_free && tide_decisions_rule(d);
	tide_decisions_record(d, storage);
	return storage && !lift ? 3 : 2;
}

/* ---- which page of a full tier 2 makes room ----
 *
 * A page that stays in tier 2 saves one read when it returns, and one write if it is dirty. It
 * occupies a slot until then. Its worth is what it saves, divided by how long it occupies the slot.
 * A page is guessed to stay away as long as the last time. For a page that never came back, the
 * guess comes from the mean of all pages. The more such guesses are wrong, the more the worths of
 * two pages must differ before one makes room for the other.
 *
 *     63                                            16   15                         0
 *    | mean of the accesses that pages were away for | mean error of a guess, in 2^-16   |
 */

struct tide_returns {
	uint64_t word;
};

#define TIDE_RETURNS_SHIFT 7 /* one return has a share of 1/128 in the means */
#define TIDE_WRITE_READS 2   /* disks write about half as fast as they read */
#define TIDE_AWAY_MAX (((uint64_t)1 << 47) - 1)
#ifndef TIDE_YIELDS_MAX   /* as in policy.h */
#define TIDE_YIELDS_MAX 8 /* pages of a full tier 2 that may be asked to yield to one victim */
#endif

TIDE_DEVICE static inline uint64_t tide_returns_mean(struct tide_returns r)
{
	return r.word >> 16;
}

TIDE_DEVICE static inline uint32_t tide_returns_error(struct tide_returns r)
{
	return (uint32_t)r.word & 0xffff;
}

/* The difference between two times away, as a part of the greater one: 0 to 65535. */
TIDE_DEVICE static inline int64_t tide_returns_apart(uint64_t a, uint64_t b)
{
	uint64_t least = a < b ? a : b, most = a < b ? b : a;
	return (int64_t)((double)(most - least) / (double)most * 65535);
}

TIDE_DEVICE static inline uint64_t tide_away(uint64_t accesses)
{
	return accesses < 1 ? 1 : accesses > TIDE_AWAY_MAX ? TIDE_AWAY_MAX : accesses;
}

/* A page came back after `away` accesses; the time before, it came back after `before`. before 0:
 * this is its first return. */
TIDE_DEVICE static inline struct tide_returns tide_returns_learn(struct tide_returns r,
								 uint64_t away, uint64_t before)
{
	int64_t mean = (int64_t)tide_returns_mean(r), error = (int64_t)tide_returns_error(r);
	uint64_t guess = before ? before : (uint64_t)mean;
	if (guess)
		error += (tide_returns_apart(away, guess) - error) / (1 << TIDE_RETURNS_SHIFT);
	if (mean)
		mean += ((int64_t)away - mean) / (1 << TIDE_RETURNS_SHIFT);
	else
		mean = (int64_t)away;
	r.word = (uint64_t)mean << 16 | (uint64_t)error;
	return r;
}

/* A page whose worth is computed. */
struct tide_weighed {
	uint64_t away; /* how long it was away the last time; 0: it never came back */
	uint64_t gone; /* how long it has been away now; 0: it is just leaving */
	bool dirty;
};

TIDE_DEVICE static inline uint64_t tide_gone(uint64_t evicted, uint64_t now)
{
	return now > evicted ? now - evicted : 1;
}

/* How long the page will occupy its slot. The later a page already is, the longer it is expected to
 * stay away. */
TIDE_DEVICE static inline double tide_stay(struct tide_returns r, struct tide_weighed p)
{
	uint64_t mean = tide_returns_mean(r), least = p.away / 4;
	if (!p.away && (!p.gone || !mean))
		return (double)mean * 8 + 1; /* nothing says that it comes back */
	if (!p.away)
		return (double)(p.gone > mean ? p.gone : mean);
	uint64_t rest = p.gone > p.away ? p.gone - p.away : p.away - p.gone;
	return (double)(rest > least ? rest : least) + 1;
}

/* What the page saves, in reads. 0: it has no claim to a slot of a full tier 2. */
TIDE_DEVICE static inline double tide_saves(struct tide_returns r, struct tide_weighed p)
{
	bool comes = p.away || (p.gone && tide_returns_mean(r));
	return (double)((comes ? 1 : 0) + (p.dirty ? TIDE_WRITE_READS : 0));
}

/* Does the page `there`, of tier 2, make room for the page `comes`? */
TIDE_DEVICE static inline bool tide_yields(struct tide_returns r, struct tide_weighed there,
					   struct tide_weighed comes)
{
	double sure = (double)(65536 - tide_returns_error(r)) / 65536;
	double worth = tide_saves(r, comes) * tide_stay(r, there) * sure * sure;
	return worth > tide_saves(r, there) * tide_stay(r, comes);
}

/* ---- which pages are sampled ---- */

/* The bound for a rate above 0 and at most 1. A page is sampled if its hash is not above it. */
TIDE_DEVICE static inline uint64_t tide_sample_bound(double rate)
{
	double bound = rate * 18446744073709551616.0; /* 2^64 */
	if (rate >= 1)
		return UINT64_MAX;
	uint64_t whole = (uint64_t)bound;
	return (double)whole < bound ? whole : whole - 1;
}

TIDE_DEVICE static inline bool tide_sampled(uint64_t page, uint64_t bound)
{
	return tide_hash64(page) <= bound;
}

/* ---- the host alone: least squares over pairs (accesses passed, reuse distance) ---- */

#ifdef __SIZEOF_INT128__

#define TIDE_PAIRS_PER_FIT 10000
#define TIDE_PAIRS_MAX 262144

__extension__ typedef unsigned __int128 tide_wide;
__extension__ typedef __int128 tide_wide_signed;

/* With 2^18 pairs of numbers below 2^40, the sum of the squares is below 2^98, and n times the sum
 * is below 2^116. */
struct tide_sums {
	uint64_t n;
	tide_wide x, y, xx, xy;
};

static inline void tide_sums_add(struct tide_sums *s, uint64_t x, uint64_t y)
{
	s->n++;
	s->x += x;
	s->y += y;
	s->xx += (tide_wide)x * x;
	s->xy += (tide_wide)x * y;
}

/* Fits the line. Returns false, and leaves the line as it was, if the pairs say nothing: all x are
 * equal, or the slope is not above 0. */
static inline bool tide_sums_fit(const struct tide_sums *s, struct tide_line *line)
{
	tide_wide_signed rise = (tide_wide_signed)(s->n * s->xy - s->x * s->y);
	tide_wide_signed run = (tide_wide_signed)(s->n * s->xx - s->x * s->x);
	if (run <= 0 || rise <= 0)
		return false;
	line->m = (double)rise / (double)run;
	double under = line->m * (double)s->x;
	line->b = ((double)s->y - under) / (double)s->n;
	return true;
}

#endif
#endif
