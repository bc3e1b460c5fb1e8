/* A run as the JSON document of the command line's contract. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "lib.h"
#include "stats/json.h"

/* JSON's integers end at 2^63 here; a seed or a page number may be larger. */
static json_t *integer(uint64_t value)
{
	char digits[24];
	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);
	snprintf(digits, sizeof digits, "%" PRIu64, value);
	return json_string(digits);
}

static json_t *integer_or_null(uint64_t value)
{
	return value == TD_UNKNOWN ? json_null() : integer(value);
}

/* Texts from outside may be no UTF-8: then they are left out, not the whole result. */
static json_t *text(const char *value)
{
	json_t *s = value ? json_string(value) : NULL;
	return s ? s : json_null();
}

static json_t *input(const struct tide_sim *sim)
{
	json_t *o = json_object();
	if (sim->source) {
		json_object_set_new(o, sim->is_workload ? "workload" : "trace", text(sim->input));
		json_object_set_new(o, "format", text(sim->source->ops->format));
	}
	json_object_set_new(o, "accesses", integer_or_null(sim->facts.accesses));
	json_object_set_new(o, "footprint_pages", integer_or_null(sim->facts.pages));
	json_object_set_new(o, "last_page", integer_or_null(sim->facts.last_page));
	return o;
}

static json_t *config(const struct tide_sim *sim)
{
	json_t *o = json_object();
	json_object_set_new(o, "model", text(sim->model_text));
	json_object_set_new(o, "page_bytes", integer(sim->page_bytes));
	json_object_set_new(o, "chunk_bytes", integer(sim->page_bytes * sim->chunk_pages));
	json_object_set_new(o, "chunk_pages", integer(sim->chunk_pages));
	json_object_set_new(o, "near_pages", integer(sim->near_pages));
	json_object_set_new(o, "evict", text(sim->evict));
	json_object_set_new(o, "prefetch", text(sim->prefetch));
	json_object_set_new(o, "place", text(sim->place));
	json_object_set_new(o, "host_pages", integer(sim->host_pages));
	json_object_set_new(o, "seed", integer(sim->seed));
	return o;
}

/* Pages moved from tier to tier, where there are three. */
static json_t *tiers(const struct tide_sim *sim)
{
	static const unsigned char moves[][2] = {{1, 2}, {1, 3}, {2, 1}, {2, 3}, {3, 1}, {3, 2}};
	json_t *o = json_object();
	for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
		char key[24];
		unsigned from = moves[i][0], to = moves[i][1];
		/* Only where pages come up through tier 2. */
		if (from == 3 && to == 2 && !sim->engine->tiers.inclusive)
			continue;
		snprintf(key, sizeof key, "tier%u_to_tier%u", from, to);
		json_object_set_new(o, key, integer(sim->engine->tiers.moved[from][to]));
	}
	return o;
}

static void put_number(void *to, const char *key, uint64_t value)
{
	json_object_set_new(to, key, integer(value));
}

static void put_real(void *to, const char *key, double value)
{
	json_t *number = json_real(value);
	json_object_set_new(to, key, number ? number : json_null());
}

static void put_text(void *to, const char *key, const char *value)
{
	json_object_set_new(to, key, text(value));
}

static void put_list(void *to, const char *key, const uint64_t *values, size_t n)
{
	json_t *list = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, integer(values[i]));
	json_object_set_new(to, key, list);
}

static json_t *policy(const struct tide_sim *sim)
{
	json_t *o = json_object();
	struct tide_report report = {o, put_number, put_real, put_text, put_list};
	for (int i = 0; i < TD_BOXES; i++) {
		const struct td_engine_box *box = &sim->engine->box[i];
		if (box->self && box->choice.policy->report)
			box->choice.policy->report(box->self, &report);
	}
	if (sim->place)
		json_object_set_new(o, "transfers", tiers(sim));
	if (*sim->engine->ejected)
		json_object_set_new(o, "ejected", text(sim->engine->ejected));
	return o;
}

/* A functional run took no time; a timed one says where it went. */
static json_t *timing(const struct tide_sim *sim)
{
	struct td_timed_figures f = {0};
	json_t *o = json_object();
	if (!sim->timed) {
		json_object_set_new(o, "simulated_ns", integer(0));
		return o;
	}
	td_timed_figures(sim->timed, &f);
#define TIDE_TIME(name, help) json_object_set_new(o, #name, integer(f.name));
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
	json_object_set_new(o, "accesses_per_second", integer((uint64_t)rate));
	return o;
}

int tide_sim_json(struct tide_sim *sim, char **out, struct tide_error *err)
{
	json_t *o = json_object();
	json_object_set_new(o, "tide", text(TIDE_VERSION));
	json_object_set_new(o, "verb", text("sim"));
	json_object_set_new(o, "input", input(sim));
	json_object_set_new(o, "config", config(sim));
	json_object_set_new(o, "counts", td_stats_counts(&sim->engine->counts));
	json_object_set_new(o, "policy", policy(sim));
	json_object_set_new(o, "time", timing(sim));
	json_object_set_new(o, "wall", wall(sim));
	*out = json_dumps(o, JSON_INDENT(1));
	json_decref(o);
	return *out ? 0 : tide_fail(err, -ENOMEM, "out of memory for the result");
}
