#include "app_srad.h"
#include "stencil.cuh"

static_assert((int)TD_SRAD_STEP == (int)TD_STEP, "rows are whole steps");

template <class Access> struct arrays {
	typename Access::span j, c, e, w, s, n;
};

static __device__ __forceinline__ float4 less(float4 a, float4 b)
{
	return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
}

static __device__ __forceinline__ float4 conduct(float4 at, float4 n, float4 s, float4 w, float4 e,
						 float q)
{
	return make_float4(td_srad_conduct(at.x, n.x, s.x, w.x, e.x, q),
			   td_srad_conduct(at.y, n.y, s.y, w.y, e.y, q),
			   td_srad_conduct(at.z, n.z, s.z, w.z, e.z, q),
			   td_srad_conduct(at.w, n.w, s.w, w.w, e.w, q));
}

static __device__ __forceinline__ float4 flow(float4 at, float4 c, float4 c_s, float4 c_e, float4 n,
					      float4 s, float4 w, float4 e)
{
	return make_float4(td_srad_flow(at.x, c.x, c_s.x, c_e.x, n.x, s.x, w.x, e.x),
			   td_srad_flow(at.y, c.y, c_s.y, c_e.y, n.y, s.y, w.y, e.y),
			   td_srad_flow(at.z, c.z, c_s.z, c_e.z, n.z, s.z, w.z, e.z),
			   td_srad_flow(at.w, c.w, c_s.w, c_e.w, n.w, s.w, w.w, e.w));
}

template <class Access>
static __device__ __forceinline__ void wish_others(typename Access::wishes &wishes,
						   const arrays<Access> &a, uint64_t b)
{
	wishes.template add<float>(a.e, b);
	wishes.template add<float>(a.w, b);
	wishes.template add<float>(a.s, b);
	wishes.template add<float>(a.n, b);
}

/* Reads the image, writes the five others. */
template <class Access> static __global__ void measure(arrays<Access> a, uint64_t n, float speckle)
{
	typename Access::template cursor<float> here(a.j), above(a.j), below(a.j), c(a.c), e(a.e),
		w(a.w), s(a.s), north(a.n);
	uint64_t page = here.per_page(), cells = n * n;

	for (uint64_t b = td_warp() * page; b < cells; b += td_warps() * page) {
		uint64_t end = td_least(b + page, cells), x = b % n;
		typename Access::wishes wishes;
		td_wish_rows<Access>(wishes, a.j, b, end, n, cells);
		wish_others<Access>(wishes, a, b);
		wishes.template add<float>(a.c, b);
		wishes.bring();
		float rim = td_rim<Access>(a.j, b, end, cells);
		for (uint64_t i = b; i < end; i += TD_STEP) {
			const float *at = here.read(i);
			float4 j = td_cells(at);
			td_beside side = td_look_beside(at, j, rim, i, b, end, x, n);
			float4 d_n = less(i < n ? j : td_cells(above.read(i - n)), j);
			float4 d_s = less(i + n >= cells ? j : td_cells(below.read(i + n)), j);
			float4 d_w = less(side.west, j), d_e = less(side.east, j);
			td_put_cells(c.write(i), conduct(j, d_n, d_s, d_w, d_e, speckle));
			td_put_cells(e.write(i), d_e);
			td_put_cells(w.write(i), d_w);
			td_put_cells(s.write(i), d_s);
			td_put_cells(north.write(i), d_n);
			x = x + TD_STEP == n ? 0 : x + TD_STEP;
		}
	}
}

/* Reads the five others, changes the image. */
template <class Access> static __global__ void diffuse(arrays<Access> a, uint64_t n)
{
	typename Access::template cursor<float> j(a.j), c(a.c), below(a.c), e(a.e), w(a.w), s(a.s),
		north(a.n);
	uint64_t page = j.per_page(), cells = n * n;

	for (uint64_t b = td_warp() * page; b < cells; b += td_warps() * page) {
		uint64_t end = td_least(b + page, cells), x = b % n;
		typename Access::wishes wishes;
		td_wish_rows<Access>(wishes, a.c, b, end, n, cells);
		wish_others<Access>(wishes, a, b);
		wishes.template add<float>(a.j, b);
		wishes.bring();
		float rim = td_rim<Access>(a.c, b, end, cells);
		for (uint64_t i = b; i < end; i += TD_STEP) {
			const float *at = c.read(i);
			float4 here = td_cells(at);
			td_beside side = td_look_beside(at, here, rim, i, b, end, x, n);
			float4 c_s = i + n >= cells ? here : td_cells(below.read(i + n));
			float4 d_n = td_cells(north.read(i)), d_s = td_cells(s.read(i));
			float4 d_w = td_cells(w.read(i)), d_e = td_cells(e.read(i));
			float *image = j.write(i);
			td_put_cells(image, flow(td_cells(image), here, c_s, side.east, d_n, d_s,
						 d_w, d_e));
			x = x + TD_STEP == n ? 0 : x + TD_STEP;
		}
	}
}

template <class Access> static int run(struct td_app_run *r, struct tide_error *err)
{
	enum { PINS_1 = 9, PINS_2 = 8 };
	uint64_t n = r->shape->size[TD_SRAD_SIDE], page = r->shape->page_bytes / 4;
	uint64_t warps = td_app_warps(r, PINS_1, (n * n + page - 1) / page, 1);
	arrays<Access> a = {Access::array(r, TD_SRAD_J), Access::array(r, TD_SRAD_C),
			    Access::array(r, TD_SRAD_E), Access::array(r, TD_SRAD_W),
			    Access::array(r, TD_SRAD_S), Access::array(r, TD_SRAD_N)};
	int rc = 0;

	for (unsigned i = 0; i < r->shape->iterations && !rc; i++) {
		rc = td_app_launch(r, err, warps, 1, PINS_1, measure<Access>, a, n,
				   td_srad_speckle(i));
		if (!rc)
			rc = td_app_launch(r, err, warps, 1, PINS_2, diffuse<Access>, a, n);
	}
	return rc;
}

const struct td_gpu_kernels td_gpu_kernels_srad = {&td_app_plan_srad, run<td_paged>, run<td_plain>};
