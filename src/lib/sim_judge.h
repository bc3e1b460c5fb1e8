/* What is wrong with the options of a run, as far as it can be told without the input. */
#ifndef TD_LIB_SIM_JUDGE_H
#define TD_LIB_SIM_JUDGE_H

#include "lib.h"

/* Sizes as they were asked for. */
struct td_lib_asked {
	struct td_lib_near near, host;
};

static inline bool td_lib_is_share(const struct td_lib_near *amount)
{
	return amount->share_numerator != 0;
}

/* 0.75 of 75%; 0: it is no share. */
static inline double td_lib_share(const struct td_lib_near *amount)
{
	return (double)amount->share_numerator / 1e11;
}

/* Or are the accesses pushed? */
static inline bool td_lib_sim_has_input(const struct tide_sim_options *o)
{
	return o->trace || o->workload || o->accesses;
}

/* Reads the options into the run, the config and the sizes. */
int td_lib_sim_judge(struct tide_sim *sim, const struct tide_sim_options *o,
		     struct td_engine_config *config, struct td_lib_asked *asked,
		     struct tide_error *err);

#endif
