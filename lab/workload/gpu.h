/* Kernels of a GPU as events.
 *
 * An application is arrays, a sequence of launches, and per launch what its threads access, written
 * in one of two ways:
 *
 *   instr  the n-th instruction as an affine formula of block and thread: regular kernels. The
 *          machinery makes warps of it (exact mode) or whole waves of blocks (wave mode).
 *   body   a function that gives a warp's next access and keeps the warp's variables: kernels
 *          whose accesses depend on data.
 *
 * Exact mode runs the resident blocks in lock-step, one warp instruction per warp in turn, and
 * coalesces the lanes of an instruction to pages. Wave mode lets the blocks that run together walk
 * in step and gives each page of an instruction once for all of them. */
#ifndef TD_WORKLOAD_GPU_H
#define TD_WORKLOAD_GPU_H

#include "workload/generator.h"

#define TD_GPU_LANES 32
#define TD_GPU_MOST 0x1p40 /* bound of dimensions in parameter tables */
#define TD_GPU_ARRAYS 96
#define TD_GPU_PCS 64
#define TD_GPU_LOOP 64 /* instructions of a round that are kept: longer loops are not used */

/* What a paper ran on: how many blocks run together, how arrays are aligned, and in which pages it
 * counts. */
struct td_gpu_machine {
	unsigned sms, blocks_per_sm, threads_per_sm;
	uint64_t align_bytes, page_bytes;
	/* Its footprints are taken as what is allocated, not what is touched. */
	bool counts_allocated;
};

extern const struct td_gpu_machine td_gpu_cppe, td_gpu_observuvm, td_gpu_gmt;

struct td_gpu_array {
	const char *name;
	uint64_t bytes;
	uint64_t base; /* set by the machinery: arrays in listed order, aligned */
};

struct td_gpu_app;
struct td_gpu_launch;
struct td_gpu_warp;
struct td_gpu_ready; /* of gpu_run.h */

/* One instruction of all threads of a launch. With x = x_first + bx * x_step + tx, and y likewise
 * (see the launch), a thread accesses byte
 *
 *     first + x * per_x + y * per_y + bx * per_bx + by * per_by
 *
 * of the array, if it takes part: from <= tx < to, and so on. td_gpu_instr() fills in that all
 * threads do whose x and y lie inside the launch's. A tile that takes its threads several
 * instructions is one of these as well: it is done `times` times, with x and y further by
 * x_per_time and y_per_time each time; wave mode counts it as one step. */
struct td_gpu_instr {
	uint16_t array;
	uint8_t pc;
	bool write;
	bool barrier; /* __syncthreads(), and nothing else */
	/* The next one is the same instruction for other warps: where one formula is not enough. */
	bool more;
	int64_t first, per_x, per_y, per_bx, per_by;
	int64_t tx_from, tx_to, ty_from, ty_to;
	int64_t x_from, x_to, y_from, y_to;
	int64_t times, x_per_time, y_per_time;
	int64_t by_period, by_from, by_to; /* by % period is from .. to - 1; period 0: any by */
};

/* Do the blocks of a row of the grid take part? */
static inline bool td_gpu_row_has(const struct td_gpu_instr *i, int64_t by)
{
	int64_t at = i->by_period ? by % i->by_period : 0;

	return !i->by_period || (at >= i->by_from && at < i->by_to);
}

/* One instruction of one warp: rows of lanes, lane l of row r at byte
 * first + l * lane_bytes + r * row_bytes of the array; or, where gather is set, lane l at
 * warp->gather[l]. */
struct td_gpu_access {
	uint16_t array;
	uint8_t pc;
	bool write, barrier, gather;
	bool joined; /* for exact mode: its first page is in the event before */
	uint8_t lanes, rows;
	uint16_t again; /* it is repeated so often, on the same pages */
	uint64_t first;
	int64_t lane_bytes, row_bytes;
};

