/* All applications that are asked for, at each oversubscription: first in plain memory, which says
 * what must come out, then the baselines, then the placements. A run that fails is a row that says
 * why; the others go on. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apps.h"
#include "core/text.h"
#include "gpu/tools.h"

enum { SIZES_MOST = 8, PLACES_MOST = 8, NAME_MOST = 64, ROUNDS_MOST = TD_GPU_TIMES };

/* An application that has run for so long begins no other round. */
#define ENOUGH_NS 20e9

struct sweep {
	const struct td_gpu_bench_options *o;
	struct td_gpu_apps *all;
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
	const char *list = w->o->place ? w->o->place : "bam,tier-order,random,reuse,worth";
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

static void tell(const struct sweep *w, const struct td_gpu_run *r)
{
	const char *why = *r->error ? r->error : r->reason;

	td_gpu_tell(&w->o->setup, "  %s %s: %.3f s%s%s%s", r->app, r->label,
		    (double)r->time_ns / 1e9,
		    r->verified > 0    ? ", right"
		    : r->verified == 0 ? ", WRONG"
				       : "",
		    *why ? ": " : "", why);
}

static void make_run(struct sweep *w, const struct td_gpu_app_job *job, const char *label,
		     struct td_gpu_run *r)
{
	struct tide_error err = {0};

	*r = (struct td_gpu_run){0};
	td_gpu_tell(&w->o->setup, "  %s %s ..", job->app, label);
	if (td_gpu_app_run(job, r, &err)) {
		*r = (struct td_gpu_run){.app = job->app, .verified = -1};
		snprintf(r->error, sizeof r->error, "%s", err.text);
	}
	snprintf(r->label, sizeof r->label, "%s", label);
	r->oversubscribe = job->oversubscription;
	w->all->ok = w->all->ok && !*r->error && r->verified != 0;
	tell(w, r);
}

/* Takes over what the run has allocated. */
static void keep(struct sweep *w, struct td_gpu_run **rows, size_t *n, struct td_gpu_run *r)
{
	struct td_gpu_run *more = td_gpu_more(*rows, n, sizeof *more);

	if (!more) {
		free(r->stats_json);
		w->all->ok = false;
		return;
	}
	*rows = more;
	more[*n - 1] = *r;
}

static void run_row(struct sweep *w, const struct td_gpu_app_job *job, const char *label)
{
	struct td_gpu_run r;

	make_run(w, job, label, &r);
	keep(w, &w->all->runs, &w->all->runs_n, &r);
}

/* ---- an application ---- */

/* Small, with other pages, against the processor. */
static void run_small(struct sweep *w, const char *app)
{
	struct td_gpu_app_job job = w->job;
	struct td_gpu_run r;

	job.app = app;
	job.near_bytes = 2 << 20;
	job.host_bytes = 4 << 20;
	job.page_bytes = 16 << 10;
	job.oversubscription = 2;
	job.place = "reuse";
	job.verify = TD_GPU_APP_REFERENCE;
	make_run(w, &job, "small", &r);
	keep(w, &w->all->references, &w->all->references_n, &r);
	td_gpu_app_clean(&job, true);
}

static void run_baselines(struct sweep *w, const struct td_gpu_app_job *job)
{
	struct td_gpu_app_job other = *job;

	other.memory = TD_GPU_APP_ZERO_COPY;
	run_row(w, &other, "zero-copy");
	other.memory = TD_GPU_APP_UNIFIED;
	run_row(w, &other, "unified");
	other.memory = TD_GPU_APP_TIDE;
	other.resident = true;
	other.place = "bam";
	run_row(w, &other, "resident");
}

/* A placement in all rounds: the row of the first, or of one that is wrong, with all times. */
static void take_turn(struct sweep *w, const struct td_gpu_app_job *job, unsigned place,
		      struct td_gpu_run *row)
{
	bool host = w->o->orchestrate && !strcmp(w->o->orchestrate, "host");
	struct td_gpu_app_job one = *job;
	struct td_gpu_run r;

