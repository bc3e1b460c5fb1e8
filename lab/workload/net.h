/* Layers of neural networks, for a batch of images: a launch per layer, or per part of one, and a
 * block per image and channel of the output. Images come one after another: all channels of the
 * first, then all of the next. A block goes through the input that its output needs,
 *
 *     sum = bias[channel]
 *     for each channel of the input, row and column of the window:
 *             sum += input[..] * weights[..]
 *     output[..] = sum
 *
 * all threads in step. */
#ifndef TD_WORKLOAD_NET_H
#define TD_WORKLOAD_NET_H

#include "gpu.h"

enum td_net_kind {
	TD_NET_CONV,
	TD_NET_NORM,    /* the same pixel of channels around the block's own */
	TD_NET_POOL,    /* a window of the block's own channel */
	TD_NET_AVERAGE, /* of all pixels; a block per image, a thread per channel */
};

enum { TD_NET_NORM_CHANNELS = 5 };

/* Instructions of layer i are 3 i (reads input), 3 i + 1 (bias, weights), 3 i + 2 (writes). */
struct td_net_layer {
	const char *kernel;
	enum td_net_kind kind;
	unsigned number;                 /* parts of a layer have its number */
	unsigned in, out, weights, bias; /* arrays */
	bool apart;                      /* channels of the input are arrays, from in on */
	int64_t in_side, in_all;         /* pixels of a row; channels of an image */
	int64_t in_first, in_channels;   /* a group's */
	int64_t out_side, out_all, out_first, out_channels;
	int64_t weights_first; /* channel of weights and bias that block 0 has */
	int64_t window, stride, pad;
	int64_t x0, y0, wide, high; /* a part's pixels; wide 0: all */
};

struct td_net_array {
	const char *name;
	uint64_t per_image; /* numbers; 0: it is of the weights, shared by all images */
	uint64_t shared;
	unsigned bytes; /* of a number */
};

struct td_net {
	struct td_gpu_app app;
	const struct td_net_layer *layer;
	unsigned layers;
	const struct td_net_array *array;
	/* Threads are rows and take the columns in turn, not a thread a pixel. */
	bool by_rows;
	int64_t images;
};

/* Its arrays and launches. layer, layers, by_rows and images are set; `array` ends with a row
 * whose name is NULL. */
int td_net_setup(struct td_net *net, const struct td_net_array *array, struct tide_error *err);

#endif
