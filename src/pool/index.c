/* From signatures to blocks: open addressing, eight bytes per entry, at most two thirds full. The
 * paper has three levels. One is enough here, because a signature has one block, except for
 * collisions:
 *
 *   table[home(tag) ...] --> block
 *
 * A search does not look at blocks with another tag. So a search that finds nothing, and a removal,
 * stay within a line or two of the table. A removal moves later entries back, so the table is never
 * rebuilt. */
#include "inside.h"

static uint64_t home(const struct td_pool *p, uint32_t tag)
{
	return (uint64_t)tag * p->table_n >> 32;
}

static uint64_t after(const struct td_pool *p, uint64_t i)
{
	return i + 1 == p->table_n ? 0 : i + 1;
}

static uint64_t signature_of(const struct td_pool *p, uint32_t b)
{
	const struct td_pool_block *block = &p->blocks[b];
	return block->content != TIDE_NIL ? td_pool_signature_in(&p->contents[block->content])
					  : td_pool_signature_of(p, block->owner);
}

uint32_t td_pool_index_find(const struct td_pool *p, uint64_t signature)
{
	uint32_t tag = (uint32_t)(signature >> 32);
	for (uint64_t i = home(p, tag); p->table[i].block; i = after(p, i)) {
		uint32_t b = p->table[i].block - 1;
		if (p->table[i].tag == tag && signature_of(p, b) == signature)
			return b;
	}
	return TIDE_NIL;
}

bool td_pool_index_has(const struct td_pool *p, uint32_t b)
{
	uint64_t i = home(p, p->blocks[b].tag);
	while (p->table[i].block && p->table[i].block != b + 1)
		i = after(p, i);
	return p->table[i].block != 0;
}

/* No thread can pin the block before it is thawed, so no other thread changes its word. */
void td_pool_index_add(struct td_pool *p, uint32_t b, uint64_t signature)
{
	uint64_t word = td_pool_word(p, b);
	td_assert(signature & 1 && !(word & (TD_INDEXED | TD_MAIN)));
	uint32_t tag = (uint32_t)(signature >> 32);
	uint64_t i = home(p, tag);
	while (p->table[i].block)
		i = after(p, i);
	p->table[i] = (struct td_pool_entry){b + 1, tag};
	p->blocks[b].tag = tag;
	atomic_store_explicit(&p->blocks[b].word, word | TD_INDEXED, memory_order_relaxed);
}

/* Is home k cyclically in (i, j]? Then the entry at j must stay behind i. */
static bool is_between(uint64_t i, uint64_t k, uint64_t j)
{
	return i <= j ? i < k && k <= j : i < k || k <= j;
}

void td_pool_index_remove(struct td_pool *p, uint32_t b)
{
	uint64_t i = home(p, p->blocks[b].tag);
	while (p->table[i].block != b + 1)
		i = after(p, i);
	for (uint64_t j = after(p, i); p->table[j].block; j = after(p, j)) {
		if (is_between(i, home(p, p->table[j].tag), j))
			continue;
		p->table[i] = p->table[j];
		i = j;
	}
	p->table[i].block = 0;
}

void td_pool_index_expect(const struct td_pool *p, uint32_t tag)
{
	__builtin_prefetch(&p->table[home(p, tag)], 1);
}

/* ---- contents ---- */

void td_pool_content_free(struct td_pool *p, uint32_t content)
{
	struct td_pool_content *c = &p->contents[content];
	c->gen += c->gen == UINT32_MAX - 1 ? 4 : 2; /* even, and not 0 */
	c->links = 0;
	c->block = p->free_content;
	p->free_content = content;
}

/* There are more contents than blocks, so there is always a content that no block holds. */
static void free_some(struct td_pool *p)
{
	td_assert(p->n_contents > p->n_blocks);
	while (p->contents[p->hand].block != TIDE_NIL)
		p->hand = p->hand + 1 == p->n_contents ? 0 : p->hand + 1;
	td_pool_content_free(p, p->hand);
	p->hand = p->hand + 1 == p->n_contents ? 0 : p->hand + 1;
}

/* Takes a content that was never used, as long as there is one. Its memory was not touched
 * before. */
static uint32_t take_content(struct td_pool *p)
{
	if (p->free_content == TIDE_NIL && p->contents_used < p->n_contents) {
		p->contents[p->contents_used].gen = 2;
		return p->contents_used++;
	}
	if (p->free_content == TIDE_NIL)
		free_some(p);
	uint32_t content = p->free_content;
	p->free_content = p->contents[content].block;
	return content;
}

uint32_t td_pool_content_new(struct td_pool *p, uint64_t signature)
{
	uint32_t content = take_content(p);
	struct td_pool_content *c = &p->contents[content];
	c->low = (uint32_t)signature;
	c->tag = (uint32_t)(signature >> 32);
	c->block = TIDE_NIL;
	c->links = 0;
	return content;
}
