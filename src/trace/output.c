#include "output.h"
#include "core/clock.h"
#include "core/mode.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compress.h"
#include "tide/event.h"

#define BUFFER_BYTES ((size_t)1 << 18)

struct td_trace_output {
	int fd;
	char *path;      /* as asked for; "standard output" */
	char *target;    /* where links lead; NULL: written directly */
	char *temporary; /* renamed to target at the end; NULL: has no name yet */
	struct td_trace_encoder *encoder;
	uint64_t bytes;
	size_t used;
	unsigned char buffer[BUFFER_BYTES];
};

const char *td_trace_tmpdir(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

int td_trace_write_all(int fd, const void *from, size_t n)
{
	const unsigned char *p = from;

	while (n) {
		ssize_t put = write(fd, p, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		p += put;
		n -= (size_t)put;
	}
	return 0;
}

static int fail_write(struct td_trace_output *o, int code, struct tide_error *err)
{
	return tide_fail(err, code, "cannot write %s: %s: %s", o->path, strerror(-code),
			 code == -EPIPE    ? "is its reader gone?"
			 : code == -ENOSPC ? "free some space, or give another name"
					   : "give another name");
}

/* open() rather than mkstemp(), for the user's umask. */
static int make_temporary(struct td_trace_output *o)
{
	char unnamed[32];

	if (o->fd < 0) {
		o->fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		return o->fd < 0 ? -errno : 0;
	}
	snprintf(unnamed, sizeof unnamed, "/proc/self/fd/%d", o->fd);
	return linkat(AT_FDCWD, unnamed, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/* A new name in the folder: for a new file, or for one that has none yet. */
static int name_temporary(struct td_trace_output *o, const char *folder)
{
	uint64_t seed = td_clock_ns() ^ (uint64_t)getpid() << 32;
	int rc = 0;

	for (int tries = 0; tries < 100; tries++) {
		free(o->temporary);
		if (asprintf(&o->temporary, "%s/tide-trace-%08x", folder,
			     (unsigned)tide_random_next(&seed)) < 0) {
			o->temporary = NULL;
			return -ENOMEM;
		}
		rc = make_temporary(o);
		if (!rc)
			return 0;
		if (rc != -EEXIST)
			break;
	}
	free(o->temporary);
	o->temporary = NULL;
	return rc;
}

/* A file without a name is gone when its writer is killed. Not every file system has such files,
 * and they get a name only by way of /proc. */
static int open_new(struct td_trace_output *o)
{
	char *folder = td_trace_output_folder(o);
	int rc = 0;

	if (!folder)
		return -ENOMEM;
	if (!access("/proc/self/fd", F_OK))
		o->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	if (o->fd < 0)
		rc = name_temporary(o, folder);
	free(folder);
	return rc;
}

static int give_name(struct td_trace_output *o)
{
	char *folder = td_trace_output_folder(o);
	int rc = folder ? name_temporary(o, folder) : -ENOMEM;

	free(folder);
	return rc;
}

static int open_file(struct td_trace_output *o, const char *path, struct tide_error *err)
{
	struct stat st;
	bool exists = !stat(path, &st);
	int rc;

	if (!exists && errno != ENOENT)
		return fail_write(o, -errno, err);
	if (exists && S_ISDIR(st.st_mode))
		return tide_fail(err, -EISDIR, "%s is a directory: name a file in it", path);
	if (exists && !S_ISREG(st.st_mode)) {
		o->fd = open(path, O_WRONLY | O_CLOEXEC);
		return o->fd < 0 ? fail_write(o, -errno, err) : 0;
	}
	o->target = exists ? realpath(path, NULL) : strdup(path);
	rc = o->target ? open_new(o) : -ENOMEM;
	return rc ? fail_write(o, rc, err) : 0;
}

int td_trace_output_open(struct td_trace_output **out, const char *path, struct tide_error *err)
{
	struct td_trace_output *o = malloc(sizeof *o);
	bool standard = !strcmp(path, "-");
	int rc = -ENOMEM;

	*out = NULL;
	if (!o)
		return tide_fail(err, -ENOMEM, "out of memory to write %s", path);
	memset(o, 0, offsetof(struct td_trace_output, buffer));
	o->fd = -1;
	o->path = strdup(standard ? "standard output" : path);
	if (!o->path) {
		tide_fail(err, rc, "out of memory to write %s", path);
		goto fail;
	}
	rc = td_trace_encoder_open(&o->encoder, path, err);
	if (rc)
		goto fail;
	if (!standard)
		rc = open_file(o, path, err);
	else if ((o->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) < 0)
		rc = fail_write(o, -errno, err);
	if (rc)
		goto fail;
	*out = o;
	return 0;
fail:
	td_trace_output_abandon(o);
	return rc;
}

/* The buffer to the file, through the encoder if there is one. */
static int flush(struct td_trace_output *o, bool last, struct tide_error *err)
{
	const unsigned char *from = o->buffer;
	int rc = 0;

	if (o->encoder)
		rc = td_trace_encode(o->encoder, o->fd, from, o->used, last);
	else
		rc = td_trace_write_all(o->fd, from, o->used);
	o->used = 0;
	return rc ? fail_write(o, rc, err) : 0;
}

int td_trace_output_put(struct td_trace_output *o, const void *from, size_t n,
			struct tide_error *err)
{
	const unsigned char *p = from;

	o->bytes += n;
	while (n) {
		size_t part = BUFFER_BYTES - o->used < n ? BUFFER_BYTES - o->used : n;

		memcpy(o->buffer + o->used, p, part);
		o->used += part;
		p += part;
		n -= part;
		if (o->used == BUFFER_BYTES) {
			int rc = flush(o, false, err);
			if (rc)
				return rc;
		}
	}
	return 0;
}

uint64_t td_trace_output_bytes(const struct td_trace_output *o)
{
	return o->bytes;
}

char *td_trace_output_folder(const struct td_trace_output *o)
{
	const char *slash = o->target ? strrchr(o->target, '/') : NULL;

	if (!o->target)
		return strdup(td_trace_tmpdir());
	if (!slash)
		return strdup(".");
	return strndup(o->target, slash == o->target ? 1 : (size_t)(slash - o->target));
}

const char *td_trace_output_name(const struct td_trace_output *o)
{
	return o->path;
}

int td_trace_output_finish(struct td_trace_output *o, struct tide_error *err)
{
	int rc = flush(o, true, err);

	if (!rc && o->target && !o->temporary) {
		rc = give_name(o);
		rc = rc ? fail_write(o, rc, err) : 0;
	}
	if (!rc && o->target)
		td_core_keep_mode(o->fd, o->target);
	/* Some file systems report a full disk only here. */
	if (close(o->fd) < 0 && !rc)
		rc = fail_write(o, -errno, err);
	o->fd = -1;
	if (!rc && o->target && rename(o->temporary, o->target) < 0)
		rc = fail_write(o, -errno, err);
	if (!rc) {
		free(o->temporary);
		o->temporary = NULL;
	}
	td_trace_output_abandon(o);
	return rc;
}

void td_trace_output_abandon(struct td_trace_output *o)
{
	if (!o)
		return;
	if (o->fd >= 0)
		close(o->fd);
	if (o->temporary)
		unlink(o->temporary);
	td_trace_encoder_close(o->encoder);
	free(o->temporary);
	free(o->target);
	free(o->path);
	free(o);
}
