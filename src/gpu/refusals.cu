/* What the runtime must refuse, or must tell, and stay usable. */
#include <cctype>
#include <fcntl.h>

#include "cuda.cuh"
#include "selftest.h"

static __global__ void sum_words(struct tide_span a, uint64_t words, unsigned *sum)
{
	unsigned all = 0;
	for (uint64_t first = warp_id() * 32; first < words; first += warps_all() * 32) {
		uint64_t i = first + lane_id();
		all += (unsigned)(tide_read<uint64_t>(a, i, i < words) >> 32);
	}
	add_up(all, sum);
}

static __global__ void write_words(struct tide_span a, uint64_t words)
{
	for (uint64_t first = warp_id() * 32; first < words; first += warps_all() * 32) {
		uint64_t i = first + lane_id();
		tide_write<uint64_t>(a, i, i, i < words);
	}
}

/* As it was to be refused: the number and a text of two parts; the text goes into the detail. */
static int refused(int rc, int expected, const struct tide_error *said, const char *with,
		   char *detail, size_t room, struct tide_error *err)
{
	snprintf(detail, room, "%s", said->text);
	if (rc != expected)
		return tide_fail(err, -EPROTO,
				 "it was to end with \"%s\", and ended with %d: %.300s",
				 strerror(-expected), rc, rc ? said->text : "no error");
	if (!strchr(said->text, ':') || (with && !strstr(said->text, with)))
		return tide_fail(err, -EPROTO, "the error does not say %s: %.300s",
				 with ? with : "what to do", said->text);
	return 0;
}

/* A runtime with near memory of 256 pages of 64 KiB over a file of 320. */
struct small {
	runtime r;
	struct tide_span a = {};
	char path[TD_GPU_PATH] = "";
	uint64_t bytes = 20 * TD_GPU_MIB;

	~small()
	{
		r.close(nullptr);
		if (*path)
			unlink(path);
	}
	int open(const struct td_gpu_setup *s, bool writable, struct tide_error *err)
	{
		struct tide_gpu_options o = {};
		o.size = sizeof o;
		o.near_size = "256p";
		o.place = "bam";
		o.timeout = "10s";
		int rc = td_gpu_path(path, s, "small", err);
		if (!rc)
			rc = td_gpu_file_make(path, bytes, err);
		if (!rc)
			rc = r.open(s, &o, err);
		return rc ? rc : r.file(&a, path, writable, 0, err);
	}
	/* The whole file is read, and is right. */
	int use(struct tide_error *err)
	{
		memory sum;
		double ns;
		unsigned seen = 0, right = 0;
		for (uint64_t i = 0; i < bytes / 8; i++)
			right += (unsigned)(td_gpu_word(i) >> 32);
		int rc = sum.make(DEVICE, 4, err);
		if (!rc)
			rc = CUDA(cudaMemset(sum.at, 0, 4));
		if (!rc)
			rc = run_kernel(r.g, &ns, err, shape{8, 128, 1}, sum_words, a, bytes / 8,
					sum.as<unsigned>());
		if (!rc)
			rc = CUDA(cudaMemcpy(&seen, sum.at, 4, cudaMemcpyDeviceToHost));
		if (!rc && seen != right)
			rc = tide_fail(err, -EILSEQ, "the sum of the file is %#x, not %#x", seen,
				       right);
		return rc ? rc : tide_gpu_check(r.g, err);
	}
};

static int too_few_frames(const struct td_gpu_setup *s, char *detail, size_t room,
			  struct tide_error *err)
{
	small x;
	double ns;
	struct tide_error said = {};
	int rc = x.open(s, false, err);
	if (rc)
		return rc;
	rc = run_kernel(x.r.g, &ns, &said, shape{64, 256, 4}, write_words, x.a, x.bytes / 8);
	rc = refused(rc, -ENOSPC, &said, "256", detail, room, err);
	return rc ? rc : x.use(err);
}

/* More than can be counted on one page, though near memory has frames for all. */
static int too_many_pins(const struct td_gpu_setup *s, char *detail, size_t room,
			 struct tide_error *err)
{
	runtime r;
	struct tide_error said = {};
	struct tide_gpu_options o = {};
	o.size = sizeof o;
	o.page = "4K";
	o.near_size = "70000p";
	o.address = "70000p";
	int rc = r.open(s, &o, err);
	if (rc)
		return rc;
	rc = tide_gpu_begin(r.g, 8448, 8, &said);
	return refused(rc, -EINVAL, &said, "8191", detail, room, err);
}

