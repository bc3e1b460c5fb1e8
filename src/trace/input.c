#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decompress.h"
#include "output.h"

int td_trace_tmpfile(const char *folder)
{
	char *name;
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	/* Not every file system knows O_TMPFILE. */
	if (asprintf(&name, "%s/tide-XXXXXX", folder) < 0)
		return -ENOMEM;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	else
		unlink(name);
	free(name);
	return fd;
}

/* Files are read at our own offset, so that two readers can share a standard input. */
static ssize_t read_raw(struct td_trace_input *in, void *to, size_t n)
{
	ssize_t got;

	do {
		got = in->regular ? pread(in->fd, to, n, (off_t)(in->base + in->raw_done))
				  : read(in->fd, to, n);
	} while (got < 0 && errno == EINTR);
	if (got > 0)
		in->raw_done += (uint64_t)got;
	return got;
}

static int fail_read(struct td_trace_input *in, struct tide_error *err)
{
	int code = -errno;

	return tide_fail(err, code, "cannot read %s: %s", in->name, strerror(-code));
}

static int more_plain(struct td_trace_input *in, struct tide_error *err)
{
	size_t room = (size_t)(in->buffer + TD_TRACE_INPUT_BYTES - in->end);
	ssize_t got = read_raw(in, in->end, room);

	if (got < 0)
		return fail_read(in, err);
	in->end += got;
	in->eof = !got;
	return 0;
}

static int more_raw(struct td_trace_input *in, bool *ended, struct tide_error *err)
{
	ssize_t got = read_raw(in, in->raw, TD_TRACE_INPUT_BYTES);

	if (got < 0)
		return fail_read(in, err);
	in->raw_at = in->raw;
	in->raw_end = in->raw + got;
	*ended = !got;
	return 0;
}

static int more_decoded(struct td_trace_input *in, struct tide_error *err)
{
	struct td_trace_decoder *d = in->decoder;
	unsigned char *before = in->end, *room_end = in->buffer + TD_TRACE_INPUT_BYTES;
	bool ended = false;

	while (in->end == before) {
		int rc = 0;

		if (in->raw_at == in->raw_end)
			rc = more_raw(in, &ended, err);
		if (!rc && !(ended && d->complete))
			rc = d->decode(d, &in->raw_at, in->raw_end, &in->end, room_end, in->name,
				       err);
		if (rc)
			return rc;
		if (!ended || in->end != before)
			continue;
		if (!d->complete)
			return tide_fail(err, -EBADMSG,
					 "%s is cut off inside its compressed data: get the "
					 "whole file",
					 in->name);
		in->eof = true;
		return 0;
	}
	return 0;
}

int td_trace_input_more(struct td_trace_input *in, struct tide_error *err)
{
	size_t left = (size_t)(in->end - in->at);

	if (in->eof)
		return 0;
	if (in->at != in->buffer) {
		memmove(in->buffer, in->at, left);
		in->at = in->buffer;
		in->end = in->buffer + left;
	}
	return in->decoder ? more_decoded(in, err) : more_plain(in, err);
}

int td_trace_input_want(struct td_trace_input *in, size_t n, struct tide_error *err)
{
	int rc = 0;

	while (!rc && !in->eof && (size_t)(in->end - in->at) < n)
		rc = td_trace_input_more(in, err);
	return rc;
}

int td_trace_input_take(struct td_trace_input *in, void *to, size_t n, size_t *got,
			struct tide_error *err)
{
	*got = 0;
	while (*got < n) {
		size_t part = (size_t)(in->end - in->at);

		if (part > n - *got)
			part = n - *got;
		memcpy((unsigned char *)to + *got, in->at, part);
		in->at += part;
		*got += part;
		if (*got == n || in->eof)
			break;
		int rc = td_trace_input_more(in, err);
		if (rc)
			return rc;
	}
	return 0;
}

int td_trace_input_seek(struct td_trace_input *in, uint64_t offset, struct tide_error *err)
{
	if (!in->regular)
		return tide_fail(err, -ESPIPE, "%s cannot be read twice: save it to a file first",
				 in->name);
	in->raw_done = offset;
	in->raw_at = in->raw_end = in->raw;
	in->at = in->end = in->buffer;
	in->eof = false;
	if (in->decoder)
		in->decoder->reset(in->decoder);
	return 0;
}

int td_trace_input_rewind(struct td_trace_input *in, struct tide_error *err)
{
	return td_trace_input_seek(in, 0, err);
}

int td_trace_input_pread(struct td_trace_input *in, uint64_t offset, void *to, size_t n,
			 struct tide_error *err)
{
	ssize_t got = pread(in->fd, to, n, (off_t)(in->base + offset));

