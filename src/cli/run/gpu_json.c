/* A run on a GPU, for programs. */
#include <stdlib.h>

#include "run.h"
#include "stats/json.h"

static json_t *kernels_json(const struct td_gpu_said *said)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < said->kernels_n; i++) {
		const struct td_gpu_kernel *k = &said->kernels[i];
		json_array_append_new(
			list, json_pack("{so so so so so}", "name", td_cli_json_text(k->name),
					"launches", td_stats_integer(k->launches),
					"waited_launches", td_stats_integer(k->waited_launches),
					"waited_ns", td_stats_integer(k->waited_ns),
					"remote_launches", td_stats_integer(k->remote_launches)));
	}
	return list;
}

static void put_said(json_t *o, const struct td_gpu_said *said)
{
#define TD_GPU_FIGURE(name, help) \
	json_object_set_new(o, #name, td_stats_integer(said->figures.name));
#include "mech/vmm/figures.def"
#undef TD_GPU_FIGURE
	json_object_set_new(o, "evict", td_cli_json_text(said->evict));
	json_object_set_new(o, "prefetch", td_cli_json_text(said->prefetch));
	json_object_set_new(o, "ejected", td_cli_json_text(*said->ejected ? said->ejected : NULL));
	json_object_set_new(o, "trust", td_cli_json_text(said->trust));
	json_object_set_new(o, "counts", td_stats_counts(&said->counts));
	json_object_set_new(o, "kernels", kernels_json(said));
}

static json_t *process_json(const struct td_run *r, unsigned i)
{
	struct td_gpu_slot *slot = &r->gpu.slots->at[i];
	struct td_gpu_said said;
	char program[sizeof slot->program + 1];
	json_t *o;

	td_run_gpu_said(r, i, &said);
	snprintf(program, sizeof program, "%.*s", (int)sizeof slot->program, slot->program);
	o = json_pack("{si so sb}", "pid", (int)slot->pid, "program", td_cli_json_text(program),
		      "complete", atomic_load(&slot->state) == TD_GPU_SLOT_ENDED);
	put_said(o, &said);
	return o;
}

json_t *td_run_gpu_json(const struct td_run *r)
{
	json_t *o = json_object(), *list = json_array();
	struct td_gpu_said total;

	td_run_gpu_total(r, &total);
	put_said(o, &total);
	for (unsigned i = 0; i < td_run_gpu_processes(r); i++)
		json_array_append_new(list, process_json(r, i));
	json_object_set_new(o, "processes", list);
	return o;
}

/* The settings, those that were not given too; where the slots were is nobody's concern. */
json_t *td_run_gpu_config(const struct td_run *r)
{
	json_t *o = json_object();

#define TD_SETTING(name) \
	if (r->gpu.settings.name) \
		json_object_set_new(o, #name, td_cli_json_text(r->gpu.settings.name));
#include "run/gpu/settings.def"
#undef TD_SETTING
	json_object_del(o, "slots");
	return o;
}
