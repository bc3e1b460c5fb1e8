/* The queue of the paper: the block that was used longest ago leaves first. And what all queues
 * have in common. */
#include "queue.h"

void td_queue_init(struct td_pool *p)
{
	tide_list_init(&p->main);
	tide_list_init(&p->device);
}

size_t td_queue_victims(struct td_pool *p, uint32_t *victims, size_t most)
{
	if (p->engine)
		return td_policy_victims(p, victims, most);
	size_t n = 0;
	uint32_t b = p->main.head;
	while (td_queue_over(p) && b != TIDE_NIL && n < most) {
		uint32_t next = tide_link_at(td_pool_links(p), b)->next;
		if (td_pool_take(p, b))
			victims[n++] = b;
		b = next;
	}
	return n;
}

uint32_t td_queue_next(const struct td_pool *p)
{
	return p->main.head;
}

void td_queue_note_used(struct td_pool *p, uint64_t page, bool write)
{
	if (p->event)
		p->event(p->record_arg, &(struct td_event){.page = page, .write = write});
	if (p->engine)
		td_policy_used(p, page, write);
	else
		td_queue_touch_page(p, page);
}

bool td_queue_knows(struct td_pool *p, uint64_t page)
{
	if (p->engine)
		return td_engine_tier(p->engine, (tide_chunk){(uint32_t)page}).number != 3;
	return p->mark && td_pool_resolve(p, page * p->degree) != TIDE_NIL;
}

void td_queue_forget(struct td_pool *p, uint64_t page)
{
	if (p->engine)
		td_engine_lose(p->engine, page, 1);
	if (!p->mark)
		return;
	p->mark(p->record_arg, &(struct tide_mark){TIDE_MARK_GONE, 0, page, 1});
	p->mark(p->record_arg, &(struct tide_mark){TIDE_MARK_MAP, 0, page, 1});
}
