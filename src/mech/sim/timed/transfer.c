/* The time of the engine's decisions: copies over the bus, in both directions, and storage. */
#include <stdlib.h>

#include "engine/lanes.h"
#include "state.h"

uint64_t td_transfer(struct td_timed_channel *c, uint64_t from, uint64_t copies, uint64_t bytes)
{
	uint64_t takes =
		(uint64_t)((double)copies * c->ps_per_copy + (double)bytes * c->ps_per_byte);

	c->free = td_timed_later(c->free, from) + takes;
	c->busy += takes;
	c->bytes += bytes;
	return c->free;
}

/* Runs of consecutive pages: one copy each. */
static uint64_t runs(uint64_t pages)
{
	return td_lanes_count(pages & ~(pages << 1));
}

static uint64_t copy(struct td_timed *t, struct td_timed_channel *c, uint64_t from, uint64_t pages)
{
	return td_transfer(c, from, runs(pages), td_lanes_count(pages) * t->page_bytes);
}

/* One device: while it writes it does not read. */
static uint64_t use_storage(struct td_timed *t, struct td_timed_channel *c, uint64_t from,
			    uint64_t bytes)
{
	c->free = td_timed_later(t->reads.free, t->writes.free);
	return td_transfer(c, from, 0, bytes);
}

/* A read begins when one of the last `depth` has ended. */
static uint64_t read_storage(struct td_timed *t, uint64_t from, uint64_t bytes)
{
	uint64_t *slot = &t->reading[t->reads_n++ % (uint64_t)t->model.depth];
	uint64_t start = td_timed_later(from, *slot);

	*slot = td_timed_later(use_storage(t, &t->reads, start, bytes),
			       start + td_timed_ps(t->model.read_ns));
	return *slot;
}

/* What the driver does for every 4 KiB of these pages: its own unit, whatever ours is. */
static uint64_t per_4k(const struct td_timed *t, double ns, uint64_t pages)
{
	return td_timed_ps(ns * (double)t->page_bytes / 4096) * td_lanes_count(pages);
}

/* From near memory to storage, and when the pages have left. The GPU has storage fetch them; a
 * driver copies them to the host, which writes them when it comes to that. */
static uint64_t write_storage(struct td_timed *t, uint64_t from, uint64_t pages)
{
	uint64_t copied = copy(t, &t->down, from, pages);
	uint64_t written = use_storage(t, &t->writes, t->model.by_driver ? copied : from,
				       td_lanes_count(pages) * t->page_bytes);

	return t->model.by_driver ? copied : td_timed_later(copied, written);
}

static void leave(void *arg, tide_chunk c, const struct td_lanes *was, tide_tier to)
{
	struct td_timed *t = arg;
	struct td_timed_flight *f = td_timed_flight(t, c.index);
	uint64_t pages = t->model.copies_all ? was->resident : was->dirty;
	/* What is on its way must be there before it can leave. */
	uint64_t from = td_timed_later(t->at, f->pages ? f->there : 0), there = from;

	t->at += td_timed_ps(t->model.evict_ns) + per_4k(t, t->model.leave_ns, was->resident);
	f->stamp++;
	f->pages = 0;
	if (to.number == 2 && (!t->engine->tiers.on || t->engine->near.host_pages)) {
		/* A page kept in host memory is its only fresh copy there: it goes whole. */
		pages = t->engine->tiers.on ? was->resident : pages;
		if (pages)
			there = copy(t, &t->down, td_timed_later(from, t->slot_at), pages);
	} else if (was->dirty) {
		there = write_storage(t, from, was->dirty);
	}
	t->room_at = td_timed_later(t->room_at, there);
}

/* The GPU fetches pages straight to where they will be, so there has to be room, and the latencies
 * have the way over the bus in them. The bus takes what is ready: its time is set apart when a page
 * is asked for, not in the order of answers that come early or late. */
static uint64_t fetch(struct td_timed *t, uint64_t start, uint64_t pages, tide_tier from)
{
	uint64_t bytes = td_lanes_count(pages) * t->page_bytes, there;

	start = td_timed_later(start, t->room_at);
	there = from.number == 3 ? read_storage(t, start, bytes)
				 : start + td_timed_ps(t->model.host_ns);
	return td_timed_later(there, copy(t, &t->up, start, pages));
}

/* The driver copies what is in host memory, or comes there from storage. The page that somebody
 * waits for goes first; others are a copy of their own. */
static uint64_t bring(struct td_timed *t, uint64_t start, uint64_t asked, uint64_t others,
		      tide_tier from)
{
	if (from.number == 3)
		start = read_storage(t, td_timed_later(start, t->slot_at),
				     td_lanes_count(asked | others) * t->page_bytes);
	start = td_timed_later(start, t->room_at);
	if (asked)
		start = copy(t, &t->up, start, asked);
	if (others)
		start = copy(t, &t->up, start, others);
	return start;
}

static void come(void *arg, tide_chunk c, uint64_t pages, uint64_t fault_bit, tide_tier from)
{
	struct td_timed *t = arg;
	struct td_timed_flight *f = td_timed_flight(t, c.index);
	uint64_t asked = pages & fault_bit, others = pages & ~fault_bit;
	uint64_t start = t->at =
		t->at + td_timed_ps(t->model.block_ns) + per_4k(t, t->model.page_ns, pages);

	start = t->model.by_driver ? bring(t, start, asked, others, from)
				   : fetch(t, start, pages, from);
	t->figures.prefetch_bytes += td_lanes_count(others) * t->page_bytes;
	f->there = f->pages ? td_timed_later(f->there, start) : start;
	f->pages |= pages;
}

/* Its slot is free when it is written. */
static void spill(void *arg, tide_chunk c, bool dirty)
{
	struct td_timed *t = arg;

	(void)c;
	if (dirty)
		t->slot_at = use_storage(t, &t->writes, t->at, t->page_bytes);
}

static void clean(void *arg, tide_chunk c, tide_tier from)
{
	struct td_timed *t = arg;
	uint64_t written = from.number == 1 ? write_storage(t, t->at, 1)
					    : use_storage(t, &t->writes, t->at, t->page_bytes);

	(void)c;
	t->cleaned_at = td_timed_later(t->cleaned_at, td_timed_later(written, t->writes.free));
}

static void watch(void *arg, tide_chunk c, uint64_t pages, bool armed)
{
	struct td_timed *t = arg;

	(void)c;
	copy(t, armed ? &t->down : &t->up, t->at, pages);
	t->figures.observe_bytes += td_lanes_count(pages) * t->page_bytes;
}

struct td_engine_carrier td_timed_carrier(struct td_timed *t)
{
	return (struct td_engine_carrier){t, leave, come, spill, clean, watch};
}

static double ps_per_byte(double gbs)
{
	return gbs > 0 ? 1000 / gbs : 0;
}

void td_transfer_init(struct td_timed *t)
{
	const struct td_timed_model *m = &t->model;

	t->memory.ps_per_byte = ps_per_byte(m->memory_gbs);
	t->up.ps_per_byte = ps_per_byte(m->up_gbs);
	t->down.ps_per_byte = ps_per_byte(m->down_gbs);
	t->up.ps_per_copy = t->down.ps_per_copy = m->copy_ns * 1000;
	t->reads.ps_per_byte = ps_per_byte(m->read_gbs);
	t->writes.ps_per_byte = ps_per_byte(m->write_gbs);
}
