/* What the rest of this folder is written in: lanes that work together, atomic words, copies, time.
 *
 * On the GPU the lanes are those of a whole warp, or one lane alone. A function "for all lanes" is
 * called by all of them together with the same arguments, and rank 0 does what must be done once.
 * In C, a thread is a warp of one lane. A test that explores interleavings defines
 * TD_DEV_HOOK(address) and TD_DEV_PAUSE() before it includes this. */
#ifndef TIDE_DEVICE_LANES_H
#define TIDE_DEVICE_LANES_H

#include <string.h>

#ifdef __CUDACC__
#include "lanes_gpu.h"
#else
#include "lanes_host.h"
#endif

/* ---- made of these ---- */

TD_DEV uint32_t td_dev_share32(struct td_dev_lanes g, uint32_t value)
{
	return td_dev_of32(g, value, 0);
}

TD_DEV uint64_t td_dev_share64(struct td_dev_lanes g, uint64_t value)
{
	return td_dev_of64(g, value, 0);
}

#endif
