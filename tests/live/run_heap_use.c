/* A program that lives on malloc(): small blocks and large ones, in several threads, a fork, files.
 * It prints a sum of what it finds there in the end. usage: run_heap [MEGABYTES] */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 3
#define BLOCK_BYTES 200
#define LARGE_BYTES ((size_t)3 << 20)

static size_t blocks = 32 << 20;

static void *want(void *p)
{
	if (!p) {
		puts("no memory");
		exit(1);
	}
	return p;
}

static char **make(size_t n, char seed)
{
	char **list = want(calloc(n, sizeof *list));

	for (size_t i = 0; i < n; i++) {
		size_t bytes = i % 1000 == 999 ? LARGE_BYTES / 8 : BLOCK_BYTES;
		list[i] = want(malloc(bytes));
		memset(list[i], (char)(seed + (char)i), BLOCK_BYTES);
		if (i % 7 == 3)
			list[i] = want(realloc(list[i], bytes * 2));
		if (i % 11 == 5) {
			free(list[i - 1]);
			list[i - 1] = NULL;
		}
	}
	return list;
}

static uint64_t sum(char **list, size_t n)
{
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t at = 0; list[i] && at < BLOCK_BYTES; at += 13)
			all = all * 31 + (unsigned char)list[i][at];
	return all;
}

static void *run(void *arg)
{
	char **list = make(blocks, *(char *)arg);
	char *large = want(malloc(LARGE_BYTES));
	uint64_t *result = want(malloc(sizeof *result));

	memset(large, *(char *)arg, LARGE_BYTES);
	*result = sum(list, blocks) + (unsigned char)large[LARGE_BYTES / 2];
	for (size_t i = 0; i < blocks; i++)
		free(list[i]);
	free(list);
	free(large);
	return result;
}

/* A child sees the same, and its allocator works. */
static void check_child(char **list, size_t n, uint64_t all)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		char **more = make(n / 4, 'c');
		_exit(sum(list, n) == all && sum(more, n / 4) ? 0 : 1);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		puts("the child saw something else");
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	char seeds[THREADS] = {'x', 'y', 'z'};
	uint64_t all;
	char **list;

	blocks = (size_t)(argc > 1 ? atoi(argv[1]) : 16) * 1048576 / BLOCK_BYTES;
	list = make(blocks, 'a');
	all = sum(list, blocks);
	printf("first %llu\n", (unsigned long long)all);
	check_child(list, blocks, all);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, run, &seeds[i]))
			return 1;
	for (int i = 0; i < THREADS; i++) {
		void *result;
		pthread_join(thread[i], &result);
		printf("thread %d %llu\n", i, (unsigned long long)*(uint64_t *)result);
	}
	printf("again %llu\n", (unsigned long long)sum(list, blocks));
	return 0;
}
