/* One warp walks through a trace: does it decide as the simulator? */
#include <cstdlib>

#include "cuda.cuh"
#include "selftest.h"

/* Every access acquires its page anew, as every access of a trace counts. A write tells its turn,
 * so that the last one can be looked for in the file. */
static __global__ void walk_trace(struct tide_span a, const uint64_t *access, uint64_t n,
				  uint64_t page_words)
{
	tide_cursor<uint64_t> c(a);
	for (uint64_t t = 0; t < n; t++) {
		uint64_t page = access[t] >> 1;
		if (access[t] & 1) {
			uint64_t *at = c.write(page * page_words);
			if (lane_id() == 0)
				at[0] = t + 1;
		} else {
			c.read(page * page_words);
		}
		c.end();
	}
}

struct replaying {
	const struct td_gpu_setup *s;
	struct td_gpu_replay *r;
	struct td_gpu_trace trace = {};
	struct td_gpu_outcome gpu = {}, sim = {};
	runtime run;
	char file[TD_GPU_PATH] = "", gpu_log[TD_GPU_PATH] = "", sim_log[TD_GPU_PATH] = "";

	~replaying()
	{
		run.close(nullptr);
		free(trace.access);
		free(gpu.victim);
		free(sim.victim);
		unlink(file);
		unlink(gpu_log);
		unlink(sim_log);
	}
};

static int name_files(struct replaying &x, struct tide_error *err)
{
	int rc = td_gpu_path(x.file, x.s, "replay", err);
	if (!rc)
		rc = td_gpu_path(x.gpu_log, x.s, "log-gpu", err);
	return rc ? rc : td_gpu_path(x.sim_log, x.s, "log-sim", err);
}

static int open_runtime(struct replaying &x, struct tide_span *a, struct tide_error *err)
{
	size_text near_bytes(x.r->near_pages * 4096), host_bytes(x.r->host_pages * 4096);
	size_text address((x.trace.pages + 1) * 4096);
	struct tide_gpu_options o = {};
	o.size = sizeof o;
	o.near_size = near_bytes;
	o.host = host_bytes;
	o.address = address;
	o.page = "4K";
	o.place = "reuse";
	o.shards = "1";
	o.log = x.gpu_log;
	o.timeout = "20s";
	int rc = x.run.open(x.s, &o, err);
	return rc ? rc : x.run.file(a, x.file, true, 0, err);
}

static int walk(struct replaying &x, struct tide_span a, struct tide_error *err)
{
	double ns;
	memory access;
	struct shape one = {1, 32, 1};
	int rc = access.make(DEVICE, x.trace.n * 8, err);
	if (!rc)
		rc = CUDA(cudaMemcpy(access.at, x.trace.access, x.trace.n * 8,
				     cudaMemcpyHostToDevice));
	if (!rc)
		rc = run_kernel(x.run.g, &ns, err, one, walk_trace, a,
				(const uint64_t *)access.as<uint64_t>(), x.trace.n,
				(uint64_t)4096 / 8);
	return rc;
}

static int read_outcome(struct replaying &x, struct tide_error *err)
{
	struct tide_gpu_stats st = {};
	st.size = sizeof st;
	int rc = tide_gpu_check(x.run.g, err);
	if (!rc)
		rc = tide_gpu_stats(x.run.g, &st, err);
	if (rc)
		return rc;
	x.gpu.counts = st.counts;
	x.gpu.keeps = st.keeps;
	x.gpu.judged = st.predictions_judged;
	x.gpu.lifted = st.lifted_to_tier2;
	x.gpu.reclaimed = st.reclaimed_pages;
	rc = x.run.close(err); /* and its log is whole */
	return rc ? rc : td_gpu_log_read(x.gpu_log, &x.gpu, err);
}

/* The first word of a page is the turn of the last write to it, or as the file was made. */
static int compare_file(struct replaying &x, struct tide_error *err)
{
	FILE *f = fopen(x.file, "re");
	uint64_t *last = (uint64_t *)calloc(x.trace.pages, 8), word = 0;
	int rc = f && last ? 0 : tide_fail(err, -ENOMEM, "cannot read %s back", x.file);
	for (uint64_t t = 0; t < x.trace.n && !rc; t++) {
		if (x.trace.access[t] & 1)
			last[x.trace.access[t] >> 1] = t + 1;
	}
	for (uint64_t p = 0; p < x.trace.pages && !rc; p++) {
		uint64_t right = last[p] ? last[p] : td_gpu_word(p * 512);
		if (fseeko(f, (off_t)(p * 4096), SEEK_SET) || fread(&word, 8, 1, f) != 1)
			rc = tide_fail(err, -EIO, "cannot read %s back", x.file);
		else if (word != right)
			rc = tide_fail(err, -EILSEQ,
				       "in the file page %llu begins with %#llx, not %#llx",
				       (unsigned long long)p, (unsigned long long)word,
				       (unsigned long long)right);
	}
	free(last);
	if (f)
		fclose(f);
	return rc;
}

int td_gpu_replay_run(const struct td_gpu_setup *s, struct td_gpu_replay *r, struct tide_error *err)
{
	struct replaying x;
	struct tide_span a;
	x.s = s;
	x.r = r;
	int rc = name_files(x, err);
	if (!rc)
		rc = td_gpu_trace_load(&x.trace, r->workload, r->limit, err);
	if (!rc)
		rc = td_gpu_simulate(&x.trace, r, x.sim_log, &x.sim, err);
	if (!rc)
		rc = td_gpu_file_make(x.file, x.trace.pages * 4096, err);
	if (!rc)
		rc = open_runtime(x, &a, err);
	if (!rc)
		rc = walk(x, a, err);
	if (!rc)
		rc = read_outcome(x, err);
	if (!rc)
		rc = td_gpu_outcomes_equal(&x.gpu, &x.sim, err);
	if (!rc)
		rc = compare_file(x, err);
	r->accesses = x.trace.n;
	if (!rc)
		snprintf(
			r->detail, sizeof r->detail,
			"%llu accesses, %llu victims, %llu kept, %llu predictions judged: all as in "
			"the simulator",
			(unsigned long long)x.trace.n, (unsigned long long)x.gpu.victims,
			(unsigned long long)x.gpu.keeps, (unsigned long long)x.gpu.judged);
	return rc;
}
