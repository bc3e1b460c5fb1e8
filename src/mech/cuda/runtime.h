/* The GPU runtime on the processor's side: what a struct tide_gpu is made of.
 *
 *     open.c       from options to memory      layout.c    where what lies, and its first state
 *     options.c    texts to numbers            arrays.c    arrays and their files
 *     launch.c     before kernels              end.c       after them
 *     failure.c    what failed, in words
 *     threads.c    what threads share          regression.c samples to a line
 *     proxy.c      requests for files          copier.c    requests for the copy engine
 *     tables.c     the tables at rest          flight.c    pages to and from files at rest
 *     sync.c       dirty pages to files        access.c    bytes of an array
 *     reset.c      as it was at first          demote.c    pages to tier 2
 *     stats.c      counts and figures          check.c     do the tables agree
 *     log.c        decisions of one warp       driver.c    the table behind the door
 *
 * While a kernel runs, threads here see pinned memory alone; the tables on the GPU are looked at
 * between launches. With orchestrate=host the engine serves faults: orchestrate.h. */
#ifndef TD_MECH_CUDA_RUNTIME_H
#define TD_MECH_CUDA_RUNTIME_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "device.h"
#include "driver.h"
#include "tide/device/control.h"
#include "tide/device/entry.h"
#include "tiers/io.h"

#define TD_CUDA_ARRAYS 1024
#define TD_CUDA_PROXIES 64

/* ---- options as numbers ---- */

struct td_cuda_settings {
	uint64_t page_bytes;
	uint64_t near_pages, host_pages, staging_pages, pages; /* pages: all arrays together */
	uint64_t timeout_ns, seed;
	uint64_t watch_ns; /* 0: none */
	uint32_t page_shift, shards, proxies;
	uint32_t place;    /* its number in td_placer_table */
	uint32_t transfer; /* enum td_dev_transfer */
	struct tide_placing placing;
	double rate; /* share of the pages whose accesses are shown to the placement's samples */
	bool host_orchestrated;
	bool lockstep; /* one warp, and a log */
	int device;
	char place_text[128], transfer_text[16];
};

int td_cuda_parse(struct td_cuda_settings *s, const struct tide_gpu_options *o,
		  struct tide_error *err);

/* ---- arrays ---- */

struct td_cuda_array {
	uint32_t first_page, pages;
	uint64_t bytes;
	struct td_io_file *file;
	uint64_t offset; /* of its first page in the file */
	bool kept;       /* it has a file of its own, which tide_gpu_sync() makes complete */
	bool writable;
	struct td_io_file own;
	uint64_t file_device, file_number; /* which file that is, whatever its name */
};

/* ---- rings of requests, one per queue of the GPU ---- */

struct td_cuda_ring {
	struct td_dev_request *at;
	uint32_t entries;
	_Atomic uint64_t taken; /* requests so far */
	_Atomic uint64_t open;  /* of these, not done */
	_Atomic uint64_t limit; /* all requests there are, once no kernel runs: a gap stays one */
};

/* Takes the next request, if there is one. Only the thread that serves the ring calls it. */
bool td_cuda_take(struct td_cuda_ring *r, struct td_dev_request *out);
void td_cuda_done(struct td_cuda_ring *r);
void td_cuda_answer(struct tide_gpu *g, uint32_t slot, int result); /* 0 or -errno */

/* ---- requests for files: a thread per queue ----
 *
 * A slot has one request at a time, so there is one of these per slot. Requests for a page that has
 * one under way wait for it, in the order in which they came. */

struct td_cuda_transfer {
	struct td_io_request io;
	struct td_cuda_proxy *proxy;
	struct td_cuda_transfer *peer;  /* in its bucket */
	struct td_cuda_transfer *after; /* a request for the same page, which waits for this one */
	uint32_t page, slot;
};

#define TD_CUDA_BUCKETS 1024

struct td_cuda_proxy {
	struct tide_gpu *g;
	struct td_cuda_ring *ring;
	struct td_io *io;
	pthread_t thread;
	bool started;
	struct td_cuda_transfer *bucket[TD_CUDA_BUCKETS]; /* by page: under way, one per page */
	struct td_io_request *batch[64];                  /* to be started together */
	unsigned batch_n;
	_Atomic uint64_t reads, writes;
};

int td_cuda_proxies_open(struct tide_gpu *g, const char *inject, struct tide_error *err);
void td_cuda_proxies_close(struct tide_gpu *g);

/* ---- requests for the copy engine: one thread, a stream each way ---- */

#define TD_CUDA_BATCH 16

struct td_cuda_batch {
	unsigned n;
	uint32_t slot[TD_CUDA_BATCH];
	int result;
};

