/* Life of a handle. It ends with the process: the driver takes back what it gave. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/clock.h"
#include "inside.h"

#ifndef TD_VMM_ARENA_LEAST /* a sanitizer leaves less room */
#define TD_VMM_ARENA_LEAST ((uint64_t)1 << 40)
#endif
#define ARENA_TIMES 8 /* of near and host memory: ranges of addresses are cut into pieces over time */
#define STREAMS_MAX 256
#define PROBE_BYTES ((uint64_t)64 << 20)

const struct td_mech td_vmm_mech = {
	.name = "a run on a GPU",
	/* A launch names chunks, and its function is the ref. Nothing tells of later launches. */
	.gives = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_NOTICES | TIDE_NEEDS_REFS | TIDE_NEEDS_PAGES |
		 TIDE_NEEDS_TOUCHED | TIDE_TAKES_SAMPLES,
};

void td_vmm_say(struct td_vmm *v, const char *format, ...)
{
	char text[400];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (v->say)
		v->say(v->arg, text);
}

struct td_vmm_inside td_vmm_step_in(struct td_vmm *v)
{
	struct td_vmm_inside was = {.mode = CU_CAPTURE_MODE_RELAXED};
	v->cuda->cuThreadExchangeStreamCaptureMode(&was.mode);
	v->cuda->cuCtxGetCurrent(&was.context);
	if (was.context != v->context)
		v->cuda->cuCtxSetCurrent(v->context);
	return was;
}

void td_vmm_step_out(struct td_vmm *v, struct td_vmm_inside was)
{
	if (was.context != v->context)
		v->cuda->cuCtxSetCurrent(was.context);
	v->cuda->cuThreadExchangeStreamCaptureMode(&was.mode);
}

const struct td_vmm_range *td_vmm_arena(const struct td_vmm *v)
{
	return &v->arena;
}

cu_ptr td_vmm_page(const struct td_vmm *v)
{
	return v->page;
}

/* ---- what the machine has ---- */

static int need(struct td_vmm *v, int attribute, const char *what, struct tide_error *err)
{
	int has = 0;
	v->cuda->cuDeviceGetAttribute(&has, attribute, v->device);
	return has ? 0
		   : tide_fail(err, -ENOTSUP, "this GPU or its driver has no %s: see tide doctor",
			       what);
}

static int find_device(struct td_vmm *v, struct tide_error *err)
{
	if (v->cuda->cuCtxGetCurrent(&v->context) || !v->context ||
	    v->cuda->cuCtxGetDevice(&v->device))
		return tide_fail(err, -ENODEV, "no context of a GPU is current");
	int rc = need(v, CU_ATTRIBUTE_VMM, "management of virtual memory", err);
	if (!rc)
		rc = need(v, CU_ATTRIBUTE_HOST_NUMA_VMM, "virtual memory on the host", err);
	if (v->cuda->cuDeviceGetAttribute(&v->node, CU_ATTRIBUTE_HOST_NUMA_ID, v->device) ||
	    v->node < 0)
		v->node = 0;
	return rc;
}

/* ---- state ---- */

