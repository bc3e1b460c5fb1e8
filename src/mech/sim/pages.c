#include "pages.h"

/* For inputs with groups, and for policies that came out of a shared object or of the program. */
static int run_any(struct td_engine *e, const struct tide_batch *batch, uint32_t *done,
		   struct tide_error *err)
{
	struct td_page_policy p = {e->box[TD_BOX_EVICT].choice.policy, e->evict_self,
				   e->ears.on_access[0].fn != NULL, true};
	if (e->wants_future)
		return batch->object ? td_sim_pages_loop(e, batch, p, true, true, done, err)
				     : td_sim_pages_loop(e, batch, p, true, false, done, err);
	return batch->object ? td_sim_pages_loop(e, batch, p, false, true, done, err)
			     : td_sim_pages_loop(e, batch, p, false, false, done, err);
}

static td_sim_pages_run *find_loop(const struct td_engine *e)
{
	const struct tide_policy *policy = e->box[TD_BOX_EVICT].choice.policy;
	bool future = (policy->needs & TIDE_NEEDS_FUTURE) != 0;
	for (size_t i = 0; td_sim_pages_table[i]; i++) {
		if (td_sim_pages_table[i]->policy == policy && future == e->wants_future)
			return td_sim_pages_table[i]->run;
	}
	return run_any;
}

int td_sim_pages(struct td_engine *e, const struct tide_batch *batch, uint32_t *done,
		 struct tide_error *err)
{
	if (batch->object)
		return run_any(e, batch, done, err);
	if (!e->run_pages)
		e->run_pages = find_loop(e);
	e->call = TD_CALL_pick_victim; /* any callback may be under way */
	int rc = e->run_pages(e, batch, done, err);
	e->call = TD_CALL_NONE;
	return rc;
}
