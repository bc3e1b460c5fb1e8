/* Streams: each is a thread that does its works in order. A work waits for the works before it in
 * its stream, and for points of other streams, which are known when it is queued. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "fake.h"

cu_stream fake_streams;
static _Thread_local bool is_worker;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t leaving; /* of threads that have a stream of their own */

/* ---- memory that is not there ---- */

static struct sigaction before;

static void say(const char *text)
{
	ssize_t ignored = write(2, text, strlen(text));
	(void)ignored;
}

/* A stream's thread says where, and the program ends. Others do what they would have done. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	if (!is_worker) {
		sigaction(SIGSEGV, &before, NULL);
		return;
	}
	char text[96] = "fake cuda: work touched memory that is not mapped: 0x";
	size_t n = strlen(text);
	for (int shift = 44; shift >= 0; shift -= 4)
		text[n++] = "0123456789abcdef"[((uintptr_t)info->si_addr >> shift) & 15];
	say(text);
	say("\n");
	signal(SIGABRT, SIG_DFL);
	abort();
}

static void close_own(void *stream)
{
	pthread_mutex_lock(&fake_lock);
	((cu_stream)stream)->closed = true;
	pthread_cond_broadcast(&fake_progress);
	pthread_mutex_unlock(&fake_lock);
}

static void begin(void)
{
	struct sigaction act = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	sigaction(SIGSEGV, &act, &before);
	pthread_key_create(&leaving, close_own);
}

/* ---- the thread ---- */

bool fake_past(struct point until)
{
	return !until.stream || until.stream->done >= until.n;
}

static bool may_run(const struct op *op)
{
	for (size_t i = 0; i < op->points_n; i++)
		if (!fake_past(op->points[i]))
			return false;
	return true;
}

static void pause_now_and_then(void)
{
	unsigned n = fake_random(64);
	if (n > 56)
		usleep(n * 4);
}

static void run_first(cu_stream s)
{
	struct op *op = s->first;
	pthread_mutex_unlock(&fake_lock);
	pause_now_and_then();
	fake_work_run(&op->work);
	pthread_mutex_lock(&fake_lock);
	s->first = op->next;
	if (!s->first)
		s->last = &s->first;
	s->done++;
	pthread_cond_broadcast(&fake_progress);
	pthread_mutex_unlock(&fake_lock);
	fake_work_clear(&op->work);
	free(op);
	pthread_mutex_lock(&fake_lock);
}

static void *work(void *stream)
{
	cu_stream s = stream;
	is_worker = true;
	pthread_mutex_lock(&fake_lock);
	while (s->first || !s->closed) {
		if (s->first && may_run(s->first))
			run_first(s);
		else
			pthread_cond_wait(&fake_progress, &fake_lock);
	}
	s->started = false;
	pthread_mutex_unlock(&fake_lock);
	return NULL;
}

/* It takes no signals but its own mistakes. */
static void start(cu_stream s)
{
	pthread_once(&once, begin);
	sigset_t all, old;
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGABRT);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_t thread;
	if (pthread_create(&thread, NULL, work, s)) {
		say("fake cuda: no thread\n");
		abort();
	}
	pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	s->started = true;
}

/* ---- queueing ---- */

static bool blocks(cu_stream s)
{
	return !s->legacy && !(s->flags & CU_STREAM_NON_BLOCKING);
}

/* What the default stream's rules make a work of `s` wait for. Returns how many; `to` may be NULL.
 */
static size_t implied(cu_stream s, struct point *to)
{
	size_t n = 0;
	for (cu_stream o = fake_streams; o; o = o->next) {
		bool waits = o->context == s->context && o->done < o->queued &&
			     ((s->legacy && blocks(o)) || (o->legacy && blocks(s)));
		if (waits && to)
			to[n] = (struct point){o, o->queued};
		n += waits;
	}
	return n;
}

static void queue(cu_stream s, struct work *w, const struct point *more, size_t more_n,
		  struct point *at)
{
	size_t n = implied(s, NULL);
	struct op *op = fake_allocate(sizeof *op + (n + more_n) * sizeof *op->points);
	op->work = *w;
	op->points_n = n + more_n;
	implied(s, op->points);
	if (more_n)
		memcpy(op->points + n, more, more_n * sizeof *more);
	*s->last = op;
	s->last = &op->next;
	s->queued++;
	if (at)
		*at = (struct point){s, s->queued};
	if (!s->started)
		start(s);
	pthread_cond_broadcast(&fake_progress);
}

cu_result fake_submit(cu_stream s, struct work *w, const struct point *more, size_t more_n,
		      struct point *at)
{
	cu_result result = CU_INVALID_HANDLE;
	bool queued = false;
	if (at)
		*at = (struct point){0};
	if (s) {
		pthread_mutex_lock(&fake_lock);
		result = fake_capture_refuses(s);
		if (!result && s->capture)
			result = fake_capture_work(s, w);
		else if (!result)
			queue(s, w, more, more_n, at);
		queued = !result;
		pthread_mutex_unlock(&fake_lock);
	}
	if (!queued)
		fake_work_clear(w);
	return result;
}

cu_result fake_submit_and_wait(cu_stream s, struct work *w)
{
	struct point at;
	cu_result result = fake_submit(s, w, NULL, 0, &at);
	fake_wait(at);
	return result;
}

