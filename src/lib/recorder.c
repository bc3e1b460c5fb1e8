#include "recorder.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "trace/trace.h"

#define ENTRIES 65536u     /* 2 MiB; a power of two */
#define IDLE_NS 20000000   /* how long the writer sleeps unless woken */
#define WAKE (ENTRIES / 4) /* a multiple of so many entries wakes it */

/* An event, or a mark: then ref is its number of pages. */
struct entry {
	uint64_t page, ref, stream;
	uint8_t mark; /* its kind, 0: an event */
	bool write;
};

/* Both counts only grow, and wrap round together; an entry's place is its count % ENTRIES. Each has
 * one writer and is the word that the other side sleeps on. */
struct td_recorder {
	_Atomic uint32_t put;   /* entries that the pager filled */
	_Atomic uint32_t taken; /* entries that the thread has written or dropped */
	_Atomic uint32_t wake;  /* changes when the thread must look at once */
	_Atomic bool ending;
	pthread_t thread;
	struct td_trace_writer *writer; /* NULL: it failed, and err says why */
	struct tide_error err;
	uint64_t events;
	struct tide_batch batch;
	struct entry ring[ENTRIES];
};

/* Until *word is not `value` any more, or a while; no lock, so it may be called in a handler. */
static void sleep_on(_Atomic uint32_t *word, uint32_t value, const struct timespec *most)
{
	int was = errno;
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, most, NULL, 0);
	errno = was;
}

static void wake_up(_Atomic uint32_t *word)
{
	int was = errno;
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	errno = was;
}

/* ---- the pager's side ---- */

static void call_thread(struct td_recorder *r)
{
	atomic_fetch_add(&r->wake, 1);
	wake_up(&r->wake);
}

static void put(struct td_recorder *r, const struct entry *entry)
{
	uint32_t at = atomic_load_explicit(&r->put, memory_order_relaxed), taken;
	while (at - (taken = atomic_load_explicit(&r->taken, memory_order_acquire)) == ENTRIES) {
		call_thread(r);
		sleep_on(&r->taken, taken, NULL);
	}
	r->ring[at % ENTRIES] = *entry;
	atomic_store_explicit(&r->put, at + 1, memory_order_release);
	if ((at + 1) % WAKE == 0)
		call_thread(r);
}

void td_recorder_event(struct td_recorder *r, const struct td_event *event)
{
	put(r, &(struct entry){event->page, event->ref, event->stream, 0, event->write});
}

void td_recorder_mark(struct td_recorder *r, const struct tide_mark *mark)
{
	put(r, &(struct entry){mark->page, mark->pages, 0, mark->kind, false});
}

/* ---- the thread's ---- */

static void give_up(struct td_recorder *r)
{
	td_trace_abandon(r->writer);
	r->writer = NULL;
}

static void flush(struct td_recorder *r)
{
	if (r->writer && r->batch.n && td_trace_put(r->writer, &r->batch, &r->err))
		give_up(r);
	r->events += r->batch.n;
	r->batch.n = 0;
}

static void take_mark(struct td_recorder *r, const struct entry *entry)
{
	struct tide_mark mark = {entry->mark, 0, entry->page, entry->ref};
	flush(r);
	if (r->writer && td_trace_put_mark(r->writer, &mark, &r->err))
		give_up(r);
}

static void take(struct td_recorder *r, const struct entry *entry)
{
	uint32_t i = r->batch.n;
	if (entry->mark) {
		take_mark(r, entry);
		return;
	}
	r->batch.page[i] = entry->page;
	r->batch.ref[i] = entry->ref;
	r->batch.stream[i] = entry->stream;
	r->batch.write[i] = entry->write;
	if (++r->batch.n == TIDE_BATCH)
		flush(r);
}

/* All that is there, given back piece by piece, so that a waiting pager goes on early. */
static bool take_all(struct td_recorder *r)
{
	uint32_t at = atomic_load_explicit(&r->taken, memory_order_relaxed), from = at;
	uint32_t end = atomic_load_explicit(&r->put, memory_order_acquire);
	while (at != end) {
		take(r, &r->ring[at++ % ENTRIES]);
		if (at % TIDE_BATCH && at != end)
			continue;
		atomic_store_explicit(&r->taken, at, memory_order_release);
		wake_up(&r->taken);
	}
	return at != from;
}

static void *work(void *arg)
{
	struct td_recorder *r = arg;
	const struct timespec idle = {0, IDLE_NS};
	for (;;) {
		uint32_t wake = atomic_load(&r->wake);
		bool ending = atomic_load(&r->ending);
		if (take_all(r))
			continue;
		if (ending)
			break;
		sleep_on(&r->wake, wake, &idle);
	}
	flush(r);
	return NULL;
}

/* The program's signals are not for this thread. */
static int start(struct td_recorder *r)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int rc = pthread_create(&r->thread, NULL, work, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -rc;
}

/* ---- life ---- */

int td_recorder_open(struct td_recorder **out, const char *path, struct tide_error *err)
{
	struct td_recorder *r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (r == MAP_FAILED)
		return tide_fail(err, -ENOMEM, "out of memory to record %s", path);
	int rc = td_trace_create_tide(&r->writer, path, err);
	if (!rc) {
		rc = start(r);
		if (rc)
			tide_fail(err, rc, "cannot start the thread that records %s: %s", path,
				  strerror(-rc));
	}
	if (rc) {
		td_trace_abandon(r->writer);
		munmap(r, sizeof *r);
		return rc;
	}
	*out = r;
	return 0;
}

static int finish(struct td_recorder *r, struct tide_error *err)
{
	if (!r->writer)
		return tide_fail(err, r->err.code, "%s", r->err.text);
	if (r->events)
		return td_trace_finish(r->writer, err);
	td_trace_abandon(r->writer);
	return tide_fail(err, -ENODATA, "nothing is recorded: no page was accessed");
}

int td_recorder_close(struct td_recorder *r, struct tide_error *err)
{
	if (!r)
		return 0;
	atomic_store(&r->ending, true);
	call_thread(r);
	pthread_join(r->thread, NULL);
	int rc = finish(r, err);
	munmap(r, sizeof *r);
	return rc;
}
