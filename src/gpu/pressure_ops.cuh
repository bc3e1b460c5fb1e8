/* What warps do in the self-test under pressure. */
#ifndef TD_GPU_PRESSURE_OPS_CUH
#define TD_GPU_PRESSURE_OPS_CUH

#include "pressure.cuh"

/* ---- what a warp can do; all lanes come ---- */

static __device__ void read_group(pressure_warp &w)
{
	uint64_t i = w.any_group(w.random()) * 32 + w.lane;
	uint32_t low = w.least(i);
	w.judge(i, tide_read<uint64_t>(w.job.a, i), low);
}

static __device__ void read_pinned(pressure_warp &w)
{
	uint64_t i = w.lane_random() % w.job.words;
	bool peek = w.random() & 1; /* of tier 2 where it is */
	uint32_t low = w.least(i);
	w.judge(i, peek ? tide_peek<uint64_t>(w.job.a, i) : tide_read_pinned<uint64_t>(w.job.a, i),
		low);
}

static __device__ void write_group(pressure_warp &w)
{
	uint64_t r = w.random(), i = w.own_group(r) * 32 + w.lane;
	bool active = r >> 32 >> w.lane & 1;
	uint64_t value = active ? w.renew(i) : 0;
	tide_write<uint64_t>(w.job.a, i, value, active);
}

static __device__ void read_own(pressure_warp &w)
{
	uint64_t i = w.own_group(w.random()) * 32 + w.lane;
	w.judge_own(i, tide_read<uint64_t>(w.job.a, i));
}

static __device__ void gather(pressure_warp &w)
{
	uint64_t i = w.lane_random() % w.job.words;
	bool active = w.random() >> w.lane & 1;
	uint32_t low = w.least(i);
	uint64_t value = tide_read<uint64_t>(w.job.a, i, active);
	if (active)
		w.judge(i, value, low);
	__syncwarp();
}

/* Several elements of each lane at once. */
static __device__ void gather_many(pressure_warp &w)
{
	uint64_t i[4], values[4];
	uint32_t low[4];
	bool near_by = w.random() & 1;
	for (int k = 0; k < 4; k++) {
		i[k] = near_by ? w.any_group(w.random()) * 32 + w.lane
			       : w.lane_random() % w.job.words;
		low[k] = w.least(i[k]);
	}
	tide_read_many(w.job.a, i, values);
	for (int k = 0; k < 4; k++)
		w.judge(i[k], values[k], low[k]);
}

static __device__ void scatter(pressure_warp &w)
{
	uint64_t i = w.own_group(w.lane_random()) * 32 + w.lane;
	bool active = w.random() >> w.lane & 1;
	uint64_t value = active ? w.renew(i) : 0;
	tide_write<uint64_t>(w.job.a, i, value, active);
}

static __device__ void bring(pressure_warp &w)
{
	uint64_t i = w.lane_random() % w.job.words;
	bool active = w.random() % 4 != 0;
	tide_bring<uint64_t>(w.job.a, i, active);
	uint32_t low = w.least(i);
	w.judge(i, tide_read<uint64_t>(w.job.a, i), low);
}

/* Lanes alone, in diverged code. */
static __device__ void alone(pressure_warp &w)
{
	uint64_t r = w.lane_random();
	if (r % 4 == 0) {
		uint64_t i = (r >> 8) % w.job.words;
		uint32_t low = w.least(i);
		w.judge(i, tide_read_lane<uint64_t>(w.job.a, i), low);
	} else if (r % 4 == 1 && !w.job.read_only) {
		uint64_t i = w.own_group(r >> 8) * 32 + w.lane;
		tide_write_lane<uint64_t>(w.job.a, i, w.renew(i));
	}
	__syncwarp();
}

/* ---- with cursors, which hold their pages on beyond this ---- */

static __device__ void walk(pressure_warp &w, tide_cursor<uint64_t> &c)
{
	uint64_t first = w.any_group(w.random()) * 32;
	uint64_t groups = c.left(first) / 32, most = 8;
	const volatile uint64_t *p = c.read(first);
	for (uint64_t k = 0; k < groups && k < most; k++) {
		uint64_t i = first + k * 32 + w.lane;
		uint32_t low = w.least(i);
		w.judge(i, p[k * 32 + w.lane], low);
	}
}

static __device__ void write_through(pressure_warp &w, tide_cursor<uint64_t> &c)
{
	uint64_t first = w.own_group(w.random()) * 32, i = first + w.lane;
	volatile uint64_t *p = c.write(first);
	w.judge_own(i, p[w.lane]);
	p[w.lane] = w.renew(i);
	__syncwarp();
}

static __device__ void get_each(pressure_warp &w, tide_cursor<uint64_t> &c)
{
	uint64_t r = w.random();
	uint64_t i = r % 2 ? w.any_group(r >> 1) * 32 + w.lane : w.lane_random() % w.job.words;
	uint32_t low = w.least(i);
	w.judge(i, c.get(i), low);
}

/* What a warp does next; those of the last five are to words of its own. */
#define READING 8
#define ALL 13

static __device__ void do_one(pressure_warp &w, tide_cursor<uint64_t> &one,
			      tide_cursor<uint64_t> &two, unsigned what)
{
	w.op = what;
	switch (what) {
	case 0: w.job.lanes ? alone(w) : read_group(w); break;
	case 1: gather(w); break;
	case 2: bring(w); break;
	case 3: read_pinned(w); break;
	case 4: walk(w, one); break;
	case 5: get_each(w, one); break;
	case 6: one.end(); break;
	case 7: gather_many(w); break;
	case READING: write_group(w); break;
	case 9: read_own(w); break;
	case 10: scatter(w); break;
	case 11: write_through(w, two); break;
	default: two.end(); break;
	}
	__syncwarp();
}

static __device__ uint64_t timer_ns()
{
	uint64_t t;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

/* By lane 0, so that all lanes leave at once. After a failure at most one write of a warp is lost.
 */
static __device__ bool over(const pressure_warp &w, uint64_t since_ns)
{
	bool yes = timer_ns() - since_ns > w.job.limit_ns || w.failed();
	return __shfl_sync(0xffffffffu, (int)yes, 0);
}

static __global__ void press_kernel(struct pressure_job job)
{
	pressure_warp w(job);
	tide_cursor<uint64_t> one(job.a), two(job.a);
	uint64_t since_ns = __shfl_sync(0xffffffffu, (unsigned long long)timer_ns(), 0);
	for (uint64_t n = 0; n < job.ops && !over(w, since_ns); n++)
		do_one(w, one, two, (unsigned)(w.random() % (job.read_only ? READING : ALL)));
	one.end();
	two.end();
	unsigned long long all = w.accesses;
	for (int step = 16; step; step /= 2)
		all += __shfl_xor_sync(0xffffffffu, all, step);
	if (w.lane == 0)
		atomicAdd(job.accesses, all);
}

#endif
