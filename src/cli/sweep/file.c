/* The file of results: read when a sweep goes on, locked while it runs, and appended to a line at
 * a time. Only what is certainly ours is ever cut. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* A result or a failure of this version of tide, by its key. */
static int take_result(const struct td_cli_results *r, const json_t *o, struct td_cli_plan *plan,
		       struct tide_error *err)
{
	const char *version = json_string_value(json_object_get(o, "tide"));
	const char *key = json_string_value(json_object_get(o, "key"));
	bool failed = json_object_get(o, "error") != NULL;

	if (!version || !key || !failed == !json_object_get(o, "counts") ||
	    !td_cli_plan_mark(plan, key, failed))
		return -EBADMSG;
	if (strcmp(version, tide_version()) == 0)
		return 0;
	return tide_fail(err, -EEXIST,
			 "%s has results of tide %s, and this is %s: give another --output, or "
			 "remove it",
			 r->path, td_cli_shown(version).text, tide_version());
}

static int take_line(const struct td_cli_results *r, const char *line, size_t n,
		     struct td_cli_plan *plan, struct tide_error *err)
{
	json_t *o = json_loadb(line, n, 0, NULL);
	int rc = take_result(r, o, plan, err);

	json_decref(o);
	return rc;
}

/* How much of a file is whole lines, all of which were taken. */
static int take_lines(const struct td_cli_results *r, const char *text, size_t n, size_t *whole,
		      struct td_cli_plan *plan, struct tide_error *err)
{
	const char *end;
	int rc = 0;

	*whole = 0;
	for (uint64_t number = 1; !rc && (end = memchr(text + *whole, '\n', n - *whole));
	     number++) {
		rc = take_line(r, text + *whole, (size_t)(end - text) - *whole, plan, err);
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
		struct td_cli_plan *plan, struct tide_error *err)
{
	size_t known = n < strlen(line_start) ? n : strlen(line_start);
	int rc = n ? take_line(r, rest, n, plan, err) : 0;

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

static int read_back(const struct td_cli_results *r, size_t n, bool look, struct td_cli_plan *plan,
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
	rc = take_lines(r, text, n, &whole, plan, err);
	if (!rc)
		rc = mend(r, text + whole, n - whole, whole, look, plan, err);
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

static int open_file(struct td_cli_results *r, bool look, struct td_cli_plan *plan,
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
	return rc ? rc : read_back(r, (size_t)st.st_size, look, plan, err);
}

int td_cli_results_open(struct td_cli_results *r, const char *path, bool look,
			struct td_cli_plan *plan, struct tide_error *err)
{
	int rc;

	*r = (struct td_cli_results){.path = path, .fd = -1};
	if (!path) {
		r->fd = STDOUT_FILENO;
		return 0;
	}
	rc = open_file(r, look, plan, err);
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
