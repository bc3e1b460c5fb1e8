/* Cases of run_calls: protection, signals, threads. */
#include <pthread.h>
#include <setjmp.h>
#include <sys/time.h>

#include "run_calls.h"

/* ---- protection, signals ---- */

static sigjmp_buf jump;
static volatile int caught;

void on_signal(int sig, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	caught = sig;
	siglongjmp(jump, 1);
}

void handle(int sig)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};

	CHECK(!sigaction(sig, &action, NULL));
}

/* The signal that this access leads to, or 0. */
int access_signal(volatile char *p, bool write)
{
	caught = 0;
	if (sigsetjmp(jump, 1) == 0) {
		char c = *p;
		if (write)
			*p = c;
	}
	return caught;
}

void protect(void)
{
	char *p = map(SIZE);

	handle(SIGSEGV);
	fill(p, SIZE, 1);
	CHECK(!mprotect(p + MB + PAGE, 2 * PAGE, PROT_READ));
	CHECK(!mprotect(p + 2 * MB, MB, PROT_NONE));
	CHECK(access_signal(p + MB + PAGE, false) == 0);
	CHECK(access_signal(p + MB + PAGE, true) == SIGSEGV);
	CHECK(access_signal(p + 2 * MB + 5, false) == SIGSEGV);
	CHECK(holds(p, 2 * MB, 1) && holds(p, MB, 1));
	fill(p + 4 * MB, 8 * MB, 2); /* what is protected leaves near memory meanwhile */
	CHECK(holds(p + 4 * MB, 8 * MB, 2));
	CHECK(access_signal(p + MB + PAGE, true) == SIGSEGV);
	CHECK(holds(p, 2 * MB, 1));
	CHECK(!mprotect(p, SIZE, RW));
	CHECK(access_signal(p + MB + PAGE, true) == 0);
	CHECK(holds(p, 4 * MB, 1));
	fill(p, 4 * MB, 3);
	CHECK(holds(p, 4 * MB, 3));
	CHECK(!munmap(p, SIZE));
}

/* Where that cannot be done, it is said, and nothing is lost. */
void no_protect(void)
{
	char *p = map(SIZE);

	fill(p, SIZE, 1);
	CHECK(mprotect(p + MB, MB, PROT_READ) == -1 && errno == ENOMEM);
	CHECK(!mprotect(p + MB, MB, RW));
	CHECK(holds(p, SIZE, 1));
}

void bus(void)
{
	FILE *f = tmpfile();
	char *p = map(SIZE), *file;
	struct sigaction old;
	sigset_t all;

	/* A SIGBUS that is the program's own: behind the end of a file. */
	fill(p, SIZE, 1);
	handle(SIGBUS);
	CHECK(f);
	file = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fileno(f), 0);
	CHECK(file != MAP_FAILED);
	CHECK(access_signal(file, false) == SIGBUS);
	CHECK(holds(p, SIZE, 1));
	CHECK(!sigaction(SIGBUS, NULL, &old) && old.sa_sigaction == on_signal);
	CHECK(access_signal(file, false) == SIGBUS);
	CHECK(signal(SIGBUS, SIG_DFL) != SIG_ERR);
	/* Whoever blocks everything can be paged too. */
	sigfillset(&all);
	CHECK(!sigprocmask(SIG_SETMASK, &all, NULL));
	fill(p, SIZE, 2);
	CHECK(holds(p, SIZE, 2));
	fclose(f);
}

static jmp_buf back;
static char *touched;

/* Its own mask is what it asked for: nothing. */
static void on_bus(int sig)
{
	CHECK(sig == SIGBUS && holds(touched, SIZE, 1));
	_longjmp(back, 1);
}

