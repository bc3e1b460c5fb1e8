/* The turns of warps: a heap by time, then by the warp's number. */
#ifndef TD_MECH_SIM_TIMED_QUEUE_H
#define TD_MECH_SIM_TIMED_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct td_timed_turn {
	uint64_t time;
	uint32_t warp;
};

struct td_timed_queue {
	struct td_timed_turn *at;
	uint32_t n;
};

static inline bool td_queue_before(struct td_timed_turn a, struct td_timed_turn b)
{
	return a.time < b.time || (a.time == b.time && a.warp < b.warp);
}

/* There is room for every warp once. */
static inline void td_queue_push(struct td_timed_queue *q, uint64_t time, uint32_t warp)
{
	struct td_timed_turn turn = {time, warp};
	uint32_t i = q->n++;

	for (; i && td_queue_before(turn, q->at[(i - 1) / 4]); i = (i - 1) / 4)
		q->at[i] = q->at[(i - 1) / 4];
	q->at[i] = turn;
}

static inline struct td_timed_turn td_queue_pop(struct td_timed_queue *q)
{
	struct td_timed_turn top = q->at[0], last = q->at[--q->n];
	uint32_t i = 0;

	for (;;) {
		uint32_t least = i * 4 + 1, end = least + 4 < q->n ? least + 4 : q->n;
		if (least >= q->n)
			break;
		for (uint32_t k = least + 1; k < end; k++) {
			if (td_queue_before(q->at[k], q->at[least]))
				least = k;
		}
		if (!td_queue_before(q->at[least], last))
			break;
		q->at[i] = q->at[least];
		i = least;
	}
	q->at[i] = last;
	return top;
}

#endif
