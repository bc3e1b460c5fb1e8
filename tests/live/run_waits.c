/* Cases of run_calls: threads that wait, are cancelled, and jump out of what they wait for. */
#include <pthread.h>
#include <setjmp.h>
#include <sys/time.h>

#include "run_calls.h"

/* ---- one waits for the other ---- */

static int ends[2];
static char *from, *to;

static void *take(void *arg)
{
	size_t done = 0;

	(void)arg;
	while (done < SIZE) {
		ssize_t n = read(ends[0], to + done, SIZE - done);
		CHECK(n > 0);
		done += (size_t)n;
	}
	return NULL;
}

/* Whoever waits for a pipe must not have what the other needs to fill it. */
void waiting(void)
{
	pthread_t thread;

	from = map(SIZE);
	to = map(SIZE);
	fill(from, SIZE, 1);
	CHECK(!pipe(ends) && !pthread_create(&thread, NULL, take, NULL));
	for (size_t done = 0; done < SIZE; done += MB)
		CHECK(write(ends[1], from + done, MB) == (ssize_t)MB);
	CHECK(!pthread_join(thread, NULL) && holds(to, SIZE, 1));
}

/* ---- jumps ---- */

static sigjmp_buf jump;

static void on_alarm(int sig)
{
	(void)sig;
	siglongjmp(jump, 1);
}

/* A read with a limit of time, as many programs have it. */
void jumps(void)
{
	struct itimerval soon = {.it_value = {0, 20000}};

	from = malloc(SIZE);
	fill(from, SIZE, 1);
	CHECK(!pipe(ends) && signal(SIGALRM, on_alarm) != SIG_ERR);
	for (volatile int i = 0; i < 20; i++) {
		if (sigsetjmp(jump, 1) == 0) {
			setitimer(ITIMER_REAL, &soon, NULL);
			CHECK(read(ends[0], from, SIZE) < 0);
		}
	}
	CHECK(holds(from, SIZE, 1));
	free(from);
	from = malloc(SIZE); /* and it is paged as before */
	fill(from, SIZE, 2);
	CHECK(write(ends[1], "hello", 5) == 5 && read(ends[0], from, SIZE) == 5);
	free(from);
}

/* ---- threads that are cancelled ---- */

static void *touch_all(void *arg)
{
	uint64_t at = (uintptr_t)arg;
	int old;

	if (at % 2)
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	for (;;) {
		for (int i = 0; i < 200; i++) {
			at = at * 6364136223846793005u + 1;
			__atomic_fetch_add(&from[(at >> 20) % SIZE], 0, __ATOMIC_RELAXED);
		}
		pthread_testcancel();
	}
	return NULL;
}

/* At any moment, that of a fault too: others go on. */
void cancels(void)
{
	pthread_t thread[4];

	from = map(SIZE);
	fill(from, SIZE, 1);
	for (size_t round = 0; round < 60; round++) {
		for (size_t i = 0; i < 4; i++)
			CHECK(!pthread_create(&thread[i], NULL, touch_all,
					      (void *)(round * 4 + i)));
		usleep(1000);
		for (size_t i = 0; i < 4; i++)
			CHECK(!pthread_cancel(thread[i]));
		for (size_t i = 0; i < 4; i++)
			CHECK(!pthread_join(thread[i], NULL));
	}
	CHECK(holds(from, SIZE, 1));
}
