/* The file of results: read when a sweep goes on, locked while it runs, and appended to a line at
 * a time. Only what is certainly ours is ever cut. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/record.h"
#include "sweep.h"

static const char line_start[] = "{\"tide\":"; /* how every line begins */

static int fail_file(const struct td_cli_results *r, const char *verb, struct tide_error *err)
{
	const char *then = !r->regular
				   ? "give another --output"
				   : "what it has is kept, and the same command goes on from there";
	int code = errno;

	return tide_fail(err, code == EINVAL ? -EIO : -code, "cannot %s %s (%s): %s", verb,
			 r->path ? r->path : "standard output", strerror(code), then);
}

/* Was the result made by the shared objects as they are now? */
static bool same_plugins(const struct td_cli_reading *in, const struct td_cli_planned *run,
			 const json_t *o)
{
	const char *then = json_string_value(json_object_get(o, "plugins"));

	return strcmp(then ? then : "", td_cli_grid_plugins(in->grid, run->index).text) == 0;
}

/* Whether a result of before counts: it must be of this tide, and of the input and the policies as
 * they are now. */
static int judge(struct td_cli_reading *in, const struct td_cli_planned *run, const json_t *o,
		 enum td_cli_state *state)
{
	struct td_report_record record = td_report_record(o, o);
	struct td_cli_key now;
	int rc = 0;

	*state = json_object_get(o, "error") ? TD_CLI_FAILED : TD_CLI_DONE;
	if (strcmp(record.version, tide_version()) != 0) {
		*state = TD_CLI_OLD;
	} else if (!same_plugins(in, run, o)) {
		*state = TD_CLI_REBUILT;
	} else if (*state == TD_CLI_DONE && record.input) {
		rc = td_cli_grid_digest(in->grid, in->digests, run->index, &now);
		if (strcmp(record.input, now.text) != 0)
			*state = TD_CLI_CHANGED;
	}
	return rc;
}

static int find_result(struct td_cli_reading *in, const json_t *o, struct td_cli_planned **run,
		       enum td_cli_state *state)
{
	const char *key = json_string_value(json_object_get(o, "key"));
	bool failed = json_object_get(o, "error") != NULL;

	if (!json_is_string(json_object_get(o, "tide")) || !key ||
	    !failed == !json_object_get(o, "counts") || !td_cli_plan_find(in->plan, key, run))
		return -EBADMSG;
	return *run ? judge(in, *run, o, state) : 0;
}

int td_cli_read_result(struct td_cli_reading *in, const char *line, size_t n,
		       struct td_cli_planned **run, enum td_cli_state *state)
{
	json_t *o = json_loadb(line, n, 0, NULL);
	int rc = find_result(in, o, run, state);

	json_decref(o);
	return rc;
}

static int take_line(struct td_cli_reading *in, const char *line, size_t n, struct tide_error *err)
{
	struct td_cli_planned *run;
	enum td_cli_state state;
	int rc = td_cli_read_result(in, line, n, &run, &state);

	if (rc == -ENOMEM)
		return tide_fail(err, rc, "no memory for the results: free some");
	if (!rc && run)
		td_cli_plan_mark(run, state);
	return rc;
}

/* How much of a file is whole lines, all of which were taken. */
static int take_lines(const struct td_cli_results *r, const char *text, size_t n, size_t *whole,
		      struct td_cli_reading *in, struct tide_error *err)
{
	const char *end;
	int rc = 0;

	*whole = 0;
	for (uint64_t number = 1; !rc && (end = memchr(text + *whole, '\n', n - *whole));
	     number++) {
		rc = take_line(in, text + *whole, (size_t)(end - text) - *whole, err);
		if (rc == -EBADMSG)
			rc = tide_fail(err, -EEXIST,
				       "%s line %" PRIu64 " is no result of a sweep: give another "
				       "--output, or remove that line",
				       r->path, number);
		*whole = (size_t)(end - text) + 1;
	}
	return rc;
}

/* What stands after the last whole line: a result that only lacks its end of line gets it, one
 * that a kill cut short is cut off, and anything else is not ours to touch. */
static int mend(const struct td_cli_results *r, const char *rest, size_t n, size_t whole, bool look,
		struct td_cli_reading *in, struct tide_error *err)
{
	size_t known = n < strlen(line_start) ? n : strlen(line_start);
	int rc = n ? take_line(in, rest, n, err) : 0;

	if (!n || (rc && rc != -EBADMSG))
		return rc;
	if (rc && memcmp(rest, line_start, known) != 0)
		return tide_fail(err, -EEXIST,
				 "%s ends in what is no result of a sweep: give "
				 "another --output",
				 r->path);
	if (look)
		return 0;
	if (rc)
		return ftruncate(r->fd, (off_t)whole) ? fail_file(r, "cut", err) : 0;
	return write(r->fd, "\n", 1) == 1 ? 0 : fail_file(r, "write", err);
}

static int read_back(const struct td_cli_results *r, size_t n, bool look, struct td_cli_reading *in,
		     struct tide_error *err)
{
	size_t whole;
	char *text;
	int rc;

