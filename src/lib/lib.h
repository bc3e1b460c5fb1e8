/* Between the files of this room: the handles behind tide.h. */
#ifndef TD_LIB_LIB_H
#define TD_LIB_LIB_H

#include "core/handle.h"
#include "engine/engine.h"
#include "mech/sim/functional.h"
#include "mech/sim/timed/timed.h"
#include "sized.h"
#include "sizes.h"
#include "tide/tide.h"
#include "trace/trace.h"
#include "workload/workload.h"

/* sim.c: the kind of a struct tide_sim. */
extern const char td_lib_sim_kind[];

struct tide_sim {
	struct td_handle handle;
	struct td_engine *engine;
	struct td_timed *timed; /* NULL: functional */
	struct td_timed_model model;
	char *model_text;
	struct td_trace_source *source; /* NULL: accesses are pushed */
	struct td_trace_facts facts;
	struct tide_batch *batch;
	uint64_t page_bytes, near_pages, host_pages, seed;
	uint32_t chunk_pages;
	char *input, *evict, *prefetch, *place; /* as they were written; place NULL: none */
	bool is_workload;
	uint64_t started_ns, finished_ns;
};

/* sim.c: what a program knows of an input. given NULL: nothing. */
int td_lib_take_facts(struct td_trace_facts *facts, const struct tide_facts *given,
		      struct tide_error *err);

#endif
