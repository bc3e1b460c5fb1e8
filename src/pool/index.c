/* From signatures to contents that are held: open addressing with four bytes an entry, at most two
 * thirds full. Instead of the paper's three levels there are two, since a signature has one content
 * but for collisions, and what a content is lies in an array of its own:
 *
 *   table[home(signature) ...] --> contents[] --> block
 *
 * Entries move back when one is removed, so nothing is ever rebuilt. */
#include "inside.h"

static uint64_t home(const struct td_pool *p, uint64_t signature)
{
	return (uint64_t)((unsigned __int128)signature * p->table_n >> 64);
}

static uint64_t after(const struct td_pool *p, uint64_t i)
{
	return i + 1 == p->table_n ? 0 : i + 1;
}

uint32_t td_pool_index_find(const struct td_pool *p, uint64_t signature)
{
	for (uint64_t i = home(p, signature); p->table[i]; i = after(p, i))
		if (p->contents[p->table[i] - 1].signature == signature)
			return p->table[i] - 1;
	return TD_NIL;
}

bool td_pool_index_has(const struct td_pool *p, uint32_t content)
{
	uint64_t i = home(p, p->contents[content].signature);
	while (p->table[i] && p->table[i] != content + 1)
		i = after(p, i);
	return p->table[i] != 0;
}

void td_pool_index_add(struct td_pool *p, uint32_t content)
{
	uint64_t i = home(p, p->contents[content].signature);
	while (p->table[i])
		i = after(p, i);
	p->table[i] = content + 1;
}

/* Is home k cyclically in (i, j]? Then the entry at j must stay behind i. */
static bool is_between(uint64_t i, uint64_t k, uint64_t j)
{
	return i <= j ? i < k && k <= j : i < k || k <= j;
}

void td_pool_index_remove(struct td_pool *p, uint32_t content)
{
	uint64_t i = home(p, p->contents[content].signature);
	while (p->table[i] != content + 1)
		i = after(p, i);
	for (uint64_t j = after(p, i); p->table[j]; j = after(p, j)) {
		if (is_between(i, home(p, p->contents[p->table[j] - 1].signature), j))
			continue;
		p->table[i] = p->table[j];
		i = j;
	}
	p->table[i] = 0;
}

void td_pool_content_free(struct td_pool *p, uint32_t content)
{
	struct td_pool_content *c = &p->contents[content];
	c->gen += c->gen == UINT32_MAX ? 2 : 1;
	c->links = 0;
	c->block = TD_NIL;
	c->next_free = p->free_content;
	p->free_content = content;
}

/* There are more contents than blocks, so one that nobody holds is always found. */
static void free_some(struct td_pool *p)
{
	while (p->contents[p->hand].block != TD_NIL)
		p->hand = p->hand + 1 == p->n_contents ? 0 : p->hand + 1;
	td_pool_content_free(p, p->hand);
	p->hand = p->hand + 1 == p->n_contents ? 0 : p->hand + 1;
}

/* One that was never used, while there are such; their memory was not touched before. */
static uint32_t take_content(struct td_pool *p)
{
	if (p->free_content == TD_NIL && p->contents_used < p->n_contents) {
		p->contents[p->contents_used].gen = 1;
		return p->contents_used++;
	}
	if (p->free_content == TD_NIL)
		free_some(p);
	uint32_t content = p->free_content;
	p->free_content = p->contents[content].next_free;
	return content;
}

uint32_t td_pool_content_new(struct td_pool *p, uint64_t signature)
{
	uint32_t content = take_content(p);
	struct td_pool_content *c = &p->contents[content];
	c->signature = signature;
	c->block = TD_NIL;
	c->links = 0;
	return content;
}
