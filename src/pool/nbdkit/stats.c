/* Statistics on demand. A thread waits for the signal. So the signal interrupts no system call, and
 * nothing runs in a signal handler. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin.h"

#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>

/* ---- the file: complete, whenever it is read ---- */

static int fail(const char *path)
{
	nbdkit_error("statistics cannot be written to %s: %s: give a file that can", path,
		     strerror(errno));
	return -1;
}

/* Beside it; the caller frees its name. */
static int open_new(const char *path, char **name)
{
	if (asprintf(name, "%s.%ld", path, (long)getpid()) < 0) {
		*name = NULL;
		return -1;
	}
	unlink(*name);
	return open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static int replace(const char *path, const char *text)
{
	char *name;
	int fd = open_new(path, &name), rc = fd < 0 ? -1 : 0;
	if (!rc && dprintf(fd, "%s\n", text) < 0)
		rc = -1;
	if (fd >= 0 && close(fd))
		rc = -1;
	if (!rc)
		rc = rename(name, path);
	if (rc) {
		fail(path);
		if (fd >= 0)
			unlink(name);
	}
	free(name);
	return rc;
}

static bool is_folder(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int td_nbdkit_stats_try(const char *path)
{
	char *name;
	if (is_folder(path)) {
		errno = EISDIR;
		return fail(path);
	}
	int fd = open_new(path, &name);
	if (fd < 0)
		fail(path);
	else
		unlink(name);
	free(name);
	return fd < 0 ? -1 : close(fd);
}

/* ---- the thread ---- */

/* Without a stats file, nbdkit shows the statistics of the end only if it is verbose. */
static void say(const struct td_nbdkit_stats *s)
{
	if (!atomic_load(&s->server->pool)) {
		nbdkit_debug("no client has come: there are no statistics");
		return;
	}
	char *text = td_nbdkit_document(s->server);
	if (!text)
		return;
	if (s->path)
		replace(s->path, text);
	else if (atomic_load(&s->ending))
		nbdkit_debug("%s", text);
	else
		dprintf(STDERR_FILENO, "%s\n", text);
	free(text);
}

static sigset_t the_signal(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return set;
}

static void *wait_for_signals(void *arg)
{
	struct td_nbdkit_stats *s = arg;
	sigset_t set = the_signal();
	for (int got; !sigwait(&set, &got) && !atomic_load(&s->ending);)
		say(s);
	return NULL;
}

/* There is no client yet, so there is nothing to say. */
static void pass(int signal_number)
{
	(void)signal_number;
}

void td_nbdkit_stats_expect(void)
{
	struct sigaction action = {.sa_handler = pass, .sa_flags = SA_RESTART};
	sigaction(SIGUSR1, &action, NULL);
}

int td_nbdkit_stats_start(struct td_nbdkit_stats *s)
{
	sigset_t set = the_signal();
	int rc = pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (!rc)
		rc = pthread_create(&s->thread, NULL, wait_for_signals, s);
	if (rc)
		nbdkit_error("no thread for statistics: %s: end some", strerror(rc));
	return rc ? -1 : 0;
}

void td_nbdkit_stats_end(struct td_nbdkit_stats *s)
{
	atomic_store(&s->ending, true);
	pthread_kill(s->thread, SIGUSR1);
	pthread_join(s->thread, NULL);
	say(s);
}
