/* All applications that are asked for, at each oversubscription: first in plain memory, which says
 * what must come out, then the baselines, then the placements. A run that fails is a row that says
 * why; the others go on. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/tools.h"
#include "apps.h"
#include "core/text.h"

enum { SIZES_MOST = 8, PLACES_MOST = 8, NAME_MOST = 64, ROUNDS_MOST = 31 };

/* An application that has run for so long begins no other round. */
#define ENOUGH_NS 20e9

struct sweep {
	const struct td_gpu_bench_options *o;
	json_t *doc;
	struct td_gpu_app_job job; /* what all runs have in common */
	unsigned sizes, places;
	uint64_t rounds;
	double size[SIZES_MOST];
	char place[PLACES_MOST][NAME_MOST];
	bool baselines;
};

/* ---- options ---- */

static int read_size(const char *text, const char *otherwise, const char *what, uint64_t *out,
		     struct tide_error *err)
{
	const char *given = text ? text : otherwise;
	int rc = td_core_size(given, strlen(given), out);

	if (rc || !*out)
		return tide_fail(err, -EINVAL, "%s is no size for %s: give one such as %s", given,
				 what, otherwise);
	return 0;
}

/* The next entry of a list with commas; false after the last. */
static bool next_entry(const char **list, char entry[NAME_MOST])
{
	size_t n = strcspn(*list, ",");

	if (!**list)
		return false;
	snprintf(entry, NAME_MOST, "%.*s", (int)(n < NAME_MOST ? n : NAME_MOST - 1), *list);
	*list += n + ((*list)[n] == ',');
	return true;
}

static int read_sizes(struct sweep *w, struct tide_error *err)
{
	const char *list = w->o->oversubscribe ? w->o->oversubscribe : "2";
	char entry[NAME_MOST];

	while (next_entry(&list, entry)) {
		double *size = &w->size[w->sizes];
		if (w->sizes == SIZES_MOST || td_core_real(entry, size) || !(*size > 0))
			return tide_fail(
				err, -EINVAL,
				"%s is no oversubscription, or one too many: give up to %d "
				"numbers such as 2,4",
				entry, SIZES_MOST);
		w->sizes++;
	}
	return 0;
}

static void add_place(struct sweep *w, const char *name)
{
	if (w->places < PLACES_MOST)
		snprintf(w->place[w->places++], NAME_MOST, "%s", name);
}

/* The processor's policies stand where the GPU's placements stood. */
static void read_places(struct sweep *w)
{
	const char *list =
		w->o->place ? w->o->place : "bam,tier-order,random,reuse,worth";
	char entry[NAME_MOST];

	w->baselines = !w->o->place && !w->o->orchestrate;
	if (w->o->orchestrate && !strcmp(w->o->orchestrate, "host")) {
		snprintf(entry, sizeof entry, "host:%.24s+%.24s", w->o->evict ? w->o->evict : "lrm",
			 w->o->prefetch ? w->o->prefetch : "tree");
		add_place(w, entry);
		return;
	}
	while (next_entry(&list, entry))
		add_place(w, entry);
}

static int read_rounds(struct sweep *w, struct tide_error *err)
{
	const char *text = w->o->repeat ? w->o->repeat : "1";

	if (td_core_u64(text, strlen(text), &w->rounds) || !w->rounds || w->rounds > ROUNDS_MOST)
		return tide_fail(err, -EINVAL, "%s is no number of rounds: give one from 1 to %d",
				 text, ROUNDS_MOST);
	return 0;
}

static int read_options(struct sweep *w, struct tide_error *err)
{
	const struct td_gpu_bench_options *o = w->o;
	struct td_gpu_app_job *job = &w->job;
	int rc = td_gpu_list_check(o->app, td_gpu_apps, "application", err);

	job->setup = o->setup;
	job->transfer = o->transfer;
	job->timeout = o->timeout;
	job->keep_files = true;
	if (!rc)
		rc = read_size(o->near_size, o->setup.quick ? "32M" : "256M", "near memory",
			       &job->near_bytes, err);
	job->host_bytes = 4 * job->near_bytes;
	if (!rc && o->host)
		rc = read_size(o->host, "1G", "tier 2", &job->host_bytes, err);
	if (!rc)
		rc = read_size(o->page, "64K", "a page", &job->page_bytes, err);
	if (!rc)
		rc = read_sizes(w, err);
	if (!rc)
		rc = read_rounds(w, err);
	read_places(w);
	return rc;
}

/* ---- one run is one row ---- */

