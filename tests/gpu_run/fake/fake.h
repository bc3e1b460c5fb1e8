/* A CUDA driver without a GPU: memory is plain memory, a launch is a call of a C function, and a
 * stream is a thread. What the files share. One lock guards everything but the memory itself. */
#ifndef GPU_RUN_FAKE_H
#define GPU_RUN_FAKE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../driver.h"

#define EXPORT __attribute__((visibility("default")))
#define LENGTH(array) (sizeof(array) / sizeof *(array))

enum { PIECE_BYTES = 2 << 20, PAGE = 4096, POISON = 0xA5, CONTEXTS_DEEP = 16 };

/* Errors that tide does not know by name. */
enum {
	FAKE_INVALID_DEVICE = 101,
	FAKE_NO_BINARY = 209,
	FAKE_CAPTURE_INVALIDATED = 901,
	FAKE_CAPTURE_UNMATCHED = 903,
	FAKE_CAPTURE_UNJOINED = 904,
	FAKE_CAPTURE_ISOLATION = 905,
	FAKE_CAPTURE_IMPLICIT = 906,
	FAKE_CAPTURED_EVENT = 907,
	FAKE_UPDATE_FAILED = 910,
};

/* ---- calls.c: every exported function begins with ENTER, which counts and injects errors ---- */

enum fake_call {
#define CALL(name, base, since, arguments) FAKE_##name,
#include "../driver.def"
#undef CALL
	FAKE_CALLS
};

#define CALL(name, base, since, arguments) cu_result name arguments;
#include "../driver.def"
#undef CALL
/* tide's own list of what it calls must say the same. */
#define TD_CUDA(name, arguments) cu_result name arguments;
#include "mech/vmm/cuda.def"
#undef TD_CUDA

cu_result fake_enter(enum fake_call call);

