/* The grid: axes, and what run i of their product is. The input changes slowest and the policies
 * fastest, so that runs of the same input come one after the other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/every.h"
#include "core/text.h"
#include "sweep.h"

static int fill_all(struct td_cli_grid *grid, const struct td_cli_sweep_options *args,
		    struct tide_error *err)
{
	const struct {
		struct td_cli_axis *axis;
		const char *option;
		const struct td_cli_list *list;
	} rows[] = {
		{&grid->trace, "trace", &args->trace},
		{&grid->workload, "workload", &args->workload},
		{&grid->near_size, "near", &args->near_size},
		{&grid->host, "host", &args->host},
		{&grid->page, "page", &args->page},
		{&grid->chunk, "chunk", &args->chunk},
		{&grid->seed, "seed", &args->seed},
		{&grid->model, "model", &args->model},
		{&grid->evict, "evict", &args->evict},
		{&grid->prefetch, "prefetch", &args->prefetch},
		{&grid->place, "place", &args->place},
		{&grid->pairs, "policies", &args->policies},
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0] && !rc; i++)
		rc = td_cli_axis_fill(rows[i].axis, rows[i].option, rows[i].list, err);
	return rc;
}

/* An end of text is put in the place of the plus sign. */
static int split_pairs(struct td_cli_grid *grid, struct tide_error *err)
{
	for (size_t i = 0; i < grid->pairs.n; i++) {
		char *text = grid->pairs.at[i];
		size_t n = td_cli_pair_plus(text, err);
		if (!n)
			return -EINVAL;
		text[n] = '\0';
	}
	return 0;
}

/* Axes without a value get the one of the preset. */
static int fill_preset(struct td_cli_grid *grid, const char *preset, struct tide_error *err)
{
	struct td_cli_world world = {NULL, NULL, NULL};
	int rc = td_cli_preset(preset, &world, err);

	if (!rc && world.page && !grid->page.n)
		rc = td_cli_axis_add(&grid->page, "preset", world.page, err);
	if (!rc && world.chunk && !grid->chunk.n)
		rc = td_cli_axis_add(&grid->chunk, "preset", world.chunk, err);
	if (!rc && world.prefetch && !grid->prefetch.n)
		rc = td_cli_axis_add(&grid->prefetch, "preset", world.prefetch, err);
	return rc;
}

static int check_axes(const struct td_cli_grid *grid, struct tide_error *err)
{
	if (!grid->trace.n && !grid->workload.n)
		return tide_fail(err, -EINVAL,
				 "no input: give --trace FILE or --workload NAME, or several");
	if (!grid->trace.n && (grid->format || grid->columns))
		return tide_fail(err, -EINVAL, "--%s is for traces: leave it out with --workload",
				 grid->format ? "format" : "columns");
	if (!grid->near_size.n)
		return tide_fail(err, -EINVAL,
				 "no size of near memory: give --near SIZE, or several, such as "
				 "--near '{25,50,75}%%'");
	if (grid->place.n && grid->pairs.n)
		return tide_fail(err, -EINVAL,
				 "--policies and --place do not go together: leave one out");
	if (!grid->place.n != !grid->host.n)
		return tide_fail(err, -EINVAL, "--%s and --%s go together: add --%s",
				 grid->place.n ? "place" : "host", grid->place.n ? "host" : "place",
				 grid->place.n ? "host SIZE, say --host 50%"
					       : "place POLICY, say --place reuse");
	return 0;
}

/* An axis that was not given has one value, which is nothing. */
static uint64_t values_of(const struct td_cli_axis *axis)
{
	return axis->n ? axis->n : 1;
}

static uint64_t crossed(const struct td_cli_grid *grid)
{
	return grid->crossed ? values_of(&grid->evict) * values_of(&grid->prefetch) *
				       values_of(&grid->place)
			     : 0;
}

static uint64_t models(const struct td_cli_grid *grid)
{
	return grid->model.n + grid->functional;
}

static int count_runs(struct td_cli_grid *grid, struct tide_error *err)
{
	/* At most a million each, so three of them may be multiplied. */
	const uint64_t factors[] = {
		grid->trace.n + grid->workload.n,
		values_of(&grid->page),
		values_of(&grid->seed),
		values_of(&grid->chunk),
		values_of(&grid->near_size),
		values_of(&grid->host),
		models(grid),
		crossed(grid) + grid->pairs.n,
	};

	grid->n = 1;
	for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
		if (__builtin_mul_overflow(grid->n, factors[i], &grid->n) ||
		    grid->n > TD_CLI_GRID_MAX)
			return tide_fail(err, -EINVAL,
					 "the grid has more than %s runs: make several sweeps of "
					 "it",
					 td_cli_grouped(TD_CLI_GRID_MAX).text);
	return 0;
}

/* What --evict all stands for, in the first run of the grid. */
static int fill_every(struct td_cli_grid *grid, struct tide_error *err)
{
	struct td_cli_point point;

	td_cli_grid_at(grid, 0, &point);
	return td_cli_every_evict(&grid->evict, "sweep", &point.options, err);
}

int td_cli_grid_make(struct td_cli_grid *grid, const struct td_cli_sweep_options *args,
		     struct tide_error *err)
{
	int rc;

