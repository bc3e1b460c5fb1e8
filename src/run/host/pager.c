/* The pager of this process: opened when the first allocation is large enough, so that programs
 * without one pay nothing. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>

#include "core/text.h"
#include "lib/mappings.h"
#include "next.h"
#include "preload.h"

struct tide *td_preload_tide;
TD_TLS unsigned td_preload_inside;

static bool run_by_tide;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static pid_t owner; /* a child is not */

void td_preload_say(const char *format, ...)
{
	char line[700];
	int cancel;
	int n = snprintf(line, sizeof line, "tide run: ");
	va_list args;

	va_start(args, format);
	vsnprintf(line + n, sizeof line - (size_t)n - 1, format, args);
	va_end(args);
	n = (int)td_core_as_options(line);
	line[n++] = '\n';
	/* Whoever allocates does not wait anywhere, as far as it knows. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	ssize_t ignored = next.write(STDERR_FILENO, line, (size_t)n); /* nobody is left to tell */
	(void)ignored;
	pthread_setcancelstate(cancel, NULL);
}

static void pass_on(void *arg, const char *text)
{
	(void)arg;
	td_preload_say("%s", text);
}

/* Every process but the first has files of its own: NAME.1, NAME.2, ... */
static const char *own_file(const char *name, unsigned slot, char *room, size_t size)
{
	if (!name || slot == 0)
		return name;
	snprintf(room, size, "%s.%u", name, slot);
	return room;
}

/* Without a pager the program would run, but in more near memory than it was given. */
static void refuse(const char *why)
{
	td_preload_say("cannot page this program: %s", why);
	next._exit(1);
}

/* Does userfaultfd give those of system calls too? By either of its doors. */
static bool shows_kernel_faults(void)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		fd = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void open_pager(void)
{
	static char storage[4096], log[4096], record[4096];
	struct tide_options o = td_preload_settings.options;
	struct tide_error err = {0, ""};
	struct tide_stats stats = {.size = sizeof stats};
	struct tide *t;
	unsigned slot = td_preload_claim_slot();

	o.storage = own_file(o.storage, slot, storage, sizeof storage);
	o.log = own_file(o.log, slot, log, sizeof log);
	o.record = own_file(o.record, slot, record, sizeof record);
	o.message = pass_on;
	if (td_preload_settings.by_signal)
		td_preload_first_signals();
	td_preload_files_before();
	if (tide_open(&t, &o, &err))
		refuse(err.text);
	td_preload_files_after(&o);
	td_preload_settings.helps = td_preload_settings.by_signal || !shows_kernel_faults();
	owner = getpid();
	tide_stats(t, &stats, NULL);
	td_preload_settings.may_protect = td_lib_may_protect(stats.mapping);
	__atomic_store_n(&td_preload_tide, t, __ATOMIC_RELEASE);
	td_preload_publish();
	td_preload_start_publisher();
}

bool td_preload_wants(size_t bytes)
{
	if (!run_by_tide || td_preload_inside || bytes < td_preload_settings.threshold_bytes)
		return false;
	if (!__atomic_load_n(&td_preload_tide, __ATOMIC_ACQUIRE)) {
		int cancel;
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
		td_preload_inside++;
		pthread_mutex_lock(&opening);
		if (!td_preload_tide)
			open_pager();
		pthread_mutex_unlock(&opening);
		td_preload_inside--;
		pthread_setcancelstate(cancel, NULL);
	}
	return td_preload_tide != NULL;
}

void td_preload_lock_opening(void)
{
	pthread_mutex_lock(&opening);
}

void td_preload_unlock_opening(void)
{
	pthread_mutex_unlock(&opening);
}

void td_preload_reset_opening(void)
{
	pthread_mutex_init(&opening, NULL);
}

bool td_preload_is_owner(void)
{
	return td_preload_tide && getpid() == owner;
}

bool td_preload_is_on(void)
{
	return run_by_tide;
}

bool td_preload_by_signal(void)
{
	return run_by_tide && td_preload_settings.by_signal;
}

void td_preload_stop(void)
{
	run_by_tide = false;
	td_preload_tide = NULL;
}

__attribute__((constructor)) static void begin(void)
{
	run_by_tide = td_preload_read_settings();
	if (!run_by_tide)
		return;
	td_preload_watch_forks();
	td_preload_watch_ends();
}
