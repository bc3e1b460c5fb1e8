/* Backprop of many inputs and 16 hidden units. An epoch is two launches: forward, in which every 16
 * inputs give a part of what each unit gets and the weights decay a little, and the adjustment of
 * the weights. The errors of the units are given for each epoch.
 *
 *     weights, rows of 17:   row 0 and column 0 are not used
 *     input i, unit j        weight[17 * (i + 1) + j + 1], input[i + 1], delta[j + 1]
 *
 * A block is 16 inputs: 272 weights one after another. */
#ifndef TD_GPU_APPS_BACKPROP_H
#define TD_GPU_APPS_BACKPROP_H

#include "tide/event.h"

enum { TD_BACKPROP_INPUT, TD_BACKPROP_W, TD_BACKPROP_PARTIAL, TD_BACKPROP_OLD_W }; /* arrays */
enum { TD_BACKPROP_IN };                                                           /* sizes */
enum { TD_BACKPROP_UNITS = 16, TD_BACKPROP_ROW = TD_BACKPROP_UNITS + 1 };
enum { TD_BACKPROP_INPUTS = 16, TD_BACKPROP_BLOCK = TD_BACKPROP_INPUTS * TD_BACKPROP_ROW };
enum { TD_BACKPROP_TURN = 64 }; /* blocks that a warp takes at once: about a page of weights */

TIDE_DEVICE static inline float td_backprop_delta(unsigned epoch, unsigned column)
{
	return (float)((epoch * 7 + column * 5) % 17) * .0625f - .5f;
}

TIDE_DEVICE static inline float td_backprop_decay(float weight)
{
	return weight * .9990234375f;
}

/* What is added to a weight, and remembered. */
TIDE_DEVICE static inline float td_backprop_change(float delta, float input, float old_change)
{
	return .3f * delta * input + .3f * old_change;
}

#endif
