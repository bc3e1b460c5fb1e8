/* Least expected use: a page is worth what keeping it may gain, per access that it has to be kept.
 *
 * For the ref that accessed the page last, the table knows after how many accesses its pages were
 * accessed again. Say that a page has waited tesla accesses already. To keep it until l costs a
 * wait of l - tesla accesses, and gains the share of the remaining reuses that come up to l. The
 * gain divided by the wait is the gain per access. The best l gives the page's priority, and the
 * page of lowest priority leaves. The result is like most recently used for scans, and like least
 * recently used for skewed accesses, though no rule says so. */
#include <errno.h>
#include <stdlib.h>

#include "leu_search.h"

enum { BY, REFS, SAMPLE, TRAIN, DECAY, EDGE };

#define MOST_BUCKETS (1u << 24)

/* ---- life ---- */

static unsigned needs_with(const union tide_value *v)
{
	unsigned needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES | TIDE_TAKES_SAMPLES;
	return strcmp(v[BY].text, "page") == 0 ? needs : needs | TIDE_NEEDS_REFS;
}

static void destroy(void *self)
{
	struct leu *s = self;
	tide_rit_free(&s->table);
	tide_vec_free(&s->rings);
	tide_vec_free(&s->families);
	tide_vec_free(&s->shelves);
	tide_vec_free(&s->tree);
	tide_vec_free(&s->stale);
	tide_vec_free(&s->orphans);
	tide_vec_free(&s->buckets);
	if (s->pass)
		tide_rit_pass_free(s->pass);
	free(s->pass);
}

static int reserve(struct tide_vec *v, size_t item_bytes, uint64_t n)
{
	tide_vec_init(v, item_bytes);
	return tide_vec_reserve(v, n);
}

/* If more refs than buckets have pages but no entry, chains get longer than one. */
static uint64_t buckets_for(const struct leu *s)
{
	uint64_t n = 1;
	while (!s->by_page && n < MOST_BUCKETS && n < s->view->near->capacity_pages)
		n *= 2;
	return n;
}

static int allocate(struct leu *s, uint32_t refs)
{
	uint64_t buckets = buckets_for(s);
	int rc = tide_rit_init(&s->table, refs);
	s->leaves = 1;
	s->bucket_mask = buckets - 1;
	tide_vec_init(&s->orphans, sizeof(struct orphan));
	if (!rc)
		rc = reserve(&s->rings, sizeof(struct ring), (uint64_t)refs + 1);
	if (!rc)
		rc = reserve(&s->families, sizeof(struct family), refs);
	if (!rc)
		rc = reserve(&s->shelves, sizeof(struct shelf), refs);
	if (!rc)
		rc = reserve(&s->tree, sizeof(struct node), 4 * (uint64_t)refs);
	if (!rc)
		rc = reserve(&s->stale, sizeof(uint32_t), refs);
	if (!rc)
		rc = reserve(&s->buckets, sizeof(uint32_t), buckets);
	if (!rc)
		*node_at(s, 1) = NOTHING;
	return rc;
}

/* One of two words: 0 or 1, or -EINVAL. */
static int either(const char *name, const char *word, const char *a, const char *b,
		  struct tide_error *err)
{
	if (strcmp(word, a) == 0 || strcmp(word, b) == 0)
		return strcmp(word, b) == 0;
	return tide_fail(err, -EINVAL, "evict policy leu: %s=%s is unknown: give %s or %s", name,
			 word, a, b);
}

static int create(void *self, const struct tide_view *view, const union tide_value *v,
		  struct tide_error *err)
{
	struct leu *s = self;
	int by_page = either("by", v[BY].text, "ref", "page", err);
	int next = by_page < 0 ? by_page : either("edge", v[EDGE].text, "bin", "next", err);
	if (next < 0)
		return next;
	s->view = view;
	s->by_page = by_page;
	s->sample = v[SAMPLE].r < 1 ? (uint64_t)(v[SAMPLE].r * 0x1p64) : UINT64_MAX;
	s->decay = (uint64_t)v[DECAY].i;
	tide_list_init(&s->line);
	int rc = allocate(s, (uint32_t)v[REFS].i);
	s->table.next_edge = next;
	if (rc)
		return tide_fail(err, rc,
				 "evict policy leu: out of memory for its table: give fewer refs");
	return 0;
}

