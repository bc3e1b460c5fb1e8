/* The functional model: section 1 of the policies' specification, step by step. */
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>

static bool any_valid(const struct oracle *o)
{
	for (uint32_t c = 0; c < o->chunk_len; c++)
		if (valid(o, c))
			return true;
	return false;
}

static uint32_t choose_victim(struct oracle *o)
{
	uint32_t v = o->evict->how->victim(o->evict);

	if (v == NONE || !valid(o, v)) {
		fputs("oracle: a policy named a chunk that is not valid\n", stderr);
		abort();
	}
	return v;
}

/* Where the victim of three tiers goes; those that are kept are passed over. */
static enum answer choose_place(struct oracle *o, uint32_t *v)
{
	enum answer answer = o->place->how->choose(o->place, *v);

	while (answer == KEEP) {
		*v = choose_victim(o);
		answer = o->place->how->choose(o->place, *v);
	}
	return answer;
}

static void tell_evicted(struct oracle *o, uint32_t v)
{
	bool unused = o->chunks[v].armed;

	if (o->place && o->place->how->evicted)
		o->place->how->evicted(o->place, v);
	if (o->prefetch->how->evicted)
		o->prefetch->how->evicted(o->prefetch, v, unused);
	if (o->evict->how->evicted)
		o->evict->how->evicted(o->evict, v, unused);
}

static void evict_one(struct oracle *o)
{
	uint32_t v = choose_victim(o);
	enum answer to = o->place ? choose_place(o, &v) : TIER3;
	struct chunk *chunk = &o->chunks[v];

	o->counts.evicted_chunks++;
	o->counts.evicted += count_bits(chunk->resident);
	o->counts.writeback += count_bits(chunk->dirty);
	o->counts.untouched += count_bits(chunk->resident & ~chunk->touched);
	o->free_frames += count_bits(chunk->resident);
	if (o->place)
		place_victim(o, v, to);
	tell_evicted(o, v);
	note_eviction(o, v);
	chunk->resident = chunk->touched = chunk->dirty = chunk->armed = 0;
}

static void become_full(struct oracle *o)
{
	o->was_full = true;
	if (o->evict->how->full)
		o->evict->how->full(o->evict);
}

