/* tide workloads --measure: what each comes to at its default size, beside what was published. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/jobs.h"
#include "workloads.h"

#define MOST_OFF 0.02 /* of the published footprint */

struct row {
	struct tide_workload_info w;
	struct tide_workload_measured m;
	struct tide_error err;
	int rc;
	struct all *all;
	uint64_t done; /* accesses so far */
};

struct all {
	const char *seed;
	struct row *rows;
	size_t n;
	uint64_t total; /* accesses of all, as far as they are known */
	pthread_mutex_t lock;
	struct td_cli_progress progress;
};

/* ---- running ---- */

static void show_progress(void *arg, uint64_t done, uint64_t total)
{
	struct row *r = arg;
	struct all *all = r->all;
	uint64_t sum = 0;

	(void)total;
	pthread_mutex_lock(&all->lock);
	r->done = done;
	for (size_t i = 0; i < all->n; i++)
		sum += all->rows[i].done;
	td_cli_progress_show(&all->progress, sum, all->total);
	pthread_mutex_unlock(&all->lock);
}

static void run_one(void *arg, size_t i)
{
	struct all *all = arg;
	struct row *r = &all->rows[i];

	r->m.size = sizeof r->m;
	r->rc = tide_workload_measure(&r->m, r->w.name, NULL, all->seed, show_progress, r, &r->err);
}

static int collect(const struct td_cli_workloads_options *args, struct all *all,
		   struct tide_error *err)
{
	struct tide_workload_info w = {.size = sizeof w};

	for (size_t i = 0; tide_workload_at(i, &w) == 0; i++) {
		bool asked = args->given.words.n || args->paper;
		if (!td_cli_workload_wanted(args, &w) ||
		    (!asked && strcmp(w.paper, "pattern") == 0))
			continue;
		struct row *rows = realloc(all->rows, (all->n + 1) * sizeof *rows);
		if (!rows)
			return tide_fail(err, -ENOMEM, "no memory for a table: free some");
		all->rows = rows;
		rows[all->n++] = (struct row){.w = w, .all = all};
		all->total += w.accesses;
	}
	return all->n ? 0
		      : tide_fail(
				err, -EINVAL,
				"no workload is both named and of --paper: leave one of them out");
}

/* ---- the result ---- */

static double difference(const struct row *r)
{
	if (!r->w.published_bytes)
		return NAN;
	return (double)r->m.footprint_bytes / (double)r->w.published_bytes - 1;
}

static const char *verdict(const struct row *r)
{
	if (r->rc)
		return "failed";
	if (fabs(difference(r)) > MOST_OFF)
		return "too far off";
	if (!r->w.accesses)
		return "not listed";
	if (r->m.footprint_bytes != r->w.footprint_bytes ||
	    r->m.touched_bytes != r->w.touched_bytes || r->m.accesses != r->w.accesses)
		return "differs from the list";
	return "ok";
}

static uint64_t per_second(const struct row *r)
{
	return r->m.seconds > 0 ? (uint64_t)((double)r->m.accesses / r->m.seconds) : 0;
}

static void print_row(struct td_cli_table *t, const struct row *r)
{
	double off = difference(r);

	td_cli_cell(t, "%s", r->w.name);
	td_cli_cell(t, "%s", r->w.paper);
	td_cli_cell(t, "%s", isnan(off) ? "-" : td_cli_bytes(r->w.published_bytes).text);
	td_cli_cell(t, "%s", td_cli_bytes(r->m.footprint_bytes).text);
	td_cli_cell(t, isnan(off) ? "-" : "%+.2f%%", 100 * off);
	td_cli_cell(t, "%s", td_cli_bytes(r->m.touched_bytes).text);
	td_cli_cell(t, "%s", td_cli_grouped(r->m.accesses).text);
	td_cli_cell(t, "%.1f", (double)per_second(r) / 1e6);
	td_cli_cell(t, "%.1f", r->m.prepare_seconds + r->m.seconds);
	td_cli_cell(t, "%s", verdict(r));
}

static int print_table(const struct all *all, struct tide_error *err)
{
	struct td_cli_table t = {.align = "llrrrrrrrl"};
	static const char *const heads[] = {"name",       "paper",   "published", "measured",
					    "difference", "touched", "accesses",  "M/s",
					    "seconds",    "verdict"};

	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		td_cli_cell(&t, "%s", heads[i]);
	for (size_t i = 0; i < all->n; i++)
		print_row(&t, &all->rows[i]);
	return td_cli_table_end(&t, err);
}

static json_t *row_json(const struct row *r)
{
	double off = difference(r);

	return json_pack("{ss ss so sI so so sI sI sI sf sf sb ss}", "name", r->w.name, "paper",
			 r->w.paper, "published_bytes",
			 isnan(off) ? json_null() : json_integer((json_int_t)r->w.published_bytes),
			 "footprint_bytes", (json_int_t)r->m.footprint_bytes, "difference",
			 isnan(off) ? json_null() : json_real(off), "allocated_bytes",
			 r->w.arrays ? json_integer((json_int_t)r->m.allocated_bytes) : json_null(),
			 "touched_bytes", (json_int_t)r->m.touched_bytes, "accesses",
			 (json_int_t)r->m.accesses, "accesses_per_second",
			 (json_int_t)per_second(r), "prepare_seconds", r->m.prepare_seconds,
			 "seconds", r->m.seconds, "agrees", strcmp(verdict(r), "ok") == 0,
			 "verdict", verdict(r));
}

static int print_json(const struct all *all, struct tide_error *err)
{
	json_t *list = json_array();

	for (size_t i = 0; i < all->n; i++)
		json_array_append_new(list, row_json(&all->rows[i]));
	return td_cli_print_json(json_pack("{so}", "workloads", list), err);
}

/* Status 1 where a row is not as it is to be; the first that failed says why. */
static int judge(const struct all *all, struct tide_error *err)
{
	size_t bad = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct row *r = &all->rows[i];
		if (r->rc)
			return tide_fail(err, r->rc == -EINVAL ? -EIO : r->rc, "%s", r->err.text);
		bad += strcmp(verdict(r), "ok") != 0;
	}
	if (!bad)
		return 0;
	return tide_fail(err, -ERANGE, "%zu of %zu workloads are not as published and listed", bad,
			 all->n);
}

int td_cli_workload_measure(const struct td_cli_workloads_options *args, struct tide_error *err)
{
	struct all all = {.seed = args->seed, .lock = PTHREAD_MUTEX_INITIALIZER};
	int rc = td_cli_progress_start(&all.progress, args->progress, "workloads", err);

	if (!rc)
		rc = collect(args, &all, err);
	if (!rc) {
		td_jobs_run(all.n, (size_t)args->jobs, run_one, &all);
		td_cli_progress_end(&all.progress);
		rc = args->json ? print_json(&all, err) : print_table(&all, err);
	}
	if (!rc)
		rc = judge(&all, err);
	free(all.rows);
	return rc;
}