/* With a sample of UINT64_MAX all pages are counted, also the one page whose hash is UINT64_MAX. */
static bool counted(const struct leu *s, uint64_t page)
{
	return s->sample == UINT64_MAX || tide_hash64(page) < s->sample;
}

/* ---- training ---- */

static int end_training(struct leu *s, struct tide_error *err)
{
	if (!s->by_page && !s->saw_refs)
		return tide_fail(
			err, -EINVAL,
			"evict policy leu: the trace it is to learn from has no refs: give one "
			"that has, or by=page");
	if (s->pass)
		tide_rit_pass_free(s->pass);
	free(s->pass);
	s->pass = NULL;
	s->trained = true;
	if (s->table.n)
		grow_tree(s, s->table.n - 1);
	return 0;
}

static int begin_training(struct leu *s)
{
	s->pass = malloc(sizeof *s->pass);
	return s->pass ? tide_rit_pass_init(s->pass, &s->table) : -ENOMEM;
}

static int train(void *self, const struct tide_batch *batch, struct tide_error *err)
{
	struct leu *s = self;
	int rc = 0;
	if (!batch)
		return end_training(s, err);
	if (!s->pass)
		rc = begin_training(s);
	for (uint32_t i = 0; i < batch->n && !rc; i++) {
		uint64_t page = batch->page[i];
		s->saw_refs |= batch->ref[i] != 0;
		rc = tide_rit_pass_touch(s->pass, page, s->by_page ? page : batch->ref[i],
					 counted(s, page));
		if (s->decay && s->pass->now % s->decay == 0)
			tide_rit_halve(&s->table);
	}
	return rc ? tide_fail(err, rc,
			      "evict policy leu: out of memory for the pages it is trained on")
		  : 0;
}

/* ---- notices ---- */

/* Call it after the entry's n may have grown. */
static void check_limit(struct leu *s, uint32_t e)
{
	if (tide_rit_at(&s->table, e)->n >= family_at(s, e)->limit)
		mark_stale(s, e);
}

static __attribute__((noinline)) void forget_bounds(struct leu *s, uint32_t e)
{
	shelf_at(s, e)->open = false;
	mark_stale(s, e);
}

static __attribute__((noinline)) uint32_t make_entry(struct leu *s, uint64_t ref)
{
	uint32_t e = tide_rit_make(&s->table, ref, now_of(s));
	grow_tree(s, e);
	change_ref(s, e, ref);
	forget_bounds(s, e);
	if (family_at(s, e)->large)
		memset(shelf_at(s, e)->set, 0, sizeof shelf_at(s, e)->set);
	family_at(s, e)->large = false;
	return e;
}

/* A page that is counted had an entry at its last access. */
static void credit(struct leu *s, const struct page *at)
{
	uint32_t e = entry_of(at);
	unsigned last_bin = tide_rit_at(&s->table, e)->last_bin;
	tide_rit_credit(&s->table, e, last_of(at), now_of(s));
	if (tide_rit_at(&s->table, e)->last_bin != last_bin)
		forget_bounds(s, e);
	else if (s->decay)
		check_limit(s, e);
}

/* Credits the reuse, then counts the access. Gives the entry of ref, or TIDE_NIL. */
static uint32_t learn(struct leu *s, const struct page *at, tide_page p, uint64_t ref)
{
	if (s->trained || !counted(s, p.number))
		return tide_rit_find(&s->table, ref);
	if (last_of(at))
		credit(s, at);
	uint32_t e = tide_rit_find(&s->table, ref);
	if (e == TIDE_NIL)
		e = make_entry(s, ref);
	tide_rit_count(&s->table, e);
	return e;
}

static __attribute__((noinline)) void take_out_marked(struct leu *s, uint32_t i)
{
	const struct page *at = page_at(s, i);
	if (s->chosen.page == i + 1)
		drop_chosen(s);
	if (at->word & MARKED && family_at(s, entry_of(at))->large)
		drop_cursors(s, entry_of(at), i);
	unlist(s, i);
}

/* Takes a page out of its ring; its flags stay. Most pages are in the middle of a ring, and nothing
 * else points at them. */
