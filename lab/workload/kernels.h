/* Launches that applications of two papers share: CPPE's at their own sizes, GMT's at larger ones.
 * Each is in the file of CPPE's application (app_hot.c, app_pat.c, app_bkp.c). Arrays are given by
 * their numbers (td_gpu_add), sizes in elements of `bytes` bytes; a launch keeps what it needs in
 * its arg. The caller's launch() gives them out in turn, with buffers swapped as it likes:
 *
 *     *out = td_gpu_hotspot(n, 4, 1, POWER, i % 2 ? T1 : T0, i % 2 ? T0 : T1);
 *     return i < 5;
 */
#ifndef TD_WORKLOAD_KERNELS_H
#define TD_WORKLOAD_KERNELS_H

#include "gpu.h"

/* HotSpot on a plate of n * n cells (n up to 2^31): `steps` (1 .. 7) time steps in one launch.
 * Blocks of 16 * 16 threads overlap by `steps` cells on each side. pc 0 reads from, 1 reads power,
 * 2 writes to. */
struct td_gpu_launch td_gpu_hotspot(int64_t n, int64_t bytes, int64_t steps, unsigned power,
				    unsigned from, unsigned to);

/* Pathfinder: `steps` rows of wall, from row `first` on, over `cols` columns. Blocks of `threads`
 * overlap by `pyramid` (steps <= pyramid < threads / 2) columns on each side; the last launch may
 * have fewer steps than the others. pc 0 reads from, 1 reads wall (rows of cols), 2 writes to. */
struct td_gpu_wall {
	int64_t cols, bytes, pyramid;
	uint32_t threads;
	unsigned array;
};
struct td_gpu_launch td_gpu_pathfinder(const struct td_gpu_wall *wall, int64_t first, int64_t steps,
				       unsigned from, unsigned to);

/* Backprop with `in` inputs (a multiple of 16) and 16 hidden units: the forward pass. Arrays: input
 * of in + 1, weights of (in + 1) * 17, partial of in. pc 0 reads input, 1 reads and 2 writes
 * weights, 3 writes partial. */
struct td_gpu_launch td_gpu_backprop_forward(int64_t in, int64_t bytes, unsigned input,
					     unsigned weights, unsigned partial);
/* The weights' adjustment. delta of 17; old weights as the weights. pc 4 reads delta, 5 input, 6
 * old weights, 7 reads and 8 writes weights, 9 writes old weights. */
struct td_gpu_launch td_gpu_backprop_adjust(int64_t in, int64_t bytes, unsigned input,
					    unsigned weights, unsigned delta, unsigned old_weights);

#endif
