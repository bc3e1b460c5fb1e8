/* CACHEUS (Rodriguez, Yusuf, Lyons, Paz, Rangaswami, Liu, Zhao and Narasimhan, FAST 2021): LeCaR
 * with better experts, see experts.h, and a learning rate that adapts.
 *
 * SR-LRU resists scans. New pages enter the queue Q, and the oldest page of Q is its victim. A page
 * that is used in Q, or comes back from a history, enters the queue S. If S is too long, its oldest
 * page is demoted: it enters Q again. A use of a demoted page in Q makes S longer. A page that left
 * as new and comes back makes Q longer.
 *
 *     new -> [ Q ] -> leaves      used in Q -> [ S ]
 *              ^--------- demoted ----------------+
 *
 * CR-LFU resists churn: among the least frequently used pages, the most recently used one leaves.
 *
 * After as many accesses as near memory has pages, the learning rate moves on in its direction if
 * hits became more, and turns if they became fewer. Hits that stay away for ten such periods
 * restart it.
 *
 * Where the paper leaves room, this does what the authors' program does: Q begins with 1% of near
 * memory, each history has half as many pages as near memory, and a page that comes back from a
 * history has the uses that it left with. */
#include "experts.h"

struct learning {
	double rate, first;       /* rate at present, and to restart from */
	double previous, current; /* rates of the last two periods */
	double hit_ratio;         /* of the last period */
	uint64_t period, accesses, hits;
	unsigned without_hits, falling; /* periods */
};

enum { S, Q };

struct cacheus {
	struct experts x;
	struct learning learning;
	struct tide_list queue[2]; /* S and Q; the head is the oldest */
	uint64_t s_pages, q_pages;
	uint64_t demoted, new; /* demoted pages in Q, and new pages in the recency's history */
	uint8_t enters;        /* the queue that the faulting page enters */
	bool filling;          /* it takes room that was never used */
};

static bool before(const void *view, uint32_t a, uint32_t b)
{
	const struct expert_page *x = expert_page(view, a), *y = expert_page(view, b);
	if (x->uses != y->uses)
		return x->uses < y->uses;
	return x->time != y->time ? x->time > y->time : heap_lower_number(view, a, b);
}

static double clamp(double rate)
{
	return rate < 0.001 ? 0.001 : rate > 1 ? 1 : rate;
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct cacheus *s = self;
	uint64_t n = view->near->capacity_pages;
	double rate = sqrt(2 * log(2) / (double)n);
	(void)err;
	experts_init(&s->x, view, before, values[0].r);
	tide_list_init(&s->queue[S]);
	tide_list_init(&s->queue[Q]);
	s->q_pages = (uint64_t)(0.01 * (double)n + 0.5);
	s->q_pages = s->q_pages ? s->q_pages : 1;
	s->s_pages = n - s->q_pages;
	s->learning =
		(struct learning){.rate = rate, .first = clamp(rate), .current = rate, .period = n};
	return 0;
}

/* ---- the learning rate ---- */

static double round3(double x)
{
	return round(x * 1000) / 1000;
}

static void turn_somewhere(struct cacheus *s)
{
	struct learning *l = &s->learning;
	if (l->rate >= 1)
		l->rate = 0.9;
	else if (l->rate <= 0.001)
		l->rate = 0.005;
	else
		l->rate = clamp(l->rate * (experts_chance(&s->x) < 0.5 ? 1.25 : 0.75));
}

/* The rate did not change or the hits did not, and the hits are not more than before. */
static void stuck(struct cacheus *s, double hit_ratio, double change)
{
	struct learning *l = &s->learning;
	l->without_hits += change < 0 || hit_ratio <= 0;
	l->falling += change < 0;
	if (l->without_hits >= 10) {
		l->rate = l->first;
		l->without_hits = 0;
	} else if (change < 0 && l->falling >= 10) {
		l->rate = l->first;
		l->falling = 0;
	} else if (change < 0) {
		turn_somewhere(s);
	}
}

/* Call it at the beginning of every access. */
static void learn(struct cacheus *s)
{
	struct learning *l = &s->learning;
	if (++l->accesses % l->period)
		return;
	double hit_ratio = round3((double)l->hits / (double)l->period);
	double change = round3(hit_ratio - l->hit_ratio);
	double step = round3(l->current) - round3(l->previous), way = step * change;
	if (way > 0)
		l->rate = fmin(l->rate + fabs(l->rate * step), 1);
	else if (way < 0)
		l->rate = fmax(l->rate - fabs(l->rate * step), 0.001);
	if (way > 0 || way < 0) {
		l->without_hits = l->falling = 0;
	} else if (change <= 0) {
		stuck(s, hit_ratio, change);
	}
	l->previous = l->current;
	l->current = l->rate;
	l->hit_ratio = hit_ratio;
	l->hits = 0;
}

/* ---- the queues ---- */

/* A page of S is EXPERTS_HERE, a page of Q is EXPERTS_QUEUED, the next number. */
static void push(struct cacheus *s, uint32_t i, uint8_t to)
{
	expert_page(s->x.view, i)->state = to;
	tide_list_push_tail(&s->queue[to - EXPERTS_HERE], expert_links(s->x.view), i);
}

static void take(struct cacheus *s, uint32_t i)
{
	uint8_t from = expert_page(s->x.view, i)->state;
	tide_list_remove(&s->queue[from - EXPERTS_HERE], expert_links(s->x.view), i);
}

static void demote(struct cacheus *s)
{
	uint32_t i = s->queue[S].head;
	take(s, i);
	push(s, i, EXPERTS_QUEUED);
	expert_page(s->x.view, i)->demoted = true;
	s->demoted++;
}

