/* An application as a source of events: layout, launches one after another, batches. */
#include "gpu.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_run.h"

const struct td_gpu_machine td_gpu_cppe = {28, 8, 1536, 64 << 10, 4 << 10, false};
const struct td_gpu_machine td_gpu_observuvm = {82, 16, 1536, 2 << 20, 64 << 10, true};
const struct td_gpu_machine td_gpu_gmt = {108, 32, 2048, 64 << 10, 64 << 10, false};

const struct tide_param td_gpu_params_wave[] = {
	TD_GPU_PARAM_SCALE,
	TD_GPU_PARAM_MODE,
	TD_GPU_PARAM_JITTER,
	{0},
};
const struct tide_param td_gpu_params_exact[] = {
	TD_GPU_PARAM_SCALE,
	TD_GPU_PARAM_MODE_EXACT,
	TD_GPU_PARAM_JITTER,
	{0},
};

#define LAYOUT_MOST (UINT64_C(1) << 56)

/* ---- building ---- */

static int no_memory(const char *name, struct tide_error *err)
{
	return tide_fail(err, -ENOMEM, "workload %s: no memory to generate it: free some", name);
}

static void release(struct td_gpu_app *app)
{
	if (app && app->release)
		app->release(app);
	free(app);
}

unsigned td_gpu_add(struct td_gpu_app *app, const char *name, uint64_t bytes)
{
	unsigned i = app->arrays++;

	if (i < TD_GPU_ARRAYS)
		app->array[i] = (struct td_gpu_array){.name = name, .bytes = bytes};
	return i;
}

struct td_gpu_launch td_gpu_grid(const char *kernel, uint64_t grid_x, uint64_t grid_y,
				 uint32_t block_x, uint32_t block_y)
{
	return (struct td_gpu_launch){.kernel = kernel,
				      .grid_x = (uint32_t)grid_x,
				      .grid_y = (uint32_t)grid_y,
				      .block_x = block_x,
				      .block_y = block_y,
				      .x_step = block_x,
				      .x_from = INT64_MIN,
				      .x_to = INT64_MAX,
				      .y_step = block_y,
				      .y_from = INT64_MIN,
				      .y_to = INT64_MAX};
}

void td_gpu_clip(struct td_gpu_launch *l, int64_t nx, int64_t ny)
{
	l->x_from = l->y_from = 0;
	l->x_to = nx;
	l->y_to = ny;
}

int64_t td_gpu_scaled(int64_t full, double scale, unsigned dimensions, int64_t unit, int64_t least)
{
	double factor = dimensions == 1 ? scale : dimensions == 2 ? sqrt(scale) : cbrt(scale);
	double units = floor((double)full * factor / (double)unit + 0.5);
	double most = 0x1p52 / (double)unit;
	int64_t n = unit * (int64_t)(units < most ? units : most);

	return n < least ? least : n;
}

int td_gpu_size(const struct td_gpu_app *app, int64_t *out, int64_t full, double scale,
		unsigned dimensions, int64_t unit, struct tide_error *err)
{
	*out = td_gpu_scaled(full, scale, dimensions, unit, 0);
	if (*out)
		return 0;
	return tide_fail(err, -EINVAL,
			 "workload %s: scale=%g leaves less than one block: give a larger scale",
			 app->name, scale);
}

int td_gpu_fits(const struct td_gpu_app *app, double blocks, struct tide_error *err)
{
	if (blocks <= UINT32_MAX)
		return 0;
	return tide_fail(err, -EINVAL,
			 "workload %s: %g blocks in a launch are too many: give a smaller scale",
			 app->name, blocks);
}

/* ---- running ---- */

uint64_t td_gpu_together(const struct td_gpu_machine *m, const struct td_gpu_launch *l)
{
	uint64_t fit = m->threads_per_sm / (l->block_x * l->block_y);

	fit = fit < m->blocks_per_sm ? fit : m->blocks_per_sm;
	if (l->per_sm && l->per_sm < fit)
		fit = l->per_sm;
	return (fit ? fit : 1) * m->sms;
}

uint64_t td_gpu_blocks(const struct td_gpu_launch *l)
{
	return l->blocks ? l->blocks : (uint64_t)l->grid_x * l->grid_y;
}

