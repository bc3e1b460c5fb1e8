/* Figures for `tide run`, four times a second and at the end; and a look at what the rest of the card
 * is used for. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "preload.h"

#define EVERY_MS 250

static struct td_gpu_slot *own;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

unsigned td_gpu_claim_slot(void)
{
	int fd = td_gpu.slots ? open(td_gpu.slots, O_RDWR | O_CLOEXEC) : -1;
	struct td_gpu_slots *slots;
	struct stat st;
	if (fd < 0)
		return 0;
	bool fits = !fstat(fd, &st) && st.st_size == sizeof *slots;
	void *at = fits ? mmap(NULL, sizeof *slots, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
			: MAP_FAILED;
	close(fd);
	if (at == MAP_FAILED)
		return 0;
	slots = at;
	uint32_t i = atomic_fetch_add(&slots->used, 1);
	if (slots->bytes != sizeof *slots || i >= TD_GPU_SLOTS_MAX)
		return i;
	own = &slots->at[i];
	own->pid = getpid();
	snprintf(own->program, sizeof own->program, "%s", program_invocation_short_name);
	atomic_store(&own->state, TD_GPU_SLOT_ON);
	return i;
}

static void say_policies(struct td_gpu_said *said)
{
	snprintf(said->evict, sizeof said->evict, "%s", td_gpu.evict);
	snprintf(said->prefetch, sizeof said->prefetch, "%s", td_gpu.prefetch);
	snprintf(said->trust, sizeof said->trust, "%s", td_gpu.trust_text);
}

void td_gpu_publish(bool last)
{
	static struct td_gpu_said said;
	if (!own)
		return;
	pthread_mutex_lock(&lock);
	td_vmm_stats(td_gpu.vmm, &said.figures, &said.counts, said.ejected, sizeof said.ejected);
	said.figures.passed_allocations = td_gpu.passed_allocations;
	say_policies(&said);
	said.kernels_n = td_gpu_worst_kernels(said.kernels, TD_GPU_KERNELS_MAX);
	td_gpu_slot_write(own, &said);
	if (last)
		atomic_store(&own->state, TD_GPU_SLOT_ENDED);
	pthread_mutex_unlock(&lock);
}

static void *publish(void *arg)
{
	struct timespec pause = {0, EVERY_MS * 1000000L};
	(void)arg;
	td_gpu_inside = 1;
	for (;;) {
		nanosleep(&pause, NULL);
		td_vmm_look(td_gpu.vmm);
		td_gpu_publish(false);
	}
	return NULL;
}

void td_gpu_start_publishing(void)
{
	sigset_t all, saved;
	pthread_t thread;
	td_gpu_publish(false);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	if (pthread_create(&thread, NULL, publish, NULL) == 0)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}
