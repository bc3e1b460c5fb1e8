/* Results as JSON. */
#ifndef TD_STATS_JSON_H
#define TD_STATS_JSON_H

#include <jansson.h>

#include "tide/stats.h"

json_t *td_stats_counts(const struct tide_counts *counts);

#endif
