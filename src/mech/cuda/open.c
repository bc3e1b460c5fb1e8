/* The life of a runtime. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "orchestrate.h"
#include "runtime.h"

/* Some 1 ms: a request that follows the last one is seen at once. Where there are few processors
 * there is none: spinning takes them from whoever would make the next request. */
#define SPINS 20000
#define PROXIES_SYNC 16

static int open_storage(struct tide_gpu *g, const char *path, struct tide_error *err)
{
	return path ? td_io_file_open(&g->storage, path, TD_IO_CREATE, err) : 0;
}

static int open_threads(struct tide_gpu *g, const struct tide_gpu_options *o,
			struct tide_error *err)
{
	int rc = td_cuda_regression_open(g, err);
	if (!rc)
		rc = td_cuda_proxies_open(g, o->inject, err);
	if (!rc)
		rc = td_cuda_copier_open(g, err);
	if (!rc && g->set.host_orchestrated)
		rc = td_cuda_orchestrate_open(g, o, err);
	return rc;
}

static void stop_threads(struct tide_gpu *g)
{
	pthread_mutex_lock(&g->lock);
	atomic_store(&g->stopping, 1);
	atomic_store(&g->running, 0);
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
	if (g->orchestrator)
		td_cuda_orchestrate_close(g);
	td_cuda_copier_close(g);
	td_cuda_proxies_close(g);
	td_cuda_regression_close(g);
}

/* A kernel that cannot be ended may still use everything, so all of it stays. */
static void discard(struct tide_gpu *g)
{
	if (g->stuck)
		return;
	stop_threads(g);
	td_cuda_log_close(g, NULL);
	td_cuda_flight_close(g);
	for (uint32_t i = 0; i < g->arrays_n; i++)
		td_io_file_close(&g->arrays[i].own);
	td_io_file_close(&g->storage);
	td_cuda_free(g);
	pthread_cond_destroy(&g->changed);
	pthread_mutex_destroy(&g->lock);
	free(g->arrays);
	free(g);
}

static struct tide_gpu *make(void)
{
	struct tide_gpu *g = calloc(1, sizeof *g);
	if (!g)
		return NULL;
	g->arrays = calloc(TD_CUDA_ARRAYS, sizeof *g->arrays);
	if (!g->arrays) {
		free(g);
		return NULL;
	}
	g->head.driver = &tide_cuda_driver;
	g->storage = (struct td_io_file){.fd = -1, .direct_fd = -1};
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->changed, NULL);
	return g;
}

/* Where io_uring is forbidden a proxy has one request under way, so that it takes many. */
static int choose_proxies(struct tide_gpu *g, const struct tide_gpu_options *o,
			  struct tide_error *err)
{
	struct td_io *io;
	int rc = td_io_open(&io, 1, o->inject, err);
	if (rc)
		return rc;
	g->async = td_io_has_ring(io);
	td_io_close(io);
	if (!g->async && !o->proxies)
		g->set.proxies = PROXIES_SYNC;
	return 0;
}

static int settle(struct tide_gpu *g, const struct tide_gpu_options *o, struct tide_error *err)
{
	int rc = td_cuda_parse(&g->set, o, err);
	if (!rc)
		rc = choose_proxies(g, o, err);
	bool few = sysconf(_SC_NPROCESSORS_ONLN) < (long)g->set.proxies + 4;
	g->spins = few ? 0 : SPINS;
	return rc;
}

static int set_up(struct tide_gpu *g, const struct tide_gpu_options *o, struct tide_error *err)
{
	int rc = td_cuda_allocate(g, err);
	if (!rc)
		rc = td_cuda_initialise_once(g, err);
	if (!rc)
		rc = open_storage(g, o->storage, err);
	if (!rc)
		rc = td_cuda_log_open(g, g->set.lockstep ? o->log : NULL, err);
	if (!rc)
		rc = td_cuda_flight_open(g, err);
	if (!rc)
		rc = open_threads(g, o, err);
	return rc;
}

int td_cuda_open(struct tide_gpu **out, const struct tide_gpu_options *options,
		 struct tide_error *err)
{
	struct tide_gpu *g = make();
	struct td_cuda_current thread = {0};
	*out = NULL;
	if (!g)
		return tide_fail(err, -ENOMEM, "out of memory");
	int rc = settle(g, options, err);
	if (rc) {
		discard(g);
		return rc;
	}
	rc = td_cuda_device.enter(&thread, g->set.device, err);
	if (!rc)
		rc = set_up(g, options, err);
	if (rc)
		discard(g);
	else
		*out = g;
	td_cuda_device.leave(&thread);
	return rc;
}

int td_cuda_close(struct tide_gpu *g, struct tide_error *err)
{
	struct td_cuda_current thread = {0}; /* not that of the handle, which is gone in the end */
	int rc = 0;
	if (!g)
		return 0;
	td_cuda_device.enter(&thread, g->set.device, NULL);
	if (atomic_load(&g->running))
		rc = td_cuda_end(g, err);
	int synced = td_cuda_sync(g, rc ? NULL : err);
	rc = rc ? rc : synced;
	int finished = g->orchestrator ? td_cuda_orchestrate_finish(g, rc ? NULL : err) : 0;
	rc = rc ? rc : finished;
	int logged = td_cuda_log_close(g, rc ? NULL : err);
	discard(g);
	td_cuda_device.leave(&thread);
	return rc ? rc : logged;
}
