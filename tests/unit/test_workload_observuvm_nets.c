/* The neural networks of ObservUVM. */
#include "gpu_entries.h"
#include "lab/workload/net.h"

enum { IN, IN_2, IN_3, MID, NORMED, SMALL, END, W_1, B_1, W_2, B_2 };

/* Pictures of 11 * 11 in three arrays; two parts; two groups with a border. */
static const struct td_net_array few_arrays[] = {
	{"R", 121, 0, 4},        {"G", 121, 0, 4},         {"B", 121, 0, 4},
	{"mid", 6 * 25, 0, 8},   {"normed", 6 * 25, 0, 8}, {"small", 6 * 4, 0, 8},
	{"end", 6, 0, 8},        {"w1", 0, 6 * 3 * 9, 8},  {"b1", 0, 6, 8},
	{"w2", 0, 6 * 3 * 9, 8}, {"b2", 0, 6, 8},          {0},
};

#define FIRST(x, w) \
	{ \
		.kernel = "first", .kind = TD_NET_CONV, .number = 0, .in = IN, .apart = true, \
		.out = MID, .weights = W_1, .bias = B_1, .in_side = 11, .in_all = 1, \
		.in_channels = 3, .out_side = 5, .out_all = 6, .out_channels = 6, .window = 3, \
		.stride = 2, .x0 = (x), .wide = (w), .high = 5 \
	}
#define SECOND(group) \
	{ \
		.kernel = "second", .kind = TD_NET_CONV, .number = 1, .in = MID, .out = NORMED, \
		.weights = W_2, .bias = B_2, .in_side = 5, .in_all = 6, .in_first = 3 * (group), \
		.in_channels = 3, .out_side = 5, .out_all = 6, .out_first = 3 * (group), \
		.out_channels = 3, .weights_first = 3 * (group), .window = 3, .stride = 1, \
		.pad = 1 \
	}

static const struct td_net_layer few_layers[] = {
	FIRST(0, 3),
	FIRST(3, 2),
	SECOND(0),
	SECOND(1),
	{.kernel = "norm",
	 .kind = TD_NET_NORM,
	 .number = 2,
	 .in = NORMED,
	 .out = MID,
	 .in_side = 5,
	 .in_all = 6,
	 .out_side = 5,
	 .out_all = 6,
	 .out_channels = 6,
	 .window = 1,
	 .stride = 1},
	{.kernel = "pool",
	 .kind = TD_NET_POOL,
	 .number = 3,
	 .in = MID,
	 .out = SMALL,
	 .in_side = 5,
	 .in_all = 6,
	 .out_side = 2,
	 .out_all = 6,
	 .out_channels = 6,
	 .window = 3,
	 .stride = 2},
	{.kernel = "average",
	 .kind = TD_NET_AVERAGE,
	 .number = 4,
	 .in = SMALL,
	 .out = END,
	 .in_side = 2,
	 .in_all = 6,
	 .out_side = 1,
	 .out_all = 6,
	 .out_channels = 6},
};

/* Parts are for threads that are pixels. */
static const struct td_net_layer whole_first = {.kernel = "first",
						.kind = TD_NET_CONV,
						.number = 0,
						.in = IN,
						.apart = true,
						.out = MID,
						.weights = W_1,
						.bias = B_1,
						.in_side = 11,
						.in_all = 1,
						.in_channels = 3,
						.out_side = 5,
						.out_all = 6,
						.out_channels = 6,
						.window = 3,
						.stride = 2};

static int few_setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	struct td_net *net = (struct td_net *)app;

	net->layer = few_layers;
	net->layers = COUNT(few_layers);
	net->images = v[0].i;
	net->by_rows = v[1].i;
	if (net->by_rows) {
		static struct td_net_layer rows[COUNT(few_layers) - 1];
		memcpy(rows, few_layers + 1, sizeof rows);
		rows[0] = whole_first;
		net->layer = rows;
		net->layers = COUNT(rows);
	}
	return td_net_setup(net, few_arrays, err);
}

static struct td_trace_source *open_few(int64_t images, bool by_rows, uint64_t page_bytes)
{
	static const struct tide_param none[] = {{0}};
	const struct td_gpu_workload few = {.head = {.name = "few", .params = none},
					    .machine = &small_machine,
					    .app_bytes = sizeof(struct td_net),
					    .setup = few_setup};
	union tide_value v[2] = {{.i = images}, {.i = by_rows}};
	struct td_trace_source *s = NULL;

	assert_int_equal(td_gpu_open(&s, &few.head, v, page_bytes, 1, NULL), 0);
	return s;
}

