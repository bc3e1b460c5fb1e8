/* The file under a pool of tide reproduce gram: what it holds, and whether it still does. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include "gram.h"
#include "tide/event.h"

#define STEP 256 /* pages written at once */

/* ---- random blocks ---- */

static int draw_content(const struct td_cli_gram_source *s, uint64_t page, void *to,
			struct tide_error *err)
{
	const struct td_cli_gram_drawn *d = (const void *)s;
	uint64_t contents = (s->pages + d->copies - 1) / d->copies;

	(void)err;
	td_pool_scribble(to, GRAM_PAGE, tide_hash64(page % contents + d->seed));
	return 0;
}

void td_cli_gram_draw(struct td_cli_gram_drawn *d, uint64_t pages, uint64_t copies, uint64_t seed)
{
	*d = (struct td_cli_gram_drawn){{draw_content, pages}, copies, tide_hash64(seed)};
}

/* ---- the file ---- */

uint64_t td_cli_gram_sum(const void *page)
{
	return XXH3_64bits(page, GRAM_PAGE);
}

bool td_cli_gram_check(struct td_cli_gram_file *f, uint64_t page, void *at)
{
	return td_cli_gram_sum(at) == f->sums[page];
}

void td_cli_gram_update(struct td_cli_gram_file *f, uint64_t page, void *at, uint64_t value)
{
	memcpy(at, &value, sizeof value);
	f->sums[page] = td_cli_gram_sum(at);
	f->changed[page] = 1;
	f->any_changed = true;
}

int td_cli_gram_file_open(struct td_cli_gram_file *f, const char *folder, struct tide_error *err)
{
	*f = (struct td_cli_gram_file){.file = {.fd = -1}};
	return td_pool_file_nameless(&f->file, folder, err);
}

void td_cli_gram_file_close(struct td_cli_gram_file *f)
{
	td_pool_file_end(&f->file);
	free(f->sums);
	free(f->changed);
	*f = (struct td_cli_gram_file){.file = {.fd = -1}};
}

static int cannot_make(const struct td_cli_gram_file *f, struct tide_error *err)
{
	return tide_fail(
		err, -errno,
		"cannot make a file of %s: %s: give another --folder, or a smaller --scale",
		td_cli_bytes(f->pages * GRAM_PAGE).text, strerror(errno));
}

static int write_pages(const struct td_cli_gram_file *f, const unsigned char *bytes, uint64_t first,
		       size_t n, struct tide_error *err)
{
	size_t done = 0;

	while (done < n * GRAM_PAGE) {
		ssize_t now = pwrite(f->file.fd, bytes + done, n * GRAM_PAGE - done,
				     (off_t)(first * GRAM_PAGE + done));
		if (now < 0 && errno != EINTR)
			return cannot_make(f, err);
		done += now > 0 ? (size_t)now : 0;
	}
	return 0;
}

static bool is_zero(const unsigned char *page)
{
	return page[0] == 0 && memcmp(page, page + 1, GRAM_PAGE - 1) == 0;
}

/* Zeros stay holes, so that mostly empty images take little room. */
static int fill_step(struct td_cli_gram_file *f, unsigned char *bytes, uint64_t first, size_t n,
		     struct tide_error *err)
{
	size_t from = 0;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		unsigned char *page = bytes + i * GRAM_PAGE;
		rc = f->source->content(f->source, first + i, page, err);
		f->sums[first + i] = td_cli_gram_sum(page);
		if (rc || !is_zero(page))
			continue;
		rc = write_pages(f, bytes + from * GRAM_PAGE, first + from, i - from, err);
		from = i + 1;
	}
	return rc ? rc : write_pages(f, bytes + from * GRAM_PAGE, first + from, n - from, err);
}

static int make_room(struct td_cli_gram_file *f, const struct td_cli_gram_source *source,
		     struct tide_error *err)
{
	free(f->sums);
	free(f->changed);
	f->pages = source->pages;
	f->sums = calloc(f->pages, sizeof *f->sums);
	f->changed = calloc(f->pages, 1);
	if (!f->sums || !f->changed)
		return tide_fail(err, -ENOMEM,
				 "no memory for the sums of %" PRIu64 " pages: free some",
				 f->pages);
	if (ftruncate(f->file.fd, 0) || ftruncate(f->file.fd, (off_t)(f->pages * GRAM_PAGE)))
		return cannot_make(f, err);
	return 0;
}

/* On storage, so that what comes is not slowed down by it. */
static int settle(const struct td_cli_gram_file *f, struct tide_error *err)
{
	return fsync(f->file.fd) ? cannot_make(f, err) : 0;
}

int td_cli_gram_file_fill(struct td_cli_gram_file *f, const struct td_cli_gram_source *source,
			  struct tide_error *err)
{
	unsigned char *bytes = malloc(STEP * GRAM_PAGE);
	int rc = bytes ? make_room(f, source, err)
		       : tide_fail(err, -ENOMEM, "no memory for a file: free some");

	f->source = source;
	f->any_changed = false;
	for (uint64_t i = 0; i < source->pages && !rc; i += STEP)
		rc = fill_step(f, bytes, i, source->pages - i < STEP ? source->pages - i : STEP,
			       err);
	free(bytes);
	return rc ? rc : settle(f, err);
}

static int restore_page(struct td_cli_gram_file *f, uint64_t page, unsigned char *bytes,
			struct tide_error *err)
{
	ssize_t n = pread(f->file.fd, bytes, GRAM_PAGE, (off_t)(page * GRAM_PAGE));

	if (n != GRAM_PAGE)
		return tide_fail(err, n < 0 ? -errno : -EIO,
				 "cannot read page %" PRIu64 " of the file: look at the storage",
				 page);
	if (td_cli_gram_sum(bytes) != f->sums[page])
		return tide_fail(err, -EIO,
				 "page %" PRIu64 " of the file is not what was written last: this "
				 "is a bug",
				 page);
	int rc = f->source->content(f->source, page, bytes, err);
	f->sums[page] = td_cli_gram_sum(bytes);
	f->changed[page] = 0;
	return rc ? rc : write_pages(f, bytes, page, 1, err);
}

int td_cli_gram_file_restore(struct td_cli_gram_file *f, struct tide_error *err)
{
	unsigned char bytes[GRAM_PAGE];
	int rc = 0;

	if (!f->any_changed)
		return 0;
	for (uint64_t page = 0; page < f->pages && !rc; page++)
		if (f->changed[page])
			rc = restore_page(f, page, bytes, err);
	f->any_changed = false;
	return rc ? rc : settle(f, err);
}
