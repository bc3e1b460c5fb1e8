/* SRAD: takes speckles from an image of n * n pixels. One iteration is two launches: from the
 * differences to the four neighbours comes how well each pixel conducts, then pixels flow. At the
 * rim a pixel is next to itself. */
#ifndef TD_GPU_APPS_SRAD_H
#define TD_GPU_APPS_SRAD_H

#include "tide/event.h"

/* Arrays: image, conduction, differences to the east, west, south, north. */
enum { TD_SRAD_J, TD_SRAD_C, TD_SRAD_E, TD_SRAD_W, TD_SRAD_S, TD_SRAD_N };
enum { TD_SRAD_SIDE };       /* sizes */
enum { TD_SRAD_STEP = 128 }; /* the side is a multiple of it */

/* The square of the speckles' scale falls from one iteration to the next. */
TIDE_DEVICE static inline float td_srad_speckle(unsigned iteration)
{
	float q = .05f;

	for (unsigned i = 0; i < iteration; i++)
		q *= .9f;
	return q;
}

TIDE_DEVICE static inline float td_srad_conduct(float at, float north, float south, float west,
						float east, float speckle)
{
	float squares = north * north + south * south + west * west + east * east;
	float gradient = squares / (at * at), laplace = (north + south + west + east) / at;
	float up = .5f * gradient - .0625f * (laplace * laplace), low = 1 + .25f * laplace;
	float q = up / (low * low);
	float c = 1 / (1 + (q - speckle) / (speckle * (1 + speckle)));

	return c < 0 ? 0 : c > 1 ? 1 : c;
}

TIDE_DEVICE static inline float td_srad_flow(float at, float c, float c_south, float c_east,
					     float north, float south, float west, float east)
{
	float sum = c * north + c_south * south + c * west + c_east * east;

	return at + .125f * sum;
}

#endif
