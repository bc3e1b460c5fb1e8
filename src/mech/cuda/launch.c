/* Before a kernel: is it of our layout, and is there room for its pins? */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core/assert.h"
#include "orchestrate.h"
#include "runtime.h"
#include "tide/device/layout.h"

#define RESERVE 32 /* frames besides the pinned ones, so that the clock has something to choose */

int td_cuda_ready(const struct tide_gpu *g, struct tide_error *err)
{
	int late = g->orchestrator ? td_cuda_orchestrate_late(g, err) : 0;
	if (late)
		return late;
	if (g->lost)
		return tide_fail(
			err, -EIO,
			"the GPU was lost in an earlier call: close this, and begin anew in "
			"another process");
	if (atomic_load(&g->running))
		return tide_fail(err, -EBUSY, "a kernel runs: end it first");
	return 0;
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

static int clear(struct tide_gpu *g, uint32_t window, uint32_t pins, struct tide_error *err)
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
	if (!rc && pins != g->control.pins)
		rc = td_cuda_device.copy(&g->on_gpu->pins, &pins, sizeof pins, err);
	g->control.window = window;
	g->control.fits = all;
	g->control.pins = pins;
	return rc;
}

/* All warps may hold the same page, once for each of their pins, and wait for others with pins on
 * it. A count that wrapped would let the page go. */
static int judge_count(uint64_t warps, unsigned pins, struct tide_error *err)
{
	uint64_t held = 0;
	if (!__builtin_mul_overflow(warps, (uint64_t)pins, &held) && held <= TD_DEV_PINS_MAX)
		return 0;
	return tide_fail(err, -EINVAL,
			 "%" PRIu64 " warps with %u pins each could pin one page more often than "
			 "the %u times that can be counted: launch at most %u warps",
			 warps, pins, TD_DEV_PINS_MAX, TD_DEV_PINS_MAX / pins);
}

static int judge(struct tide_gpu *g, uint64_t warps, unsigned pins, uint32_t *window,
		 struct tide_error *err)
{
	int rc = g->orchestrator ? 0 : judge_pins(g, warps, pins, err);
	if (!rc)
		rc = judge_count(warps, pins, err);
	if (rc)
		return rc;
	if (g->orchestrator)
		return td_cuda_orchestrate_begin(g, warps, pins, window, err);
	*window = window_of(g, warps, pins);
	return 0;
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
	rc = clear(g, window, pins, err);
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
