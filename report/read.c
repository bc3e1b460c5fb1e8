/* Documents by what is in them: runs, curves, statements. */
#include "read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "same.h"

/* ---- one run ---- */

static char *copy_text(const json_t *value)
{
	const char *text = json_string_value(value);

	return text ? strdup(text) : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
}

static void take_numbers(struct td_report_run *run, const json_t *doc)
{
	const json_t *config = json_object_get(doc, "config");
	const json_t *counts = json_object_get(doc, "counts");

	run->page_bytes = td_report_u64(config, "page_bytes");
	run->chunk_bytes = td_report_u64(config, "chunk_bytes");
	run->near_pages = td_report_u64(config, "near_pages");
	run->host_pages = td_report_u64(config, "host_pages");
	run->seed = td_report_u64(config, "seed");
	run->footprint_pages = td_report_u64(json_object_get(doc, "input"), "footprint_pages");
	run->time_ns = td_report_u64(json_object_get(doc, "time"), "simulated_ns");
	run->wall_s = json_number_value(json_object_get(json_object_get(doc, "wall"), "seconds"));
	run->near_share = json_number_value(json_object_get(config, "near_share"));
	run->index = td_report_u64(doc, "index");
	run->is_baseline = json_is_true(json_object_get(doc, "baseline"));
	for (size_t i = 0; i < TD_REPORT_COUNTS; i++)
		run->counts[i] = td_report_u64(counts, td_report_count_names[i]);
}

static int name_policy(struct td_report *r, const char *text, uint32_t *number)
{
	return td_report_name(&r->policies, text ? text : "-", number);
}

/* The digest of a trace that does not have one is made up later, from what is known of it. */
int td_report_name_record(struct td_report *r, const json_t *doc, const json_t *curve,
			  uint32_t *version, uint32_t *digest)
{
	struct td_report_record record = td_report_record(doc, curve);
	int rc = td_report_name(&r->versions, record.version, version);

	*digest = 0;
	if (rc || !td_report_string(json_object_get(doc, "input"), "trace"))
		return rc;
	rc = td_report_name(&r->digests, record.input ? record.input : "", digest);
	++*digest;
	return rc;
}

static int take_names(struct td_report *r, struct td_report_run *run, const json_t *doc)
{
	const json_t *config = json_object_get(doc, "config");
	const char *evict = td_report_string(config, "evict");
	const char *prefetch = td_report_string(config, "prefetch");
	const char *place = td_report_string(config, "place");
	const char *model = td_report_string(config, "model");
	const char *grid = td_report_string(doc, "grid");
	char *pair;
	int rc;

	run->is_placed = place != NULL;
	if (asprintf(&pair, "%s+%s%s%s", evict ? evict : "-", prefetch ? prefetch : "-",
		     place ? "+" : "", place ? place : "") < 0)
		return -ENOMEM;
	rc = td_report_name(&r->combinations, pair, &run->combination);
	free(pair);
	if (!rc)
		rc = td_report_name(&r->inputs, td_report_input(doc), &run->input);
	if (!rc)
		rc = td_report_name_record(r, doc, doc, &run->version, &run->digest);
	if (!rc && grid) {
		rc = td_report_name(&r->grids, grid, &run->grid);
		run->grid++;
	}
	if (!rc)
		rc = td_report_name(&r->models, model ? model : "functional", &run->model);
	if (!rc)
		rc = name_policy(r, evict, &run->evict);
	if (!rc)
		rc = name_policy(r, prefetch, &run->prefetch);
	return rc ? rc : name_policy(r, place, &run->place);
}

static int add_run(struct td_report *r, struct td_report_run *run, const json_t *doc)
{
	struct td_report_record record = td_report_record(doc, doc);
	struct td_report_keys keys;
	char *asked;
	int rc;

	if (run->error) {
		run->digest = 0; /* nothing is known of its input */
		return td_report_add_run(r, run, NULL);
	}
	asked = td_report_sim_asked(doc);
	rc = asked ? td_report_make_keys(&keys, &record, asked, run->command,
					 run->counts[TD_REPORT_accesses])
		   : -ENOMEM;
	free(asked);
	if (!rc)
		return td_report_add_run(r, run, &keys);
	free(run->command);
	return rc;
}

static int take_run(struct td_report *r, const json_t *doc, uint32_t file)
{
	const json_t *error = json_object_get(doc, "error");
	const char *command = td_report_string(doc, "command");
	struct td_report_run run = {.file = file};

	take_numbers(&run, doc);
	run.command = command ? strdup(command) : td_report_sim_command(doc);
	if (error && !json_is_null(error))
		run.error = copy_text(error);
	if (!run.command || take_names(r, &run, doc)) {
		free(run.command);
		free(run.error);
		return -ENOMEM;
	}
	return add_run(r, &run, doc);
}

