/* Results as JSON. */
#ifndef TD_STATS_JSON_H
#define TD_STATS_JSON_H

#include <jansson.h>

#include "tide/stats.h"

/* A text from outside; bytes that are no UTF-8 are escaped, since JSON cannot hold them. NULL:
 * null, as where there is no memory. */
json_t *td_stats_text(const char *text);
/* As a text where it is beyond the integers of JSON, which end at 2^63. */
json_t *td_stats_integer(uint64_t value);
json_t *td_stats_counts(const struct tide_counts *counts);

#endif
