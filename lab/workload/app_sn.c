/* SqueezeNet 1.0, inference of a batch, in doubles. A fire module squeezes its input to a few
 * channels and expands these twice, to the first half of its output by single pixels and to the
 * second by windows of 3 * 3. */
#include "net.h"

/* Weights and bias of a convolution follow one another. */
enum {
	R,
	G,
	B,
	CONV1,
	POOL1,
	S2,
	F2,
	S3,
	F3,
	S4,
	F4,
	POOL4,
	S5,
	F5,
	S6,
	F6,
	S7,
	F7,
	S8,
	F8,
	POOL8,
	S9,
	F9,
	CONV10,
	OUT,
	W1,
	W2 = W1 + 2,
	W3 = W2 + 6,
	W4 = W3 + 6,
	W5 = W4 + 6,
	W6 = W5 + 6,
	W7 = W6 + 6,
	W8 = W7 + 6,
	W9 = W8 + 6,
	W10 = W9 + 6,
	ARRAYS = W10 + 2
};
enum { IMAGES = 516 };

#define PIXELS(name, channels, side) \
	{ \
		name, (channels) * (side) * (side), 0, 8 \
	}
#define WEIGHTS(name, in, window, out) \
	{name, 0, (in) * (window) * (window) * (out), 8}, \
	{ \
		name "_bias", 0, out, 8 \
	}
/* in to squeezed, to half of the output each */
#define FIRE_WEIGHTS(name, in, squeezed, half) \
	WEIGHTS(name "_squeeze", in, 1, squeezed), WEIGHTS(name "_expand1", squeezed, 1, half), \
		WEIGHTS(name "_expand3", squeezed, 3, half)

static const struct td_net_array arrays[] = {
	{"R", 227 * 227, 0, 4},
	{"G", 227 * 227, 0, 4},
	{"B", 227 * 227, 0, 4},
	PIXELS("conv1", 96, 111),
	PIXELS("pool1", 96, 55),
	PIXELS("fire2_squeeze", 16, 55),
	PIXELS("fire2", 128, 55),
	PIXELS("fire3_squeeze", 16, 55),
	PIXELS("fire3", 128, 55),
	PIXELS("fire4_squeeze", 32, 55),
	PIXELS("fire4", 256, 55),
	PIXELS("pool4", 256, 27),
	PIXELS("fire5_squeeze", 32, 27),
	PIXELS("fire5", 256, 27),
	PIXELS("fire6_squeeze", 48, 27),
	PIXELS("fire6", 384, 27),
	PIXELS("fire7_squeeze", 48, 27),
	PIXELS("fire7", 384, 27),
	PIXELS("fire8_squeeze", 64, 27),
	PIXELS("fire8", 512, 27),
	PIXELS("pool8", 512, 13),
	PIXELS("fire9_squeeze", 64, 13),
	PIXELS("fire9", 512, 13),
	PIXELS("conv10", 1000, 15),
	PIXELS("out", 1000, 1),
	WEIGHTS("conv1_weights", 3, 7, 96),
	FIRE_WEIGHTS("fire2", 96, 16, 64),
	FIRE_WEIGHTS("fire3", 128, 16, 64),
	FIRE_WEIGHTS("fire4", 128, 32, 128),
	FIRE_WEIGHTS("fire5", 256, 32, 128),
	FIRE_WEIGHTS("fire6", 256, 48, 192),
	FIRE_WEIGHTS("fire7", 384, 48, 192),
	FIRE_WEIGHTS("fire8", 384, 64, 256),
	FIRE_WEIGHTS("fire9", 512, 64, 256),
	WEIGHTS("conv10_weights", 512, 1, 1000),
	{0},
};

_Static_assert(sizeof arrays / sizeof *arrays == ARRAYS + 1, "one row per array, and the last");

