/* One measurement over a file, through the kernel's mmap or through the pager; pager-file.sh puts
 * it into a memory cgroup, chooses, and compares.
 *
 * usage: file make PATH BYTES
 *        file kernel PATH random|sequential ACCESSES
 *        file tide PATH random|sequential ACCESSES NEAR PAGE CHUNK EVICT PREFETCH MAPPING
 *        file dirty PATH|- BYTES PASSES        (the kernel's own paging)
 *        file cyclic PATH|- BYTES PASSES NEAR PAGE CHUNK EVICT PREFETCH MAPPING
 * (PATH of dirty and cyclic: where it is paged to; - is swap, and tier 2 alone. One pass more comes
 * first and does not count: what a scan that goes round and round costs shows from the second on.)
 * Prints "SECONDS FAULTS READ_BYTES WRITE_BYTES". random reads a word of a page at a time,
 * sequential one of every page in order; both check what they read. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "tide/pager.h"

struct done {
	uint64_t ns, faults, read_bytes, write_bytes;
};

static void say(const struct done *d)
{
	printf("%.6f %llu %llu %llu\n", (double)d->ns / 1e9, (unsigned long long)d->faults,
	       (unsigned long long)d->read_bytes, (unsigned long long)d->write_bytes);
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	if (*end || end == text)
		bench_fail("%s is no number", text);
	return n;
}

static int open_or_fail(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	if (fd < 0)
		bench_fail("%s: %s", path, strerror(errno));
	return fd;
}

/* ---- the file ---- */

static int make(const char *path, uint64_t bytes)
{
	enum { PART = 1 << 20 };
	int fd = open_or_fail(path, O_RDWR | O_CREAT | O_TRUNC);
	uint64_t *part = calloc(1, PART);

	if (!part)
		bench_fail("no memory");
	for (uint64_t at = 0; at < bytes; at += PART) {
		for (uint64_t i = 0; i < PART / BENCH_PAGE; i++)
			part[i * BENCH_PAGE / sizeof *part] = at / BENCH_PAGE + i;
		if (pwrite(fd, part, PART, (off_t)at) != PART)
			bench_fail("%s: %s", path, strerror(errno));
	}
	free(part);
	return fsync(fd) || close(fd);
}