/* Zero, and taken from the system where it is used. */
static void *reserve(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

static int make_arena(struct td_vmm *v, uint64_t bytes, struct tide_error *err)
{
	bytes = bytes / v->chunk_bytes * v->chunk_bytes;
	if (v->cuda->cuMemAddressReserve(&v->arena.base, bytes, TD_VMM_PAGE, 0, 0))
		return tide_fail(err, -ENOMEM, "the driver reserves no %llu bytes of addresses",
				 (unsigned long long)bytes);
	v->arena.end = v->arena.base + bytes;
	v->chunks_max = (uint32_t)(bytes / v->chunk_bytes);
	v->chunk = reserve(v->chunks_max * sizeof *v->chunk);
	v->allocation = reserve(v->chunks_max * sizeof *v->allocation);
	v->stream = calloc(STREAMS_MAX, sizeof *v->stream);
	v->streams_room = STREAMS_MAX;
	return v->chunk && v->allocation && v->stream ? 0 : tide_fail(err, -ENOMEM, "out of memory");
}

static int make_locks(struct td_vmm *v, struct tide_error *err)
{
	pthread_rwlockattr_t kind;
	pthread_rwlockattr_init(&kind);
	pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	int rc = pthread_rwlock_init(&v->gate, &kind);
	pthread_rwlockattr_destroy(&kind);
	if (!rc)
		rc = pthread_mutex_init(&v->lock, NULL);
	if (!rc)
		rc = pthread_mutex_init(&v->taking, NULL);
	if (!rc)
		rc = pthread_mutex_init(&v->in_lock, NULL);
	if (!rc)
		rc = pthread_cond_init(&v->calm, NULL);
	if (!rc)
		rc = pthread_cond_init(&v->work, NULL);
	return rc ? tide_fail(err, -rc, "cannot make a lock: %s", strerror(rc)) : 0;
}

static int make_engine(struct td_vmm *v, struct td_vmm_config *c, struct tide_error *err)
{
	struct td_engine_config e = {
		.near_pages = v->near_pages,
		.chunk_pages = v->chunk_pages,
		.last_page = UINT64_MAX,
		.pages = UINT64_MAX,
		.maps = true,
		.page_bytes = TD_VMM_PAGE,
		.whole = true,
		.seed = c->seed,
		.mechanism = td_vmm_mech.name,
		.gives = td_vmm_mech.gives,
		.replace_invalid = true,
		.evict = c->evict,
		.prefetch = c->prefetch,
		.log_path = c->log_path,
		.carrier = td_vmm_carrier(v),
	};
	return td_engine_create(&v->engine, &e, err);
}

/* ---- movers ---- */

static cu_result make_mover(struct td_vmm *v, uint32_t i)
{
	struct td_vmm_mover *m = &v->mover[i];
	void *said = NULL;
	m->v = v;
	cu_result rc = v->cuda->cuStreamCreateWithPriority(&m->out, CU_STREAM_NON_BLOCKING, -1);
	if (!rc)
		rc = v->cuda->cuMemHostAlloc(&said, 4096, 0);
	m->said = said;
	return rc;
}

/* Memory of the card that never moves: for the hashes of all movers. */
static cu_result make_page(struct td_vmm *v)
{
	struct cu_location here = {CU_LOCATION_DEVICE, v->device};
	struct cu_piece_of what = {.type = CU_ALLOCATION_PINNED, .location = here};
	cu_piece piece;
	cu_result rc = v->cuda->cuMemAddressReserve(&v->page, TD_VMM_PAGE, TD_VMM_PAGE, 0, 0);
	if (!rc)
		rc = v->cuda->cuMemCreate(&piece, TD_VMM_PAGE, &what, 0);
	if (!rc)
		rc = td_vmm_show(v, v->page, TD_VMM_PAGE, piece);
	for (uint32_t i = 0; i < TD_VMM_MOVERS; i++)
		v->mover[i].hash = v->page + i * 256;
	if (!rc)
		rc = v->cuda->cuEventCreate(&v->past, CU_EVENT_DISABLE_TIMING);
	if (!rc)
		rc = v->cuda->cuEventRecord(v->past, v->in.handle);
	return rc;
}

/* Without it, what was used leaves by a copy. */
static void load_hash(struct td_vmm *v, const void *image)
{
	cu_module module;
	cu_function hash;
	if (image && !v->cuda->cuModuleLoadData(&module, image) &&
	    !v->cuda->cuModuleGetFunction(&hash, module, "td_hash"))
		v->hash = hash;
}

/* Copies that cannot be waited for may still be under way. */
static bool is_done(struct td_vmm *v, cu_stream stream)
{
	return v->cuda->cuStreamSynchronize(stream) == CU_OK ||
	       v->cuda->cuCtxSynchronize() == CU_OK;
}

/* How fast is one copy from host memory to the card? The pieces are kept for later. */
static void measure_bus(struct td_vmm *v)
{
	uint32_t pages = v->chunk_pages;
	uint64_t bytes = v->chunk_bytes, n = (PROBE_BYTES + bytes - 1) / bytes;
	cu_stream stream = v->in.handle;
	pthread_mutex_lock(&v->lock);
	td_vmm_stock(v, pages, 1);
	struct td_vmm_piece host = td_vmm_take_host(v, pages), card = td_vmm_take_card(v, pages);
	pthread_mutex_unlock(&v->lock);
	cu_ptr at = v->arena.end - bytes;
	if (host.id && card.id && td_vmm_show(v, at, bytes, card.id) == CU_OK) {
		v->cuda->cuMemcpyDtoDAsync_v2(at, host.home, bytes, stream);
		bool done = is_done(v, stream);
		uint64_t since = td_clock_ns();
		for (uint64_t i = 0; i < n; i++)
			v->cuda->cuMemcpyDtoDAsync_v2(at, host.home, bytes, stream);
		if (!is_done(v, stream) || !done)
			return;
		uint64_t took = td_clock_ns() - since;
		v->figures.bus_bytes_per_second =
			(uint64_t)((double)(n * bytes) * 1e9 / (double)(took ? took : 1));
		v->cuda->cuMemUnmap(at, bytes);
	}
	if (host.id)
		td_vmm_give_host(v, pages, host);
	if (card.id)
		td_vmm_give_card(v, pages, card);
}

static int make_movers(struct td_vmm *v, const void *image, struct tide_error *err)
{
	size_t free = 0, total = 0;
	v->cuda->cuMemGetInfo_v2(&free, &total);
	v->others_bytes = total - free;
	cu_result rc = v->cuda->cuStreamCreateWithPriority(&v->in.handle, CU_STREAM_NON_BLOCKING, -1);
	for (uint32_t i = 0; i < TD_VMM_MOVERS && !rc; i++)
		rc = make_mover(v, i);
	if (!rc)
		rc = make_page(v);
	if (rc)
		return tide_fail(err, -EIO, "the driver makes no stream, event or page: error %d", rc);
	load_hash(v, image);
	measure_bus(v);
	return td_vmm_start_movers(v, err);
}

static int open_record(struct td_vmm *v, const char *path, struct tide_error *err)
{
	v->record = path ? fopen(path, "we") : NULL;
	if (path && !v->record)
		return tide_fail(err, -errno, "cannot write %s: %s", path, strerror(errno));
	return 0;
}

static int open_all(struct td_vmm *v, struct td_vmm_config *c, struct tide_error *err)
{
	uint64_t all = (c->near_bytes + c->host_bytes) * ARENA_TIMES;
	int rc = make_locks(v, err);
	if (!rc)
		rc = find_device(v, err);
	if (!rc)
		rc = make_arena(v, all > TD_VMM_ARENA_LEAST ? all : TD_VMM_ARENA_LEAST, err);
	if (!rc)
		rc = make_engine(v, c, err);
	if (!rc)
		rc = open_record(v, c->record_path, err);
	if (!rc)
		rc = make_movers(v, c->image, err);
	if (!rc)
		rc = td_vmm_start_watchdog(v, err);
	return rc;
}

int td_vmm_open(struct td_vmm **out, struct td_vmm_config *c, struct tide_error *err)
{
	struct td_vmm *v = calloc(1, sizeof *v);
	if (!v)
		return tide_fail(err, -ENOMEM, "out of memory");
	v->cuda = c->cuda;
	v->trust = c->trust;
	v->chunk_pages = c->chunk_pages;
	v->chunk_bytes = c->chunk_pages * TD_VMM_PAGE;
	v->near_pages = v->card_limit = c->near_bytes / TD_VMM_PAGE;
	v->host_limit = c->host_bytes / TD_VMM_PAGE;
	v->figures.near_limit_bytes = v->near_pages * TD_VMM_PAGE;
	v->figures.host_limit_bytes = v->host_limit * TD_VMM_PAGE;
	v->say = c->say;
	v->arg = c->arg;
	int rc = open_all(v, c, err);
	if (rc) {
		free(v); /* the process goes on without; what the driver gave is little */
		return rc;
	}
	td_vmm_look(v);
	*out = v;
	return 0;
}

int td_vmm_finish(struct td_vmm *v, struct tide_error *err)
{
	pthread_mutex_lock(&v->lock);
	int rc = td_engine_finish(v->engine, err);
	if (v->record && fflush(v->record) && !rc)
		rc = tide_fail(err, -EIO, "the trace of launches is incomplete: is the disk full?");
	pthread_mutex_unlock(&v->lock);
	return rc;
}
