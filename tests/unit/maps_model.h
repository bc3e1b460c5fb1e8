/* An engine whose memory comes and goes, driven at random and held against a model that knows
 * nothing of policies: bytes per page, kept from what the carrier is told and what was asked. */
#ifndef TESTS_UNIT_MAPS_MODEL_H
#define TESTS_UNIT_MAPS_MODEL_H

#include "engine/lanes.h"
#include "engine_help.h"

#define MODEL_PAGES 480

struct model {
	struct td_engine *e;
	uint32_t chunk_pages;
	uint64_t random;
	bool tiers;
	bool exists[MODEL_PAGES], resident[MODEL_PAGES], dirty[MODEL_PAGES];
	bool tier2[MODEL_PAGES], tier2_dirty[MODEL_PAGES]; /* by chunk */
	uint64_t events, faults, came, left, left_chunks, spilt, spilt_dirty;
	/* Whoever writes it down. */
	void *to;
	void (*event)(void *to, const struct td_event *event);
	void (*mark)(void *to, const struct tide_mark *mark);
};

static inline uint64_t below(struct model *m, uint64_t n)
{
	return tide_random_next(&m->random) % n;
}

/* ---- what the carrier is told ---- */

static inline void model_come(void *arg, tide_chunk c, uint64_t pages, uint64_t fault_bit,
			      tide_tier from)
{
	struct model *m = arg;

	assert_int_equal(fault_bit & ~pages, 0);
	assert_int_not_equal(pages, 0);
	for (uint64_t i = 0; i < m->chunk_pages; i++) {
		uint64_t page = c.index * m->chunk_pages + i;
		if (!(pages >> i & 1))
			continue;
		if (!m->exists[page] || m->resident[page])
			fail_msg("page %lu came, which is %s", page,
				 m->exists[page] ? "resident" : "gone");
		m->resident[page] = true;
		m->dirty[page] = m->tiers && m->tier2[c.index] && m->tier2_dirty[c.index];
		m->came++;
	}
	if (m->tiers)
		assert_int_equal(from.number, m->tier2[c.index] ? 2 : 3);
	m->tier2[c.index] = false;
}

static inline void model_leave(void *arg, tide_chunk c, const struct td_lanes *was, tide_tier to)
{
	struct model *m = arg;

	for (uint64_t i = 0; i < m->chunk_pages; i++) {
		uint64_t page = c.index * m->chunk_pages + i;
		assert_int_equal(was->resident >> i & 1, m->resident[page]);
		assert_int_equal(was->dirty >> i & 1, m->dirty[page]);
		m->left += m->resident[page];
		m->resident[page] = m->dirty[page] = false;
	}
	m->left_chunks++;
	if (m->tiers) {
		assert_false(m->tier2[c.index]);
		m->tier2[c.index] = to.number == 2;
		m->tier2_dirty[c.index] = was->dirty;
	}
}

static inline void model_spill(void *arg, tide_chunk c, bool dirty)
{
	struct model *m = arg;

	assert_true(m->tier2[c.index]);
	assert_int_equal(m->tier2_dirty[c.index], dirty);
	m->tier2[c.index] = false;
	m->spilt++;
	m->spilt_dirty += dirty;
}

static inline void model_watch(void *arg, tide_chunk c, uint64_t pages, bool armed)
{
	struct model *m = arg;

	(void)armed;
	for (uint64_t i = 0; i < m->chunk_pages; i++)
		assert_true(!(pages >> i & 1) || m->resident[c.index * m->chunk_pages + i]);
}

/* ---- does the engine agree? ---- */

static inline void check_chunk(struct model *m, uint32_t index, uint64_t *resident_chunks,
			       uint64_t *resident)
{
	struct td_lanes l = {0}, expected = {0};

	if (index < m->e->near.chunks)
		l = td_lanes_load(td_engine_record(m->e, index), m->e->near.lane_bytes);
	for (uint64_t i = 0; i < m->chunk_pages; i++) {
		uint64_t page = (uint64_t)index * m->chunk_pages + i;
		expected.resident |= (uint64_t)m->resident[page] << i;
		expected.dirty |= (uint64_t)m->dirty[page] << i;
		if (!m->exists[page])
			assert_int_equal(l.armed >> i & 1, 0);
	}
	assert_int_equal(l.resident, expected.resident);
	assert_int_equal(l.dirty, expected.dirty);
	assert_int_equal(l.touched & ~l.resident, 0);
	*resident_chunks += l.resident != 0;
	*resident += td_lanes_count(l.resident);
}

/* Where an allocation begins, none does before it, and no page follows the one before it. */
static inline void check_allocations(struct model *m)
{
	uint64_t n = 0;

	for (uint64_t page = 0; page < MODEL_PAGES; page++)
		if (m->exists[page] && (!page || !m->exists[page - 1]))
			assert_int_equal(m->e->near.allocations[tide_allocation(
						 &m->e->box[TD_BOX_EVICT].view, page)],
					 page);
	for (uint32_t i = 0; i < m->e->near.allocations_n; i++, n++) {
		assert_true(m->exists[m->e->near.allocations[i]]);
		assert_true(!i || m->e->near.allocations[i - 1] < m->e->near.allocations[i]);
	}
}

