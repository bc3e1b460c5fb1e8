/* Images of real machines: which runs of pages may be files. No file system is read, so it works
 * with any: a run that is not zero is a file, and what it is used for follows from its content, so
 * that the same file is used alike on every machine. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "gram.h"

#define CUT_1_IN 16   /* pages begin another file */
#define RUN_PAGES 256 /* and longer runs are several files */
#define STEP 256      /* pages read at once */
#define BOOT_PERCENT 15
#define DOCUMENT_PERCENT 35
#define LOG_PERCENT 1

static enum td_cli_gram_role role_of(uint64_t luck)
{
	luck %= 100;
	if (luck < BOOT_PERCENT)
		return GRAM_BOOT;
	if (luck < BOOT_PERCENT + DOCUMENT_PERCENT)
		return GRAM_DOCUMENT;
	return luck < BOOT_PERCENT + DOCUMENT_PERCENT + LOG_PERCENT ? GRAM_LOG : GRAM_BASE;
}

/* What is behind the end is zero. */
static int read_pages(int fd, uint64_t first, size_t n, unsigned char *to, struct tide_error *err)
{
	size_t done = 0;

	while (done < n * GRAM_PAGE) {
		ssize_t now = pread(fd, to + done, n * GRAM_PAGE - done,
				    (off_t)(first * GRAM_PAGE + done));
		if (now < 0 && errno == EINTR)
			continue;
		if (now < 0)
			return tide_fail(err, -errno,
					 "cannot read an image: %s: look at its storage",
					 strerror(errno));
		if (now == 0)
			break;
		done += (size_t)now;
	}
	memset(to + done, 0, n * GRAM_PAGE - done);
	return 0;
}

static bool is_zero(const unsigned char *page)
{
	return page[0] == 0 && memcmp(page, page + 1, GRAM_PAGE - 1) == 0;
}

/* The next page of a disk: it goes on with the run, begins one, or is of none. Where a run is cut
 * follows from the content too, so the same files are found at other places. */
static int take_page(struct td_cli_gram_disk *disk, uint64_t page, const unsigned char *bytes,
		     struct tide_error *err)
{
	struct td_cli_gram_extent *last = disk->n ? &disk->extents[disk->n - 1] : NULL;
	uint64_t content;

	if (is_zero(bytes))
		return 0;
	content = XXH3_64bits(bytes, GRAM_PAGE);
	if (last && last->first + last->pages == disk->first + page && content % CUT_1_IN &&
	    last->pages < RUN_PAGES) {
		last->pages++;
		return 0;
	}
	struct td_cli_gram_extent e = {.first = disk->first + page,
				       .pages = 1,
				       .order = content,
				       .role = role_of(content / CUT_1_IN)};
	return td_cli_gram_extent_add(disk, &e, err);
}

static int scan(struct td_cli_gram_disk *disk, struct tide_error *err)
{
	unsigned char *bytes = malloc(STEP * GRAM_PAGE);
	int rc = bytes ? 0 : tide_fail(err, -ENOMEM, "no memory for an image: free some");

	for (uint64_t i = 0; i < disk->pages && !rc; i += STEP) {
		size_t n = disk->pages - i < STEP ? (size_t)(disk->pages - i) : STEP;
		rc = read_pages(disk->fd, i, n, bytes, err);
		for (size_t k = 0; k < n && !rc; k++)
			rc = take_page(disk, i + k, bytes + k * GRAM_PAGE, err);
	}
	free(bytes);
	return rc;
}

static int image_content(const struct td_cli_gram_source *s, uint64_t page, void *to,
			 struct tide_error *err)
{
	const struct td_cli_gram_disks *d = (const void *)s;
	const struct td_cli_gram_disk *disk = &d->at[d->n - 1];

	while (page < disk->first)
		disk--;
	return read_pages(disk->fd, page - disk->first, 1, to, err);
}

static int open_image(struct td_cli_gram_disk *disk, const char *path, struct tide_error *err)
{
	struct stat st = {0};
	off_t bytes;

	disk->fd = open(path, O_RDONLY | O_CLOEXEC);
	bytes = disk->fd < 0 || fstat(disk->fd, &st) ? -1 : lseek(disk->fd, 0, SEEK_END);
	if (S_ISDIR(st.st_mode)) {
		bytes = -1;
		errno = EISDIR;
	}
	if (bytes < 0)
		return tide_fail(err, -errno, "cannot read %s: %s: give a raw image of a disk",
				 td_cli_shown(path).text, strerror(errno));
	disk->pages = ((uint64_t)bytes + GRAM_PAGE - 1) / GRAM_PAGE;
	return scan(disk, err);
}

static bool is_usable(const struct td_cli_gram_disk *disk)
{
	bool has[GRAM_ROLES] = {false};

	for (size_t i = 0; i < disk->n; i++)
		has[disk->extents[i].role] = true;
	return has[GRAM_BASE] && has[GRAM_BOOT] && has[GRAM_DOCUMENT];
}

int td_cli_gram_disks_scan(struct td_cli_gram_disks *d, const struct td_cli_list *images,
			   struct tide_error *err)
{
	int rc = 0;

	*d = (struct td_cli_gram_disks){.source = {image_content, 0}};
	for (size_t i = 0; i < images->n && i < GRAM_MACHINES && !rc; i++) {
		struct td_cli_gram_disk *disk = &d->at[d->n++];
		disk->first = d->source.pages;
		rc = open_image(disk, images->at[i], err);
		if (!rc && !is_usable(disk))
			rc = tide_fail(err, -EINVAL,
				       "%s has too little data for a machine: give a raw image of "
				       "an installed system",
				       td_cli_shown(images->at[i]).text);
		d->source.pages += disk->pages;
	}
	return rc;
}

void td_cli_gram_disks_close(struct td_cli_gram_disks *d)
{
	for (unsigned i = 0; i < d->n; i++) {
		if (d->at[i].fd >= 0)
			close(d->at[i].fd);
		free(d->at[i].extents);
	}
	*d = (struct td_cli_gram_disks){.n = 0};
}
