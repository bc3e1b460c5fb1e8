/* Runs a command and says what it took, in one line on standard output: wall seconds, peak
 * resident KiB, and peak resident KiB without the pages of mapped files. The first two are the
 * kernel's; the third is looked at every 10 ms, since the kernel keeps no peak of it.
 *
 * usage: measure [-p] OUT COMMAND...   (OUT gets the command's standard output; -p: seconds of
 * processors, not of the wall) */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int start(pid_t *pid, const char *out, char **command)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none;
	int rc;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawn_file_actions_addopen(&files, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (!rc)
		rc = posix_spawnp(pid, command[0], &files, &attributes, command, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

/* 0 where the process is gone. */
static long own_kib(pid_t pid)
{
	char path[64], line[128];
	long kib = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "RssAnon: %ld kB", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib;
}

/* The status of the command; its end wakes us by SIGCHLD, so watching costs no precision. */
static int watch(pid_t pid, const sigset_t *child, struct rusage *usage, long *peak_own_kib)
{
	static const struct timespec pause = {0, 10000000};
	int status = 1 << 8; /* failed, until the kernel says otherwise */

	while (wait4(pid, &status, WNOHANG, usage) == 0) {
		long kib = own_kib(pid);

		*peak_own_kib = kib > *peak_own_kib ? kib : *peak_own_kib;
		sigtimedwait(child, NULL, &pause);
	}
	return status;
}

static double processor_seconds(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
	       (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv)
{
	struct rusage usage = {0};
	long peak_own_kib = 0;
	sigset_t child;
	double started, seconds;
	bool processor = argc > 1 && !strcmp(argv[1], "-p");
	pid_t pid;
	int rc, status;

	argc -= processor;
	argv += processor;
	if (argc < 3) {
		fputs("measure: no command: the usage is measure [-p] OUT COMMAND...\n", stderr);
		return 2;
	}
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	started = now_seconds();
	rc = start(&pid, argv[1], argv + 2);
	if (rc) {
		fprintf(stderr, "measure: cannot start %s: %s\n", argv[2], strerror(rc));
		return 1;
	}
	status = watch(pid, &child, &usage, &peak_own_kib);
	seconds = processor ? processor_seconds(&usage) : now_seconds() - started;
	printf("%.6f %ld %ld\n", seconds, usage.ru_maxrss, peak_own_kib);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "measure: %s failed\n", argv[2]);
		return 1;
	}
	return 0;
}
