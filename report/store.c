/* What was read, with every text once and every command line once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

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

static void free_names(struct td_report_names *names)
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

/* The same command line gives the same numbers, but for times of a machine: the first result
 * stands, unless it is a failure that a later try made good. */
static void merge_run(struct td_report *r, struct td_report_run *old, struct td_report_run *run)
{
	uint32_t number = old->number;

	r->duplicates++;
	if (old->error && !run->error) {
		r->failed--;
		drop_run(old);
		*old = *run;
		old->number = number;
		return;
	}
	if (!old->error && !run->error &&
	    (memcmp(old->counts, run->counts, sizeof run->counts) != 0 ||
	     old->time_ns != run->time_ns) &&
	    !run->is_measured)
		r->differing++;
	drop_run(run);
}

int td_report_add_run(struct td_report *r, struct td_report_run *run)
{
	const json_t *at = json_object_get(r->by_command, run->command);

	if (at) {
		merge_run(r, &r->runs[json_integer_value(at)], run);
		return 0;
	}
	if (grow_runs(r) ||
	    json_object_set_new(r->by_command, run->command, json_integer((json_int_t)r->n_runs))) {
		drop_run(run);
		return -ENOMEM;
	}
	run->number = (uint32_t)r->n_runs + 1;
	r->failed += run->error != NULL;
	r->runs[r->n_runs++] = *run;
	return 0;
}

struct td_report *td_report_open(void)
{
	struct td_report *r = calloc(1, sizeof *r);

	if (r && !(r->by_command = json_object())) {
		free(r);
		return NULL;
	}
	return r;
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
	for (size_t i = 0; i < r->n_curves; i++) {
		free(r->curves[i].method);
		free(r->curves[i].command);
		free(r->curves[i].at);
	}
	for (size_t i = 0; i < r->n_papers; i++)
		free_paper(&r->papers[i]);
	free(r->runs);
	free(r->curves);
	free(r->papers);
	json_decref(r->gpus);
	json_decref(r->by_command);
}

void td_report_close(struct td_report *r)
{
	struct td_report_names *names[] = {&r->files,  &r->inputs, &r->combinations, &r->policies,
					   &r->models, &r->sizes,  &r->groups_named, &r->grids};

	free_read(r);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		free_names(names[i]);
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
					.duplicates = r->duplicates,
					.inputs = r->inputs.n,
					.curves = r->n_curves,
					.papers = r->n_papers,
					.figures = r->n_figures};
}
