/* Pages between main memory and device memory of the buffer pool, so many in one call: what one
 * costs, against other ways of doing it. */
#include "bench.h"
#include "core/clock.h"
#include "cuda.cuh"

extern "C" {
#include "pool/device.h"
}

#define PAGE 4096
#define PAGES 16384 /* of main and of device memory each: more than caches hold */
#define MOST 256
#define EACH 16384 /* pages moved in one measurement, or 1,024 calls if that is less */

/* Some way of moving pages; in: to main memory. */
struct way {
	const char *what;

	explicit way(const char *name) : what(name)
	{
	}
	virtual ~way()
	{
	}
	virtual int open(unsigned char *frames, struct tide_error *err) = 0;
	virtual void close() = 0;
	virtual int move(bool in, const uint32_t *slots, void *const *at, size_t n) = 0;
};

/* ---- as the pool does it ---- */

struct device_way : way {
	const struct td_pool_device *device;
	bool pinned;
	void *state = nullptr;

	device_way(const char *name, const struct td_pool_device *d, bool pin)
	    : way(name), device(d), pinned(pin)
	{
	}
	void close() override
	{
		device->free(state);
		state = nullptr;
	}
	int open(unsigned char *frames, struct tide_error *err) override
	{
		struct td_pool_want want = {PAGES, PAGE, MOST, 0, nullptr};
		int rc = device->alloc(&state, &want, err);
		return rc || !pinned ? rc : device->pin(state, frames, (size_t)PAGES * PAGE, err);
	}
	int move(bool in, const uint32_t *slots, void *const *at, size_t n) override
	{
		return in ? device->gather(state, slots, at, n)
			  : device->scatter(state, slots, (const void *const *)at, n);
	}
};

/* ---- by the copy engine ---- */

struct engine_way : way {
	memory slots, pinned;

	explicit engine_way(const char *name) : way(name)
	{
	}
	int open(unsigned char *, struct tide_error *err) override
	{
		int rc = slots.make(DEVICE, (uint64_t)(PAGES + MOST) * PAGE, err);
		return rc ? rc : pinned.make(PINNED, (uint64_t)MOST * PAGE, err);
	}
	void close() override
	{
		slots.free();
		pinned.free();
	}
	unsigned char *slot(uint32_t i) const
	{
		return slots.as<unsigned char>() + (size_t)i * PAGE;
	}
	unsigned char *staging(size_t i) const
	{
		return pinned.as<unsigned char>() + i * PAGE;
	}
	/* Between the pinned buffer and main memory: the processor. */
	void copy_pages(bool in, void *const *at, size_t n) const
	{
		for (size_t i = 0; i < n; i++)
			memcpy(in ? at[i] : staging(i), in ? staging(i) : at[i], PAGE);
	}
};

struct page_by_page : engine_way {
	using engine_way::engine_way;
	int move(bool in, const uint32_t *at, void *const *frames, size_t n) override
	{
		cudaError_t e = cudaSuccess;
		if (!in)
			copy_pages(in, frames, n);
		for (size_t i = 0; i < n && e == cudaSuccess; i++)
			e = cudaMemcpyAsync(in ? staging(i) : slot(at[i]),
					    in ? slot(at[i]) : staging(i), PAGE, cudaMemcpyDefault);
		if (e == cudaSuccess)
			e = cudaStreamSynchronize(nullptr);
		if (in)
			copy_pages(in, frames, n);
		return e == cudaSuccess ? 0 : -EIO;
	}
};

struct numbers {
	uint32_t at[MOST];
};

/* A block per page: between its slot and the place of its number in a row. */
static __global__ void line_up(const __grid_constant__ struct numbers slots, uint4 *all, uint4 *row,
			       bool in)
{
	uint4 *slot = all + (size_t)slots.at[blockIdx.x] * (PAGE / 16) + threadIdx.x;
	uint4 *place = row + (size_t)blockIdx.x * (PAGE / 16) + threadIdx.x;
	if (in)
		*place = *slot;
	else
		*slot = *place;
}

struct kernel_and_copy : engine_way {
	using engine_way::engine_way;
	int move(bool in, const uint32_t *at, void *const *frames, size_t n) override
	{
		struct numbers slots = {};
		void *row = slot(PAGES);
		cudaError_t e = cudaSuccess;
		memcpy(slots.at, at, n * sizeof *at);
		if (!in) {
			copy_pages(in, frames, n);
			e = cudaMemcpyAsync(row, pinned.at, n * PAGE, cudaMemcpyDefault);
		}
		line_up<<<(unsigned)n, PAGE / 16>>>(slots, (uint4 *)this->slots.at, (uint4 *)row,
						    in);
		if (in && e == cudaSuccess)
			e = cudaMemcpyAsync(pinned.at, row, n * PAGE, cudaMemcpyDefault);
		if (e == cudaSuccess)
			e = cudaStreamSynchronize(nullptr);
		if (in)
			copy_pages(in, frames, n);
		return e == cudaSuccess ? 0 : -EIO;
	}
};

/* ---- measuring ---- */

struct batches {
	unsigned char *frames;
	uint64_t random;
	uint32_t slots[MOST];
	void *at[MOST];

