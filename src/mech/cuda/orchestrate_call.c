/* Calls of policies, which may not return: threads make them, and whoever waits looks how long one
 * takes. */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "core/clock.h"
#include "orchestrator.h"

/* A shorter timeout is meant for storage, not for policies. */
#define LEAST_NS UINT64_C(1000000000)

/* ---- how long a call takes ---- */

static uint64_t limit_ns(const struct td_cuda_orchestrator *o)
{
	uint64_t timeout_ns = o->g->set.timeout_ns;
	return timeout_ns > LEAST_NS ? timeout_ns : LEAST_NS;
}

static int give_up(struct td_cuda_orchestrator *o, struct tide_error *err)
{
	char late[300];
	if (!td_engine_late(o->engine, o->evict, o->prefetch, td_looks_seconds(&o->looks), late,
			    sizeof late))
		return 0; /* it has just returned */
	o->g->lost = o->g->stuck = true;
	tide_fail(&o->late, -ETIMEDOUT,
		  "%s: mend the policy or give a longer `timeout`, and open another runtime: "
		  "this one cannot go on, and what was synced is in its files",
		  late);
	return td_cuda_orchestrate_late(o->g, err);
}

int td_cuda_orchestrate_late(const struct tide_gpu *g, struct tide_error *err)
{
	const struct tide_error *late = &g->orchestrator->late;
	return late->code ? tide_fail(err, late->code, "%s", late->text) : 0;
}

int td_cuda_orchestrate_look(struct tide_gpu *g, struct tide_error *err)
{
	struct td_cuda_orchestrator *o = g->orchestrator;
	const struct tide_policy *policy;
	uint64_t turn = 0, now_ns = td_clock_ns();
	if (!o->engine || now_ns - o->looked_ns < TD_LOOK_NS)
		return 0;
	o->looked_ns = now_ns;
	bool calling = td_engine_calling(o->engine, &turn, &policy) != NULL;
	return td_looks_late(&o->looks, calling, turn, limit_ns(o)) ? give_up(o, err) : 0;
}

/* ---- the threads ---- */

void td_orch_say_done(struct td_cuda_orchestrator *o)
{
	uint64_t one = 1;
	while (write(o->done_fd, &one, sizeof one) < 0 && errno == EINTR)
		;
}

int td_orch_join(struct td_cuda_orchestrator *o, struct tide_error *err)
{
	struct pollfd done = {o->done_fd, POLLIN, 0};
	uint64_t times;
	while (poll(&done, 1, TD_LOOK_MS) <= 0) {
		int rc = td_cuda_orchestrate_look(o->g, err);
		if (rc)
			return rc;
	}
	while (read(o->done_fd, &times, sizeof times) < 0 && errno == EINTR)
		;
	pthread_join(o->thread, NULL);
	o->started = false;
	return 0;
}

static void *run_task(void *arg)
{
	struct td_cuda_orchestrator *o = arg;
	o->task.rc = o->task.work(o, o->task.arg, &o->task.err);
	td_orch_say_done(o);
	return NULL;
}

int td_orch_call(struct td_cuda_orchestrator *o, td_orch_work *work, void *arg,
		 struct tide_error *err)
{
	o->task = (struct td_orch_task){.work = work, .arg = arg};
	int rc = td_cuda_start(&o->thread, "tide-policy", run_task, o, err);
	if (rc)
		return rc;
	o->started = true;
	rc = td_orch_join(o, err);
	if (!rc && o->task.rc)
		rc = tide_fail(err, o->task.rc, "%s", o->task.err.text);
	return rc;
}
