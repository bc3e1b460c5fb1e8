/* The self-test under pressure: see selftest.h. */
#include <cstdlib>
#include <fcntl.h>

#include "pressure_ops.cuh"

/* ---- around the launches ---- */

struct pressing {
	const struct td_gpu_setup *s;
	struct td_gpu_pressure *p;
	runtime r;
	memory version, results;
	struct pressure_job job = {};
	uint32_t *versions = nullptr; /* on the host, after a launch */
	char path[TD_GPU_PATH] = "";
	uint64_t near_pages = 0; /* as opened */

	~pressing()
	{
		r.close(nullptr);
		::free(versions);
		if (*path)
			unlink(path);
	}
};

static int open_runtime(struct pressing &x, uint64_t near_pages, struct tide_error *err)
{
	const struct td_gpu_pressure *p = x.p;
	size_text near_bytes(near_pages * p->page_bytes), host_bytes(p->host_pages * p->page_bytes);
	size_text page(p->page_bytes), address(4 * p->array_bytes);
	struct tide_gpu_options o = {};
	o.size = sizeof o;
	o.near_size = near_bytes;
	o.host = p->host_pages ? (const char *)host_bytes : nullptr;
	o.page = page;
	o.address = address;
	o.place = p->place;
	o.transfer = p->transfer;
	o.inject = p->inject;
	o.timeout = p->timeout ? p->timeout : "20s";
	o.staging = "8M";
	o.orchestrate = p->orchestrate;
	o.evict = p->evict;
	o.prefetch = p->prefetch;
	x.near_pages = near_pages;
	return x.r.open(x.s, &o, err);
}

static unsigned pins_of(const struct td_gpu_pressure *p)
{
	return PRESSURE_CURSORS + (p->lanes ? 32 : 1);
}

/* The fewest pages of near memory that a launch is allowed with: the refusal says how many. */
static int open_smallest(struct pressing &x, struct tide_error *err)
{
	uint64_t warps = (uint64_t)x.p->blocks * (x.p->threads / 32), pages = 64;
	for (int i = 0; i < 8; i++) {
		int rc = open_runtime(x, pages, err);
		if (rc)
			return rc;
		rc = tide_gpu_begin(x.r.g, warps, pins_of(x.p), err);
		if (!rc)
			return tide_gpu_end(x.r.g, err);
		const char *advice = strstr(err->text, "at least ");
		if (rc != -ENOSPC || !advice)
			return rc;
		pages = strtoull(advice + 9, nullptr, 10);
	}
	return tide_fail(err, -ENOSPC,
			 "%llu pages of near memory are not enough for %llu warps, "
			 "though the runtime asked for so many",
			 (unsigned long long)pages, (unsigned long long)warps);
}

static int make_array(struct pressing &x, struct tide_error *err)
{
	if (x.p->without_file)
		return x.r.array(&x.job.a, x.p->array_bytes, err);
	return x.r.file(&x.job.a, x.path, !x.p->read_only, 0, err);
}

/* An array without a file is filled through the runtime. */
static int fill_array(struct pressing &x, struct tide_error *err)
{
	const uint64_t piece = 1 << 17; /* words */
	uint64_t *words = (uint64_t *)malloc(piece * 8);
	int rc = words ? 0 : tide_fail(err, -ENOMEM, "out of memory");
	for (uint64_t at = 0; at < x.job.words && !rc; at += piece) {
		uint64_t n = x.job.words - at < piece ? x.job.words - at : piece;
		for (uint64_t k = 0; k < n; k++)
			words[k] = td_gpu_word(at + k);
		rc = tide_gpu_write(x.r.g, x.job.a, at * 8, words, n * 8, err);
	}
	::free(words);
	return rc;
}

