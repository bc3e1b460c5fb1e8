/* The jobs of a sweep: begun, watched, merged when they end, and begun again for what they lack. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include "cluster.h"
#include "core/clock.h"

#define SECOND_NS UINT64_C(1000000000)
#define WAIT_MIN_NS (SECOND_NS / 2)
#define PATIENCE_NS (600 * SECOND_NS) /* that the queue or a full disk is waited for */

/* ---- how the parts stand ---- */

void td_cli_cluster_count(struct td_cli_cluster *c)
{
	const struct td_cli_plan *plan = &c->s->plan;

	for (size_t i = 0; i < c->n; i++)
		c->parts[i].left = 0;
	/* Sorted by key, shard I of N has every Nth run. */
	for (size_t i = 0; i < plan->n; i++)
		c->parts[i % c->n].left += plan->at[i].state < TD_CLI_DONE;
	for (size_t i = 0; i < c->n; i++)
		if (!c->parts[i].out)
			c->parts[i].left_before = c->parts[i].left;
}

bool td_cli_part_given_up(const struct td_cli_cluster *c, const struct td_cli_part *part)
{
	return part->left && part->idle >= c->kind->idle_max;
}

static bool is_over(const struct td_cli_cluster *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->parts[i].out || (c->parts[i].left && !td_cli_part_given_up(c, &c->parts[i])))
			return false;
	return true;
}

/* 1, 4, 16 .. seconds after jobs that made no run: what hindered them may pass. */
static uint64_t pause_ns(unsigned idle)
{
	return idle ? SECOND_NS << (2 * (idle - 1)) : 0;
}

/* A job has ended, and its results are merged. True: too early. */
static bool end_job(struct td_cli_part *part)
{
	bool made = part->left < part->left_before;

	part->out = false;
	part->seen = 0;
	part->seen_bytes = 0;
	part->left_before = part->left;
	part->idle = made ? 0 : part->idle + 1;
	part->due_ns = td_clock_ns() + pause_ns(part->idle);
	return part->left > 0;
}

/* ---- what people are told meanwhile ---- */

__attribute__((format(printf, 2, 3))) static void say(struct td_cli_cluster *c, const char *format,
						      ...)
{
	char text[1024];
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof text, format, values);
	va_end(values);
	pthread_mutex_lock(&c->s->lock);
	td_cli_sweep_wipe(c->s);
	fprintf(stderr, "tide sweep: %s\n", td_cli_name(text).text);
	pthread_mutex_unlock(&c->s->lock);
}

/* Of all jobs that ended early at the same time the first is named. */
static void say_early(struct td_cli_cluster *c, size_t first, size_t n)
{
	const struct td_cli_part *part = &c->parts[first];
	char log[sizeof c->folder + 64], more[64] = "";
	struct td_cli_last job;

	c->kind->log(c, first, log, sizeof log);
	if (n > 1)
		snprintf(more, sizeof more, " (and %zu more)", n - 1);
	say(c, "%s%s ended with %zu runs of part %zu left: %s; %s: %s",
	    c->kind->job(c, first, &job), more, part->left, first + 1,
	    td_cli_part_given_up(c, part) ? "the part is given up" : "the part is begun again", log,
	    td_cli_last_of(log).text);
}

static void note_jobs(struct td_cli_cluster *c)
{
	size_t running = 0, live = 0;

	for (size_t i = 0; i < c->n; i++) {
		running += c->parts[i].running;
		live += c->parts[i].live;
	}
	pthread_mutex_lock(&c->s->lock);
	snprintf(c->s->note, sizeof c->s->note, "; %zu jobs run, %zu wait", running,
		 live - running);
	pthread_mutex_unlock(&c->s->lock);
}

/* ---- the steps, again and again ---- */

static int look(struct td_cli_cluster *c, struct tide_error *err)
{
	return c->kind->look(c, err);
}

static int collect(struct td_cli_cluster *c, struct tide_error *err)
{
	size_t early = 0, first = 0;
	int rc = td_cli_cluster_merge(c, err);

	if (rc)
		return rc;
	td_cli_cluster_count(c);
	for (size_t i = c->n; i-- > 0;)
		if (c->parts[i].out && !c->parts[i].live && end_job(&c->parts[i])) {
			early++;
			first = i;
		}
	if (early)
		say_early(c, first, early);
	c->repeated += early;
	return 0;
}

