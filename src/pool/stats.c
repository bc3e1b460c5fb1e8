/* Counts and figures, and the check that the parts of a pool agree. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "queue.h"

#define STEP 4096 /* blocks that are counted under the lock at once */

static uint64_t count_hits(const struct td_pool *p)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < TD_RINGS; i++)
		n += atomic_load_explicit(&p->rings[i].hits, memory_order_relaxed);
	return n;
}

/* Blocks of pages that could be read without the file; of these, of contents that two have; dirty
 * ones. */
struct blocks {
	uint64_t held, sharing, dirty;
};

static void count_block(const struct td_pool *p, uint32_t b, struct blocks *n)
{
	uint64_t word = td_pool_word(p, b);
	uint32_t content = p->blocks[b].content;
	uint64_t links =
		content == TIDE_NIL ? p->blocks[b].owner != TD_NOBODY : p->contents[content].links;
	n->dirty += (word & TD_DIRTY) != 0;
	if (!(word & (TD_MAIN | TD_DEVICE)))
		return;
	n->held += links;
	n->sharing += links > 1 ? links : 0;
}

/* In steps, so that no call waits long for the lock. Blocks may move between two steps. */
static struct blocks count_blocks(struct td_pool *p)
{
	struct blocks n = {0};
	bool more = true;
	for (uint32_t b = 0; more;) {
		pthread_mutex_lock(&p->lock);
		for (uint32_t end = b + STEP; b < end && b < p->blocks_used; b++)
			count_block(p, b, &n);
		more = b < p->blocks_used;
		pthread_mutex_unlock(&p->lock);
	}
	return n;
}

static uint64_t index_bytes(const struct td_pool *p)
{
	if (!p->table)
		return 0;
	return p->table_n * sizeof *p->table +
	       p->n_blocks * (sizeof *p->contents + sizeof p->blocks->tag);
}

static uint64_t metadata_bytes(const struct td_pool *p)
{
	uint64_t refs = (p->pages * p->degree << p->has_links) * sizeof *p->refs;
	uint64_t n = sizeof *p + p->n_blocks * sizeof *p->blocks + refs +
		     p->n_frames * sizeof *p->free_frames + p->device_max * sizeof *p->free_slots +
		     TD_RINGS * sizeof *p->rings + p->table_n * sizeof *p->table +
		     (uint64_t)p->n_contents * sizeof *p->contents + p->n_blocks / 8;
	return p->engine ? n + td_engine_bytes(p->engine) : n;
}

/* What only some devices have. */
static void ask_device(const struct td_pool *p, struct tide_pool_stats *s)
{
	struct td_pool_device_use use = {0};
	if (!p->device_ops->use || !p->device_max)
		return;
	p->device_ops->use(p->device_state, &use);
	s->io_errors += use.errors;
	s->packed_bytes = use.packed_bytes;
	s->same_blocks = use.same_blocks;
	s->plain_blocks = use.plain_blocks;
	if (p->device_ops->dense)
		s->device_used_bytes = use.memory_bytes;
}

void td_pool_stats(struct td_pool *p, struct tide_pool_stats *s)
{
	struct blocks blocks = count_blocks(p);
	pthread_mutex_lock(&p->lock);
	if (p->noted)
		td_pool_drain(p);
	uint64_t hits = count_hits(p);
	*s = p->figures;
	s->counts = p->counts;
	s->counts.accesses += hits;
	s->counts.hits += hits;
	if (p->engine)
		td_policy_count(p, &s->counts);
	s->file_bytes = p->file.bytes;
	s->main_bytes = (uint64_t)p->main_max * p->block_bytes;
	s->batch_bytes = (uint64_t)(p->n_frames - p->main_max) * p->block_bytes;
	s->device_bytes = p->device_bytes;
	s->main_used_bytes = (uint64_t)td_queue_count(p) * p->block_bytes;
	s->device_used_bytes = (uint64_t)p->device.n * p->block_bytes;
	s->held_bytes = blocks.held * p->block_bytes;
	s->sharing_bytes = blocks.sharing * p->block_bytes;
	s->index_bytes = index_bytes(p);
	s->metadata_bytes = metadata_bytes(p);
	s->dirty_pages = blocks.dirty / p->degree;
	s->io_errors = td_io_errors(p->io);
	ask_device(p, s);
	pthread_mutex_unlock(&p->lock);
}

/* ---- does it agree? ---- */

struct tally {
	uint64_t free, indexed;
	int64_t dirty;
	bool pinned;
	const char *wrong;
};

