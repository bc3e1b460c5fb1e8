/* The timed model's figures: those of a preset, as changed by the command line. */
#ifndef TD_MECH_SIM_TIMED_MODEL_H
#define TD_MECH_SIM_TIMED_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tide/error.h"
#include "tide/param.h"

#define INT(name, initial, least, most, help) int64_t name;
#define REAL(name, initial, least, most, help) double name;
#define TEXT(name, initial, help) const char *name;
struct td_timed_model {
#include "model.def"
	/* The meaning of the texts. */
	bool by_driver, copies_all;
	void *values; /* the memory that the texts point into */
};
#undef INT
#undef REAL
#undef TEXT

/* spec is `name` or `name:key=value,key=value`. */
int td_timed_model(struct td_timed_model *out, const char *spec, struct tide_error *err);
void td_timed_model_free(struct td_timed_model *m);

/* The name of preset i, or NULL after the last. If params is not NULL, it has room for
 * TD_TIMED_PARAMS rows, and gets the rows with the preset's values as defaults. */
#define TD_TIMED_PARAMS 64
const char *td_timed_preset(size_t i, const char **summary, struct tide_param *params);

#endif