struct td_gpu_launch {
	const char *kernel;
	uint32_t grid_x, grid_y;   /* blocks; linear order is x fastest */
	uint32_t block_x, block_y; /* threads; a warp is 32 in linear order, x fastest */
	/* instr: where the threads are; x_to 0: no clipping. td_gpu_grid() sets these. */
	int64_t x_first, x_step, x_from, x_to;
	int64_t y_first, y_step, y_from, y_to;
	int64_t arg[8];  /* the application's own: which buffer, which level */
	uint32_t per_sm; /* blocks that fit a multiprocessor, where registers limit them; 0: not */
	/* Where the linear order is another one, or the grid is no rectangle: how many blocks there
	 * are, and where each is. The result says how many blocks from this one on lie side by
	 * side: the same by, and bx one more each. */
	uint64_t blocks;
	uint64_t (*place)(const struct td_gpu_launch *l, uint64_t block, uint32_t *bx,
			  uint32_t *by);
	/* The n-th instruction; false: the threads have ended. */
	bool (*instr)(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
		      struct td_gpu_instr *out);
	/* Wave mode: from instruction loop_from on there are `loops` loops of `rounds` rounds of
	 * `loop` instructions each. An instruction is like that of the round before but for
	 * `first`, which moves on by as much every time. It has no `more`. */
	uint64_t loop_from, loop, rounds, loops;
	/* Wave mode, for instructions of instr that have no formula: the pages of the n-th one that
	 * blocks first .. end - 1 were not on already, as events. 1: done; 0: it has a formula; or
	 * an error. */
	int (*gathered)(struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
			uint64_t first, uint64_t end, struct td_gpu_ready *out);
	/* A warp's next access; false: the warp has ended. Exact mode takes this where it is, and
	 * else the instructions above. May change the application's data: warps run in the order of
	 * their turns, as on the machine. */
	bool (*body)(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out);
};

/* A resident warp. */
struct td_gpu_warp {
	const struct td_gpu_launch *launch;
	uint32_t block, bx, by;
	uint16_t warp; /* in its block */
	uint8_t lanes; /* 32, fewer in a block's last */
	bool waiting, ended;
	bool over;     /* has nothing more, and ends after its rest */
	uint64_t rest; /* turns to sit out: those of instructions merged into the last event */
	int at;        /* where the body goes on; see WARP_BEGIN */
	int64_t v[12]; /* the body's variables, 0 at first */
	uint64_t n;    /* instr: the next one */
	int64_t time;  /* and how many times it was done */
	uint64_t gather[TD_GPU_LANES];
};

/* Index of a warp's first thread in its block, and of a lane's in the grid of one dimension. */
static inline uint32_t td_gpu_thread(const struct td_gpu_warp *w, unsigned lane)
{
	return (uint32_t)w->warp * TD_GPU_LANES + lane;
}

static inline uint64_t td_gpu_global(const struct td_gpu_warp *w, unsigned lane)
{
	return (uint64_t)w->block * w->launch->block_x * w->launch->block_y +
	       td_gpu_thread(w, lane);
}

/* A body is written as straight code: it leaves at every GIVE and goes on after it when it is
 * called next, so its variables live in w->v. One GIVE per line; no switch around one.
 *
 *     WARP_BEGIN(w)
 *     for (w->v[0] = 0; w->v[0] < n; w->v[0]++)
 *             GIVE(w, out, td_gpu_row(0, A, READ, ...));
 *     WARP_END */
#define WARP_BEGIN(w) \
	switch ((w)->at) { \
	case 0:
#define WARP_END \
	} \
	return false
#define GIVE(w, out, access) \
	do { \
		(w)->at = __LINE__; \
		*(out) = (access); \
		return true; \
	case __LINE__:; \
	} while (0)

enum { TD_GPU_READ, TD_GPU_WRITE };

/* Lanes side by side, lane_bytes apart. */
static inline struct td_gpu_access td_gpu_row(unsigned pc, unsigned array, bool write,
					      uint64_t first, int64_t lane_bytes, unsigned lanes)
{
	return (struct td_gpu_access){.array = (uint16_t)array,
				      .pc = (uint8_t)pc,
				      .write = write,
				      .lanes = (uint8_t)lanes,
				      .rows = 1,
				      .first = first,
				      .lane_bytes = lane_bytes};
}

/* Lanes wherever w->gather says. */
static inline struct td_gpu_access td_gpu_gather(unsigned pc, unsigned array, bool write,
						 unsigned lanes)
{
	return (struct td_gpu_access){.array = (uint16_t)array,
				      .pc = (uint8_t)pc,
				      .write = write,
				      .gather = true,
				      .lanes = (uint8_t)lanes,
				      .rows = 1};
}

static inline struct td_gpu_access td_gpu_barrier(void)
{
	return (struct td_gpu_access){.barrier = true};
}

/* A launch of so many blocks and threads; the caller sets instr or body, and arg. */
struct td_gpu_launch td_gpu_grid(const char *kernel, uint64_t grid_x, uint64_t grid_y,
				 uint32_t block_x, uint32_t block_y);
/* Clips x and y to 0 .. nx - 1 and 0 .. ny - 1. */
void td_gpu_clip(struct td_gpu_launch *l, int64_t nx, int64_t ny);

/* Says that there are loops, see the launch. */
static inline void td_gpu_loops(struct td_gpu_launch *l, uint64_t from, uint64_t loop,
				uint64_t rounds, uint64_t loops)
{
	l->loop_from = from;
	l->loop = loop;
	l->rounds = rounds;
	l->loops = loops;
}

/* Called for every instruction. All fields are named: where an initialiser leaves some out, gcc
 * clears the whole by a slow loop first. */
