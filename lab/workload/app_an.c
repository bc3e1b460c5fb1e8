/* AlexNet, inference of a batch, up to its fourth convolution. */
#include "net.h"

enum { IN, N1, P1, L2, N2, P2, L3, L4, L5, W1, W2, W3, W4, B1, B2, B3, B4 };
enum { IMAGES = 2047 };

static const struct td_net_array arrays[] = {
	{"in", 3 * 227 * 227, 0, 4},
	{"n1", 96 * 55 * 55, 0, 4},
	{"p1", 96 * 55 * 55, 0, 4},
	{"L2", 96 * 27 * 27, 0, 4},
	{"n2", 256 * 27 * 27, 0, 4},
	{"p2", 256 * 27 * 27, 0, 4},
	{"L3", 256 * 13 * 13, 0, 4},
	{"L4", 384 * 13 * 13, 0, 4},
	{"L5", 384 * 13 * 13, 0, 4},
	{"conv1", 0, 96 * 3 * 11 * 11, 4},
	{"conv2", 0, 256 * 48 * 5 * 5, 4},
	{"conv3", 0, 384 * 256 * 3 * 3, 4},
	{"conv4", 0, 384 * 192 * 3 * 3, 4},
	{"bias1", 0, 96, 4},
	{"bias2", 0, 256, 4},
	{"bias3", 0, 384, 4},
	{"bias4", 0, 384, 4},
	{0},
};

/* 55 * 55 pixels are too many for a block: four launches have 32 or 23 in either direction. */
#define PART(x, y, w, h) .x0 = (x), .y0 = (y), .wide = (w), .high = (h)
#define CONV1(x, y, w, h) \
	{ \
		.kernel = "conv1", .kind = TD_NET_CONV, .number = 0, .in = IN, .out = N1, \
		.weights = W1, .bias = B1, .in_side = 227, .in_all = 3, .in_channels = 3, \
		.out_side = 55, .out_all = 96, .out_channels = 96, .window = 11, .stride = 4, \
		PART(x, y, w, h) \
	}
#define NORM1(x, y, w, h) \
	{ \
		.kernel = "norm1", .kind = TD_NET_NORM, .number = 1, .in = N1, .out = P1, \
		.in_side = 55, .in_all = 96, .out_side = 55, .out_all = 96, .out_channels = 96, \
		.window = 1, .stride = 1, PART(x, y, w, h) \
	}
#define POOL(pooling, n, from, to, side, channels, pooled) \
	{ \
		.kernel = (pooling), .kind = TD_NET_POOL, .number = (n), .in = (from), \
		.out = (to), .in_side = (side), .in_all = (channels), .out_side = (pooled), \
		.out_all = (channels), .out_channels = (channels), .window = 3, .stride = 2 \
	}
/* Half of the output's channels from half of the input's. */
#define CONV2(group) \
	{ \
		.kernel = "conv2", .kind = TD_NET_CONV, .number = 3, .in = L2, .out = N2, \
		.weights = W2, .bias = B2, .in_side = 27, .in_all = 96, .in_first = 48 * (group), \
		.in_channels = 48, .out_side = 27, .out_all = 256, .out_first = 128 * (group), \
		.out_channels = 128, .weights_first = 128 * (group), .window = 5, .stride = 1, \
		.pad = 2 \
	}
#define CONV4(group) \
	{ \
		.kernel = "conv4", .kind = TD_NET_CONV, .number = 7, .in = L4, .out = L5, \
		.weights = W4, .bias = B4, .in_side = 13, .in_all = 384, \
		.in_first = 192 * (group), .in_channels = 192, .out_side = 13, .out_all = 384, \
		.out_first = 192 * (group), .out_channels = 192, .weights_first = 192 * (group), \
		.window = 3, .stride = 1, .pad = 1 \
	}

static const struct td_net_layer layers[] = {
	CONV1(0, 0, 32, 32),
	CONV1(32, 0, 23, 32),
	CONV1(0, 32, 32, 23),
	CONV1(32, 32, 23, 23),
	NORM1(0, 0, 32, 32),
	NORM1(32, 0, 23, 32),
	NORM1(0, 32, 32, 23),
	NORM1(32, 32, 23, 23),
	POOL("pool1", 2, P1, L2, 55, 96, 27),
	CONV2(0),
	CONV2(1),
	{.kernel = "norm2",
	 .kind = TD_NET_NORM,
	 .number = 4,
	 .in = N2,
	 .out = P2,
	 .in_side = 27,
	 .in_all = 256,
	 .out_side = 27,
	 .out_all = 256,
	 .out_channels = 256,
	 .window = 1,
	 .stride = 1},
	POOL("pool2", 5, P2, L3, 27, 256, 13),
	{.kernel = "conv3",
	 .kind = TD_NET_CONV,
	 .number = 6,
	 .in = L3,
	 .out = L4,
	 .weights = W3,
	 .bias = B3,
	 .in_side = 13,
	 .in_all = 256,
	 .in_channels = 256,
	 .out_side = 13,
	 .out_all = 384,
	 .out_channels = 384,
	 .window = 3,
	 .stride = 1,
	 .pad = 1},
	CONV4(0),
	CONV4(1),
};

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	struct td_net *net = (struct td_net *)app;
	int rc = td_gpu_size(app, &net->images, IMAGES, v[TD_GPU_SCALE].r, 1, 1, err);

	net->layer = layers;
	net->layers = sizeof layers / sizeof *layers;
	if (!rc)
		rc = td_net_setup(net, arrays, err);
	return rc;
}

const struct td_gpu_workload td_workload_app_an = {
	.head =
		{
			.name = "an",
			.paper = "ObservUVM",
			.type = "LRU",
			.summary = "AlexNet, a batch of images",
			.published_bytes = UINT64_C(1031) * (UINT64_C(1) << 30) / 100,
			.footprint_bytes = UINT64_C(169003) * 65536,
			.accesses = 940918,
			.arrays = 17,
			.params = td_gpu_params_wave,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_observuvm,
	.app_bytes = sizeof(struct td_net),
	.setup = setup,
};
