/* Loops of instructions in wave mode: after two rounds of a loop it is known how every instruction
 * moves on, so that the formulas need not be asked again, and rounds in which none of them can
 * leave its pages need not be done at all. */
#include "gpu_run.h"

static bool is_in_loop(const struct td_gpu_launch *l, uint64_t n)
{
	return l->loop && l->loop <= TD_GPU_LOOP && n >= l->loop_from &&
	       n - l->loop_from < l->loop * l->rounds * l->loops;
}

/* Where the wave's next instruction is in a loop. */
static void find_place(const struct td_gpu_source *s, struct td_gpu_loop *loop)
{
	const struct td_gpu_launch *l = &s->launch;

	if (s->wave.n == l->loop_from)
		loop->at = loop->round = loop->quiet = 0;
	if (loop->at == l->loop) {
		loop->at = 0;
		loop->round = loop->round + 1 == l->rounds ? 0 : loop->round + 1;
		loop->quiet = loop->round ? loop->quiet : 0;
	}
}

struct td_gpu_instr *td_gpu_loop_next(struct td_gpu_source *s, struct td_gpu_instr *out,
				      struct td_gpu_body **body)
{
	struct td_gpu_loop *loop = &s->wave.loop;

	*body = NULL;
	if (!is_in_loop(&s->launch, s->wave.n))
		return s->launch.instr(s->app, &s->launch, s->wave.n, out) ? out : NULL;
	find_place(s, loop);
	struct td_gpu_body *b = *body = &loop->body[loop->at++];
	if (loop->round >= 2) {
		b->instr.first += b->by;
		return &b->instr;
	}
	if (!s->launch.instr(s->app, &s->launch, s->wave.n, out))
		return NULL;
	if (loop->round == 0)
		b->turn = 0;
	b->by = loop->round ? out->first - b->instr.first : 0;
	b->instr = *out;
	return &b->instr;
}

/* Rounds after this one in which no instruction leaves its pages. */
static uint64_t rounds_alike(const struct td_gpu_source *s)
{
	const struct td_gpu_loop *loop = &s->wave.loop;
	uint64_t rounds = s->launch.rounds - 1 - loop->round;

	for (uint64_t k = 0; k < s->launch.loop && rounds; k++) {
		const struct td_gpu_body *b = &loop->body[k];
		int64_t left = b->by < 0 ? b->instr.first - b->from : b->to - b->instr.first;
		uint64_t by = (uint64_t)(b->by < 0 ? -b->by : b->by);
		if (by && (uint64_t)left / by < rounds)
			rounds = (uint64_t)left / by;
	}
	return rounds;
}

void td_gpu_loop_quiet(struct td_gpu_source *s)
{
	struct td_gpu_loop *loop = &s->wave.loop;
	uint64_t length = s->launch.loop;

	if (++loop->quiet < length || loop->at < length || loop->round == 0)
		return;
	uint64_t rounds = rounds_alike(s);
	for (uint64_t k = 0; k < length && rounds; k++) {
		loop->body[k].instr.first += (int64_t)rounds * loop->body[k].by;
		s->wave.work += rounds * (uint64_t)loop->body[k].instr.times;
	}
	loop->round += rounds;
	s->wave.n += rounds * length;
	loop->quiet = 0;
}