/* Byte accesses of all threads, by pc and address: what a layer is, without blocks and warps. */
struct bytes {
	const struct td_net *net;
	uint64_t step, *n;
};

static void access_number(struct bytes *t, unsigned pc, unsigned array, int64_t at)
{
	uint64_t byte = (uint64_t)at * t->net->array[array].bytes;

	assert_true(at >= 0 && byte < t->net->app.array[array].bytes);
	t->n[pc * t->step + (t->net->app.array[array].base + byte) / 8]++;
}

static void plain_pixel(struct bytes *t, const struct td_net_layer *y, int64_t image,
			int64_t channel, int64_t row, int64_t column)
{
	int64_t in_plane = y->in_side * y->in_side, window = y->window * y->window;
	bool conv = y->kind == TD_NET_CONV, norm = y->kind == TD_NET_NORM;
	int64_t from = conv ? 0 : norm ? channel - 2 : channel;
	int64_t to = conv ? y->in_channels : norm ? channel + 3 : channel + 1;

	if (conv)
		access_number(t, y->number * 3 + 1, y->bias, y->weights_first + channel);
	for (int64_t c = from; c < to; c++) {
		for (int64_t k = 0; k < window && c >= 0 && (conv || c < y->in_all); k++) {
			int64_t r = row * y->stride + k / y->window - y->pad;
			int64_t q = column * y->stride + k % y->window - y->pad;
			int64_t plane = y->apart ? image : image * y->in_all + y->in_first + c;
			if (conv)
				access_number(t, y->number * 3 + 1, y->weights,
					      ((y->weights_first + channel) * y->in_channels + c) *
							      window +
						      k);
			if (r >= 0 && r < y->in_side && q >= 0 && q < y->in_side)
				access_number(t, y->number * 3,
					      y->in + (y->apart ? (unsigned)c : 0),
					      plane * in_plane + r * y->in_side + q);
		}
	}
	access_number(t, y->number * 3 + 2, y->out,
		      ((image * y->out_all + y->out_first + channel) * y->out_side + row) *
				      y->out_side +
			      column);
}

static void plain_layer(struct bytes *t, const struct td_net_layer *y, int64_t image)
{
	int64_t wide = y->wide ? y->wide : y->out_side, high = y->wide ? y->high : y->out_side;

	for (int64_t c = 0; c < y->out_channels; c++) {
		if (y->kind != TD_NET_AVERAGE) {
			for (int64_t p = 0; p < wide * high; p++)
				plain_pixel(t, y, image, c, y->y0 + p / wide, y->x0 + p % wide);
			continue;
		}
		int64_t pixels = y->in_side * y->in_side;
		for (int64_t p = 0; p < pixels; p++)
			access_number(t, y->number * 3, y->in,
				      (image * y->in_all + c) * pixels + p);
		access_number(t, y->number * 3 + 2, y->out, image * y->in_all + c);
	}
}

/* Pages of 8 bytes, at most two numbers: every instruction accesses those that it needs, and no
 * others. How often depends on warps and is not looked at here. */
static void assert_few_pages(bool by_rows)
{
	struct td_trace_source *s = open_few(5, by_rows, 8);
	struct td_gpu_app *app = td_gpu_of(s);
	struct bytes t = {.net = (const struct td_net *)app};
	struct entries all = read_entries(s);
	uint64_t kinds = 0;

	t.step = (app->array[B_2].base + app->array[B_2].bytes) / 8 + 1;
	t.n = calloc(t.step * 15, sizeof *t.n);
	assert_non_null(t.n);
	for (unsigned y = 0; y < t.net->layers; y++) {
		for (int64_t image = 0; image < t.net->images; image++)
			plain_layer(&t, &t.net->layer[y], image);
	}
	for (size_t i = 0; i < all.n; i++) {
		const struct entry *e = &all.at[i];
		if (!t.n[e->pc * t.step + e->page])
			fail_msg("rows %d: pc %u page %ju is not the layer's", by_rows, e->pc,
				 (uintmax_t)e->page);
	}
	for (size_t i = 0; i < all.n; i++) {
		uint64_t *n = &t.n[all.at[i].pc * t.step + all.at[i].page];
		assert_true(all.at[i].write == (all.at[i].pc % 3 == 2));
		kinds += *n != 0;
		*n = 0;
	}
	for (uint64_t i = 0; i < t.step * 15; i++)
		assert_int_equal(t.n[i], 0);
	assert_true(kinds > 1000);
	free(t.n);
	free(all.at);
	td_trace_close(s);
}

static void layers_access_what_they_need(void **state)
{
	(void)state;
	assert_few_pages(false);
	assert_few_pages(true);
}

