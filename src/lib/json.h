#ifndef TD_LIB_JSON_H
#define TD_LIB_JSON_H

#include <jansson.h>

#include "engine/engine.h"

json_t *td_lib_integer(uint64_t value);
json_t *td_lib_text(const char *value); /* NULL: null */

/* How every document begins, and how it ends: as a text for free(), and no object any more. */
json_t *td_lib_document(const char *verb);
int td_lib_dump(json_t *document, char **text, struct tide_error *err);

/* What the policies of a run want said. */
json_t *td_lib_policy_json(const struct td_engine *e);

#endif
