/* The runs of a sweep, several at a time. Each leaves one line, and nothing in memory. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "core/text.h"
#include "sweep.h"

#define SYNC_NS UINT64_C(1000000000)

/* ---- one run ---- */

static bool begin(void *arg, size_t i, struct td_cli_run *run)
{
	struct td_cli_sweep *s = arg;
	struct td_cli_point point;

	if (s->stopped)
		return false;
	td_cli_grid_at(s->grid, s->plan.at[i].index, &point);
	run->options = point.options;
	run->group = point.group;
	return true;
}

/* ---- its line ---- */

static json_t *text_or_null(const char *text)
{
	return text ? td_cli_json_text(text) : json_null();
}

/* Of a run that failed: what it was to be, as it was written, and why it is not. */
static json_t *describe_failure(struct td_cli_run *run)
{
	const struct tide_sim_options *o = &run->options;

	td_core_as_options(run->err.text);
	return json_pack("{ss ss s{so} s{so so so so so} so}", "tide", tide_version(), "verb",
			 "sim", "input", o->trace ? "trace" : "workload",
			 text_or_null(o->trace ? o->trace : o->workload), "config", "model",
			 text_or_null(o->model ? o->model : "functional"), "near",
			 text_or_null(o->near_size), "evict", text_or_null(o->evict), "prefetch",
			 text_or_null(o->prefetch), "place", text_or_null(o->place), "error",
			 text_or_null(run->err.text));
}

static char *make_line(const struct td_cli_sweep *s, const struct td_cli_planned *planned,
		       json_t *result, size_t *n)
{
	struct td_cli_text command = {0};
	struct td_cli_key plugins = td_cli_grid_plugins(s->grid, planned->index);
	char *line, *whole;

	if (td_cli_grid_command(s->grid, planned->index, &command) == 0)
		json_object_set_new(result, "command", td_cli_json_text(command.at));
	free(command.at);
	json_object_set_new(result, "key", json_string(td_cli_key_text(planned->key).text));
	json_object_set_new(result, "grid", json_string(td_cli_key_text(s->plan.grid).text));
	json_object_set_new(result, "index", json_integer((json_int_t)planned->index));
	if (*plugins.text)
		json_object_set_new(result, "plugins", json_string(plugins.text));
	line = json_dumps(result, JSON_COMPACT | JSON_REAL_PRECISION(15));
	if (!line)
		return NULL;
	*n = strlen(line) + 1;
	whole = realloc(line, *n);
	if (!whole) {
		free(line);
		return NULL;
	}
	whole[*n - 1] = '\n';
	return whole;
}

/* Both under the lock. */
static void count(struct td_cli_sweep *s, uint32_t index, const struct td_cli_run *run)
{
	if (!run->rc) {
		s->done++;
		return;
	}
	if (!s->failed++ || index < s->failed_index) {
		s->failed_index = index;
		s->failure = run->err;
	}
}

static void give_up(struct td_cli_sweep *s, int rc, const struct tide_error *err)
{
	if (!s->rc) {
		s->rc = rc;
		s->err = *err;
	}
	s->stopped = true;
}

/* A line of what came of the run. */
static void end(void *arg, size_t i, struct td_cli_run *run)
{
	struct td_cli_sweep *s = arg;
	const struct td_cli_planned *planned = &s->plan.at[i];
	struct tide_error bad = {0, ""};
	size_t n = 0;
	if (run->rc)
		run->json = describe_failure(run);
	char *line = run->json ? make_line(s, planned, run->json, &n) : NULL;
	int wrote = line ? 0 : tide_fail(&bad, -ENOMEM, "no memory for a result: free some");

	pthread_mutex_lock(&s->lock);
	if (!s->stopped) {
		if (!wrote)
			wrote = td_cli_results_add(&s->results, line, n, &bad);
		if (wrote)
			give_up(s, wrote, &bad);
		else
			count(s, planned->index, run);
	}
	pthread_mutex_unlock(&s->lock);
	free(line);
}

/* ---- what the watch does ---- */

static void tick(void *arg)
{
	struct td_cli_sweep *s = arg;
	struct tide_error err;
	uint64_t now = td_clock_ns();
	int rc = 0;

	if (now - s->synced_ns >= SYNC_NS) {
		rc = td_cli_results_sync(&s->results, &err);
		s->synced_ns = now;
	}
	pthread_mutex_lock(&s->lock);
	if (!rc)
		rc = td_cli_results_keep(&s->results, &err);
	if (rc)
		give_up(s, rc, &err);
	if (s->progress)
		td_cli_sweep_draw(s);
	pthread_mutex_unlock(&s->lock);
}

/* The lock is kept: no line is begun any more. Runs under way are dropped, and made again. */
static void stop(void *arg, int signal_number)
{
	struct td_cli_sweep *s = arg;
	size_t before = s->plan.done + s->plan.failed;

	pthread_mutex_lock(&s->lock);
	td_cli_results_keep(&s->results, NULL);
	td_cli_results_sync(&s->results, NULL);
	td_cli_sweep_wipe(s);
	fprintf(stderr, "tide sweep: stopped by SIG%s after %s of %s runs: %s\n",
		sigabbrev_np(signal_number), td_cli_grouped(before + s->done + s->failed).text,
		td_cli_grouped(s->plan.n).text,
		s->results.regular ? "the same command goes on from there"
				   : "with --output FILE the same command could go on from there");
}

/* ---- all of them ---- */

int td_cli_sweep_run(struct td_cli_sweep *s, size_t jobs, struct tide_error *err)
{
	int rc;

	pthread_mutex_init(&s->lock, NULL);
	s->started_ns = s->synced_ns = td_clock_ns();
	s->runs = (struct td_cli_runs){
		.n = s->plan.left, .jobs = jobs, .begin = begin, .end = end, .arg = s};
	s->watch = (struct td_cli_watch){.tick = tick, .stop = stop, .arg = s};
	if (s->progress)
		td_cli_sweep_draw(s);
	rc = td_cli_watch_start(&s->watch, err);
	if (!rc) {
		rc = td_cli_runs_do(&s->runs, err);
		td_cli_watch_end(&s->watch);
	}
	if (s->progress && !rc)
		td_cli_sweep_draw(s);
	td_cli_sweep_wipe(s);
	return rc ? rc : s->rc ? tide_fail(err, s->rc, "%s", s->err.text) : 0;
}
