/* What calls promise to those who make them. */
#include "core/cuda_current.h"
#include "cuda.cuh"
#include "selftest.h"

/* Near memory of 256 pages of 4 KiB, and two arrays of so many words. */
#define WORDS ((uint64_t)100 * 1000 + 7) /* the last warp has seven lanes with an element */

struct two {
	runtime r;
	struct tide_span a = {}, b = {};

	int open(const struct td_gpu_setup *s, struct tide_error *err)
	{
		struct tide_gpu_options o = {};
		o.size = sizeof o;
		o.page = "4K";
		o.near_size = "256p";
		o.host = "128p";
		o.place = "tier-order";
		o.timeout = "10s";
		int rc = r.open(s, &o, err);
		if (!rc)
			rc = r.array(&a, WORDS * 8, err);
		return rc ? rc : r.array(&b, WORDS * 8, err);
	}
};

/* ---- tide_each, whose body makes calls of all lanes ---- */

static __global__ void make_words(struct tide_span a)
{
	for (uint64_t first = warp_id() * 32; first < WORDS; first += warps_all() * 32) {
		uint64_t i = first + lane_id();
		tide_write<uint64_t>(a, i, td_gpu_word(i), i < WORDS);
	}
}

/* Every element goes to the other array, and the number of lanes that have one is added up by
 * shuffles. */
static __global__ void carry(struct tide_span a, struct tide_span b, unsigned *lanes)
{
	unsigned all = 0;
	tide_each<uint64_t>(a, WORDS, [&](uint64_t i, uint64_t value, bool active) {
		unsigned sum = active;
		for (int step = 16; step; step /= 2)
			sum += __shfl_xor_sync(0xffffffffu, sum, step);
		all += sum;
		tide_write<uint64_t>(b, i, value + 1, active);
	});
	if (lane_id() == 0)
		atomicAdd(lanes, all);
}

static int compare(struct two &x, struct tide_error *err)
{
	static uint64_t words[WORDS];
	int rc = tide_gpu_read(x.r.g, x.b, 0, words, sizeof words, err);
	for (uint64_t i = 0; i < WORDS && !rc; i++) {
		if (words[i] != td_gpu_word(i) + 1)
			rc = tide_fail(err, -EILSEQ, "word %llu is %#llx, not %#llx",
				       (unsigned long long)i, (unsigned long long)words[i],
				       (unsigned long long)td_gpu_word(i) + 1);
	}
	return rc;
}

static int each_together(const struct td_gpu_setup *s, char *detail, size_t room,
			 struct tide_error *err)
{
	struct two x;
	memory lanes;
	unsigned seen = 0;
	int rc = x.open(s, err);
	if (!rc)
		rc = lanes.make(DEVICE, 4, err);
	if (!rc)
		rc = CUDA(cudaMemset(lanes.at, 0, 4));
	if (!rc)
		rc = tide_launch(x.r.g, err, 8, 128, 2, make_words, x.a);
	if (!rc)
		rc = tide_launch(x.r.g, err, 8, 128, 2, carry, x.a, x.b, lanes.as<unsigned>());
	if (!rc)
		rc = CUDA(cudaMemcpy(&seen, lanes.at, 4, cudaMemcpyDeviceToHost));
	if (!rc && seen != WORDS)
		rc = tide_fail(err, -EILSEQ, "%u lanes had an element, not %llu", seen,
			       (unsigned long long)WORDS);
	snprintf(detail, room, "%u elements carried from one array to another", seen);
	return rc ? rc : compare(x, err);
}

/* ---- the GPU that is current ---- */

static int still(const struct td_cuda_current *thread, const char *call, struct tide_error *err)
{
	CUcontext now = NULL;
	((td_cuda_get_current *)thread->get)(&now);
	return !now ? 0 : tide_fail(err, -EPROTO, "%s left its GPU current in the thread", call);
}

/* A thread in which none is current makes the calls. */
static int use_without(struct td_cuda_current *thread, const struct td_gpu_setup *s,
		       struct tide_error *err)
{
	struct two x;
	struct tide_gpu_info info = {};
	struct tide_gpu_stats stats = {};
	info.size = sizeof info;
	stats.size = sizeof stats;
	int rc = tide_gpu_info(&info, s->device, err);
	if (!rc)
		rc = still(thread, "tide_gpu_info", err);
	if (!rc)
		rc = x.open(s, err);
	if (!rc)
		rc = still(thread, "tide_gpu_open", err);
	if (!rc)
		rc = tide_gpu_begin(x.r.g, 1, 1, err);
	if (!rc)
		rc = still(thread, "tide_gpu_begin", err);
	if (!rc)
		rc = tide_gpu_end(x.r.g, err);
	if (!rc)
		rc = tide_gpu_stats(x.r.g, &stats, err);
	if (!rc)
		rc = tide_gpu_reset(x.r.g, err);
	if (!rc)
		rc = x.r.close(err);
	return rc ? rc : still(thread, "a call", err);
}

static int current_gpu(const struct td_gpu_setup *s, char *detail, size_t room,
		       struct tide_error *err)
{
	struct td_cuda_current thread = {};
	td_cuda_current_get(&thread);
	if (!thread.get || !thread.set)
		return tide_fail(err, -ENODEV, "the driver has no cuCtxSetCurrent");
	((td_cuda_set_current *)thread.set)(NULL);
	int rc = use_without(&thread, s, err);
	td_cuda_current_set(&thread);
	snprintf(detail, room, "no call made a GPU current for longer than it took");
	return rc;
}

const struct td_gpu_case td_gpu_calls[] = {
	{"each-together", each_together},
	{"current-gpu", current_gpu},
	{nullptr, nullptr},
};
