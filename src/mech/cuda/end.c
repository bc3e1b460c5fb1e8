/* After a kernel: it has ended, and what it asked for has too; and what came of it. */
#include <errno.h>
#include <inttypes.h>
#include <time.h>

#include "core/assert.h"
#include "core/clock.h"
#include "orchestrate.h"
#include "runtime.h"

#define LOOK_NS 20000
#define PATIENCE_NS 30000000000u /* with storage, besides the timeout */
#define GRACE_NS 10000000000u    /* for a kernel that is given up */

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
		int rc = g->orchestrator ? td_cuda_orchestrate_look(g, err) : 0;
		if (rc)
			return rc;
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

/* ---- a kernel that does not end ---- */

static uint64_t accesses(struct td_cuda_stream *s, const struct tide_gpu *g)
{
	struct td_dev_clock clock[TD_DEV_CLOCKS] = {{0}};
	uint64_t n = 0;
	if (!td_cuda_device.stream_copy(s, clock, g->on_gpu->clock, sizeof clock))
		td_cuda_device.stream_wait(s);
	for (unsigned i = 0; i < TD_DEV_CLOCKS; i++)
		n += clock[i].accesses;
	return n;
}

/* Nothing that tide does waits any more, as after a failure. */
static void end_waits(struct td_cuda_stream *s, struct tide_gpu *g)
{
	uint32_t failed = 1;
	if (!td_cuda_device.stream_copy(s, &g->on_gpu->failed, &failed, sizeof failed))
		td_cuda_device.stream_wait(s);
}

static int tell_stuck(struct tide_gpu *g, uint64_t before, uint64_t after, struct tide_error *err)
{
	g->lost = g->stuck = true;
	return tide_fail(
		err, -ETIMEDOUT,
		"the kernel ran for %.3g s, and for %.3g s more after all waits of tide "
		"were ended; it accessed %" PRIu64 " pages, %" PRIu64
		" of them in the end: it loops, or a warp is stuck in a collective that not "
		"all of its lanes call: compile it with TIDE_DEVICE_CHECK to find which; it "
		"runs on until this process ends",
		(double)g->set.watch_ns / 1e9, (double)GRACE_NS / 1e9, after, after - before);
}

static int give_up(struct tide_gpu *g, struct tide_error *err)
{
	struct td_cuda_stream *s = NULL;
	uint64_t before = 0, after = 0;
	int rc = td_cuda_device.stream_open(&s, err);
	if (rc) {
		g->lost = g->stuck = true;
		return rc;
	}
	before = accesses(s, g);
	end_waits(s, g);
	rc = td_cuda_device.synchronize(GRACE_NS, err);
	if (rc == -ETIMEDOUT)
		after = accesses(s, g);
	td_cuda_device.stream_close(s);
	if (rc == -ETIMEDOUT)
		return tell_stuck(g, before, after, err);
	if (rc)
		return rc;
	return tide_fail(
		err, -ETIMEDOUT,
		"the kernel ran for more than %.3g s, so all waits of tide were ended, and it "
		"then ended with results that are not whole: give a longer watch, or find "
		"what it waited for",
		(double)g->set.watch_ns / 1e9);
}

/* A launch that the GPU refused leaves it as it was; a kernel that crashed does not. */
static int await_kernel(struct tide_gpu *g, struct tide_error *err)
{
	int rc = td_cuda_device.synchronize(g->set.watch_ns, err);
	if (rc == -ETIMEDOUT)
		return give_up(g, err);
	if (rc && td_cuda_device.synchronize(0, NULL))
		g->lost = true;
	return rc;
}

static int first_of(int rc, int next)
{
	return rc ? rc : next;
}

static int why_lost(struct tide_gpu *g, int rc, struct tide_error *err)
{
	int late = g->orchestrator ? td_cuda_orchestrate_late(g, err) : 0;
	if (late)
		return late;
	return td_cuda_misused(g) ? td_cuda_tell_failure(g, err) : rc;
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
		return why_lost(g, rc, err);
	td_assert(is_quiet(g));
	if (g->orchestrator)
		rc = first_of(rc, td_cuda_orchestrate_end(g, rc ? NULL : err));
	if (g->lost)
		return why_lost(g, rc, err);
	rc = first_of(rc, td_cuda_tell_failure(g, rc ? NULL : err));
	if (rc == -ETIMEDOUT)
		td_cuda_describe(g, err);
	if (rc) /* warps that gave up left slots and frames behind */
		td_cuda_settle(g, NULL);
	else
		td_checked(td_cuda_check_rest(g));
	return first_of(rc, td_cuda_log_write(g, rc ? NULL : err));
}