#define CONV(name, n, from, channels, to, all, first, outs, w, side, win, border) \
	{ \
		.kernel = (name), .kind = TD_NET_CONV, .number = (n), .in = (from), .out = (to), \
		.weights = (w), .bias = (w) + 1, .in_side = (side), .in_all = (channels), \
		.in_channels = (channels), .out_side = (side) + 2 * (border) + 1 - (win), \
		.out_all = (all), .out_first = (first), .out_channels = (outs), .window = (win), \
		.stride = 1, .pad = (border) \
	}
#define FIRE(name, n, from, in, squeeze, squeezed, to, half, w, side) \
	CONV(name "_squeeze", n, from, in, squeeze, squeezed, 0, squeezed, w, side, 1, 0), \
		CONV(name "_expand1", (n) + 1, squeeze, squeezed, to, 2 * (half), 0, half, \
		     (w) + 2, side, 1, 0), \
		CONV(name "_expand3", (n) + 2, squeeze, squeezed, to, 2 * (half), half, half, \
		     (w) + 4, side, 3, 1)
#define POOL(name, n, from, to, side, channels) \
	{ \
		.kernel = (name), .kind = TD_NET_POOL, .number = (n), .in = (from), .out = (to), \
		.in_side = (side), .in_all = (channels), .out_side = ((side)-3) / 2 + 1, \
		.out_all = (channels), .out_channels = (channels), .window = 3, .stride = 2 \
	}

static const struct td_net_layer layers[] = {
	{.kernel = "conv1",
	 .kind = TD_NET_CONV,
	 .number = 0,
	 .in = R,
	 .apart = true,
	 .out = CONV1,
	 .weights = W1,
	 .bias = W1 + 1,
	 .in_side = 227,
	 .in_all = 1,
	 .in_channels = 3,
	 .out_side = 111,
	 .out_all = 96,
	 .out_channels = 96,
	 .window = 7,
	 .stride = 2},
	POOL("pool1", 1, CONV1, POOL1, 111, 96),
	FIRE("fire2", 2, POOL1, 96, S2, 16, F2, 64, W2, 55),
	FIRE("fire3", 5, F2, 128, S3, 16, F3, 64, W3, 55),
	FIRE("fire4", 8, F3, 128, S4, 32, F4, 128, W4, 55),
	POOL("pool4", 11, F4, POOL4, 55, 256),
	FIRE("fire5", 12, POOL4, 256, S5, 32, F5, 128, W5, 27),
	FIRE("fire6", 15, F5, 256, S6, 48, F6, 192, W6, 27),
	FIRE("fire7", 18, F6, 384, S7, 48, F7, 192, W7, 27),
	FIRE("fire8", 21, F7, 384, S8, 64, F8, 256, W8, 27),
	POOL("pool8", 24, F8, POOL8, 27, 512),
	FIRE("fire9", 25, POOL8, 512, S9, 64, F9, 256, W9, 13),
	CONV("conv10", 28, F9, 512, CONV10, 1000, 0, 1000, W10, 13, 1, 1),
	{.kernel = "average",
	 .kind = TD_NET_AVERAGE,
	 .number = 29,
	 .in = CONV10,
	 .out = OUT,
	 .in_side = 15,
	 .in_all = 1000,
	 .out_side = 1,
	 .out_all = 1000,
	 .out_channels = 1000},
};

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	struct td_net *net = (struct td_net *)app;
	int rc = td_gpu_size(app, &net->images, IMAGES, v[TD_GPU_SCALE].r, 1, 1, err);

	net->layer = layers;
	net->layers = sizeof layers / sizeof *layers;
	net->by_rows = true;
	if (!rc)
		rc = td_net_setup(net, arrays, err);
	return rc;
}

const struct td_gpu_workload td_workload_app_sn = {
	.head =
		{
			.name = "sn",
			.paper = "ObservUVM",
			.type = "LRU",
			.summary = "SqueezeNet, a batch of images",
			.published_bytes = UINT64_C(198) * (UINT64_C(1) << 30) / 10,
			.footprint_bytes = UINT64_C(324539) * 65536,
			.accesses = 732905,
			.arrays = 77,
			.params = td_gpu_params_wave,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_observuvm,
	.app_bytes = sizeof(struct td_net),
	.setup = setup,
};
