/* The queue that policies decide about. An engine hears of each access, and says at once what comes
 * and what leaves. The pool carries that out when it can: a page that is pinned leaves later. So
 * the engine's decisions depend on the accesses alone, and the simulator makes the same ones from a
 * recorded pool.
 *
 *   p->main     what leaves for tier 2 or 3, or is new to the engine | what the engine has in tier
 * 1 p->device   what leaves for tier 3                               | what it has in tier 2
 *
 * A page that leaves may be accessed before it is gone. For the engine that is a fault, whose page
 * comes; for the pool it is a hit. */
#include <errno.h>

#include "core/clock.h"
#include "queue.h"

/* ---- pages and blocks ---- */

static tide_chunk chunk_of(uint64_t page)
{
	return (tide_chunk){(uint32_t)page};
}

/* The page that the block is of: there is just one, since nothing is shared. */
static unsigned tier_of(const struct td_pool *p, uint32_t b)
{
	td_assert(p->blocks[b].owner < p->pages);
	return td_engine_tier(p->engine, chunk_of(p->blocks[b].owner)).number;
}

static void to_head(struct td_pool *p, struct tide_list *list, uint32_t b)
{
	tide_list_remove(list, td_pool_links(p), b);
	tide_list_push_head(list, td_pool_links(p), b);
}

/* ---- what the engine decides ---- */

static void come(void *arg, tide_chunk c, uint64_t pages, uint64_t fault_bit, tide_tier from)
{
	struct td_pool *p = arg;
	uint32_t b = td_pool_resolve(p, c.index);
	(void)pages, (void)fault_bit, (void)from;
	td_assert(b != TIDE_NIL && td_pool_word(p, b) & TD_MAIN);
	tide_list_to_tail(&p->main, td_pool_links(p), b);
}

static void leave(void *arg, tide_chunk c, const struct td_lanes *was, tide_tier to)
{
	struct td_pool *p = arg;
	uint32_t b = td_pool_resolve(p, c.index);
	(void)was, (void)to;
	td_assert(b != TIDE_NIL && td_pool_word(p, b) & TD_MAIN);
	to_head(p, &p->main, b);
}

/* It may be on its way to the device, or from it. */
static void spill(void *arg, tide_chunk c, bool dirty)
{
	struct td_pool *p = arg;
	uint32_t b = td_pool_resolve(p, c.index);
	(void)dirty;
	if (b != TIDE_NIL && td_pool_word(p, b) & TD_DEVICE)
		to_head(p, &p->device, b);
}

static void watch(void *arg, tide_chunk c, uint64_t pages, bool armed)
{
	(void)arg, (void)c, (void)pages, (void)armed; /* the pool sees every access anyway */
}

/* An engine that has no memory for a fault has the page nowhere: it leaves again. */
void td_policy_used(struct td_pool *p, uint64_t page, bool write)
{
	const struct td_event event = {.page = page, .write = write};
	enum td_engine_touched what = TD_HIT;
	tide_chunk c = chunk_of(page);
	td_engine_touch(p->engine, c, 0, &event, &what, NULL);
	if (what == TD_NOTICE)
		td_engine_notice(p->engine, c, &event, NULL);
	if (what != TD_ABSENT)
		return;
	td_engine_tick(p->engine, c);
	td_engine_fault(p->engine, c, 0, &event, NULL);
}

/* ---- what leaves main memory ---- */

static size_t take_leaving(struct td_pool *p, uint32_t *victims, size_t most)
{
	size_t n = 0;
	uint32_t b = p->main.head;
	for (uint64_t left = td_policy_leaving(p); left && n < most; left--) {
		uint32_t next = tide_link_at(td_pool_links(p), b)->next;
		if (td_pool_take(p, b))
			victims[n++] = b;
		b = next;
	}
	return n;
}

/* Pinned pages that should have left take frames beyond main memory. If they have half of them,
 * others leave instead: those that came longest ago. */
static bool is_crowded(const struct td_pool *p)
{
	return p->main.n > p->main_max + (p->n_frames - p->main_max) / 2;
}

static bool stays(const struct td_pool *p, uint32_t b)
{
	return td_pool_word(p, b) & TD_PINS || p->blocks[b].busy;
}

static void evict_now(struct td_pool *p, uint64_t page)
{
	if (p->mark)
		p->mark(p->record_arg, &(struct tide_mark){TIDE_MARK_COLD, 0, page, 1});
	td_engine_cold(p->engine, chunk_of(page), NULL);
}

