/* LeCaR (Vietri, Rodriguez, Martinez, Lyons, Liu, Rangaswami, Zhao and Narasimhan, HotStorage
 * 2018). LRU and LFU are experts, see experts.h. If a page comes back t accesses after it left, the
 * expert that advised it loses weight by the factor e^-(rate * d^t), with d = 0.005^(1 / pages of
 * near memory).
 *
 * Where the paper leaves room, this does what the authors' program does. Each history has half as
 * many pages as near memory. A page that both experts name enters no history. A page that comes
 * back from a history keeps its uses. Weights stay between 0.01 and 0.99. Among the least
 * frequently used pages, the lowest chunk number leaves. */
#include "experts.h"

struct lecar {
	struct experts x;
	struct tide_list recent; /* resident pages; the head is the least recently used */
	double rate, log_discount;
};

static bool before(const void *view, uint32_t a, uint32_t b)
{
	const struct expert_page *x = expert_page(view, a), *y = expert_page(view, b);
	return x->uses != y->uses ? x->uses < y->uses : heap_lower_number(view, a, b);
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct lecar *s = self;
	(void)err;
	experts_init(&s->x, view, before, values[1].r);
	tide_list_init(&s->recent);
	s->rate = values[0].r;
	s->log_discount = log(0.005) / (double)view->near->capacity_pages;
	return 0;
}

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct lecar *s = self;
	const struct expert_page *at = expert_page(s->x.view, c.index);
	(void)p;
	if (!experts_remember(at))
		return;
	double age = (double)(s->x.view->near->time - at->time);
	experts_blame(&s->x, at->state, s->rate * exp(s->log_discount * age));
	experts_leave_history(&s->x, c.index);
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct lecar *s = self;
	struct expert_page *at = expert_page(s->x.view, c.index);
	(void)pages;
	if (experts_remember(at))
		experts_leave_history(&s->x, c.index);
	at->state = EXPERTS_HERE;
	tide_list_push_tail(&s->recent, expert_links(s->x.view), c.index);
	heap_add(&s->x.heap, c.index);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct lecar *s = self;
	struct expert_page *at = expert_page(s->x.view, c.index);
	(void)p, (void)ref;
	at->uses += at->uses < UINT32_MAX;
	at->time = s->x.view->near->time;
	tide_list_to_tail(&s->recent, expert_links(s->x.view), c.index);
	heap_moved(&s->x.heap, c.index);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct lecar *s = self;
	(void)what;
	tide_list_remove(&s->recent, expert_links(s->x.view), c.index);
	experts_enter_history(&s->x, c.index);
}

static tide_chunk pick_victim(void *self)
{
	struct lecar *s = self;
	return experts_pick(&s->x, experts_oldest(&s->x, &s->recent));
}

static void report(void *self, const struct tide_report *r)
{
	const struct lecar *s = self;
	r->real(r->to, "weight_lru", s->x.recency);
}

static const struct tide_param params[] = {
	{"rate", TIDE_PARAM_REAL, "0.45", 0, 100, "learning rate"},
	{"history", TIDE_PARAM_REAL, "50", 0, 1000,
	 "size of each history, per cent of near memory"},
	{0},
};

const struct tide_policy td_policy_evict_lecar = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "lecar",
	.role = TIDE_EVICT,
	.summary = "learns from regret whether lru or lfu names the victim",
	.paper = "LeCaR, HotStorage 2018",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES,
	.params = params,
	.state_bytes = sizeof(struct lecar),
	.chunk_bytes = sizeof(struct expert_page),
	.create = create,
	.on_fault = on_fault,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.report = report,
};
