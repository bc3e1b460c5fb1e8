/* Which pages have which blocks: refs, links, blocks and their places. All under the lock. */
#include <errno.h>
#include <string.h>

#include "queue.h"

/* A link is a signature; or a content's number and its generation, as a ref is a block's; 0: none.
 */
static uint64_t link_of(const struct td_pool *p, uint64_t ref)
{
	if (!p->has_links)
		return 0;
	return atomic_load_explicit(td_pool_ref_at(p, ref) + 1, memory_order_relaxed);
}

static void put_link(struct td_pool *p, uint64_t ref, uint64_t link)
{
	atomic_store_explicit(td_pool_ref_at(p, ref) + 1, link, memory_order_relaxed);
}

uint32_t td_pool_content_of(const struct td_pool *p, uint64_t ref)
{
	uint64_t link = link_of(p, ref);
	uint32_t content = (uint32_t)(link >> 32);
	if (!link || link & 1)
		return TIDE_NIL;
	return p->contents[content].gen == (uint32_t)link ? content : TIDE_NIL;
}

uint64_t td_pool_signature_of(const struct td_pool *p, uint64_t ref)
{
	uint64_t link = link_of(p, ref);
	if (link & 1)
		return link;
	uint32_t content = td_pool_content_of(p, ref);
	return content != TIDE_NIL ? td_pool_signature_in(&p->contents[content]) : 0;
}

static void set_ref(struct td_pool *p, uint64_t ref, uint32_t b)
{
	atomic_store_explicit(td_pool_ref_at(p, ref), td_pool_ref(b, td_pool_word(p, b)),
			      memory_order_release);
}

uint32_t td_pool_resolve(struct td_pool *p, uint64_t ref)
{
	uint64_t at = atomic_load_explicit(td_pool_ref_at(p, ref), memory_order_relaxed);
	uint32_t b = (uint32_t)(at >> 32);
	if (td_pool_word(p, b) >> 32 == (uint32_t)at)
		return b;
	uint32_t content = td_pool_content_of(p, ref);
	if (content == TIDE_NIL || p->contents[content].block == TIDE_NIL)
		return TIDE_NIL;
	set_ref(p, ref, p->contents[content].block);
	return p->contents[content].block;
}

/* ---- blocks ---- */

static uint32_t take_block(struct td_pool *p)
{
	uint32_t b = p->free_block;
	if (b == TIDE_NIL) {
		b = p->blocks_used++;
		td_assert(b < p->n_blocks);
		atomic_store_explicit(&p->blocks[b].word, UINT64_C(1) << 32, memory_order_relaxed);
		return b;
	}
	p->free_block = p->blocks[b].link.next;
	td_assert(!(uint32_t)td_pool_word(p, b)); /* no flags, no pins */
	return b;
}

uint32_t td_pool_block_new(struct td_pool *p, uint32_t frame)
{
	uint32_t b = take_block(p);
	p->blocks[b].content = TIDE_NIL;
	td_pool_put_at(p, b, frame, true);
	td_queue_enter(p, b);
	return b;
}

/* It may be pinned from here on. */
static void publish(struct td_pool *p, uint32_t b, uint64_t flags)
{
	td_assert(p->blocks[b].in_frame && p->blocks[b].slot < p->n_frames);
	atomic_fetch_or_explicit(&p->blocks[b].word, flags, memory_order_release);
}

void td_pool_block_own(struct td_pool *p, uint32_t b, uint64_t ref)
{
	td_assert(p->blocks[b].content == TIDE_NIL && !(td_pool_word(p, b) & TD_INDEXED));
	p->blocks[b].owner = ref;
	set_ref(p, ref, b);
	publish(p, b, TD_MAIN | TD_PRIVATE);
}

void td_pool_block_free(struct td_pool *p, uint32_t b)
{
	struct td_pool_block *block = &p->blocks[b];
	uint64_t word = td_pool_word(p, b), gen = word >> 32;
	td_assert(!(word & (TD_PINS | TD_MAIN)));
	atomic_fetch_sub(&p->dirty_blocks, (word & TD_DIRTY) != 0);
	block->busy = 0;
	if (td_pool_word(p, b) & TD_INDEXED)
		td_pool_index_remove(p, b);
	if (block->content != TIDE_NIL) {
		p->contents[block->content].block = TIDE_NIL;
		if (!p->contents[block->content].links)
			td_pool_content_free(p, block->content);
	}
	if (block->in_frame)
		td_pool_give_frame(p, block->slot);
	else
		td_pool_give_slot(p, block->slot);
	gen = gen == UINT32_MAX ? 1 : gen + 1;
	atomic_store_explicit(&block->word, gen << 32, memory_order_release);
	block->link.next = p->free_block;
	p->free_block = b;
}