void fake_wait(struct point until)
{
	pthread_mutex_lock(&fake_lock);
	while (!fake_past(until))
		pthread_cond_wait(&fake_progress, &fake_lock);
	pthread_mutex_unlock(&fake_lock);
}

/* What is queued now, not what comes while it waits. */
void fake_wait_all(cu_context context)
{
	pthread_mutex_lock(&fake_lock);
	size_t n = 0, streams = 0;
	for (cu_stream s = fake_streams; s; s = s->next)
		streams++;
	struct point *all = fake_allocate(streams * sizeof *all);
	for (cu_stream s = fake_streams; s; s = s->next)
		if (!context || s->context == context)
			all[n++] = (struct point){s, s->queued};
	for (size_t i = 0; i < n; i++)
		while (!fake_past(all[i]))
			pthread_cond_wait(&fake_progress, &fake_lock);
	pthread_mutex_unlock(&fake_lock);
	free(all);
}

/* ---- which stream ---- */

cu_stream fake_stream_make(cu_context context, unsigned flags)
{
	cu_stream s = fake_make(MADE_STREAM, sizeof *s);
	s->context = context;
	s->flags = flags;
	s->last = &s->first;
	s->next = fake_streams;
	fake_streams = s;
	return s;
}

static cu_stream of_thread(cu_context context)
{
	uint64_t thread = fake_thread();
	pthread_once(&once, begin);
	pthread_mutex_lock(&fake_lock);
	cu_stream s = fake_streams;
	while (s && (s->thread != thread || s->context != context))
		s = s->next;
	if (!s) {
		s = fake_stream_make(context, 0);
		s->thread = thread;
		pthread_setspecific(leaving, s);
	}
	pthread_mutex_unlock(&fake_lock);
	return s;
}

cu_stream fake_stream(cu_stream named, bool per_thread)
{
	uintptr_t number = (uintptr_t)named;
	if (number > CU_STREAM_PER_THREAD)
		return fake_is(named, MADE_STREAM) && !named->closed ? named : NULL;
	cu_context context = fake_context();
	if (!context)
		return NULL;
	if (number == CU_STREAM_PER_THREAD || (!number && per_thread))
		return of_thread(context);
	return context->legacy;
}

/* ---- the exported functions ---- */

static cu_result create(cu_stream *stream, unsigned flags)
{
	if (!fake_context())
		return CU_INVALID_CONTEXT;
	if (flags & ~(unsigned)CU_STREAM_NON_BLOCKING)
		return CU_INVALID_VALUE;
	pthread_mutex_lock(&fake_lock);
	*stream = fake_stream_make(fake_context(), flags);
	pthread_mutex_unlock(&fake_lock);
	return CU_OK;
}

EXPORT cu_result cuStreamCreate(cu_stream *stream, unsigned flags)
{
	ENTER(cuStreamCreate);
	return create(stream, flags);
}

EXPORT cu_result cuStreamCreateWithPriority(cu_stream *stream, unsigned flags, int priority)
{
	ENTER(cuStreamCreateWithPriority);
	(void)priority;
	return create(stream, flags);
}

/* Its work goes on to the end. */
EXPORT cu_result cuStreamDestroy_v2(cu_stream stream)
{
	ENTER(cuStreamDestroy_v2);
	cu_stream s = (uintptr_t)stream > CU_STREAM_PER_THREAD ? fake_stream(stream, false) : NULL;
	if (!s)
		return CU_INVALID_HANDLE;
	pthread_mutex_lock(&fake_lock);
	s->closed = true;
	pthread_cond_broadcast(&fake_progress);
	pthread_mutex_unlock(&fake_lock);
	return CU_OK;
}

/* A stream that captures cannot be waited for, nor can any while a capture forbids it. */
static cu_result may_wait(cu_stream s)
{
	if (!s)
		return CU_INVALID_HANDLE;
	pthread_mutex_lock(&fake_lock);
	bool captures = s->capture;
	if (captures)
		s->capture->bad = true;
	pthread_mutex_unlock(&fake_lock);
	return captures ? CU_STREAM_CAPTURE_UNSUPPORTED : fake_unsafe();
}

/* The default stream stands for all that it waits for. */
static cu_result synchronize(cu_stream s)
{
	cu_result refused = may_wait(s);
	if (refused)
		return refused;
	if (s->legacy)
		return fake_submit_and_wait(s, &(struct work){.kind = CU_NODE_EMPTY});
	pthread_mutex_lock(&fake_lock);
	struct point at = {s, s->queued};
	pthread_mutex_unlock(&fake_lock);
	fake_wait(at);
	return CU_OK;
}

static cu_result query(cu_stream s)
{
	cu_result refused = may_wait(s);
	if (refused)
		return refused;
	pthread_mutex_lock(&fake_lock);
	bool busy = s->done < s->queued || (s->legacy && implied(s, NULL));
	pthread_mutex_unlock(&fake_lock);
	return busy ? CU_NOT_READY : CU_OK;
}

BOTH_SZ(cuStreamSynchronize, (cu_stream stream), synchronize(fake_stream(stream, per_thread)))
BOTH_SZ(cuStreamQuery, (cu_stream stream), query(fake_stream(stream, per_thread)))
BOTH_SZ(cuLaunchHostFunc, (cu_stream stream, void (*call)(void *), void *data),
	fake_submit(fake_stream(stream, per_thread),
		    &(struct work){.kind = CU_NODE_HOST, .host = {call, data}}, NULL, 0, NULL))