	*grid = (struct td_cli_grid){
		.format = args->format,
		.columns = args->columns,
		.functional = args->functional || !args->model.n,
		.crossed = args->evict.n || args->prefetch.n || args->place.n || !args->policies.n,
		.replace_invalid = args->replace_invalid,
		.split = args->split,
		.objects = args->objects,
		.flush = args->flush,
	};
	rc = fill_all(grid, args, err);
	if (!rc)
		rc = fill_preset(grid, args->preset, err);
	if (!rc)
		rc = check_axes(grid, err);
	if (!rc)
		rc = fill_every(grid, err);
	if (!rc)
		rc = split_pairs(grid, err);
	return rc ? rc : count_runs(grid, err);
}

void td_cli_grid_free(struct td_cli_grid *grid)
{
	struct td_cli_axis *all[] = {&grid->trace, &grid->workload, &grid->near_size, &grid->host,
				     &grid->page,  &grid->chunk,    &grid->seed,      &grid->model,
				     &grid->evict, &grid->prefetch, &grid->place,     &grid->pairs};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		td_cli_axis_free(all[i]);
}

/* The digit of i that belongs to the axis, and i without it. */
static const char *take_value(const struct td_cli_axis *axis, uint64_t *i)
{
	uint64_t n = values_of(axis), digit = *i % n;

	*i /= n;
	return axis->n ? axis->at[digit] : NULL;
}

void td_cli_grid_pair(const struct td_cli_grid *grid, size_t i, struct tide_sim_options *o)
{
	o->evict = grid->pairs.at[i];
	o->prefetch = o->evict + strlen(o->evict) + 1;
}

static void take_policies(const struct td_cli_grid *grid, uint64_t *i, struct tide_sim_options *o)
{
	uint64_t n = crossed(grid) + grid->pairs.n, digit = *i % n;

	*i /= n;
	if (digit >= crossed(grid)) {
		td_cli_grid_pair(grid, digit - crossed(grid), o);
		return;
	}
	o->place = take_value(&grid->place, &digit);
	o->prefetch = take_value(&grid->prefetch, &digit);
	o->evict = take_value(&grid->evict, &digit);
}

/* Functional comes first where it is among them. */
static const char *take_model(const struct td_cli_grid *grid, uint64_t *i)
{
	uint64_t n = models(grid), digit = *i % n;

	*i /= n;
	if (grid->functional && digit == 0)
		return NULL;
	return grid->model.at[digit - grid->functional];
}

static void take_input(const struct td_cli_grid *grid, uint64_t i, struct tide_sim_options *o)
{
	if (i < grid->trace.n) {
		o->trace = grid->trace.at[i];
		o->format = grid->format;
		o->columns = grid->columns;
	} else {
		o->workload = grid->workload.at[i - grid->trace.n];
	}
}

void td_cli_grid_at(const struct td_cli_grid *grid, uint64_t i, struct td_cli_point *point)
{
	struct tide_sim_options *o = &point->options;
	uint64_t seeded;

	*point = (struct td_cli_point){.options.size = sizeof *o,
				       .options.replace_invalid = grid->replace_invalid,
				       .options.split = grid->split,
				       .options.objects = grid->objects,
				       .options.flush = grid->flush};
	take_policies(grid, &i, o);
	o->model = take_model(grid, &i);
	o->host = take_value(&grid->host, &i);
	o->near_size = take_value(&grid->near_size, &i);
	o->chunk = take_value(&grid->chunk, &i);
	seeded = i;
	o->seed = take_value(&grid->seed, &i);
	/* Traces are the same whatever the seed. The numbers of both kinds keep apart. */
	point->group = i;
	o->page = take_value(&grid->page, &i);
	take_input(grid, i, o);
	if (o->workload)
		point->group = grid->n + seeded;
}

int td_cli_grid_command(const struct td_cli_grid *grid, uint64_t i, struct td_cli_text *text)
{
	struct td_cli_point point;
	const struct tide_sim_options *o = &point.options;

	text->n = 0;
	text->failed = false;
	td_cli_grid_at(grid, i, &point);
	td_cli_put_word(text, "tide sim");
	td_cli_put_option(text, "trace", o->trace);
	td_cli_put_option(text, "workload", o->workload);
	td_cli_put_option(text, "format", o->format);
	td_cli_put_option(text, "columns", o->columns);
	td_cli_put_option(text, "near", o->near_size);
	td_cli_put_option(text, "page", o->page);
	td_cli_put_option(text, "chunk", o->chunk);
	td_cli_put_option(text, "evict", o->evict);
	td_cli_put_option(text, "prefetch", o->prefetch);
	td_cli_put_option(text, "place", o->place);
	td_cli_put_option(text, "host", o->host);
	td_cli_put_option(text, "split", o->split);
	td_cli_put_word(text, o->objects ? " --objects" : "");
	td_cli_put_word(text, o->flush ? " --flush" : "");
	td_cli_put_option(text, "model", o->model);
	td_cli_put_word(text, o->model ? "" : " --functional");
	td_cli_put_option(text, "seed", o->seed);
	td_cli_put_word(text, o->replace_invalid ? " --replace-invalid" : "");
	return text->failed ? -ENOMEM : 0;
}
