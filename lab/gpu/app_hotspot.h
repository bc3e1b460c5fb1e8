/* HotSpot: one time step per launch for the temperature of a plate of n * n cells, each of which is
 * heated, is next to four others, and gives heat off to the air. At the rim a cell is next to
 * itself. */
#ifndef TD_GPU_APPS_HOTSPOT_H
#define TD_GPU_APPS_HOTSPOT_H

#include "tide/event.h"

enum { TD_HOTSPOT_POWER, TD_HOTSPOT_TEMP0, TD_HOTSPOT_TEMP1 }; /* arrays */
enum { TD_HOTSPOT_N };                                         /* sizes */
enum { TD_HOTSPOT_STEP = 128 };                                /* n is a multiple of it */

TIDE_DEVICE static inline float td_hotspot(float power, float at, float north, float south,
					   float west, float east)
{
	const float sideways = .1f, off = .0001f, air = 353, step = .5f;
	float across = (north + south - 2 * at) * sideways + (west + east - 2 * at) * sideways;

	return at + step * (power + across + (air - at) * off);
}

#endif