/* ---- one curve ---- */

static int take_points(struct td_report_curve *c, const json_t *list)
{
	const json_t *p;
	size_t i;

	c->at = calloc(json_array_size(list) + 1, sizeof *c->at);
	if (!c->at)
		return -ENOMEM;
	json_array_foreach(list, i, p)
	{
		struct td_report_point at = {td_report_real(json_object_get(p, "pages")),
					     td_report_real(json_object_get(p, "misses")),
					     td_report_real(json_object_get(p, "miss_ratio")), 0};
		const json_t *error = json_object_get(p, "error");
		if (json_is_number(error))
			at.error = json_number_value(error);
		if (isnan(at.pages) || isnan(at.ratio))
			continue;
		c->at[c->n++] = at;
		c->mean += at.ratio;
	}
	c->mean /= c->n ? (double)c->n : 1;
	return 0;
}

static int name_curve(struct td_report *r, struct td_report_curve *c, const json_t *doc,
		      const json_t *curve, const char *command)
{
	const char *policy = td_report_string(curve, "policy");
	const char *method = td_report_string(curve, "method");
	int rc = td_report_name(&r->inputs, td_report_input(doc), &c->input);

	if (!rc)
		rc = td_report_name_record(r, doc, curve, &c->version, &c->digest);
	policy = policy ? policy : "lru";
	c->command = command ? strdup(command) : td_report_mrc_command(doc, policy);
	c->method = strdup(method ? method : "");
	if (!rc)
		rc = td_report_name(&r->policies, policy, &c->policy);
	return rc || !c->command || !c->method ? -ENOMEM : 0;
}

/* One line may make several curves: the policy is part of what was asked. */
static int add_curve(struct td_report *r, struct td_report_curve *c, const json_t *doc,
		     const json_t *curve)
{
	struct td_report_record record = td_report_record(doc, curve);
	const char *policy = r->policies.at[c->policy];
	struct td_report_keys keys;
	char *asked = td_report_mrc_asked(doc, policy), *command = NULL;
	int rc = -ENOMEM;

	if (asprintf(&command, "%s\n%u\n%s", c->command, c->input, policy) < 0)
		command = NULL;
	if (asked && command)
		rc = td_report_make_keys(&keys, &record, asked, command, c->accesses);
	free(asked);
	free(command);
	if (!rc)
		return td_report_add_curve(r, c, &keys);
	free(c->command);
	free(c->method);
	free(c->at);
	return rc;
}

/* doc: what says the input, which may be the curve itself. */
static int take_curve(struct td_report *r, const json_t *doc, const json_t *curve,
		      const char *command)
{
	struct td_report_curve c = {0};
	const json_t *input = json_object_get(doc, "input");
	const json_t *facts = json_is_object(input) ? input : doc;
	int rc = name_curve(r, &c, doc, curve, command);

	c.footprint_pages = (double)td_report_u64(facts, "footprint_pages");
	c.accesses = td_report_u64(facts, "accesses");
	c.page_bytes = td_report_u64(json_object_get(doc, "config"), "page_bytes");
	c.is_sampled = json_is_number(json_object_get(curve, "estimated_error"));
	if (!rc)
		rc = take_points(&c, json_object_get(curve, "curve"));
	if (!rc)
		return add_curve(r, &c, doc, curve);
	free(c.command);
	free(c.method);
	free(c.at);
	return rc;
}

static int take_mrc(struct td_report *r, const json_t *doc)
{
	const json_t *curves = json_object_get(doc, "curves"), *c;
	const char *command = td_report_string(doc, "command");
	size_t i;
	int rc = 0;

	if (!json_is_array(curves))
		return take_curve(r, doc, doc, command);
	json_array_foreach(curves, i, c)
	{
		if (!rc && json_is_array(json_object_get(c, "curve")))
			rc = take_curve(r, doc, c, command);
	}
	return rc;
}

/* ---- one paper ---- */

/* Numbers as people read them; nothing where there is nothing. */
static char *value_text(const json_t *value)
{
	char *text;

	if (json_is_null(value) || !value)
		return strdup("");
	if (!json_is_number(value))
		return copy_text(value);
	return asprintf(&text, "%.5g", json_number_value(value)) < 0 ? NULL : text;
}