static inline void check_observed(struct model *m)
{
	const struct td_observe *o = &m->e->observe;

	for (unsigned purpose = 0; purpose < TD_OBSERVE_PURPOSES; purpose++)
		for (unsigned i = 0; i < o->n[purpose]; i++)
			assert_true(tide_observed(&m->e->box[TD_BOX_EVICT].view,
						  (tide_chunk){o->chunk[purpose][i]}));
}

static inline void check(struct model *m)
{
	const struct tide_counts *counts = &m->e->counts;
	uint64_t chunks = 0, pages = 0, in_tier2 = 0;

	for (uint32_t i = 0; i < MODEL_PAGES / m->chunk_pages; i++) {
		check_chunk(m, i, &chunks, &pages);
		in_tier2 += m->tier2[i];
	}
	check_allocations(m);
	check_observed(m);
	assert_int_equal(m->e->near.resident_chunks, chunks);
	assert_int_equal(m->e->near.free_pages, m->e->near.capacity_pages - pages);
	assert_int_equal(counts->policy_errors, 0);
	assert_int_equal(counts->faults, m->faults);
	assert_int_equal(counts->accesses, m->events);
	assert_int_equal(counts->migrated_pages, m->came);
	assert_int_equal(counts->evicted_pages, m->left);
	assert_int_equal(counts->evicted_chunks, m->left_chunks);
	if (m->tiers)
		assert_int_equal(m->e->near.host_free_pages, m->e->near.host_pages - in_tier2);
}

/* ---- what happens ---- */

static inline void model_mark(struct model *m, enum tide_mark_kind kind, uint64_t page,
			      uint64_t pages)
{
	struct tide_mark mark = {(uint8_t)kind, 0, page, pages};
	struct tide_error err = {0};

	if (kind == TIDE_MARK_MAP)
		memset(m->exists + page, true, pages);
	if (td_engine_mark(m->e, &mark, &err))
		fail_msg("%s", err.text);
	if (kind == TIDE_MARK_GONE) {
		memset(m->exists + page, false, pages);
		memset(m->resident + page, false, pages);
		memset(m->dirty + page, false, pages);
		for (uint64_t i = 0; i < pages && m->tiers; i++)
			m->tier2[page + i] = false; /* chunks are pages */
	}
	if (m->mark)
		m->mark(m->to, &mark);
}

static inline void model_access(struct model *m, struct td_event event)
{
	tide_chunk c = {(uint32_t)(event.page / m->chunk_pages)};
	unsigned bit = (unsigned)(event.page % m->chunk_pages);
	enum td_engine_touched what;
	struct tide_error err = {0};
	int rc = td_engine_touch(m->e, c, bit, &event, &what, &err);

	m->events++;
	if (!rc && (what == TD_HIT || what == TD_NOTICE))
		m->dirty[event.page] |= event.write;
	if (!rc && what == TD_NOTICE)
		rc = td_engine_notice(m->e, c, &event, &err);
	if (!rc && what == TD_ABSENT) {
		m->faults++;
		td_engine_tick(m->e, c);
		rc = td_engine_fault(m->e, c, bit, &event, &err);
		m->dirty[event.page] |= event.write && m->resident[event.page];
	}
	if (rc)
		fail_msg("access to page %lu: %s", event.page, err.text);
	if (m->event)
		m->event(m->to, &event);
}

/* A run of pages that exist, or that do not. */
static inline bool find_run(struct model *m, bool existing, uint64_t align, uint64_t *page,
			    uint64_t *n)
{
	uint64_t most = 1 + below(m, 60);

	*page = below(m, MODEL_PAGES / align) * align;
	for (*n = 0; *n < most && *page + *n < MODEL_PAGES; ++*n)
		if (m->exists[*page + *n] != existing)
			break;
	return *n > 0;
}

static inline void model_step(struct model *m)
{
	uint64_t what = below(m, 100), page, n;

	if (what < 3 && find_run(m, false, m->chunk_pages, &page, &n))
		model_mark(m, TIDE_MARK_MAP, page, n);
	else if (what == 3)
		page = below(m, MODEL_PAGES), n = 1 + below(m, MODEL_PAGES - page),
		model_mark(m, TIDE_MARK_GONE, page, n < 40 ? n : 40);
	else if (what < 8)
		page = below(m, MODEL_PAGES), n = 1 + below(m, MODEL_PAGES - page),
		model_mark(m, what < 6 ? TIDE_MARK_BRING : TIDE_MARK_COLD, page, n < 12 ? n : 12);
	else if (find_run(m, true, 1, &page, &n))
		for (uint64_t i = 0; i < n && i < 6; i++)
			model_access(m,
				     (struct td_event){page + (what < 50 ? i : 0), 1 + below(m, 9),
						       below(m, 2), below(m, 3) == 0});
}

static inline struct td_engine_config model_config(struct model *m, uint32_t chunk_pages,
						   uint64_t near_pages, uint64_t seed)
{
	struct td_engine_config config = config_of(chunk_pages, near_pages);

	*m = (struct model){.chunk_pages = chunk_pages, .random = seed};
	config.maps = true;
	config.carrier = (struct td_engine_carrier){.arg = m,
						    .leave = model_leave,
						    .come = model_come,
						    .spill = model_spill,
						    .watch = model_watch};
	return config;
}

#endif
