#include "fields.h"

#include <math.h>

struct td_gpu_device td_gpu_device_of(const struct tide_gpu_info *info)
{
	struct td_gpu_device d = {.info = *info};

	snprintf(d.capability, sizeof d.capability, "%d.%d", info->major, info->minor);
	return d;
}

/* clang-format off */
#define AT(member) offsetof(struct OF, member)

#define OF td_gpu_device
const struct td_gpu_field td_gpu_device_fields[] = {
	{"name", TD_GPU_TEXT, AT(info.name), true},
	{"device", TD_GPU_INT, AT(info.device), true},
	{"devices", TD_GPU_INT, AT(info.devices), true},
	{"driver", TD_GPU_TEXT, AT(info.driver), true},
	{"runtime", TD_GPU_TEXT, AT(info.runtime), true},
	{"capability", TD_GPU_TEXT, AT(capability), true},
	{"multiprocessors", TD_GPU_INT, AT(info.multiprocessors), true},
	{"warps", TD_GPU_INT, AT(info.warps), true},
	{"memory_bytes", TD_GPU_NUMBER, AT(info.memory_bytes), true},
	{"free_bytes", TD_GPU_NUMBER, AT(info.free_bytes), true},
	{"l2_bytes", TD_GPU_NUMBER, AT(info.l2_bytes), true},
	{0},
};
#undef OF

#define OF td_gpu_measure
const struct td_gpu_field td_gpu_measure_fields[] = {
	{"what", TD_GPU_TEXT, AT(what), true},
	{"bytes", TD_GPU_NUMBER, AT(bytes), false},
	{"count", TD_GPU_NUMBER, AT(count), false},
	{"batch", TD_GPU_NUMBER, AT(batch), false},
	{"time_ns", TD_GPU_NUMBER, AT(time_ns), false},
	{"gbps", TD_GPU_REAL, AT(gbps), false},
	{"per_second", TD_GPU_REAL, AT(per_second), false},
	{"gather_page_ns", TD_GPU_REAL, AT(gather_page_ns), false},
	{"scatter_page_ns", TD_GPU_REAL, AT(scatter_page_ns), false},
	{"ratio", TD_GPU_REAL, AT(ratio), false},
	{"of", TD_GPU_TEXT, AT(of), false},
	{0},
};
#undef OF

#define OF td_gpu_test
const struct td_gpu_field td_gpu_test_fields[] = {
	{"name", TD_GPU_TEXT, AT(name), true},
	{"ok", TD_GPU_FLAG, AT(ok), true},
	{"detail", TD_GPU_TEXT, AT(detail), true},
	{"accesses", TD_GPU_NUMBER, AT(accesses), true},
	{"time_ns", TD_GPU_NUMBER, AT(time_ns), true},
	{0},
};
#undef OF

#define OF td_gpu_mean
const struct td_gpu_field td_gpu_mean_fields[] = {
	{"place", TD_GPU_TEXT, AT(place), true},
	{"oversubscribe", TD_GPU_REAL, AT(oversubscribe), true},
	{"speedup", TD_GPU_REAL, AT(speedup), true},
	{"apps", TD_GPU_INT, AT(apps), true},
	{0},
};
#undef OF

#define OF td_gpu_apps
const struct td_gpu_field td_gpu_apps_fields[] = {
	{"near_bytes", TD_GPU_NUMBER, AT(near_bytes), true},
	{"host_bytes", TD_GPU_NUMBER, AT(host_bytes), true},
	{"page_bytes", TD_GPU_NUMBER, AT(page_bytes), true},
	{"rounds", TD_GPU_NUMBER, AT(rounds), true},
	{"transfer", TD_GPU_WORD, AT(transfer), false},
	{0},
};
#undef OF

#define OF td_gpu_run
const struct td_gpu_field td_gpu_config_fields[] = {
	{"memory", TD_GPU_WORD, AT(memory), false},
	{"near_bytes", TD_GPU_NUMBER, AT(near_bytes), true},
	{"host_bytes", TD_GPU_NUMBER, AT(host_bytes), true},
	{"page_bytes", TD_GPU_NUMBER, AT(page_bytes), true},
	{"oversubscribe", TD_GPU_REAL, AT(oversubscribe), true},
	{"resident", TD_GPU_FLAG, AT(resident), true},
	{"iterations", TD_GPU_NUMBER, AT(iterations), true},
	{"seed", TD_GPU_NUMBER, AT(seed), true},
	{"place", TD_GPU_TEXT, AT(place), false},
	{"transfer", TD_GPU_WORD, AT(transfer), false},
	{"orchestrate", TD_GPU_WORD, AT(orchestrate), false},
	{"evict", TD_GPU_WORD, AT(evict), false},
	{"prefetch", TD_GPU_WORD, AT(prefetch), false},
	{0},
};
const struct td_gpu_field td_gpu_run_fields[] = {
	{"app", TD_GPU_WORD, AT(app), true},
	{"place", TD_GPU_TEXT, AT(label), true},
	{"oversubscribe", TD_GPU_REAL, AT(oversubscribe), true},
	{"error", TD_GPU_TEXT, AT(error), false},
	{"data_bytes", TD_GPU_NUMBER, AT(data_bytes), false},
	{"launches", TD_GPU_NUMBER, AT(launches), false},
	{"time_ns", TD_GPU_NUMBER, AT(time_ns), false},
	{"speedup", TD_GPU_REAL, AT(speedup), false},
	{"reason", TD_GPU_TEXT, AT(reason), false},
	{0},
};
#undef OF
/* clang-format on */

static const void *member(const struct td_gpu_field *f, const void *from)
{
	return (const char *)from + f->at;
}

bool td_gpu_field_says(const struct td_gpu_field *f, const void *from)
{
	const void *at = member(f, from);

	if (f->always)
		return true;
	switch (f->kind) {
	case TD_GPU_TEXT: return *(const char *)at;
	case TD_GPU_WORD: return *(const char *const *)at;
	case TD_GPU_NUMBER: return *(const uint64_t *)at;
	case TD_GPU_INT: return *(const int *)at;
	case TD_GPU_REAL: return *(const double *)at > 0;
	default: return *(const bool *)at;
	}
}

static json_t *value_of(const struct td_gpu_field *f, const void *from)
{
	const void *at = member(f, from);

	switch (f->kind) {
	case TD_GPU_TEXT: return td_cli_json_text(at);
	case TD_GPU_WORD: return td_cli_json_text(*(const char *const *)at);
	case TD_GPU_NUMBER: return td_cli_json_u64(*(const uint64_t *)at);
	case TD_GPU_INT: return json_integer(*(const int *)at);
	case TD_GPU_REAL: return json_real(*(const double *)at);
	default: return json_boolean(*(const bool *)at);
	}
}

json_t *td_gpu_fields_json(const struct td_gpu_field *fields, const void *from)
{
	json_t *o = json_object();

	for (const struct td_gpu_field *f = fields; f->key; f++)
		if (td_gpu_field_says(f, from))
			json_object_set_new(o, f->key, value_of(f, from));
	return o;
}
