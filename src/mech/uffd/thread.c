/* Faults as messages, read by a thread of ours. It serves system calls too, where the kernel
 * allows, and needs nothing of the program's signals. What costs is waking it: on the processor of
 * the thread that faulted that is a switch, on another one several times as much. So it follows the
 * program from processor to processor, as long as one thread faults. */
#include "core/assert.h"
#include "core/clock.h"
#include "in.h"
#include "lock.h"
#include "pager.h"
#include "threads.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MESSAGES 16
#define LOOK_EVERY 64 /* faults */
#define FORGIVE_MS 10

struct follower {
	cpu_set_t all;
	unsigned faults;
	uint32_t thread; /* that faulted last */
	bool alone;      /* no other did since the last look */
	int processor;   /* -1: anywhere */
};

/* The 39th word of its stat is the processor a thread ran on last; the second may hold blanks. */
static int processor_of(uint32_t thread)
{
	char path[64], text[512];
	snprintf(path, sizeof path, "/proc/self/task/%u/stat", thread);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	char *at = strrchr(text, ')');
	for (int word = 2; at && word < 39; word++)
		at = strchr(at + 1, ' ');
	return at ? atoi(at + 1) : -1;
}

static void go_to(struct follower *f, int processor)
{
	cpu_set_t one;
	if (processor == f->processor)
		return;
	CPU_ZERO(&one);
	if (processor >= 0 && processor < CPU_SETSIZE && CPU_ISSET((size_t)processor, &f->all))
		CPU_SET((size_t)processor, &one);
	sched_setaffinity(0, sizeof one, CPU_COUNT(&one) ? &one : &f->all);
	f->processor = processor;
}

static void follow(struct follower *f, uint32_t thread)
{
	f->alone &= thread == f->thread || !f->faults;
	f->thread = thread;
	if (++f->faults < LOOK_EVERY)
		return;
	go_to(f, f->alone ? processor_of(thread) : -1);
	f->faults = 0;
	f->alone = true;
}

/* What the owner of lent memory does to it. What was removed is zero, as is what is mapped anew
 * where something was unmapped. */
static void hear(struct td_pager *p, const struct uffd_msg *m)
{
	struct tide_error err;
	uintptr_t start = m->arg.remove.start, end = m->arg.remove.end;
	bool gone = m->event == UFFD_EVENT_REMOVE || m->event == UFFD_EVENT_UNMAP;
	if (m->event == UFFD_EVENT_FORK)
		close((int)m->arg.fork.ufd);
	if (gone && td_pager_drop(p, (void *)start, end - start, &err))
		td_pager_say(p, "tide: removed memory is not zero: %s", err.text);
	else if (!gone)
		td_pager_say(p, "tide: lent memory was forked or moved, which is not served there");
}

static void serve(struct td_pager *p, const struct uffd_msg *m, struct follower *f)
{
	struct td_touch t = {.addr = (uintptr_t)m->arg.pagefault.address,
			     .stream = m->arg.pagefault.feat.ptid,
			     .write = m->arg.pagefault.flags &
				      (UFFD_PAGEFAULT_FLAG_WRITE | UFFD_PAGEFAULT_FLAG_WP)};
	if (m->event != UFFD_EVENT_PAGEFAULT)
		return hear(p, m);
	follow(f, m->arg.pagefault.feat.ptid);
	int rc = td_pager_touch(p, &t);
	if (rc == -ENOENT) /* unmapped meanwhile */
		td_uffd_wake(p->uffd, (void *)(t.addr & ~(uintptr_t)4095), 4096);
	else if (rc && !(rc == -ESRCH && p->mapping->foreign)) /* its owner has ended */
		td_pager_refuse(p, t.addr, rc);
}

static size_t next_messages(struct td_pager *p, struct uffd_msg *messages)
{
	if (p->mapping->foreign)
		return p->mapping->foreign->hear(p, messages, MESSAGES);
	ssize_t n = read(p->uffd, messages, MESSAGES * sizeof *messages);
	return n > 0 ? (size_t)n / sizeof *messages : 0;
}

static void *run(void *arg)
{
	struct td_pager *p = arg;
	struct uffd_msg messages[MESSAGES];
	struct follower f = {.alone = true, .processor = -1};
	struct pollfd wait[3] = {
		{p->uffd, POLLIN, 0}, {p->stop_fd, POLLIN, 0}, {p->heard.fd, POLLIN, 0}};
	sched_getaffinity(0, sizeof f.all, &f.all);
	pthread_setname_np(pthread_self(), "tide-pager");
	while (!atomic_load(&p->stopping)) {
		poll(wait, 3, td_pager_forgive_old(p) ? FORGIVE_MS : -1);
		size_t n = next_messages(p, messages);
		for (size_t i = 0; i < n; i++)
			serve(p, &messages[i], &f);
	}
	return NULL;
}

static int start(struct td_pager *p, struct tide_error *err)
{
	int rc = td_pager_start_thread(&p->handler, run, p);
	if (rc)
		return tide_fail(err, rc, "cannot start the pager's thread: %s", strerror(-rc));
	p->has_handler = true;
	return 0;
}

static int begin_child(struct td_pager *p)
{
	return start(p, NULL);
}

static void stop(struct td_pager *p)
{
	if (p->has_handler)
		pthread_join(p->handler, NULL);
	p->has_handler = false;
}

/* A thread that has ended is replaced. */
static void look_after(struct td_pager *p)
{
	if (!p->has_handler || pthread_tryjoin_np(p->handler, NULL))
		return;
	p->has_handler = false;
	td_pager_say(p, "tide: the pager's thread has ended: another takes over");
	start(p, NULL);
}

const struct td_service td_service_thread = {
	.name = "thread", /* the message of a fault does not say which instruction it was */
	.wakes = true,
	.start = start,
	.stop = stop,
	.begin_child = begin_child,
	.look_after = look_after,
};
