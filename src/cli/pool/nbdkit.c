/* nbdkit as a child of this process: its start, its messages, its end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/sweep/cluster.h"
#include "core/socket.h"
#include "serve.h"

#define LOOK_MS 20 /* is it ready? */

static sigset_t ours(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	return set;
}

/* ---- starting ---- */

static void become(const struct td_pool_server *s, const sigset_t *mask, int say, int report)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	dup2(say, STDOUT_FILENO);
	dup2(say, STDERR_FILENO);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(s->argv[0], s->argv);
	int error = errno;
	if (write(report, &error, sizeof error) < 0)
		_exit(126);
	_exit(127);
}

static int explain_start(int error, struct tide_error *err)
{
	if (error == ENOENT)
		return tide_fail(err, -error,
				 "there is no nbdkit, which serves the pool: install the package "
				 "nbdkit");
	return tide_fail(err, -error, "nbdkit cannot be started: %s", strerror(error));
}

/* The pipe of the report closes when nbdkit begins. */
static int fork_nbdkit(struct td_pool_server *s, const sigset_t *mask, int say,
		       struct tide_error *err)
{
	int report[2], error = 0;
	if (pipe2(report, O_CLOEXEC))
		return explain_start(errno, err);
	fflush(NULL);
	s->pid = fork();
	if (s->pid == 0)
		become(s, mask, say, report[1]);
	close(report[1]);
	if (s->pid < 0)
		error = errno;
	else if (read(report[0], &error, sizeof error) != sizeof error)
		error = 0;
	close(report[0]);
	if (error && s->pid > 0)
		waitpid(s->pid, NULL, 0);
	return error ? explain_start(error, err) : 0;
}

static int start(struct td_pool_server *s, const sigset_t *mask, struct tide_error *err)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return explain_start(errno, err);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	s->said = ends[0];
	int rc = fork_nbdkit(s, mask, ends[1], err);
	close(ends[1]);
	return rc;
}

/* ---- while it runs ---- */

/* Before it is ready its last words are kept: they say why it ended. */
static void relay(struct td_pool_server *s)
{
	char text[1024];
	for (ssize_t n; (n = read(s->said, text, sizeof text)) > 0;) {
		if (s->is_ready && write(STDERR_FILENO, text, (size_t)n) < 0)
			return;
		if (s->is_ready)
			continue;
		size_t most = sizeof s->log - (size_t)n, kept = s->log_n < most ? s->log_n : most;
		memmove(s->log, s->log + s->log_n - kept, kept);
		memcpy(s->log + kept, text, (size_t)n);
		s->log_n = kept + (size_t)n;
	}
}

static void look_whether_ready(struct td_pool_server *s)
{
	int fd = s->is_ready ? -1 : td_core_socket_connect(s->where->control, NULL);
	if (fd < 0)
		return;
	close(fd);
	s->is_ready = true;
	if (s->log_n && write(STDERR_FILENO, s->log, s->log_n) < 0)
		s->log_n = 0;
	s->announce(s->arg, s->pid);
	fflush(stdout);
}

/* True: it has ended. */
static bool take_signal(struct td_pool_server *s)
{
	struct signalfd_siginfo info;
	if (read(s->signals, &info, sizeof info) != sizeof info)
		return false;
	if (info.ssi_signo == SIGCHLD)
		return waitpid(s->pid, &s->status, WNOHANG) == s->pid;
	kill(s->pid, SIGTERM);
	s->is_told = true;
	return false;
}

static void watch(struct td_pool_server *s)
{
	struct pollfd fds[] = {{.fd = s->signals, .events = POLLIN},
			       {.fd = s->said, .events = POLLIN}};
	for (bool ended = false; !ended;) {
		poll(fds, 2, s->is_ready ? -1 : LOOK_MS);
		if (fds[1].revents)
			relay(s);
		if (fds[1].revents & POLLHUP && !(fds[1].revents & POLLIN))
			fds[1].fd = -1; /* it closed its messages, and is about to end */
		if (fds[0].revents)
			ended = take_signal(s);
		if (!ended && !s->is_told)
			look_whether_ready(s);
	}
	relay(s);
}

/* ---- the end ---- */

/* "nbdkit: tide: error: TEXT" */
static const char *plain(const char *text)
{
	const char *error = strstr(text, "error: ");
	if (error)
		return error + strlen("error: ");
	return strncmp(text, "nbdkit: ", 8) ? text : text + 8;
}

static int explain_end(const struct td_pool_server *s, struct tide_error *err)
{
	if (WIFEXITED(s->status) && !WEXITSTATUS(s->status))
		return 0;
	if (!s->is_ready) {
		struct td_cli_last last = td_cli_last_line(s->log, s->log_n);
		return tide_fail(err, -EIO, "%s", plain(last.text));
	}
	if (WIFSIGNALED(s->status))
		return tide_fail(err, -EIO,
				 "nbdkit was ended by signal %d: what was written since the last "
				 "flush may be lost",
				 WTERMSIG(s->status));
	return tide_fail(err, -EIO, "nbdkit failed: not everything is written, see its messages");
}

/* The signals stay blocked: one that comes now must not end this process before it has removed its
 * sockets and said what it has to say. */
int td_pool_server_run(struct td_pool_server *s, struct tide_error *err)
{
	sigset_t set = ours(), before;
	sigprocmask(SIG_BLOCK, &set, &before);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	s->said = -1;
	int rc = s->signals < 0 ? explain_start(errno, err) : start(s, &before, err);
	if (!rc) {
		watch(s);
		rc = explain_end(s, err);
	}
	if (s->said >= 0)
		close(s->said);
	if (s->signals >= 0)
		close(s->signals);
	return rc;
}
