/* How often things were seen lately, in little memory: the sketch of TinyLFU (Einziger, Friedman
 * and Manes, ACM Transactions on Storage 13(4), 2017).
 *
 * A count-min sketch has four rows of 4-bit counters. A thing has one counter in each row, and the
 * least of them is its count. Seeing it raises only those of its counters that are the least. A
 * doorkeeper, which is a Bloom filter, stands before the sketch: the first time that a thing is
 * seen is noted there alone. After a sample of 10 sights per page of near memory, the doorkeeper is
 * emptied and all counters are halved.
 *
 * The paper leaves the sizes open. A row has at least 4 counters per page, the doorkeeper at least
 * 8 bits per sight of a sample, each rounded up to a power of two. With h = hash(key), the counter
 * in row r is hash(h + r + 1), and the bits of the doorkeeper are h + i * (h / 2^32 | 1), for r and
 * i from 0 to 3. */
#ifndef TIDE_EVICT_SKETCH_H
#define TIDE_EVICT_SKETCH_H

#include <errno.h>
#include <string.h>

#include "tide/policy.h"
#include "tide/vec.h"

#define SKETCH_ROWS 4
#define SKETCH_MOST 15
#define SKETCH_PAGES_MOST (UINT64_C(1) << 26) /* a sketch for more than these would take GiBs */

struct sketch {
	struct tide_vec counters; /* two per byte, the rows one after the other */
	struct tide_vec door;     /* bits */
	uint64_t row_mask, door_mask;
	uint64_t sample, seen;
};

static inline uint64_t sketch_size(uint64_t at_least)
{
	uint64_t n = 64;
	while (n < at_least)
		n *= 2;
	return n;
}

static inline void sketch_free(struct sketch *k)
{
	tide_vec_free(&k->counters);
	tide_vec_free(&k->door);
}

static inline int sketch_init(struct sketch *k, uint64_t pages, uint64_t sample_per_page)
{
	uint64_t n = pages < SKETCH_PAGES_MOST ? pages : SKETCH_PAGES_MOST;
	k->sample = n * sample_per_page;
	k->row_mask = sketch_size(4 * n) - 1;
	k->door_mask = sketch_size(8 * k->sample) - 1;
	tide_vec_init(&k->counters, 1);
	tide_vec_init(&k->door, 1);
	if (tide_vec_reserve(&k->counters, (k->row_mask + 1) * SKETCH_ROWS / 2))
		return -ENOMEM;
	if (tide_vec_reserve(&k->door, (k->door_mask + 1) / 8)) {
		sketch_free(k);
		return -ENOMEM;
	}
	return 0;
}

/* ---- the doorkeeper ---- */

static inline uint64_t sketch_door_bit(const struct sketch *k, uint64_t hash, unsigned i)
{
	return (hash + i * (hash >> 32 | 1)) & k->door_mask;
}

static inline bool sketch_at_door(const struct sketch *k, uint64_t hash)
{
	bool all = true;
	for (unsigned i = 0; i < SKETCH_ROWS; i++) {
		uint64_t bit = sketch_door_bit(k, hash, i);
		all &= k->door.at[bit / 8] >> (bit % 8) & 1;
	}
	return all;
}

static inline void sketch_enter_door(struct sketch *k, uint64_t hash)
{
	for (unsigned i = 0; i < SKETCH_ROWS; i++) {
		uint64_t bit = sketch_door_bit(k, hash, i);
		k->door.at[bit / 8] |= (unsigned char)(1u << (bit % 8));
	}
}

/* ---- the counters ---- */

/* The number of a thing's counter in a row, over all rows. */
static inline uint64_t sketch_place(const struct sketch *k, uint64_t hash, unsigned row)
{
	uint64_t in_row = tide_hash64(hash + row + 1) & k->row_mask;
	return row * (k->row_mask + 1) + in_row;
}

static inline unsigned sketch_counter(const struct sketch *k, uint64_t place)
{
	return (unsigned)k->counters.at[place / 2] >> (place % 2 * 4) & 15;
}

static inline unsigned sketch_least(const struct sketch *k, uint64_t hash)
{
	unsigned least = SKETCH_MOST;
	for (unsigned row = 0; row < SKETCH_ROWS; row++) {
		unsigned n = sketch_counter(k, sketch_place(k, hash, row));
		least = n < least ? n : least;
	}
	return least;
}

static inline void sketch_raise(struct sketch *k, uint64_t hash)
{
	unsigned least = sketch_least(k, hash);
	for (unsigned row = 0; least < SKETCH_MOST && row < SKETCH_ROWS; row++) {
		uint64_t place = sketch_place(k, hash, row);
		if (sketch_counter(k, place) == least)
			k->counters.at[place / 2] += (unsigned char)(1u << (place % 2 * 4));
	}
}

static inline void sketch_age(struct sketch *k)
{
	uint64_t bytes = (k->row_mask + 1) * SKETCH_ROWS / 2;
	for (uint64_t i = 0; i < bytes; i++)
		k->counters.at[i] = k->counters.at[i] >> 1 & 0x77;
	memset(k->door.at, 0, (k->door_mask + 1) / 8);
	k->seen /= 2;
}

/* ---- what a policy calls; the key names a thing ---- */

static inline void sketch_see(struct sketch *k, uint64_t key)
{
	uint64_t hash = tide_hash64(key);
	if (sketch_at_door(k, hash))
		sketch_raise(k, hash);
	else
		sketch_enter_door(k, hash);
	if (++k->seen >= k->sample)
		sketch_age(k);
}

static inline unsigned sketch_count(const struct sketch *k, uint64_t key)
{
	uint64_t hash = tide_hash64(key);
	return sketch_least(k, hash) + sketch_at_door(k, hash);
}

#endif
