/* LavaMD: forces on 100 particles in each of n * n * n boxes, from those of its own box and of the
 * up to 26 boxes around it, which its descriptor lists. */
#ifndef TD_GPU_APPS_LAVAMD_H
#define TD_GPU_APPS_LAVAMD_H

#include <math.h>

#include "tide/event.h"

enum { TD_LAVAMD_BOX, TD_LAVAMD_RV, TD_LAVAMD_QV, TD_LAVAMD_FV }; /* arrays */
enum { TD_LAVAMD_N };                                             /* sizes */
enum { TD_LAVAMD_PARTICLES = 100, TD_LAVAMD_AROUND = 26 };

/* A descriptor in words of 4 bytes: x, y, z, number, the first particle's number (two words), how
 * many boxes are around it, one word unused; then for each of these six words of the same. */
enum {
	TD_LAVAMD_BOX_WORDS = 164,
	TD_LAVAMD_COUNT_AT = 6,
	TD_LAVAMD_LIST_AT = 8,
	TD_LAVAMD_ENTRY_WORDS = 6,
	TD_LAVAMD_NUMBER_AT = 3, /* in an entry, and in the box's own */
};

/* rv: where a particle is (v belongs to the potential); fv: the force on it. */
struct td_lavamd_four {
	double v, x, y, z;
};

/* e^x for small x to ten digits: the eighth power of its series at x / 8. */
TIDE_DEVICE static inline double td_lavamd_exp(double x)
{
	double t = x * .125, y = 1. / 5040;

	y = fma(y, t, 1. / 720);
	y = fma(y, t, 1. / 120);
	y = fma(y, t, 1. / 24);
	y = fma(y, t, 1. / 6);
	y = fma(y, t, .5);
	y = fma(y, t, 1.);
	y = fma(y, t, 1.);
	y *= y;
	y *= y;
	return y * y;
}

/* Adds the force of particle b with charge q on a. */
TIDE_DEVICE static inline void td_lavamd_force(struct td_lavamd_four *f, struct td_lavamd_four a,
					       struct td_lavamd_four b, double q)
{
	double dot = fma(a.z, b.z, fma(a.y, b.y, a.x * b.x));
	double potential = td_lavamd_exp((dot - a.v - b.v) * .5);
	double pull = 2 * (q * potential);

	f->v = fma(q, potential, f->v);
	f->x = fma(pull, a.x - b.x, f->x);
	f->y = fma(pull, a.y - b.y, f->y);
	f->z = fma(pull, a.z - b.z, f->z);
}

#endif
