/* Files, random numbers and threads for the tests of src/tiers. */
#ifndef TIERS_HELP_H
#define TIERS_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK 4096u

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static inline uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline void scribble(void *at, size_t bytes, uint64_t seed)
{
	for (size_t i = 0; i < bytes / 8; i++)
		((uint64_t *)at)[i] = draw(&seed);
}

static inline void *take_blocks(size_t bytes)
{
	void *at = NULL;
	assert_int_equal(posix_memalign(&at, BLOCK, bytes), 0);
	memset(at, 0, bytes);
	return at;
}

/* A new file in dir, in path[64]; it is there and empty. */
static inline void make_path(char *path, const char *dir)
{
	snprintf(path, 64, "%s/tide-tiers-XXXXXX", dir);
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
}

/* Runs work(arg, i) in n threads; cmocka's assertions are for the main thread alone. */
struct crew_member {
	void (*work)(void *arg, unsigned i);
	void *arg;
	unsigned i;
};

static inline void *crew_main(void *arg)
{
	struct crew_member *m = arg;
	m->work(m->arg, m->i);
	return NULL;
}

static inline void run_crew(unsigned n, void (*work)(void *arg, unsigned i), void *arg)
{
	pthread_t threads[16];
	struct crew_member members[16];
	for (unsigned i = 0; i < n; i++) {
		members[i] = (struct crew_member){work, arg, i};
		assert_int_equal(pthread_create(&threads[i], NULL, crew_main, &members[i]), 0);
	}
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

#endif
