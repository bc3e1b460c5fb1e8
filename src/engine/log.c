#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/limits.h"

struct td_engine_log {
	FILE *file;
	int fd;
	bool limited;   /* a plain file, whose size the kernel may limit */
	uint64_t bytes; /* written so far */
	char *path;
	unsigned evicted, brought; /* entries of the present line */
	char buffer[BUFSIZ]; /* of the file's: the pager writes where nothing may be allocated */
};

/* At its limit the file is full like a disk: no signal ends the program. */
static ssize_t put(void *cookie, const char *data, size_t bytes)
{
	struct td_engine_log *log = cookie;
	if (log->fd < 0)
		return (ssize_t)bytes; /* what was in its buffer when it was disowned */
	if (log->limited && !td_core_may_reach(log->bytes + bytes)) {
		errno = EFBIG;
		return 0;
	}
	ssize_t n = write(log->fd, data, bytes);
	log->bytes += n > 0 ? (uint64_t)n : 0;
	return n > 0 ? n : 0;
}

static int close_fd(void *cookie)
{
	int fd = ((struct td_engine_log *)cookie)->fd;
	return fd < 0 ? 0 : close(fd);
}

static int open_file(struct td_engine_log *log)
{
	struct stat st;
	log->fd = open(log->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (log->fd < 0)
		return -errno;
	log->limited = !fstat(log->fd, &st) && S_ISREG(st.st_mode);
	log->file = fopencookie(log, "w", (cookie_io_functions_t){.write = put, .close = close_fd});
	if (!log->file) {
		close(log->fd);
		return -ENOMEM;
	}
	setvbuf(log->file, log->buffer, _IOFBF, sizeof log->buffer);
	return 0;
}

int td_engine_log_open(struct td_engine_log **out, const char *path, struct tide_error *err)
{
	struct td_engine_log *log = calloc(1, sizeof *log);
	if (!log || !(log->path = strdup(path))) {
		free(log);
		return tide_fail(err, -ENOMEM, "out of memory");
	}
	int rc = open_file(log);
	if (rc) {
		tide_fail(err, rc, "cannot write the decision log %s: %s: give another name", path,
			  strerror(-rc));
		free(log->path);
		free(log);
		return rc;
	}
	*out = log;
	return 0;
}

void td_engine_log_disown(struct td_engine_log *log)
{
	if (!log)
		return;
	close(log->fd);
	log->fd = -1;
}

/* Without its end it could pass for a whole one. What is no plain file was not made here. */
static void remove_torn(const struct td_engine_log *log)
{
	struct stat opened, named;

	if (!fstat(log->fd, &opened) && S_ISREG(opened.st_mode) && !lstat(log->path, &named) &&
	    named.st_dev == opened.st_dev && named.st_ino == opened.st_ino)
		unlink(log->path);
}

int td_engine_log_close(struct td_engine_log *log, struct tide_error *err)
{
	int rc = 0;

	if (!log)
		return 0;
	if (fflush(log->file) || ferror(log->file)) {
		rc = tide_fail(err, -EIO, "cannot write the decision log %s: is the disk full?",
			       log->path);
		remove_torn(log);
	}
	fclose(log->file);
	free(log->path);
	free(log);
	return rc;
}

/* As in every document of tide: JSON's readers take 63 bits, and more is given as text. */
static void put_number(struct td_engine_log *log, uint64_t n)
{
	fprintf(log->file, n > INT64_MAX ? "\"%" PRIu64 "\"" : "%" PRIu64, n);
}

static void begin(struct td_engine_log *log, uint64_t time, const char *what, uint64_t page)
{
	if (!log)
		return;
	log->evicted = log->brought = 0;
	fprintf(log->file, "{\"t\":%" PRIu64 ",\"%s\":", time, what);
	put_number(log, page);
	fputs(",\"evict\":[", log->file);
}

void td_engine_log_fault(struct td_engine_log *log, uint64_t time, uint64_t page)
{
	begin(log, time, "fault", page);
}

void td_engine_log_notice(struct td_engine_log *log, uint64_t time, uint64_t page)
{
	begin(log, time, "notice", page);
}

void td_engine_log_asked(struct td_engine_log *log, uint64_t time, uint64_t page)
{
	begin(log, time, "asked", page);
}

void td_engine_log_cold(struct td_engine_log *log, uint64_t time, uint64_t page)
{
	begin(log, time, "cold", page);
}

void td_engine_log_evict(struct td_engine_log *log, uint64_t chunk_number)
{
	if (!log)
		return;
	fputs(log->evicted++ ? "," : "", log->file);
	put_number(log, chunk_number);
}

void td_engine_log_bring(struct td_engine_log *log, uint64_t first_page, uint64_t pages)
{
	if (!log)
		return;
	if (!log->brought)
		fputs("],\"bring\":[", log->file);
	while (pages) {
		unsigned start = (unsigned)__builtin_ctzll(pages);
		uint64_t from_start = pages >> start;
		unsigned length = ~from_start ? (unsigned)__builtin_ctzll(~from_start) : 64;
		fputs(log->brought++ ? ",[" : "[", log->file);
		put_number(log, first_page + start);
		fprintf(log->file, ",%u]", length);
		pages &= length == 64 ? 0 : ~(((UINT64_C(1) << length) - 1) << start);
	}
}

void td_engine_log_end(struct td_engine_log *log)
{
	if (log)
		fputs("]}\n", log->file);
}