struct td_cuda_way {
	struct td_cuda_stream *stream;
	struct td_cuda_batch batch[TD_CUDA_MARKS]; /* a ring */
	uint64_t begun, ended;                     /* batches; marks of the stream */
};

struct td_cuda_copier {
	struct tide_gpu *g;
	struct td_cuda_ring *ring;
	pthread_t thread;
	bool started;
	struct td_cuda_way way[2]; /* into near memory, out of it */
};

int td_cuda_copier_open(struct tide_gpu *g, struct tide_error *err);
void td_cuda_copier_close(struct tide_gpu *g);

/* ---- the regression ---- */

struct td_cuda_past {
	uint64_t time;    /* of its last sample */
	uint64_t order;   /* that sample's number, from 1; 0: none so far */
	uint32_t node[3]; /* struct tide_osnode */
	uint32_t unused;
};

struct td_cuda_regression {
	struct tide_gpu *g;
	pthread_t thread;
	bool started;
	pthread_mutex_t lock;      /* protects all below while the thread looks at samples */
	struct td_cuda_past *past; /* of all pages */
	uint64_t taken;            /* from the ring */
	uint64_t samples;
	uint32_t root; /* struct tide_ostree */
	uint64_t pairs_per_fit;
	struct tide_sums sums;
	struct tide_line line;
};

int td_cuda_regression_open(struct tide_gpu *g, struct tide_error *err);
void td_cuda_regression_close(struct tide_gpu *g);
/* Called at rest. Drops what is still in the ring. */
void td_cuda_regression_reset(struct tide_gpu *g);
struct tide_line td_cuda_regression_line(struct tide_gpu *g, uint64_t *pairs);
/* One sample; for tests too. */
void td_cuda_regression_add(struct td_cuda_regression *r, uint64_t page, uint64_t time);
/* Takes some of the waiting samples, in any thread. False: there are none. */
bool td_cuda_regression_serve(struct td_cuda_regression *r);

/* ---- failures, the first since the last launch ---- */

struct td_cuda_failure {
	int error; /* negative; 0: none */
	uint32_t page, op;
};

/* ---- the handle ---- */

struct td_cuda_memory {
	void *at;
	uint64_t bytes;
	bool pinned;
};

struct td_cuda_orchestrator;

struct tide_gpu {
	struct td_gpu_head head;
	struct td_cuda_settings set;
	struct td_dev_control *on_gpu; /* the control block that kernels use */
	struct td_dev_control control; /* as at the start: where things are, not how they are */
	struct td_dev_told *told;      /* pinned */
	struct td_cuda_ring *rings;    /* proxies; then one for copies, one for faults */
	uint32_t rings_n;
	struct td_cuda_memory memory[4];
	unsigned memory_n;
	uint64_t metadata_bytes;

	struct td_cuda_array *arrays;
	uint32_t arrays_n;
	uint64_t pages_used;
	struct td_io_file storage; /* fd -1: none */
	uint64_t storage_bytes;    /* given to arrays */

	struct td_cuda_proxy *proxies;
	struct td_cuda_transfer *transfers; /* one per slot */
	struct td_cuda_copier copier;
	struct td_cuda_regression regression;
	struct td_cuda_orchestrator *orchestrator; /* NULL: threads of the GPU serve faults */
	struct td_cuda_flight *flight;             /* pages between tables and files, at rest */

	bool async;             /* proxies have io_uring */
	unsigned spins;         /* how often a thread looks for work before it sleeps */
	_Atomic int running;    /* between begin and end: threads look for work */
	_Atomic int stopping;   /* threads end */
	pthread_mutex_t lock;   /* of the rest */
	pthread_cond_t changed; /* running or stopping */
	struct td_cuda_failure failure;
	bool lost;                     /* the GPU cannot be used any more */
	bool stuck;                    /* and a kernel runs on it that cannot be ended */
	struct td_cuda_current thread; /* of the thread that makes a call */

	FILE *log;
	char *log_path;
	uint64_t io_errors, moved_bytes[2]; /* at rest: failed, read and written */
};

/* Called by threads: waits until a launch has begun. False: the thread must end. */
bool td_cuda_await_launch(struct tide_gpu *g);
/* Called by threads that found no work `idle` times in a row: spins at first, then sleeps. */
void td_cuda_rest(const struct tide_gpu *g, unsigned idle);
int td_cuda_start(pthread_t *thread, const char *name, void *(*run)(void *), void *arg,
		  struct tide_error *err);

void td_cuda_failed(struct tide_gpu *g, int error, uint32_t page, uint32_t op);
/* Adds to a sentence in which states pages, frames and slots are. */
void td_cuda_describe(struct tide_gpu *g, struct tide_error *err);
/* Gives the failure and forgets it; 0: there was none. */
int td_cuda_tell_failure(struct tide_gpu *g, struct tide_error *err);
/* Did the kernel break a rule, and say so before it was stopped? */
bool td_cuda_misused(const struct tide_gpu *g);

