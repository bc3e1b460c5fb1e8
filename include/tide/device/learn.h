/* What the placement learns: the line from accesses to reuse distance, samples for the regression
 * that finds it, and whether the tier that was predicted for a page was right. */
#ifndef TIDE_DEVICE_LEARN_H
#define TIDE_DEVICE_LEARN_H

#include "clock.h"

/* ---- the line from accesses to reuse distance ----
 *
 * The processor puts it into pinned memory. A warp that gives a sample looks there and copies it to
 * memory of the GPU, where a fault reads it without using the bus. */

/* One lane. */
TD_DEV_SLOW void td_dev_hear(struct td_dev_control *c)
{
	const struct td_dev_told *t = c->told;
	uint64_t told = td_dev_load_far(&t->line_sequence), known = td_dev_load(&c->line_sequence);
	if (told & 1 || known & 1 || told == known)
		return;
	if (td_dev_cas(&c->line_sequence, known, known | 1) != known)
		return;
	double slope = td_dev_load_far_real(&t->line.m), start = td_dev_load_far_real(&t->line.b);
	uint64_t m, b;
	memcpy(&m, &slope, sizeof(m));
	memcpy(&b, &start, sizeof(b));
	bool whole = td_dev_load_far(&t->line_sequence) == told;
	if (whole) {
		td_dev_poke(&c->line_m, m);
		td_dev_poke(&c->line_b, b);
	}
	td_dev_cas(&c->line_sequence, known | 1, whole ? told : known);
}

TD_DEV struct tide_line td_dev_line(const struct td_dev_control *c)
{
	struct tide_line line;
	uint64_t before, m, b;
	do {
		before = td_dev_load(&c->line_sequence);
		m = td_dev_load(&c->line_m);
		b = td_dev_load(&c->line_b);
	} while (before & 1 || td_dev_load(&c->line_sequence) != before);
	memcpy(&line.m, &m, sizeof(m));
	memcpy(&line.b, &b, sizeof(b));
	return line;
}

/* ---- samples for the regression ---- */

#define TD_DEV_HEARS 64 /* samples between two reads of what the processor told */

/* Called by one lane: takes a place in the ring. False: the ring is full. */
TD_DEV bool td_dev_sample_ticket(struct td_dev_control *c, uint64_t *ticket)
{
	uint64_t tail = td_dev_peek(&c->samples_tail), seen;
	for (;;) {
		if (tail - td_dev_peek(&c->samples_known) >= c->samples_entries) {
			uint64_t taken = td_dev_load_far(&c->told->samples_taken);
			td_dev_poke(&c->samples_known, taken);
			if (tail - taken >= c->samples_entries)
				return false;
		}
		seen = td_dev_cas(&c->samples_tail, tail, tail + 1);
		if (seen == tail)
			break;
		tail = seen;
	}
	*ticket = tail;
	return true;
}

/* Called by one lane. The sample is dropped if the ring is full. The lane writes over the bus and
 * seldom reads, so it does not wait, except in lockstep, where it waits for the answer. */
TD_DEV_SLOW void td_dev_sample(struct td_dev_control *c, uint32_t page, uint64_t time)
{
	struct td_dev_wait w = {0, 0};
	uint64_t ticket;
	if (!td_dev_sample_ticket(c, &ticket)) {
		struct td_dev_shard *home = &c->shard[tide_hash64(page) & (c->shards - 1)];
		td_dev_count(home, TD_DEV_SAMPLES_LOST, 1);
		return;
	}
	struct td_dev_sample *s = &c->samples[ticket & (c->samples_entries - 1)];
	s->time = time;
	s->page = page;
	td_dev_store_far(&s->sequence, ticket + 1);
	while (c->lockstep && td_dev_load_far(&c->told->samples_taken) <= ticket) {
		if (!td_dev_waits(c, &w, page, TD_DEV_WAITS_PAGE))
			return;
	}
	if (!c->lockstep && ticket % TD_DEV_HEARS != 0)
		return;
	td_dev_hear(c);
	if (td_dev_load_far32(&c->told->samples_enough))
		td_dev_poke32(&c->sampling, 0);
}

/* ---- what a fault teaches: one lane, which owns the page ---- */

#define TD_DEV_RETURNED(name) \
	case TIDE_PLACES_##name: verdict = tide_##name##_returned(&c->placing, v, line); break;

TD_DEV_SLOW void td_dev_learn(struct td_dev_control *c, struct td_dev_shard *s, uint32_t page,
			      uint64_t now)
{
	struct tide_verdict verdict = {0, false, false};
	struct tide_leaver v = td_dev_leaver(c, page, now, false);
	struct tide_line line = {1, 0};
	if (c->placing.rate > 0)
		line = td_dev_line(c);
	switch (c->place) {
		TIDE_PLACEMENTS(TD_DEV_RETURNED)
	default: break;
	}
	if (!verdict.judged)
		return;
	td_dev_count(s, TD_DEV_JUDGED, 1);
	td_dev_count(s, TD_DEV_RIGHT, verdict.right);
}

#endif
