/* What warps do to an array in the self-test, and how they judge what they read. */
#ifndef TD_GPU_PRESSURE_CUH
#define TD_GPU_PRESSURE_CUH

#include "cuda.cuh"
#include "selftest.h"

#define VERSION_BITS ((uint64_t)0xffffff)
#define PRESSURE_CURSORS 2 /* of a warp */

/* A word that was not what it should be: the first one is told. */
struct pressure_wrong {
	unsigned long long count;
	uint64_t index, value, least, most;
	unsigned op;
};

struct pressure_job {
	struct tide_span a;
	uint32_t *version; /* of every word */
	struct pressure_wrong *wrong;
	unsigned long long *accesses;
	uint64_t words, page_words;
	uint64_t ops, limit_ns, seed;
	bool read_only, lanes;
};

/* One warp's view. Groups of 32 words belong to one warp each, which alone writes them: its own are
 * on every page, so that pages have many writers and words one. */
struct pressure_warp {
	const struct pressure_job &job;
	uint64_t state; /* of random numbers: the same in all lanes */
	uint64_t accesses;
	unsigned lane, op;

	__device__ explicit pressure_warp(const struct pressure_job &j)
	    : job(j), state(tide_hash64(j.seed + warp_id() + 1)), accesses(0), lane(lane_id()),
	      op(0)
	{
	}
	__device__ uint64_t random()
	{
		return tide_random_next(&state);
	}
	/* Another one in every lane. */
	__device__ uint64_t lane_random()
	{
		return tide_hash64(random() + lane);
	}
	__device__ uint64_t any_group(uint64_t r) const
	{
		return r % (job.words / 32);
	}
	__device__ uint64_t own_group(uint64_t r) const
	{
		return warp_id() + warps_all() * (r % (job.words / 32 / warps_all()));
	}
	__device__ uint32_t version(uint64_t i) const
	{
		return *(volatile uint32_t *)&job.version[i];
	}
	/* Before the word is read: the version that it has at least. A writer counts the version up
	 * and then writes, so it may be one behind. */
	__device__ uint32_t least(uint64_t i) const
	{
		uint32_t before = version(i);
		__threadfence();
		return before ? before - 1 : 0;
	}
	/* After a failure of the runtime reads give zero, and writes go nowhere. */
	__device__ bool failed() const
	{
		return td_dev_failed(job.a.control);
	}
	__device__ void tell(uint64_t i, uint64_t value, uint32_t low, uint32_t high) const
	{
		struct pressure_wrong *w = job.wrong;
		if (!failed() && atomicAdd(&w->count, 1ull) == 0) {
			w->index = i;
			w->value = value;
			w->least = low;
			w->most = high;
			w->op = op;
		}
	}
	__device__ void judge(uint64_t i, uint64_t value, uint32_t low)
	{
		__threadfence();
		uint32_t high = version(i), seen = (uint32_t)(value & VERSION_BITS);
		if ((value & ~VERSION_BITS) != td_gpu_word(i) || seen < low || seen > high)
			tell(i, value, low, high);
		accesses++;
	}
	/* One of its own, which nobody else writes: exactly this. */
	__device__ void judge_own(uint64_t i, uint64_t value)
	{
		uint32_t known = version(i);
		if (value != (td_gpu_word(i) | known))
			tell(i, value, known, known);
		accesses++;
	}
	/* The next version of a word of its own, to be written at once. */
	__device__ uint64_t renew(uint64_t i)
	{
		__threadfence(); /* the write before is older */
		uint32_t next = version(i) + 1;
		*(volatile uint32_t *)&job.version[i] = next;
		__threadfence();
		accesses++;
		return td_gpu_word(i) | next;
	}
};

/* The launch, by kernels compiled in three ways: as they are, with TIDE_STRICT, with
 * TIDE_DEVICE_CHECK. */
typedef int td_gpu_press(struct tide_gpu *g, struct shape shape, const struct pressure_job *job,
			 struct tide_error *err);
td_gpu_press td_gpu_press_strict, td_gpu_press_checked;

#endif
