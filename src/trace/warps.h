/* A source as warps. A mechanism with a clock asks each warp for its next instruction. A warp that
 * waits for a page does not hold up the others, so the mechanism decides the order of accesses.
 *
 *     application, exact mode   the resident warps of all multiprocessors
 *     application, wave mode    one warp, which stands for all of them in step
 *     trace, plain pattern      one warp, one access at a time
 */
#ifndef TD_TRACE_WARPS_H
#define TD_TRACE_WARPS_H

#include "source.h"

/* One page of an instruction. */
struct td_gpu_event {
	uint64_t page;
	uint64_t order; /* wave mode: the events of a step are sorted by it */
	uint32_t block, count;
	uint16_t warp;
};

/* How many blocks run together; all 0: as the application's paper has it. */
struct td_warps_machine {
	unsigned sms, blocks_per_sm, threads_per_sm;
};

/* What runs until the next launch. A place runs one block after another. Its warps are
 * place * place_warps and following. */
struct td_warps_launch {
	uint64_t number; /* 0 is the first */
	uint32_t places, place_warps;
	/* How many warps of the machine each of these stands for; in wave mode: all that run. */
	uint64_t stands_for;
};

struct td_warps_turn {
	const struct td_gpu_event *at; /* n pages; valid until the next turn of any warp */
	uint32_t n;
	bool write;
	uint64_t ref, stream;
	uint16_t array;
	/* Rounds until the warp's next turn. Instructions that were merged into this one, or that
	 * touch nothing new, take time too. */
	uint64_t rounds;
	/* A barrier opened in this warp's place, or a block ended there and another began. Ask all
	 * warps of the place for their state. Warps that go on do so in the next round. */
	bool changed;
};

enum td_warps_state { TD_WARPS_READY, TD_WARPS_WAITING, TD_WARPS_ENDED };

struct td_warps;

/* What a source with kernels (struct td_trace_source_ops) implements. */
struct td_warps_ops {
	int (*open)(struct td_warps **out, struct td_trace_source *source,
		    const struct td_warps_machine *machine, struct tide_error *err);
	void (*close)(struct td_warps *w);
	/* The next launch: 1, or 0 after the last, or an error. Call it only when the launch before
	 * has ended. */
	int (*launch)(struct td_warps *w, struct td_warps_launch *out, struct tide_error *err);
	bool (*running)(const struct td_warps *w);
	/* How many rounds later than the others a place starts. */
	uint64_t (*delay)(const struct td_warps *w, uint32_t place);
	enum td_warps_state (*state)(const struct td_warps *w, uint32_t warp);
	/* A ready warp's turn. Before the call, out is {.rounds = 1}. */
	int (*turn)(struct td_warps *w, uint32_t warp, struct td_warps_turn *out,
		    struct tide_error *err);
};

/* The head of every kind of warps. */
struct td_warps {
	const struct td_warps_ops *ops;
};

/* The caller keeps the source. As long as the warps are open, it reads the source only through
 * them. */
int td_warps_open(struct td_warps **out, struct td_trace_source *source,
		  const struct td_warps_machine *machine, struct tide_error *err);
void td_warps_close(struct td_warps *w); /* NULL is fine */

static inline int td_warps_launch(struct td_warps *w, struct td_warps_launch *out,
				  struct tide_error *err)
{
	return w->ops->launch(w, out, err);
}

static inline bool td_warps_running(const struct td_warps *w)
{
	return w->ops->running(w);
}

static inline uint64_t td_warps_delay(const struct td_warps *w, uint32_t place)
{
	return w->ops->delay(w, place);
}

static inline enum td_warps_state td_warps_state(const struct td_warps *w, uint32_t warp)
{
	return w->ops->state(w, warp);
}

static inline int td_warps_turn(struct td_warps *w, uint32_t warp, struct td_warps_turn *out,
				struct tide_error *err)
{
	*out = (struct td_warps_turn){.rounds = 1};
	return w->ops->turn(w, warp, out, err);
}

#endif