static void add_accuracy(json_t *row)
{
	const json_t *gpu = json_object_get(row, "gpu");
	json_int_t judged = json_integer_value(json_object_get(gpu, "predictions_judged"));
	json_int_t right = json_integer_value(json_object_get(gpu, "predictions_right"));

	json_object_set_new(row, "accuracy",
			    judged > 0 ? json_real((double)right / (double)judged) : json_null());
}

static void tell(const struct sweep *w, const json_t *row, const char *label)
{
	const json_t *verified = json_object_get(row, "verified");
	const char *error = json_string_value(json_object_get(row, "error"));
	const char *reason = json_string_value(json_object_get(row, "reason"));

	td_gpu_tell(&w->o->setup, "  %s %s: %.3f s%s%s%s",
		    json_string_value(json_object_get(row, "app")), label,
		    (double)json_integer_value(json_object_get(row, "time_ns")) / 1e9,
		    json_is_true(verified)    ? ", right"
		    : json_is_false(verified) ? ", WRONG"
					      : "",
		    error || reason ? ": " : "",
		    error    ? error
		    : reason ? reason
			     : "");
}

/* NULL: there is no memory for it. */
static json_t *make_row(struct sweep *w, const struct td_gpu_app_job *job, const char *label)
{
	struct tide_error err = {0};
	json_t *row = NULL;

	td_gpu_tell(&w->o->setup, "  %s %s ..", job->app, label);
	int rc = td_gpu_app_run(job, &row, &err);
	if (rc) {
		json_decref(row);
		row = json_pack("{s:s,s:n,s:s}", "app", job->app, "verified", "error", err.text);
	}
	json_object_set_new(row, "place", json_string(label));
	json_object_set_new(row, "oversubscribe", json_real(job->oversubscription));
	add_accuracy(row);
	if (rc || json_is_false(json_object_get(row, "verified")))
		json_object_set_new(w->doc, "ok", json_false());
	if (row)
		tell(w, row, label);
	return row;
}

/* The row belongs to the document. */
static json_t *run_row(struct sweep *w, const struct td_gpu_app_job *job, const char *label,
		       const char *into)
{
	json_t *row = make_row(w, job, label);

	json_array_append_new(json_object_get(w->doc, into), row);
	return row;
}

/* ---- an application ---- */

/* Small, with other pages, against the processor. */
static void run_small(struct sweep *w, const char *app)
{
	struct td_gpu_app_job job = w->job;

	job.app = app;
	job.near_bytes = 2 << 20;
	job.host_bytes = 4 << 20;
	job.page_bytes = 16 << 10;
	job.oversubscription = 2;
	job.place = "reuse";
	job.verify = TD_GPU_APP_REFERENCE;
	run_row(w, &job, "small", "references");
	td_gpu_app_clean(&job, true);
}

static void run_baselines(struct sweep *w, const struct td_gpu_app_job *job)
{
	struct td_gpu_app_job other = *job;

	other.memory = TD_GPU_APP_ZERO_COPY;
	run_row(w, &other, "zero-copy", "runs");
	other.memory = TD_GPU_APP_UNIFIED;
	run_row(w, &other, "unified", "runs");
	other.memory = TD_GPU_APP_TIDE;
	other.resident = true;
	other.place = "bam";
	run_row(w, &other, "resident", "runs");
}

/* A placement in all rounds: the row of the first, and the times that it took. */
struct turns {
	json_t *row;
	double times_ns[ROUNDS_MOST];
	unsigned n;
};

static void take_turn(struct sweep *w, const struct td_gpu_app_job *job, unsigned place,
		      struct turns *t)
{
	bool host = w->o->orchestrate && !strcmp(w->o->orchestrate, "host");
	struct td_gpu_app_job one = *job;

	one.place = host ? NULL : w->place[place];
	one.orchestrate = w->o->orchestrate;
	one.evict = w->o->evict;
	one.prefetch = w->o->prefetch;
	json_t *row = make_row(w, &one, w->place[place]);
	if (td_gpu_app_time_ns(row) > 0)
		t->times_ns[t->n++] = td_gpu_app_time_ns(row);
	if (!t->row)
		t->row = json_incref(row);
	else if (!json_is_true(json_object_get(row, "verified")))
		json_object_update(t->row, row); /* says what is wrong */
	json_decref(row);
}

/* The median counts, all of them are told. */
static void add_times(const struct turns *t, uint64_t rounds)
{
	double sorted_ns[ROUNDS_MOST];
	json_t *all = json_array();

	memcpy(sorted_ns, t->times_ns, sizeof sorted_ns);
	for (unsigned i = 0; i < t->n; i++)
		json_array_append_new(all, json_integer((json_int_t)t->times_ns[i]));
	if (t->n && rounds > 1)
		json_object_set_new(t->row, "time_ns",
				    json_integer((json_int_t)td_gpu_median(sorted_ns, t->n)));
	if (rounds > 1)
		json_object_set(t->row, "times_ns", all);
	json_decref(all);
}

