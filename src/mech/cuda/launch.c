/* Around kernels: is there room for its pins, and what came of it. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "core/assert.h"
#include "core/clock.h"
#include "orchestrate.h"
#include "runtime.h"
#include "tide/device/layout.h"

#define RESERVE 32 /* frames besides the pinned ones, so that the clock has something to choose */
#define LOOK_NS 20000
#define PATIENCE_NS 30000000000u /* with storage, besides the timeout */

int td_cuda_ready(const struct tide_gpu *g, struct tide_error *err)
{
	if (g->lost)
		return tide_fail(
			err, -EIO,
			"the GPU was lost in an earlier call: close this, and begin anew in "
			"another process");
	if (atomic_load(&g->running))
		return tide_fail(err, -EBUSY, "a kernel runs: end it first");
	return td_cuda_device.choose(g->set.device, err);
}

/* ---- the kernels' layout ---- */

/* A kernel of another layout would read and write whatever lies at its offsets. */
int td_cuda_kernels(struct tide_gpu *g, const struct tide_gpu_layout *kernels,
		    struct tide_error *err)
{
	struct tide_gpu_layout own = td_dev_layout();
	(void)g;
	if (kernels->version == own.version && kernels->bytes == own.bytes &&
	    kernels->placements == own.placements)
		return 0;
	return tide_fail(err, -EPROTO,
			 "the kernels were compiled with the headers of another tide: layout "
			 "%" PRIu32 ", %" PRIu32 " bytes, placements %08" PRIx32
			 ", and libtide_cuda.so has %" PRIu32 ", %" PRIu32 ", %08" PRIx32
			 ": compile them with its headers",
			 kernels->version, kernels->bytes, kernels->placements, own.version,
			 own.bytes, own.placements);
}

/* ---- begin ---- */

static uint64_t reserve_of(const struct td_cuda_settings *s)
{
	if (s->lockstep)
		return 1;
	return s->shards > RESERVE ? s->shards : RESERVE;
}

/* Every warp may hold all its pins while one of them looks for a frame. */
static int judge_pins(const struct tide_gpu *g, uint64_t warps, unsigned pins,
		      struct tide_error *err)
{
	uint64_t frames = g->set.near_pages, reserve = reserve_of(&g->set), held = 0;
	if (!__builtin_mul_overflow(warps, (uint64_t)pins, &held) && held <= UINT64_MAX - reserve &&
	    held + reserve <= frames)
		return 0;
	return tide_fail(err, -ENOSPC,
			 "near memory has %" PRIu64 " frames, and %" PRIu64 " warps with %u pages "
			 "each and a reserve of %" PRIu64 " need %" PRIu64
			 ": launch fewer warps, or give near memory of at least %" PRIu64 "p",
			 frames, warps, pins, reserve, held + reserve, held + reserve);
}

/* Pages that a warp may ask for at once, besides its pins. */
static uint32_t window_of(const struct tide_gpu *g, uint64_t warps, unsigned pins)
{
	uint64_t spare = g->set.near_pages - reserve_of(&g->set) - warps * pins;
	uint64_t window = 1 + (warps ? spare / warps : spare);
	if (g->set.lockstep)
		return 1;
	return window > TD_DEV_WINDOW ? TD_DEV_WINDOW : (uint32_t)window;
}

/* Where every page has a frame none has to leave, and kernels need not look whether one did. */
static uint32_t fits(const struct tide_gpu *g)
{
	return !g->orchestrator && g->pages_used <= g->set.near_pages;
}

static int clear(struct tide_gpu *g, uint32_t window, struct tide_error *err)
{
	uint32_t failed = 0, all = fits(g);
	memset(g->control.failure, 0, sizeof *g->control.failure);
	pthread_mutex_lock(&g->lock);
	g->failure = (struct td_cuda_failure){0};
	pthread_mutex_unlock(&g->lock);
	int rc = td_cuda_device.copy(&g->on_gpu->failed, &failed, sizeof failed, err);
	if (!rc && window != g->control.window)
		rc = td_cuda_device.copy(&g->on_gpu->window, &window, sizeof window, err);
	if (!rc && all != g->control.fits)
		rc = td_cuda_device.copy(&g->on_gpu->fits, &all, sizeof all, err);
	g->control.window = window;
	g->control.fits = all;
	return rc;
}

