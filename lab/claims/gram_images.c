/* Disks of machines with the same system installed, as far as a cache of blocks can tell: files of
 * the sizes that a system has, at places that differ from disk to disk, most with the same content
 * on all of them. Nothing is stored: what a page holds follows from its file. */
#include <errno.h>
#include <stdlib.h>

#include "gram.h"
#include "tide/event.h"

/* Pages of a disk of full size, in thousands: about 1.2 GiB, as that of a small server. */
#define BASE_K 160     /* packages */
#define DOCUMENTS_K 96 /* what it serves */
#define LOGS_K 4
#define FREE_K 60

#define BOOT_PERCENT 25    /* of the files of packages are read when it starts */
#define OWN_PERCENT 10     /* of the documents are of one machine alone */
#define CONFIGURED_1_IN 64 /* files of packages that are changed on each machine */
#define COPIED_1_IN 32     /* files of packages that are there twice */
#define LOG_PAGES 32
#define SMALL 56 /* of the sizes below: documents have up to 68 KiB, and 13 on average */

/* Sizes in pages of the files of a Debian 12 with a web server, at 0/64, 1/64, .. of them; the
 * largest, few and up to thousands of pages, are left out. */
static const unsigned char sizes[64] = {
	1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,   1, 1,
	1, 1, 1, 1, 1, 2,  2,  2,  2,  2,  3,  3,  3,  4,  4,  4,  5,  5,  5,  5,   6, 6,
	7, 7, 8, 8, 9, 10, 10, 12, 13, 14, 15, 17, 19, 22, 25, 29, 36, 48, 72, 137,
};

/* What is content of one machine alone. */
static uint64_t own(uint64_t content, unsigned machine)
{
	return tide_hash64(content + machine + 1);
}

static uint64_t pages_of(uint64_t content, unsigned kinds)
{
	return sizes[tide_hash64(content) % kinds];
}

int td_cli_gram_extent_add(struct td_cli_gram_disk *disk, const struct td_cli_gram_extent *e,
			   struct tide_error *err)
{
	if (disk->n == disk->room) {
		size_t room = disk->room ? 2 * disk->room : 256;
		void *at = reallocarray(disk->extents, room, sizeof *e);
		if (!at)
			return tide_fail(err, -ENOMEM,
					 "no memory for the files of a disk: free some");
		disk->extents = at;
		disk->room = room;
	}
	disk->extents[disk->n++] = *e;
	return 0;
}

/* Behind what is there. */
static int append(struct td_cli_gram_disk *disk, struct td_cli_gram_extent e,
		  struct tide_error *err)
{
	e.first = disk->first + disk->pages;
	disk->pages += e.pages;
	return td_cli_gram_extent_add(disk, &e, err);
}

static struct td_cli_gram_extent package_file(uint64_t seed, uint64_t number, unsigned machine)
{
	uint64_t order = tide_hash64(seed + number);
	/* A copy has the name of its own, and the content of the one before. */
	uint64_t shared = order % COPIED_1_IN ? order : tide_hash64(seed + number - 1);
	bool configured = order / COPIED_1_IN % CONFIGURED_1_IN == 0;
	bool boot = (order >> 32) % 100 < BOOT_PERCENT;

	return (struct td_cli_gram_extent){.pages = pages_of(shared, 64),
					   .order = order,
					   .content = configured ? own(shared, machine) : shared,
					   .role = boot ? GRAM_BOOT : GRAM_BASE};
}

static struct td_cli_gram_extent document(uint64_t seed, uint64_t number, unsigned machine)
{
	uint64_t order = tide_hash64(~seed - number);
	bool alone = (order >> 32) % 100 < OWN_PERCENT;

	return (struct td_cli_gram_extent){.pages = pages_of(order, SMALL),
					   .order = order,
					   .content = alone ? own(order, machine) : order,
					   .role = GRAM_DOCUMENT};
}

static struct td_cli_gram_extent log_file(uint64_t seed, uint64_t number, unsigned machine)
{
	uint64_t order = tide_hash64(seed ^ (number + 1) << 40);

	return (struct td_cli_gram_extent){.pages = LOG_PAGES,
					   .order = order,
					   .content = own(order, machine),
					   .role = GRAM_LOG};
}

typedef struct td_cli_gram_extent make_file(uint64_t seed, uint64_t number, unsigned machine);

static int append_files(struct td_cli_gram_disk *disk, make_file *make, uint64_t pages,
			uint64_t seed, unsigned machine, struct tide_error *err)
{
	uint64_t end = disk->pages + pages;
	int rc = 0;

	for (uint64_t i = 1; disk->pages < end && !rc; i++)
		rc = append(disk, make(seed, i, machine), err);
	return rc;
}

static int generate(struct td_cli_gram_disk *disk, uint64_t thousand, uint64_t seed,
		    unsigned machine, struct tide_error *err)
{
	/* What was never written differs in length, and so nothing is at the same place. */
	uint64_t skipped = tide_hash64(seed + machine) % (thousand + 1);
	struct td_cli_gram_extent gap = {.pages = 1 + skipped, .role = GRAM_FREE};
	struct td_cli_gram_extent rest = {.pages = FREE_K * thousand - skipped, .role = GRAM_FREE};
	int rc = append(disk, gap, err);

	if (!rc)
		rc = append_files(disk, log_file, LOGS_K * thousand, seed, machine, err);
	if (!rc)
		rc = append_files(disk, package_file, BASE_K * thousand, seed, machine, err);
	if (!rc)
		rc = append_files(disk, document, DOCUMENTS_K * thousand, seed, machine, err);
	rest.content = own(seed, machine);
	return rc ? rc : append(disk, rest, err);
}

static const struct td_cli_gram_extent *extent_of(const struct td_cli_gram_disks *d, uint64_t page)
{
	const struct td_cli_gram_disk *disk = &d->at[d->n - 1];
	size_t low = 0, high;

	while (page < disk->first)
		disk--;
	high = disk->n;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (disk->extents[middle].first <= page)
			low = middle;
		else
			high = middle;
	}
	return &disk->extents[low];
}

static int generated_content(const struct td_cli_gram_source *s, uint64_t page, void *to,
			     struct tide_error *err)
{
	const struct td_cli_gram_extent *e = extent_of((const void *)s, page);

	(void)err;
	if (!e->content)
		memset(to, 0, GRAM_PAGE);
	else
		td_pool_scribble(to, GRAM_PAGE, tide_hash64(e->content ^ (page - e->first) << 20));
	return 0;
}

int td_cli_gram_disks_generate(struct td_cli_gram_disks *d, uint64_t thousand, uint64_t seed,
			       struct tide_error *err)
{
	int rc = 0;

	*d = (struct td_cli_gram_disks){.source = {generated_content, 0}, .n = GRAM_MACHINES};
	for (unsigned i = 0; i < GRAM_MACHINES && !rc; i++) {
		d->at[i].fd = -1;
		d->at[i].first = d->source.pages;
		rc = generate(&d->at[i], thousand, tide_hash64(seed), i, err);
		d->source.pages += d->at[i].pages;
	}
	return rc;
}

uint64_t td_cli_gram_role_pages(const struct td_cli_gram_disks *d, unsigned machines,
				enum td_cli_gram_role role)
{
	uint64_t pages = 0;

	for (unsigned m = 0; m < machines; m++)
		for (size_t i = 0; i < d->at[m].n; i++)
			if (d->at[m].extents[i].role == role)
				pages += d->at[m].extents[i].pages;
	return pages;
}
