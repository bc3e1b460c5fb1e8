/* The mechanism of `tide run --gpu-near`: allocations of a CUDA program as ranges of addresses that
 * are cut into chunks. A chunk is always mapped, to memory of the card or to memory of the host, so
 * a kernel never faults. What a launch names is accessed by the engine, whose policies decide which
 * chunks are on the card, and threads of this room move them.
 *
 * Before the program's work reaches the driver, the caller enters it: what it names, and by which
 * stream. After that it leaves. Between the two no chunk that it names moves. */
#ifndef TD_VMM_VMM_H
#define TD_VMM_VMM_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda.h"
#include "engine/registry.h"
#include "figures.h"
#include "mech/mech.h"
#include "tide/error.h"
#include "tide/stats.h"

#define TD_VMM_PAGE ((uint64_t)2 << 20) /* what the driver maps at least */

extern const struct td_mech td_vmm_mech;

enum td_vmm_trust {
	TD_VMM_TRUST_NONE, /* all work may touch everything: chunks move while none is under way */
	TD_VMM_TRUST_ARGS, /* work touches what it names */
};

struct td_vmm_config {
	const struct td_cuda *cuda; /* outlives the handle */
	uint64_t near_bytes, host_bytes;
	uint32_t chunk_pages;
	enum td_vmm_trust trust;
	struct td_policy_choice evict, prefetch; /* taken over */
	uint64_t seed;
	const char *log_path;                      /* NULL: no log of decisions */
	const char *record_path;                   /* NULL: no trace of what launches name */
	const void *image;                    /* a module with td_hash; NULL: none */
	void (*say)(void *arg, const char *text);  /* one sentence for the user */
	void *arg;
};

struct td_vmm;

/* In the context that is current, and on its device. */
int td_vmm_open(struct td_vmm **out, struct td_vmm_config *config, struct tide_error *err);
/* Completes the log. Memory and threads stay: the process ends. */
int td_vmm_finish(struct td_vmm *v, struct tide_error *err);

/* A range of managed memory; CU_OUT_OF_MEMORY: card and host have no room for it. */
cu_result td_vmm_alloc(struct td_vmm *v, uint64_t bytes, cu_ptr *at);
/* The driver's error where a capture forbids this thread to take and free memory: that ends the
 * capture, as the call itself would. */
cu_result td_vmm_forbidden(struct td_vmm *v);
/* Waits until no work uses the memory. CU_INVALID_VALUE: no allocation begins there. */
cu_result td_vmm_free(struct td_vmm *v, cu_ptr at);
/* The same, once the stream has come so far. */
cu_result td_vmm_free_after(struct td_vmm *v, cu_ptr at, cu_stream stream);

/* Is it an address of managed memory? Its allocation's first address and size. */
struct td_vmm_range {
	uint64_t base, end;
};
const struct td_vmm_range *td_vmm_arena(const struct td_vmm *v);
static inline bool td_vmm_in(const struct td_vmm_range *arena, uint64_t address)
{
	return address - arena->base < arena->end - arena->base;
}
bool td_vmm_find(struct td_vmm *v, uint64_t address, struct td_vmm_range *out);
/* Device memory of tide's own, about which the driver can be asked instead: managed memory may be on
 * the host just now, or moving. */
cu_ptr td_vmm_page(const struct td_vmm *v);

/* What work names, and by which stream it goes. */
struct td_vmm_name {
	uint64_t address, bytes; /* 0: the whole allocation */
	bool written;            /* surely; kernels do not say */
};

enum td_vmm_kind {
	TD_VMM_LAUNCH, /* an access, which brings what it names to the card */
	TD_VMM_COPY,   /* goes where the memory is */
};

struct td_vmm_work {
	enum td_vmm_kind kind;
	cu_stream stream;  /* a handle, or one of the two numbers */
	bool everything;   /* it names all managed memory */
	bool strays;       /* it may touch what it does not name */
	uint64_t ref;      /* of the function */
	uint32_t n, room;
	struct td_vmm_name *names;
	/* What enter() found. */
	uint64_t waited_ns;
	bool remote; /* some of it stays in host memory */
	bool entered;
	/* The first named_n chunks are named, and of these the first held_n are near, and held. */
	uint32_t chunks_n, named_n, held_n;
	uint32_t *chunks;
};

static inline void td_vmm_name(struct td_vmm_work *w, uint64_t address, uint64_t bytes,
			       bool written)
{
	if (w->n == w->room)
		w->everything = true;
	else
		w->names[w->n++] = (struct td_vmm_name){address, bytes, written};
}

/* Around the program's work. td_vmm_begin() says whether all memory has fit on the card so far: then
 * nothing moves, and the work need not say what it names. Else it enters, goes to the driver, and
 * leaves. If entering fails with an error of the driver, some memory cannot be reached: the work does
 * not go, and leaves. td_vmm_end() follows in any case. */
bool td_vmm_begin(struct td_vmm *v);
cu_result td_vmm_enter(struct td_vmm *v, struct td_vmm_work *w);
void td_vmm_leave(struct td_vmm *v, struct td_vmm_work *w);
void td_vmm_end(struct td_vmm *v);

/* This memory stays on the card, or where it is: work touches it without naming it. */
void td_vmm_pin(struct td_vmm *v, uint64_t address);
/* The stream will be destroyed. */
void td_vmm_forget_stream(struct td_vmm *v, cu_stream stream);
/* For cuMemGetInfo: near and host memory together. */
void td_vmm_room(struct td_vmm *v, size_t *free, size_t *total);

/* Looks how much of the card others use, and keeps within what is left. */
void td_vmm_look(struct td_vmm *v);

void td_vmm_stats(struct td_vmm *v, struct td_gpu_figures *figures, struct tide_counts *counts,
		  char *ejected, size_t ejected_size);

#endif