static int take_statement(struct td_report_paper *paper, const json_t *doc)
{
	const json_t *agrees = json_object_get(doc, "agrees");
	const json_t *note = json_object_get(doc, "note");
	struct td_report_statement *s = &paper->at[paper->n++];

	s->id = value_text(json_object_get(doc, "id"));
	s->what = value_text(json_object_get(doc, "what"));
	s->published = value_text(json_object_get(doc, "published"));
	s->measured = value_text(json_object_get(doc, "measured"));
	s->note = json_is_string(note) ? copy_text(note) : NULL;
	s->published_value = td_report_real(json_object_get(doc, "published"));
	s->measured_value = td_report_real(json_object_get(doc, "measured"));
	s->agrees = json_is_boolean(agrees) ? (signed char)json_is_true(agrees) : -1;
	s->error = td_report_real(json_object_get(doc, "error"));
	paper->figures += isfinite(s->error) ? 1 : 0;
	paper->near += fabs(s->error) <= .25;
	paper->agree += s->agrees == 1;
	paper->disagree += s->agrees == 0;
	return s->id && s->what && s->published && s->measured ? 0 : -ENOMEM;
}

static int add_paper(struct td_report *r, const json_t *doc)
{
	const json_t *list = json_object_get(doc, "statements"), *s;
	struct td_report_paper *papers = reallocarray(r->papers, r->n_papers + 1, sizeof *papers);
	struct td_report_paper *paper;
	size_t i;
	int rc;

	if (!papers)
		return -ENOMEM;
	r->papers = papers;
	paper = &papers[r->n_papers++];
	*paper = (struct td_report_paper){
		.name = value_text(json_object_get(doc, "paper")),
		.at = calloc(json_array_size(list) + 1, sizeof *paper->at)};
	rc = paper->name && paper->at ? 0 : -ENOMEM;
	json_array_foreach(list, i, s)
	{
		if (!rc)
			rc = take_statement(paper, s);
	}
	return rc;
}

/* The same statements again say nothing new. */
static int take_paper(struct td_report *r, const json_t *doc)
{
	char *name = value_text(json_object_get(doc, "paper"));
	int rc = name ? td_report_is_told(r, name, json_object_get(doc, "statements")) : -ENOMEM;

	free(name);
	if (!rc)
		return add_paper(r, doc);
	return rc < 0 ? rc : 0;
}

/* ---- any document ---- */

/* Papers report some results in forms of their own: those are counted, not shown. */
static int take_runs(struct td_report *r, const json_t *doc, uint32_t file)
{
	const char *paper = td_report_string(doc, "paper");
	const json_t *run;
	char command[128];
	size_t i;
	int rc = 0;

	snprintf(command, sizeof command, "tide reproduce %.80s", paper ? paper : "");
	json_array_foreach(json_object_get(doc, "runs"), i, run)
	{
		if (rc)
			break;
		if (json_is_object(json_object_get(run, "counts")))
			rc = take_run(r, run, file);
		else if (json_is_array(json_object_get(run, "curve")))
			rc = take_curve(r, run, run, paper ? command : NULL);
		else if (paper)
			r->others++;
		else
			rc = td_report_take(r, run, file);
	}
	return rc;
}

int td_report_take(struct td_report *r, const json_t *doc, uint32_t file)
{
	const char *verb = td_report_string(doc, "verb");
	bool has_runs = json_is_array(json_object_get(doc, "runs"));
	const json_t *one;
	size_t i;
	int rc = 0;

	if (json_is_array(doc)) {
		json_array_foreach(doc, i, one)
		{
			if (!rc)
				rc = json_is_array(one) ? -EINVAL : td_report_take(r, one, file);
		}
		return rc;
	}
	if (verb && strncmp(verb, "gpu ", 4) == 0)
		return td_report_take_gpu(r, doc, file);
	if (json_is_array(json_object_get(doc, "statements"))) {
		rc = take_paper(r, doc);
		return rc || !has_runs ? rc : take_runs(r, doc, file);
	}
	if (has_runs)
		return take_runs(r, doc, file);
	if (json_is_array(json_object_get(doc, "curve")))
		return take_mrc(r, doc);
	if (verb && strcmp(verb, "run") == 0 && json_is_object(json_object_get(doc, "gpu")))
		return td_report_take_gpu_run(r, doc);
	/* Other documents of tide run, and those of tide pool, the same things, and are no runs of
	 * an input. */
	if (verb && strcmp(verb, "sim") != 0)
		return -EINVAL;
	if (json_is_object(json_object_get(doc, "counts")) ||
	    (json_object_get(doc, "error") && json_object_get(doc, "config")) ||
	    (json_object_get(doc, "error") && json_object_get(doc, "command")))
		return take_run(r, doc, file);
	return -EINVAL;
}