static int judge(struct tide_gpu *g, uint64_t warps, unsigned pins, uint32_t *window,
		 struct tide_error *err)
{
	if (g->orchestrator)
		return td_cuda_orchestrate_begin(g, warps, pins, window, err);
	int rc = judge_pins(g, warps, pins, err);
	if (!rc)
		*window = window_of(g, warps, pins);
	return rc;
}

int td_cuda_begin(struct tide_gpu *g, uint64_t warps, unsigned pins, struct tide_error *err)
{
	uint32_t window = 1;
	int rc = td_cuda_ready(g, err);
	if (!rc)
		rc = judge(g, warps, pins, &window, err);
	if (rc)
		return rc;
	td_assert(window >= 1 && window <= TD_DEV_WINDOW);
	rc = clear(g, window, err);
	if (rc && g->orchestrator)
		td_cuda_orchestrate_end(g, NULL);
	if (rc)
		return rc;
	pthread_mutex_lock(&g->lock);
	atomic_store(&g->running, 1);
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
	return 0;
}

/* ---- end ---- */

/* No kernel runs: what the rings have now is all there is. */
static int set_limits(struct tide_gpu *g, struct tide_error *err)
{
	struct td_dev_queue queue[TD_CUDA_PROXIES + 2];
	int rc = td_cuda_device.copy(queue, g->control.queue, g->rings_n * sizeof *queue, err);
	for (uint32_t i = 0; i < g->rings_n && !rc; i++)
		atomic_store(&g->rings[i].limit, queue[i].tail);
	return rc;
}

static bool is_quiet(const struct tide_gpu *g)
{
	for (uint32_t i = 0; i < g->rings_n; i++) {
		const struct td_cuda_ring *r = &g->rings[i];
		if (atomic_load(&r->taken) < atomic_load(&r->limit) || atomic_load(&r->open))
			return false;
	}
	return true;
}

static uint64_t served(const struct tide_gpu *g)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < g->rings_n; i++)
		n += atomic_load(&g->rings[i].taken) - atomic_load(&g->rings[i].open);
	return n;
}

/* Requests that nobody waits for any more, writes mostly, come to an end. */
static int await_quiet(struct tide_gpu *g, struct tide_error *err)
{
	static const struct timespec pause = {.tv_nsec = LOOK_NS};
	uint64_t since = td_clock_ns(), before = served(g),
		 limit_ns = g->set.timeout_ns + PATIENCE_NS;
	while (!is_quiet(g)) {
		nanosleep(&pause, NULL);
		if (served(g) != before) {
			before = served(g);
			since = td_clock_ns();
		}
		if (td_clock_ns() - since > limit_ns) {
			g->lost = true; /* it may still write to our memory */
			return tide_fail(err, -ETIMEDOUT,
					 "storage did not answer within %.3g s: is it still there?",
					 (double)limit_ns / 1e9);
		}
	}
	return 0;
}

/* A launch that the GPU refused leaves it as it was; a kernel that crashed does not. */
static int await_kernel(struct tide_gpu *g, struct tide_error *err)
{
	int rc = td_cuda_device.synchronize(err);
	if (rc && td_cuda_device.synchronize(NULL))
		g->lost = true;
	return rc;
}

static int first_of(int rc, int next)
{
	return rc ? rc : next;
}

int td_cuda_end(struct tide_gpu *g, struct tide_error *err)
{
	if (!atomic_load(&g->running))
		return tide_fail(err, -EINVAL, "no launch was begun: begin one first");
	int rc = await_kernel(g, err);
	if (!g->lost)
		rc = first_of(rc, set_limits(g, rc ? NULL : err));
	rc = first_of(rc, await_quiet(g, rc ? NULL : err));
	atomic_store(&g->running, 0);
	if (g->lost)
		return rc;
	td_assert(is_quiet(g));
	if (g->orchestrator)
		rc = first_of(rc, td_cuda_orchestrate_end(g, rc ? NULL : err));
	rc = first_of(rc, td_cuda_tell_failure(g, rc ? NULL : err));
	if (rc == -ETIMEDOUT)
		td_cuda_describe(g, err);
	if (rc) /* warps that gave up left slots and frames behind */
		td_cuda_settle(g, NULL);
	else
		td_checked(td_cuda_check_rest(g));
	return first_of(rc, td_cuda_log_write(g, rc ? NULL : err));
}