/* The array of a page; NULL: none has it. */
struct td_cuda_array *td_cuda_array_of(const struct tide_gpu *g, uint32_t page);
uint64_t td_cuda_offset_of(const struct tide_gpu *g, const struct td_cuda_array *a, uint32_t page);

/* layout.c: allocates all memory, and sets the first state of a runtime. */
int td_cuda_allocate(struct tide_gpu *g, struct tide_error *err);
void td_cuda_free(struct tide_gpu *g);
int td_cuda_initialise_once(struct tide_gpu *g, struct tide_error *err);
int td_cuda_initialise(struct tide_gpu *g, struct tide_error *err);

/* ---- the tables at rest ----
 *
 * A copy of what kernels left. Settled: write-backs that have ended well are taken out of it, and
 * what warps left behind when something failed is given back. */

struct td_cuda_tables {
	uint64_t *entries; /* pages_used of them */
	struct td_dev_shard *shard;
	uint32_t *owner;
	uint32_t *slot_page, *slot_next, *slot_prev;
};

int td_cuda_tables_load(struct tide_gpu *g, struct td_cuda_tables *t, struct tide_error *err);
int td_cuda_tables_load_settled(struct tide_gpu *g, struct td_cuda_tables *t,
				struct tide_error *err);
int td_cuda_tables_settle(const struct tide_gpu *g, struct td_cuda_tables *t,
			  struct tide_error *err);
int td_cuda_tables_store(struct tide_gpu *g, const struct td_cuda_tables *t,
			 struct tide_error *err);
void td_cuda_tables_free(struct td_cuda_tables *t);
/* The copy as device/slots.h sees tables. */
struct td_dev_control td_cuda_tables_view(const struct tide_gpu *g, const struct td_cuda_tables *t);
int td_cuda_settle(struct tide_gpu *g, struct tide_error *err); /* those of the GPU */

/* ---- pages between near memory and files, several at a time, at rest ---- */

int td_cuda_flight_open(struct tide_gpu *g, struct tide_error *err);
void td_cuda_flight_close(struct tide_gpu *g);
/* Writes dirty pages of all arrays, or only of arrays with a file of their own. A page that is
 * written is clean in t, even if others fail. */
int td_cuda_write_dirty(struct tide_gpu *g, struct td_cuda_tables *t, bool all,
			struct tide_error *err);

/* ---- the calls of tide/gpu.h ---- */

int td_cuda_open(struct tide_gpu **out, const struct tide_gpu_options *options,
		 struct tide_error *err);
int td_cuda_array(struct tide_gpu *g, struct tide_span *out, uint64_t bytes,
		  const struct tide_gpu_array_options *how, struct tide_error *err);
int td_cuda_kernels(struct tide_gpu *g, const struct tide_gpu_layout *kernels,
		    struct tide_error *err);
int td_cuda_begin(struct tide_gpu *g, uint64_t warps, unsigned pins, struct tide_error *err);
int td_cuda_end(struct tide_gpu *g, struct tide_error *err);
int td_cuda_sync(struct tide_gpu *g, struct tide_error *err);
int td_cuda_read(struct tide_gpu *g, struct tide_span array, uint64_t offset, void *to,
		 uint64_t bytes, struct tide_error *err);
int td_cuda_write(struct tide_gpu *g, struct tide_span array, uint64_t offset, const void *from,
		  uint64_t bytes, struct tide_error *err);
int td_cuda_demote(struct tide_gpu *g, struct tide_span array, struct tide_error *err);
int td_cuda_reset(struct tide_gpu *g, struct tide_error *err);
int td_cuda_stats(struct tide_gpu *g, struct tide_gpu_stats *stats, struct tide_error *err);
int td_cuda_stats_json(struct tide_gpu *g, char **text, struct tide_error *err);
int td_cuda_check(struct tide_gpu *g, struct tide_error *err);
/* For td_checked() at the ends of calls. -EUCLEAN: the tables do not agree. 0: they do, or cannot
 * be read. */
int td_cuda_check_rest(struct tide_gpu *g);
int td_cuda_close(struct tide_gpu *g, struct tide_error *err);

int td_cuda_log_open(struct tide_gpu *g, const char *path, struct tide_error *err);
int td_cuda_log_write(struct tide_gpu *g, struct tide_error *err); /* what is new since last */
int td_cuda_log_close(struct tide_gpu *g, struct tide_error *err);

/* An error, unless the handle is at rest and can be used. */
int td_cuda_ready(const struct tide_gpu *g, struct tide_error *err);

#endif
