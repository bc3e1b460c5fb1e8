#include "json.h"

json_t *td_stats_counts(const struct tide_counts *counts)
{
	json_t *o = json_object();
#define TIDE_COUNTER(name, help) \
	json_object_set_new(o, #name, json_integer((json_int_t)counts->name));
#include "tide/counters.def"
#undef TIDE_COUNTER
	return o;
}
