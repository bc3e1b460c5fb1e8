#include "log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct td_engine_log {
	FILE *file;
	char *path;
	unsigned evicted, brought; /* entries of the present line */
	char buffer[BUFSIZ]; /* of the file's: the pager writes where nothing may be allocated */
};

int td_engine_log_open(struct td_engine_log **out, const char *path, struct tide_error *err)
{
	struct td_engine_log *log = calloc(1, sizeof *log);
	if (!log || !(log->path = strdup(path))) {
		free(log);
		return tide_fail(err, -ENOMEM, "out of memory");
	}
	log->file = fopen(path, "we");
	if (!log->file) {
		int code = -errno;
		tide_fail(err, code, "cannot write the decision log %s: %s: give another name",
			  path, strerror(-code));
		free(log->path);
		free(log);
		return code;
	}
	setvbuf(log->file, log->buffer, _IOFBF, sizeof log->buffer);
	*out = log;
	return 0;
}

/* Without its end it could pass for a whole one. What is no plain file was not made here. */
static void remove_torn(const struct td_engine_log *log)
{
	struct stat opened, named;

	if (!fstat(fileno(log->file), &opened) && S_ISREG(opened.st_mode) &&
	    !lstat(log->path, &named) && named.st_dev == opened.st_dev &&
	    named.st_ino == opened.st_ino)
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

static void begin(struct td_engine_log *log, uint64_t time, const char *what, uint64_t page)
{
	if (!log)
		return;
	log->evicted = log->brought = 0;
	fprintf(log->file, "{\"t\":%" PRIu64 ",\"%s\":%" PRIu64 ",\"evict\":[", time, what, page);
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
	if (log)
		fprintf(log->file, "%s%" PRIu64, log->evicted++ ? "," : "", chunk_number);
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
		fprintf(log->file, "%s[%" PRIu64 ",%u]", log->brought++ ? "," : "",
			first_page + start, length);
		pages &= length == 64 ? 0 : ~(((UINT64_C(1) << length) - 1) << start);
	}
}

void td_engine_log_end(struct td_engine_log *log)
{
	if (log)
		fputs("]}\n", log->file);
}
