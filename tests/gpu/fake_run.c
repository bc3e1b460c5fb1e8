/* What tide run --gpu-near puts in front of a program, without a GPU: publishes figures that are
 * made up. FAKE_SAYS is a list of words: nothing, small, cut, ejected, wait (for the view). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/gpu/slots.h"

static struct td_gpu_slot *own;

static int says(const char *word)
{
	const char *all = getenv("FAKE_SAYS");

	return all && strstr(all, word);
}

static uint64_t setting(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : 0;
}

static void put_kernel(struct td_gpu_said *s, const char *name, uint64_t launches, uint64_t waited,
		       uint64_t ns, uint64_t remote)
{
	struct td_gpu_kernel *k = &s->kernels[s->kernels_n++];

	snprintf(k->name, sizeof k->name, "%s", name);
	k->launches = launches;
	k->waited_launches = waited;
	k->waited_ns = ns;
	k->remote_launches = remote;
}

static void fill(struct td_gpu_said *s)
{
	struct td_gpu_figures *f = &s->figures;

	f->near_limit_bytes = setting("TIDE_GPU_near_size");
	f->near_bytes = f->near_most_bytes = f->near_limit_bytes / 4 * 3;
	f->host_limit_bytes = setting("TIDE_GPU_host");
	f->host_bytes = f->host_most_bytes = UINT64_C(5) << 30;
	f->allocated_bytes = f->allocated_most_bytes = UINT64_C(13) << 30;
	f->unmanaged_most_bytes = 400 << 20;
	f->allocations = 300;
	f->passed_allocations = 1200;
	f->in_bytes = UINT64_C(80) << 30;
	f->out_bytes = UINT64_C(78) << 30;
	f->clean_bytes = UINT64_C(39) << 30;
	f->launches = 13243;
	f->waited_launches = 1234;
	f->waited_ns = 3400000000;
	f->remote_launches = 12;
	f->bus_bytes_per_second = 50000000000;
	s->counts.evicted_chunks = 2500;
	s->counts.migrated_pages = 40960;
	s->counts.prefetched_pages = 38400;
	put_kernel(s, "tiny", 9000, 0, 0, 0);
	put_kernel(s, "gather", 40, 12, 300000000, 12);
	put_kernel(s,
		   "ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn_and_a_name_that_"
		   "goes_on",
		   2400, 1200, 3100000000, 0);
}

static void fill_nothing(struct td_gpu_said *s)
{
	s->figures.near_limit_bytes = setting("TIDE_GPU_near_size");
	s->figures.passed_allocations = says("small") ? 7 : 0;
	s->kernels_n = 0;
}

static void publish(void)
{
	struct td_gpu_said s;

	memset(&s, 0, sizeof s);
	snprintf(s.evict, sizeof s.evict, "%s", getenv("TIDE_GPU_evict"));
	snprintf(s.prefetch, sizeof s.prefetch, "%s", getenv("TIDE_GPU_prefetch"));
	snprintf(s.trust, sizeof s.trust, "%s", getenv("TIDE_GPU_trust"));
	if (says("ejected"))
		snprintf(s.ejected, sizeof s.ejected, "mhpe");
	if (says("nothing") || says("small"))
		fill_nothing(&s);
	else
		fill(&s);
	td_gpu_slot_write(own, &s);
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("TIDE_GPU_slots");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	struct td_gpu_slots *slots;
	uint32_t n;

	if (fd < 0 || !getenv("FAKE_SAYS"))
		return;
	slots = mmap(NULL, sizeof *slots, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (slots == MAP_FAILED || slots->bytes != sizeof *slots)
		abort();
	n = atomic_fetch_add(&slots->used, 1);
	if (n >= TD_GPU_SLOTS_MAX)
		return;
	own = &slots->at[n];
	own->pid = getpid();
	snprintf(own->program, sizeof own->program, "python3");
	atomic_store(&own->state, TD_GPU_SLOT_ON);
	publish();
	if (says("wait"))
		usleep(700000);
}

__attribute__((destructor)) static void end(void)
{
	if (own && !says("cut"))
		atomic_store(&own->state, TD_GPU_SLOT_ENDED);
}
