#include "core/assert.h"
#include "lock.h"
#include "out.h"
#include "pager.h"

#include <errno.h>
#include <sys/mman.h>

#define SLOTS_BYTES (16u << 20)
#define SLOTS_LEAST 8

int td_pager_open_slots(struct td_pager *p)
{
	size_t n = SLOTS_BYTES / p->chunk_bytes;
	n = n < SLOTS_LEAST ? SLOTS_LEAST : n > TD_PAGER_SLOTS ? TD_PAGER_SLOTS : n;
	unsigned char *at = mmap(NULL, n * p->chunk_bytes, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return -errno;
	p->slots_at = at;
	p->slots_n = (unsigned)n;
	madvise(at, n * p->chunk_bytes, MADV_DONTFORK);
	madvise(at, n * p->chunk_bytes, MADV_NOHUGEPAGE);
	for (unsigned i = 0; i < n; i++)
		p->slots[i] = (struct td_slot){.at = at + i * p->chunk_bytes,
					       .frames = p->mapping->has_frames ? UINT64_MAX : 0};
	return 0;
}

void td_pager_close_slots(struct td_pager *p)
{
	if (p->slots_at)
		munmap(p->slots_at, p->slots_n * p->chunk_bytes);
}

static struct td_slot *find(struct td_pager *p, uint64_t pages, unsigned leave)
{
	struct td_slot *found = NULL;
	unsigned unused = 0;
	for (unsigned i = 0; i < p->slots_n; i++) {
		struct td_slot *s = &p->slots[i];
		if (s->used)
			continue;
		unused++;
		if (!found || (s->frames & pages) == pages)
			found = s;
	}
	return unused > leave ? found : NULL;
}

/* Memory for the pages that have none. */
static void furnish(struct td_pager *p, struct td_slot *slot, uint64_t pages)
{
	for (uint64_t rest = pages & ~slot->frames; rest; rest &= rest - 1)
		td_uffd_copy(p->shadow_uffd,
			     slot->at + (size_t)__builtin_ctzll(rest) * p->page_bytes, p->zeros,
			     p->page_bytes, false, false);
	slot->frames |= pages;
}

struct td_slot *td_pager_take_slot(struct td_pager *p, uint64_t pages, bool ahead)
{
	struct td_slot *slot;
	td_pager_lock(p);
	while (!(slot = find(p, pages, ahead ? p->slots_n / 2 : 0)) && !ahead) {
		td_pager_await_room(p);
	}
	if (slot)
		slot->used = true;
	pthread_mutex_unlock(&p->lock);
	if (slot && pages & ~slot->frames)
		furnish(p, slot, pages);
	return slot;
}

void td_pager_give_slot(struct td_pager *p, struct td_slot *slot)
{
	td_pager_lock(p);
	td_assert(slot->used);
	slot->used = false;
	td_pager_made_room(p);
	pthread_mutex_unlock(&p->lock);
}

/* A slot that has memory for none of them. */
static struct td_slot *take_empty(struct td_pager *p, uint64_t pages)
{
	struct td_slot *found = NULL;
	td_pager_lock(p);
	for (unsigned i = 0; i < p->slots_n && !found; i++) {
		if (!p->slots[i].used && !(p->slots[i].frames & pages))
			found = &p->slots[i];
	}
	if (found)
		found->used = true;
	pthread_mutex_unlock(&p->lock);
	return found;
}

void td_pager_recycle(struct td_pager *p, unsigned char *at, uint64_t pages)
{
	struct td_slot *slot = take_empty(p, pages);
	td_assert(pages && !p->mapping->has_frames);
	uint64_t rest = pages;
	size_t moved;
	unsigned bit, n;
	while (td_pager_run(&rest, &bit, &n)) {
		size_t skip = (size_t)bit * p->page_bytes, bytes = (size_t)n * p->page_bytes;
		if (slot && !td_uffd_move(p->shadow_uffd, slot->at + skip, at + skip, bytes, false,
					  &moved)) {
			slot->frames |= td_pager_bits(bit, n);
			continue;
		}
		madvise(at + skip, bytes, MADV_DONTNEED);
		if (slot) /* some may have come */
			madvise(slot->at + skip, bytes, MADV_DONTNEED);
	}
	if (slot)
		td_pager_give_slot(p, slot);
}