static void make_room(struct oracle *o)
{
	if (o->free_frames < o->set_len && !o->was_full)
		become_full(o);
	while (o->free_frames < o->set_len) {
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
	uint64_t pages = 0;

	for (size_t i = 0; i < o->set_len; i++)
		if (chunk_of(o, o->set[i]) == c)
			pages |= bit_of(o, o->set[i]);
	o->chunks[c].resident |= pages;
	o->chunks[c].mapped &= ~pages;
	o->chunks[c].in_set = 0;
	if (o->evict->how->migrated)
		o->evict->how->migrated(o->evict, c, first_page, count_bits(pages));
}

static void migrate(struct oracle *o)
{
	o->counts.migrated += o->set_len;
	o->counts.prefetched += o->set_len - o->in_fault;
	o->free_frames -= o->set_len;
	if (o->fault_chunk != NONE && o->chunks[o->fault_chunk].in_set)
		migrate_chunk(o, o->fault_chunk);
	for (size_t i = 0; i < o->set_len; i++) {
		uint32_t c = chunk_of(o, o->set[i]);

		if (o->chunks[c].in_set)
			migrate_chunk(o, c);
	}
}

/* Steps 3 (from the plan on) to 5 without the last access. a: of a fault, else NULL. */
void bring_in(struct oracle *o, const struct access *a)
{
	struct chunk *chunk;

	o->in_fault = a;
	if (a)
		add_page(o, a->page);
	while (o->set_len > o->near)
		drop_highest(o);
	make_room(o);
	chunk = &o->chunks[o->fault_chunk];
	if (a) {
		chunk->touched |= bit_of(o, a->page);
		if (a->write)
			chunk->dirty |= bit_of(o, a->page);
	}
	migrate(o);
}

/* Of every chunk that got prefetched pages, in ascending order, one of these pages. */
static void arm_prefetched(struct oracle *o, enum purpose purpose)
{
	for (size_t i = 0; i < o->set_len;) {
		uint32_t c = chunk_of(o, o->set[i]);
		uint64_t pages = 0;

		for (; i < o->set_len && chunk_of(o, o->set[i]) == c; i++)
			if (!o->in_fault || o->set[i] != o->fault_page)
				pages |= bit_of(o, o->set[i]);
		if (pages)
			arm_pages(o, c, pages, 1, purpose);
	}
}

static void tell_fault(struct oracle *o, uint32_t c, uint64_t page)
{
	o->chunks[c].faults++;
	if (o->place) {
		if (o->place->how->fault)
			o->place->how->fault(o->place, c);
		look_up_tier2(o, c);
	}
	if (o->prefetch->how->fault)
		o->prefetch->how->fault(o->prefetch, c, page);
	if (o->evict->how->fault)
		o->evict->how->fault(o->evict, c);
}

static void tell_access(struct oracle *o, uint32_t c, const struct access *a, bool hit)
{
	if (o->place && o->place->how->accessed)
		o->place->how->accessed(o->place, c);
	if (o->evict->how->accessed)
		o->evict->how->accessed(o->evict, c, a, hit);
}

static void serve_fault(struct oracle *o, const struct access *a)
{
	struct plan plan;

	o->counts.faults++;
	o->served++;
	o->fault_page = a->page;
	o->fault_chunk = chunk_of(o, a->page);
	o->set_len = 0;
	tell_fault(o, o->fault_chunk, a->page);
	plan = o->prefetch->how->plan(o->prefetch);
	if (plan.remote) {
		o->chunks[o->fault_chunk].mapped |= bit_of(o, a->page);
	} else {
		bring_in(o, a);
		tell_access(o, o->fault_chunk, a, false);
	}
	if (plan.arm)
		arm_prefetched(o, plan.purpose);
	o->fault_chunk = NONE;
	ask_candidate(o);
}

static void serve_remote(struct oracle *o, uint32_t c)
{
	o->counts.remote++;
	o->served++;
	o->fault_chunk = c;
	o->set_len = 0;
	o->prefetch->how->remote(o->prefetch, c);
	bring_in(o, NULL);
	o->fault_chunk = NONE;
}

static void serve_noticed(struct oracle *o, uint32_t c, enum purpose purpose)
{
	struct plan plan = {0};

	o->served++;
	o->fault_chunk = c;
	o->set_len = 0;
	if (o->prefetch->how->plan_notice)
		plan = o->prefetch->how->plan_notice(o->prefetch, c, purpose);
	bring_in(o, NULL);
	if (plan.arm)
		arm_prefetched(o, plan.purpose);
	o->fault_chunk = NONE;
	ask_candidate(o);
}

static void serve_hit(struct oracle *o, const struct access *a)
{
	uint32_t c = chunk_of(o, a->page);
	enum purpose purpose = o->chunks[c].purpose;

	o->counts.hits++;
	o->chunks[c].touched |= bit_of(o, a->page);
	if (a->write)
		o->chunks[c].dirty |= bit_of(o, a->page);
	tell_access(o, c, a, true);
	if (!(o->chunks[c].armed & bit_of(o, a->page)))
		return;
	give_notice(o, c);
	serve_noticed(o, c, purpose);
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
	o->fault_chunk = NONE;
	look_ahead(o);
	for (size_t i = 0; i < o->trace_len; i++) {
		const struct access *a = &o->trace[i];
		uint32_t c = chunk_of(o, a->page);

		o->counts.accesses++;
		o->chunks[c].next = a->next;
		if (is_resident(o, a->page))
			serve_hit(o, a);
		else if (o->chunks[c].mapped & bit_of(o, a->page))
			serve_remote(o, c);
		else
			serve_fault(o, a);
	}
}
