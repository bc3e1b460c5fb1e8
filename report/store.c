/* What was read, with every text once and every result once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read.h"
#include "same.h"

const char *const td_report_count_names[TD_REPORT_COUNTS] = {
#define TIDE_COUNTER(name, help) #name,
#include "tide/counters.def"
#undef TIDE_COUNTER
};

static int add_name(struct td_report_names *names, const char *text)
{
	if (names->n == names->room) {
		size_t room = names->room ? 2 * names->room : 16;
		const char **at = realloc(names->at, room * sizeof *at);
		if (!at)
			return -ENOMEM;
		names->at = at;
		names->room = room;
	}
	names->at[names->n] = strdup(text);
	if (!names->at[names->n])
		return -ENOMEM;
	names->n++;
	return json_object_set_new(names->numbers, text, json_integer((json_int_t)names->n - 1))
		       ? -ENOMEM
		       : 0;
}

int td_report_name(struct td_report_names *names, const char *text, uint32_t *number)
{
	const json_t *known;
	int rc = 0;

	if (!names->numbers && !(names->numbers = json_object()))
		return -ENOMEM;
	known = json_object_get(names->numbers, text);
	*number = known ? (uint32_t)json_integer_value(known) : (uint32_t)names->n;
	if (!known)
		rc = add_name(names, text);
	return rc;
}

void td_report_free_names(struct td_report_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free((char *)(uintptr_t)names->at[i]);
	free(names->at);
	json_decref(names->numbers);
}

static int grow_runs(struct td_report *r)
{
	size_t room = r->runs_room ? 2 * r->runs_room : 64;
	struct td_report_run *runs;

	if (r->n_runs < r->runs_room)
		return 0;
	runs = reallocarray(r->runs, room, sizeof *runs);
	if (!runs)
		return -ENOMEM;
	r->runs = runs;
	r->runs_room = room;
	return 0;
}

static void drop_run(struct td_report_run *run)
{
	free(run->command);
	free(run->error);
}

/* Times of a machine are never the same twice. */
static bool is_equal(const struct td_report_run *a, const struct td_report_run *b)
{
	if (a->is_measured && b->is_measured)
		return true;
	return memcmp(a->counts, b->counts, sizeof a->counts) == 0 && a->time_ns == b->time_ns;
}

static int push_run(struct td_report *r, const struct td_report_run *run)
{
	if (grow_runs(r))
		return -ENOMEM;
	r->runs[r->n_runs] = *run;
	r->runs[r->n_runs].number = (uint32_t)r->n_runs + 1;
	r->n_runs++;
	r->failed += run->error != NULL;
	return 0;
}

/* One of several results of a run, none of which has its numbers, or all of them. */
static int push_same(struct td_report *r, size_t at, struct td_report_run *run, bool *stands)
{
	uint32_t number = (uint32_t)r->n_runs + 1;
	struct td_report_run *old = &r->runs[at];
	enum td_report_state state =
		td_report_judge(r->versions.at[old->version], r->versions.at[run->version], stands);

	*(state == TD_REPORT_OUTDATED ? &r->outdated : &r->conflicting) += 1;
	if (*stands) {
		old->state = state;
		old->instead = number;
		run->also = old->number;
	} else {
		run->state = state;
		run->instead = old->number;
		run->also = old->also;
		old->also = number;
	}
	return push_run(r, run);
}

/* Where the result that stands is; SIZE_MAX: this run is a new one. */
static size_t find_run(const struct td_report *r, const struct td_report_keys *keys)
{
	size_t at = td_report_find_same(r->by_key, keys);

	while (at != SIZE_MAX && r->runs[at].instead)
		at = r->runs[at].instead - 1;
	return at;
}

static bool is_known(const struct td_report *r, size_t at, const struct td_report_run *run)
{
	for (const struct td_report_run *old = &r->runs[at];; old = &r->runs[old->also - 1]) {
		if (is_equal(old, run))
			return true;
		if (!old->also)
			return false;
	}
}

/* The first result of a command, NULL: there is none. */
static struct td_report_run *find_command(const struct td_report *r, const char *command)
{
	const json_t *at = json_object_get(r->by_command, command);

	return at ? &r->runs[json_integer_value(at)] : NULL;
}

static int push_first(struct td_report *r, const struct td_report_run *run)
{
	if (!find_command(r, run->command) &&
	    json_object_set_new(r->by_command, run->command, json_integer((json_int_t)r->n_runs)))
		return -ENOMEM;
	return push_run(r, run);
}

/* A failure gives way to a success of the same command, whichever comes first. */
static int add_failure(struct td_report *r, struct td_report_run *run)
{
	int rc = 0;

	if (!find_command(r, run->command)) {
		rc = push_first(r, run);
		if (!rc)
			return 0;
	} else {
		r->retried++;
	}
	drop_run(run);
	return rc;
}

static void replace_failure(struct td_report *r, struct td_report_run *old,
			    struct td_report_run *run)
{
	r->retried++;
	r->failed--;
	run->number = old->number;
	drop_run(old);
	*old = *run;
}

