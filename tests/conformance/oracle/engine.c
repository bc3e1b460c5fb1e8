/* The functional model: section 1 of the policies' specification, step by step. */
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void grow_slots(struct oracle *o)
{
	o->slot_len = o->slot_len ? 2 * o->slot_len : 1024;
	o->slots = must(realloc(o->slots, o->slot_len * sizeof(*o->slots)));
	for (size_t i = 0; i < o->slot_len; i++)
		o->slots[i] = NONE;
	for (uint32_t c = 0; c < o->chunk_len; c++) {
		size_t i = (size_t)(o->chunks[c].number * 0x9E3779B97F4A7C15u >> 32) % o->slot_len;

		while (o->slots[i] != NONE)
			i = (i + 1) % o->slot_len;
		o->slots[i] = c;
	}
}

static uint32_t new_chunk(struct oracle *o, uint64_t number)
{
	if (o->chunk_len == o->chunk_room) {
		o->chunk_room = o->chunk_room ? 2 * o->chunk_room : 256;
		o->chunks = must(realloc(o->chunks, o->chunk_room * sizeof(*o->chunks)));
	}
	o->chunks[o->chunk_len] = (struct chunk){.number = number, .next = NEVER};
	return (uint32_t)o->chunk_len++;
}

uint32_t chunk_of(struct oracle *o, uint64_t page)
{
	uint64_t number = page / o->pages_per_chunk;
	size_t i;

	if (2 * (o->chunk_len + 1) > o->slot_len)
		grow_slots(o);
	i = (size_t)(number * 0x9E3779B97F4A7C15u >> 32) % o->slot_len;
	while (o->slots[i] != NONE) {
		if (o->chunks[o->slots[i]].number == number)
			return o->slots[i];
		i = (i + 1) % o->slot_len;
	}
	o->slots[i] = new_chunk(o, number);
	return o->slots[i];
}

/* In two steps: chunk_of may move the array. */
static struct chunk *chunk_at(struct oracle *o, uint64_t page)
{
	uint32_t c = chunk_of(o, page);

	return &o->chunks[c];
}

static uint64_t bit_of(const struct oracle *o, uint64_t page)
{
	return (uint64_t)1 << (page % o->pages_per_chunk);
}

static bool is_resident(struct oracle *o, uint64_t page)
{
	return chunk_at(o, page)->resident & bit_of(o, page);
}

static uint64_t count_bits(uint64_t bits)
{
	uint64_t n = 0;

	for (int i = 0; i < 64; i++)
		n += bits >> i & 1;
	return n;
}

bool valid(const struct oracle *o, uint32_t c)
{
	return o->chunks[c].resident && c != o->fault_chunk && !o->chunks[c].in_set;
}

/* Resident pages and pages outside the address range stay out. */
void add_page(struct oracle *o, uint64_t page)
{
	size_t at = 0;

	if (page > o->max_page || is_resident(o, page))
		return;
	while (at < o->set_len && o->set[at] < page)
		at++;
	if (at < o->set_len && o->set[at] == page)
		return;
	if (o->set_len == o->set_room) {
		o->set_room = o->set_room ? 2 * o->set_room : 64;
		o->set = must(realloc(o->set, o->set_room * sizeof(*o->set)));
	}
	memmove(o->set + at + 1, o->set + at, (o->set_len - at) * sizeof(*o->set));
	o->set[at] = page;
	o->set_len++;
	chunk_at(o, page)->in_set++;
}

static void drop_highest(struct oracle *o)
{
	size_t at = o->set_len - 1;

	if (o->set[at] == o->fault_page)
		at--;
	chunk_at(o, o->set[at])->in_set--;
	memmove(o->set + at, o->set + at + 1, (o->set_len - at - 1) * sizeof(*o->set));
	o->set_len--;
}

static bool any_valid(const struct oracle *o)
{
	for (uint32_t c = 0; c < o->chunk_len; c++)
		if (valid(o, c))
			return true;
	return false;
}

static void evict_one(struct oracle *o)
{
	uint32_t v = o->evict->victim(o);
	struct chunk *chunk;

	if (v == NONE || !valid(o, v)) {
		fputs("oracle: a policy named a chunk that is not valid\n", stderr);
		abort();
	}
	chunk = &o->chunks[v];
	o->counts.evicted_chunks++;
	o->counts.evicted += count_bits(chunk->resident);
	o->counts.writeback += count_bits(chunk->dirty);
	o->counts.untouched += count_bits(chunk->resident & ~chunk->touched);
	o->free_frames += count_bits(chunk->resident);
	o->evict->evicted(o, v);
	chunk->resident = chunk->touched = chunk->dirty = 0;
}

static void make_room(struct oracle *o)
{
	while (o->free_frames < o->set_len) {
		o->was_full = true;
		if (any_valid(o))
			evict_one(o);
		else
			drop_highest(o);
	}
}

/* Brings in the pages of the set that belong to chunk c. */
static void migrate_chunk(struct oracle *o, uint32_t c)
{
	bool first_page = !o->chunks[c].resident;

	for (size_t i = 0; i < o->set_len; i++)
		if (chunk_of(o, o->set[i]) == c)
			o->chunks[c].resident |= bit_of(o, o->set[i]);
	o->chunks[c].in_set = 0;
	o->evict->migrated(o, c, first_page);
}

static void migrate(struct oracle *o, const struct access *a)
{
	struct chunk *chunk = &o->chunks[o->fault_chunk];

	o->counts.migrated += o->set_len;
	o->counts.prefetched += o->set_len - 1;
	o->free_frames -= o->set_len;
	chunk->touched |= bit_of(o, a->page);
	if (a->write)
		chunk->dirty |= bit_of(o, a->page);
	migrate_chunk(o, o->fault_chunk);
	for (size_t i = 0; i < o->set_len; i++)
		if (chunk_at(o, o->set[i])->in_set)
			migrate_chunk(o, chunk_of(o, o->set[i]));
}

static void serve_fault(struct oracle *o, const struct access *a)
{
	o->counts.faults++;
	o->fault_page = a->page;
	o->fault_chunk = chunk_of(o, a->page);
	o->evict->fault(o, o->fault_chunk);
	o->set_len = 0;
	o->prefetch->plan(o);
	add_page(o, a->page);
	while (o->set_len > o->near)
		drop_highest(o);
	make_room(o);
	migrate(o, a);
	o->evict->accessed(o, o->fault_chunk, false);
}

static void serve_hit(struct oracle *o, const struct access *a)
{
	uint32_t c = chunk_of(o, a->page);

	o->counts.hits++;
	o->chunks[c].touched |= bit_of(o, a->page);
	if (a->write)
		o->chunks[c].dirty |= bit_of(o, a->page);
	o->evict->accessed(o, c, true);
}

/* chunk.next is the first access to the chunk after the present one, at every moment. */
static void look_ahead(struct oracle *o)
{
	for (size_t i = o->trace_len; i-- > 0;) {
		uint32_t c = chunk_of(o, o->trace[i].page);

		o->trace[i].next = o->chunks[c].next;
		o->chunks[c].next = i;
	}
}

void run(struct oracle *o)
{
	o->free_frames = o->near;
	look_ahead(o);
	for (size_t i = 0; i < o->trace_len; i++) {
		const struct access *a = &o->trace[i];

		o->counts.accesses++;
		chunk_at(o, a->page)->next = a->next;
		if (is_resident(o, a->page))
			serve_hit(o, a);
		else
			serve_fault(o, a);
	}
}
