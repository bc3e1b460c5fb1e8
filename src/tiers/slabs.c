#include "slabs.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SLOTS_MAX (1u << TD_SLABS_SLOT_BITS)
#define EMPTY_MAX_BYTES (2u << 20)

static void make_classes(struct td_slabs *s)
{
	for (unsigned n = TD_SLABS_PAGES; n <= SLOTS_MAX; n += n < 16 ? 1 : n / 8) {
		unsigned class = s->classes_n++;
		s->slots_n[class] = (uint16_t)n;
		s->slot_bytes[class] = s->slab_bytes / n / 8 * 8;
		s->partial[class] = TD_SLABS_NONE;
	}
}

/* More than the machine has is not worth an address. */
static uint64_t count_slabs(const struct td_slabs *s)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t limit = s->budget->limit_bytes < memory ? s->budget->limit_bytes : memory;
	uint64_t n = limit / s->slab_bytes, max = 1u << (32 - TD_SLABS_SLOT_BITS);
	return n < max ? n : max - 1;
}

static void *reserve(uint64_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return NULL;
	madvise(at, bytes, MADV_NOHUGEPAGE); /* what is in use is counted in slabs */
	madvise(at, bytes, MADV_DONTDUMP);
	return at;
}

int td_slabs_open(struct td_slabs *s, uint32_t page_bytes, struct td_budget *budget)
{
	*s = (struct td_slabs){.budget = budget,
			       .slab_bytes = page_bytes * TD_SLABS_PAGES,
			       .empty = TD_SLABS_NONE,
			       .gone = TD_SLABS_NONE};
	make_classes(s);
	s->slabs_max = (uint32_t)count_slabs(s);
	if (!s->slabs_max)
		return -EINVAL;
	s->empty_max = EMPTY_MAX_BYTES / s->slab_bytes;
	if (s->empty_max > s->slabs_max / 16)
		s->empty_max = s->slabs_max / 16;
	pthread_mutex_init(&s->lock, NULL);
	s->at = reserve((uint64_t)s->slabs_max * s->slab_bytes);
	s->slabs = reserve(s->slabs_max * sizeof *s->slabs);
	if (s->at && s->slabs)
		return 0;
	td_slabs_close(s);
	return -ENOMEM;
}

void td_slabs_close(struct td_slabs *s)
{
	if (s->at)
		munmap(s->at, (uint64_t)s->slabs_max * s->slab_bytes);
	if (s->slabs)
		munmap(s->slabs, s->slabs_max * sizeof *s->slabs);
	if (s->at || s->slabs)
		pthread_mutex_destroy(&s->lock);
	s->at = NULL;
	s->slabs = NULL;
}

/* ---- lists of slabs, by number ---- */

static void push(struct td_slabs *s, uint32_t *head, uint32_t i)
{
	s->slabs[i].prev = TD_SLABS_NONE;
	s->slabs[i].next = *head;
	if (*head != TD_SLABS_NONE)
		s->slabs[*head].prev = i;
	*head = i;
}

static void unlink_slab(struct td_slabs *s, uint32_t *head, uint32_t i)
{
	struct td_slab *slab = &s->slabs[i];
	if (slab->next != TD_SLABS_NONE)
		s->slabs[slab->next].prev = slab->prev;
	if (slab->prev != TD_SLABS_NONE)
		s->slabs[slab->prev].next = slab->next;
	else
		*head = slab->next;
}

static uint32_t pop(struct td_slabs *s, uint32_t *head)
{
	uint32_t i = *head;
	unlink_slab(s, head, i);
	return i;
}

/* ---- whole slabs ---- */

/* A slab that is not in use, with its memory in the budget. */
static int take_slab(struct td_slabs *s, uint32_t *i)
{
	if (s->empty != TD_SLABS_NONE) {
		*i = pop(s, &s->empty);
		s->empty_n--;
		return 0;
	}
	bool fresh = s->gone == TD_SLABS_NONE;
	if (fresh && s->slabs_fresh == s->slabs_max)
		return -ENOSPC;
	/* Its record stays in use. */
	if (td_budget_take(s->budget, s->slab_bytes + (fresh ? sizeof *s->slabs : 0)))
		return -ENOSPC;
	*i = fresh ? s->slabs_fresh++ : pop(s, &s->gone);
	return 0;
}

static void give_slab(struct td_slabs *s, uint32_t i)
{
	if (s->empty_n < s->empty_max) {
		push(s, &s->empty, i);
		s->empty_n++;
		return;
	}
	madvise(s->at + (size_t)i * s->slab_bytes, s->slab_bytes, MADV_DONTNEED);
	td_budget_give(s->budget, s->slab_bytes);
	push(s, &s->gone, i);
}

static int open_slab(struct td_slabs *s, unsigned class)
{
	uint32_t i;
	int rc = take_slab(s, &i);
	if (rc)
		return rc;
	s->slabs[i] = (struct td_slab){.first_free = s->slots_n[class], .class = (uint8_t) class};
	push(s, &s->partial[class], i);
	return 0;
}

/* ---- slots ---- */

/* The finest class that takes so much. */
static unsigned class_of(const struct td_slabs *s, uint32_t bytes)
{
	unsigned low = 0, high = s->classes_n;
	while (high - low > 1) {
		unsigned middle = (low + high) / 2;
		if (s->slot_bytes[middle] >= bytes)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void *td_slabs_at(const struct td_slabs *s, uint32_t place)
{
	uint32_t i = place >> TD_SLABS_SLOT_BITS;
	size_t slot_bytes = s->slot_bytes[s->slabs[i].class];
	return s->at + (size_t)i * s->slab_bytes + slot_bytes * (place % SLOTS_MAX);
}

static uint32_t take_slot(struct td_slabs *s, unsigned class)
{
	uint32_t i = s->partial[class];
	struct td_slab *slab = &s->slabs[i];
	uint32_t slot = slab->first_free, place;
	if (slot < s->slots_n[class]) {
		place = i << TD_SLABS_SLOT_BITS | slot;
		memcpy(&slab->first_free, td_slabs_at(s, place), sizeof slab->first_free);
	} else {
		place = i << TD_SLABS_SLOT_BITS | slab->slots_fresh++;
	}
	if (++slab->slots_used == s->slots_n[class])
		unlink_slab(s, &s->partial[class], i);
	return place;
}

int td_slabs_take(struct td_slabs *s, uint32_t bytes, uint32_t *place)
{
	pthread_mutex_lock(&s->lock);
	unsigned class = class_of(s, bytes), from = s->exact ? 0 : class;
	int rc = s->partial[class] == TD_SLABS_NONE ? open_slab(s, class) : 0;
	/* With no slab to be had, a slot that is too large is better than none. */
	while (rc && from-- > 0)
		if (s->partial[from] != TD_SLABS_NONE) {
			class = from;
			rc = 0;
		}
	if (!rc)
		*place = take_slot(s, class);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

void td_slabs_give(struct td_slabs *s, uint32_t place)
{
	uint32_t i = place >> TD_SLABS_SLOT_BITS;
	pthread_mutex_lock(&s->lock);
	struct td_slab *slab = &s->slabs[i];
	memcpy(td_slabs_at(s, place), &slab->first_free, sizeof slab->first_free);
	slab->first_free = (uint16_t)(place % SLOTS_MAX);
	if (slab->slots_used-- == s->slots_n[slab->class])
		push(s, &s->partial[slab->class], i);
	if (!slab->slots_used) {
		unlink_slab(s, &s->partial[slab->class], i);
		give_slab(s, i);
	}
	pthread_mutex_unlock(&s->lock);
}
