/* Between the files of the GPU machinery: what runs a launch. */
#ifndef TD_WORKLOAD_GPU_RUN_H
#define TD_WORKLOAD_GPU_RUN_H

#include "core/vec.h"
#include "gpu.h"

/* Events that wait for room in a batch: those of one instruction. */
struct td_gpu_event {
	uint64_t page;
	uint64_t order; /* wave mode: the events of a step are sorted by it */
	uint32_t block, count;
	uint16_t warp;
};

struct td_gpu_ready {
	struct td_gpu_event *at;
	uint32_t n, taken, room;
	uint16_t array;
	uint8_t pc;
	bool write;
};

#define TD_GPU_KNOWN 4 /* a power of two */

/* The blocks that run, in exact mode. */
struct td_gpu_exact {
	struct td_gpu_warp *warps;  /* of all resident blocks, block by block */
	struct td_gpu_access *held; /* per warp: fetched already, for its next turn */
	bool *has_held;
	uint64_t *delay;             /* per resident block: rounds before it starts */
	uint32_t warps_room, blocks; /* resident blocks at most */
	uint32_t block_warps;        /* warps of a block */
	uint64_t turn;               /* the warp whose turn it is */
	uint64_t next_block, all_blocks, running;
	/* Formulas asked for last: warps in lock-step ask for the same one after another. */
	struct td_gpu_known {
		struct td_gpu_instr instr;
		uint64_t n; /* UINT64_MAX: none yet */
		bool there;
	} known[TD_GPU_KNOWN];
};

/* Pages of one step of an instruction: a hash table, empty but for slots with its stamp. */
struct td_gpu_set {
	struct td_gpu_slot *slots; /* of gpu_set.h */
	uint32_t room, n, stamp;   /* slots, a power of two; those in use */
};

/* An instruction's last step, in wave mode. */
struct td_gpu_step {
	struct td_gpu_set now, before;
	/* The step did `last`; its pages stay the same while first changes by -down .. up. */
	bool known;
	struct td_gpu_instr last;
	int64_t down, up;
};

/* The blocks that run, in wave mode. */
struct td_gpu_wave {
	uint64_t first, end, all_blocks; /* of the wave: blocks first .. end - 1 */
	uint64_t width, n;               /* blocks of a wave; the next instruction */
	struct td_vec strips;            /* struct td_gpu_strip: the wave's blocks */
	uint32_t strips_n;
	struct td_vec tallies;                   /* struct tally of gpu_touch.c, per event */
	struct td_gpu_step step[TD_GPU_PCS * 2]; /* by pc, reads and writes */
};

struct td_gpu_source {
	struct td_trace_source head;
	struct td_gpu_app *app;
	struct td_gpu_launch launch;
	uint64_t launches; /* begun so far */
	bool running;
	int page_shift; /* log2 of the page size, -1 if that is no power of two */
	uint64_t pages; /* of the whole layout */
	struct td_gpu_ready ready;
	struct td_gpu_exact exact;
	struct td_gpu_wave wave;
	uint64_t random;
};

static inline uint64_t td_gpu_page(const struct td_gpu_source *s, uint64_t address)
{
	return s->page_shift >= 0 ? address >> s->page_shift : address / s->app->page_bytes;
}

/* Blocks that are resident together. */
uint64_t td_gpu_together(const struct td_gpu_machine *m, const struct td_gpu_launch *l);
uint64_t td_gpu_blocks(const struct td_gpu_launch *l); /* of the whole launch */
/* Where a block is; how many from it on lie side by side. */
uint64_t td_gpu_place(const struct td_gpu_launch *l, uint64_t block, uint32_t *bx, uint32_t *by);
int td_gpu_room(struct td_gpu_ready *r, uint32_t n); /* 0 or -ENOMEM */

/* The launch begins; its next events into s->ready: 1, 0 at its end, or an error. */
int td_gpu_exact_begin(struct td_gpu_source *s);
int td_gpu_exact_next(struct td_gpu_source *s);
void td_gpu_exact_free(struct td_gpu_exact *e);
int td_gpu_wave_begin(struct td_gpu_source *s);
int td_gpu_wave_next(struct td_gpu_source *s);
void td_gpu_wave_free(struct td_gpu_wave *w);

#endif