static void add_speedups(struct sweep *w, struct turns *t)
{
	double bam_ns = 0;

	for (unsigned i = 0; i < w->places; i++) {
		if (!strcmp(w->place[i], "bam"))
			bam_ns = td_gpu_app_time_ns(t[i].row);
	}
	for (unsigned i = 0; i < w->places; i++) {
		double ns = td_gpu_app_time_ns(t[i].row);
		if (bam_ns > 0 && ns > 0)
			json_object_set_new(t[i].row, "speedup", json_real(bam_ns / ns));
	}
}

/* By turns, so that storage which is slower for a while is so for all of them, and every second
 * round backwards, so that not always the same one comes after one that wrote much. */
static void run_places(struct sweep *w, const struct td_gpu_app_job *job)
{
	struct turns turns[PLACES_MOST] = {0};
	double spent_ns = 0;

	for (uint64_t round = 0; round < w->rounds && spent_ns < ENOUGH_NS; round++) {
		for (unsigned k = 0; k < w->places; k++) {
			unsigned i = round % 2 ? w->places - 1 - k : k, before = turns[i].n;
			take_turn(w, job, i, &turns[i]);
			if (turns[i].n > before)
				spent_ns += turns[i].times_ns[before];
		}
	}
	for (unsigned i = 0; i < w->places; i++)
		add_times(&turns[i], w->rounds);
	add_speedups(w, turns);
	for (unsigned i = 0; i < w->places; i++)
		json_array_append_new(json_object_get(w->doc, "runs"), turns[i].row);
}

static void run_size(struct sweep *w, const char *app, double size, bool first)
{
	struct td_gpu_app_job job = w->job;
	uint64_t expected = 0;

	job.app = app;
	job.oversubscription = size;
	job.verify = TD_GPU_APP_CHECKSUM;
	job.memory = TD_GPU_APP_RAW;
	const json_t *raw = run_row(w, &job, "raw", "runs");
	job.memory = TD_GPU_APP_TIDE;
	if (td_gpu_app_checksum(raw, &expected))
		job.expected = &expected;
	else
		job.verify = TD_GPU_APP_NOT;
	if (w->baselines && first)
		run_baselines(w, &job);
	run_places(w, &job);
	td_gpu_app_clean(&job, false);
}

/* ---- all ---- */

static void add_config(const struct sweep *w)
{
	json_t *c = json_object();

	json_object_set_new(c, "near_bytes", json_integer((json_int_t)w->job.near_bytes));
	json_object_set_new(c, "host_bytes", json_integer((json_int_t)w->job.host_bytes));
	json_object_set_new(c, "page_bytes", json_integer((json_int_t)w->job.page_bytes));
	json_object_set_new(c, "rounds", json_integer((json_int_t)w->rounds));
	json_object_set_new(c, "transfer",
			    json_string(w->job.transfer ? w->job.transfer : "zero-copy"));
	json_object_set_new(w->doc, "config", c);
}

int td_gpu_apps_run(const struct td_gpu_bench_options *options, json_t **out,
		    struct tide_error *err)
{
	struct sweep w = {.o = options};
	int rc = read_options(&w, err);

	w.doc = *out = json_pack("{s:b,s:{},s:[],s:[],s:[],s:[]}", "ok", 1, "config", "references",
				 "runs", "means", "claims");
	if (rc || !w.doc)
		return rc ? rc : tide_fail(err, -ENOMEM, "no memory for results");
	add_config(&w);
	for (const struct td_gpu_part *a = td_gpu_apps; a->name; a++) {
		if (!td_gpu_listed(options->app, a->name))
			continue;
		td_gpu_tell(&options->setup, "%s: %s", a->name, a->summary);
		run_small(&w, a->name);
		for (unsigned s = 0; s < w.sizes; s++)
			run_size(&w, a->name, w.size[s], s == 0);
	}
	w.job.app = td_app_plan_bfs.name;
	td_gpu_app_clean(&w.job, true); /* the graph, which several had */
	for (unsigned i = 0; i < w.sizes; i++) {
		for (unsigned p = 0; p < w.places; p++)
			td_gpu_apps_mean(w.doc, &options->setup, w.place[p], w.size[i]);
	}
	td_gpu_apps_claims(w.doc, &options->setup);
	return 0;
}