#define ENTER(name) \
	do { \
		cu_result entered = fake_enter(FAKE_##name); \
		if (entered) \
			return entered; \
	} while (0)

/* A function in both forms: `call` may use per_thread, which says what stream NULL is. */
#define IN_BOTH(name, suffix, arguments, call) \
	EXPORT cu_result name arguments \
	{ \
		const bool per_thread = false; \
		ENTER(name); \
		return call; \
	} \
	EXPORT cu_result name##suffix arguments \
	{ \
		const bool per_thread = true; \
		ENTER(name##suffix); \
		return call; \
	}
#define BOTH_SZ(name, arguments, call) IN_BOTH(name, _ptsz, arguments, call)
#define BOTH_DS(name, arguments, call) IN_BOTH(name, _ptds, arguments, call)

/* A number of FAKE_CUDA_SEED's sequence, below `n`. */
unsigned fake_random(unsigned n);

/* ---- made.c: handles, all in one list, so that none is lost and a wrong one is known ---- */

enum made_kind {
	MADE_CONTEXT,
	MADE_STREAM,
	MADE_EVENT,
	MADE_MODULE,
	MADE_GRAPH,
	MADE_NODE,
	MADE_EXEC,
	MADE_PIECE
};

struct made {
	struct made *next, *before;
	enum made_kind kind;
};

void *fake_make(enum made_kind kind, size_t bytes);
bool fake_is(const void *handle, enum made_kind kind);
void fake_unmake(void *handle);
void *fake_allocate(size_t bytes);

extern pthread_mutex_t fake_lock;
extern pthread_cond_t fake_progress; /* something was queued, done or closed */

/* ---- context.c ---- */

struct cu_context {
	struct made made;
	cu_stream legacy;
	bool primary;
};

bool fake_on(void);
cu_context fake_context(void); /* of this thread; NULL: none */
uint64_t fake_thread(void);
int *fake_capture_mode(void); /* of this thread */

/* ---- memory.c and vmm.c ---- */

enum range_kind { RANGE_DEVICE, RANGE_HOST, RANGE_MANAGED, RANGE_RESERVED };

struct range {
	struct range *next;
	cu_ptr at;
	size_t bytes;
	enum range_kind kind;
	cu_context context;
	bool leaving; /* a free of it is queued */
};

/* With the lock held: */
struct range *fake_range(cu_ptr at);
void fake_range_add(cu_ptr at, size_t bytes, enum range_kind kind, cu_context context);
void fake_range_drop(struct range *r);
bool fake_device_take(size_t bytes);
void fake_device_give(size_t bytes);
bool fake_mapping(cu_ptr at, cu_ptr *base, size_t *bytes, bool *device);
void fake_context_forget(cu_context context);
/* Without it: */
bool fake_is_pageable(const void *at);
bool fake_reaches(cu_ptr at); /* it is an address that the device knows */
cu_result fake_allocate_device(cu_ptr *at, size_t bytes);
void fake_free_now(cu_ptr at);
void fake_figures(size_t *used, size_t *card);

/* ---- module.c ---- */

struct cu_function {
	const struct fake_kernel *kernel;
	void *const *globals;
	bool is_kernel;   /* a CUkernel, */
	cu_function twin; /* and the CUfunction of it */
};

struct launched {
	cu_function function;
	bool by_kernel; /* a node that names it as a CUkernel */
	unsigned grid[3], block[3], shared_bytes;
	size_t bytes;
	unsigned char *buffer;
	void **params;
};

void fake_run(const struct launched *l);
cu_result fake_launched(struct launched *l, const struct cu_kernel_node *from);

/* ---- work.c: what a stream does, or a node of a graph ---- */

enum { WORK_FREE = 100, WORK_STAMP }; /* besides CU_NODE_* */

struct stamp {
	int refs;
	uint64_t ns;
};

struct work {
	int kind;
	union {
		struct launched launch;
		struct cu_copy_3d copy;
		struct cu_memset_node set;
		struct {
			void (*call)(void *);
			void *data;
		} host;
		cu_graph child; /* its own */
		cu_ptr freed;
		struct stamp *stamp;
	};
	void *staged; /* to free after */
};

void fake_work_run(const struct work *w);
void fake_work_clear(struct work *w);
void fake_work_copy(struct work *to, const struct work *from);

/* ---- stream.c ---- */

struct point {
	cu_stream stream;
	uint64_t n; /* works of it that must be done */
};

struct op {
	struct op *next;
	struct work work;
	size_t points_n;
	struct point points[];
};

struct cu_stream {
	struct made made;
	cu_stream next; /* of fake_streams */
	cu_context context;
	unsigned flags;
	bool legacy, started, closed;
	uint64_t thread; /* it is the stream of that thread */
	struct op *first, **last;
	uint64_t queued, done;
	struct capture *capture;
	cu_node *tips; /* where the capture goes on */
	size_t tips_n;
};

extern cu_stream fake_streams;                                  /* they stay for ever */
cu_stream fake_stream_make(cu_context context, unsigned flags); /* with the lock held */
/* The stream that a program names; NULL: there is none such. */
cu_stream fake_stream(cu_stream named, bool per_thread);
/* Takes `w` over. `at`, if not NULL, becomes where it stands. */
cu_result fake_submit(cu_stream s, struct work *w, const struct point *more, size_t more_n,
		      struct point *at);
cu_result fake_submit_and_wait(cu_stream s, struct work *w);
void fake_wait(struct point until);
bool fake_past(struct point until);     /* with the lock held */
void fake_wait_all(cu_context context); /* NULL: every context */

/* ---- event.c ---- */

struct cu_event {
	struct made made;
	struct point at;
	struct stamp *stamp;
	uint64_t capture; /* recorded in it; 0: none */
	cu_node *tips;
	size_t tips_n;
};

void fake_stamp_drop(struct stamp *s); /* with the lock held */

/* ---- capture.c and graph.c ---- */

struct capture {
	uint64_t id;
	cu_stream origin;
	cu_graph graph;
	int mode;
	uint64_t thread;
	bool bad;
};

struct cu_node {
	struct made made;
	uint64_t id; /* the same in what is instantiated from it */
	cu_graph graph;
	struct work work;
	cu_node *before;
	size_t before_n;
};

struct cu_graph {
	struct made made;
	int refs;
	cu_node *nodes; /* each after those that it waits for */
	size_t n;
};

/* With the lock held: */
cu_result fake_capture_work(cu_stream s, struct work *w);
cu_result fake_capture_refuses(cu_stream s); /* a stream that a capture does not allow to be used */
cu_result fake_capture_wait(cu_stream s, cu_event event, bool *done);
void fake_capture_event(cu_stream s, cu_event event);
cu_node fake_node_add(cu_graph graph, struct work *w, const cu_node *before, size_t n);
/* Without it: */
cu_result fake_unsafe(void); /* the error of a call that a capture forbids */
cu_graph fake_graph_copy(cu_graph graph);
void fake_graph_drop(cu_graph graph);
void fake_graph_run(cu_graph graph);

#endif
