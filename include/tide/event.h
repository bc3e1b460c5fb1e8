/* Events (accesses to pages), and the number types that all rooms share. */
#ifndef TIDE_EVENT_H
#define TIDE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Marks functions that a GPU calls too. */
#ifdef __CUDACC__
#define TIDE_DEVICE __host__ __device__
#else
#define TIDE_DEVICE
#endif

/* One-member structs, so that the compiler tells page numbers from chunk indices. */
typedef struct {
	uint64_t number; /* unit of residency, as numbered in the trace */
} tide_page;

/* A chunk is up to 64 consecutive, aligned pages. Its index is dense (the engine gives
 * indices out as chunks appear), so state about chunks lives in arrays. tide_chunk_number() of
 * policy.h gives the chunk's number, page number / pages per chunk. */
typedef struct {
	uint32_t index;
} tide_chunk;

typedef struct {
	uint8_t number; /* 1 near, 2 host, 3 storage */
} tide_tier;

/* One access of a program, as calls of the library take and give it. */
struct tide_event {
	size_t size; /* sizeof(struct tide_event) */
	uint64_t page;
	uint64_t ref;    /* id of the instruction that made the access, 0 if unknown */
	uint64_t stream; /* id of the thread or device queue, 0 if unknown */
	bool write;
	/* For caches; struct tide_batch_object says more. */
	uint64_t first; /* 1: the access begins a group, such as a request; else 0 */
	uint64_t bytes; /* size of the object, 0 if not known */
	uint64_t cost;  /* cost of a fetch, 0 if not known */
};

/* Many accesses, as one array per field. The arrays stay the program's. */
struct tide_accesses {
	size_t size; /* sizeof(struct tide_accesses) */
	uint64_t n;  /* accesses: elements of every array */
	const uint64_t *page;
	/* As the members of struct tide_event. NULL: all are 0. */
	const uint64_t *ref, *stream;
	const uint8_t *write, *first; /* not 0: true */
	const uint64_t *bytes, *cost;
};

/* Events travel in batches, which have one array per field. A reader that needs only pages reads
 * only pages. It can also look ahead and prefetch its own state. Only the library makes batches.
 * They grow at their end. */
#define TIDE_BATCH 4096

/* Which launch, block and warp made an access, to which array, and how many accesses of the program
 * it stands for. */
struct tide_batch_gpu {
	uint32_t kernel[TIDE_BATCH];
	uint32_t block[TIDE_BATCH];
	uint16_t warp[TIDE_BATCH];
	uint16_t array[TIDE_BATCH];
	uint32_t count[TIDE_BATCH];
};

/* What the input of a cache says of an access besides its page. */
struct tide_batch_object {
	uint8_t first[TIDE_BATCH];  /* 1: the access begins a group, such as a request; else 0 */
	uint64_t bytes[TIDE_BATCH]; /* size of the object, 0 if not known */
	uint64_t cost[TIDE_BATCH];  /* cost of a fetch, 0 if not known */
};

/* What happens between accesses when the program's memory comes and goes (struct tide_mark.kind).
 * An input with such marks begins with an empty address range. */
enum tide_mark_kind {
	TIDE_MARK_MAP = 1, /* an allocation begins to exist; it begins a chunk */
	TIDE_MARK_GONE,    /* pages cease to exist */
	TIDE_MARK_BRING,   /* the program asks for pages before it accesses them */
	TIDE_MARK_COLD,    /* the program will not need these pages: their chunks are evicted */
};

/* A row of an array: its layout never changes. */
struct tide_mark {
	uint8_t kind;
	uint32_t at; /* the mark comes before this event of the batch; n: after the last event */
	uint64_t page, pages;
};

/* A batch without events and marks ends an input. */
struct tide_batch {
	uint32_t n;
	uint64_t page[TIDE_BATCH];
	uint64_t ref[TIDE_BATCH];
	uint64_t stream[TIDE_BATCH];
	uint8_t write[TIDE_BATCH];  /* 0 or 1 */
	struct tide_batch_gpu *gpu; /* filled by workloads of a GPU; NULL: not wanted */
	/* Ascending by `at`. The source owns them, and they are valid until its next batch. */
	const struct tide_mark *marks;
	uint32_t marks_n;
	/* Filled by traces that have groups, sizes or costs; NULL: not wanted. */
	struct tide_batch_object *object;
};

/* splitmix64's finaliser: the one hash of page numbers. */
TIDE_DEVICE static inline uint64_t tide_hash64(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* splitmix64: the one source of random numbers; the seed is the first state. */
TIDE_DEVICE static inline uint64_t tide_random_next(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	return tide_hash64(*state);
}

#endif