static void restore(struct cacheus *s, struct expert_page *at)
{
	s->demoted -= at->demoted;
	at->demoted = false;
}

/* How many pages a queue grows by. */
static uint64_t step(uint64_t others, uint64_t own)
{
	uint64_t n = (uint64_t)((double)others / (double)(own ? own : 1) + 0.5);
	return n ? n : 1;
}

static void lengthen_s(struct cacheus *s)
{
	uint64_t n = s->x.view->near->capacity_pages, to = s->s_pages + step(s->new, s->demoted);
	s->s_pages = to < n - 1 ? to : n - 1;
	s->q_pages = n - s->s_pages;
}

static void lengthen_q(struct cacheus *s)
{
	uint64_t n = s->x.view->near->capacity_pages, to = s->q_pages + step(s->demoted, s->new);
	s->q_pages = to < n - 1 ? to : n - 1;
	s->s_pages = n - s->q_pages;
}

static void forget_new(struct cacheus *s, struct expert_page *at, uint8_t history)
{
	s->new -= history == EXPERTS_BY_RECENCY && at->new;
	at->new = false;
}

/* ---- events ---- */

static void come_back(struct cacheus *s, uint32_t i)
{
	struct expert_page *at = expert_page(s->x.view, i);
	uint8_t history = at->state;
	bool was_new = at->new;
	experts_leave_history(&s->x, i);
	forget_new(s, at, history);
	if (was_new && history == EXPERTS_BY_RECENCY)
		lengthen_q(s);
	experts_blame(&s->x, history, s->learning.rate);
	s->enters = EXPERTS_HERE;
}

/* Near memory fills S first, then Q. */
static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct cacheus *s = self;
	(void)p;
	learn(s);
	s->filling = false;
	if (experts_remember(expert_page(s->x.view, c.index))) {
		come_back(s, c.index);
		return;
	}
	bool fills_s = s->queue[S].n < s->s_pages && !s->queue[Q].n;
	bool fills_q = s->x.view->near->free_pages && s->queue[Q].n < s->q_pages;
	s->enters = fills_s ? EXPERTS_HERE : EXPERTS_QUEUED;
	s->filling = fills_s || fills_q;
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct cacheus *s = self;
	struct expert_page *at = expert_page(s->x.view, c.index);
	bool faulted = s->x.view->near->fault_chunk.index == c.index;
	(void)pages;
	if (experts_remember(at)) { /* a prefetched page: nobody is to blame */
		forget_new(s, at, at->state);
		experts_leave_history(&s->x, c.index);
	}
	at->uses += !at->uses;
	at->time = s->x.view->near->time;
	push(s, c.index, faulted ? s->enters : EXPERTS_QUEUED);
	heap_add(&s->x.heap, c.index);
	bool filling = faulted && s->filling;
	at->new = !filling && at->state == EXPERTS_QUEUED;
	while (!filling && s->queue[S].n && s->queue[S].n >= s->s_pages)
		demote(s);
}

static void use_in_q(struct cacheus *s, uint32_t i)
{
	struct expert_page *at = expert_page(s->x.view, i);
	if (at->demoted)
		lengthen_s(s);
	restore(s, at);
	take(s, i);
	if (s->queue[S].n && s->queue[S].n >= s->s_pages)
		demote(s);
	push(s, i, EXPERTS_HERE);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct cacheus *s = self;
	struct expert_page *at = expert_page(s->x.view, c.index);
	(void)p, (void)ref;
	if (s->x.view->near->fault_chunk.index == c.index)
		return;
	learn(s);
	s->learning.hits++;
	at->uses += at->uses < UINT32_MAX;
	at->time = s->x.view->near->time;
	heap_moved(&s->x.heap, c.index);
	if (at->state == EXPERTS_QUEUED)
		use_in_q(s, c.index);
	else
		tide_list_to_tail(&s->queue[S], expert_links(s->x.view), c.index);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct cacheus *s = self;
	struct expert_page *at = expert_page(s->x.view, c.index);
	(void)what;
	take(s, c.index);
	restore(s, at);
	uint32_t forgotten = experts_enter_history(&s->x, c.index);
	if (forgotten != TIDE_NIL)
		forget_new(s, expert_page(s->x.view, forgotten), at->state);
	s->new += at->state == EXPERTS_BY_RECENCY && at->new;
}

static tide_chunk pick_victim(void *self)
{
	struct cacheus *s = self;
	uint32_t i = experts_oldest(&s->x, &s->queue[Q]);
	return experts_pick(&s->x, i != TIDE_NIL ? i : experts_oldest(&s->x, &s->queue[S]));
}

static void report(void *self, const struct tide_report *r)
{
	const struct cacheus *s = self;
	r->real(r->to, "weight_sr_lru", s->x.recency);
	r->real(r->to, "learning_rate", s->learning.rate);
}

static const struct tide_param params[] = {
	{"history", TIDE_PARAM_REAL, "50", 0, 1000,
	 "size of each history, per cent of near memory"},
	{0},
};

const struct tide_policy td_policy_evict_cacheus = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "cacheus",
	.role = TIDE_EVICT,
	.summary = "learns whether a scan-resistant lru or a churn-resistant lfu names the victim",
	.paper = "CACHEUS, FAST 2021",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES,
	.params = params,
	.state_bytes = sizeof(struct cacheus),
	.chunk_bytes = sizeof(struct expert_page),
	.create = create,
	.on_fault = on_fault,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.report = report,
};
