/* Figures for `tide run`, which may look at any moment: four times a second, and at the end. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "next.h"
#include "preload.h"

static struct td_slots *slots;
static struct td_slot *own;

/* The file may be gone, where this process outlived `tide run`: then nobody is told. */
struct td_slots *td_preload_open_slots(void)
{
	const char *path = td_preload_settings.slots;
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *at = MAP_FAILED;
	struct stat st;

	if (fd < 0 && errno != ENOENT && path)
		td_preload_say_once("the figures of this process are lost: cannot open %s: %s",
				    path, strerror(errno));
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && st.st_size == sizeof *slots)
		at = next.mmap(NULL, sizeof *slots, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at != MAP_FAILED && ((struct td_slots *)at)->stats_bytes == sizeof(struct tide_stats))
		return at;
	if (at != MAP_FAILED)
		next.munmap(at, sizeof *slots);
	return NULL;
}

static void name_slot(struct td_slot *s)
{
	s->pid = getpid();
	snprintf(s->program, sizeof s->program, "%s", td_preload_settings.program);
}

unsigned td_preload_claim_slot(void)
{
	unsigned n;

	slots = td_preload_open_slots();
	if (!slots)
		return (unsigned)getpid(); /* for the names of files */
	n = atomic_fetch_add(&slots->used, 1);
	if (n < TD_SLOTS_MAX) {
		own = &slots->at[n];
		name_slot(own);
		atomic_store(&own->state, TD_SLOT_ON);
	}
	return n;
}

static pthread_mutex_t publishing = PTHREAD_MUTEX_INITIALIZER;

static bool claims_later;

void td_preload_claim_later(void)
{
	claims_later = true;
}

/* Most children execute a program, or end, before that, and slots are few. */
static void claim_now(const struct tide_stats *stats)
{
	if (!claims_later || !stats->counts.faults)
		return;
	claims_later = false;
	td_preload_claim_slot();
}

void td_preload_publish(void)
{
	struct tide_stats stats = {.size = sizeof stats};

	if (!(own || claims_later) || !td_preload_tide)
		return;
	pthread_mutex_lock(&publishing);
	tide_stats(td_preload_tide, &stats, NULL);
	claim_now(&stats);
	if (own)
		td_slot_write(own, &stats);
	pthread_mutex_unlock(&publishing);
}

/* The document is made with the pager's lock held. Where malloc() is the program's own function,
 * the JSON library would call that one, and its memory may be paged. */
static int make_document(char **text)
{
	json_malloc_t take;
	json_free_t give;
	int rc;

	json_get_alloc_funcs(&take, &give);
	json_set_alloc_funcs(malloc, free);
	rc = tide_stats_json(td_preload_tide, text, NULL);
	json_set_alloc_funcs(take, give);
	return rc;
}

/* The whole document goes into a file beside the slots. */
void td_preload_publish_last(void)
{
	char path[4096], *text;
	FILE *file;

	td_preload_publish();
	if (!own || make_document(&text))
		return;
	snprintf(path, sizeof path, "%s.%u", td_preload_settings.slots,
		 (unsigned)(own - slots->at));
	file = fopen(path, "we");
	if (file) {
		fputs(text, file);
		fclose(file);
	}
	free(text);
}

void td_preload_end_slot(enum td_slot_state state)
{
	if (own)
		atomic_store(&own->state, state);
}

void td_preload_forget_slot(void)
{
	own = NULL;
	claims_later = false;
	pthread_mutex_init(&publishing, NULL);
}

static void *publish_on(void *arg)
{
	const struct timespec quarter = {.tv_nsec = 250000000};

	(void)arg;
	while (td_preload_tide) {
		nanosleep(&quarter, NULL);
		if (td_preload_tide)
			td_preload_publish();
		td_preload_end_with_last();
	}
	return NULL;
}

/* With every signal blocked: the program's go to its own threads. */
void td_preload_start_publisher(void)
{
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t thread;

	if (pthread_attr_init(&attr))
		return;
	sigfillset(&all);
	next.pthread_sigmask(SIG_BLOCK, &all, &before);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_create(&thread, &attr, publish_on, NULL);
	pthread_attr_destroy(&attr);
	next.pthread_sigmask(SIG_SETMASK, &before, NULL);
}
