/* Documents of tide gpu bench and tide gpu info: applications as runs, whose time was measured, and
 * what was measured of the GPU itself as it stands. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read.h"
#include "same.h"

/* "srad x2": another size of the data is another input. */
static int name_run(struct td_report *r, struct td_report_run *run, const json_t *doc,
		    const char *device)
{
	const char *app = td_report_string(doc, "app"), *place = td_report_string(doc, "place");
	char input[128];
	int rc;

	place = place ? place : "-";
	snprintf(input, sizeof input, "%.80s x%g", app ? app : "(unnamed application)",
		 json_number_value(json_object_get(doc, "oversubscribe")));
	rc = td_report_name(&r->inputs, input, &run->input);
	if (!rc)
		rc = td_report_name(&r->versions, "", &run->version);
	if (!rc)
		rc = td_report_name(&r->models, device, &run->model);
	if (!rc)
		rc = td_report_name(&r->combinations, place, &run->combination);
	if (!rc)
		rc = td_report_name(&r->policies, "-", &run->evict);
	run->prefetch = run->evict;
	run->is_baseline = strcmp(place, "bam") == 0;
	return rc ? rc : td_report_name(&r->policies, place, &run->place);
}

static void take_numbers(struct td_report_run *run, const json_t *doc, const json_t *config)
{
	uint64_t page = td_report_u64(config, "page_bytes");

	run->page_bytes = run->chunk_bytes = page;
	if (page) {
		run->near_pages = td_report_u64(config, "near_bytes") / page;
		run->host_pages = td_report_u64(config, "host_bytes") / page;
		run->footprint_pages = td_report_u64(doc, "data_bytes") / page;
	}
	run->time_ns = td_report_u64(doc, "time_ns");
	for (size_t i = 0; i < TD_REPORT_COUNTS; i++)
		run->counts[i] =
			td_report_u64(json_object_get(doc, "counts"), td_report_count_names[i]);
}

static int add_app(struct td_report *r, struct td_report_run *run)
{
	struct td_report_record none = {.version = ""};
	struct td_report_keys keys;

	if (run->error)
		return td_report_add_run(r, run, NULL);
	if (!td_report_make_keys(&keys, &none, "", run->command, 0))
		return td_report_add_run(r, run, &keys);
	free(run->command);
	return -ENOMEM;
}

static int take_app(struct td_report *r, const json_t *doc, const json_t *config,
		    const char *device, uint32_t file)
{
	const char *error = td_report_string(doc, "error");
	struct td_report_run run = {.file = file, .is_placed = true, .is_measured = true};

	take_numbers(&run, doc, config);
	run.command = td_report_gpu_command(doc, config);
	if (!error && json_is_false(json_object_get(doc, "verified")))
		error = "its result is wrong";
	if (error)
		run.error = strdup(error);
	if (!run.command || (error && !run.error) || name_run(r, &run, doc, device)) {
		free(run.command);
		free(run.error);
		return -ENOMEM;
	}
	return add_app(r, &run);
}

static int add_micro(struct td_report *r, const char *device, const json_t *micro)
{
	json_t *copy = json_pack("{ss so}", "device", device, "micro", json_deep_copy(micro));

	if (!r->gpus)
		r->gpus = json_array();
	return json_array_append_new(r->gpus, copy) ? -ENOMEM : 0;
}

/* The same again says nothing new. */
static int take_micro(struct td_report *r, const char *device, const json_t *micro)
{
	int rc = td_report_is_told(r, device, micro);

	if (!rc)
		return add_micro(r, device, micro);
	return rc < 0 ? rc : 0;
}

/* Of tide gpu info: one part. */
static int take_limits(struct td_report *r, const char *device, const json_t *limits)
{
	json_t *parts = json_pack("{sO}", "limits", (json_t *)(uintptr_t)limits);
	int rc = parts ? take_micro(r, device, parts) : -ENOMEM;

	json_decref(parts);
	return rc;
}

int td_report_take_gpu(struct td_report *r, const json_t *doc, uint32_t file)
{
	const json_t *apps = json_object_get(doc, "apps"), *micro = json_object_get(doc, "micro");
	const json_t *limits = json_object_get(doc, "limits");
	const char *device = td_report_string(json_object_get(doc, "device"), "name");
	const json_t *run;
	size_t i;
	int rc = 0;

	device = device ? device : "a GPU";
	json_array_foreach(json_object_get(apps, "runs"), i, run)
	{
		if (!rc)
			rc = take_app(r, run, json_object_get(apps, "config"), device, file);
	}
	if (!rc && json_object_size(micro))
		rc = take_micro(r, device, micro);
	if (!rc && limits)
		rc = take_limits(r, device, limits);
	return rc;
}
