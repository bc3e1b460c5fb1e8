/* What policies want said of a run. */
#ifndef TD_ENGINE_REPORT_H
#define TD_ENGINE_REPORT_H

#include <jansson.h>

#include "engine.h"

/* Adds to an object what the policies report, and which were ejected. */
void td_engine_report(struct td_engine *e, json_t *to);

#endif
