#include "table.h"

#include <sys/mman.h>

#define SLOTS_MIN 256u /* a page of memory */
#define BUDGET_PER_SHARD ((uint64_t)1 << 20)

/* splitmix64's finaliser. */
static uint64_t hash(uint64_t page)
{
	page = (page ^ (page >> 30)) * 0xbf58476d1ce4e5b9u;
	page = (page ^ (page >> 27)) * 0x94d049bb133111ebu;
	return page ^ (page >> 31);
}

void td_table_open(struct td_table *t, struct td_budget *budget)
{
	*t = (struct td_table){.budget = budget, .shards_n = 1};
	while (t->shards_n < TD_TABLE_SHARDS_MAX &&
	       t->shards_n * BUDGET_PER_SHARD < budget->limit_bytes)
		t->shards_n *= 2;
	for (unsigned i = 0; i < t->shards_n; i++)
		pthread_mutex_init(&t->shards[i].lock, NULL);
}

static size_t bytes_of(uint32_t slots_n)
{
	return slots_n * sizeof(struct td_entry);
}

void td_table_close(struct td_table *t)
{
	for (unsigned i = 0; i < t->shards_n; i++) {
		if (t->shards[i].entries)
			munmap(t->shards[i].entries, bytes_of(t->shards[i].slots_n));
		pthread_mutex_destroy(&t->shards[i].lock);
	}
	t->shards_n = 0;
}

static struct td_shard *shard_of(struct td_table *t, uint64_t page)
{
	return &t->shards[(hash(page) >> 48) % t->shards_n];
}

static uint32_t home_of(const struct td_shard *s, uint64_t page)
{
	return (uint32_t)hash(page) & (s->slots_n - 1);
}

/* Where the page is, or the free slot where it would be. There is always a free one. */
static struct td_entry *find(const struct td_shard *s, uint64_t page)
{
	uint32_t i = home_of(s, page);
	while (s->entries[i].bytes != TD_ENTRY_NONE && s->entries[i].page != page)
		i = (i + 1) & (s->slots_n - 1);
	return &s->entries[i];
}

static int resize(struct td_table *t, struct td_shard *s, uint32_t slots_n)
{
	struct td_entry *was = s->entries;
	uint32_t was_n = s->slots_n;
	if (td_budget_take(t->budget, bytes_of(slots_n)))
		return -ENOSPC;
	void *at = mmap(NULL, bytes_of(slots_n), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED) {
		td_budget_give(t->budget, bytes_of(slots_n));
		return -ENOSPC;
	}
	s->entries = at;
	s->slots_n = slots_n;
	for (uint32_t i = 0; i < was_n; i++)
		if (was[i].bytes != TD_ENTRY_NONE)
			*find(s, was[i].page) = was[i];
	if (was)
		munmap(was, bytes_of(was_n));
	td_budget_give(t->budget, bytes_of(was_n));
	return 0;
}

/* One more: from three quarters on it should grow, from 15/16 on it must. */
static int make_room(struct td_table *t, struct td_shard *s)
{
	if (s->used < s->slots_n / 4 * 3)
		return 0;
	if (s->slots_n <= UINT32_MAX / 4 && !resize(t, s, s->slots_n ? s->slots_n * 2 : SLOTS_MIN))
		return 0;
	return s->used < s->slots_n / 16 * 15 ? 0 : -ENOSPC;
}

int td_table_put(struct td_table *t, const struct td_entry *e, struct td_entry *was)
{
	struct td_shard *s = shard_of(t, e->page);
	*was = (struct td_entry){0};
	pthread_mutex_lock(&s->lock);
	int rc = make_room(t, s);
	struct td_entry *slot = s->slots_n ? find(s, e->page) : NULL;
	if (slot && slot->bytes != TD_ENTRY_NONE)
		rc = 0; /* it takes the room of the one before */
	if (!rc) {
		*was = *slot;
		s->used += was->bytes == TD_ENTRY_NONE;
		*slot = *e;
	}
	pthread_mutex_unlock(&s->lock);
	return rc;
}

bool td_table_get(struct td_table *t, uint64_t page, struct td_entry *e)
{
	struct td_shard *s = shard_of(t, page);
	*e = (struct td_entry){0};
	pthread_mutex_lock(&s->lock);
	if (s->slots_n)
		*e = *find(s, page);
	pthread_mutex_unlock(&s->lock);
	return e->bytes != TD_ENTRY_NONE;
}

/* Entries behind a hole move up into it, where they may, so that a search never ends too early. */
static void close_gap(struct td_shard *s, uint32_t hole)
{
	uint32_t mask = s->slots_n - 1;
	for (uint32_t i = (hole + 1) & mask; s->entries[i].bytes != TD_ENTRY_NONE;
	     i = (i + 1) & mask) {
		uint32_t home = home_of(s, s->entries[i].page);
		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		s->entries[hole] = s->entries[i];
		hole = i;
	}
	s->entries[hole] = (struct td_entry){0};
}

bool td_table_drop(struct td_table *t, uint64_t page, struct td_entry *was)
{
	struct td_shard *s = shard_of(t, page);
	*was = (struct td_entry){0};
	pthread_mutex_lock(&s->lock);
	struct td_entry *slot = s->slots_n ? find(s, page) : NULL;
	if (slot && slot->bytes != TD_ENTRY_NONE) {
		*was = *slot;
		close_gap(s, (uint32_t)(slot - s->entries));
		s->used--;
		if (s->slots_n > SLOTS_MIN && s->used < s->slots_n / 8)
			(void)resize(t, s, s->slots_n / 2); /* a wish */
	}
	pthread_mutex_unlock(&s->lock);
	return was->bytes != TD_ENTRY_NONE;
}