static inline struct td_gpu_instr td_gpu_instr(const struct td_gpu_launch *l, unsigned pc,
					       unsigned array, bool write, int64_t first,
					       int64_t per_x, int64_t per_y)
{
	return (struct td_gpu_instr){.array = (uint16_t)array,
				     .pc = (uint8_t)pc,
				     .write = write,
				     .barrier = false,
				     .more = false,
				     .first = first,
				     .per_x = per_x,
				     .per_y = per_y,
				     .per_bx = 0,
				     .per_by = 0,
				     .tx_from = 0,
				     .tx_to = l->block_x,
				     .ty_from = 0,
				     .ty_to = l->block_y,
				     .x_from = l->x_from,
				     .x_to = l->x_to,
				     .y_from = l->y_from,
				     .y_to = l->y_to,
				     .times = 1,
				     .x_per_time = 0,
				     .y_per_time = 0,
				     .by_period = 0,
				     .by_from = 0,
				     .by_to = 0};
}

/* An application that runs. Small ones keep their dimensions in p; others embed it as the first
 * member of a struct of their own. */
struct td_gpu_app {
	const char *name;
	const struct td_gpu_machine *machine;
	unsigned arrays;
	struct td_gpu_array array[TD_GPU_ARRAYS];
	int64_t p[24];   /* dimensions, as the application numbers them */
	bool wave;       /* wave mode; only where every launch has instr */
	bool by_data;    /* how many launches there are depends on what they compute */
	uint64_t jitter; /* rounds by which SMs start apart at most */
	uint64_t page_bytes, seed;
	/* Launch i, called once for each in order; false: that was the last. */
	bool (*launch)(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out);
	void (*restart)(struct td_gpu_app *app); /* data back to the beginning; NULL: none */
	void (*release)(struct td_gpu_app *app); /* frees data; NULL: none */
};

unsigned td_gpu_add(struct td_gpu_app *app, const char *name, uint64_t bytes); /* its number */

/* A row of the table of applications. */
struct td_gpu_workload {
	struct td_workload head;
	const struct td_gpu_machine *machine;
	size_t app_bytes; /* its struct, which begins with struct td_gpu_app; 0: that alone */
	int (*setup)(struct td_gpu_app *app, const union tide_value *values,
		     struct tide_error *err);
};

/* What the heads of all rows have in common. */
#define TD_GPU_WORKLOAD .kind = &td_gpu_kind, .open = td_gpu_open

extern const struct td_workload_kind td_gpu_kind;

/* Opens an application: its struct is zeroed, gets the parameters mode and jitter where its table
 * has them, is set up by its row's setup(), which checks the other parameters, adds the arrays and
 * sets launch and what else it needs, and is made a source. On an error everything is released. */
int td_gpu_open(struct td_trace_source **out, const struct td_workload *w,
		const union tide_value *values, uint64_t page_bytes, uint64_t seed,
		struct tide_error *err);

/* The application behind a source; NULL: it is none of these. */
struct td_gpu_app *td_gpu_of(struct td_trace_source *s);

/* Rows of parameter tables, and a dimension times the scale: the footprint grows by about scale
 * where so many dimensions grow together. At least least, and a multiple of unit. */
#define TD_GPU_PARAM_SCALE \
	{ \
		"scale", TIDE_PARAM_REAL, "1", 1e-6, 1e6, \
			"size of the data, relative to the paper's" \
	}
#define TD_GPU_PARAM_JITTER \
	{ \
		"jitter", TIDE_PARAM_INT, "0", 0, 1000000, \
			"turns by which multiprocessors start apart, at most" \
	}
#define TD_GPU_PARAM_MODE \
	{ \
		"mode", TIDE_PARAM_TEXT, "wave", 0, 0, \
			"wave (blocks in step) or exact (every warp)" \
	}
/* The same for applications that run exactly unless asked. */
#define TD_GPU_PARAM_MODE_EXACT \
	{ \
		"mode", TIDE_PARAM_TEXT, "exact", 0, 0, \
			"exact (every warp) or wave (blocks in step)" \
	}
/* The tables of applications that have these three and no more. */
enum { TD_GPU_SCALE };
extern const struct tide_param td_gpu_params_wave[], td_gpu_params_exact[];
int64_t td_gpu_scaled(int64_t full, double scale, unsigned dimensions, int64_t unit, int64_t least);
/* The same into *out, or an error where it would be less than one unit. */
int td_gpu_size(const struct td_gpu_app *app, int64_t *out, int64_t full, double scale,
		unsigned dimensions, int64_t unit, struct tide_error *err);
/* An error where a launch would have more blocks than their numbers in events hold. */
int td_gpu_fits(const struct td_gpu_app *app, double blocks, struct tide_error *err);

#endif
