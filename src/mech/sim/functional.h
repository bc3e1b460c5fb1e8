/* The functional simulator: it has no clock, and serves every fault fully before the next
 * access. */
#ifndef TD_MECH_SIM_FUNCTIONAL_H
#define TD_MECH_SIM_FUNCTIONAL_H

#include "../mech.h"
#include "engine/engine.h"
#include "trace/source.h"

extern const struct td_mech td_mech_functional;

/* A pass over a source that finds what is not known of it, and rewinds it. */
int td_sim_survey(struct td_trace_source *source, struct td_trace_facts *facts,
		  struct tide_error *err);

/* The same, with the sum of the sizes of all objects, each as it first comes. One without a size is
 * a page. */
int td_sim_survey_objects(struct td_trace_source *source, uint64_t page_bytes,
			  struct td_trace_facts *facts, uint64_t *bytes, struct tide_error *err);

/* A pass that shows the engine the future, and rewinds. */
int td_sim_foresee(struct td_engine *e, struct td_trace_source *source, struct tide_error *err);

/* Runs the events of a batch. */
int td_sim_batch(struct td_engine *e, const struct tide_batch *batch, struct tide_error *err);
/* The same for an engine that shares a space (td_engine_share()), whose chunks have one page.
 * index: of each event's chunk. */
int td_sim_batch_indexed(struct td_engine *e, const struct tide_batch *batch, const uint32_t *index,
			 struct tide_error *err);

#endif