	one.place = host ? NULL : w->place[place];
	one.orchestrate = w->o->orchestrate;
	one.evict = w->o->evict;
	one.prefetch = w->o->prefetch;
	make_run(w, &one, w->place[place], &r);
	memcpy(r.times_ns, row->times_ns, sizeof r.times_ns);
	r.times_n = row->times_n;
	if (r.time_ns)
		r.times_ns[r.times_n++] = r.time_ns;
	if (row->app && r.verified > 0) {
		memcpy(row->times_ns, r.times_ns, sizeof r.times_ns);
		row->times_n = r.times_n;
		free(r.stats_json);
		return;
	}
	free(row->stats_json);
	*row = r;
}

/* The median counts, all of them are told. */
static void take_median(struct td_gpu_run *row, uint64_t rounds)
{
	double sorted_ns[ROUNDS_MOST];

	for (unsigned i = 0; i < row->times_n; i++)
		sorted_ns[i] = (double)row->times_ns[i];
	if (row->times_n && rounds > 1)
		row->time_ns = (uint64_t)td_gpu_median(sorted_ns, row->times_n);
	if (rounds <= 1)
		row->times_n = 0;
}

static void add_speedups(const struct sweep *w, struct td_gpu_run *rows)
{
	double bam_ns = 0;

	for (unsigned i = 0; i < w->places; i++) {
		if (!strcmp(w->place[i], "bam"))
			bam_ns = (double)rows[i].time_ns;
	}
	for (unsigned i = 0; i < w->places; i++) {
		if (bam_ns > 0 && rows[i].time_ns)
			rows[i].speedup = bam_ns / (double)rows[i].time_ns;
	}
}

/* By turns, so that storage which is slower for a while is so for all of them, and every second
 * round backwards, so that not always the same one comes after one that wrote much. */
static void run_places(struct sweep *w, const struct td_gpu_app_job *job)
{
	struct td_gpu_run *rows = calloc(PLACES_MOST, sizeof *rows);
	double spent_ns = 0;

	if (!rows) {
		w->all->ok = false;
		return;
	}
	for (uint64_t round = 0; round < w->rounds && spent_ns < ENOUGH_NS; round++) {
		for (unsigned k = 0; k < w->places; k++) {
			unsigned i = round % 2 ? w->places - 1 - k : k, before = rows[i].times_n;
			take_turn(w, job, i, &rows[i]);
			if (rows[i].times_n > before)
				spent_ns += (double)rows[i].times_ns[before];
		}
	}
	for (unsigned i = 0; i < w->places; i++)
		take_median(&rows[i], w->rounds);
	add_speedups(w, rows);
	for (unsigned i = 0; i < w->places; i++)
		keep(w, &w->all->runs, &w->all->runs_n, &rows[i]);
	free(rows);
}

static void run_size(struct sweep *w, const char *app, double size, bool first)
{
	struct td_gpu_app_job job = w->job;
	struct td_gpu_run raw;
	uint64_t expected;

	job.app = app;
	job.oversubscription = size;
	job.verify = TD_GPU_APP_CHECKSUM;
	job.memory = TD_GPU_APP_RAW;
	make_run(w, &job, "raw", &raw);
	expected = raw.checksum;
	job.memory = TD_GPU_APP_TIDE;
	if (raw.has_checksum)
		job.expected = &expected;
	else
		job.verify = TD_GPU_APP_NOT;
	keep(w, &w->all->runs, &w->all->runs_n, &raw);
	if (w->baselines && first)
		run_baselines(w, &job);
	run_places(w, &job);
	td_gpu_app_clean(&job, false);
}

/* ---- all ---- */

static void take_config(const struct sweep *w)
{
	w->all->near_bytes = w->job.near_bytes;
	w->all->host_bytes = w->job.host_bytes;
	w->all->page_bytes = w->job.page_bytes;
	w->all->rounds = w->rounds;
	w->all->transfer = w->job.transfer ? w->job.transfer : "zero-copy";
}

int td_gpu_apps_run(const struct td_gpu_bench_options *options, struct td_gpu_apps *out,
		    struct tide_error *err)
{
	struct sweep w = {.o = options, .all = out};
	int rc = read_options(&w, err);

	if (rc)
		return rc;
	out->ok = true;
	take_config(&w);
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
			td_gpu_apps_mean(out, &options->setup, w.place[p], w.size[i]);
	}
	td_gpu_apps_claims(out, &options->setup);
	return 0;
}
