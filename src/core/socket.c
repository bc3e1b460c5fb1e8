#include "socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define WAITING_MAX 64 /* for an answer */

static int set_address(struct sockaddr_un *a, const char *path, struct tide_error *err)
{
	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (!*path || strlen(path) >= sizeof a->sun_path)
		return tide_fail(
			err, -ENAMETOOLONG,
			"%.200s: the name of a socket has 1 to %zu letters: give such a one", path,
			sizeof a->sun_path - 1);
	memcpy(a->sun_path, path, strlen(path) + 1);
	return 0;
}

static int make(struct tide_error *err)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return fd >= 0 ? fd : tide_fail(err, -errno, "no socket: %s: close some", strerror(errno));
}

/* Where too many wait for the server, connecting would block: -EAGAIN. */
int td_core_socket_connect(const char *path, struct tide_error *err)
{
	struct sockaddr_un a;
	int rc = set_address(&a, path, err), fd = rc ? rc : make(err);
	if (fd < 0 || !connect(fd, (const struct sockaddr *)&a, sizeof a))
		return fd;
	rc = -errno;
	close(fd);
	return tide_fail(err, rc, "cannot connect to %.200s: %s: does the server run?", path,
			 strerror(-rc));
}

static int refuse_live(const char *path, struct tide_error *err)
{
	return tide_fail(err, -EADDRINUSE,
			 "a server is listening at %.200s: end it, or give another name", path);
}

int td_core_socket_clear(const char *path, struct tide_error *err)
{
	struct sockaddr_un a;
	struct stat st;
	int rc = set_address(&a, path, err);
	if (rc)
		return rc;
	if (lstat(path, &st))
		return errno == ENOENT ? 0
				       : tide_fail(err, -errno,
						   "cannot look at %.200s: %s: give another name",
						   path, strerror(errno));
	if (!S_ISSOCK(st.st_mode))
		return tide_fail(err, -EEXIST, "%.200s exists and is no socket: give another name",
				 path);
	int fd = td_core_socket_connect(path, err);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 || fd == -EAGAIN)
		return refuse_live(path, err);
	if ((fd != -ECONNREFUSED && fd != -ENOENT) || (unlink(path) && errno != ENOENT))
		return tide_fail(
			err, fd == -ECONNREFUSED ? -errno : fd,
			"the socket %.200s of another server cannot be removed: give another "
			"name",
			path);
	return 0;
}

int td_core_socket_listen(const char *path, struct tide_error *err)
{
	struct sockaddr_un a;
	int rc = td_core_socket_clear(path, err), fd = rc ? rc : set_address(&a, path, err);
	if (!fd)
		fd = make(err);
	if (fd < 0)
		return fd;
	if (!bind(fd, (const struct sockaddr *)&a, sizeof a) && !listen(fd, WAITING_MAX))
		return fd;
	rc = -errno;
	close(fd);
	return tide_fail(err, rc, "cannot listen at %.200s: %s: give another name", path,
			 strerror(-rc));
}