/* Its pages belong to nobody's cgroup afterwards. */
static void forget_cached(int fd)
{
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* ---- reads ---- */

static struct bench_touch reads(char *base, uint64_t bytes, const char *how, uint64_t accesses)
{
	return (struct bench_touch){.base = base,
				    .unit = BENCH_PAGE,
				    .units = bytes / BENCH_PAGE,
				    .threads = 1,
				    .random = strcmp(how, "random") == 0,
				    .accesses = accesses,
				    .seed = 1};
}

static void run(const struct bench_touch *t, struct done *d)
{
	struct bench_result r = {0};

	bench_touch(t, &r);
	if (r.wrong)
		bench_fail("%llu wrong words", (unsigned long long)r.wrong);
	d->ns = r.wall_ns;
}

static char *map_shared(int fd, uint64_t *bytes, int prot)
{
	struct stat st;
	char *base;

	if (fstat(fd, &st))
		bench_fail("fstat: %s", strerror(errno));
	*bytes = (uint64_t)st.st_size;
	base = mmap(NULL, *bytes, prot, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		bench_fail("mmap: %s", strerror(errno));
	return base;
}

/* What the kernel read, wrote and waited for, since the last call. */
static void take_usage(struct done *d)
{
	static struct rusage before;
	struct rusage now;

	getrusage(RUSAGE_SELF, &now);
	d->faults = (uint64_t)(now.ru_majflt - before.ru_majflt);
	d->read_bytes = (uint64_t)(now.ru_inblock - before.ru_inblock) * 512;
	d->write_bytes = (uint64_t)(now.ru_oublock - before.ru_oublock) * 512;
	before = now;
}

static void by_kernel(char **arg)
{
	int fd = open_or_fail(arg[0], O_RDONLY);
	struct done d = {0};
	uint64_t bytes;
	char *base;

	forget_cached(fd);
	base = map_shared(fd, &bytes, PROT_READ);
	struct bench_touch t = reads(base, bytes, arg[1], number(arg[2]));

	if (t.random)
		madvise(base, bytes, MADV_RANDOM);
	take_usage(&d);
	run(&t, &d);
	take_usage(&d);
	say(&d);
}

static void take(struct tide *t, const struct tide_stats *before, struct done *d)
{
	struct tide_stats after = {.size = sizeof after};

	tide_stats(t, &after, NULL);
	d->faults = after.counts.faults - before->counts.faults;
	d->read_bytes = after.read_bytes - before->read_bytes;
	d->write_bytes = after.write_bytes - before->write_bytes;
}

static void by_tide(char **arg)
{
	struct tide_options options = {.size = sizeof options,
				       .near_size = arg[3],
				       .page = arg[4],
				       .chunk = arg[5],
				       .evict = arg[6],
				       .prefetch = arg[7],
				       .mapping = arg[8],
				       .host = "0"};
	struct tide_map_options how = {.size = sizeof how, .path = arg[0], .read_only = true};
	struct tide_stats before = {.size = sizeof before};
	struct tide_error err = {0};
	struct done d = {0};
	struct stat st;
	struct tide *t;
	void *base;
	int fd = open_or_fail(arg[0], O_RDONLY);

	forget_cached(fd);
	fstat(fd, &st);
	close(fd);
	if (tide_open(&t, &options, &err) || tide_map(t, &base, 0, &how, &err))
		bench_fail("%s", err.text);
	struct bench_touch touch = reads(base, (uint64_t)st.st_size, arg[1], number(arg[2]));

	tide_stats(t, &before, NULL);
	run(&touch, &d);
	take(t, &before, &d);
	say(&d);
	tide_close(t, &err);
}

/* ---- writes, round and round ---- */

static void scan(char *base, uint64_t bytes, uint64_t passes, struct done *d)
{
	struct bench_touch t = {.base = base,
				.unit = BENCH_PAGE,
				.units = bytes / BENCH_PAGE,
				.threads = 1,
				.write = true,
				.accesses = bytes / BENCH_PAGE * passes};

	run(&t, d);
}

/* Its blocks are there already, as those of a swap area are. */
static char *map_made(const char *path, uint64_t bytes)
{
	uint64_t mapped;
	int fd;

	if (make(path, bytes))
		bench_fail("%s: %s", path, strerror(errno));
	fd = open_or_fail(path, O_RDWR);
	forget_cached(fd);
	return map_shared(fd, &mapped, PROT_READ | PROT_WRITE);
}

static void dirty(char **arg)
{
	uint64_t bytes = number(arg[1]);
	char *base = strcmp(arg[0], "-") == 0 ? bench_memory(bytes) : map_made(arg[0], bytes);
	struct done d = {0};

	bench_fill(base, bytes);
	scan(base, bytes, 1, &d);
	take_usage(&d);
	scan(base, bytes, number(arg[2]), &d);
	take_usage(&d);
	if (bench_check(base, bytes))
		bench_fail("wrong data");
	say(&d);
}

static void cyclic(char **arg)
{
	uint64_t bytes = number(arg[1]);
	struct tide_options options = {.size = sizeof options,
				       .near_size = arg[3],
				       .page = arg[4],
				       .chunk = arg[5],
				       .evict = arg[6],
				       .prefetch = arg[7],
				       .mapping = arg[8],
				       .storage = arg[0],
				       .host = "0"};
	struct tide_stats before = {.size = sizeof before};
	struct tide_error err = {0};
	struct done d = {0};
	struct tide *t;
	void *base;

	if (strcmp(arg[0], "-") == 0)
		options.storage = options.host = NULL;
	if (tide_open(&t, &options, &err) || tide_map(t, &base, bytes, NULL, &err))
		bench_fail("%s", err.text);
	bench_fill(base, bytes);
	scan(base, bytes, 1, &d);
	tide_stats(t, &before, NULL);
	scan(base, bytes, number(arg[2]), &d);
	take(t, &before, &d);
	if (bench_check(base, bytes))
		bench_fail("wrong data");
	say(&d);
	tide_close(t, &err);
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (strcmp(verb, "make") == 0 && argc == 4)
		return make(argv[2], number(argv[3]));
	if (strcmp(verb, "kernel") == 0 && argc == 5)
		by_kernel(argv + 2);
	else if (strcmp(verb, "tide") == 0 && argc == 11)
		by_tide(argv + 2);
	else if (strcmp(verb, "dirty") == 0 && argc == 5)
		dirty(argv + 2);
	else if (strcmp(verb, "cyclic") == 0 && argc == 11)
		cyclic(argv + 2);
	else
		bench_fail("the usage is in bench/pager/file.c");
	return 0;
}
