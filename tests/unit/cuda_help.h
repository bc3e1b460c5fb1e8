/* The GPU runtime on the software device: files with a shadow, and kernels whose warps are threads.
 */
#ifndef CUDA_HELP_H
#define CUDA_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A warp that waits leaves the processor to those that work for it. */
#ifndef TD_DEV_PAUSE
#define TD_DEV_PAUSE() usleep(20)
#endif

#include "mech/cuda/driver.h"
#include "tide/device/access.h"

#ifndef FOLDER
#define FOLDER "/var/tmp"
#endif
#define PAGE 4096u
#define WORDS (PAGE / 8)
#define WARPS_MAX 8

static const struct td_gpu_driver *const gpu = &tide_cuda_driver;

/* ---- files ---- */

static inline uint64_t word_at(uint64_t page, uint64_t word)
{
	return tide_hash64(page * WORDS + word) & ~UINT64_C(0xffff);
}

/* In path[64], of so many bytes: words of the page's number, version 0. */
static inline void make_file(char *path, uint64_t bytes)
{
	snprintf(path, 64, FOLDER "/tide-cuda-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	uint64_t *all = calloc(1, bytes + 8);
	assert_non_null(all);
	for (uint64_t i = 0; i < bytes / 8; i++)
		all[i] = word_at(i / WORDS, i % WORDS);
	assert_int_equal(write(fd, all, bytes), (ssize_t)bytes);
	free(all);
	close(fd);
}

/* Every word of a page is word_at() and, in its low bits, how often the page was written. */
static inline void assert_file(const char *path, const unsigned *versions, uint64_t pages)
{
	FILE *f = fopen(path, "r");
	uint64_t words[WORDS];
	assert_non_null(f);
	for (uint64_t page = 0; page < pages; page++) {
		assert_int_equal(fread(words, 8, WORDS, f), WORDS);
		for (unsigned i = 0; i < WORDS; i++)
			if (words[i] != word_at(page, i) + versions[page])
				fail_msg("page %llu word %u of %s: %llx, not %llx + %u",
					 (unsigned long long)page, i, path,
					 (unsigned long long)words[i],
					 (unsigned long long)word_at(page, i), versions[page]);
	}
	fclose(f);
}

/* ---- kernels ---- */

struct launch {
	struct tide_gpu *g;
	struct tide_span span;
	unsigned warps, accesses;
	uint64_t seed;
	unsigned *versions; /* per page, of writes; NULL: nothing is written */
	bool zero;          /* the array began as zero, not as word_at() */
	_Atomic unsigned wrong, lost;
	void (*body)(struct launch *l, unsigned warp);
};

struct warp {
	struct launch *l;
	unsigned number;
};

static inline void *run_warp(void *arg)
{
	struct warp *w = arg;
	w->l->body(w->l, w->number);
	return NULL;
}

/* A launch as tide_launch() makes it. */
static inline int launch(struct launch *l, unsigned pins, struct tide_error *err)
{
	pthread_t threads[WARPS_MAX];
	struct warp warps[WARPS_MAX];
	int rc = gpu->begin(l->g, l->warps, pins, err);
	if (rc)
		return rc;
	for (unsigned i = 0; i < l->warps; i++) {
		warps[i] = (struct warp){l, i};
		assert_int_equal(pthread_create(&threads[i], NULL, run_warp, &warps[i]), 0);
	}
	for (unsigned i = 0; i < l->warps; i++)
		pthread_join(threads[i], NULL);
	return gpu->end(l->g, err);
}

static inline uint64_t base_of(const struct launch *l, uint64_t page, unsigned word)
{
	return l->zero ? 0 : word_at(page, word);
}

/* One access of a page that this warp alone uses: all words agree, and are raised by one. */
static inline void touch(struct launch *l, uint64_t page, bool write)
{
	struct td_dev_lanes lanes = td_dev_warp();
	uint64_t *at = (uint64_t *)(void *)td_dev_acquire(&l->span, lanes, page, write);
	if (!at) {
		l->lost++;
		return;
	}
	for (unsigned i = 0; i < WORDS; i++) {
		uint64_t expected = base_of(l, page, i) + (l->versions ? l->versions[page] : 0);
		uint64_t found = __atomic_load_n(&at[i], __ATOMIC_RELAXED);
		l->wrong += found != expected;
		if (write)
			__atomic_store_n(&at[i], found + 1, __ATOMIC_RELAXED);
	}
	if (write)
		l->versions[page]++;
	td_dev_release(&l->span, lanes, page);
}

/* Pages at random, each warp its own share of them. */
static inline void body_random(struct launch *l, unsigned warp)
{
	uint64_t pages = l->span.bytes / PAGE, state = l->seed * 1000 + warp;
	for (unsigned i = 0; i < l->accesses; i++) {
		uint64_t drawn = tide_random_next(&state);
		uint64_t page = drawn % (pages / l->warps) * l->warps + warp;
		touch(l, page, l->versions && drawn >> 40 & 1);
	}
}

/* All pages in order, round and round. */
static inline void body_loop(struct launch *l, unsigned warp)
{
	uint64_t pages = l->span.bytes / PAGE;
	for (unsigned i = 0; i < l->accesses; i++)
		touch(l, ((uint64_t)i * l->warps + warp) % (pages - pages % l->warps),
		      l->versions != NULL);
}

#define assert_ok(call, err) \
	do { \
		(err)->text[0] = 0; \
		int rc_ = (call); \
		if (rc_) \
			fail_msg("%s: %d: %s", #call, rc_, (err)->text); \
	} while (0)

#define assert_says(err, part) \
	do { \
		if (!strstr((err)->text, part)) \
			fail_msg("'%s' does not say '%s'", (err)->text, part); \
	} while (0)

#endif