static size_t take_others(struct td_pool *p, uint32_t *victims, size_t most)
{
	size_t n = 0;
	uint32_t b = p->main.head;
	for (uint64_t left = td_policy_leaving(p); left; left--)
		b = tide_link_at(td_pool_links(p), b)->next;
	while (b != TIDE_NIL && n < most && is_crowded(p)) {
		uint32_t next = tide_link_at(td_pool_links(p), b)->next;
		if (!stays(p, b)) {
			evict_now(p, p->blocks[b].owner);
			if (td_pool_take(p, b))
				victims[n++] = b;
		}
		b = next;
	}
	return n;
}

size_t td_policy_victims(struct td_pool *p, uint32_t *victims, size_t most)
{
	size_t n = take_leaving(p, victims, most);
	return n + take_others(p, victims + n, most - n);
}

/* ---- what leaves for the file ---- */

/* Victims for the file go before those for the device. */
static size_t list_victims(struct td_pool *p, struct td_pool_work *w, size_t *first)
{
	size_t n = 0;
	for (size_t i = *first; i < w->victims_n; i++) {
		uint32_t b = w->victims[i];
		if (p->device_max && tier_of(p, b) == 2)
			continue;
		w->victims[i] = w->victims[*first];
		w->victims[(*first)++] = b;
		w->outs[n++] = b;
	}
	return n;
}

size_t td_policy_outs(struct td_pool *p, struct td_pool_work *w, size_t *first)
{
	size_t n = list_victims(p, w, first), most = 2 * (size_t)p->batch;
	uint32_t next;
	for (uint32_t b = p->device.head; b != TIDE_NIL && n < most && tier_of(p, b) != 2;
	     b = next) {
		next = tide_link_at(td_pool_links(p), b)->next;
		if (p->blocks[b].busy)
			continue;
		td_pool_take_off_device(p, w, b);
		w->outs[n++] = b;
	}
	return n;
}

/* The device had no room for it, or failed. */
void td_policy_lose(struct td_pool *p, uint32_t b)
{
	if (tier_of(p, b) == 2)
		td_queue_forget(p, p->blocks[b].owner);
}

void td_policy_enter_device(struct td_pool *p, uint32_t b)
{
	if (tier_of(p, b) == 2)
		tide_list_push_tail(&p->device, td_pool_links(p), b);
	else
		tide_list_push_head(&p->device, td_pool_links(p), b);
}

/* ---- counts ---- */

/* The policy's counts, but for what moved between device and file: the pool saw that itself. */
void td_policy_count(struct td_pool *p, struct tide_counts *counts)
{
	struct tide_counts own = *counts;
	td_engine_count_hits(p->engine);
	*counts = p->engine->counts;
	counts->accesses += p->late_hits + p->past_reads;
	counts->hits += p->late_hits;
	counts->faults += p->past_reads;
	counts->tier2_hits = own.tier2_hits;
	counts->tier2_misses = own.tier2_misses;
	counts->tier3_reads = own.tier3_reads;
	counts->tier3_writes = own.tier3_writes;
}

/* ---- do they agree? ---- */

/* Blocks of the list that are in this tier, and whether all of them are at its end. */
static uint64_t count_tier(const struct td_pool *p, const struct tide_list *list, unsigned tier,
			   bool *sorted)
{
	uint64_t n = 0;
	for (uint32_t b = list->head; b != TIDE_NIL;
	     b = tide_link_at(td_pool_links((struct td_pool *)(uintptr_t)p), b)->next) {
		bool is = tier_of(p, b) == tier;
		*sorted &= is || !n;
		n += is;
	}
	return n;
}

const char *td_policy_wrong(struct td_pool *p)
{
	const struct tide_near *near = &p->engine->near;
	bool sorted = true;
	uint64_t in_main = count_tier(p, &p->main, 1, &sorted);
	uint64_t on_device = count_tier(p, &p->device, 2, &sorted);
	if (in_main != near->resident_chunks || !sorted)
		return "the policy and the pool differ about what is in main memory";
	for (uint32_t b = p->main.head; b != TIDE_NIL; b = tide_link_at(td_pool_links(p), b)->next)
		on_device += tier_of(p, b) == 2;
	if (on_device != near->host_pages - near->host_free_pages)
		return "the policy and the pool differ about what is on the device";
	return td_engine_check(p->engine) ? "the engine's records do not agree" : NULL;
}

/* ---- life ---- */

