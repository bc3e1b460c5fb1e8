/* Threads that read and write paged memory, and know what every word has to be.
 *
 *     stress.c        options, and who runs for how long
 *     stress_words.c  regions, words, and their shadow outside paged memory
 *     stress_calls.c  the calls of the library, made while the others work
 *     stress_end.c    what must hold when all is quiet
 *
 * A word has one owner, a thread. In most regions owners alternate from word to word, so that
 * threads meet on every page and on no word; in one, from page to page, and there the owner may
 * drop a page. The last word of a page is nobody's: a counter that all add to. */
#ifndef STRESS_H
#define STRESS_H

#include <stdatomic.h>

#include "pager_help.h"

#define STRESS_REGIONS 8
#define STRESS_ZERO UINT32_C(0x80000000) /* in the shadow: the word is 0, whatever its version */

enum stress_kind { STRESS_ANONYMOUS, STRESS_PRIVATE, STRESS_SHARED };

struct stress_region {
	unsigned char *at;
	size_t bytes;
	uint64_t words, pages, id;
	enum stress_kind kind;
	bool by_page;
	char path[128]; /* of a file */
	/* Of every word, what its owner wrote last: it writes the word first and this after it. */
	_Atomic uint32_t *shadow;
	_Atomic uint64_t added; /* to all counters */
};

struct stress {
	struct tide_options options;
	const char *folder; /* for files */
	uint64_t bytes, seed;
	unsigned threads, ms, near_percent, host_percent;
	bool files, calls, write_errors, bounded;
	size_t page_bytes, page_words;
	struct tide *t;
	struct stress_region region[STRESS_REGIONS];
	unsigned regions;
	_Atomic bool stop;
	_Atomic uint64_t operations, done_calls;
};

/* One thread's. */
struct stress_worker {
	struct stress *s;
	unsigned number;
	uint64_t random;
};

void stress_map_regions(struct stress *s);
void *stress_work(void *worker);
void *stress_call(void *worker);
void stress_finish(struct stress *s);
void stress_check_stats(struct stress *s);

/* Is this what the word may hold, while its owner's shadow went from before to after? */
bool stress_right(const struct stress_region *r, uint64_t word, uint64_t value, uint32_t before,
		  uint32_t after);
uint64_t stress_value(const struct stress_region *r, uint64_t word, uint32_t shadow);
bool stress_is_counter(const struct stress *s, uint64_t word);
__attribute__((noreturn)) void stress_wrong(const struct stress *s, const struct stress_region *r,
					    uint64_t word, uint64_t value, uint32_t shadow,
					    const char *when);

static inline uint64_t below(uint64_t *random, uint64_t n)
{
	return tide_random_next(random) % n;
}

#endif
