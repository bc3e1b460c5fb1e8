/* A misspelt policy is found before the first run, not after hours of them. What is judged is every
 * value by itself; values that do not go together are found by their runs, but some must. */
#include <errno.h>
#include <stdlib.h>

#include "core/params.h"
#include "lib/sizes.h"
#include "sweep.h"
#include "workload/workload.h"

/* An input that costs nothing and has everything that a policy may need. */
#define TINY "cyclic:pages=16,rounds=1,refs=2"

#define TRIES_MAX 1000 /* configurations until one is accepted */

static int check_traces(const struct td_cli_grid *grid, struct tide_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < grid->trace.n && !rc; i++) {
		struct tide_trace_options options = {.size = sizeof options,
						     .path = grid->trace.at[i],
						     .format = grid->format,
						     .columns = grid->columns};
		struct tide_trace *trace;
		rc = td_cli_check_rereadable(grid->trace.at[i], "use tide sim", err);
		if (!rc)
			rc = tide_trace_open(&trace, &options, err);
		if (!rc)
			tide_trace_close(trace);
	}
	return rc;
}

/* Opening one may take long and much memory, so that is left for where it is sure to fail. */
static int check_workload(const char *spec, struct tide_error *err)
{
	const struct td_workload *w = td_workload_find(spec);
	struct td_trace_source *source;
	union tide_value *values = NULL;
	int rc = w ? td_core_params(w->params, spec, w->name, &values, NULL) : -EINVAL;

	free(values);
	if (!rc || rc == -ENOMEM)
		return 0;
	rc = td_workload_open(&source, spec, 4096, 1, err);
	if (!rc)
		source->ops->close(source);
	return rc;
}

static int check_chunk(const struct td_cli_grid *grid, const char *text, struct tide_error *err)
{
	int rc = 0;

	for (size_t i = 0; i == 0 || i < grid->page.n; i++) {
		uint64_t page_bytes;
		uint32_t pages;
		td_lib_page_bytes(grid->page.n ? grid->page.at[i] : NULL, &page_bytes, NULL);
		rc = td_lib_chunk_pages(text, page_bytes, &pages, err);
		if (!rc)
			break;
	}
	return rc;
}

static int check_sizes(const struct td_cli_grid *grid, struct tide_error *err)
{
	struct td_lib_near amount;
	uint64_t value;
	int rc = 0;

	for (size_t i = 0; i < grid->seed.n && !rc; i++)
		rc = td_lib_seed(grid->seed.at[i], &value, err);
	for (size_t i = 0; i < grid->page.n && !rc; i++)
		rc = td_lib_page_bytes(grid->page.at[i], &value, err);
	for (size_t i = 0; i < grid->chunk.n && !rc; i++)
		rc = check_chunk(grid, grid->chunk.at[i], err);
	for (size_t i = 0; i < grid->near_size.n && !rc; i++)
		rc = td_lib_near_parse(grid->near_size.at[i], 4096, &amount, err);
	for (size_t i = 0; i < grid->host.n && !rc; i++)
		rc = td_lib_host_parse(grid->host.at[i], 4096, &amount, err);
	return rc;
}

static int try(const struct tide_sim_options *options, struct tide_error *err)
{
	struct tide_sim *sim;
	int rc = td_cli_open_sim(&sim, options, err);

	if (!rc)
		tide_sim_close(sim);
	return rc;
}

static int try_evict(const char *evict, struct tide_error *err)
{
	struct tide_sim_options o = {
		.size = sizeof o, .workload = TINY, .near_size = "64p", .chunk = "1p"};

	o.evict = evict;
	o.prefetch = "none";
	return try(&o, err);
}

static int try_prefetch(const char *prefetch, struct tide_error *err)
{
	struct tide_sim_options o = {.size = sizeof o, .workload = TINY, .near_size = "64p"};

	o.prefetch = prefetch;
	return try(&o, err);
}

static int try_place(const char *place, struct tide_error *err)
{
	struct tide_sim_options o = {
		.size = sizeof o, .workload = TINY, .near_size = "64p", .host = "64p"};

	o.place = place;
	return try(&o, err);
}

static int try_model(const char *model, struct tide_error *err)
{
	struct tide_sim_options o = {.size = sizeof o, .workload = TINY, .near_size = "64p"};

	o.model = model;
	return try(&o, err);
}

static int try_each(const struct td_cli_axis *axis, int (*one)(const char *, struct tide_error *),
		    struct tide_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < axis->n && !rc; i++)
		rc = one(axis->at[i], err);
	return rc;
}

static int try_pairs(const struct td_cli_grid *grid, struct tide_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < grid->pairs.n && !rc; i++) {
		struct tide_sim_options o = {.size = sizeof o};
		td_cli_grid_pair(grid, i, &o);
		rc = try_evict(o.evict, err);
		if (!rc)
			rc = try_prefetch(o.prefetch, err);
	}
	return rc;
}

/* Each run by its configuration alone, until one is accepted. */
static int try_together(const struct td_cli_grid *grid, struct tide_error *err)
{
	struct tide_error first = {0, ""};
	int rc = 0;

	for (uint64_t i = 0; i < grid->n && i < TRIES_MAX; i++) {
		struct tide_error other;
		struct td_cli_point point;
		td_cli_grid_at(grid, i, &point);
		point.options.trace = point.options.format = point.options.columns = NULL;
		point.options.workload = TINY;
		point.options.near_size = "64p";
		int got = try(&point.options, i ? &other : &first);
		if (!got)
			return 0;
		rc = rc ? rc : got;
	}
	return tide_fail(err, rc, "%s", first.text);
}

static int check_inputs(const struct td_cli_grid *grid, struct tide_error *err)
{
	int rc = try_each(&grid->workload, check_workload, err);

	return rc ? rc : check_traces(grid, err);
}

int td_cli_grid_check(const struct td_cli_grid *grid, struct tide_error *err)
{
	int rc = check_sizes(grid, err);

	if (!rc)
		rc = try_each(&grid->evict, try_evict, err);
	if (!rc)
		rc = try_each(&grid->prefetch, try_prefetch, err);
	if (!rc)
		rc = try_each(&grid->place, try_place, err);
	if (!rc)
		rc = try_each(&grid->model, try_model, err);
	if (!rc)
		rc = try_pairs(grid, err);
	if (!rc)
		rc = try_together(grid, err);
	return rc ? rc : check_inputs(grid, err);
}
