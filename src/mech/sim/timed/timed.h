/* The timed simulator. Warps issue, hit or stall. A driver serves their faults in batches, or the
 * GPU serves them itself. There are a bus with two directions, and storage. The engine decides, and
 * this room has the clock. docs/timing-model.md says what is modelled and what is not. */
#ifndef TD_MECH_SIM_TIMED_TIMED_H
#define TD_MECH_SIM_TIMED_TIMED_H

#include "../../mech.h"
#include "engine/engine.h"
#include "model.h"
#include "trace/source.h"

extern const struct td_mech td_mech_timed;

struct td_timed_figures {
#define TIDE_TIME(name, help) uint64_t name;
#include "tide/times.def"
#undef TIDE_TIME
};

struct td_timed;

int td_timed_open(struct td_timed **out, const struct td_timed_model *model, uint64_t page_bytes,
		  struct tide_error *err);
void td_timed_close(struct td_timed *t); /* NULL is fine */
/* As the stop of struct td_trace_source. */
void td_timed_stop_by(struct td_timed *t, const int *stop);

/* The carrier for td_engine_create(), by which the engine's decisions take their time here. */
struct td_engine_carrier td_timed_carrier(struct td_timed *t);

/* Runs the whole source. tell is called now and then, if it is not NULL. */
int td_timed_run(struct td_timed *t, struct td_engine *e, struct td_trace_source *source,
		 void (*tell)(void *arg), void *arg, struct tide_error *err);
/* After the run: its dirty pages are written to storage. */
void td_timed_flush(struct td_timed *t);
void td_timed_figures(const struct td_timed *t, struct td_timed_figures *out);

#endif
