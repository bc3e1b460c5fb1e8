/* The table in which the processes of `tide run --gpu-near` publish their figures: a file, mapped by
 * all. */
#ifndef TD_RUN_GPU_SLOTS_H
#define TD_RUN_GPU_SLOTS_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "tide/stats.h"

#define TD_GPU_SLOTS_MAX 64
#define TD_GPU_KERNELS_MAX 16 /* of those that waited, the ones that waited longest */

struct td_gpu_figures {
#define TD_GPU_FIGURE(name, help) uint64_t name;
#include "figures.def"
#undef TD_GPU_FIGURE
};

/* A kernel that waited for memory, or that read it over the bus. */
struct td_gpu_kernel {
	char name[120]; /* as the compiler wrote it, cut */
	uint64_t launches, waited_launches, waited_ns, remote_launches;
};

enum td_gpu_slot_state {
	TD_GPU_SLOT_FREE,
	TD_GPU_SLOT_ON,    /* running */
	TD_GPU_SLOT_ENDED, /* its figures are the last ones */
};

/* What a process publishes. */
struct td_gpu_said {
	struct tide_counts counts;
	struct td_gpu_figures figures;
	char evict[64], prefetch[64], ejected[64], trust[16];
	uint32_t kernels_n;
	struct td_gpu_kernel kernels[TD_GPU_KERNELS_MAX];
};

struct td_gpu_slot {
	_Atomic uint32_t seq; /* odd while it is written */
	_Atomic uint32_t state;
	int32_t pid;
	char program[32];
	struct td_gpu_said said;
};

/* Which process has which slot is decided by counting `used`; it may go beyond the table. */
struct td_gpu_slots {
	uint32_t bytes; /* of struct td_gpu_slots: one build made both sides */
	_Atomic uint32_t used;
	struct td_gpu_slot at[TD_GPU_SLOTS_MAX];
};

static inline void td_gpu_slot_write(struct td_gpu_slot *s, const struct td_gpu_said *said)
{
	atomic_fetch_add(&s->seq, 1);
	memcpy(&s->said, said, sizeof *said);
	atomic_fetch_add(&s->seq, 1);
}

/* The figures as they were at one moment; a writer that died half way is not waited for. */
static inline void td_gpu_slot_read(struct td_gpu_slot *s, struct td_gpu_said *said)
{
	for (int tries = 0; tries < 1000; tries++) {
		uint32_t before = atomic_load(&s->seq);
		memcpy(said, &s->said, sizeof *said);
		/* Not a plain load, which the copy could be moved behind. */
		if (!(before & 1) && atomic_fetch_add(&s->seq, 0) == before)
			return;
	}
}

#endif
