/* Events: a point of a stream, or of a capture. */
#include <time.h>

#include "fake.h"

void fake_stamp_drop(struct stamp *s)
{
	if (s && !--s->refs)
		free(s);
}

/* Until it is recorded again, whoever waits for it waits for what it stood for. */
static void forget(cu_event e)
{
	fake_stamp_drop(e->stamp);
	free(e->tips);
	e->stamp = NULL;
	e->tips = NULL;
	e->tips_n = 0;
	e->capture = 0;
}

EXPORT cu_result cuEventCreate(cu_event *event, unsigned flags)
{
	ENTER(cuEventCreate);
	if (!fake_context())
		return CU_INVALID_CONTEXT;
	(void)flags;
	*event = fake_make(MADE_EVENT, sizeof **event);
	return CU_OK;
}

EXPORT cu_result cuEventDestroy_v2(cu_event event)
{
	ENTER(cuEventDestroy_v2);
	if (!fake_is(event, MADE_EVENT))
		return CU_INVALID_HANDLE;
	pthread_mutex_lock(&fake_lock);
	forget(event);
	pthread_mutex_unlock(&fake_lock);
	fake_unmake(event);
	return CU_OK;
}

static cu_result record(cu_event e, cu_stream s)
{
	if (!s || !fake_is(e, MADE_EVENT))
		return CU_INVALID_HANDLE;
	pthread_mutex_lock(&fake_lock);
	bool captures = s->capture;
	forget(e);
	if (captures)
		fake_capture_event(s, e);
	struct stamp *stamp = captures ? NULL : fake_allocate(sizeof *stamp);
	if (stamp)
		stamp->refs = 2;
	e->stamp = stamp;
	pthread_mutex_unlock(&fake_lock);
	if (captures)
		return CU_OK;
	struct point at;
	cu_result result =
		fake_submit(s, &(struct work){.kind = WORK_STAMP, .stamp = stamp}, NULL, 0, &at);
	pthread_mutex_lock(&fake_lock);
	e->at = at;
	pthread_mutex_unlock(&fake_lock);
	return result;
}

static cu_result wait_for(cu_stream s, cu_event e)
{
	if (!s || !fake_is(e, MADE_EVENT))
		return CU_INVALID_HANDLE;
	bool done = false;
	pthread_mutex_lock(&fake_lock);
	cu_result result = fake_capture_wait(s, e, &done);
	struct point at = e->at;
	pthread_mutex_unlock(&fake_lock);
	if (result || done)
		return result;
	return fake_submit(s, &(struct work){.kind = CU_NODE_EMPTY}, &at, 1, NULL);
}

BOTH_SZ(cuEventRecord, (cu_event event, cu_stream stream),
	record(event, fake_stream(stream, per_thread)))
BOTH_SZ(cuEventRecordWithFlags, (cu_event event, cu_stream stream, unsigned flags),
	((void)flags, record(event, fake_stream(stream, per_thread))))
BOTH_SZ(cuStreamWaitEvent, (cu_stream stream, cu_event event, unsigned flags),
	((void)flags, wait_for(fake_stream(stream, per_thread), event)))

static cu_result may_ask(cu_event e, struct point *at)
{
	if (!fake_is(e, MADE_EVENT))
		return CU_INVALID_HANDLE;
	pthread_mutex_lock(&fake_lock);
	bool captured = e->capture;
	*at = e->at;
	pthread_mutex_unlock(&fake_lock);
	return captured ? FAKE_CAPTURED_EVENT : fake_unsafe();
}

EXPORT cu_result cuEventQuery(cu_event event)
{
	ENTER(cuEventQuery);
	struct point at;
	cu_result refused = may_ask(event, &at);
	if (refused)
		return refused;
	pthread_mutex_lock(&fake_lock);
	bool past = fake_past(at);
	pthread_mutex_unlock(&fake_lock);
	return past ? CU_OK : CU_NOT_READY;
}

EXPORT cu_result cuEventSynchronize(cu_event event)
{
	ENTER(cuEventSynchronize);
	struct point at;
	cu_result refused = may_ask(event, &at);
	if (!refused)
		fake_wait(at);
	return refused;
}

EXPORT cu_result cuEventElapsedTime(float *ms, cu_event from, cu_event to)
{
	ENTER(cuEventElapsedTime);
	if (!fake_is(from, MADE_EVENT) || !fake_is(to, MADE_EVENT))
		return CU_INVALID_HANDLE;
	pthread_mutex_lock(&fake_lock);
	cu_result result = CU_OK;
	if (!from->stamp || !to->stamp)
		result = CU_INVALID_HANDLE;
	else if (!fake_past(from->at) || !fake_past(to->at))
		result = CU_NOT_READY;
	else
		*ms = (float)((double)(int64_t)(to->stamp->ns - from->stamp->ns) / 1e6);
	pthread_mutex_unlock(&fake_lock);
	return result;
}
