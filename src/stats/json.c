#include "json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/text.h"

json_t *td_stats_text(const char *text)
{
	json_t *s = text ? json_string(text) : NULL;
	size_t n = text && !s ? td_core_escape(NULL, 0, text, false) + 1 : 0;
	char *escaped = n ? malloc(n) : NULL;

	if (escaped) {
		td_core_escape(escaped, n, text, false);
		s = json_string(escaped);
		free(escaped);
	}
	return s ? s : json_null();
}

json_t *td_stats_integer(uint64_t value)
{
	char digits[24];
	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);
	snprintf(digits, sizeof digits, "%" PRIu64, value);
	return json_string(digits);
}

json_t *td_stats_counts(const struct tide_counts *counts)
{
	json_t *o = json_object();
#define TIDE_COUNTER(name, help) \
	json_object_set_new(o, #name, json_integer((json_int_t)counts->name));
#include "tide/counters.def"
#undef TIDE_COUNTER
	return o;
}