static int prepare(struct pressing &x, struct tide_error *err)
{
	struct td_gpu_pressure *p = x.p;
	int rc = td_gpu_path(x.path, x.s, "pressure", err);
	if (!rc && !p->without_file)
		rc = td_gpu_file_make(x.path, p->array_bytes, err);
	if (!rc)
		rc = p->near_pages ? open_runtime(x, p->near_pages, err) : open_smallest(x, err);
	if (!rc)
		rc = make_array(x, err);
	x.job.words = p->array_bytes / 8;
	x.job.page_words = p->page_bytes / 8;
	x.job.ops = p->ops;
	x.job.limit_ns = p->limit_ns;
	x.job.read_only = p->read_only;
	x.job.lanes = p->lanes;
	if (!rc && p->without_file)
		rc = fill_array(x, err);
	x.versions = (uint32_t *)calloc(x.job.words, 4);
	if (!rc && !x.versions)
		rc = tide_fail(err, -ENOMEM, "out of memory");
	if (!rc)
		rc = x.version.make(DEVICE, x.job.words * 4, err);
	if (!rc)
		rc = CUDA(cudaMemset(x.version.at, 0, x.job.words * 4));
	if (!rc)
		rc = x.results.make(DEVICE, sizeof(struct pressure_wrong) + 8, err);
	if (!rc)
		rc = CUDA(cudaMemset(x.results.at, 0, sizeof(struct pressure_wrong) + 8));
	x.job.version = x.version.as<uint32_t>();
	x.job.accesses = x.results.as<unsigned long long>();
	x.job.wrong = (struct pressure_wrong *)(x.results.as<unsigned long long>() + 1);
	return rc;
}

/* ---- what must be true after a launch ---- */

static int fetch_results(struct pressing &x, struct tide_error *err)
{
	struct {
		unsigned long long accesses;
		struct pressure_wrong wrong;
	} seen;
	int rc = CUDA(cudaMemcpy(&seen, x.results.at, sizeof seen, cudaMemcpyDeviceToHost));
	if (!rc)
		rc = CUDA(cudaMemcpy(x.versions, x.version.at, x.job.words * 4,
				     cudaMemcpyDeviceToHost));
	if (rc)
		return rc;
	x.p->accesses = seen.accesses;
	if (!seen.wrong.count)
		return 0;
	return tide_fail(err, -EILSEQ,
			 "%llu words were wrong, the first by operation %u: word %llu (page %llu) "
			 "was %#llx, not %#llx with a version from %llu to %llu",
			 seen.wrong.count, seen.wrong.op, (unsigned long long)seen.wrong.index,
			 (unsigned long long)(seen.wrong.index / x.job.page_words),
			 (unsigned long long)seen.wrong.value,
			 (unsigned long long)td_gpu_word(seen.wrong.index),
			 (unsigned long long)seen.wrong.least, (unsigned long long)seen.wrong.most);
}

/* After a failure the last write of a warp may be lost: then the version is the one before, and
 * taken for the right one from now on. */
static int compare(const struct pressing &x, uint64_t first, const uint64_t *words, uint64_t n,
		   const char *where, struct tide_error *err)
{
	for (uint64_t k = 0; k < n; k++) {
		uint64_t i = first + k, right = td_gpu_word(i) | x.versions[i];
		if (words[k] == right)
			continue;
		if (x.p->failed && x.versions[i] && words[k] == right - 1) {
			x.versions[i]--;
			continue;
		}
		return tide_fail(err, -EILSEQ, "%s, word %llu (page %llu) is %#llx, not %#llx",
				 where, (unsigned long long)i,
				 (unsigned long long)(i / x.job.page_words),
				 (unsigned long long)words[k], (unsigned long long)right);
	}
	return 0;
}

static int read_piece(const struct pressing &x, int fd, uint64_t first, uint64_t *words, uint64_t n,
		      struct tide_error *err)
{
	if (fd < 0)
		return tide_gpu_read(x.r.g, x.job.a, first * 8, words, n * 8, err);
	ssize_t got = pread(fd, words, n * 8, (off_t)(first * 8));
	return got == (ssize_t)(n * 8) ? 0 : tide_fail(err, -EIO, "cannot read the file back");
}

/* The file, or what tide_gpu_read() says (fd -1), is what the versions say. Pieces that begin and
 * end within pages. */
static int compare_all(const struct pressing &x, int fd, struct tide_error *err)
{
	const uint64_t piece = (1 << 17) - 3;
	uint64_t *words = (uint64_t *)malloc(piece * 8);
	int rc = words ? 0 : tide_fail(err, -ENOMEM, "out of memory");
	for (uint64_t at = 0; at < x.job.words && !rc; at += piece) {
		uint64_t n = x.job.words - at < piece ? x.job.words - at : piece;
		rc = read_piece(x, fd, at, words, n, err);
		if (!rc)
			rc = compare(x, at, words, n,
				     fd < 0 ? "through tide_gpu_read" : "in the file", err);
	}
	::free(words);
	return rc;
}

/* Where writes fail now and then, syncing tries again. */
static int sync_all(struct pressing &x, struct tide_error *err)
{
	int rc = tide_gpu_sync(x.r.g, err);
	for (int i = 0; i < 200 && rc && x.p->expect; i++)
		rc = tide_gpu_sync(x.r.g, err);
	return rc;
}

