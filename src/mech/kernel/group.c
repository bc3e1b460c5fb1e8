#include "group.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIES 200 /* 10 ms each: a process that is about to end is in no hurry to move */

/* ---- files of a folder ---- */

static int open_in(const char *folder, const char *name, int flags)
{
	char path[TD_KERNEL_PATH + 64];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return open(path, flags | O_CLOEXEC);
}

static bool put(const char *folder, const char *name, uint64_t value)
{
	char text[32];
	int fd = open_in(folder, name, O_WRONLY);
	int n = snprintf(text, sizeof text, "%llu", (unsigned long long)value);
	bool ok = fd >= 0 && write(fd, text, (size_t)n) == n;
	if (fd >= 0)
		close(fd);
	return ok;
}

static uint64_t number_at(int fd)
{
	char text[32];
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	return strtoull(text, NULL, 10);
}

/* The number behind a word that begins a line. */
static uint64_t number_of(int fd, const char *word)
{
	char text[8192];
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	size_t length = strlen(word);
	text[n > 0 ? n : 0] = '\0';
	for (char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, word, length) && line[length] == ' ')
			return strtoull(line + length, NULL, 10);
	}
	return 0;
}

static uint64_t number_in(const struct td_kernel_group *g, const char *name, const char *word)
{
	int fd = open_in(g->path, name, O_RDONLY);
	uint64_t n = fd < 0 ? 0 : word ? number_of(fd, word) : number_at(fd);
	if (fd >= 0)
		close(fd);
	return n;
}

/* ---- making one ---- */

/* The cgroup that this process is in: the path behind the line's last colon. */
static bool own_path(bool v2, char *path, size_t size)
{
	char line[TD_KERNEL_PATH];
	FILE *file = fopen("/proc/self/cgroup", "re");
	bool found = false;
	while (!found && file && fgets(line, sizeof line, file)) {
		char *kinds = strchr(line, ':'), *at = kinds ? strchr(kinds + 1, ':') : NULL;
		if (!at)
			continue;
		*at++ = '\0';
		at[strcspn(at, "\n")] = '\0';
		found = v2 ? !kinds[1] : strstr(kinds, "memory") != NULL;
		if (found)
			snprintf(path, size, "%s", at);
	}
	if (file)
		fclose(file);
	return found;
}

static void step_up(char *path)
{
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
}

static bool try_in(struct td_kernel_group *g, const char *parent, bool v2, uint64_t limit)
{
	snprintf(g->parent, sizeof g->parent, "%s", parent);
	if (snprintf(g->path, sizeof g->path, "%s/tide-run.%d", parent, (int)getpid()) >=
		    (int)sizeof g->path ||
	    mkdir(g->path, 0755)) {
		*g->path = '\0';
		return false;
	}
	g->v2 = v2;
	g->usage = open_in(g->path, v2 ? "memory.current" : "memory.usage_in_bytes", O_RDONLY);
	g->stat = open_in(g->path, "memory.stat", O_RDONLY);
	g->limit_bytes = limit;
	if (g->usage >= 0 && g->stat >= 0 &&
	    put(g->path, v2 ? "memory.max" : "memory.limit_in_bytes", limit))
		return true;
	td_kernel_group_end(g);
	return false;
}

/* Below the cgroup of tide, so that its limits hold too. Version 2 has no processes beside groups,
 * but at the root: there it is beside the cgroup of tide. */
static bool make(struct td_kernel_group *g, uint64_t limit)
{
	char parent[TD_KERNEL_PATH], own[TD_KERNEL_PATH / 2] = "/";
	for (int v2 = 0; v2 < 2; v2++) {
		if (!own_path(v2, own, sizeof own))
			continue;
		snprintf(parent, sizeof parent, "/sys/fs/cgroup%s%s", v2 ? "" : "/memory",
			 strcmp(own, "/") ? own : "");
		if (try_in(g, parent, v2, limit))
			return true;
		/* A container may see its own cgroup as the root of the mount. */
		snprintf(parent, sizeof parent, "/sys/fs/cgroup%s%s", v2 ? "" : "/memory",
			 v2 ? own : "");
		if (v2)
			step_up(parent);
		if (try_in(g, parent, v2, limit))
			return true;
	}
	return false;
}

/* ---- the end ---- */

struct mover {
	const char *parent;
};

static void move(void *arg, pid_t pid)
{
	put(((struct mover *)arg)->parent, "cgroup.procs", (uint64_t)pid);
}

static void dissolve(struct td_kernel_group *g)
{
	struct mover mover = {g->parent};
	for (int i = 0; i < TRIES && rmdir(g->path) && errno == EBUSY; i++) {
		td_kernel_group_processes(g, move, &mover);
		if (rmdir(g->path) == 0 || errno != EBUSY)
			return;
		usleep(10000);
	}
}

