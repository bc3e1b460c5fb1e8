/* Between the files of the GPU machinery: what runs a launch. */
#ifndef TD_WORKLOAD_GPU_RUN_H
#define TD_WORKLOAD_GPU_RUN_H

#include "gpu.h"
#include "tide/vec.h"
#include "trace/warps.h"

/* Implements trace/warps.h. */
extern const struct td_warps_ops td_gpu_warps;

/* Events that wait for room in a batch, or are taken by a warp's turn: those of one instruction. */

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
	uint64_t delayed;            /* blocks that have not started for that */
	uint32_t warps_room, blocks; /* resident blocks at most */
	uint32_t block_warps;        /* warps of a block */
	uint64_t turn;               /* the warp whose turn it is */
	uint64_t next_block, all_blocks, running;
	uint64_t changes; /* times that a barrier opened or a block began */
	/* Formulas asked for last: warps in lock-step ask for the same one after another. */
	struct td_gpu_known {
		struct td_gpu_instr instr;
		uint64_t n; /* UINT64_MAX: none yet */
		bool there;
	} known[TD_GPU_KNOWN];
};

/* Pages that an instruction is on, and by how many leaves: a hash table, of gpu_set.h. */
struct td_gpu_set {
	struct td_gpu_slot *slots;
	uint32_t bits, n; /* 2^bits slots, 0: none yet; those in use */
	uint32_t stamp;   /* of slots in use */
	uint32_t base;    /* number of the step's first event */
};

/* Leaves in the order in which an end of theirs comes to the end of a page, as all move up. */
struct td_gpu_queue {
	struct tide_vec order; /* struct td_gpu_turn */
	uint32_t next;
	int64_t lap; /* bytes: whole pages since they were sorted */
};

/* An instruction's last step, in wave mode. */
struct td_gpu_step {
	struct td_gpu_set set;
	struct tide_vec now, before; /* struct td_gpu_leaf of gpu_touch.h */
	uint32_t now_n, before_n;
	/* The step did `last`; its pages stay the same while first changes by -down .. up. */
	bool known;
	uint64_t turn;                  /* times that its leaves were moved, in all */
	const struct td_gpu_body *body; /* `last` is of that instruction of a loop; NULL: of none */
	bool unmade;    /* it was the wave's first, whose leaves are made if there is another */
	bool once;      /* the wave before had one step at most */
	uint64_t steps; /* of this one */
	struct td_gpu_instr last;
	int64_t down, up;
	int64_t whole; /* leaves are as good only where moved by a multiple of so many bytes */
	/* The leaves of now are where they were `moved` bytes ago, and sorted. */
	bool sorted;
	int64_t moved;
	struct td_gpu_queue top, bottom;
};

/* An instruction of a loop. */
struct td_gpu_body {
	struct td_gpu_instr instr; /* of its last round */
	int64_t by;                /* `first` moves on by that */
	/* When the wave last was where it says: its pages stay the same while first is from .. to,
	 * and nothing moves as long as the step is at the same turn. */
	uint64_t turn;
	int64_t from, to;
};

struct td_gpu_loop {
	struct td_gpu_body body[TD_GPU_LOOP];
	uint64_t at, round; /* the next instruction, and its round */
	uint64_t quiet;     /* instructions in a row at which nothing moved */
};

/* The blocks that run, in wave mode. */
struct td_gpu_wave {
	uint64_t first, end, all_blocks; /* of the wave: blocks first .. end - 1 */
	uint64_t width, n;               /* blocks of a wave; the next instruction */
	uint64_t rounds;                 /* instructions done since the launch began */
	uint64_t work;                   /* of each of its warps: instructions so far */
	uint64_t instructions;           /* of all warps, of earlier waves and launches too */
	struct tide_vec strips;          /* struct td_gpu_strip: the wave's blocks */
	uint32_t strips_n;
	struct tide_vec tallies; /* struct tally of gpu_touch.c, per event */
	struct tide_vec parts;   /* struct td_gpu_instr: of the step */
	struct tide_vec moving;  /* uint32_t: leaves that are on new pages */
	struct tide_vec scratch; /* of sorting */
	struct td_gpu_loop loop;
	bool used[TD_GPU_PCS * 2];
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
	/* First pages of the arrays and of what lies between them, each page once. */
	uint64_t allocations[2 * TD_GPU_ARRAYS];
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
/* The next launch begins: 1, 0 if that was the last, or an error. */
int td_gpu_begin(struct td_gpu_source *s);

/* The launch begins; its next events into s->ready: 1, 0 at its end, or an error. */
int td_gpu_exact_begin(struct td_gpu_source *s);
int td_gpu_exact_next(struct td_gpu_source *s);
/* The turn of one warp, at any time: does it give events? */
bool td_gpu_exact_turn(struct td_gpu_source *s, uint32_t warp);
void td_gpu_exact_free(struct td_gpu_exact *e);
/* Wave mode's next instruction, from a loop (then *body is set) or from the formula into *out.
 * NULL: there is none. */
struct td_gpu_instr *td_gpu_loop_next(struct td_gpu_source *s, struct td_gpu_instr *out,
				      struct td_gpu_body **body);
/* Nothing moved at the last instruction, which was of a loop: leaves out rounds that are alike. */
void td_gpu_loop_quiet(struct td_gpu_source *s);
int td_gpu_wave_begin(struct td_gpu_source *s);
int td_gpu_wave_next(struct td_gpu_source *s);
void td_gpu_wave_free(struct td_gpu_wave *w);

#endif
