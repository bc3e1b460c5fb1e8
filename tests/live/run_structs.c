/* A case of run_calls: names and structures of system calls, in memory that is not near. */
#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/times.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#include "run_calls.h"

static char *all, *others;

/* The i-th megabyte, after everything has left near memory. */
static void *far(size_t i)
{
	fill(others, SIZE, i);
	return all + i * MB;
}

static void names(void)
{
	char *from = strcpy(all, "from.tmp"), *to = strcpy(all + MB, "to.tmp");

	CHECK(close(open(far(0), O_CREAT | O_RDWR, 0600)) == 0);
	(void)far(0);
	CHECK(!link(from, to));
	(void)far(0);
	CHECK(!unlink(to) && (far(0), !symlink(from, to)));
	CHECK(!chmod(far(0), 0644) && !truncate(far(0), 100) &&
	      !utimensat(AT_FDCWD, far(0), NULL, 0));
	CHECK(!strcmp(strrchr(realpath(far(1), all + 2 * MB), '/'), "/from.tmp"));
	CHECK(!statvfs(far(0), (void *)(all + 3 * MB)));
	(void)far(0);
	CHECK(!statx(AT_FDCWD, from, 0, 0xfff, (void *)(all + 4 * MB)));
	CHECK(!remove(far(0)) && !remove(far(1)));
}

static void processes(void)
{
	char **list = (char **)(void *)(all + MB);
	int *status = far(2);
	pid_t pid = fork();

	if (pid == 0)
		_exit(5);
	status = far(2);
	CHECK(waitpid(pid, status, 0) == pid && WIFEXITED(*status) && WEXITSTATUS(*status) == 5);
	list[0] = strcpy(all, "/bin/true");
	list[1] = NULL;
	CHECK(!posix_spawn(&pid, far(0), NULL, NULL, list, environ));
	CHECK(wait4(pid, far(2), 0, (void *)(all + 3 * MB)) == pid && *status == 0);
	CHECK(!uname(far(4)) && !getrlimit(RLIMIT_NOFILE, far(5)) &&
	      !getrusage(RUSAGE_SELF, far(6)));
	CHECK(times(far(7)) != (clock_t)-1);
	*(struct timespec *)(void *)(all + 8 * MB) = (struct timespec){0, 1000};
	CHECK(!nanosleep(far(8), NULL));
	CHECK(!sigprocmask(SIG_BLOCK, NULL, far(9)));
}

static void sockets(void)
{
	struct sockaddr_un *name = (void *)(all + MB);
	socklen_t *bytes = (void *)(all + 2 * MB);
	int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0), got;

	*name = (struct sockaddr_un){AF_UNIX, "socket.tmp"};
	CHECK(!bind(server, far(1), sizeof *name) && !listen(server, 1));
	CHECK(!connect(client, far(1), sizeof *name));
	*bytes = sizeof *name;
	CHECK((got = accept(server, far(3), bytes)) >= 0);
	*bytes = sizeof *name;
	memset(name, 0, sizeof *name);
	CHECK(!getpeername(client, far(1), bytes) && !strcmp(name->sun_path, "socket.tmp"));
	CHECK(*bytes == offsetof(struct sockaddr_un, sun_path) + sizeof "socket.tmp");
	*bytes = sizeof(int);
	CHECK(!getsockopt(client, SOL_SOCKET, SO_TYPE, far(4), bytes));
	CHECK(*(int *)(void *)(all + 4 * MB) == SOCK_STREAM);
	CHECK(send(got, "seven b", 7, 0) == 7 && !ioctl(client, FIONREAD, far(5)));
	CHECK(*(int *)(void *)(all + 5 * MB) == 7);
	fd_set *set = (void *)(all + 6 * MB);
	FD_ZERO(set);
	FD_SET(client, set);
	CHECK(select(client + 1, far(6), NULL, NULL, NULL) == 1 && FD_ISSET(client, set));
	CHECK(!unlink("socket.tmp") && !close(server) && !close(client) && !close(got));
}

static void pairs(void)
{
	int *ends = far(1), fd = open("/proc/self/exe", O_RDONLY);
	off_t *offset = (void *)(all + 2 * MB);

	CHECK(!pipe(ends));
	*offset = 1;
	CHECK(sendfile(ends[1], fd, far(2), 3) == 3 && *offset == 4);
	CHECK(read(ends[0], far(3), 9) == 3 && !memcmp(all + 3 * MB, "ELF", 3));
	close(ends[0]), close(ends[1]), close(fd);
}

void structures(void)
{
	all = map(SIZE);
	others = map(SIZE);
	memset(all, 0, SIZE);
	names();
	processes();
	sockets();
	pairs();
}
