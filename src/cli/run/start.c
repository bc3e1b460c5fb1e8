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

#define VIEW_NS UINT64_C(500000000)

#define GPU_SLOTS "gpu-slots"

static void slots_path(const struct td_run *r, const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/%s", r->folder, name);
}

/* A file that this process and the program's map; NULL: it cannot be made. */
static void *make_table(const char *path, size_t bytes, struct tide_error *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int rc = fd < 0 || ftruncate(fd, (off_t)bytes) ? -errno : 0;
	void *at = rc ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (!rc && at == MAP_FAILED)
		rc = -errno;
	if (fd >= 0)
		close(fd);
	if (!rc)
		return at;
	tide_fail(err, rc, "cannot make %s: %s", path, strerror(-rc));
	return NULL;
}

static int make_slots(struct td_run *r, struct tide_error *err)
{
	char path[128];

	slots_path(r, "slots", path, sizeof path);
	r->slots = make_table(path, sizeof *r->slots, err);
	if (!r->slots)
		return err->code;
	r->slots->stats_bytes = sizeof(struct tide_stats);
	return 0;
}

static int make_gpu_slots(struct td_run *r, struct tide_error *err)
{
	char *path = r->gpu.slots_path;

	slots_path(r, GPU_SLOTS, path, sizeof r->gpu.slots_path);
	r->gpu.slots = make_table(path, sizeof *r->gpu.slots, err);
	if (!r->gpu.slots)
		return err->code;
	r->gpu.slots->bytes = sizeof *r->gpu.slots;
	r->gpu.settings.slots = path;
	return 0;
}

/* Processes of root may become those of other users, and publish their figures all the same: they
 * know the name, and nobody else can list it. */
static void open_to_others(const struct td_run *r)
{
	char path[128];

	if (geteuid() != 0)
		return;
	slots_path(r, "slots", path, sizeof path);
	if (r->slots && chmod(path, 0666))
		return;
	if (r->gpu.slots && chmod(r->gpu.slots_path, 0666))
		return;
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
	rc = r->args->near_size && !r->kernel ? make_slots(r, err) : 0;
	if (!rc && r->args->gpu_near)
		rc = make_gpu_slots(r, err);
	if (!rc)
		open_to_others(r);
	return rc;
}

void td_run_clean(struct td_run *r)
{
	char path[128];

	if (r->slots)
		munmap(r->slots, sizeof *r->slots);
	if (r->gpu.slots)
		munmap(r->gpu.slots, sizeof *r->gpu.slots);
	if (!*r->folder)
		return;
	for (unsigned i = 0; i <= TD_SLOTS_MAX; i++) {
		snprintf(path, sizeof path, i ? "%s/events.tide.%u" : "%s/events.tide", r->folder,
			 i);
		unlink(path);
		snprintf(path, sizeof path, "%s/slots.%u", r->folder, i);
		unlink(path);
	}
	slots_path(r, "slots", path, sizeof path);
	unlink(path);
	slots_path(r, GPU_SLOTS, path, sizeof path);
	unlink(path);
	rmdir(r->folder);
}

/* ---- the environment ---- */

static bool is_file(const char *name)
{
	return strcmp(name, "storage") == 0 || strcmp(name, "log") == 0 ||
	       strcmp(name, "record") == 0 || strcmp(name, "save_set") == 0 ||
	       strcmp(name, "load_set") == 0;
}

/* A process may be elsewhere when it opens them: files, and policies that are files. */
static bool is_relative(const char *name, const char *value)
{
	size_t path = strcspn(value, ":");

	return value[0] != '/' && (is_file(name) || memchr(value, '/', path));
}

static void set(const char *prefix, const char *name, const char *value)
{
	char variable[64], here[PATH_MAX], *text = NULL;

	snprintf(variable, sizeof variable, "%s%s", prefix, name);
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

static void set_host(const struct td_run *r)
{
	char slots[128];

#define TD_SETTING(name) set("TIDE_RUN_", #name, r->options.name);
#include "run/host/settings.def"
#undef TD_SETTING
	set("TIDE_RUN_", "threshold", r->args->threshold);
	set("TIDE_RUN_", "save_set", r->args->save_set);
	set("TIDE_RUN_", "load_set", r->args->load_set);
	set("TIDE_RUN_", "fork", r->args->forks);
	set("TIDE_RUN_", "over_budget", r->args->over_budget ? "1" : NULL);
	slots_path(r, "slots", slots, sizeof slots);
	set("TIDE_RUN_", "slots", slots);
}

static void set_gpu(const struct td_run *r)
{
#define TD_SETTING(name) set("TIDE_GPU_", #name, r->gpu.settings.name);
#include "run/gpu/settings.def"
#undef TD_SETTING
	/* JAX would map memory itself, three quarters of all as one allocation. */
	setenv("XLA_PYTHON_CLIENT_ALLOCATOR", "cuda_async", 0);
	setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false", 0);
}

/* In the child, before the program begins. A run inside a run has settings of its own for the
 * memory that it is about; the other one is as it was. */
static void set_environment(const struct td_run *r)
{
	const char *others = getenv("LD_PRELOAD");
	const char *const parts[] = {r->preload, r->gpu.preload, others ? others : ""};
	char list[PATH_MAX * 3];
	size_t n = 0;

	if (r->slots)
		set_host(r);
	if (r->gpu.slots)
		set_gpu(r);
	*list = '\0';
	for (size_t i = 0; i < sizeof parts / sizeof *parts && n < sizeof list; i++)
		if (*parts[i])
			n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ":" : "",
					      parts[i]);
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
	int error = 0;

	for (size_t i = 0; i < KEPT; i++)
		sigaction(kept[i], &before->kept[i], NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
	if (r->kernel)
		error = -td_lib_kernel_enter(r->kernel);
	else
		set_environment(r);
	if (!error)
		execv(r->program, r->args->given.command);
	error = error ? error : errno;
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

#define FOR_EVER UINT64_MAX

/* Has it ended within the time? */
static bool wait_ns(pid_t pid, int pidfd, uint64_t ns, int *status)
{
	struct pollfd p = {.fd = pidfd, .events = POLLIN};
	struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	if (ns == FOR_EVER) {
		while (waitpid(pid, status, 0) < 0 && errno == EINTR)
			;
		return true;
	}
	ppoll(&p, 1, &time, NULL);
	return waitpid(pid, status, WNOHANG) == pid;
}

/* Draws and pages if that is due. The time until one of them is due again. */
static uint64_t be_useful(struct td_run *r, struct td_run_view *view, uint64_t *drawn_ns)
{
	uint64_t now = td_clock_ns(), ns = r->live ? VIEW_NS : FOR_EVER;

	if (r->live && now - *drawn_ns >= VIEW_NS) {
		td_run_view_draw(view, r);
		*drawn_ns = now;
	}
	if (r->kernel) {
		uint64_t due = td_lib_kernel_tick(r->kernel);
		ns = due < ns ? due : ns;
	}
	return ns;
}

static void wait_for(struct td_run *r)
{
	struct td_run_view view = {0};
	int pidfd = (int)syscall(SYS_pidfd_open, r->pid, 0), status;
	uint64_t drawn_ns = td_clock_ns();

	if (r->kernel)
		td_lib_kernel_begin(r->kernel, r->pid);
	while (!wait_ns(r->pid, pidfd, be_useful(r, &view, &drawn_ns), &status))
		;
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