size_t td_cli_cluster_choose(struct td_cli_cluster *c)
{
	uint64_t now = td_clock_ns();
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct td_cli_part *part = &c->parts[i];
		c->go[i] = part->left && !part->out && !td_cli_part_given_up(c, part) &&
			   part->due_ns <= now;
		n += c->go[i];
	}
	/* There is one mpirun at a time. */
	return c->pid ? 0 : n;
}

static void mark_begun(struct td_cli_cluster *c, uint64_t job)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->go[i]) {
			c->parts[i].job = job;
			c->parts[i].out = c->parts[i].live = true;
		}
}

/* The number of a job whose batch system has none: nobody else's. */
static uint64_t new_number(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

int td_cli_cluster_command(struct td_cli_cluster *c, struct td_cli_text *script,
			   struct td_cli_argv *argv, struct tide_error *err)
{
	int rc;

	c->job = new_number();
	rc = td_cli_cluster_script(c, script, err);
	if (!rc)
		c->kind->command(c, script->at, argv);
	return !rc && argv->failed ? tide_fail(err, -ENOMEM, "no memory for a job: free some") : rc;
}

static int begin(struct td_cli_cluster *c, struct tide_error *err)
{
	struct td_cli_text script = {0};
	struct td_cli_argv argv = {0};
	uint64_t job;
	int rc = 0;

	if (!td_cli_cluster_choose(c))
		return 0;
	rc = td_cli_cluster_command(c, &script, &argv, err);
	if (!rc)
		rc = c->kind->begin(c, argv.at, script.at, &job, err);
	if (!rc)
		mark_begun(c, job);
	td_cli_argv_free(&argv);
	free(script.at);
	return rc;
}

static int (*const steps[])(struct td_cli_cluster *c, struct tide_error *err) = {look, collect,
										 begin};
#define STEPS (sizeof steps / sizeof steps[0])

/* A step that has worked before is given time: queues are restarted, and disks get room again. */
static int bear(struct td_cli_cluster *c, size_t step, int rc, const struct tide_error *bad,
		struct tide_error *err)
{
	uint64_t now = td_clock_ns();

	if (!c->worked[step] || (c->trouble_ns[step] && now - c->trouble_ns[step] > PATIENCE_NS))
		return tide_fail(err, rc, "%s", bad->text);
	if (!c->trouble_ns[step]) {
		c->trouble_ns[step] = now;
		say(c, "%s; tide tries again for 10 minutes", bad->text);
	}
	return 0;
}

/* over: nothing is left to be done, or to be waited for. */
static int go_round(struct td_cli_cluster *c, bool *over, struct tide_error *err)
{
	struct tide_error bad = {0, ""};

	*over = false;
	for (size_t i = 0; i < STEPS; i++) {
		int rc = steps[i](c, &bad);
		if (rc)
			return bear(c, i, rc, &bad, err);
		c->worked[i] = true;
		c->trouble_ns[i] = 0;
	}
	*over = is_over(c);
	note_jobs(c);
	td_cli_cluster_see(c);
	return 0;
}

/* Seldom where it takes long: a queue has many watchers. */
static void wait_a_little(const struct td_cli_cluster *c)
{
	uint64_t ns = (td_clock_ns() - c->s->started_ns) / 10;
	struct timespec time;

	ns = ns < WAIT_MIN_NS ? WAIT_MIN_NS : ns;
	ns = ns > c->kind->wait_max_ns ? c->kind->wait_max_ns : ns;
	time = (struct timespec){(time_t)(ns / SECOND_NS), (long)(ns % SECOND_NS)};
	nanosleep(&time, NULL);
}

int td_cli_cluster_watch(struct td_cli_cluster *c, struct tide_error *err)
{
	bool over = false;
	int rc = 0;

	while (!rc && !over) {
		rc = go_round(c, &over, err);
		if (!rc && !over)
			wait_a_little(c);
	}
	return rc;
}
