/* A warp takes 64 blocks of 272 weights at once, about a page. A block may lie across the end of a
 * page; its weights are then read in two runs. */
#include "access.cuh"
#include "app_backprop.h"

/* Input of the block's row `row`: lane i has that of row i. */
template <class Cursor>
static __device__ __forceinline__ float read_inputs(Cursor &inputs, uint64_t block)
{
	return inputs.get(block * TD_BACKPROP_INPUTS + 1 + td_lane(),
			  td_lane() < TD_BACKPROP_INPUTS);
}

/* All weights of a turn, or what goes with them: more than a page, less than two. */
template <class Access>
static __device__ __forceinline__ void wish_weights(typename Access::wishes &wishes,
						    const typename Access::span &a, uint64_t turn,
						    uint64_t blocks)
{
	uint64_t end = td_least(turn + TD_BACKPROP_TURN, blocks);
	uint64_t first = turn * TD_BACKPROP_BLOCK + TD_BACKPROP_ROW;
	uint64_t last = end * TD_BACKPROP_BLOCK + TD_BACKPROP_ROW - 1;

	wishes.template add<float>(a, first);
	wishes.template add<float>(a, first + (last - first) / 2);
	wishes.template add<float>(a, last);
}

/* The block's weights, into shared memory, and decayed where they lie. */
template <class Cursor>
static __device__ __forceinline__ void take_weights(Cursor &weights, uint64_t at, float *shared)
{
	for (uint64_t done = 0; done < TD_BACKPROP_BLOCK;) {
		float *w = weights.write(at + done);
		uint64_t n = td_least(weights.left(at + done), TD_BACKPROP_BLOCK - done);
		for (uint64_t i = td_lane(); i < n; i += 32) {
			float weight = w[i];
			shared[done + i] = weight;
			if ((done + i) % TD_BACKPROP_ROW)
				w[i] = td_backprop_decay(weight);
		}
		done += n;
	}
	__syncwarp();
}

/* What unit `lane` gets from the block's inputs. */
static __device__ __forceinline__ float add_up(const float *shared, float input)
{
	unsigned unit = td_lane() % TD_BACKPROP_UNITS;
	float sum = 0;

#pragma unroll
	for (unsigned i = 0; i < TD_BACKPROP_INPUTS; i++) {
		float one = __shfl_sync(TD_FULL, input, (int)i);
		sum += one * shared[i * TD_BACKPROP_ROW + unit + 1];
	}
	__syncwarp();
	return sum;
}

template <class Access>
static __global__ void forward(typename Access::span input, typename Access::span weight,
			       typename Access::span partial, uint64_t blocks)
{
	__shared__ float shared[TD_BACKPROP_BLOCK];
	typename Access::template cursor<float> inputs(input), weights(weight), sums(partial);

	for (uint64_t turn = td_warp() * TD_BACKPROP_TURN; turn < blocks;
	     turn += td_warps() * TD_BACKPROP_TURN) {
		typename Access::wishes wishes;
		wishes.template add<float>(input, turn * TD_BACKPROP_INPUTS + 1);
		wish_weights<Access>(wishes, weight, turn, blocks);
		wishes.template add<float>(partial, turn * TD_BACKPROP_UNITS);
		wishes.bring();
		for (uint64_t b = turn; b < td_least(turn + TD_BACKPROP_TURN, blocks); b++) {
			float in = read_inputs(inputs, b);
			take_weights(weights, b * TD_BACKPROP_BLOCK + TD_BACKPROP_ROW, shared);
			float sum = add_up(shared, in);
			float *to = sums.write(b * TD_BACKPROP_UNITS);
			if (td_lane() < TD_BACKPROP_UNITS)
				to[td_lane()] = sum;
		}
	}
}

/* The block's weights and what changed them last; in: the inputs, one in each of 16 lanes. */
template <class Cursor>
static __device__ __forceinline__ void adjust_block(Cursor &weights, Cursor &olds, uint64_t at,
						    float in, unsigned epoch)
{
	for (uint64_t done = 0; done < TD_BACKPROP_BLOCK;) {
		float *w = weights.write(at + done), *old = olds.write(at + done);
		unsigned n = (unsigned)td_least(weights.left(at + done), TD_BACKPROP_BLOCK - done);
		for (unsigned k = 0; k < n; k += 32) { /* converged, since inputs are passed on */
			unsigned i = k + td_lane(), place = (unsigned)done + i;
			unsigned row = place / TD_BACKPROP_ROW, column = place % TD_BACKPROP_ROW;
			float one = __shfl_sync(TD_FULL, in, (int)row % TD_BACKPROP_INPUTS);
			if (i >= n || column == 0)
				continue;
			float change =
				td_backprop_change(td_backprop_delta(epoch, column), one, old[i]);
			w[i] += change;
			old[i] = change;
		}
		done += n;
	}
}

template <class Access>
static __global__ void adjust(typename Access::span input, typename Access::span weight,
			      typename Access::span old, uint64_t blocks, unsigned epoch)
{
	typename Access::template cursor<float> inputs(input), weights(weight), olds(old);

	for (uint64_t turn = td_warp() * TD_BACKPROP_TURN; turn < blocks;
	     turn += td_warps() * TD_BACKPROP_TURN) {
		typename Access::wishes wishes;
		wishes.template add<float>(input, turn * TD_BACKPROP_INPUTS + 1);
		wish_weights<Access>(wishes, weight, turn, blocks);
		wish_weights<Access>(wishes, old, turn, blocks);
		wishes.bring();
		for (uint64_t b = turn; b < td_least(turn + TD_BACKPROP_TURN, blocks); b++) {
			float in = read_inputs(inputs, b);
			adjust_block(weights, olds, b * TD_BACKPROP_BLOCK + TD_BACKPROP_ROW, in,
				     epoch);
		}
	}
}

template <class Access> static int run(struct td_app_run *r, struct tide_error *err)
{
	enum { PINS = 3 };
	uint64_t blocks = r->shape->size[TD_BACKPROP_IN] / TD_BACKPROP_INPUTS;
	uint64_t warps = td_app_warps(r, PINS, blocks / TD_BACKPROP_TURN, 1);
	typename Access::span input = Access::array(r, TD_BACKPROP_INPUT);
	typename Access::span weight = Access::array(r, TD_BACKPROP_W);
	int rc = 0;

	for (unsigned e = 0; e < r->shape->iterations && !rc; e++) {
		rc = td_app_launch(r, err, warps, 1, PINS, forward<Access>, input, weight,
				   Access::array(r, TD_BACKPROP_PARTIAL), blocks);
		if (!rc)
			rc = td_app_launch(r, err, warps, 1, PINS, adjust<Access>, input, weight,
					   Access::array(r, TD_BACKPROP_OLD_W), blocks, e);
	}
	return rc;
}

const struct td_gpu_kernels td_gpu_kernels_backprop = {&td_app_plan_backprop, run<td_paged>,
						       run<td_plain>};