uint64_t td_gpu_place(const struct td_gpu_launch *l, uint64_t block, uint32_t *bx, uint32_t *by)
{
	if (l->place)
		return l->place(l, block, bx, by);
	*by = (uint32_t)(block / l->grid_x);
	*bx = (uint32_t)(block % l->grid_x);
	return l->grid_x - *bx;
}

int td_gpu_room(struct td_gpu_ready *r, uint32_t n)
{
	if (n <= r->room)
		return 0;
	uint32_t room = n * 2;
	struct td_gpu_event *at = realloc(r->at, room * sizeof *at);
	if (!at)
		return -ENOMEM;
	r->at = at;
	r->room = room;
	return 0;
}

static void hand_out(struct td_gpu_source *s, struct tide_batch *batch)
{
	struct td_gpu_ready *r = &s->ready;
	uint32_t room = TIDE_BATCH - batch->n, left = r->n - r->taken,
		 n = left < room ? left : room;
	uint32_t to = batch->n;

	for (uint32_t i = 0; i < n; i++, to++) {
		const struct td_gpu_event *e = &r->at[r->taken + i];
		batch->page[to] = e->page;
		batch->ref[to] = (uint64_t)r->pc + 1;
		batch->stream[to] = (uint64_t)e->block << 6 | e->warp;
		batch->write[to] = r->write;
		if (batch->gpu) {
			batch->gpu->kernel[to] = (uint32_t)(s->launches - 1);
			batch->gpu->block[to] = e->block;
			batch->gpu->warp[to] = e->warp;
			batch->gpu->array[to] = r->array;
			batch->gpu->count[to] = e->count;
		}
	}
	batch->n = to;
	r->taken += n;
}

int td_gpu_begin(struct td_gpu_source *s)
{
	if (!s->app->launch(s->app, s->launches, &s->launch))
		return 0;
	s->launches++;
	int rc = s->app->wave && s->launch.instr ? td_gpu_wave_begin(s) : td_gpu_exact_begin(s);
	s->running = true;
	return rc ? rc : 1;
}

/* The next instruction's events: 1, 0 at the end of the application, or an error. */
static int more(struct td_gpu_source *s)
{
	int rc = 0;

	s->ready.n = s->ready.taken = 0;
	for (;;) {
		if (s->running) {
			rc = s->app->wave && s->launch.instr ? td_gpu_wave_next(s)
							     : td_gpu_exact_next(s);
			if (rc)
				return rc;
			s->running = false;
		}
		rc = td_gpu_begin(s);
		if (rc <= 0)
			return rc;
	}
}

static int next(struct td_trace_source *source, struct tide_batch *batch, struct tide_error *err)
{
	struct td_gpu_source *s = (struct td_gpu_source *)source;
	int rc = 1;

	batch->n = 0;
	while (batch->n < TIDE_BATCH && rc > 0) {
		if (s->ready.taken == s->ready.n)
			rc = more(s);
		if (rc > 0)
			hand_out(s, batch);
	}
	if (rc < 0)
		return no_memory(s->app->name, err);
	return 0;
}

static int restart(struct td_trace_source *source, struct tide_error *err)
{
	struct td_gpu_source *s = (struct td_gpu_source *)source;

	(void)err;
	s->launches = 0;
	s->running = false;
	s->ready.n = s->ready.taken = 0;
	s->random = s->app->seed;
	if (s->app->restart)
		s->app->restart(s->app);
	return 0;
}

static void finish(struct td_trace_source *source)
{
	struct td_gpu_source *s = (struct td_gpu_source *)source;

	td_gpu_exact_free(&s->exact);
	td_gpu_wave_free(&s->wave);
	free(s->ready.at);
	release(s->app);
	free(s);
}

static const struct td_trace_source_ops gpu_ops = {
	.format = "workload",
	.next = next,
	.rewind = restart,
	.close = finish,
	.warps = &td_gpu_warps,
};

struct td_gpu_app *td_gpu_of(struct td_trace_source *source)
{
	return source->ops == &gpu_ops ? ((struct td_gpu_source *)source)->app : NULL;
}

