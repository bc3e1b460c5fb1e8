#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "run.h"

#define VIEW_MS 500

static int make_slots(struct td_run *r, struct tide_error *err)
{
	char path[128];
	int fd, rc;

	snprintf(path, sizeof path, "%s/slots", r->folder);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	rc = fd < 0 || ftruncate(fd, sizeof *r->slots) ? -errno : 0;
	if (!rc) {
		void *at = mmap(NULL, sizeof *r->slots, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		r->slots = at == MAP_FAILED ? NULL : at;
		rc = r->slots ? 0 : -errno;
	}
	if (fd >= 0)
		close(fd);
	if (rc)
		return tide_fail(err, rc, "cannot make %s: %s", path, strerror(-rc));
	r->slots->stats_bytes = sizeof(struct tide_stats);
	return 0;
}

/* Processes of root may become those of other users, and publish their figures all the same: they
 * know the name, and nobody else can list it. */
static void open_to_others(const struct td_run *r)
{
	char path[128];

	if (geteuid() != 0)
		return;
	snprintf(path, sizeof path, "%s/slots", r->folder);
	if (chmod(path, 0666) == 0)
		chmod(r->folder, 01733);
}

int td_run_prepare(struct td_run *r, struct tide_error *err)
{
	const char *tmp = getenv("TMPDIR");
	int rc;

	if (!tmp || strlen(tmp) > sizeof r->folder - 20)
		tmp = "/tmp";
	snprintf(r->folder, sizeof r->folder, "%s/tide-run-XXXXXX", tmp);
	if (!mkdtemp(r->folder)) {
		r->folder[0] = '\0';
		return tide_fail(err, -errno, "cannot make a folder in %s: %s", tmp,
				 strerror(errno));
	}
	if (r->options.record)
		snprintf(r->record, sizeof r->record, "%s", r->options.record);
	else if (r->args->whatif)
		snprintf(r->record, sizeof r->record, "%s/events.tide", r->folder);
	if (*r->record)
		r->options.record = r->record;
	rc = make_slots(r, err);
	if (!rc)
		open_to_others(r);
	return rc;
}

void td_run_clean(struct td_run *r)
{
	char path[128];

	if (r->slots)
		munmap(r->slots, sizeof *r->slots);
	if (!*r->folder)
		return;
	for (unsigned i = 0; i <= TD_SLOTS_MAX; i++) {
		snprintf(path, sizeof path, i ? "%s/events.tide.%u" : "%s/events.tide", r->folder,
			 i);
		unlink(path);
		snprintf(path, sizeof path, "%s/slots.%u", r->folder, i);
		unlink(path);
	}
	snprintf(path, sizeof path, "%s/slots", r->folder);
	unlink(path);
	rmdir(r->folder);
}

/* ---- the environment ---- */

static bool is_file(const char *name)
{
	return strcmp(name, "storage") == 0 || strcmp(name, "log") == 0 ||
	       strcmp(name, "record") == 0;
}

/* A process may be elsewhere when it opens them: files, and policies that are files. */
static bool is_relative(const char *name, const char *value)
{
	size_t path = strcspn(value, ":");

	return value[0] != '/' && (is_file(name) || memchr(value, '/', path));
}

static void set(const char *name, const char *value)
{
	char variable[64], here[PATH_MAX], *text = NULL;

	snprintf(variable, sizeof variable, "TIDE_RUN_%s", name);
	if (!value) {
		unsetenv(variable);
		return;
	}
	if (is_relative(name, value) && getcwd(here, sizeof here) &&
	    asprintf(&text, "%s/%s", here, value) < 0)
		text = NULL;
	setenv(variable, text ? text : value, 1);
	free(text);
}

/* In the child, before the program begins. A run inside a run has settings of its own. */
static void set_environment(const struct td_run *r)
{
	const char *others = getenv("LD_PRELOAD");
	char slots[128], list[PATH_MAX * 2];

#define TD_SETTING(name) set(#name, r->options.name);
#include "run/host/settings.def"
#undef TD_SETTING
	set("threshold", r->args->threshold);
	set("fork", r->args->forks);
	set("over_budget", r->args->over_budget ? "1" : NULL);
	snprintf(slots, sizeof slots, "%s/slots", r->folder);
	set("slots", slots);
	snprintf(list, sizeof list, "%s%s%s", r->preload, others && *others ? ":" : "",
		 others ? others : "");
	setenv("LD_PRELOAD", list, 1);
}

/* ---- the program ---- */

static const int kept[] = {SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGHUP};
#define KEPT (sizeof kept / sizeof *kept)
#define IGNORED 3 /* the first of them; the others are passed on */

/* How signals were before. */
struct signals {
	struct sigaction kept[KEPT];
	sigset_t mask;
};

static void start(const struct td_run *r, const struct signals *before, int report)
{
	int error;

	for (size_t i = 0; i < KEPT; i++)
		sigaction(kept[i], &before->kept[i], NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
	set_environment(r);
	execv(r->program, r->args->given.command);
	error = errno;
	if (write(report, &error, sizeof error) < 0)
		_exit(1);
	_exit(1);
}

static volatile pid_t told; /* who gets the signals that end us */

static void pass_on(int sig)
{
	if (told > 0)
		kill(told, sig);
}

/* Has it ended within the time? ms -1: it takes as long as it takes. */
static bool wait_ms(pid_t pid, int pidfd, int ms, int *status)
{
	struct pollfd p = {.fd = pidfd, .events = POLLIN};

	if (ms < 0 || pidfd < 0) {
		while (waitpid(pid, status, 0) < 0 && errno == EINTR)
			;
		return true;
	}
	poll(&p, 1, ms);
	return waitpid(pid, status, WNOHANG) == pid;
}

static void wait_for(struct td_run *r)
{
	struct td_run_view view = {0};
	int pidfd = (int)syscall(SYS_pidfd_open, r->pid, 0), status;

	while (!wait_ms(r->pid, pidfd, r->live ? VIEW_MS : -1, &status))
		td_run_view_draw(&view, r);
	td_run_view_end(&view);
	if (pidfd >= 0)
		close(pidfd);
	r->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int fork_program(struct td_run *r, const struct signals *before, struct tide_error *err)
{
	int report[2], error;

	if (pipe2(report, O_CLOEXEC))
		return tide_fail(err, -errno, "cannot make a pipe: %s", strerror(errno));
	fflush(NULL);
	r->pid = fork();
	if (r->pid == 0)
		start(r, before, report[1]);
	close(report[1]);
	if (r->pid < 0) {
		close(report[0]);
		return tide_fail(err, -errno, "cannot start a process: %s", strerror(errno));
	}
	/* The pipe closes when the program begins. */
	if (read(report[0], &error, sizeof error) != sizeof error)
		error = 0;
	close(report[0]);
	if (!error)
		return 0;
	while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
		;
	return tide_fail(err, -error, "cannot run %s: %s", r->program, strerror(error));
}

/* A key pressed is for the program, as in a shell; a request to end is passed on to it, as soon as
 * there is one. Who was started to ignore it, by nohup, does so. */
static void take_signals(struct signals *before)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, pass = {.sa_handler = pass_on};
	sigset_t passed;

	sigemptyset(&passed);
	for (size_t i = IGNORED; i < KEPT; i++)
		sigaddset(&passed, kept[i]);
	sigprocmask(SIG_BLOCK, &passed, &before->mask);
	for (size_t i = 0; i < KEPT; i++) {
		sigaction(kept[i], NULL, &before->kept[i]);
		sigaction(kept[i],
			  i < IGNORED || before->kept[i].sa_handler == SIG_IGN ? &ignore : &pass,
			  NULL);
	}
}

int td_run_program(struct td_run *r, struct tide_error *err)
{
	struct signals before;
	double begun = td_clock_seconds();
	int rc;

	take_signals(&before);
	rc = fork_program(r, &before, err);
	told = rc ? 0 : r->pid;
	sigprocmask(SIG_SETMASK, &before.mask, NULL);
	if (!rc)
		wait_for(r);
	told = 0;
	r->seconds = td_clock_seconds() - begun;
	return rc;
}
