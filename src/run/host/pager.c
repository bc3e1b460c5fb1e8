/* The pager of this process: opened when the first allocation is large enough, so that programs
 * without one pay nothing. Where the program brings an allocator, the pager is opened before
 * main(): such an allocator may hold its locks when it asks for memory, and what opening calls in
 * the C library (threads, folders) may want some of that allocator. */
#include <dlfcn.h>
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

#define FAILURES_SAID 3 /* a program that handles them itself need not hear of each */

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

void td_preload_give_up(const char *what, const char *why)
{
	if (td_preload_settings.options.over_budget) {
		td_preload_say_once("%s is not paged: %s", what, why);
		td_preload_note_kind(TD_UNPAGED_OVER);
		return;
	}
	td_preload_say("%s cannot be paged: %s; --over-budget goes on without", what, why);
	td_preload_end_slot(TD_SLOT_OVER);
	next._exit(1);
}

/* Where a tier is full or a limit reached, the budget cannot be kept. Whatever else is wrong with a
 * page is the program's SIGBUS. */
static void on_error(void *arg, void *addr, int error, const char *why)
{
	static _Atomic unsigned said;

	(void)arg, (void)addr;
	if (error == ENOSPC || error == EFBIG || error == EDQUOT || error == ENOMEM)
		td_preload_give_up("memory of this program", why);
	else if (said++ < FAILURES_SAID)
		td_preload_say("%s", why);
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

/* A process that the last run did not have has no set. */
static void load_set(struct tide *t, unsigned slot)
{
	static char save[4096], load[4096];
	struct td_preload_settings *s = &td_preload_settings;
	struct tide_error err;
	int rc;

	s->save_set = own_file(s->save_set, slot, save, sizeof save);
	s->load_set = own_file(s->load_set, slot, load, sizeof load);
	rc = s->load_set ? tide_set_load(t, s->load_set, &err) : 0;
	if (rc && (rc != -ENOENT || slot == 0))
		td_preload_say("%s: pages come as they are touched", err.text);
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
	o.on_error = on_error;
	if (td_preload_settings.by_signal)
		td_preload_first_signals();
	td_preload_files_before();
	if (tide_open(&t, &o, &err)) {
		td_preload_give_up("this program", err.text);
		td_preload_end_slot(TD_SLOT_ENDED);
		td_preload_stop();
		return;
	}
	load_set(t, slot);
	td_preload_files_after(&o);
	td_preload_settings.helps = td_preload_settings.by_signal || !shows_kernel_faults();
	owner = getpid();
	tide_stats(t, &stats, NULL);
	td_preload_settings.may_protect = td_lib_may_protect(stats.mapping);
	__atomic_store_n(&td_preload_tide, t, __ATOMIC_RELEASE);
	td_preload_publish();
	td_preload_start_publisher();
}

static void open_once(void)
{
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

bool td_preload_wants(size_t bytes)
{
	if (!run_by_tide || td_preload_inside || bytes < td_preload_settings.threshold_bytes)
		return false;
	if (!__atomic_load_n(&td_preload_tide, __ATOMIC_ACQUIRE))
		open_once();
	return td_preload_tide != NULL;
}

/* Is the program's malloc() another one than the C library's, which never calls our mmap()? */
static bool brings_allocator(void)
{
	struct dl_find_object heap, library;

	return _dl_find_object((void *)(uintptr_t)next.malloc, &heap) == 0 &&
	       _dl_find_object((void *)(uintptr_t)next.fopen, &library) == 0 &&
	       heap.dlfo_map_start != library.dlfo_map_start;
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

void td_preload_continue(void)
{
	owner = getpid();
	td_preload_forget_slot();
	td_preload_claim_later();
	td_preload_start_publisher();
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
	if (brings_allocator())
		open_once();
}