/* Arrays in listed order, each from an aligned address on. */
static int lay_out(struct td_gpu_app *app, uint64_t *bytes, struct tide_error *err)
{
	uint64_t align = app->machine->align_bytes, at = 0;

	if (app->arrays > TD_GPU_ARRAYS)
		return tide_fail(err, -EINVAL, "workload %s: more than %d arrays: give fewer",
				 app->name, TD_GPU_ARRAYS);
	for (unsigned i = 0; i < app->arrays; i++) {
		at = (at + align - 1) / align * align;
		app->array[i].base = at;
		if (app->array[i].bytes > LAYOUT_MOST - at)
			return tide_fail(err, -EINVAL,
					 "workload %s: its arrays are too large: give a smaller "
					 "scale",
					 app->name);
		at += app->array[i].bytes;
	}
	*bytes = at;
	return 0;
}

/* Where arrays share a page it is the first one's. What lies between two arrays is of neither, and
 * so is listed by itself. */
static void list_allocations(struct td_gpu_source *s)
{
	uint32_t n = 0;
	uint64_t end = 0;

	for (unsigned i = 0; i < s->app->arrays; i++) {
		const struct td_gpu_array *array = &s->app->array[i];
		uint64_t first = td_gpu_page(s, array->base);
		if (n && first > end)
			s->allocations[n++] = end;
		if (!n || first > s->allocations[n - 1])
			s->allocations[n++] = first;
		end = td_gpu_page(s, array->base + array->bytes + s->app->page_bytes - 1);
	}
	s->head.allocations = s->allocations;
	s->head.allocations_n = n;
}

static int make_source(struct td_trace_source **out, struct td_gpu_app *app, struct tide_error *err)
{
	uint64_t bytes = 0;
	int rc = lay_out(app, &bytes, err);
	struct td_gpu_source *s = rc ? NULL : calloc(1, sizeof *s);

	if (!s)
		return rc ? rc : no_memory(app->name, err);
	s->head.ops = &gpu_ops;
	s->head.facts = TD_TRACE_NO_FACTS;
	s->head.facts.refs = 1;
	s->app = app;
	s->page_shift =
		app->page_bytes & (app->page_bytes - 1) ? -1 : __builtin_ctzll(app->page_bytes);
	s->pages = td_gpu_page(s, bytes + app->page_bytes - 1);
	list_allocations(s);
	*out = &s->head;
	return restart(&s->head, err);
}

static int read_mode(struct td_gpu_app *app, const char *text, struct tide_error *err)
{
	app->wave = strcmp(text, "wave") == 0;
	if (app->wave || strcmp(text, "exact") == 0)
		return 0;
	return tide_fail(err, -EINVAL, "workload %s: mode=%s is none: give wave or exact",
			 app->name, text);
}

/* The parameters that mean the same to all. */
static int read_params(struct td_gpu_app *app, const struct tide_param *params,
		       const union tide_value *values, struct tide_error *err)
{
	int rc = 0;

	for (size_t i = 0; params[i].name && !rc; i++) {
		if (strcmp(params[i].name, "jitter") == 0)
			app->jitter = (uint64_t)values[i].i;
		else if (strcmp(params[i].name, "mode") == 0)
			rc = read_mode(app, values[i].text, err);
	}
	if (!rc && app->wave && app->jitter)
		rc = tide_fail(err, -EINVAL,
			       "workload %s: in wave mode all blocks walk in step: give "
			       "mode=exact for jitter",
			       app->name);
	return rc;
}

int td_gpu_open(struct td_trace_source **out, const struct td_workload *w,
		const union tide_value *values, uint64_t page_bytes, uint64_t seed,
		struct tide_error *err)
{
	const struct td_gpu_workload *row = (const struct td_gpu_workload *)w;
	struct td_gpu_app *app = calloc(1, row->app_bytes ? row->app_bytes : sizeof *app);

	if (!app)
		return no_memory(w->name, err);
	app->name = w->name;
	app->machine = row->machine;
	app->page_bytes = page_bytes;
	app->seed = seed;
	int rc = read_params(app, w->params, values, err);
	if (!rc)
		rc = row->setup(app, values, err);
	if (!rc)
		rc = make_source(out, app, err);
	if (rc)
		release(app);
	return rc;
}
