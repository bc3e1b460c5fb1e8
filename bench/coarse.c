/* Put in front of a program, this makes every clock of processor time stand still, as a clock does
 * that counts more coarsely than the program runs. smoke.sh runs the benches with it: what they
 * print must not depend on how finely a machine counts. */
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *t)
{
	if (clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID)
		return (int)syscall(SYS_clock_gettime, clock, t);
	*t = (struct timespec){0};
	return 0;
}

__attribute__((visibility("default"))) int getrusage(__rusage_who_t who, struct rusage *usage)
{
	int rc = (int)syscall(SYS_getrusage, who, usage);
	usage->ru_utime = usage->ru_stime = (struct timeval){0};
	return rc;
}
