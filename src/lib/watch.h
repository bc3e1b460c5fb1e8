/* The watchdog of a simulated run. */
#ifndef TD_LIB_WATCH_H
#define TD_LIB_WATCH_H

#include "lib.h"

/* From the options; without on_stuck there is none. The engine is there, and stays. */
int td_lib_watch(struct tide_sim *sim, const struct tide_sim_options *o, struct tide_error *err);
/* The same for a copy of such a run, with an engine of its own. */
int td_lib_watch_alike(struct tide_sim *sim, struct tide_error *err);
void td_lib_unwatch(struct tide_sim *sim);

#endif
