/* A program in phases: each has its hot region, and the region moves. */
#include <errno.h>

#include "generator.h"
#include "zipf.h"

enum { HOT, PHASES, SHIFT, ROUNDS, ACCESSES, SKEW, WRITES, REFS };

static const struct tide_param params[] = {
	{"hot", TIDE_PARAM_INT, "16384", 1, TD_WORKLOAD_MOST, "pages of a phase's region"},
	{"phases", TIDE_PARAM_INT, "4", 1, TD_WORKLOAD_MOST, "phases, one region each"},
	{"shift", TIDE_PARAM_INT, "0", 0, TD_WORKLOAD_MOST,
	 "pages from one region's beginning to the next one's; 0: side by side"},
	{"rounds", TIDE_PARAM_INT, "2", 1, TD_WORKLOAD_MOST, "rounds over the phases"},
	{"accesses", TIDE_PARAM_INT, "1000000", 1, TD_WORKLOAD_MOST,
	 "accesses of all phases together"},
	{"skew", TIDE_PARAM_REAL, "0.8", 0, 100, "Zipf's, within a region"},
	TD_WORKLOAD_PARAM_WRITES,
	TD_WORKLOAD_PARAM_REFS,
	{0},
};

struct phases {
	struct td_workload_generator g;
	uint64_t hot, phases, shift, turns; /* a turn is one phase in one round */
	uint64_t seed;
	uint64_t turn, left; /* left: accesses of this turn */
	uint64_t random;
	struct td_workload_scatter scatter;
	struct td_workload_zipf law;
};

/* Each turn has its own random numbers, so that the first draw of any is known without the turns
 * before it. */
static uint64_t turn_seed(const struct phases *p, uint64_t turn)
{
	return tide_hash64(p->seed + turn * UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t turn_start(const struct phases *p, uint64_t turn)
{
	return (uint64_t)((unsigned __int128)p->g.head.facts.accesses * turn / p->turns);
}

static void begin(struct phases *p, uint64_t turn)
{
	p->turn = turn;
	p->left = turn_start(p, turn + 1) - turn_start(p, turn);
	p->random = turn_seed(p, turn);
}

static void start(struct td_workload_generator *g)
{
	begin((struct phases *)g, 0);
}

static void fill(struct td_workload_generator *g, struct tide_batch *batch)
{
	struct phases *p = (struct phases *)g;

	for (uint32_t done = 0, n; done < batch->n; done += n) {
		if (p->left == 0)
			begin(p, p->turn + 1);
		n = batch->n - done;
		n = p->left < n ? (uint32_t)p->left : n;
		td_workload_zipf_draw(&p->law, &p->random, batch->page + done, n);
		td_workload_scatter_map(&p->scatter, p->turn % p->phases * p->shift,
					batch->page + done, n);
		p->left -= n;
	}
}

/* The last phase's first access is made one to its highest page, so that the address range is
 * known without a run. */
static void shuffle_ranks(struct phases *p)
{
	uint64_t random = turn_seed(p, p->phases - 1), first;

	td_workload_zipf_draw(&p->law, &random, &first, 1);
	td_workload_scatter_make(&p->scatter, p->hot, p->seed);
	td_workload_scatter_pin(&p->scatter, first, p->hot - 1);
}

static int plan_turns(const union tide_value *v, struct td_workload_plan *plan, uint64_t shift,
		      uint64_t *turns, struct tide_error *err)
{
	uint64_t phases = (uint64_t)v[PHASES].i;

	if (__builtin_mul_overflow(phases, (uint64_t)v[ROUNDS].i, turns) || *turns > plan->accesses)
		return tide_fail(err, -EINVAL,
				 "workload phases: phases times rounds is more than "
				 "accesses: give every phase at least one access");
	if (__builtin_mul_overflow(phases - 1, shift, &plan->range) ||
	    __builtin_add_overflow(plan->range, (uint64_t)v[HOT].i, &plan->range))
		return tide_fail(err, -EINVAL,
				 "workload phases: phases times shift is more than 64 "
				 "bits hold: give fewer phases or a smaller shift");
	plan->last_page = plan->range - 1;
	return 0;
}

static int open(struct td_trace_source **out, const struct td_workload *w,
		const union tide_value *v, uint64_t page_bytes, uint64_t seed,
		struct tide_error *err)
{
	struct td_workload_plan plan = {
		.name = "phases",
		.accesses = (uint64_t)v[ACCESSES].i,
		.pages = TD_UNKNOWN,
		.page_bytes = page_bytes,
		.seed = seed,
		.writes = v[WRITES].r,
		.refs = (uint64_t)v[REFS].i,
	};
	uint64_t shift = (uint64_t)(v[SHIFT].i ? v[SHIFT].i : v[HOT].i), turns;
	struct phases *p;
	void *made;
	int rc = plan_turns(v, &plan, shift, &turns, err);

	(void)w;
	if (!rc)
		rc = td_workload_new(&made, sizeof *p, &plan, err);
	if (rc)
		return rc;
	p = made;
	p->g.fill = fill;
	p->g.start = start;
	p->hot = (uint64_t)v[HOT].i;
	p->phases = (uint64_t)v[PHASES].i;
	p->shift = shift;
	p->turns = turns;
	p->seed = seed;
	td_workload_zipf_make(&p->law, p->hot, v[SKEW].r);
	shuffle_ranks(p);
	return td_workload_ready(out, &p->g);
}

const struct td_workload td_workload_pattern_phases = {
	.name = "phases",
	.paper = "pattern",
	.type = "region moving",
	.summary = "phases with a hot region each, the region moves from phase to phase",
	.params = params,
	.open = open,
};