static void assert_modes_agree(const char *what, struct td_trace_source *s)
{
	struct entries all[2];

	for (int wave = 0; wave < 2; wave++) {
		td_gpu_of(s)->wave = wave;
		all[wave] = first_touches(s);
	}
	assert_true(all[0].n > 10);
	assert_same(what, &all[1], &all[0], false);
	free_all(all, COUNT(all));
}

static void layers_in_waves_are_exact_in_order(void **state)
{
	static const uint64_t pages[] = {64, 256, 1024, 65536};
	static const struct td_gpu_machine *const machines[] = {&small_machine, &tiny_machine,
								&td_gpu_observuvm};

	(void)state;
	for (unsigned i = 0; i < COUNT(pages) * COUNT(machines) * 2; i++) {
		struct td_trace_source *s = open_few(7, i % 2, pages[i / 2 % COUNT(pages)]);
		struct td_gpu_app *app = td_gpu_of(s);
		app->machine = machines[i / 2 / COUNT(pages)];
		assert_modes_agree("few", s);
		td_trace_close(s);
	}
}

/* One image. */
static void networks_in_waves_are_exact_in_order(void **state)
{
	static const char *const specs[] = {"an:scale=0.0005", "sn:scale=0.002"};

	(void)state;
	for (size_t i = 0; i < COUNT(specs); i++) {
		struct td_trace_source *s = open_source(specs[i], 65536, 1);
		assert_modes_agree(specs[i], s);
		td_trace_close(s);
	}
}

/* Sizes follow from one layer to the next, and fit the arrays. */
static void assert_layers_fit(const struct td_net *net)
{
	for (unsigned i = 0; i < net->layers; i++) {
		const struct td_net_layer *y = &net->layer[i];
		const struct td_net_array *in = &net->array[y->in], *out = &net->array[y->out];
		assert_int_equal(in->per_image, y->in_all * y->in_side * y->in_side);
		assert_int_equal(out->per_image, y->out_all * y->out_side * y->out_side);
		assert_true(y->out_first + y->out_channels <= y->out_all);
		if (y->kind == TD_NET_AVERAGE)
			continue;
		assert_int_equal(y->out_side,
				 (y->in_side + 2 * y->pad - y->window) / y->stride + 1);
		if (y->kind != TD_NET_CONV)
			continue;
		assert_true(y->apart || y->in_first + y->in_channels <= y->in_all);
		uint64_t channels = net->array[y->bias].shared;
		assert_int_equal(net->array[y->weights].shared,
				 channels * (uint64_t)(y->in_channels * y->window * y->window));
		assert_true((uint64_t)(y->weights_first + y->out_channels) <= channels);
	}
}

/* Every page of every array is in use; parts and groups leave nothing out. */
static void assert_whole(const char *spec, unsigned arrays, uint64_t images, uint64_t image_bytes,
			 uint64_t weight_bytes)
{
	struct td_trace_source *s = open_source(spec, 65536, 1);
	struct td_gpu_app *app = td_gpu_of(s);
	struct entries all = read_entries(s);
	uint64_t pages = app->array[app->arrays - 1].base / 65536 + 16, data = 0, weights = 0;
	uint8_t *seen = calloc(pages, 1);

	assert_non_null(seen);
	assert_layers_fit((const struct td_net *)app);
	assert_int_equal(((const struct td_net *)app)->images, images);
	for (size_t i = 0; i < all.n; i++)
		seen[all.at[i].page] |= all.at[i].write ? 2 : 1;
	for (unsigned i = 0; i < app->arrays; i++) {
		const struct td_gpu_array *a = &app->array[i];
		bool shared = !((const struct td_net *)app)->array[i].per_image;
		*(shared ? &weights : &data) += a->bytes;
		for (uint64_t p = a->base / 65536; p <= (a->base + a->bytes - 1) / 65536; p++)
			assert_true(seen[p] & (shared ? 1 : 3));
	}
	assert_int_equal(app->arrays, arrays);
	assert_int_equal(data, images * image_bytes);
	assert_int_equal(weights, weight_bytes);
	free(seen);
	free(all.at);
	td_trace_close(s);
}

static void networks_are_whole(void **state)
{
	(void)state;
	assert_whole("an:scale=0.001", 17, 2, UINT64_C(1351675) * 4, UINT64_C(1891456) * 4);
	assert_whole("sn:scale=0.004", 77, 2, UINT64_C(5071824) * 8 + 3 * 227 * 227 * 4,
		     UINT64_C(1248424) * 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layers_access_what_they_need),
		cmocka_unit_test(layers_in_waves_are_exact_in_order),
		cmocka_unit_test(networks_in_waves_are_exact_in_order),
		cmocka_unit_test(networks_are_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
