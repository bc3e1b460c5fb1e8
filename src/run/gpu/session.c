/* The one session of this process: its settings, and the mechanism, which opens at the first large
 * allocation, in the context and on the device of that. Memory of other devices passes. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"
#include "lib/gpu_run.h"
#include "preload.h"

struct td_gpu_session td_gpu;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static bool refused;

void td_gpu_say(const char *format, ...)
{
	char line[600];
	int n = snprintf(line, sizeof line, "tide run: ");
	va_list args;
	va_start(args, format);
	vsnprintf(line + n, sizeof line - (size_t)n - 1, format, args);
	va_end(args);
	n = (int)strlen(line);
	line[n++] = '\n';
	ssize_t ignored = write(STDERR_FILENO, line, (size_t)n); /* nobody is left to tell */
	(void)ignored;
}

static void say(void *arg, const char *text)
{
	(void)arg;
	td_gpu_say("%s", text);
}

/* ---- settings ---- */

static const char *text_of(const char *name)
{
	const char *text = getenv(name);
	return text && *text ? strdup(text) : NULL;
}

static uint64_t size_of(const char *name, const char *initial)
{
	const char *text = getenv(name);
	uint64_t n;
	if (!text || td_core_size(text, strlen(text), &n))
		text = initial;
	return td_core_size(text, strlen(text), &n) ? 0 : n;
}

static const char *text_or(const char *name, const char *initial)
{
	const char *text = text_of(name);
	return text ? text : initial;
}

/* What is free now, but for a fifth: memory of the host that the GPU uses cannot be swapped. */
static uint64_t host_memory(void)
{
	long pages = sysconf(_SC_AVPHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
	return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes / 5 * 4 : 0;
}

static void child(void)
{
	td_gpu.on = false; /* a child has no CUDA */
	td_gpu.vmm = NULL;
}

__attribute__((constructor)) static void begin(void)
{
	td_gpu.near_bytes = size_of("TIDE_GPU_near_size", "0");
	if (!td_gpu.near_bytes)
		return;
	td_gpu.host_bytes = size_of("TIDE_GPU_host", "0");
	if (!td_gpu.host_bytes)
		td_gpu.host_bytes = host_memory();
	td_gpu.threshold_bytes = size_of("TIDE_GPU_threshold", TD_GPU_THRESHOLD);
	td_gpu.chunk_pages = (uint32_t)(size_of("TIDE_GPU_chunk", TD_GPU_CHUNK) / TD_VMM_PAGE);
	td_gpu.seed = size_of("TIDE_GPU_seed", "1");
	td_gpu.evict = text_or("TIDE_GPU_evict", TD_GPU_EVICT);
	td_gpu.prefetch = text_or("TIDE_GPU_prefetch", TD_GPU_PREFETCH);
	td_gpu.log = text_of("TIDE_GPU_log");
	td_gpu.record = text_of("TIDE_GPU_record");
	td_gpu.slots = text_of("TIDE_GPU_slots");
	td_gpu.trust_text = text_or("TIDE_GPU_trust", TD_GPU_TRUST);
	td_gpu.trust = strcmp(td_gpu.trust_text, "none") != 0 ? TD_VMM_TRUST_ARGS
							      : TD_VMM_TRUST_NONE;
	td_gpu.on = true;
	pthread_atfork(NULL, NULL, child);
}

/* ---- the mechanism ---- */

static int choose(struct td_vmm_config *c, struct tide_error *err)
{
	int rc = td_policy_choose(&c->evict, td_gpu.evict, TIDE_EVICT, err);
	if (!rc)
		rc = td_policy_choose(&c->prefetch, td_gpu.prefetch, TIDE_PREFETCH, err);
	return rc;
}

/* Every process but the first has files of its own: NAME.1, NAME.2, ... */
static const char *own_file(const char *name, unsigned slot, char *room, size_t size)
{
	if (!name || !slot)
		return name;
	snprintf(room, size, "%s.%u", name, slot);
	return room;
}

static int open_vmm(struct tide_error *err)
{
	char log[4096], record[4096];
	unsigned slot = td_gpu_claim_slot();
	struct td_vmm_config c = {
		.cuda = &td_gpu_cuda,
		.near_bytes = td_gpu.near_bytes,
		.host_bytes = td_gpu.host_bytes,
		.chunk_pages = td_gpu.chunk_pages,
		.trust = td_gpu.trust,
		.seed = td_gpu.seed,
		.log_path = own_file(td_gpu.log, slot, log, sizeof log),
		.record_path = own_file(td_gpu.record, slot, record, sizeof record),
		.image = td_gpu_image_bytes ? td_gpu_image : NULL,
		.say = say,
	};
	struct td_vmm *v;
	int rc = choose(&c, err);
	if (!rc)
		rc = td_vmm_open(&v, &c, err);
	if (!rc) {
		td_gpu_cuda.cuCtxGetDevice(&td_gpu.device);
		td_gpu_cuda.cuCtxGetCurrent(&td_gpu.context);
		td_gpu.vmm = v;
		td_gpu_start_publishing();
	}
	return rc;
}

/* A budget that cannot be kept ends the program, before it has computed anything. */
static void give_up(const char *why)
{
	td_gpu_say("GPU memory cannot be kept within its budget: %s", why);
	_exit(1);
}

static bool is_here(void)
{
	cu_device device;
	return td_gpu_cuda.cuCtxGetDevice(&device) == CU_OK && device == td_gpu.device;
}

struct td_vmm *td_gpu_open(void)
{
	struct tide_error err = {0, ""};
	if (td_gpu.vmm)
		return is_here() ? td_gpu.vmm : NULL;
	pthread_mutex_lock(&opening);
	td_gpu_inside++;
	if (!td_gpu.vmm && !refused && td_gpu_find_driver() && open_vmm(&err)) {
		refused = true;
		give_up(err.text);
	}
	td_gpu_inside--;
	pthread_mutex_unlock(&opening);
	return td_gpu.vmm;
}

__attribute__((destructor)) static void end(void)
{
	struct tide_error err = {0, ""};
	if (!td_gpu.on || !td_gpu.vmm)
		return;
	td_gpu_publish(true);
	if (td_vmm_finish(td_gpu.vmm, &err))
		td_gpu_say("%s", err.text);
}
