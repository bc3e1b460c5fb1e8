/* The loop over single pages under demand paging, which cache studies run.
 *
 * It is compiled once for any policy, and once together with each built-in eviction policy: the
 * build makes a C file of this header and the policy's file. There the callbacks are constants, so
 * the compiler inlines them. The policy's code is the same, so its decisions are too. */
#ifndef TD_MECH_SIM_PAGES_H
#define TD_MECH_SIM_PAGES_H

#include "engine/page.h"

typedef int td_sim_pages_run(struct td_engine *e, const struct tide_batch *batch, uint32_t *done,
			     struct tide_error *err);

/* A loop and its policy; the build lists them in td_sim_pages_table. */
struct td_sim_pages {
	const struct tide_policy *policy;
	td_sim_pages_run *run;
};
extern const struct td_sim_pages *const td_sim_pages_table[];

/* Runs a batch by the loop of the engine's eviction policy, if it has one of its own. */
td_sim_pages_run td_sim_pages;

/* The access begins a group, or is the next of the present one. */
TD_PAGE_ALWAYS void td_sim_enter_group(struct td_engine *e, bool first)
{
	uint64_t at = e->near.group_at;
	e->counts.groups += first;
	e->in_prefix |= first;
	e->near.group_at = first ? 0 : at + (at != TIDE_NEVER);
}

/* Asks for the state of the access that comes LOOK_AHEAD accesses later, and for its neighbours
 * when half of that way is done. */
TD_PAGE_ALWAYS void td_sim_pages_ahead(struct td_engine *e, struct td_page_policy p, uint32_t i,
				       uint32_t n)
{
	const struct td_engine_box *box = &e->box[TD_BOX_EVICT];
	/* The scratch array goes on after the batch: looking past its end is harmless. */
	uint32_t ahead = e->index[i + TD_ENGINE_LOOK_AHEAD];
	__builtin_prefetch((uint32_t *)(void *)e->bits.at + ahead, 1);
	if (p.policy->chunk_bytes)
		__builtin_prefetch(box->slots.at + ahead * box->slots.item_bytes, 1);
	if (!p.policy->expect_access || i + TD_ENGINE_LOOK_AHEAD / 2 >= n)
		return;
	TD_PAGE_CALLING(e, p, expect_access);
	p.policy->expect_access(p.self, (tide_chunk){e->index[i + TD_ENGINE_LOOK_AHEAD / 2]});
	if (p.watched)
		e->call = TD_CALL_NONE;
}

/* Only inputs with groups pay for groups, and only those who look into the future pay for that. */
TD_PAGE_ALWAYS int td_sim_pages_loop(struct td_engine *e, const struct tide_batch *batch,
				     struct td_page_policy p, bool future, bool grouped,
				     uint32_t *done, struct tide_error *err)
{
	uint32_t *records = (uint32_t *)(void *)e->bits.at;
	uint32_t *next_use = future ? (uint32_t *)(void *)e->next_use.at : NULL;
	const uint32_t *next_after = (const uint32_t *)(void *)e->next_after.at;
	uint64_t faults = 0, free_before = e->near.free_pages;
	uint32_t i = 0, n = batch->n;
	int rc = 0;
	for (; i < n && !rc; i++) {
		uint32_t index = e->index[i];
		td_sim_pages_ahead(e, p, i, n);
		e->near.time++;
		if (future)
			next_use[index] = next_after[e->near.time];
		if (grouped)
			td_sim_enter_group(e, batch->object->first[i]);
		if (!records[index]) {
			faults++;
			if (grouped)
				e->in_prefix = false;
			rc = td_engine_fault_page(e, p, batch, i, err);
			continue;
		}
		if (grouped)
			e->counts.prefix_hits += e->in_prefix;
		records[index] |= (uint32_t)batch->write[i] << 16;
		if (p.hears && p.policy->on_access)
			p.policy->on_access(p.self, (tide_chunk){index},
					    (tide_page){batch->page[i]}, batch->ref[i]);
	}
	td_engine_count_pages(e, faults, free_before - e->near.free_pages);
	*done = i;
	return rc;
}

/* The loop of a policy whose struct is a constant of the same file: without groups, and with the
 * future if the policy always needs it. */
#define TD_SIM_PAGES(name, constant) \
	__attribute__((flatten)) static int td_sim_pages_run_##name( \
		struct td_engine *e, const struct tide_batch *batch, uint32_t *done, \
		struct tide_error *err) \
	{ \
		bool hears = e->ears.on_access[0].fn != NULL; \
		struct td_page_policy p = {&(constant), e->evict_self, hears, false}; \
		bool future = ((constant).needs & TIDE_NEEDS_FUTURE) != 0; \
		return td_sim_pages_loop(e, batch, p, future, false, done, err); \
	} \
	extern const struct tide_policy td_policy_evict_##name; \
	extern const struct td_sim_pages td_sim_pages_##name; \
	const struct td_sim_pages td_sim_pages_##name = {&td_policy_evict_##name, \
							 td_sim_pages_run_##name}

#endif