static int file_too_small(const struct td_gpu_setup *s, char *detail, size_t room,
			  struct tide_error *err)
{
	small x;
	struct tide_span b;
	struct tide_error said = {};
	struct tide_gpu_array_options how = {};
	how.size = sizeof how;
	int rc = x.open(s, false, err);
	if (rc)
		return rc;
	how.path = x.path;
	rc = tide_gpu_array(x.r.g, &b, 2 * x.bytes, &how, &said);
	rc = refused(rc, -EINVAL, &said, nullptr, detail, room, err);
	return rc ? rc : x.use(err);
}

/* It got shorter while it was in use. */
static int file_cut(const struct td_gpu_setup *s, char *detail, size_t room, struct tide_error *err)
{
	small x;
	struct tide_error said = {};
	int rc = x.open(s, false, err);
	if (rc)
		return rc;
	if (truncate(x.path, (off_t)(x.bytes / 2)))
		return tide_fail(err, -errno, "cannot cut %s: %s", x.path, strerror(errno));
	rc = refused(x.use(&said), -EIO, &said, nullptr, detail, room, err);
	return rc ? rc : tide_gpu_check(x.r.g, err);
}

static int no_file(const struct td_gpu_setup *s, char *detail, size_t room, struct tide_error *err)
{
	small x;
	struct tide_span b;
	struct tide_error said = {};
	struct tide_gpu_array_options how = {};
	how.size = sizeof how;
	int rc = x.open(s, false, err);
	if (rc)
		return rc;
	how.path = "/nowhere/at/all";
	rc = tide_gpu_array(x.r.g, &b, 0, &how, &said);
	rc = refused(rc, -ENOENT, &said, "/nowhere/at/all", detail, room, err);
	return rc ? rc : x.use(err);
}

static int not_writable(const struct td_gpu_setup *s, char *detail, size_t room,
			struct tide_error *err)
{
	small x;
	double ns;
	struct tide_error said = {};
	int rc = x.open(s, false, err);
	if (rc)
		return rc;
	rc = run_kernel(x.r.g, &ns, &said, shape{4, 128, 1}, write_words, x.a, x.bytes / 8);
	rc = refused(rc, -EROFS, &said, nullptr, detail, room, err);
	/* What is still near is refused once more, and dropped. */
	if (!rc && tide_gpu_reset(x.r.g, err))
		rc = tide_gpu_reset(x.r.g, err);
	return rc ? rc : x.use(err);
}

/* More than any card has; afterwards a small one opens as ever. */
static int out_of_memory(const struct td_gpu_setup *s, char *detail, size_t room,
			 struct tide_error *err)
{
	small x;
	runtime huge;
	struct tide_error said = {};
	struct tide_gpu_options o = {};
	o.size = sizeof o;
	o.near_size = "2T";
	o.page = "2M";
	o.address = "3T";
	int rc = refused(huge.open(s, &o, &said), -ENOMEM, &said, nullptr, detail, room, err);
	if (!rc)
		rc = x.open(s, false, err);
	return rc ? rc : x.use(err);
}

static int no_storage_folder(const struct td_gpu_setup *s, char *detail, size_t room,
			     struct tide_error *err)
{
	runtime r;
	struct tide_span a;
	struct tide_error said = {};
	struct tide_gpu_options o = {};
	o.size = sizeof o;
	o.near_size = "256p";
	o.storage = "/nowhere/at/all";
	int rc = r.open(s, &o, &said);
	if (!rc)
		rc = r.array(&a, TD_GPU_MIB, &said);
	return refused(rc, -ENOENT, &said, "/nowhere/at/all", detail, room, err);
}

const struct td_gpu_case td_gpu_refusals[] = {
	{"too-few-frames", too_few_frames},
	{"too-many-pins", too_many_pins},
	{"file-too-small", file_too_small},
	{"file-cut", file_cut},
	{"no-file", no_file},
	{"not-writable", not_writable},
	{"out-of-memory", out_of_memory},
	{"no-storage", no_storage_folder},
	{nullptr, nullptr},
};