	/* Different slots, and different frames: a step that is odd meets each of them once. */
	void draw(size_t n)
	{
		uint64_t luck = tide_random_next(&random);
		uint32_t slot = (uint32_t)luck, frame = (uint32_t)(luck >> 32);
		for (size_t i = 0; i < n; i++) {
			slots[i] = (slot += 7919) % PAGES;
			at[i] = frames + (size_t)((frame += 6271) % PAGES) * PAGE;
		}
	}
};

/* Nanoseconds per page. */
static int time_batch(struct way &w, struct batches &b, bool in, size_t n, double *ns,
		      struct tide_error *err)
{
	size_t calls = EACH / n < 1024 ? EACH / n : 1024;
	int rc = 0;
	uint64_t since = td_clock_ns();
	for (size_t i = 0; i < calls && !rc; i++) {
		b.draw(n);
		rc = w.move(in, b.slots, b.at, n);
	}
	*ns = (double)(td_clock_ns() - since) / (double)(calls * n);
	return rc ? tide_fail(err, rc, "a transfer failed: %s", strerror(-rc)) : 0;
}

/* What went out comes back. */
static int check(struct way &w, struct batches &b, struct tide_error *err)
{
	unsigned char *was = new unsigned char[(size_t)MOST * PAGE];
	b.draw(MOST);
	for (size_t i = 0; i < MOST; i++) {
		memset(b.at[i], (int)i, PAGE);
		memcpy((unsigned char *)b.at[i] + i * 16, &i, sizeof i);
		memcpy(was + i * PAGE, b.at[i], PAGE);
	}
	int rc = w.move(false, b.slots, b.at, MOST);
	for (size_t i = 0; i < MOST; i++)
		memset(b.at[i], 0, PAGE);
	if (!rc)
		rc = w.move(true, b.slots, b.at, MOST);
	for (size_t i = 0; i < MOST && !rc; i++)
		rc = memcmp(b.at[i], was + i * PAGE, PAGE) ? -EBADMSG : 0;
	delete[] was;
	return rc ? tide_fail(err, rc, "%s: pages did not come back as they were", w.what) : 0;
}

struct curve {
	double in_ns, out_ns; /* of one page at batch 1; then at the largest */
};

static int time_way(struct way &w, struct batches &b, const struct td_gpu_setup *s,
		    struct td_gpu_table *table, struct curve *fall, struct tide_error *err)
{
	struct curve first = {0, 0}, now = {0, 0};
	int rc = w.open(b.frames, err);
	if (!rc)
		rc = check(w, b, err);
	for (size_t n = 1; n <= MOST && !rc; n *= 4) {
		rc = median_of(5, &now.in_ns, err, [&](double *once, struct tide_error *e) {
			return time_batch(w, b, true, n, once, e);
		});
		if (!rc)
			rc = median_of(5, &now.out_ns, err,
				       [&](double *once, struct tide_error *e) {
					       return time_batch(w, b, false, n, once, e);
				       });
		if (rc)
			break;
		first = n == 1 ? now : first;
		struct td_gpu_measure m = {};
		snprintf(m.what, sizeof m.what, "%s", w.what);
		m.batch = n;
		m.gather_page_ns = now.in_ns;
		m.scatter_page_ns = now.out_ns;
		td_gpu_table_measure(table, &m);
		td_gpu_tell(s, "  %s, batch %zu: %.0f ns a page to main memory, %.0f from it",
			    w.what, n, now.in_ns, now.out_ns);
	}
	*fall = {1 - now.in_ns / first.in_ns, 1 - now.out_ns / first.out_ns};
	return rc;
}

int td_gpu_bench_pool(const struct td_gpu_setup *s, struct td_gpu_table *table,
		      struct tide_error *err)
{
	device_way cuda_way("cuda", &td_pool_device_cuda, true);
	device_way staged("cuda, main memory not pinned", &td_pool_device_cuda, false);
	device_way ram("ram", &td_pool_device_ram, false);
	kernel_and_copy copied("kernel, copy engine, processor");
	page_by_page single("copy engine page by page, processor");
	struct way *const ways[] = {&cuda_way, &staged, &copied, &single, &ram};
	struct curve fall[5];
	struct batches b = {};
	void *at = aligned_alloc(2 * TD_GPU_MIB, (size_t)PAGES * PAGE);
	int rc = at ? 0 : tide_fail(err, -ENOMEM, "no memory");
	b.frames = (unsigned char *)at;
	b.random = td_gpu_seed(s);
	if (at)
		memset(at, 1, (size_t)PAGES * PAGE);
	for (size_t i = 0; i < 5 && !rc; i++) {
		rc = time_way(*ways[i], b, s, table, &fall[i], err);
		ways[i]->close(); /* the next one is to find main memory as it was */
	}
	if (!rc) {
		td_gpu_table_claim(table, s, "cuda, to main memory: fall from batch 1 to 256",
				   TD_GPU_AT_LEAST, 0.87, fall[0].in_ns);
		td_gpu_table_claim(table, s, "cuda, from main memory: fall from batch 1 to 256",
				   TD_GPU_AT_LEAST, 0.87, fall[0].out_ns);
	}
	free(at);
	return rc;
}
