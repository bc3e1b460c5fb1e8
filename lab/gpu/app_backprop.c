#include "app_backprop.h"

#include "plan.h"

static void fill_unit(const struct td_app_shape *s, unsigned array, uint64_t first, uint64_t n,
		      void *to)
{
	float *value = to;

	for (uint64_t i = 0; i < n; i++)
		value[i] = td_app_draw_unit(s, array, first + i) - .5f;
}

static void fill_input(const struct td_app_shape *s, uint64_t first, uint64_t n, void *to)
{
	fill_unit(s, TD_BACKPROP_INPUT, first, n, to);
}

static void fill_weights(const struct td_app_shape *s, uint64_t first, uint64_t n, void *to)
{
	fill_unit(s, TD_BACKPROP_W, first, n, to);
}

static int size(struct td_app_shape *s, struct tide_error *err)
{
	uint64_t in = td_app_round(td_app_bytes(s) / 136,
				   TD_BACKPROP_INPUTS * (uint64_t)TD_BACKPROP_TURN);
	uint64_t weights = (in + 1) * TD_BACKPROP_ROW;

	(void)err;
	td_app_size(s, TD_BACKPROP_IN, "in", in);
	td_app_add(s, "input", in + 1, 4, 0, fill_input);
	td_app_add(s, "w", weights, 4, TD_APP_WRITTEN | TD_APP_RESULT | TD_APP_READ_BACK,
		   fill_weights);
	td_app_add(s, "partial", in, 4, TD_APP_RESULT | TD_APP_WRITTEN, NULL);
	td_app_add(s, "oldw", weights, 4, TD_APP_WRITTEN, NULL);
	return 0;
}

/* input and weight are those of the block's first row. */
static void forward(const float *input, float *weight, float *partial)
{
	for (unsigned j = 0; j < TD_BACKPROP_UNITS; j++) {
		float sum = 0;
		for (unsigned i = 0; i < TD_BACKPROP_INPUTS; i++) {
			float *w = &weight[i * TD_BACKPROP_ROW + j + 1];
			sum += input[i] * *w;
			*w = td_backprop_decay(*w);
		}
		partial[j] = sum;
	}
}

static void adjust(unsigned epoch, const float *input, float *weight, float *old)
{
	for (unsigned i = 0; i < TD_BACKPROP_BLOCK; i++) {
		unsigned column = i % TD_BACKPROP_ROW;
		float change = td_backprop_change(td_backprop_delta(epoch, column),
						  input[i / TD_BACKPROP_ROW], old[i]);
		if (column) {
			weight[i] += change;
			old[i] = change;
		}
	}
}

static int reference(const struct td_app_shape *s, void *const *array, struct tide_error *err)
{
	const float *input = (const float *)array[TD_BACKPROP_INPUT] + 1;
	float *w = (float *)array[TD_BACKPROP_W] + TD_BACKPROP_ROW;
	float *old = (float *)array[TD_BACKPROP_OLD_W] + TD_BACKPROP_ROW;
	float *partial = array[TD_BACKPROP_PARTIAL];
	uint64_t blocks = s->size[TD_BACKPROP_IN] / TD_BACKPROP_INPUTS;

	(void)err;
	for (unsigned e = 0; e < s->iterations; e++) {
		for (uint64_t b = 0; b < blocks; b++)
			forward(&input[b * TD_BACKPROP_INPUTS], &w[b * TD_BACKPROP_BLOCK],
				&partial[b * TD_BACKPROP_UNITS]);
		for (uint64_t b = 0; b < blocks; b++)
			adjust(e, &input[b * TD_BACKPROP_INPUTS], &w[b * TD_BACKPROP_BLOCK],
			       &old[b * TD_BACKPROP_BLOCK]);
	}
	return 0;
}

const struct td_app_plan td_app_plan_backprop = {
	.name = "backprop",
	.summary = "backprop, ten epochs and a read-back",
	.iterations = 10,
	.size = size,
	.reference = reference,
};