	if (!n)
		return 0;
	text = mmap(NULL, n, PROT_READ, MAP_PRIVATE, r->fd, 0);
	if (text == MAP_FAILED)
		return fail_file(r, "read", err);
	rc = take_lines(r, text, n, &whole, in, err);
	if (!rc)
		rc = mend(r, text + whole, n - whole, whole, look, in, err);
	munmap(text, n);
	return rc;
}

/* Some network file systems know no locks; there is nothing to do about it. */
static int lock(const struct td_cli_results *r, struct tide_error *err)
{
	if (flock(r->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	return tide_fail(err, -EBUSY,
			 "another sweep writes %s: wait for it, or give another --output", r->path);
}

static int open_file(struct td_cli_results *r, bool look, struct td_cli_reading *in,
		     struct tide_error *err)
{
	int flags = look ? O_RDONLY : O_RDWR | O_CREAT | O_APPEND;
	struct stat st;
	int rc = 0;

	r->fd = open(r->path, flags | O_CLOEXEC, 0666);
	if (r->fd < 0)
		return look && errno == ENOENT ? 0 : fail_file(r, "open", err);
	if (fstat(r->fd, &st))
		return fail_file(r, "read", err);
	r->regular = S_ISREG(st.st_mode);
	if (!r->regular)
		return 0;
	if (!look)
		rc = lock(r, err);
	/* What a writer added before the lock was had counts too. */
	if (!rc && fstat(r->fd, &st))
		rc = fail_file(r, "read", err);
	return rc ? rc : read_back(r, (size_t)st.st_size, look, in, err);
}

int td_cli_results_open(struct td_cli_results *r, const char *path, bool look,
			struct td_cli_reading *in, struct tide_error *err)
{
	int rc;

	*r = (struct td_cli_results){.path = path, .fd = -1};
	if (!path)
		r->fd = STDOUT_FILENO;
	rc = path ? open_file(r, look, in, err) : 0;
	if (rc)
		td_cli_results_close(r, NULL);
	return rc;
}

/* One call as a rule: whoever is killed before or after it leaves whole lines. */
static bool write_all(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t wrote = write(fd, text, n);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return false;
		text += wrote;
		n -= (size_t)wrote;
	}
	return true;
}

int td_cli_results_add(struct td_cli_results *r, const char *line, size_t n, struct tide_error *err)
{
	off_t before = r->regular ? lseek(r->fd, 0, SEEK_END) : -1;
	int rc;

	if (write_all(r->fd, line, n)) {
		r->unsynced = true;
		return 0;
	}
	rc = fail_file(r, "write", err);
	/* A full disk may have taken half of it. If it cannot be cut, the next start does. */
	if (before >= 0 && ftruncate(r->fd, before))
		r->unsynced = true;
	return rc;
}

/* ---- a file that is removed while the sweep runs ---- */

static bool is_there(const struct td_cli_results *r, struct stat *open)
{
	struct stat named;

	return fstat(r->fd, open) == 0 && stat(r->path, &named) == 0 &&
	       named.st_dev == open->st_dev && named.st_ino == open->st_ino;
}

static bool copy_all(int to, int from, off_t bytes)
{
	off_t at = 0;

	while (at < bytes)
		if (sendfile(to, from, &at, (size_t)(bytes - at)) <= 0)
			return false;
	return true;
}

/* Its name may be another file's by now: that one is not touched. */
static int fail_restore(const struct td_cli_results *r, struct tide_error *err)
{
	return tide_fail(
		err, -EIO,
		"%s was removed while the sweep ran, and cannot be written again (%s): its "
		"results are lost",
		r->path, strerror(errno));
}

int td_cli_results_keep(struct td_cli_results *r, struct tide_error *err)
{
	struct stat st;
	int fd;

	if (!r->regular || is_there(r, &st))
		return 0;
	fd = open(r->path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, st.st_mode & 07777);
	if (fd < 0)
		return fail_restore(r, err);
	/* sendfile() does not write to files that are appended to. */
	if (fcntl(fd, F_SETFL, 0) != 0 || !copy_all(fd, r->fd, st.st_size) ||
	    fcntl(fd, F_SETFL, O_APPEND) != 0 || dup3(fd, r->fd, O_CLOEXEC) < 0) {
		fail_restore(r, err);
		close(fd);
		return -EIO;
	}
	close(fd);
	r->restored = true;
	r->unsynced = true;
	return lock(r, err);
}

int td_cli_results_sync(struct td_cli_results *r, struct tide_error *err)
{
	if (!r->regular || !atomic_exchange(&r->unsynced, false))
		return 0;
	return fdatasync(r->fd) ? fail_file(r, "write", err) : 0;
}

int td_cli_results_close(struct td_cli_results *r, struct tide_error *err)
{
	int rc = td_cli_results_sync(r, err);

	if (r->path && r->fd >= 0 && close(r->fd) && !rc)
		rc = fail_file(r, "write", err);
	r->fd = -1;
	return rc;
}
