#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "run.h"

bool td_run_serves_all(void)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		fd = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* System calls may be given paged memory, which only a handler thread can serve; where the kernel
 * does not show such faults, the preload library lends a hand. */
static const char *service_of(const char *asked)
{
	if (asked && strcmp(asked, "auto") != 0)
		return asked;
	return td_run_serves_all() ? "thread" : "signal";
}

static int check_threshold(const char *text, struct tide_error *err)
{
	uint64_t bytes;

	if (!text || (td_core_size(text, strlen(text), &bytes) == 0 && bytes >= 4096))
		return 0;
	return tide_fail(err, -EINVAL, "--threshold %s is no size from 4K on: give one such as 1M",
			 td_cli_shown(text).text);
}

static int check_fork(const char *text, struct tide_error *err)
{
	static const char *const ways[] = {"copy", "refuse"};

	if (!text || strcmp(text, "copy") == 0 || strcmp(text, "refuse") == 0)
		return 0;
	return td_cli_unknown("value of --fork,", text, ways, 2, err);
}

/* As far as can be told without making it: its writer may run for hours before it is due. */
static int check_place(const char *path, struct tide_error *err)
{
	char folder[PATH_MAX];
	struct stat st;
	int code = 0;

	if (!path)
		return 0;
	if (strcmp(path, "-") == 0)
		return tide_fail(err, -EINVAL,
				 "- would be the standard output of the program: give a file");
	if (stat(path, &st) == 0) {
		code = S_ISDIR(st.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
	} else if (errno != ENOENT) {
		code = errno;
	} else {
		snprintf(folder, sizeof folder, "%s", path);
		code = access(dirname(folder), W_OK | X_OK) ? errno : 0;
	}
	return code ? tide_fail(err, -code, "cannot write %s: %s: give another name",
				td_cli_shown(path).text, strerror(code))
		    : 0;
}

/* The same pager, here, for a moment: whatever is wrong with the settings or the kernel is said
 * before anything runs. What a process that may run unpaged cannot have, it says itself. */
static int try_out(struct td_run *r, struct tide_error *err)
{
	struct tide_options o = r->options;
	struct tide_stats stats = {.size = sizeof stats};
	struct tide *t;
	int rc;

	o.log = o.record = NULL;
	rc = tide_open(&t, &o, err);
	if (rc)
		return o.over_budget && rc != -EINVAL ? 0 : rc;
	tide_stats(t, &stats, NULL);
	r->near_bytes = stats.near_limit_bytes;
	if (r->args->load_set)
		rc = tide_set_load(t, r->args->load_set, err);
	int closed = tide_close(t, rc ? NULL : err);
	return rc ? rc : closed;
}

static const char *or_default(const char *given, const char *otherwise)
{
	return given ? given : otherwise;
}

/* The policies and the world that they run in. */
static int set_policies(struct td_run *r, struct tide_error *err)
{
	const struct td_run_options *a = r->args;
	struct td_cli_world world = {a->page, a->chunk, a->prefetch};
	int rc;

	r->options.evict = a->evict;
	rc = td_cli_pair_take(a->policies, &r->room, &r->options.evict, &world.prefetch, err);
	if (!rc)
		rc = td_cli_preset(a->preset, &world, err);
	r->options.page = world.page;
	r->options.chunk = world.chunk;
	r->options.prefetch = world.prefetch;
	if (!a->place && !td_run_is_kernel(a)) { /* these have policies of their own */
		r->options.evict = or_default(r->options.evict, "lrm");
		r->options.prefetch = or_default(r->options.prefetch, "fit");
	}
	return rc;
}

/* What takes a moment, and may have nothing to do with the program. */
static int check_words(const struct td_run_options *a, struct tide_error *err)
{
	int rc = check_threshold(a->threshold, err);

	if (!rc)
		rc = check_fork(a->forks, err);
	if (!rc)
		rc = check_place(a->stats, err);
	if (!rc)
		rc = check_place(a->log, err);
	if (!rc)
		rc = check_place(a->save_set, err);
	if (!rc)
		rc = check_place(a->gpu_log, err);
	if (!rc)
		rc = check_place(a->gpu_record, err);
	return rc ? rc : check_place(a->record, err);
}

static int host_settings(struct td_run *r, struct tide_error *err)
{
	const struct td_run_options *a = r->args;
	int rc;

	r->options = (struct tide_options){
		.size = sizeof(struct tide_options),
		.near_size = a->near_size,
		.place = a->place,
		.host = a->host,
		.host_kind = a->host_kind,
		.storage = a->storage,
		.mapping = a->mapping,
		.service = td_run_is_kernel(a) ? NULL : service_of(a->service),
		.seed = a->seed,
		.log = a->log,
		.record = a->record,
		.watchdog = a->watchdog,
		.over_budget = a->over_budget,
	};
	rc = set_policies(r, err);
	if (rc)
		return rc;
	return td_run_is_kernel(a) ? td_run_kernel_settings(r, err) : try_out(r, err);
}

int td_run_settings(struct td_run *r, struct tide_error *err)
{
	const struct td_run_options *a = r->args;
	int rc = check_words(a, err);

	if (!rc)
		rc = td_run_check_sides(a, r->verb, err);
	if (!rc && a->near_size)
		rc = host_settings(r, err);
	if (!rc && a->gpu_near)
		rc = td_run_gpu_settings(r, err);
	return rc;
}
