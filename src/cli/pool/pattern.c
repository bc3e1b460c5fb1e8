/* Which pages tide pool bench accesses. */
#include <errno.h>
#include <math.h>

#include "bench.h"
#include "tide/event.h"

#define HOT 0.8 /* of main memory, beside a scan */

/* NAME, or NAME:NUMBER with a number from 0 to most. */
static bool is_pattern(const char *text, const char *name, double most, double *number)
{
	size_t n = strlen(name);

	if (strncmp(text, name, n) != 0)
		return false;
	if (!text[n])
		return true;
	return text[n] == ':' && !td_core_real(text + n + 1, number) && *number >= 0 &&
	       *number <= most;
}

static int set_scan(struct td_pool_bench *b, double percent, uint64_t main_pages,
		    struct tide_error *err)
{
	b->scans = (uint64_t)(percent / 100 * 0x1p53);
	b->hot = (uint64_t)ceil((double)main_pages * HOT);
	if (b->hot < b->pages)
		return 0;
	return tide_fail(err, -EINVAL,
			 "--pattern scan: the file has nothing but hot pages: give a larger "
			 "--working-set");
}

int td_pool_bench_pattern(struct td_pool_bench *b, const char *text, uint64_t main_pages,
			  struct tide_error *err)
{
	double skew = 0.99, percent = 25;

	if (!text || strcmp(text, "uniform") == 0)
		return 0;
	b->is_zipf = is_pattern(text, "zipf", 10, &skew);
	if (b->is_zipf)
		td_workload_zipf_make(&b->zipf, b->pages, skew);
	if (b->is_zipf)
		return 0;
	if (is_pattern(text, "scan", 100, &percent))
		return set_scan(b, percent, main_pages, err);
	return tide_fail(err, -EINVAL, "--pattern %s: give uniform, zipf:SKEW or scan:PERCENT",
			 td_cli_shown(text).text);
}

/* ---- pages ---- */

static uint64_t below(uint64_t *random, uint64_t n)
{
	return (uint64_t)((unsigned __int128)tide_random_next(random) * n >> 64);
}

/* The first pages of the file are hot. The scan goes through the others, again and again. */
static uint64_t scan_or_hot(const struct td_pool_bench *b, struct td_pool_draw *d)
{
	if (tide_random_next(&d->random) >> 11 >= b->scans)
		return below(&d->random, b->hot);
	return b->hot + d->scanned++ % (b->pages - b->hot);
}

void td_pool_bench_draw(const struct td_pool_bench *b, struct td_pool_draw *d)
{
	if (b->is_zipf) {
		td_workload_zipf_draw(&b->zipf, &d->random, d->pages, TD_POOL_DRAWN);
		return;
	}
	for (size_t i = 0; i < TD_POOL_DRAWN; i++)
		d->pages[i] = b->hot ? scan_or_hot(b, d) : below(&d->random, b->pages);
}

/* Each thread scans from elsewhere, or the others would read for it. */
void td_pool_bench_begin(const struct td_pool_bench *b, struct td_pool_draw *d, uint64_t seed,
			 size_t thread)
{
	d->random = tide_hash64(seed + thread);
	d->scanned = (b->pages - b->hot) / b->threads * thread;
}
