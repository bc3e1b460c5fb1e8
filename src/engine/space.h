/* Makes page numbers dense: finds the chunk index of a page.
 *
 * If the address range is known and not much larger than the footprint, the index is the chunk's
 * number, and there is nothing to look up. Otherwise chunks are numbered as they appear. Low chunk
 * numbers are in a plain table, as long as at least an eighth of it would be filled. The others are
 * in a map. */
#ifndef TD_ENGINE_SPACE_H
#define TD_ENGINE_SPACE_H

#include "tide/error.h"
#include "tide/event.h"
#include "tide/map.h"

struct td_space {
	uint32_t chunk_pages;
	int shift; /* log2 of chunk_pages, -1 if that is no power of two */
	bool identity;
	uint32_t n; /* indices given out; with identity, the whole range */
	struct tide_map map;
	struct tide_vec direct;  /* chunk number -> index + 1, uint32_t */
	uint64_t direct_chunks;  /* its length */
	struct tide_vec numbers; /* index -> chunk number, uint64_t */
};

/* chunks: how many there will be at most in the range 0 .. range - 1, TD_SPACE_ANY if not known. */
#define TD_SPACE_ANY UINT64_MAX
int td_space_init(struct td_space *s, uint32_t chunk_pages, uint64_t range, uint64_t chunks);
void td_space_free(struct td_space *s);

static inline uint64_t td_space_number(const struct td_space *s, uint64_t page)
{
	return s->shift >= 0 ? page >> s->shift : page / s->chunk_pages;
}

/* The index of a chunk number. Makes one if it has none. 0, -ENOMEM, or -EOVERFLOW past 2^32 -
 * 2. */
int td_space_index(struct td_space *s, uint64_t number, uint32_t *index);

/* The index of a chunk number if it has one, else UINT32_MAX. */
uint32_t td_space_find(const struct td_space *s, uint64_t number);

/* As td_space_index() for at most TIDE_BATCH pages, with each page's position in its chunk. */
int td_space_batch(struct td_space *s, const uint64_t *page, uint32_t n, uint32_t *index,
		   uint8_t *bit);

#endif
