/* Serves the memory of another process, such as a virtual machine that Firecracker restores from a
 * snapshot: tide/pager.h says what arrives over the socket. The server itself is a child of this
 * process. When it dies, another one takes over, and the paged process goes on: the message about
 * its memory stays in the socket, which this process keeps open.
 *
 *     lent SOCKET SNAPSHOT STORE NEAR [EVICT [PREFETCH]]      SNAPSHOT -: none
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tide/pager.h"

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "lent: %s: %s\n", what, why);
	return 1;
}

/* One connection at the socket of this name. */
static int connect_one(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), fd;

	if (strlen(path) >= sizeof at.sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(at.sun_path, path);
	unlink(path);
	if (bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, 1))
		return -1;
	fd = accept(listener, NULL, NULL);
	close(listener);
	return fd;
}

/* The process that has sent the message: ready to read when it has ended. */
static int open_owner(int fd)
{
	struct ucred who;
	socklen_t n = sizeof who;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n))
		return -1;
	return (int)syscall(SYS_pidfd_open, who.pid, 0);
}

/* The child: serves until the owner has ended. */
static int serve(int fd, const struct tide_options *options, const char *snapshot)
{
	struct tide_adopt_options how = {.size = sizeof how, .snapshot = snapshot};
	struct pollfd owner = {.fd = open_owner(fd), .events = POLLIN};
	struct tide_stats stats = {.size = sizeof stats};
	struct tide_error err;
	struct tide *t;

	if (owner.fd < 0)
		return 0; /* it has ended already */
	if (tide_adopt(&t, fd, options, &how, &err))
		return fail("cannot serve", err.text);
	printf("serving by %d\n", (int)getpid());
	fflush(stdout);
	while (poll(&owner, 1, -1) < 0 && errno == EINTR)
		;
	tide_stats(t, &stats, NULL);
	printf("%llu faults, %llu chunks evicted, %llu bytes in the store\n",
	       (unsigned long long)stats.counts.faults,
	       (unsigned long long)stats.counts.evicted_chunks,
	       (unsigned long long)stats.tier3_bytes);
	return tide_close(t, &err) ? fail("cannot end", err.text) : 0;
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return fail("usage", "lent SOCKET SNAPSHOT STORE NEAR [EVICT [PREFETCH]]");
	struct tide_options options = {.size = sizeof options,
				       .storage = argv[3],
				       .near_size = argv[4],
				       .evict = argc > 5 ? argv[5] : NULL,
				       .prefetch = argc > 6 ? argv[6] : NULL};
	const char *snapshot = strcmp(argv[2], "-") == 0 ? NULL : argv[2];
	int status, fd = connect_one(argv[1]);

	if (fd < 0)
		return fail(argv[1], strerror(errno));
	do {
		pid_t child = fork();
		if (child == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL); /* one server at a time */
			return serve(fd, &options, snapshot);
		}
		if (child < 0 || waitpid(child, &status, 0) != child)
			return fail("cannot start a server", strerror(errno));
	} while (WIFSIGNALED(status));
	return WEXITSTATUS(status);
}