bool td_pool_freeze(struct td_pool *p, uint32_t b)
{
	uint64_t was = td_pool_word(p, b);
	do
		if (was & TD_PINS)
			return false;
	while (!atomic_compare_exchange_weak_explicit(&p->blocks[b].word, &was, was & ~TD_MAIN,
						      memory_order_acq_rel, memory_order_acquire));
	return true;
}

void td_pool_thaw(struct td_pool *p, uint32_t b)
{
	publish(p, b, TD_MAIN);
}

bool td_pool_take(struct td_pool *p, uint32_t b)
{
	if (p->blocks[b].busy || !td_pool_freeze(p, b))
		return false;
	td_queue_leave(p, b);
	return true;
}

void td_pool_to_main(struct td_pool *p, uint32_t b, uint32_t frame)
{
	td_assert(!(td_pool_word(p, b) & (TD_MAIN | TD_DEVICE)));
	td_pool_put_at(p, b, frame, true);
	td_queue_enter(p, b);
	publish(p, b, TD_MAIN);
}

/* ---- contents ---- */

static void set_link(struct td_pool *p, uint64_t ref, uint32_t content)
{
	td_assert(p->contents[content].links < UINT32_MAX && !(p->contents[content].gen & 1));
	p->contents[content].links++;
	put_link(p, ref, (uint64_t)content << 32 | p->contents[content].gen);
}

void td_pool_unlink(struct td_pool *p, uint64_t ref)
{
	uint32_t content = td_pool_content_of(p, ref);
	if (p->has_links)
		put_link(p, ref, 0);
	if (content == TIDE_NIL)
		return;
	td_assert(p->contents[content].links);
	if (!--p->contents[content].links && p->contents[content].block == TIDE_NIL)
		td_pool_content_free(p, content);
}

static void set_content(struct td_pool *p, uint32_t b, uint32_t content)
{
	p->blocks[b].content = content;
	p->contents[content].block = b;
}

void td_pool_hold(struct td_pool *p, uint64_t ref, uint32_t b, uint64_t signature)
{
	uint32_t content = td_pool_content_of(p, ref);
	td_assert(signature & 1 && !(td_pool_word(p, b) & (TD_PRIVATE | TD_INDEXED)));
	if (content != TIDE_NIL)
		set_content(p, b, content);
	else
		put_link(p, ref, signature);
	p->blocks[b].owner = ref;
	td_pool_index_add(p, b, signature);
	set_ref(p, ref, b);
}

/* Links are counted in 32 bits, and a file can have more equal blocks. */
bool td_pool_takes_more(const struct td_pool *p, uint32_t b)
{
	uint32_t content = p->blocks[b].content;
	return content == TIDE_NIL || p->contents[content].links < UINT32_MAX;
}

/* The first one to share a block makes a content of it. */
void td_pool_share(struct td_pool *p, uint64_t ref, uint32_t b)
{
	uint64_t owner = p->blocks[b].owner;
	td_assert(td_pool_word(p, b) & TD_INDEXED && !(td_pool_word(p, b) & TD_DIRTY));
	if (p->blocks[b].content == TIDE_NIL) {
		set_content(p, b, td_pool_content_new(p, td_pool_signature_of(p, owner)));
		set_link(p, owner, p->blocks[b].content);
	}
	if (td_pool_content_of(p, ref) != p->blocks[b].content) {
		td_pool_unlink(p, ref);
		set_link(p, ref, p->blocks[b].content);
	}
	set_ref(p, ref, b);
}

/* ---- pages ---- */

static bool is_shared(const struct td_pool *p, uint32_t b)
{
	uint32_t content = p->blocks[b].content;
	return content != TIDE_NIL && p->contents[content].links > 1;
}

static void remove_block(struct td_pool *p, uint32_t b)
{
	td_pool_index_remove(p, b);
	atomic_fetch_and(&p->blocks[b].word, ~TD_INDEXED);
}

