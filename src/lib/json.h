#ifndef TD_LIB_JSON_H
#define TD_LIB_JSON_H

#include <jansson.h>

#include "engine/engine.h"

json_t *td_lib_integer(uint64_t value);
json_t *td_lib_text(const char *value); /* NULL: null */

/* What the policies of a run want said. */
json_t *td_lib_policy_json(const struct td_engine *e);

#endif