static int refuse(const struct td_pool_config *c, struct tide_error *err)
{
	if (c->dedup != TD_POOL_OFF)
		return tide_fail(err, -EINVAL,
				 "policies choose among pages, and `dedup` stores blocks that "
				 "several pages have: leave one of them out");
	return 0;
}

/* Three tiers are GMT's, as in the simulator and in the pager. */
static int judge_place(const struct td_engine_config *e, struct tide_error *err)
{
	const struct tide_policy *place = e->place.policy;
	if (place->inclusive)
		return tide_fail(
			err, -EINVAL,
			"place policy %s keeps copies in tier 2, and a page of the pool is "
			"in one place: give another",
			place->name);
	if (!e->host_pages)
		return tide_fail(
			err, -EINVAL,
			"place policy %s places what leaves main memory on the device, and "
			"there is none: give `device`",
			place->name);
	if (strcmp(e->evict.policy->name, "clock") != 0)
		return tide_fail(err, -EINVAL,
				 "`place` works with `evict` clock, not %s: leave `evict` out",
				 e->evict.policy->name);
	return 0;
}

static int choose(struct td_engine_config *e, const struct td_pool_config *c,
		  struct tide_error *err)
{
	const char *evict = c->evict ? c->evict : c->place ? "clock" : "lru";
	int rc = td_policy_choose(&e->evict, evict, TIDE_EVICT, err);
	if (!rc && c->place) {
		rc = td_policy_choose(&e->place, c->place, TIDE_PLACE, err);
		return rc ? rc : judge_place(e, err);
	}
	/* As in the paper: a victim goes to the device, whose oldest page goes to the file. */
	if (!rc && e->host_pages)
		rc = td_policy_choose(&e->place, "tier-order", TIDE_PLACE, err);
	return rc;
}

static int configure(struct td_engine_config *e, const struct td_pool_config *c,
		     struct tide_error *err)
{
	*e = (struct td_engine_config){
		.near_pages = c->main_pages,
		.host_pages = c->device_pages,
		.chunk_pages = 1,
		.last_page = UINT64_MAX,
		.pages = UINT64_MAX,
		.maps = true,
		.page_bytes = c->page_bytes,
		.seed = c->seed,
		.mechanism = "the pool",
		.gives = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_NOTICES | TIDE_NEEDS_PAGES |
			 TIDE_NEEDS_TOUCHED,
		.replace_invalid = true,
	};
	int rc = refuse(c, err);
	if (!rc)
		rc = choose(e, c, err);
	return rc ? rc : td_engine_check_needs(e, err);
}

static void release(struct td_engine_config *e)
{
	td_policy_release(&e->evict);
	td_policy_release(&e->place);
}

bool td_pool_has_policy(const struct td_pool_config *c)
{
	return c->place || (c->evict && strcmp(c->evict, "lru") != 0);
}

int td_pool_check_policies(const struct td_pool_config *c, struct tide_error *err)
{
	struct td_engine_config e = {0};
	int rc = td_pool_has_policy(c) ? configure(&e, c, err) : 0;
	release(&e);
	return rc;
}

static int start(struct td_pool *p, struct td_engine_config *e, const struct td_pool_config *c,
		 struct tide_error *err)
{
	if (p->pages >= UINT32_MAX)
		return tide_fail(err, -EINVAL,
				 "%s has too many pages for a policy: give larger ones",
				 p->file.name);
	e->near_pages = p->main_max;
	e->host_pages = p->device_max;
	e->carrier = (struct td_engine_carrier){
		.arg = p, .leave = leave, .come = come, .spill = spill, .watch = watch};
	int rc = td_engine_new(&p->engine, err);
	if (!rc)
		rc = td_policy_watch(p, c, err);
	if (!rc)
		rc = td_engine_start(p->engine, e, err);
	return rc ? rc : td_engine_map(p->engine, 0, p->pages, err);
}

int td_policy_open(struct td_pool *p, const struct td_pool_config *c, struct tide_error *err)
{
	struct td_engine_config e = {0};
	if (!td_pool_has_policy(c))
		return 0;
	int rc = configure(&e, c, err);
	if (!rc)
		rc = start(p, &e, c, err);
	release(&e);
	return rc;
}

int td_policy_finish(struct td_pool *p, struct tide_error *err)
{
	return p->engine ? td_engine_finish(p->engine, err) : 0;
}

void td_policy_discard(struct td_pool *p)
{
	if (p->engine)
		td_engine_dismiss(p->engine);
	td_policy_unwatch(p);
	td_engine_destroy(p->engine);
	p->engine = NULL;
}