	if (got < 0)
		return fail_read(in, err);
	if ((size_t)got != n)
		return tide_fail(err, -EBADMSG, "%s became shorter while it was read", in->name);
	return 0;
}

/* Replaces the descriptor of a pipe by one of a temporary file with the same bytes. */
static int spool(struct td_trace_input *in, struct tide_error *err)
{
	int fd = td_trace_tmpfile(td_trace_tmpdir()), rc = 0;
	ssize_t got = 1;

	if (fd < 0)
		return tide_fail(err, fd, "cannot make a temporary file in %s: %s: set TMPDIR",
				 td_trace_tmpdir(), strerror(-fd));
	while (!rc && got) {
		got = read_raw(in, in->buffer, TD_TRACE_INPUT_BYTES);
		if (got < 0)
			rc = fail_read(in, err);
		else if ((rc = td_trace_write_all(fd, in->buffer, (size_t)got)))
			tide_fail(err, rc, "cannot keep a copy of %s in %s: %s: set TMPDIR",
				  in->name, td_trace_tmpdir(), strerror(-rc));
	}
	if (rc) {
		close(fd);
		return rc;
	}
	close(in->fd);
	in->fd = fd;
	in->regular = true;
	in->raw_bytes = in->raw_done;
	in->raw_done = 0;
	return 0;
}

static int look_at(struct td_trace_input *in, struct tide_error *err)
{
	struct stat st;
	off_t base;

	if (fstat(in->fd, &st) < 0)
		return fail_read(in, err);
	if (S_ISDIR(st.st_mode))
		return tide_fail(err, -EISDIR, "%s is a directory: name a trace file", in->name);
	base = lseek(in->fd, 0, SEEK_CUR);
	in->regular = S_ISREG(st.st_mode) && base >= 0;
	if (in->regular) {
		in->base = (uint64_t)base;
		in->raw_bytes = st.st_size > base ? (uint64_t)(st.st_size - base) : 0;
		posix_fadvise(in->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	}
	return 0;
}

/* The first bytes decide; where they are compressed they move to the raw buffer. */
static int start_decoder(struct td_trace_input *in, struct tide_error *err)
{
	size_t n;
	int rc = td_trace_input_want(in, 6, err);

	if (rc)
		return rc;
	n = (size_t)(in->end - in->at);
	rc = td_trace_decoder_open(&in->decoder, in->at, n, err);
	if (rc || !in->decoder)
		return rc;
	in->raw = malloc(TD_TRACE_INPUT_BYTES);
	if (!in->raw)
		return tide_fail(err, -ENOMEM, "out of memory to read %s", in->name);
	memcpy(in->raw, in->at, n);
	in->raw_at = in->raw;
	in->raw_end = in->raw + n;
	in->at = in->end = in->buffer;
	in->eof = false; /* a short file may be in the raw buffer as a whole */
	return 0;
}

int td_trace_input_from_fd(struct td_trace_input **out, int fd, const char *name, bool want_spool,
			   struct tide_error *err)
{
	struct td_trace_input *in = calloc(1, sizeof *in);
	int rc = -ENOMEM;

	*out = NULL;
	if (in) {
		in->fd = fd;
		in->name = strdup(name);
		in->buffer = calloc(1, TD_TRACE_INPUT_BYTES + TD_TRACE_INPUT_SLACK);
		in->at = in->end = in->buffer;
	} else {
		close(fd);
	}
	if (!in || !in->name || !in->buffer) {
		tide_fail(err, rc, "out of memory to read %s", name);
		goto fail;
	}
	rc = look_at(in, err);
	if (!rc && want_spool && !in->regular)
		rc = spool(in, err);
	if (!rc)
		rc = start_decoder(in, err);
	if (rc)
		goto fail;
	*out = in;
	return 0;
fail:
	td_trace_input_close(in);
	return rc;
}

int td_trace_input_open(struct td_trace_input **out, const char *path, bool want_spool,
			struct tide_error *err)
{
	bool standard = !strcmp(path, "-");
	int fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
			  : open(path, O_RDONLY | O_CLOEXEC);

	*out = NULL;
	if (fd < 0 && errno == ENOENT)
		return tide_fail(err, -ENOENT, "%s does not exist: check the name", path);
	if (fd < 0) {
		int code = -errno;
		return tide_fail(err, code, "cannot open %s: %s: give a file that can be read",
				 standard ? "standard input" : path, strerror(-code));
	}
	return td_trace_input_from_fd(out, fd, standard ? "standard input" : path, want_spool, err);
}

void td_trace_input_close(struct td_trace_input *in)
{
	if (!in)
		return;
	if (in->decoder)
		in->decoder->close(in->decoder);
	close(in->fd);
	free((char *)in->name);
	free(in->buffer);
	free(in->raw);
	free(in);
}
