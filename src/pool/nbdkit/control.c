/* The control socket. A client connects, gets the statistics, and sees the end. It is never waited
 * for: nothing is read of it, and what does not fit into the socket at once is not sent. However
 * many clients come, the pool is asked ten times a second at most: those that come meanwhile wait,
 * and get the next answer together. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/socket.h"
#include "plugin.h"

#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>

#define PAUSE_NS 100000000
#define TOGETHER 64

static int listen_at(const char *path)
{
	struct tide_error err;
	int fd = td_core_socket_listen(path, &err);
	if (fd < 0)
		nbdkit_error("%s", err.text);
	return fd;
}

int td_nbdkit_control_try(const char *path)
{
	int fd = listen_at(path);
	if (fd < 0)
		return -1;
	close(fd);
	return unlink(path);
}

/* False: it is time to end. */
static bool wait_until(struct td_nbdkit_control *c, uint64_t then_ns)
{
	struct pollfd wake = {.fd = c->wake, .events = POLLIN};
	uint64_t now_ns = td_clock_ns();
	int ms = now_ns < then_ns ? (int)((then_ns - now_ns) / 1000000) + 1 : 0;
	return poll(&wake, 1, ms) <= 0;
}

static size_t accept_some(struct td_nbdkit_control *c, int *clients)
{
	size_t n = 0;
	while (n < TOGETHER) {
		clients[n] = accept4(c->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (clients[n] < 0)
			break;
		n++;
	}
	return n;
}

static void answer(struct td_nbdkit_control *c, const int *clients, size_t n)
{
	char *text = n ? td_nbdkit_document(c->server) : NULL;
	for (size_t i = 0; i < n; i++) {
		if (text && send(clients[i], text, strlen(text), MSG_NOSIGNAL) < 0)
			nbdkit_debug("no statistics for a client: %s", strerror(errno));
		close(clients[i]);
	}
	free(text);
}

/* The pause is also for where accept() fails: there may be no more descriptors. */
static void *serve(void *arg)
{
	struct td_nbdkit_control *c = arg;
	struct pollfd fds[] = {{.fd = c->listener, .events = POLLIN},
			       {.fd = c->wake, .events = POLLIN}};
	uint64_t next_ns = 0;
	while (wait_until(c, next_ns)) {
		int clients[TOGETHER];
		poll(fds, 2, -1);
		answer(c, clients, accept_some(c, clients));
		next_ns = td_clock_ns() + PAUSE_NS;
	}
	return NULL;
}

/* Signals are for nbdkit's own threads. */
static int start_thread(struct td_nbdkit_control *c)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int rc = pthread_create(&c->thread, NULL, serve, c);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc)
		nbdkit_error("no thread for %s: %s: end some", c->path, strerror(rc));
	return rc;
}

static void discard(struct td_nbdkit_control *c)
{
	unlink(c->path);
	close(c->listener);
	if (c->wake >= 0)
		close(c->wake);
	c->path = NULL;
}

int td_nbdkit_control_start(struct td_nbdkit_control *c)
{
	if (!c->path)
		return 0;
	c->listener = listen_at(c->path);
	if (c->listener < 0) {
		c->path = NULL;
		return -1;
	}
	c->wake = eventfd(0, EFD_CLOEXEC);
	if (c->wake >= 0 && !start_thread(c))
		return 0;
	discard(c);
	return -1;
}

void td_nbdkit_control_end(struct td_nbdkit_control *c)
{
	uint64_t one = 1;
	if (!c->path)
		return;
	if (write(c->wake, &one, sizeof one) == sizeof one)
		pthread_join(c->thread, NULL);
	discard(c);
}
