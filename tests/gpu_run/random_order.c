/* Who waits for whom. A buffer knows which lane wrote it last and which read it since. */
#include "random.h"

/* The default stream and the blocking ones wait for each other without being told. */
static bool in_order(const struct thread *t, int a, int b)
{
	enum lane_kind x = t->lanes[a].kind, y = t->lanes[b].kind;
	return a == b || (x == LANE_LEGACY && y != LANE_FREE) ||
	       (y == LANE_LEGACY && x != LANE_FREE);
}

static void wait_for(struct thread *t, int lane, int other, cu_event event)
{
	if (!in_order(t, lane, other))
		ON(t, lane, cuStreamWaitEvent, t->lanes[lane].stream, event, 0);
}

void random_reads(struct thread *t, int lane, struct buffer *b, bool after)
{
	if (!after && b->writer >= 0)
		wait_for(t, lane, b->writer, b->written);
	if (after) {
		ON(t, lane, cuEventRecord, b->was_read[lane], t->lanes[lane].stream);
		b->readers |= 1u << lane;
	}
}

void random_writes(struct thread *t, int lane, struct buffer *b, bool after)
{
	if (after) {
		ON(t, lane, cuEventRecord, b->written, t->lanes[lane].stream);
		b->writer = lane;
		b->readers = 0;
		return;
	}
	random_reads(t, lane, b, false);
	for (int other = 0; other < LANES; other++)
		if (b->readers & 1u << other)
			wait_for(t, lane, other, b->was_read[other]);
}

static void both(struct thread *t, int lane, const struct step *s, bool after)
{
	for (int i = 0; i < s->inputs; i++)
		random_reads(t, lane, s->in[i].buffer, after);
	if (s->table)
		random_reads(t, lane, s->table, after);
	random_writes(t, lane, s->out.buffer, after);
}

void random_before(struct thread *t, int lane, const struct step *s)
{
	both(t, lane, s, false);
}

void random_after(struct thread *t, int lane, const struct step *s)
{
	both(t, lane, s, true);
}