/* A process that waits for tide to end, however it ends. */
static void guard(struct td_kernel_group *g, int end)
{
	char byte;
	setsid();
	prctl(PR_SET_NAME, "tide-guard");
	for (int sig = 1; sig < 32; sig++)
		signal(sig, SIG_IGN);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	close(g->guard);
	while (read(end, &byte, 1) < 0 && errno == EINTR)
		;
	dissolve(g);
	_exit(0);
}

static void start_guard(struct td_kernel_group *g)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return;
	g->guard = ends[1];
	fflush(NULL);
	g->guard_pid = fork();
	if (g->guard_pid == 0)
		guard(g, ends[0]);
	close(ends[0]);
}

static void close_files(struct td_kernel_group *g)
{
	if (g->usage >= 0)
		close(g->usage);
	if (g->stat >= 0)
		close(g->stat);
	g->usage = g->stat = -1;
}

void td_kernel_group_end(struct td_kernel_group *g)
{
	if (!*g->path)
		return;
	close_files(g);
	if (g->guard >= 0)
		close(g->guard);
	if (g->guard_pid > 0)
		while (waitpid(g->guard_pid, NULL, 0) < 0 && errno == EINTR)
			;
	else
		dissolve(g);
	g->guard = -1;
	g->guard_pid = 0;
	*g->path = '\0';
}

static const struct td_kernel_group none = {.usage = -1, .stat = -1, .guard = -1};

void td_kernel_group_make(struct td_kernel_group *g, uint64_t limit_bytes)
{
	*g = none;
	if (make(g, limit_bytes))
		start_guard(g);
}

bool td_kernel_group_possible(void)
{
	struct td_kernel_group g = none;
	bool ok = make(&g, UINT64_C(1) << 30);
	td_kernel_group_end(&g);
	return ok;
}

/* ---- reclaim ---- */

#define RECLAIM_US 2000

static void wake(int sig)
{
	(void)sig;
}

/* A call that goes on while the program takes as much as it gives back is interrupted. */
static void limit_time(long us)
{
	struct itimerval timer = {.it_value.tv_usec = us};
	struct sigaction action = {.sa_handler = wake};
	if (us)
		sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Version 1 reclaims where a limit is lowered below what is used, and lowers it when that is done.
 */
void td_kernel_group_reclaim(const struct td_kernel_group *g, uint64_t used_bytes,
			     uint64_t low_bytes)
{
	if (used_bytes <= low_bytes)
		return;
	limit_time(RECLAIM_US);
	if (g->v2)
		put(g->path, "memory.reclaim", used_bytes - low_bytes);
	else if (put(g->path, "memory.limit_in_bytes", low_bytes))
		put(g->path, "memory.limit_in_bytes", g->limit_bytes);
	limit_time(0);
}

/* ---- use ---- */

int td_kernel_group_enter(const struct td_kernel_group *g)
{
	if (!*g->path)
		return 0;
	return put(g->path, "cgroup.procs", (uint64_t)getpid()) ? 0 : -errno;
}

uint64_t td_kernel_group_usage(const struct td_kernel_group *g)
{
	return number_at(g->usage);
}

uint64_t td_kernel_group_most(const struct td_kernel_group *g)
{
	return number_in(g, g->v2 ? "memory.peak" : "memory.max_usage_in_bytes", NULL);
}

uint64_t td_kernel_group_idle_files(const struct td_kernel_group *g)
{
	return number_of(g->stat, g->v2 ? "inactive_file" : "total_inactive_file");
}

uint64_t td_kernel_group_idle(const struct td_kernel_group *g)
{
	return number_of(g->stat, g->v2 ? "inactive_anon" : "total_inactive_anon");
}

uint64_t td_kernel_group_major_faults(const struct td_kernel_group *g)
{
	return number_of(g->stat, g->v2 ? "pgmajfault" : "total_pgmajfault");
}

uint64_t td_kernel_group_killed(const struct td_kernel_group *g)
{
	return number_in(g, g->v2 ? "memory.events" : "memory.oom_control", "oom_kill");
}

void td_kernel_group_processes(const struct td_kernel_group *g, void (*see)(void *arg, pid_t pid),
			       void *arg)
{
	char path[TD_KERNEL_PATH + 64];
	int pid;
	snprintf(path, sizeof path, "%s/cgroup.procs", g->path);
	FILE *file = fopen(path, "re");
	while (file && fscanf(file, "%d", &pid) == 1)
		see(arg, pid);
	if (file)
		fclose(file);
}