/* Private, alone, left behind by its page while it was pinned, or shared. */
static const char *check_owner(struct td_pool *p, uint32_t b)
{
	const struct td_pool_block *block = &p->blocks[b];
	uint64_t word = td_pool_word(p, b);
	bool private = word & TD_PRIVATE, indexed = word & TD_INDEXED;
	if (block->content != TIDE_NIL)
		return private || !indexed || p->contents[block->content].block != b
			       ? "a shared block is not that of its content"
			       : NULL;
	if (block->owner == TD_NOBODY)
		return private || indexed ? "a block that was left can still be had" : NULL;
	if (td_pool_resolve(p, block->owner) != b)
		return "a block is not its owner's";
	if (private == indexed || indexed != (td_pool_signature_of(p, block->owner) != 0))
		return "a block is neither private nor alone, or both";
	return NULL;
}

static void check_held(struct td_pool *p, uint32_t b, struct tally *t)
{
	uint64_t word = td_pool_word(p, b);
	const char *wrong = check_owner(p, b);
	t->wrong = wrong ? wrong : t->wrong;
	t->pinned |= (word & TD_PINS) != 0;
	t->dirty += (word & TD_DIRTY) != 0;
	if (!(word & TD_PRIVATE) && word & TD_DIRTY)
		t->wrong = "a shared block is dirty";
	if (p->blocks[b].busy)
		t->wrong = "a block is busy, though no crew is at work";
	if (p->blocks[b].in_frame != ((word & TD_MAIN) != 0))
		t->wrong = "a block is not where its word says";
	t->indexed += (word & TD_INDEXED) != 0;
}

static void walk(struct td_pool *p, const struct tide_list *queue, uint64_t flag, struct tally *t)
{
	uint64_t n = 0;
	for (uint32_t b = queue->head; b != TIDE_NIL && n <= p->n_blocks;
	     b = tide_link_at(td_pool_links(p), b)->next, n++) {
		if (!(td_pool_word(p, b) & flag))
			t->wrong = "a block is in the wrong queue";
		check_held(p, b, t);
	}
	if (n != queue->n)
		t->wrong = "a queue is longer or shorter than it says";
}

static void check_index(struct td_pool *p, struct tally *t)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < p->table_n; i++) {
		uint32_t b = p->table[i].block - 1;
		if (!p->table[i].block)
			continue;
		n++;
		if (!(td_pool_word(p, b) & TD_INDEXED) || p->table[i].tag != p->blocks[b].tag)
			t->wrong = "the index has a block that it should not";
		if (!td_pool_index_has(p, b))
			t->wrong = "the index does not find a block that it has";
	}
	if (n != t->indexed)
		t->wrong = "the index does not have every block that it should";
}

/* The links of all pages are those that contents count. */
static void check_links(struct td_pool *p, struct tally *t)
{
	uint64_t counted = 0, found = 0;
	for (uint32_t c = 0; p->has_links && c < p->contents_used; c++)
		counted += p->contents[c].links;
	for (uint64_t ref = 0; p->has_links && ref < p->pages * p->degree; ref++)
		found += td_pool_content_of(p, ref) != TIDE_NIL;
	if (counted != found)
		t->wrong = "reference counts are not those of the pages";
}

static struct tally tally(struct td_pool *p)
{
	struct tally t = {0};
	walk(p, &p->main, TD_MAIN, &t);
	walk(p, &p->device, TD_DEVICE, &t);
	for (uint32_t b = p->free_block; b != TIDE_NIL; b = p->blocks[b].link.next)
		t.free++;
	if (td_queue_count(p) + p->device.n + t.free != p->blocks_used)
		t.wrong = "a block is lost";
	if (td_queue_count(p) + p->frames_n != p->n_frames ||
	    p->device.n + p->slots_n != p->device_max)
		t.wrong = "a frame or a slot is lost";
	if (p->reserved || p->promised)
		t.wrong = "a frame or a slot is reserved, though no crew is at work";
	check_index(p, &t);
	check_links(p, &t);
	if (p->engine && !t.wrong)
		t.wrong = td_policy_wrong(p);
	return t;
}

int td_pool_agrees(struct td_pool *p)
{
	return tally(p).wrong ? -EUCLEAN : 0;
}

int td_pool_check(struct td_pool *p, struct tide_error *err)
{
	pthread_mutex_lock(&p->lock);
	td_pool_exclusive_begin(p);
	td_pool_drain(p);
	struct tally t = tally(p);
	if (t.pinned)
		t.wrong = "a page is pinned";
	if (t.dirty != atomic_load(&p->dirty_blocks))
		t.wrong = "another number of blocks is dirty than was counted";
	td_pool_exclusive_end(p);
	pthread_mutex_unlock(&p->lock);
	return t.wrong ? tide_fail(err, -EUCLEAN, "%s: this is a bug, please report it", t.wrong)
		       : 0;
}

void td_pool_policies(struct td_pool *p, char evict[64], char ejected[64])
{
	*ejected = '\0';
	pthread_mutex_lock(&p->lock);
	const struct td_engine *e = p->engine;
	snprintf(evict, 64, "%s", e ? e->box[TD_BOX_EVICT].choice.policy->name : "lru");
	if (e)
		snprintf(ejected, 64, "%s", e->ejected);
	pthread_mutex_unlock(&p->lock);
}
