/* Chunks by number, the set that is to come in, random numbers. */
#include "oracle.h"

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

uint64_t bit_of(const struct oracle *o, uint64_t page)
{
	return (uint64_t)1 << (page % o->pages_per_chunk);
}

bool is_resident(struct oracle *o, uint64_t page)
{
	uint32_t c = chunk_of(o, page);

	return o->chunks[c].resident & bit_of(o, page);
}

uint64_t count_bits(uint64_t bits)
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

void add_page(struct oracle *o, uint64_t page)
{
	size_t at = 0;
	uint32_t c;

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
	c = chunk_of(o, page);
	o->chunks[c].in_set++;
}

void add_chunk(struct oracle *o, uint64_t number)
{
	uint64_t base;

	if (number > o->max_page / o->pages_per_chunk)
		return;
	base = number * o->pages_per_chunk;
	for (uint64_t i = 0; i < o->pages_per_chunk && i <= o->max_page - base; i++)
		add_page(o, base + i);
}

/* The highest-numbered page other than the one that faulted. */
void drop_highest(struct oracle *o)
{
	size_t at = o->set_len - 1;
	uint32_t c;

	if (o->in_fault && o->set[at] == o->fault_page)
		at--;
	c = chunk_of(o, o->set[at]);
	o->chunks[c].in_set--;
	memmove(o->set + at, o->set + at + 1, (o->set_len - at - 1) * sizeof(*o->set));
	o->set_len--;
}

struct state *state(struct evictor *e, uint32_t c)
{
	if (c >= e->states_len) {
		size_t length = e->o->chunk_room;

		e->states = must(realloc(e->states, length * sizeof(*e->states)));
		memset(e->states + e->states_len, 0, (length - e->states_len) * sizeof(*e->states));
		e->states_len = length;
	}
	return &e->states[c];
}

uint64_t hash(uint64_t z)
{
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

uint64_t next_random(struct oracle *o)
{
	return hash(o->random_state += 0x9E3779B97F4A7C15u);
}

/* x * scale < digits * 2^64 */
bool below_share(uint64_t x, struct decimal share)
{
	return (unsigned __int128)x * share.scale < (unsigned __int128)share.digits << 64;
}
