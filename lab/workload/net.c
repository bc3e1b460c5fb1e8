#include "net.h"

enum { LAYER }; /* of a launch's arguments */
/* From block to block, more than the pixels of a row: x says which block it is. */
enum { X_STEP = 1024 };

static const struct td_net_layer *layer_of(const struct td_gpu_app *app,
					   const struct td_gpu_launch *l)
{
	return &((const struct td_net *)app)->layer[l->arg[LAYER]];
}

static int64_t number_bytes(const struct td_gpu_app *app, unsigned array)
{
	return ((const struct td_net *)app)->array[array].bytes;
}

/* ---- where things are ---- */

/* An array of channels, as the threads of a block are on it. */
struct planes {
	unsigned array;
	int64_t side, all;   /* pixels of a row; channels of an image */
	int64_t first;       /* channel, for block 0 */
	int64_t per_block;   /* channels from block to block */
	int64_t stride;      /* pixels from thread to thread */
	int64_t row, column; /* of the thread that has pixel (0, 0) of the output */
};

static struct td_gpu_instr on_planes(const struct td_gpu_app *app, const struct td_gpu_launch *l,
				     unsigned pc, bool write, const struct planes *p)
{
	const struct td_net *net = (const struct td_net *)app;
	int64_t bytes = number_bytes(app, p->array), plane = p->side * p->side * bytes;
	int64_t along = p->stride * bytes, down = along * p->side;
	int64_t first = p->first * plane + (p->row * p->side + p->column) * bytes;
	struct td_gpu_instr i =
		td_gpu_instr(l, pc, p->array, write, first, net->by_rows ? down : along,
			     net->by_rows ? along : down);

	i.per_bx = p->per_block * plane - X_STEP * i.per_x;
	i.per_by = p->all * plane;
	if (net->by_rows) {
		i.times = layer_of(app, l)->out_side;
		i.y_per_time = 1;
	}
	return i;
}

/* Of 0 .. n - 1, those where pixel t * stride + at is in a row of so many. */
static void clip(int64_t *from, int64_t *to, int64_t stride, int64_t at, int64_t side)
{
	int64_t least = at < 0 ? (-at + stride - 1) / stride : 0;
	int64_t most = side <= at ? 0 : (side - at + stride - 1) / stride;

	*from = least > *from ? least : *from;
	*to = most < *to ? most : *to;
}

/* Threads whose part of the window lies outside the image sit it out. */
static void clip_window(const struct td_net *net, const struct td_net_layer *layer,
			const struct td_gpu_launch *l, const struct planes *p,
			struct td_gpu_instr *i)
{
	int64_t x = net->by_rows ? p->row : p->column, y = net->by_rows ? p->column : p->row;

	clip(&i->tx_from, &i->tx_to, p->stride, x + l->x_first * p->stride, p->side);
	if (net->by_rows) {
		i->y_from = 0;
		i->y_to = layer->out_side;
		clip(&i->y_from, &i->y_to, p->stride, y, p->side);
	} else {
		clip(&i->ty_from, &i->ty_to, p->stride, y + l->y_first * p->stride, p->side);
	}
}

/* ---- instructions ---- */

/* Everybody reads the same number, of its own channel. */
static struct td_gpu_instr parameter(const struct td_gpu_app *app, const struct td_gpu_launch *l,
				     unsigned array, int64_t at, int64_t per_channel)
{
	const struct td_net_layer *layer = layer_of(app, l);
	int64_t bytes = number_bytes(app, array);
	int64_t first = at + layer->weights_first * per_channel;
	struct td_gpu_instr i =
		td_gpu_instr(l, layer->number * 3 + 1, array, TD_GPU_READ, first * bytes, 0, 0);

	i.per_bx = per_channel * bytes;
	return i;
}

/* A pixel of the window, in a channel of the input. */
static struct td_gpu_instr read_window(const struct td_gpu_app *app, const struct td_gpu_launch *l,
				       int64_t channel, int64_t at, bool own)
{
	const struct td_net_layer *layer = layer_of(app, l);
	struct planes p = {
		.array = layer->in + (layer->apart ? (unsigned)channel : 0),
		.side = layer->in_side,
		.all = layer->in_all,
		.first = layer->apart ? 0 : layer->in_first + channel,
		.per_block = own,
		.stride = layer->stride,
		.row = at / layer->window - layer->pad,
		.column = at % layer->window - layer->pad,
	};
	struct td_gpu_instr i = on_planes(app, l, layer->number * 3, TD_GPU_READ, &p);

	clip_window((const struct td_net *)app, layer, l, &p, &i);
	return i;
}

static struct td_gpu_instr write_out(const struct td_gpu_app *app, const struct td_gpu_launch *l)
{
	const struct td_net_layer *layer = layer_of(app, l);
	struct planes p = {
		.array = layer->out,
		.side = layer->out_side,
		.all = layer->out_all,
		.first = layer->out_first,
		.per_block = 1,
		.stride = 1,
	};

