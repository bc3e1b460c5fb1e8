/* The table in which the processes of `tide run` publish their figures: a file, mapped by all. */
#ifndef TD_PRELOAD_SLOTS_H
#define TD_PRELOAD_SLOTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tide/pager.h"

#define TD_SLOTS_MAX 128 /* processes beyond that page too, but say nothing */

enum td_slot_state {
	TD_SLOT_FREE,
	TD_SLOT_ON,    /* paging */
	TD_SLOT_ENDED, /* its figures are the last ones, its files complete */
	TD_SLOT_LOST,  /* its figures too, but a file could not be written whole */
	TD_SLOT_OVER,  /* it ended because its budget could not be kept */
};

/* Of figures that rise and fall the highest that was seen: TD_MOST(name). */
#define TD_SLOTS_MOST \
	TD_MOST(mapped_bytes) \
	TD_MOST(near_bytes) TD_MOST(tier2_bytes) TD_MOST(tier2_data_bytes) TD_MOST(tier3_bytes)

struct td_slot_most {
#define TD_MOST(name) uint64_t name;
	TD_SLOTS_MOST
#undef TD_MOST
};

struct td_slot {
	_Atomic uint32_t seq; /* odd while it is written */
	_Atomic uint32_t state;
	int32_t pid;
	char program[32];
	struct tide_stats stats;
	struct td_slot_most most;
};

/* What is not paged of the memory that a process can have: TD_UNPAGED(KIND, words). */
#define TD_UNPAGED_KINDS \
	TD_UNPAGED(RESERVED, "memory that was reserved without access, and opened later") \
	TD_UNPAGED(SHARED, "shared memory") \
	TD_UNPAGED(SPECIAL, "stacks, and executable, locked or huge pages") \
	TD_UNPAGED(FORKED, "the memory of a forked child") \
	TD_UNPAGED(OVER, "what could not be paged, see above")

enum td_unpaged_kind {
#define TD_UNPAGED(kind, words) TD_UNPAGED_##kind,
	TD_UNPAGED_KINDS
#undef TD_UNPAGED
};

#define TD_UNPAGED_MAX 32

/* A process that had more memory than near memory holds, and not from the pager. */
struct td_unpaged {
	int32_t pid;
	char program[32];
	uint32_t kinds; /* bits 1 << TD_UNPAGED_...: some of it may be of that kind */
	uint64_t bytes; /* at least; 0: it is not written yet */
};

/* Which process has which slot is decided by counting `used`; it may go beyond the table. */
struct td_slots {
	uint32_t stats_bytes; /* of struct tide_stats: one build made both sides */
	_Atomic uint32_t used, unpaged_n;
	_Atomic uint64_t most_bytes; /* of the process with the most memory in use */
	struct td_slot at[TD_SLOTS_MAX];
	struct td_unpaged unpaged[TD_UNPAGED_MAX];
};

/* Did its process end without having said all? */
static inline bool td_slot_is_cut(const struct td_slot *s)
{
	uint32_t state = atomic_load(&s->state);
	return state == TD_SLOT_ON || state == TD_SLOT_OVER;
}

static inline void td_slot_write(struct td_slot *s, const struct tide_stats *stats)
{
	atomic_fetch_add(&s->seq, 1);
	memcpy(&s->stats, stats, sizeof *stats);
#define TD_MOST(name) \
	if (s->most.name < stats->name) \
		s->most.name = stats->name;
	TD_SLOTS_MOST
#undef TD_MOST
	atomic_fetch_add(&s->seq, 1);
}

/* The figures as they were at one moment; a writer that died half way is not waited for. */
static inline void td_slot_read(struct td_slot *s, struct tide_stats *stats)
{
	for (int tries = 0; tries < 1000; tries++) {
		uint32_t before = atomic_load(&s->seq);
		memcpy(stats, &s->stats, sizeof *stats);
		/* Not a plain load, which the copy could be moved behind. */
		if (!(before & 1) && atomic_fetch_add(&s->seq, 0) == before)
			return;
	}
}

#endif