/* A block that only this page has becomes private. This fails if the block is pinned, because the
 * pin may be for another page that has left the block since. (Pins behind a window are always for
 * this page.) */
static bool detach(struct td_pool *p, uint64_t ref, uint32_t b)
{
	uint32_t content = p->blocks[b].content;
	if (p->degree == 1 && !td_pool_freeze(p, b))
		return false;
	remove_block(p, b);
	if (content != TIDE_NIL)
		p->contents[content].block = TIDE_NIL;
	td_pool_unlink(p, ref);
	p->blocks[b].content = TIDE_NIL;
	td_pool_block_own(p, b, ref);
	return true;
}

/* The page leaves the block. The block stays for other pages, or until it is not pinned any
 * more. */
static void leave(struct td_pool *p, uint64_t ref, uint32_t b)
{
	if (p->blocks[b].content == TIDE_NIL) {
		remove_block(p, b);
		p->blocks[b].owner = TD_NOBODY;
	}
	td_pool_unlink(p, ref);
}

/* Pins that a window has on the page's old block go to the new one. */
static int copy_block(struct td_pool *p, uint64_t ref, uint32_t b)
{
	if (p->frames_n <= p->reserved) /* the others are those of other crews */
		return -EAGAIN;
	uint32_t copy = td_pool_block_new(p, td_pool_take_frame(p));
	memcpy(td_pool_bytes_of(p, copy), td_pool_bytes_of(p, b), p->block_bytes);
	leave(p, ref, b);
	if (p->degree > 1 && td_pool_window_find(p, ref / p->degree)) {
		atomic_fetch_add(&p->blocks[copy].word, 1);
		atomic_fetch_sub(&p->blocks[b].word, 1);
	}
	td_pool_block_own(p, copy, ref);
	p->figures.private_copies++;
	return 0;
}

static int own_block(struct td_pool *p, uint64_t ref, bool in_crew)
{
	uint32_t b = td_pool_resolve(p, ref);
	if (td_pool_word(p, b) & TD_PRIVATE)
		return 0;
	if (!is_shared(p, b) && detach(p, ref, b))
		return 0;
	return in_crew ? copy_block(p, ref, b) : -EAGAIN;
}

int td_pool_own_page(struct td_pool *p, uint64_t page, bool in_crew)
{
	int rc = 0;
	for (uint32_t i = 0; !rc && i < p->degree; i++)
		rc = own_block(p, page * p->degree + i, in_crew);
	return rc;
}

static bool take_anywhere(struct td_pool *p, uint32_t b)
{
	if (td_pool_word(p, b) & TD_MAIN)
		return td_pool_take(p, b);
	tide_list_remove(&p->device, td_pool_links(p), b);
	return true;
}

/* Was the page never in memory? Only reads the tables, so trimming a large empty file takes no
 * memory for them. */
static bool is_untouched(const struct td_pool *p, uint64_t ref)
{
	return !atomic_load_explicit(td_pool_ref_at(p, ref), memory_order_relaxed) &&
	       !link_of(p, ref);
}

/* A caller that has the block pinned for reading keeps it. false: a caller may be writing it, so
 * the page must be written with zeros. */
static bool forget_block(struct td_pool *p, uint64_t ref)
{
	if (is_untouched(p, ref))
		return true;
	uint32_t b = td_pool_resolve(p, ref), content = td_pool_content_of(p, ref);
	bool alone = content == TIDE_NIL || p->contents[content].links == 1;
	bool taken = b != TIDE_NIL && alone && take_anywhere(p, b);
	if (b != TIDE_NIL && alone && !taken) {
		if (td_pool_word(p, b) & TD_PRIVATE)
			return false;
		leave(p, ref, b);
	}
	td_pool_unlink(p, ref);
	atomic_store_explicit(td_pool_ref_at(p, ref), 0, memory_order_release);
	if (taken)
		td_pool_block_free(p, b);
	return true;
}

bool td_pool_forget(struct td_pool *p, uint64_t page)
{
	bool all = true, known = td_queue_knows(p, page);
	if (td_pool_window_find(p, page))
		return false;
	for (uint32_t i = 0; all && i < p->degree; i++)
		all = forget_block(p, page * p->degree + i);
	if (all && known)
		td_queue_forget(p, page);
	return all;
}
