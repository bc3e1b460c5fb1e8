/* A run as one struct, and as the JSON document that the command line promises. */
#include <stdlib.h>

#include "json.h"
#include "lib.h"
#include "stats/json.h"
#include "summary.h"

static void sum_time(const struct tide_sim *sim, struct td_lib_summary *s)
{
	uint64_t ns = sim->finished_ns > sim->started_ns ? sim->finished_ns - sim->started_ns : 0;
	struct td_timed_figures f = {0};

	if (sim->timed)
		td_timed_figures(sim->timed, &f);
#define TIDE_TIME(name, help) s->time.name = f.name;
#include "tide/times.def"
#undef TIDE_TIME
	s->seconds = (double)ns / 1e9;
	s->accesses_per_second = ns ? (uint64_t)((double)s->counts.accesses / s->seconds) : 0;
}

void td_lib_summarize(const struct tide_sim *sim, struct td_lib_summary *out)
{
	*out = (struct td_lib_summary){
		.input = sim->source ? sim->input : NULL,
		.format = sim->source ? sim->source->ops->format : NULL,
		.is_workload = sim->is_workload,
		.by_page = sim->source && sim->source->by_page,
		.sizes = sim->source && sim->source->sizes,
		.accesses = sim->facts.accesses,
		.footprint_pages = sim->facts.pages,
		.last_page = sim->facts.last_page,
		.model = sim->model_text,
		.evict = sim->evict,
		.prefetch = sim->prefetch,
		.place = sim->place,
		.flush = sim->flush,
		.split = sim->split ? sim->split->text : NULL,
		.page_bytes = sim->page_bytes,
		.chunk_pages = sim->chunk_pages,
		.near_pages = sim->near_pages,
		.host_pages = sim->host_pages,
		.seed = sim->seed,
		.near_bytes = sim->near_bytes,
		.object_bytes = sim->object_bytes,
		.near_share = sim->near_share,
		.counts = sim->engine->counts,
	};
	sum_time(sim, out);
}

static json_t *integer_or_null(uint64_t value)
{
	return value == TD_UNKNOWN ? json_null() : td_lib_integer(value);
}

static json_t *input(const struct td_lib_summary *s)
{
	json_t *o = json_object();
	if (s->format) {
		if (*s->input)
			json_object_set_new(o, s->is_workload ? "workload" : "trace",
					    td_lib_text(s->input));
		json_object_set_new(o, "format", td_lib_text(s->format));
	}
	json_object_set_new(o, "accesses", integer_or_null(s->accesses));
	json_object_set_new(o, "footprint_pages", integer_or_null(s->footprint_pages));
	/* Page 2^64 - 1 is a page too: where the footprint is known, so is the last page. */
	json_object_set_new(o, "last_page",
			    s->footprint_pages == TD_UNKNOWN ? integer_or_null(s->last_page)
							     : td_lib_integer(s->last_page));
	return o;
}

static json_t *config(const struct td_lib_summary *s)
{
	json_t *o = json_object();
	json_object_set_new(o, "model", td_lib_text(s->model));
	json_object_set_new(o, "page_bytes", td_lib_integer(s->page_bytes));
	json_object_set_new(o, "chunk_bytes", td_lib_integer(s->page_bytes * s->chunk_pages));
	json_object_set_new(o, "chunk_pages", td_lib_integer(s->chunk_pages));
	json_object_set_new(o, "near_pages", td_lib_integer(s->near_pages));
	json_object_set_new(o, "evict", td_lib_text(s->evict));
	json_object_set_new(o, "prefetch", td_lib_text(s->prefetch));
	json_object_set_new(o, "place", td_lib_text(s->place));
	json_object_set_new(o, "host_pages", td_lib_integer(s->host_pages));
	json_object_set_new(o, "seed", td_lib_integer(s->seed));
	if (s->flush)
		json_object_set_new(o, "flush", json_true());
	if (s->split)
		json_object_set_new(o, "split", td_lib_text(s->split));
	if (s->near_bytes)
		json_object_set_new(o, "near_bytes", td_lib_integer(s->near_bytes));
	json_object_set_new(o, "near_share",
			    s->near_share > 0 ? json_real(s->near_share) : json_null());
	return o;
}

bool td_lib_sim_part(const struct tide_sim *sim, uint32_t i, struct td_lib_part_summary *out)
{
	if (!sim->split || i >= sim->split->n)
		return false;
	const struct td_lib_part *p = sim->split->part[i];
	*out = (struct td_lib_part_summary){.stream = p->stream,
					    .near_pages = p->near_pages,
					    .footprint_pages = p->head.facts.pages,
					    .counts = p->counts};
	return true;
}

static json_t *parts(const struct tide_sim *sim)
{
	json_t *list = json_array();
	struct td_lib_part_summary part;
	for (uint32_t i = 0; td_lib_sim_part(sim, i, &part); i++) {
		json_t *o = json_object();
		json_object_set_new(o, "stream", td_lib_integer(part.stream));
		json_object_set_new(o, "near_pages", td_lib_integer(part.near_pages));
		json_object_set_new(o, "footprint_pages", td_lib_integer(part.footprint_pages));
		json_object_set_new(o, "counts", td_stats_counts(&part.counts));
		json_array_append_new(list, o);
	}
	return list;
}

/* A functional run took no time; a timed one says where it went. */
static json_t *timing(const struct tide_sim *sim, const struct td_lib_times *t)
{
	json_t *o = json_object();
	if (!sim->timed) {
		json_object_set_new(o, "simulated_ns", td_lib_integer(0));
		return o;
	}
#define TIDE_TIME(name, help) json_object_set_new(o, #name, td_lib_integer(t->name));
#include "tide/times.def"
#undef TIDE_TIME
	return o;
}

static json_t *wall(const struct td_lib_summary *s)
{
	json_t *o = json_object();
	json_object_set_new(o, "seconds", json_real(s->seconds));
	json_object_set_new(o, "accesses_per_second", td_lib_integer(s->accesses_per_second));
	return o;
}

static json_t *miss_ratio(const struct tide_counts *c)
{
	return c->accesses ? json_real((double)c->faults / (double)c->accesses) : json_null();
}

json_t *td_lib_sim_policy(const struct tide_sim *sim)
{
	return td_lib_policy_json(sim->engine);
}

json_t *td_lib_sim_document(const struct tide_sim *sim)
{
	json_t *o = td_lib_document("sim");
	struct td_lib_summary s;
	td_lib_summarize(sim, &s);
	json_object_set_new(o, "input", input(&s));
	json_object_set_new(o, "config", config(&s));
	json_object_set_new(
		o, "record",
		td_lib_record_json(sim->source ? sim->source->facts.digest : (uint64_t[2]){0, 0},
				   sim->settings));
	json_object_set_new(o, "counts", td_stats_counts(&s.counts));
	if (sim->split)
		json_object_set_new(o, "parts", parts(sim));
	json_object_set_new(o, "policy", td_lib_sim_policy(sim));
	json_object_set_new(o, "time", timing(sim, &s.time));
	json_object_set_new(o, "wall", wall(&s));
	json_object_set_new(o, "miss_ratio", miss_ratio(&s.counts));
	return o;
}

int tide_sim_json(struct tide_sim *sim, char **out, struct tide_error *err)
{
	int rc = td_handle_check(sim, td_lib_sim_kind, err);
	if (!rc)
		rc = td_lib_given(out, "text", err);
	return rc ? rc : td_lib_dump(td_lib_sim_document(sim), out, err);
}
