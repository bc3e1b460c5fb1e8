/* How a process ends: exit() and its relatives, and threads one after the other. Destructors of
 * others and other threads may still use what they allocated: the memory stays, and the pager with
 * it; only its files are completed. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "next.h"
#include "preload.h"

static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;
static pid_t self; /* a child of vfork() has our memory, and is not */

/* A file at its limit (ulimit -f) is an error of ours, and no signal to the program. */
static int end_files(struct tide_error *err)
{
	const struct timespec now = {0};
	sigset_t full, before;
	int rc;

	sigemptyset(&full);
	sigaddset(&full, SIGXFSZ);
	next.pthread_sigmask(SIG_BLOCK, &full, &before);
	rc = tide_record_end(td_preload_tide, err);
	if (rc)
		sigtimedwait(&full, NULL, &now);
	next.pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}

static void complete(void)
{
	struct tide_error err;
	bool saved = true, ended = true;

	td_preload_note_unpaged();
	if (!td_preload_is_owner())
		return;
	td_preload_publish_last();
	if (td_preload_settings.save_set &&
	    tide_set_save(td_preload_tide, td_preload_settings.save_set, &err)) {
		td_preload_say("%s", err.text);
		saved = false;
	}
	if (td_preload_settings.options.record || td_preload_settings.options.log)
		ended = !end_files(&err);
	if (!ended)
		td_preload_say("%s", err.text);
	td_preload_end_slot(saved && ended ? TD_SLOT_ENDED : TD_SLOT_LOST);
}

/* Several threads may end the process: the others wait for the first. A handler that interrupted
 * the allocator cannot allocate, and leaves the files as they are. */
void td_preload_end(void)
{
	static bool ended;
	int cancel;

	if (td_preload_inside || getpid() != self)
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	td_preload_inside++;
	if (td_preload_allocating) {
		td_preload_publish();
	} else {
		pthread_mutex_lock(&ending);
		if (!ended)
			complete();
		ended = true;
		pthread_mutex_unlock(&ending);
	}
	td_preload_inside--;
	pthread_setcancelstate(cancel, NULL);
}

__attribute__((destructor)) static void end(void)
{
	td_preload_end();
}

void td_preload_watch_ends(void)
{
	td_preload_begin_process();
	at_quick_exit(td_preload_end);
}

void td_preload_begin_process(void)
{
	self = getpid();
	pthread_mutex_init(&ending, NULL);
}

TD_EXPORT void _exit(int status)
{
	td_preload_end();
	next._exit(status);
	__builtin_unreachable();
}

TD_EXPORT void _Exit(int status)
{
	_exit(status);
}

/* ---- the last thread ---- */

/* Where the first thread leaves by pthread_exit() the process ends with the last of them, which
 * must not be one of ours. */
static _Atomic unsigned ours;

void td_preload_begin_thread(void)
{
	td_preload_inside = 1;
	atomic_fetch_add(&ours, 1);
}

void td_preload_end_thread(void)
{
	atomic_fetch_sub(&ours, 1);
}

/* The first bytes of a file about one of our threads, as text. */
static bool read_text(const char *thread, const char *file, char *text, size_t size)
{
	char path[300];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/self/task/%s/%s", thread, file);
	fd = next.open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = next.read(fd, text, size - 1);
	next.close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* What is left of a first thread that has ended while others go on. */
static bool first_is_gone(void)
{
	char pid[16], text[300];
	const char *at;

	snprintf(pid, sizeof pid, "%d", (int)getpid());
	at = read_text(pid, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;
	return at && strncmp(at, ") Z", 3) == 0;
}

/* Those that the kernel has for io_uring are nobody's. */
static unsigned count_threads(void)
{
	DIR *folder = opendir("/proc/self/task");
	const struct dirent *entry;
	char name[32];
	unsigned n = 0;

	while (folder && (entry = readdir(folder)))
		n += entry->d_name[0] != '.' &&
		     !(read_text(entry->d_name, "comm", name, sizeof name) &&
		       strncmp(name, "iou-", 4) == 0);
	if (folder)
		closedir(folder);
	return n;
}

void td_preload_end_with_last(void)
{
	unsigned before = atomic_load(&ours), all;

	if (!first_is_gone())
		return;
	all = count_threads();
	/* One of ours that begins or ends meanwhile was counted or not. */
	if (all != before + 1 || atomic_load(&ours) != before)
		return;
	td_preload_inside = 0; /* here the program runs */
	exit(0);
}
