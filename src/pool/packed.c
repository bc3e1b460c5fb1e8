#include "packed.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xxhash.h>

#include "tiers/slabs.h"

#define SLAB_PAGE_LEAST 4096u
#define STEP_BYTES 4096u /* of entries, that are put into the budget together */

/* What a slot has: one of these, or the length of the compressed bytes. */
enum { NONE, WORD, PLAIN, PACKED };

struct entry {
	uint32_t bytes, check; /* check: of the block, unless it is one word */
	union {
		uint64_t word;
		uint32_t place;
	} at;
};

struct packed {
	struct td_pool_host host;
	struct td_budget budget;
	struct td_codec codec;
	struct td_slabs slabs;
	struct entry *entries; /* mapped; takes memory as slots are used */
	uint64_t slots_n;
	pthread_mutex_t lock;   /* of entered_bytes */
	uint64_t entered_bytes; /* of entries, in the budget; the pool uses low slots first */
	_Atomic uint64_t packed_bytes, same_blocks, plain_blocks;
};

/* ---- life ---- */

static size_t entries_bytes(const struct packed *p)
{
	return p->slots_n * sizeof *p->entries;
}

void td_pool_packed_free(void *state)
{
	struct packed *p = state;
	if (!p)
		return;
	if (p->entries)
		munmap(p->entries, entries_bytes(p));
	td_codec_close(&p->codec);
	td_slabs_close(&p->slabs);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static uint32_t slab_page_bytes(const struct packed *p)
{
	uint32_t bytes = p->host.slot_bytes;
	return bytes < SLAB_PAGE_LEAST ? SLAB_PAGE_LEAST : bytes;
}

static int map_entries(struct packed *p)
{
	void *at = mmap(NULL, entries_bytes(p), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return -ENOMEM;
	p->entries = at;
	return 0;
}

/* Has it room for any one block? */
static int check_room(const struct packed *p, struct tide_error *err)
{
	uint64_t slab_bytes = (uint64_t)slab_page_bytes(p) * TD_SLABS_PAGES;
	uint64_t least = sizeof *p + td_codec_memory(&p->codec) + slab_bytes * 2 + STEP_BYTES * 2;
	if (p->budget.limit_bytes >= least)
		return 0;
	return tide_fail(err, -EINVAL, "compressed device memory of %llu bytes: give %llu or more",
			 (unsigned long long)p->budget.limit_bytes, (unsigned long long)least);
}

/* Blocks that do not become a fifth smaller stay as they are. */
static int set_up(struct packed *p, enum td_store_codec codec, struct tide_error *err)
{
	uint32_t bytes = p->host.slot_bytes;
	if (!p->slots_n)
		return 0;
	int rc = td_codec_open(&p->codec, codec, bytes, bytes / 5 * 4, p->budget.limit_bytes / 8);
	if (!rc && check_room(p, err))
		return -EINVAL;
	if (!rc)
		rc = td_budget_take(&p->budget, sizeof *p + td_codec_memory(&p->codec));
	if (!rc)
		rc = td_slabs_open(&p->slabs, slab_page_bytes(p), &p->budget);
	p->slabs.exact = true;
	if (!rc)
		rc = map_entries(p);
	return rc ? tide_fail(err, -ENOMEM, "no memory for compressed device memory: give less")
		  : 0;
}

int td_pool_packed_alloc(void **state, enum td_store_codec codec, const struct td_pool_want *want,
			 struct tide_error *err)
{
	struct packed *p = calloc(1, sizeof *p);
	if (!p)
		return tide_fail(err, -ENOMEM, "no memory for a device: free some");
	p->host.slot_bytes = want->slot_bytes;
	p->slots_n = want->slots;
	p->budget.limit_bytes = want->bytes;
	pthread_mutex_init(&p->lock, NULL);
	int rc = set_up(p, codec, err);
	if (rc)
		td_pool_packed_free(p);
	else
		*state = p;
	return rc;
}

/* ---- entries ---- */

/* Its entry's memory is in the budget from here on. */
static int enter(struct packed *p, uint32_t slot)
{
	uint64_t end = (uint64_t)(slot + 1) * sizeof *p->entries;
	int rc = 0;
	pthread_mutex_lock(&p->lock);
	while (!rc && p->entered_bytes < end) {
		rc = td_budget_take(&p->budget, STEP_BYTES);
		p->entered_bytes += rc ? 0 : STEP_BYTES;
	}
	pthread_mutex_unlock(&p->lock);
	return rc;
}

static void count(struct packed *p, const struct entry *e, uint64_t sign)
{
	if (e->bytes == WORD)
		atomic_fetch_add_explicit(&p->same_blocks, sign, memory_order_relaxed);
	else if (e->bytes == PLAIN)
		atomic_fetch_add_explicit(&p->plain_blocks, sign, memory_order_relaxed);
	else if (e->bytes >= PACKED)
		atomic_fetch_add_explicit(&p->packed_bytes, sign * e->bytes, memory_order_relaxed);
}

void td_pool_packed_drop(void *state, uint32_t slot)
{
	struct packed *p = state;
	struct entry *e = &p->entries[slot];
	if (e->bytes == NONE)
		return;
	count(p, e, UINT64_MAX); /* less one */
	if (e->bytes >= PLAIN)
		td_slabs_give(&p->slabs, e->at.place);
	e->bytes = NONE;
}

static uint32_t check_of(const struct packed *p, const void *block)
{
	return (uint32_t)XXH3_64bits(block, p->host.slot_bytes);
}

/* ---- to a slot ---- */

static bool is_one_word(const struct packed *p, const unsigned char *block)
{
	return memcmp(block, block + sizeof(uint64_t), p->host.slot_bytes - sizeof(uint64_t)) == 0;
}

static int pack(struct packed *p, const void *block, struct entry *e)
{
	struct td_worker *w = td_codec_take(&p->codec, true);
	uint32_t packed = td_codec_pack(&p->codec, w, block);
	bool smaller = packed >= PACKED;
	uint32_t bytes = smaller ? packed : p->host.slot_bytes, place;
	int rc = td_slabs_take(&p->slabs, bytes, &place);
	if (!rc) {
		memcpy(td_slabs_at(&p->slabs, place), smaller ? w->out : block, bytes);
		e->bytes = smaller ? packed : PLAIN;
		e->check = check_of(p, block);
		e->at.place = place;
	}
	td_codec_give(&p->codec, w);
	return rc;
}

static int put(struct packed *p, uint32_t slot, const void *block)
{
	struct entry e = {.bytes = WORD};
	int rc = enter(p, slot);
	if (rc)
		return rc;
	td_pool_packed_drop(p, slot);
	if (is_one_word(p, block))
		memcpy(&e.at.word, block, sizeof e.at.word);
	else
		rc = pack(p, block, &e);
	if (rc)
		return rc;
	p->entries[slot] = e;
	count(p, &e, 1);
	return 0;
}

int td_pool_packed_scatter(void *state, const uint32_t *slots, const void *const *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int rc = put(state, slots[i], from[i]);
		if (rc)
			return rc == -ENOSPC && i ? (int)i : rc;
	}
	return 0;
}

/* ---- from a slot ---- */

static void fill(const struct packed *p, uint64_t word, unsigned char *to)
{
	for (uint32_t i = 0; i < p->host.slot_bytes; i += sizeof word)
		memcpy(to + i, &word, sizeof word);
}

static bool unpack(struct packed *p, const struct entry *e, void *to)
{
	const void *from = td_slabs_at(&p->slabs, e->at.place);
	if (e->bytes == PLAIN) {
		memcpy(to, from, p->host.slot_bytes);
		return true;
	}
	struct td_worker *w = td_codec_take(&p->codec, false);
	bool good = td_codec_unpack(&p->codec, w, from, e->bytes, to);
	td_codec_give(&p->codec, w);
	return good;
}

static int get(struct packed *p, uint32_t slot, void *to)
{
	const struct entry *e = &p->entries[slot];
	if (e->bytes == WORD) {
		fill(p, e->at.word, to);
		return 0;
	}
	return e->bytes != NONE && unpack(p, e, to) && check_of(p, to) == e->check ? 0 : -EIO;
}

int td_pool_packed_gather(void *state, const uint32_t *slots, void *const *to, size_t n)
{
	int rc = 0;
	for (size_t i = 0; !rc && i < n; i++)
		rc = get(state, slots[i], to[i]);
	return rc;
}

/* ---- figures ---- */

void td_pool_packed_use(void *state, struct td_pool_device_use *use)
{
	struct packed *p = state;
	*use = (struct td_pool_device_use){
		.memory_bytes = atomic_load_explicit(&p->budget.used_bytes, memory_order_relaxed),
		.packed_bytes = atomic_load_explicit(&p->packed_bytes, memory_order_relaxed),
		.same_blocks = atomic_load_explicit(&p->same_blocks, memory_order_relaxed),
		.plain_blocks = atomic_load_explicit(&p->plain_blocks, memory_order_relaxed),
	};
}