static inline void take_out(struct leu *s, uint32_t i)
{
	const struct page *at = page_at(s, i);
	uint64_t flags = at->word & ((1u << FLAG_BITS) - 1);
	if (flags == LISTED) {
		page_at(s, at->prev)->next = at->next;
		page_at(s, at->next)->prev = at->prev;
	} else if (flags) {
		take_out_marked(s, i);
	}
}

static void decay(struct leu *s)
{
	tide_rit_halve(&s->table);
	for (uint32_t e = 0; e < s->table.n; e++)
		forget_bounds(s, e);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct leu *s = self;
	uint64_t by = s->by_page ? p.number : ref;
	take_out(s, c.index);
	uint32_t e = learn(s, page_at(s, c.index), p, by);
	uint64_t word = word_of(now_of(s), e);
	if (e != TIDE_NIL) {
		append(s, c.index, e, word);
		check_limit(s, e);
	} else {
		list_orphan(s, c.index, by, word);
	}
	if (s->decay && !s->trained && now_of(s) % s->decay == 0)
		decay(s);
}

/* The access to the faulting page follows at once. A prefetched page is a stranger until its first
 * access. */
static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct leu *s = self;
	(void)pages;
	if (c.index != s->view->near->fault_chunk.index)
		append(s, c.index, strangers_of(s), page_at(s, c.index)->word);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	(void)what;
	take_out(self, c.index);
	clear_flag(page_at(self, c.index), LISTED | OLDEST | YOUNGEST | MARKED);
}

/* The valid page accessed longest ago. */
static tide_chunk find_other(const struct leu *s)
{
	tide_chunk best = TIDE_NO_CHUNK;
	for (uint32_t i = 0; i < s->view->near->chunks; i++) {
		tide_chunk c = {i};
		if (tide_resident(s->view, c) && tide_valid(s->view, c) &&
		    (best.index == TIDE_NIL ||
		     last_of(page_at(s, i)) < last_of(page_at(s, best.index))))
			best = c;
	}
	return best;
}

/* At a fault every resident page is valid. If a prefetcher brings pages in at a notice, the page
 * that gave the notice is not valid. LEU is made for demand paging, where this does not happen, so
 * a plain search is enough. */
static tide_chunk pick_victim(void *self)
{
	const struct leu *s = self;
	tide_chunk c = {find_lowest(self)};
	return c.index == TIDE_NIL || tide_valid(s->view, c) ? c : find_other(s);
}

static void report(void *self, const struct tide_report *r)
{
	const struct leu *s = self;
	r->text(r->to, "learned", s->trained ? "before" : "online");
	r->number(r->to, "refs", s->table.n);
	r->number(r->to, "recycled_refs", s->table.recycled);
	r->number(r->to, "victims", s->victims);
	r->number(r->to, "victims_of_priority_0", s->worthless);
	r->number(r->to, "priorities_worked_out", s->examined);
	r->number(r->to, "cursor_steps", s->walked);
}

static const struct tide_param params[] = {
	{"by", TIDE_PARAM_TEXT, "ref", 0, 0,
	 "one distribution of reuse intervals per ref, or per page (needs no refs)"},
	{"refs", TIDE_PARAM_INT, "1024", 1, 65536,
	 "entries of the table; the least recently credited one is recycled"},
	{"sample", TIDE_PARAM_REAL, "1", 1e-6, 1, "share of the pages that are counted"},
	{"train", TIDE_PARAM_TRACE, "", 0, 0,
	 "learn from a pass over this trace, and not during the run"},
	{"decay", TIDE_PARAM_INT, "0", 0, 0x1p48, "halve all counts every N accesses; 0: never"},
	{"edge", TIDE_PARAM_TEXT, "next", 0, 0,
	 "reuses in the bin of a page's age: next: may still come, bin: are over"},
	{0},
};

const struct tide_policy td_policy_evict_leu = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "leu",
	.role = TIDE_EVICT,
	.summary = "least expected use, from the reuse intervals of each ref",
	.paper = "LEU, MEMSYS 2019",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_REFS | TIDE_NEEDS_PAGES | TIDE_TAKES_SAMPLES,
	.params = params,
	.state_bytes = sizeof(struct leu),
	.chunk_bytes = sizeof(struct page),
	.needs_with = needs_with,
	.create = create,
	.train = train,
	.destroy = destroy,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.report = report,
};
