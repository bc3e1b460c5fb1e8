/* What outlives the server: bitmaps in a file that is mapped. A process that is killed leaves what
 * it has written there. The head says whose it is. */
#include "kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <xxhash.h>

#define MAGIC UINT64_C(0x31746e656c656474) /* "tdelent1" */
#define HEAD_BYTES 4096
#define MARK "user.tide"

struct head {
	uint64_t magic, id[2], store[2];
	struct td_kept_of of;
	uint64_t sum; /* of all before */
};

static uint64_t sum_of(const struct head *h)
{
	return XXH3_64bits(h, offsetof(struct head, sum));
}

/* Is what is there a bitmap of this memory? */
static bool is_of(const struct td_kept *k, const struct head *h, const struct td_kept_of *of)
{
	struct stat st;
	return h->magic == MAGIC && h->sum == sum_of(h) && !memcmp(&h->of, of, sizeof *of) &&
	       !fstat(k->fd, &st) && (uint64_t)st.st_size == k->bytes;
}

static int judge(struct td_kept *k, const char *path, int memfd, const struct td_kept_of *of,
		 struct tide_error *err)
{
	struct head h = {0};
	uint64_t mark[2];
	bool read = pread(k->fd, &h, sizeof h, 0) == sizeof h;
	bool marked = memfd >= 0 && fgetxattr(memfd, MARK, mark, sizeof mark) == sizeof mark;
	k->again = read && is_of(k, &h, of);
	if (marked && (!k->again || memcmp(mark, h.id, sizeof mark) != 0))
		return tide_fail(err, -ESTALE,
				 "this memory was served from another store than %s: give that one",
				 path);
	return 0;
}

static uint64_t bitmap_bytes(const struct td_kept_of *of)
{
	return (of->pages + 7) / 8;
}

static int map(struct td_kept *k, const struct td_kept_of *of)
{
	if (!k->again && (ftruncate(k->fd, 0) || ftruncate(k->fd, (off_t)k->bytes)))
		return -errno;
	k->map = mmap(NULL, k->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, k->fd, 0);
	if (k->map == MAP_FAILED) {
		k->map = NULL;
		return -errno;
	}
	k->stored = k->map + HEAD_BYTES;
	k->near = k->stored + bitmap_bytes(of);
	return 0;
}

int td_kept_open(struct td_kept *k, const char *store, int memfd, const struct td_kept_of *of,
		 struct tide_error *err)
{
	char *path;
	*k = (struct td_kept){.fd = -1, .bytes = HEAD_BYTES + 2 * bitmap_bytes(of)};
	if (asprintf(&path, "%s.map", store) < 0)
		return tide_fail(err, -ENOMEM, "out of memory");
	k->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	int rc = k->fd < 0 || flock(k->fd, LOCK_EX | LOCK_NB) ? -errno : 0;
	if (rc == -EWOULDBLOCK)
		tide_fail(err, rc, "another server has %s: end that one first", path);
	else if (rc)
		tide_fail(err, rc, "cannot open %s: %s", path, strerror(-rc));
	if (!rc)
		rc = judge(k, store, memfd, of, err);
	if (!rc && (rc = map(k, of)))
		tide_fail(err, rc, "cannot map %s: %s", path, strerror(-rc));
	free(path);
	return rc;
}

int td_kept_begin(struct td_kept *k, int store_fd, const struct td_kept_of *of,
		  struct tide_error *err)
{
	struct head *h = (struct head *)(void *)k->map;
	struct stat st;
	if (fstat(store_fd, &st))
		return tide_fail(err, -errno, "cannot look at the store: %s", strerror(errno));
	if (k->again && (h->store[0] != st.st_dev || h->store[1] != st.st_ino))
		return tide_fail(err, -ESTALE,
				 "the store is another file than the one that has this memory's "
				 "pages: give that one");
	if (k->again)
		return 0;
	*h = (struct head){.magic = MAGIC, .store = {st.st_dev, st.st_ino}, .of = *of};
	if (getrandom(h->id, sizeof h->id, 0) != sizeof h->id)
		return tide_fail(err, -EIO, "no random numbers: try again");
	h->sum = sum_of(h);
	return 0;
}

void td_kept_mark(const struct td_kept *k, int memfd)
{
	const struct head *h = (const struct head *)(const void *)k->map;
	if (memfd >= 0 && !k->again)
		fsetxattr(memfd, MARK, h->id, sizeof h->id, 0); /* an older kernel has none */
}

void td_kept_close(struct td_kept *k)
{
	if (k->map)
		munmap(k->map, k->bytes);
	if (k->fd >= 0)
		close(k->fd);
	*k = (struct td_kept){.fd = -1};
}

/* Chunks of other threads may have their bits in the same byte. */
void td_kept_set(unsigned char *bits, uint64_t first, uint64_t pages)
{
	for (uint64_t page = first; page < first + pages; page++)
		__atomic_fetch_or(&bits[page / 8], (unsigned char)(1 << page % 8),
				  __ATOMIC_RELAXED);
}

void td_kept_clear(unsigned char *bits, uint64_t first, uint64_t pages)
{
	for (uint64_t page = first; page < first + pages; page++)
		__atomic_fetch_and(&bits[page / 8], (unsigned char)~(1 << page % 8),
				   __ATOMIC_RELAXED);
}
