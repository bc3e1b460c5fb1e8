/* A warp owns consecutive pages, of which it finishes one before it turns to the next. */
#include "access.cuh"
#include "app_multivectoradd.h"

enum { TURNS = 4 }; /* loads that a lane has under way, of each array */

/* Sixteen bytes a lane. n is a multiple of 256: pages and the vectors are. */
static __device__ __forceinline__ void add_page(const uint64_t *a, uint64_t *c, uint64_t n)
{
	const ulonglong2 *x = (const ulonglong2 *)a;
	ulonglong2 *y = (ulonglong2 *)c;

	for (uint64_t i = td_lane(); i < n / 2; i += 32 * TURNS) {
		ulonglong2 sum[TURNS], more[TURNS];
#pragma unroll
		for (unsigned k = 0; k < TURNS; k++) {
			sum[k] = y[i + 32 * k];
			more[k] = x[i + 32 * k];
		}
#pragma unroll
		for (unsigned k = 0; k < TURNS; k++)
			y[i + 32 * k] = make_ulonglong2(sum[k].x + more[k].x, sum[k].y + more[k].y);
	}
}

template <class Access>
static __global__ void add(typename Access::span a, typename Access::span c, uint64_t elements,
			   uint64_t warp_pages)
{
	typename Access::template cursor<uint64_t> from(a), to(c);
	uint64_t page = from.per_page(), at = td_warp() * warp_pages * page;
	uint64_t end = td_least(at + warp_pages * page, elements);

	for (; at < end; at += page) {
		typename Access::wishes wishes;
		wishes.template add<uint64_t>(a, at);
		wishes.template add<uint64_t>(c, at);
		wishes.bring();
		const uint64_t *x = from.read(at);
		add_page(x, to.write(at), td_least(page, end - at));
	}
}

template <class Access> static int run(struct td_app_run *r, struct tide_error *err)
{
	enum { PINS = 2 };
	uint64_t elements = r->shape->size[TD_MVA_ELEMENTS];
	uint64_t page = r->shape->page_bytes / 8, pages = (elements + page - 1) / page;
	uint64_t warps = td_app_warps(r, PINS, pages, 1), each = (pages + warps - 1) / warps;
	int rc = 0;

	for (unsigned p = 0; p < TD_MVA_INPUTS && !rc; p++)
		rc = td_app_launch(r, err, warps, 1, PINS, add<Access>, Access::array(r, p),
				   Access::array(r, TD_MVA_C), elements, each);
	return rc;
}

const struct td_gpu_kernels td_gpu_kernels_multivectoradd = {&td_app_plan_multivectoradd,
							     run<td_paged>, run<td_plain>};
