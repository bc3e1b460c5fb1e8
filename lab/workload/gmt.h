/* Sizes of GMT's applications that are no graphs: the data is W = OSF * (T1 + T2), where the host
 * memory T2 is four times the near memory T1. The paper says OSF = 2; the authors' programs, where
 * they are public, have sizes of their own for a T1 of 16 GiB, which are the defaults here. */
#ifndef TD_WORKLOAD_GMT_H
#define TD_WORKLOAD_GMT_H

#include <errno.h>

#include "gpu.h"

#define TD_GMT_PAGE_BYTES 65536
#define TD_GMT_MOST_BYTES 0x1p42 /* blocks, for one, are to be numbered with 32 bits */

/* Rows that begin the table of each, of which t1 and osf have defaults of the application's own. */
enum { TD_GMT_T1, TD_GMT_OSF, TD_GMT_SCALE, TD_GMT_MODE, TD_GMT_JITTER, TD_GMT_OWN };
#define TD_GMT_PARAM_T1(pages) \
	{ \
		"t1", TIDE_PARAM_INT, pages, 1, 0x1p32, "pages of 64 KiB that the near memory has" \
	}
#define TD_GMT_PARAM_OSF(osf) \
	{ \
		"osf", TIDE_PARAM_REAL, osf, .01, 1e6, \
			"data for each byte of near and host memory, which are 5 * t1 pages" \
	}
#define TD_GMT_PARAMS(t1, osf) \
	TD_GMT_PARAM_T1(t1), TD_GMT_PARAM_OSF(osf), TD_GPU_PARAM_SCALE, TD_GPU_PARAM_MODE, \
		TD_GPU_PARAM_JITTER

static inline double td_gmt_bytes(const union tide_value *v)
{
	return v[TD_GMT_OSF].r * 5 * (double)v[TD_GMT_T1].i * TD_GMT_PAGE_BYTES * v[TD_GMT_SCALE].r;
}

/* W / unit_bytes, to the nearest multiple of step, but at least one step. */
static inline int64_t td_gmt_count(const union tide_value *v, double unit_bytes, int64_t step)
{
	return td_gpu_scaled(1, td_gmt_bytes(v) / unit_bytes, 1, step, step);
}

/* The side of a square of that many. */
static inline int64_t td_gmt_side(const union tide_value *v, double unit_bytes, int64_t step)
{
	return td_gpu_scaled(1, td_gmt_bytes(v) / unit_bytes, 2, step, step);
}

/* What all setups end with: a size that can be. */
static inline int td_gmt_check(struct td_gpu_app *app, const union tide_value *v,
			       struct tide_error *err)
{
	if (td_gmt_bytes(v) > TD_GMT_MOST_BYTES)
		return tide_fail(err, -EINVAL,
				 "workload %s: %.3g bytes of data are more than 4 TiB: give a "
				 "smaller t1, osf or scale",
				 app->name, td_gmt_bytes(v));
	return 0;
}

#endif
