/* Cases of run_calls: processes that fork and end. */
#include <pthread.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "run_calls.h"
#include "run_library.h"

/* ---- fork ---- */

static int status_of(pid_t pid)
{
	int status = 0;

	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void in_child(char *p, char *q)
{
	pid_t pid;

	CHECK(holds(p, SIZE, 1) && holds(q, 2 * MB, 2));
	fill(p, SIZE, 3);
	q = realloc(q, 4 * MB);
	CHECK(q && holds(q, 2 * MB, 2));
	free(q);
	CHECK(!munmap(p + MB, MB));
	q = malloc(3 * MB);
	fill(q, 3 * MB, 4);
	pid = fork();
	if (pid == 0)
		_exit(holds(p, MB, 3) && holds(q, 3 * MB, 4) ? 5 : 6);
	CHECK(status_of(pid) == 5);
	free(q);
	exit(0);
}

void forks(void)
{
	char *p = map(SIZE), *q = malloc(2 * MB);
	pid_t pid;

	fill(p, SIZE, 1);
	fill(q, 2 * MB, 2);
	for (int i = 0; i < 2; i++) {
		pid = fork();
		if (pid == 0)
			in_child(p, q);
		CHECK(holds(p, SIZE, 1) && holds(q, 2 * MB, 2));
		CHECK(status_of(pid) == 0);
	}
	CHECK(system("exit 4") == 4 << 8);
	CHECK(holds(p, SIZE, 1));
}

static bool counted(const char *p, char forks)
{
	for (size_t i = 0; i < LIBRARY_BYTES; i += PAGE)
		if (p[i] != forks)
			return false;
	return true;
}

/* Libraries have handlers of their own, which allocate and touch what is paged. */
void library_forks(void)
{
	char *p = library_state();

	for (char i = 1; i < 4; i++) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(counted(p, i) ? 0 : 1);
		CHECK(counted(p, i) && status_of(pid) == 0);
	}
}

static void *allocate(void *arg)
{
	pthread_barrier_wait(arg);
	return malloc(2 * MB);
}

/* While another thread is the first to allocate, so that a pager is just being opened. */
void early_forks(void)
{
	pthread_barrier_t both;
	pthread_t thread;
	void *p;
	pid_t pid;

	CHECK(!pthread_barrier_init(&both, NULL, 2));
	CHECK(!pthread_create(&thread, NULL, allocate, &both));
	pthread_barrier_wait(&both);
	pid = fork();
	if (pid == 0) {
		p = malloc(2 * MB);
		fill(p, 2 * MB, 1);
		_exit(holds(p, 2 * MB, 1) ? 0 : 1);
	}
	CHECK(status_of(pid) == 0);
	CHECK(!pthread_join(thread, &p));
	fill(p, 2 * MB, 2);
	CHECK(holds(p, 2 * MB, 2));
}

/* What is protected in the parent is so in the child, with its content. */
void guarded_forks(void)
{
	char *guarded = map(SIZE);
	pid_t pid;

	fill(guarded, SIZE, 6);
	CHECK(!mprotect(guarded + PAGE, PAGE, PROT_NONE));
	pid = fork();
	if (pid == 0) {
		handle(SIGSEGV);
		CHECK(access_signal(guarded + PAGE, false) == SIGSEGV);
		CHECK(!mprotect(guarded, SIZE, RW) && holds(guarded, SIZE, 6));
		_exit(0);
	}
	CHECK(status_of(pid) == 0);
	CHECK(!mprotect(guarded, SIZE, RW) && holds(guarded, SIZE, 6));
}

void no_forks(void)
{
	char *p = map(SIZE);

	fill(p, SIZE, 1);
	CHECK(fork() == -1 && errno == ENOSYS);
	CHECK(system("exit 4") == 4 << 8); /* it executes */
	CHECK(holds(p, SIZE, 1));
}

/* ---- the ends of a program ---- */

void ends_by_exit(void)
{
	fill(map(SIZE), SIZE, 1);
	_exit(7);
}

void ends_by_signal(void)
{
	fill(map(SIZE), SIZE, 1);
	usleep(400000);
	kill(getpid(), SIGTERM);
}

static void *run_on(void *arg)
{
	for (uint64_t seed = 0;; seed++)
		fill(arg, SIZE, seed);
	return NULL;
}

/* While other threads go on. */
void ends_busy(void)
{
	pthread_t thread;

	fill(map(SIZE), SIZE, 1); /* something is touched, however late the threads begin */
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&thread, NULL, run_on, map(SIZE)));
	usleep(50000);
	exit(3);
}

static void end_now(int sig)
{
	(void)sig;
	_exit(4);
}

/* By a handler, in the middle of the allocator. */
void ends_in_malloc(void)
{
	struct itimerval soon = {.it_value = {0, 30000}};
	void *block[64] = {NULL};

	fill(map(SIZE), SIZE, 1);
	CHECK(signal(SIGALRM, end_now) != SIG_ERR && !setitimer(ITIMER_REAL, &soon, NULL));
	for (size_t i = 0;; i++) {
		free(block[i * 7 % 64]);
		block[i * 7 % 64] = malloc(1500 + i * 37 % 30000);
	}
}

static void *end_too(void *arg)
{
	(void)arg;
	_exit(5);
}

/* Two threads at once; the pager has much to write then. */
void ends_twice(void)
{
	volatile char *p = map(SIZE);
	pthread_t thread;

	for (int round = 0; round < 200; round++)
		for (size_t i = 0; i < SIZE; i += 16 * PAGE)
			p[i]++;
	CHECK(!pthread_create(&thread, NULL, end_too, NULL));
	exit(5);
}

static void *go_on(void *arg)
{
	fill(arg, SIZE, 1);
	CHECK(holds(arg, SIZE, 1));
	return NULL;
}

/* With its last thread, which is not the first. */
void ends_last(void)
{
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, go_on, map(SIZE)));
	pthread_exit(NULL);
}

void ends_quickly(void)
{
	fill(map(SIZE), SIZE, 1);
	quick_exit(6);
}
