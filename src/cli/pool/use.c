#include "use.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "tide/event.h"
#include "trace/output.h"

#define STEP_BYTES ((size_t)1 << 20)

int td_pool_use_options(const struct tide_pool_options *given, struct tide_pool_options *o,
			const char *main_size, const char *device_size, struct tide_error *err)
{
	*o = *given;
	o->size = sizeof *o;
	o->path = "";
	o->record = NULL;
	o->main_size = o->main_size ? o->main_size : main_size;
	o->device_size = o->device_size ? o->device_size : device_size;
	struct tide_pool *p;
	int rc = tide_pool_open(&p, o, err);
	o->record = given->record;
	return rc == -ENOENT ? 0 : rc; /* there is no file without a name: all else is right */
}

int td_pool_use_real(const char *option, const char *text, double initial, double *out,
		     struct tide_error *err)
{
	*out = initial;
	if (!text || (td_core_real(text, out) == 0 && *out >= 0.0001 && *out <= 1e6))
		return 0;
	return tide_fail(err, -EINVAL, "--%s %s: give a number from 0.0001 to 1000000", option,
			 td_cli_shown(text).text);
}

/* ---- files ---- */

int td_pool_file_named(struct td_pool_file *f, const char *name, bool force, struct tide_error *err)
{
	int fd;

	*f = (struct td_pool_file){.fd = -1};
	if (snprintf(f->path, sizeof f->path, "%s", name) >= (int)sizeof f->path)
		return tide_fail(err, -ENAMETOOLONG,
				 "the name of the file is too long: give a shorter one");
	fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	f->made = fd >= 0;
	if (fd < 0 && errno == EEXIST && force)
		fd = open(name, O_RDWR | O_TRUNC | O_CLOEXEC);
	else if (fd < 0 && errno == EEXIST)
		return tide_fail(
			err, -EEXIST,
			"%s exists and would be overwritten: give another name, or --force",
			td_cli_shown(name).text);
	if (fd < 0)
		return tide_fail(err, -errno, "cannot make %s: %s: give another name",
				 td_cli_shown(name).text, strerror(errno));
	close(fd);
	return 0;
}

int td_pool_file_nameless(struct td_pool_file *f, const char *folder, struct tide_error *err)
{
	*f = (struct td_pool_file){.fd = -1};
	if (!folder)
		folder = getenv("TMPDIR");
	if (!folder)
		folder = "/var/tmp";
	if (snprintf(f->path, sizeof f->path, "%s/tide-pool-XXXXXX", folder) >= (int)sizeof f->path)
		return tide_fail(err, -ENAMETOOLONG,
				 "the name of the folder is too long: give another --folder");
	f->fd = mkostemp(f->path, O_CLOEXEC);
	if (f->fd < 0)
		return tide_fail(err, -errno, "cannot make a file in %s: %s: give another --folder",
				 td_cli_shown(folder).text, strerror(errno));
	unlink(f->path);
	snprintf(f->name, sizeof f->name, "the file in %s", td_cli_shown(folder).text);
	snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->fd);
	return 0;
}

void td_pool_file_explain(const struct td_pool_file *f, struct tide_error *err)
{
	struct tide_error said = *err;
	char *at = f->fd >= 0 ? strstr(said.text, f->path) : NULL;

	if (!at)
		return;
	*at = '\0';
	tide_fail(err, said.code, "%s%s%s", said.text, f->name, at + strlen(f->path));
}

void td_pool_file_end(struct td_pool_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

void td_pool_scribble(void *at, size_t bytes, uint64_t seed)
{
	unsigned char *to = at;

	for (size_t i = 0; i + 8 <= bytes; i += 8) {
		uint64_t word = tide_random_next(&seed);
		memcpy(to + i, &word, 8);
	}
}

/* The content of block i of n: each of n / copies of them again and again. */
static uint64_t content_of(uint64_t i, uint64_t n, double copies)
{
	uint64_t contents = (uint64_t)((double)n / copies + 0.5);

	return i % (contents ? contents : 1);
}

static int fill(int fd, uint64_t blocks, const struct td_pool_content *c, struct tide_error *err)
{
	size_t step = STEP_BYTES / c->block_bytes;
	size_t noise = (size_t)((double)c->block_bytes * (100 - c->zeros) / 100) & ~(size_t)7;
	unsigned char *bytes = calloc(1, STEP_BYTES);
	int rc = bytes ? 0 : tide_fail(err, -ENOMEM, "no memory for a file: free some");

	for (uint64_t i = 0; !rc && i < blocks; i += step) {
		size_t n = blocks - i < step ? (size_t)(blocks - i) : step;
		for (size_t k = 0; k < n; k++)
			td_pool_scribble(
				bytes + k * c->block_bytes, noise,
				tide_hash64(content_of(i + k, blocks, c->copies) + c->seed));
		rc = td_trace_write_all(fd, bytes, n * c->block_bytes);
		if (rc)
			tide_fail(err, rc, "cannot write the file: %s: is there room for it?",
				  strerror(-rc));
	}
	free(bytes);
	return rc;
}

int td_pool_file_fill(struct td_pool_file *f, uint64_t blocks, const struct td_pool_content *c,
		      struct tide_error *err)
{
	int fd = open(f->path, O_WRONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return tide_fail(err, -errno, "cannot write %s: %s: may it be written?", f->path,
				 strerror(errno));
	rc = fill(fd, blocks, c, err);
	/* On storage, so that what comes is not slowed down by it. */
	if (!rc && fsync(fd))
		rc = tide_fail(err, -errno, "cannot write %s: %s: is there room for it?", f->path,
			       strerror(errno));
	close(fd);
	if (rc && f->made)
		unlink(f->path);
	return rc;
}
