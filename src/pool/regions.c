/* Finds where sharing pays, for `auto`. The file is cut into regions of 1,024 pages. A region
 * shares until it has been measured. Hashing is useless if few of its blocks have an equal block,
 * or if its pages are written about as often as they are read from the file. Then one page in 16 is
 * still hashed, so that the pool notices when the region changes. These pages are in runs of 16, so
 * that equal neighbours meet. They are at the same places of every MiB (with pages of 4 KiB), so
 * that copies meet. */
#include "inside.h"

#define ENOUGH 1024       /* blocks or pages, before a region is judged */
#define ENOUGH_SAMPLES 64 /* while it does not share */
#define SAMPLE 16
#define LEAST_SHARED 20 /* one block in so many */
#define MOST_UPDATES \
	45 /* per cent of what is read or dirtied: the paper's crossing is in 32..64 \
	    */

static struct td_pool_region *region_of(struct td_pool *p, uint64_t page)
{
	return &p->regions[page / TD_REGION_PAGES];
}

static bool is_updated(const struct td_pool_region *r, uint32_t dirtied)
{
	return (uint64_t)dirtied * 100 > (uint64_t)(dirtied + r->read) * MOST_UPDATES;
}

/* Old figures count half as much as new ones. */
static void judge(struct td_pool_region *r)
{
	uint32_t dirtied = atomic_load_explicit(&r->dirtied, memory_order_relaxed);
	uint32_t enough = r->off ? ENOUGH_SAMPLES : ENOUGH;
	bool updates = dirtied + r->read >= ENOUGH && is_updated(r, dirtied);
	if (r->hashed < enough && !updates)
		return;
	r->off = updates || r->shared < r->hashed / LEAST_SHARED;
	r->hashed /= 2;
	r->shared /= 2;
	r->read /= 2;
	atomic_fetch_sub_explicit(&r->dirtied, dirtied - dirtied / 2, memory_order_relaxed);
}

bool td_pool_region_wants(struct td_pool *p, uint64_t page)
{
	if (!p->regions)
		return p->dedup == TD_POOL_ON;
	return !region_of(p, page)->off || page / SAMPLE % SAMPLE == 0;
}

void td_pool_region_dirtied(struct td_pool *p, uint64_t page)
{
	if (p->regions)
		atomic_fetch_add_explicit(&region_of(p, page)->dirtied, 1, memory_order_relaxed);
}

void td_pool_region_read(struct td_pool *p, uint64_t page)
{
	if (!p->regions)
		return;
	region_of(p, page)->read++;
	judge(region_of(p, page));
}

void td_pool_region_hashed(struct td_pool *p, uint64_t page, bool shared)
{
	if (!p->regions)
		return;
	region_of(p, page)->hashed++;
	region_of(p, page)->shared += shared;
}
