/* The library that `tide run --gpu-near` puts in front of a CUDA program: calls of the driver that
 * take memory, or use it, pass here.
 *
 *     find.c     gives our functions to those who look for the driver's
 *     session.c  opens the mechanism (mech/vmm) at the first large allocation
 *     trust.c    functions that were verified
 *     memory.c   allocations, and questions about addresses
 *     work.c     around a piece of work: what it names, before and after it goes to the driver
 *     launch.c   kernels            params.c  which of their parameters are addresses
 *     graph.c    graphs             tables.c  memory that holds addresses
 *     copy.c     copies and sets    copies.def
 *     publish.c  figures for `tide run`
 *
 * A library in front of a program has no handle to keep variables in: see session. */
#ifndef TD_RUN_GPU_PRELOAD_H
#define TD_RUN_GPU_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mech/vmm/vmm.h"
#include "slots.h"

#define TD_EXPORT __attribute__((visibility("default")))

/* The driver's own functions. */
struct td_gpu_next {
#define TD_WRAP(name, base, version, per_thread, parameters) cu_result(*name) parameters;
#include "wrapped.def"
#undef TD_WRAP
};
extern struct td_gpu_next td_gpu_next;
extern struct td_cuda td_gpu_cuda;
bool td_gpu_find_driver(void); /* false: there is none */

/* session.c */
struct td_gpu_session {
	bool on; /* run by tide, and no child of a fork */
	uint64_t near_bytes, host_bytes, threshold_bytes, seed;
	uint32_t chunk_pages;
	enum td_vmm_trust trust;
	const char *evict, *prefetch, *trust_text, *log, *record, *slots;
	struct td_vmm *_Atomic vmm; /* NULL: nothing is managed yet */
	cu_device device;
	cu_context context;
	_Atomic uint64_t passed_allocations;
};
extern struct td_gpu_session td_gpu;
struct td_vmm *td_gpu_open(void); /* NULL: not here */
bool td_gpu_verified(const char *function); /* its arguments name all that it touches */
__attribute__((format(printf, 1, 2))) void td_gpu_say(const char *format, ...);
extern const unsigned char td_gpu_image[]; /* empty: the build has none */
extern const size_t td_gpu_image_bytes;

/* How deep this thread is in calls of the driver that came from here: what those call passes. */
extern __thread unsigned td_gpu_inside;

/* work.c */
struct td_gpu_kernel_info;
struct td_gpu_passage {
	struct td_vmm *vmm; /* NULL: the call passes */
	bool calm;          /* nothing moves: the work need not say what it names */
	struct td_gpu_kernel_info *kernel;
	struct td_vmm_work work;
};
void td_gpu_begin(struct td_gpu_passage *p, enum td_vmm_kind kind, cu_stream stream);
cu_result td_gpu_enter(struct td_gpu_passage *p); /* an error: the work must not go */
void td_gpu_leave(struct td_gpu_passage *p);
bool td_gpu_follows(const struct td_gpu_passage *p);

static inline cu_stream td_gpu_legacy(cu_stream stream)
{
	return stream ? stream : (cu_stream)CU_STREAM_LEGACY;
}

static inline cu_stream td_gpu_per_thread(cu_stream stream)
{
	return stream ? stream : (cu_stream)CU_STREAM_PER_THREAD;
}

/* params.c */
#define TD_GPU_PARAMS_MAX 512
struct td_gpu_kernel_info {
	struct td_gpu_kernel_info *next;
	cu_function function;
	uint64_t number; /* ref of its accesses */
	int params_n;    /* -1: the driver does not say */
	bool verified;
	struct td_gpu_kernel said;
	uint32_t bytes[]; /* of each parameter */
};
struct td_gpu_kernel_info *td_gpu_kernel(cu_function function);
void td_gpu_forget_kernels(void); /* handles may be used again for others */
void td_gpu_name_params(struct td_vmm_work *w, const struct td_gpu_kernel_info *k, void **params,
			void **extra);
void td_gpu_note_kernel(struct td_gpu_kernel_info *k, const struct td_vmm_work *w);
uint32_t td_gpu_worst_kernels(struct td_gpu_kernel *to, uint32_t n);

/* tables.c */
void td_gpu_note_words(const void *from, cu_ptr to, size_t bytes); /* a copy from the host */
void td_gpu_name_tables(struct td_vmm_work *w);
void td_gpu_name_word(struct td_vmm_work *w, uint64_t word);
void td_gpu_note_small(cu_ptr at, size_t bytes); /* an allocation that passed */
void td_gpu_forget_small(cu_ptr at);
void td_gpu_forget_words(cu_ptr at, size_t bytes);

/* graph.c */
void td_gpu_name_graph(struct td_vmm_work *w, cu_graph graph);

/* publish.c */
unsigned td_gpu_claim_slot(void); /* counted from 0 */
void td_gpu_start_publishing(void);
void td_gpu_publish(bool last);

#endif
