/* Page number -> entry, for many threads. Each shard has a lock and an open-addressed table that
 * doubles and halves. Each shard grows by itself, so that no growth takes long. All memory is
 * mapped, and counts in the budget. */
#ifndef TD_TIERS_TABLE_H
#define TD_TIERS_TABLE_H

#include <pthread.h>
#include <stdbool.h>

#include "budget.h"

#define TD_TABLE_SHARDS_MAX 256
#define TD_TABLE_PAGE_MAX ((UINT64_C(1) << 48) - 1)

/* What an entry says of its page: `bytes` is one of these, or the length of the compressed data. */
enum { TD_ENTRY_NONE, TD_ENTRY_WORD, TD_ENTRY_RAW, TD_ENTRY_BYTES };

struct td_entry {
	uint64_t page : 48, bytes : 16; /* NONE: free */
	union {
		uint64_t word; /* the page is this word, again and again */
		struct {
			uint32_t place, check;
		} data;
	} u;
};

struct td_shard {
	pthread_mutex_t lock;
	struct td_entry *entries;
	uint32_t slots_n, used; /* slots_n: 0 or a power of two */
};

struct td_table {
	struct td_budget *budget;
	unsigned shards_n; /* a power of two */
	struct td_shard shards[TD_TABLE_SHARDS_MAX];
};

void td_table_open(struct td_table *t, struct td_budget *budget);
void td_table_close(struct td_table *t);

/* Puts e into the table, and the entry that was there before into *was (bytes NONE: there was
 * none). Returns 0 or -ENOSPC. */
int td_table_put(struct td_table *t, const struct td_entry *e, struct td_entry *was);
/* false: the page has no entry. */
bool td_table_get(struct td_table *t, uint64_t page, struct td_entry *e);
bool td_table_drop(struct td_table *t, uint64_t page, struct td_entry *was);

#endif
