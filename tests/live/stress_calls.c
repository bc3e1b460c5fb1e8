#include <sys/mman.h>
#include <sys/syscall.h>

#include "stress.h"

/* A range of a region, from some page on. */
struct range {
	struct stress_region *r;
	unsigned char *at;
	size_t bytes;
};

static struct range some_range(struct stress_worker *w, uint64_t pages_max)
{
	struct stress *s = w->s;
	struct stress_region *r = &s->region[below(&w->random, s->regions)];
	uint64_t page = below(&w->random, r->pages), n = 1 + below(&w->random, pages_max);
	if (n > r->pages - page)
		n = r->pages - page;
	return (struct range){r, r->at + page * s->page_bytes, n * s->page_bytes};
}

static void advise(struct stress_worker *w, enum tide_advice advice)
{
	struct tide_error err;
	struct range range = some_range(w, 64);
	must(tide_advise(w->s->t, range.at, range.bytes, advice, &err) == 0, "tide_advise: %s",
	     err.text);
}

static void prefetch(struct stress_worker *w)
{
	struct tide_error err;
	struct range range = some_range(w, 64);
	must(tide_prefetch(w->s->t, range.at, range.bytes, &err) == 0, "tide_prefetch: %s",
	     err.text);
}

/* ---- what was written before a sync is in the file after it ---- */

enum { LOOKS = 64 };

static void sync_file(struct stress_worker *w)
{
	struct stress *s = w->s;
	struct stress_region *r = some_range(w, 1).r;
	uint64_t word[LOOKS], value;
	uint32_t before[LOOKS];
	struct tide_error err;
	if (r->kind != STRESS_SHARED)
		return;
	for (int i = 0; i < LOOKS; i++)
		before[i] = r->shadow[word[i] = below(&w->random, r->words)];
	bool all = below(&w->random, 4) == 0;
	int rc = tide_sync(s->t, all ? NULL : r->at, all ? 0 : r->bytes, &err);
	if (rc && s->write_errors)
		return;
	must(rc == 0, "tide_sync: %s", err.text);
	int fd = open(r->path, O_RDONLY);
	must(fd >= 0, "%s: %s", r->path, strerror(errno));
	for (int i = 0; i < LOOKS; i++) {
		if (stress_is_counter(s, word[i]))
			continue;
		must(pread(fd, &value, 8, (off_t)(word[i] * 8)) == 8, "pread: %s", strerror(errno));
		if (!stress_right(r, word[i], value, before[i], r->shadow[word[i]]))
			stress_wrong(s, r, word[i], value, before[i], "in the file after a sync");
	}
	close(fd);
}

/* ---- system calls ---- */

/* What a system call sees of held memory is right. */
static void hold(struct stress_worker *w, int scratch)
{
	struct stress *s = w->s;
	struct range range = some_range(w, 4);
	uint64_t first = (uint64_t)(range.at - range.r->at) / 8, value;
	uint32_t before[LOOKS];
	struct tide_error err;
	size_t held;
	for (uint64_t i = 0; i < LOOKS && first + i < range.r->words; i++)
		before[i] = range.r->shadow[first + i];
	must(tide_hold(s->t, range.at, range.bytes, false, &held, &err) == 0, "tide_hold: %s",
	     err.text);
	must(held >= s->page_bytes && held <= range.bytes, "%zu bytes are held of %zu", held,
	     range.bytes);
	/* Not by the function: a thread sanitizer would take it for a read that races. */
	long n = syscall(SYS_pwrite64, scratch, range.at, held, 0);
	must(n == (long)held, "a system call on held memory: %ld, %s", n, strerror(errno));
	tide_release(s->t, range.at, held);
	for (uint64_t i = 0; i < LOOKS && first + i < range.r->words; i++) {
		if (range.r->by_page || stress_is_counter(s, first + i))
			continue;
		must(pread(scratch, &value, 8, (off_t)(i * 8)) == 8, "pread: %s", strerror(errno));
		if (!stress_right(range.r, first + i, value, before[i], range.r->shadow[first + i]))
			stress_wrong(s, range.r, first + i, value, before[i], "system call");
	}
}

/* ---- regions that come and go ---- */

static void fill_and_check(uint64_t *at, size_t words, size_t step, uint64_t key)
{
	for (size_t i = 0; i < words; i += step)
		at[i] = key ^ i;
	for (size_t i = 0; i < words; i += step)
		must(at[i] == (key ^ i), "a new region, word %zu: %016llx, not %016llx", i,
		     (unsigned long long)at[i], (unsigned long long)(key ^ i));
}

static void unmap(struct stress *s, void *at, size_t bytes)
{
	struct tide_error err;
	must(tide_unmap(s->t, at, bytes, &err) == 0, "tide_unmap: %s", err.text);
}

static void come_and_go(struct stress_worker *w)
{
	struct stress *s = w->s;
	size_t pages = 1 + below(&w->random, 100), bytes = pages * s->page_bytes;
	struct tide_error err;
	void *at;
	int rc = tide_map(s->t, &at, bytes, NULL, &err);
	if (rc && s->bounded)
		return; /* more than all tiers hold */
	must(rc == 0, "tide_map: %s", err.text);
	for (size_t i = 0; i < bytes / 8; i += s->page_words / 2)
		must(((uint64_t *)at)[i] == 0, "a new region is not zero at word %zu", i);
	fill_and_check(at, bytes / 8, 1 + below(&w->random, 700), w->random);
	must(tide_owns(s->t, at), "a mapping is not owned");
	if (pages > 2 && w->random & 1) {
		size_t half = pages / 2 * s->page_bytes;
		unmap(s, (unsigned char *)at + half, bytes - half);
		fill_and_check(at, half / 8, 1 + below(&w->random, 700), w->random);
		bytes = half;
	}
	unmap(s, at, bytes);
}

void *stress_call(void *worker)
{
	struct stress_worker *w = worker;
	struct timespec pause = {.tv_nsec = 200000};
	int scratch = memfd_create("stress", MFD_CLOEXEC);
	must(scratch >= 0, "memfd_create: %s", strerror(errno));
	for (; !w->s->stop; w->s->done_calls++) {
		switch (below(&w->random, 12)) {
		case 0:
		case 1: prefetch(w); break;
		case 2: advise(w, TIDE_WILL_NEED); break;
		case 3:
		case 4: advise(w, TIDE_COLD); break;
		case 5:
		case 6: sync_file(w); break;
		case 7:
		case 8: hold(w, scratch); break;
		case 9:
		case 10: come_and_go(w); break;
		default: stress_check_stats(w->s);
		}
		nanosleep(&pause, NULL);
	}
	close(scratch);
	return NULL;
}
