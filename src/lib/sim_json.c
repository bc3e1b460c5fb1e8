/* A run as the JSON document of the command line's contract. */
#include <stdlib.h>

#include "json.h"
#include "lib.h"
#include "stats/json.h"

static json_t *integer_or_null(uint64_t value)
{
	return value == TD_UNKNOWN ? json_null() : td_lib_integer(value);
}

static json_t *input(const struct tide_sim *sim)
{
	json_t *o = json_object();
	if (sim->source) {
		json_object_set_new(o, sim->is_workload ? "workload" : "trace",
				    td_lib_text(sim->input));
		json_object_set_new(o, "format", td_lib_text(sim->source->ops->format));
	}
	json_object_set_new(o, "accesses", integer_or_null(sim->facts.accesses));
	json_object_set_new(o, "footprint_pages", integer_or_null(sim->facts.pages));
	json_object_set_new(o, "last_page", integer_or_null(sim->facts.last_page));
	return o;
}

static json_t *config(const struct tide_sim *sim)
{
	json_t *o = json_object();
	json_object_set_new(o, "model", td_lib_text(sim->model_text));
	json_object_set_new(o, "page_bytes", td_lib_integer(sim->page_bytes));
	json_object_set_new(o, "chunk_bytes", td_lib_integer(sim->page_bytes * sim->chunk_pages));
	json_object_set_new(o, "chunk_pages", td_lib_integer(sim->chunk_pages));
	json_object_set_new(o, "near_pages", td_lib_integer(sim->near_pages));
	json_object_set_new(o, "evict", td_lib_text(sim->evict));
	json_object_set_new(o, "prefetch", td_lib_text(sim->prefetch));
	json_object_set_new(o, "place", td_lib_text(sim->place));
	json_object_set_new(o, "host_pages", td_lib_integer(sim->host_pages));
	json_object_set_new(o, "seed", td_lib_integer(sim->seed));
	return o;
}

/* A functional run took no time; a timed one says where it went. */
static json_t *timing(const struct tide_sim *sim)
{
	struct td_timed_figures f = {0};
	json_t *o = json_object();
	if (!sim->timed) {
		json_object_set_new(o, "simulated_ns", td_lib_integer(0));
		return o;
	}
	td_timed_figures(sim->timed, &f);
#define TIDE_TIME(name, help) json_object_set_new(o, #name, td_lib_integer(f.name));
#include "tide/times.def"
#undef TIDE_TIME
	return o;
}

static json_t *wall(const struct tide_sim *sim)
{
	json_t *o = json_object();
	uint64_t ns = sim->finished_ns > sim->started_ns ? sim->finished_ns - sim->started_ns : 0;
	double seconds = (double)ns / 1e9;
	double rate = ns ? (double)sim->engine->counts.accesses / seconds : 0;
	json_object_set_new(o, "seconds", json_real(seconds));
	json_object_set_new(o, "accesses_per_second", td_lib_integer((uint64_t)rate));
	return o;
}

int tide_sim_json(struct tide_sim *sim, char **out, struct tide_error *err)
{
	int rc = td_handle_check(sim, td_lib_sim_kind, err);
	if (!rc)
		rc = td_lib_given(out, "text", err);
	if (rc)
		return rc;
	json_t *o = td_lib_document("sim");
	json_object_set_new(o, "input", input(sim));
	json_object_set_new(o, "config", config(sim));
	json_object_set_new(o, "counts", td_stats_counts(&sim->engine->counts));
	json_object_set_new(o, "policy", td_lib_policy_json(sim->engine));
	json_object_set_new(o, "time", timing(sim));
	json_object_set_new(o, "wall", wall(sim));
	return td_lib_dump(o, out, err);
}
