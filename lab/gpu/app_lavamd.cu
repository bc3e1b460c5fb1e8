/* A block of four warps has a box: thread t works for its particle t, and fetches particle t of
 * each box around it for all. */
#include "access.cuh"
#include "app_lavamd.h"

enum { BLOCK_WARPS = 4 };
enum { AHEAD = 8 }; /* boxes of this block whose pages are asked for at once */

/* Particle i, of two elements of 16 bytes. */
template <class Access>
static __device__ __forceinline__ td_lavamd_four read_four(const typename Access::span &a,
							   uint64_t i, bool active)
{
	double2 low = Access::template read<double2>(a, 2 * i, active);
	double2 high = Access::template read<double2>(a, 2 * i + 1, active);

	return {low.x, low.y, high.x, high.y};
}

template <class Access>
static __device__ __forceinline__ void write_four(const typename Access::span &a, uint64_t i,
						  td_lavamd_four f, bool active)
{
	Access::template write<double2>(a, 2 * i, make_double2(f.v, f.x), active);
	Access::template write<double2>(a, 2 * i + 1, make_double2(f.y, f.z), active);
}

struct others {
	td_lavamd_four at[TD_LAVAMD_PARTICLES];
	double charge[TD_LAVAMD_PARTICLES];
	td_lavamd_four mine[BLOCK_WARPS * 32]; /* each thread its own: registers are for forces */
};

template <class Access>
static __device__ __forceinline__ void fetch_box(const typename Access::span &rv,
						 const typename Access::span &qv, uint64_t box,
						 others *to)
{
	unsigned t = threadIdx.x;
	bool active = t < TD_LAVAMD_PARTICLES;
	uint64_t i = box * TD_LAVAMD_PARTICLES + t;
	td_lavamd_four at = read_four<Access>(rv, i, active);
	double charge = Access::template read<double>(qv, i, active);

	__syncthreads(); /* all are done with those of the box before */
	if (active) {
		to->at[t] = at;
		to->charge[t] = charge;
	}
	__syncthreads();
}

/* What this box and the next ones of the block will be the first to need: their own, and of the
 * last box around them. */
template <class Access>
static __device__ __forceinline__ void
bring_ahead(const typename Access::span &box, const typename Access::span &rv,
	    const typename Access::span &qv, const typename Access::span &fv, uint64_t home,
	    uint64_t n)
{
	uint64_t boxes = n * n * n;
	typename Access::wishes wishes;

#pragma unroll
	for (unsigned k = 0; k < AHEAD; k++, home += gridDim.x) {
		uint64_t last = td_least(home + n * n + n + 1, boxes - 1) * TD_LAVAMD_PARTICLES;
		bool is_one = home < boxes;
		wishes.template add<uint32_t>(box, home * TD_LAVAMD_BOX_WORDS, is_one);
		wishes.template add<double2>(rv, 2 * last, is_one);
		wishes.template add<double>(qv, last, is_one);
		wishes.template add<double2>(fv, 2 * home * TD_LAVAMD_PARTICLES, is_one);
	}
	wishes.bring();
}

/* Lane 0: how many boxes are around it. Lane k: the number of the k-th before this. */
template <class Access>
static __device__ __forceinline__ uint32_t read_list(const typename Access::span &box,
						     uint64_t home)
{
	unsigned entry = td_lane() ? td_lane() - 1 : 0;
	unsigned word = TD_LAVAMD_LIST_AT + entry * TD_LAVAMD_ENTRY_WORDS + TD_LAVAMD_NUMBER_AT;

	if (td_lane() == 0)
		word = TD_LAVAMD_COUNT_AT;
	return Access::template read<uint32_t>(box, home * TD_LAVAMD_BOX_WORDS + word,
					       td_lane() <= TD_LAVAMD_AROUND);
}

static __device__ __forceinline__ void add_forces(td_lavamd_four *f, const others *o)
{
	td_lavamd_four mine = o->mine[threadIdx.x];

#pragma unroll 4
	for (unsigned i = 0; i < TD_LAVAMD_PARTICLES; i++)
		td_lavamd_force(f, mine, o->at[i], o->charge[i]);
}

template <class Access>
static __global__ void __launch_bounds__(BLOCK_WARPS * 32, 1)
	forces(typename Access::span box, typename Access::span rv, typename Access::span qv,
	       typename Access::span fv, uint64_t n)
{
	__shared__ others around;
	bool active = threadIdx.x < TD_LAVAMD_PARTICLES;
	uint64_t boxes = n * n * n;

	for (uint64_t home = blockIdx.x; home < boxes; home += gridDim.x) {
		uint64_t i = home * TD_LAVAMD_PARTICLES + threadIdx.x;
		if (threadIdx.x < 32)
			bring_ahead<Access>(box, rv, qv, fv, home, n);
		uint32_t list = read_list<Access>(box, home);
		unsigned count = min(__shfl_sync(TD_FULL, list, 0), (unsigned)TD_LAVAMD_AROUND);
		td_lavamd_four f = {0, 0, 0, 0};
		around.mine[threadIdx.x] = read_four<Access>(rv, i, active);
		for (unsigned k = 0; k <= count; k++) {
			/* The box itself first. What a failure left may be no number of a box. */
			uint32_t number = __shfl_sync(TD_FULL, list, (int)k);
			uint64_t other = k == 0 ? home : number % boxes;
			fetch_box<Access>(rv, qv, other, &around);
			add_forces(&f, &around);
		}
		write_four<Access>(fv, i, f, active);
	}
}

template <class Access> static int run(struct td_app_run *r, struct tide_error *err)
{
	enum { PINS = 1 };
	uint64_t n = r->shape->size[TD_LAVAMD_N], boxes = n * n * n;
	uint64_t warps = td_app_warps(r, PINS, boxes * BLOCK_WARPS, BLOCK_WARPS);

	return td_app_launch(r, err, warps, BLOCK_WARPS, PINS, forces<Access>,
			     Access::array(r, TD_LAVAMD_BOX), Access::array(r, TD_LAVAMD_RV),
			     Access::array(r, TD_LAVAMD_QV), Access::array(r, TD_LAVAMD_FV), n);
}

const struct td_gpu_kernels td_gpu_kernels_lavamd = {&td_app_plan_lavamd, run<td_paged>,
						     run<td_plain>};
