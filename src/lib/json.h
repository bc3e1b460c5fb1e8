#ifndef TD_LIB_JSON_H
#define TD_LIB_JSON_H

#include <jansson.h>

#include "engine/engine.h"

json_t *td_lib_integer(uint64_t value);
json_t *td_lib_text(const char *value); /* NULL: null */

/* How every document begins and ends. The end turns the object into a text, which the caller frees
 * with free(). */
json_t *td_lib_document(const char *verb);
int td_lib_dump(json_t *document, char **text, struct tide_error *err);

/* The reports of a run's policies. */
json_t *td_lib_policy_json(struct td_engine *e);

#endif