	return on_planes(app, l, layer->number * 3 + 2, TD_GPU_WRITE, &p);
}

/* ---- kernels ---- */

static bool convolve(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		     struct td_gpu_instr *out)
{
	const struct td_net_layer *layer = layer_of(app, l);
	int64_t window = layer->window * layer->window, products = layer->in_channels * window;
	int64_t at = ((int64_t)n - 1) / 2;

	if (n == 0)
		*out = parameter(app, l, layer->bias, 0, 1);
	else if (at == products)
		*out = write_out(app, l);
	else if (n % 2)
		*out = read_window(app, l, at / window, at % window, false);
	else
		*out = parameter(app, l, layer->weights, at, products);
	return n < 2 + 2 * (uint64_t)products;
}

/* Channels before the first and after the last are left out. */
static bool normalise(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		      struct td_gpu_instr *out)
{
	int64_t channel = (int64_t)n - TD_NET_NORM_CHANNELS / 2;

	if (n == TD_NET_NORM_CHANNELS) {
		*out = write_out(app, l);
		return true;
	}
	*out = read_window(app, l, channel, 0, true);
	out->x_from = channel < 0 ? -channel * X_STEP : 0;
	out->x_to = (channel > 0 ? l->grid_x - channel : l->grid_x) * X_STEP;
	return n < TD_NET_NORM_CHANNELS;
}

static bool pool(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		 struct td_gpu_instr *out)
{
	const struct td_net_layer *layer = layer_of(app, l);
	uint64_t window = (uint64_t)(layer->window * layer->window);

	*out = n < window ? read_window(app, l, 0, (int64_t)n, true) : write_out(app, l);
	return n <= window;
}

static bool average(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		    struct td_gpu_instr *out)
{
	const struct td_net_layer *layer = layer_of(app, l);
	int64_t pixels = layer->in_side * layer->in_side, bytes = number_bytes(app, layer->in);

	if (n == (uint64_t)pixels) {
		*out = td_gpu_instr(l, layer->number * 3 + 2, layer->out, TD_GPU_WRITE, 0, bytes,
				    0);
		out->per_by = layer->in_all * bytes;
		return true;
	}
	*out = td_gpu_instr(l, layer->number * 3, layer->in, TD_GPU_READ, (int64_t)n * bytes,
			    pixels * bytes, 0);
	out->per_by = layer->in_all * pixels * bytes;
	return n < (uint64_t)pixels;
}

/* Channel by channel; or row by row of the window, where it is large and no thread ever outside of
 * the image. */
static void tell_loops(const struct td_net_layer *layer, struct td_gpu_launch *l)
{
	uint64_t window = (uint64_t)layer->window, channels = (uint64_t)layer->in_channels;

	if (layer->kind == TD_NET_AVERAGE)
		td_gpu_loops(l, 0, 1, (uint64_t)(layer->in_side * layer->in_side), 1);
	if (layer->kind != TD_NET_CONV)
		return;
	if (2 * window * window <= TD_GPU_LOOP && !layer->apart)
		td_gpu_loops(l, 1, 2 * window * window, channels, 1);
	else if (layer->pad == 0)
		td_gpu_loops(l, 1, 2 * window, window, channels);
}

/* ---- the network ---- */

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	static bool (*const kernels[])(const struct td_gpu_app *, const struct td_gpu_launch *,
				       uint64_t, struct td_gpu_instr *) = {
		[TD_NET_CONV] = convolve,
		[TD_NET_NORM] = normalise,
		[TD_NET_POOL] = pool,
		[TD_NET_AVERAGE] = average,
	};
	const struct td_net *net = (const struct td_net *)app;

	if (i == net->layers)
		return false;
	const struct td_net_layer *layer = &net->layer[i];
	bool averages = layer->kind == TD_NET_AVERAGE;
	int64_t wide = averages ? layer->in_all : layer->wide ? layer->wide : layer->out_side;
	int64_t high = averages || net->by_rows ? 1 : layer->wide ? layer->high : layer->out_side;
	*out = td_gpu_grid(layer->kernel, averages ? 1 : (uint64_t)layer->out_channels,
			   (uint64_t)net->images, (uint32_t)wide, (uint32_t)high);
	out->instr = kernels[layer->kind];
	out->arg[LAYER] = (int64_t)i;
	out->x_step = averages ? 0 : X_STEP;
	out->y_step = 0;
	out->x_first = layer->x0;
	out->y_first = layer->y0;
	tell_loops(layer, out);
	return true;
}

int td_net_setup(struct td_net *net, const struct td_net_array *array, struct tide_error *err)
{
	uint64_t images = (uint64_t)net->images;

	net->array = array;
	net->app.launch = launch;
	for (; array->name; array++)
		td_gpu_add(&net->app, array->name,
			   (array->per_image * images + array->shared) * array->bytes);
	for (unsigned i = 0; i < net->layers; i++) {
		int rc = td_gpu_fits(&net->app, (double)net->layer[i].out_channels * (double)images,
				     err);
		if (rc)
			return rc;
	}
	return 0;
}
