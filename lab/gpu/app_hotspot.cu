#include "app_hotspot.h"
#include "stencil.cuh"

static_assert((int)TD_HOTSPOT_STEP == (int)TD_STEP, "rows are whole steps");

template <class Access>
static __global__ void heat(typename Access::span power, typename Access::span from,
			    typename Access::span to, uint64_t n)
{
	typename Access::template cursor<float> heats(power), here(from), above(from), below(from),
		next(to);
	uint64_t page = next.per_page(), cells = n * n;

	for (uint64_t b = td_warp() * page; b < cells; b += td_warps() * page) {
		uint64_t e = td_least(b + page, cells), x = b % n;
		typename Access::wishes wishes;
		td_wish_rows<Access>(wishes, from, b, e, n, cells);
		wishes.template add<float>(power, b);
		wishes.template add<float>(to, b);
		wishes.bring();
		float rim = td_rim<Access>(from, b, e, cells);
		for (uint64_t i = b; i < e; i += TD_STEP) {
			const float *at = here.read(i);
			float4 c = td_cells(at);
			td_beside s = td_look_beside(at, c, rim, i, b, e, x, n);
			float4 north = i < n ? c : td_cells(above.read(i - n));
			float4 south = i + n >= cells ? c : td_cells(below.read(i + n));
			float4 p = td_cells(heats.read(i));
			float4 out = {td_hotspot(p.x, c.x, north.x, south.x, s.west.x, s.east.x),
				      td_hotspot(p.y, c.y, north.y, south.y, s.west.y, s.east.y),
				      td_hotspot(p.z, c.z, north.z, south.z, s.west.z, s.east.z),
				      td_hotspot(p.w, c.w, north.w, south.w, s.west.w, s.east.w)};
			td_put_cells(next.write(i), out);
			x = x + TD_STEP == n ? 0 : x + TD_STEP;
		}
	}
}

template <class Access> static int run(struct td_app_run *r, struct tide_error *err)
{
	enum { PINS = 6 };
	uint64_t n = r->shape->size[TD_HOTSPOT_N], page = r->shape->page_bytes / 4;
	uint64_t warps = td_app_warps(r, PINS, (n * n + page - 1) / page, 1);
	int rc = 0;

	for (uint64_t i = 0; i < r->shape->iterations && !rc; i++) {
		unsigned from = i % 2 ? TD_HOTSPOT_TEMP1 : TD_HOTSPOT_TEMP0;
		unsigned to = i % 2 ? TD_HOTSPOT_TEMP0 : TD_HOTSPOT_TEMP1;
		rc = td_app_launch(r, err, warps, 1, PINS, heat<Access>,
				   Access::array(r, TD_HOTSPOT_POWER), Access::array(r, from),
				   Access::array(r, to), n);
	}
	return rc;
}

const struct td_gpu_kernels td_gpu_kernels_hotspot = {&td_app_plan_hotspot, run<td_paged>,
						      run<td_plain>};