/* A handler of the program's that touches paged memory, and jumps out as if it were not one. */
void bus_jumps(void)
{
	struct sigaction action = {.sa_handler = on_bus, .sa_flags = SA_NODEFER};
	FILE *f = tmpfile();
	volatile char *file;
	sigset_t blocked;

	CHECK(f);
	touched = map(SIZE);
	fill(touched, SIZE, 1);
	file = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fileno(f), 0);
	CHECK(file != MAP_FAILED && !sigaction(SIGBUS, &action, NULL));
	for (volatile int i = 0; i < 3; i++) {
		if (_setjmp(back) == 0)
			CHECK(!*file);
	}
	CHECK(!sigprocmask(SIG_SETMASK, NULL, &blocked) && !sigismember(&blocked, SIGALRM));
}

static volatile sig_atomic_t alarms;
static char *shared_page;

/* Where one takes longer than it is to the next nothing else goes on: so there is a last one. */
static void on_alarm(int sig)
{
	struct itimerval never = {{0, 0}, {0, 0}};

	(void)sig;
	alarms++;
	shared_page[(size_t)alarms * 37 * PAGE % SIZE] = 0;
	if (alarms == 2000)
		setitimer(ITIMER_REAL, &never, NULL);
}

/* Handlers that touch paged memory, in the middle of everything. */
void alarms_come(void)
{
	struct itimerval each = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	char *p = map(SIZE);

	shared_page = map(SIZE);
	sigfillset(&action.sa_mask);
	CHECK(!sigaction(SIGALRM, &action, NULL) && !setitimer(ITIMER_REAL, &each, NULL));
	for (uint64_t seed = 1; seed < 6; seed++) {
		fill(p, SIZE, seed);
		CHECK(holds(p, SIZE, seed));
		free(malloc(2 * MB));
	}
	CHECK(!setitimer(ITIMER_REAL, &never, NULL));
	CHECK(alarms > 0);
}

/* ---- threads ---- */

static char *table;

static void *churn(void *arg)
{
	size_t me = (size_t)(uintptr_t)arg;
	char *mine = table + me * 2 * MB;

	for (uint64_t round = 1; round < 12; round++) {
		char *p = malloc(MB + me * PAGE);
		CHECK(p);
		fill(p, MB, round);
		fill(mine, 2 * MB, round + me);
		CHECK(holds(p, MB, round) && holds(mine, 2 * MB, round + me));
		p = realloc(p, 2 * MB + round * PAGE);
		CHECK(p && holds(p, MB, round));
		free(p);
	}
	return NULL;
}

void threads(void)
{
	pthread_t thread[6];

	table = map(SIZE);
	for (size_t i = 0; i < 6; i++)
		CHECK(!pthread_create(&thread[i], NULL, churn, (void *)i));
	for (size_t i = 0; i < 6; i++)
		CHECK(!pthread_join(thread[i], NULL));
}

/* ---- small stacks ---- */

#define LITTLE ((size_t)16 << 10)

static void *touch_on_little(void *arg)
{
	fill(arg, SIZE, 1);
	CHECK(holds(arg, SIZE, 1));
	free(malloc(3 * MB));
	return NULL;
}

static void on_user(int sig)
{
	static size_t at;

	(void)sig;
	at += 37 * PAGE;
	touched[at % SIZE]++;
}

/* There is room for a program's own calls and handlers, and for a pager besides. */
void stacks(void)
{
	struct sigaction action = {.sa_handler = on_user, .sa_flags = SA_ONSTACK};
	char *below = malloc(20 * LITTLE);
	stack_t stack = {.ss_sp = below + 19 * LITTLE, .ss_size = LITTLE};
	pthread_attr_t attr;
	pthread_t thread;

	touched = map(SIZE);
	CHECK(!pthread_attr_init(&attr) && !pthread_attr_setstacksize(&attr, LITTLE));
	CHECK(!pthread_create(&thread, &attr, touch_on_little, touched));
	CHECK(!pthread_join(thread, NULL));
	CHECK(below && !sigaltstack(&stack, NULL) && !sigaction(SIGUSR1, &action, NULL));
	memset(below, 0, 19 * LITTLE);
	for (int i = 0; i < 1000; i++)
		raise(SIGUSR1);
	CHECK(is_zero(below, 19 * LITTLE));
}