static int compare_file(struct pressing &x, struct tide_error *err)
{
	int rc = sync_all(x, err);
	if (rc || x.p->without_file)
		return rc;
	int fd = open(x.path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return tide_fail(err, -errno, "cannot read %s: %s", x.path, strerror(errno));
	rc = compare_all(x, fd, err);
	::close(fd);
	return rc;
}

static int send_versions(struct pressing &x, struct tide_error *err)
{
	return CUDA(cudaMemcpy(x.version.at, x.versions, x.job.words * 4, cudaMemcpyHostToDevice));
}

/* The host writes too, between launches: across the borders of pages. */
static int write_some(struct pressing &x, struct tide_error *err)
{
	uint64_t words[96], state = x.job.seed;
	int rc = 0;
	for (int n = 0; n < 64 && !rc; n++) {
		uint64_t i = tide_random_next(&state) % (x.job.words - 96);
		for (uint64_t k = 0; k < 96; k++)
			words[k] = td_gpu_word(i + k) | ++x.versions[i + k];
		rc = tide_gpu_write(x.r.g, x.job.a, i * 8, words, sizeof words, err);
	}
	return rc;
}

static int press(struct tide_gpu *g, struct shape shape, const struct pressure_job *job,
		 struct tide_error *err)
{
	double ns;
	return run_kernel(g, &ns, err, shape, press_kernel, *job);
}

static int launch(struct pressing &x, struct tide_error *err)
{
	static td_gpu_press *const ways[] = {press, td_gpu_press_strict, td_gpu_press_checked};
	struct tide_error late = {};
	struct shape shape = {x.p->blocks, x.p->threads, pins_of(x.p)};
	int rc = ways[x.p->compiled](x.r.g, shape, &x.job, &late);
	if (rc && !x.p->failed) {
		x.p->failed = rc;
		x.p->said = late;
	}
	return !rc || rc == x.p->expect ? 0 : tide_fail(err, rc, "%s", late.text);
}

/* What the host asks for would meet the injected failures too, so only where there are none. */
static int use_by_host(struct pressing &x, struct tide_error *err)
{
	int rc = compare_all(x, -1, err);
	return rc || x.p->read_only ? rc : write_some(x, err);
}

static int describe(struct pressing &x, struct tide_error *err)
{
	struct tide_gpu_stats st = {};
	st.size = sizeof st;
	int rc = tide_gpu_stats(x.r.g, &st, err);
	if (rc)
		return rc;
	snprintf(
		x.p->detail, sizeof x.p->detail,
		"%llu pages near; %llu acquisitions, %llu faults, %llu evictions, %llu from tier 2, "
		"%llu reads and %llu writes of files%s%.160s",
		(unsigned long long)x.near_pages, (unsigned long long)st.counts.accesses,
		(unsigned long long)st.counts.faults, (unsigned long long)st.counts.evicted_pages,
		(unsigned long long)st.counts.tier2_hits, (unsigned long long)st.counts.tier3_reads,
		(unsigned long long)st.counts.tier3_writes, x.p->failed ? "; as expected: " : "",
		x.p->failed ? x.p->said.text : "");
	return 0;
}

static int round(struct pressing &x, unsigned n, struct tide_error *err)
{
	x.job.seed = td_gpu_seed(x.s) * 1000 + n;
	int rc = launch(x, err);
	if (!rc)
		rc = fetch_results(x, err);
	if (!rc)
		rc = tide_gpu_check(x.r.g, err);
	if (!rc && !x.p->expect)
		rc = use_by_host(x, err);
	if (!rc)
		rc = compare_file(x, err);
	if (!rc)
		rc = send_versions(x, err);
	if (!rc)
		rc = describe(x, err); /* before a reset counts from zero */
	/* Every other round begins with empty tiers. */
	if (!rc && n % 2 == 1 && !x.p->expect)
		rc = tide_gpu_reset(x.r.g, err);
	return rc ? rc : tide_gpu_check(x.r.g, err);
}

int td_gpu_pressure_run(const struct td_gpu_setup *s, struct td_gpu_pressure *p,
			struct tide_error *err)
{
	struct pressing x;
	x.s = s;
	x.p = p;
	int rc = prepare(x, err);
	for (unsigned n = 0; n < p->rounds && !rc; n++)
		rc = round(x, n, err);
	if (!rc && p->expect && p->failed != p->expect)
		rc = tide_fail(err, -EPROTO, "no launch failed with \"%s\", as it should have",
			       strerror(-p->expect));
	if (!rc)
		rc = x.r.close(err);
	return rc;
}