static int add_success(struct td_report *r, struct td_report_run *run,
		       const struct td_report_keys *keys)
{
	size_t at = find_run(r, keys), place = r->n_runs;
	struct td_report_run *failed = find_command(r, run->command);
	bool stands = true;
	int rc = 0;

	if (at != SIZE_MAX && is_known(r, at, run)) {
		r->equal++;
		drop_run(run);
		return 0;
	}
	if (at != SIZE_MAX) {
		rc = push_same(r, at, run, &stands);
	} else if (failed && failed->error) {
		replace_failure(r, failed, run);
		place = (size_t)(failed - r->runs);
	} else {
		rc = push_first(r, run);
	}
	if (!rc)
		return td_report_keep_keys(r->by_key, keys, place, stands);
	drop_run(run);
	return rc;
}

int td_report_add_run(struct td_report *r, struct td_report_run *run,
		      const struct td_report_keys *keys)
{
	return keys ? add_success(r, run, keys) : add_failure(r, run);
}

static void drop_curve(struct td_report_curve *c)
{
	free(c->method);
	free(c->command);
	free(c->at);
}

static bool is_equal_curve(const struct td_report_curve *a, const struct td_report_curve *b)
{
	return a->n == b->n && (!a->n || memcmp(a->at, b->at, a->n * sizeof *a->at) == 0);
}

/* Compared is with what stands alone: a curve that conflicts twice is there twice. */
int td_report_add_curve(struct td_report *r, struct td_report_curve *c,
			const struct td_report_keys *keys)
{
	size_t at = td_report_find_same(r->curves_by_key, keys);
	struct td_report_curve *curves, *old = at == SIZE_MAX ? NULL : &r->curves[at];
	bool stands = true;

	if (old && is_equal_curve(old, c)) {
		r->equal++;
		drop_curve(c);
		return 0;
	}
	curves = reallocarray(r->curves, r->n_curves + 1, sizeof *curves);
	if (!curves) {
		drop_curve(c);
		return -ENOMEM;
	}
	r->curves = curves;
	if (old) {
		enum td_report_state state;
		old = &r->curves[at];
		state = td_report_judge(r->versions.at[old->version], r->versions.at[c->version],
					&stands);
		*(stands ? &old->state : &c->state) = state;
		*(state == TD_REPORT_OUTDATED ? &r->outdated : &r->conflicting) += 1;
	}
	r->curves[r->n_curves] = *c;
	return td_report_keep_keys(r->curves_by_key, keys, r->n_curves++, stands);
}

int td_report_is_told(struct td_report *r, const char *who, const json_t *what)
{
	json_t *pair = json_pack("[sO]", who, (json_t *)(uintptr_t)what);
	char *text = pair ? json_dumps(pair, JSON_COMPACT) : NULL;
	bool known = text && json_object_get(r->told, text);
	int rc = text ? known : -ENOMEM;

	if (text && !known && json_object_set_new(r->told, text, json_true()))
		rc = -ENOMEM;
	r->equal += known;
	free(text);
	json_decref(pair);
	return rc;
}

struct td_report *td_report_open(void)
{
	struct td_report *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->by_command = json_object();
	r->told = json_object();
	r->by_key = json_object();
	r->curves_by_key = json_object();
	if (r->by_command && r->told && r->by_key && r->curves_by_key)
		return r;
	td_report_close(r);
	return NULL;
}

static void free_paper(struct td_report_paper *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct td_report_statement *s = &p->at[i];
		free(s->id);
		free(s->what);
		free(s->published);
		free(s->measured);
		free(s->note);
	}
	free(p->at);
	free(p->name);
}

static void free_read(struct td_report *r)
{
	for (size_t i = 0; i < r->n_runs; i++)
		drop_run(&r->runs[i]);
	for (size_t i = 0; i < r->n_curves; i++)
		drop_curve(&r->curves[i]);
	for (size_t i = 0; i < r->n_papers; i++)
		free_paper(&r->papers[i]);
	free(r->runs);
	free(r->curves);
	free(r->papers);
	json_decref(r->gpus);
	json_decref(r->gpu_runs);
	json_decref(r->by_command);
	json_decref(r->told);
	json_decref(r->by_key);
	json_decref(r->curves_by_key);
}

void td_report_close(struct td_report *r)
{
	struct td_report_names *names[] = {&r->files,    &r->inputs, &r->combinations, &r->policies,
					   &r->models,   &r->sizes,  &r->groups_named, &r->grids,
					   &r->versions, &r->digests};

	free_read(r);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		td_report_free_names(names[i]);
	for (size_t i = 0; i < r->n_figures; i++)
		td_report_figure_free(&r->figures[i]);
	free(r->figures);
	free(r->order);
	free(r->groups);
	free(r->scores);
	free(r);
}

struct td_report_facts td_report_facts(const struct td_report *r)
{
	return (struct td_report_facts){.runs = r->n_runs,
					.failed = r->failed,
					.equal = r->equal,
					.retried = r->retried,
					.conflicting = r->conflicting,
					.outdated = r->outdated,
					.inputs = r->n_inputs,
					.curves = r->n_curves,
					.papers = r->n_papers,
					.figures = r->has_gnuplot ? r->n_figures : 0};
}
