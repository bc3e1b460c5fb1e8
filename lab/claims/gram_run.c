/* One run of tide reproduce gram: a pool, and accesses that are all checked. */
#include <errno.h>
#include <inttypes.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "core/clock.h"
#include "gram.h"
#include "tide/event.h"

/* Pages that each machine serves, for each page that it may serve or start with. */
#define SERVED_PER_PAGE 4
#define SAMPLES 32 /* of what is shared */

struct run {
	struct td_cli_gram *g;
	struct td_cli_gram_run *of;
	struct td_cli_gram_accesses accesses;
	struct tide_pool *pool;
	struct tide_pool_stats warm;
	uint64_t ns;    /* in calls */
	uint64_t count; /* of updates */
	unsigned samples;
};

static int wrong(uint64_t page, struct tide_error *err)
{
	return tide_fail(err, -EIO, "page %" PRIu64 " is not what was written last: this is a bug",
			 page);
}

/* ---- one access after the other ---- */

/* The time is that of the pool: what is done to the page is not its. */
static int access_page(struct run *r, uint64_t access, struct tide_error *err)
{
	bool update = access & 1;
	struct tide_pool_pin pin = {.size = sizeof pin};
	uint64_t start = td_clock_ns();
	int rc = tide_pool_get(r->pool, access / 2, update ? TIDE_POOL_WRITE : TIDE_POOL_READ, &pin,
			       err);

	r->ns += td_clock_ns() - start;
	if (rc)
		return rc;
	bool right = td_cli_gram_check(&r->g->file, pin.page, pin.addr);
	if (right && update)
		td_cli_gram_update(&r->g->file, pin.page, pin.addr, tide_hash64(++r->count));
	start = td_clock_ns();
	tide_pool_put(r->pool, &pin, NULL);
	r->ns += td_clock_ns() - start;
	return right ? 0 : wrong(pin.page, err);
}

/* In the second half: what is held at the very end may be the last machine's alone. */
static void sample(struct run *r)
{
	struct tide_pool_stats s = {.size = sizeof s};

	tide_pool_stats(r->pool, &s, NULL);
	if (r->samples++ < SAMPLES / 2)
		return;
	r->of->samples++;
	r->of->held_bytes += s.held_bytes;
	r->of->sharing_bytes += s.sharing_bytes;
}

static int access_all(struct run *r, struct tide_error *err)
{
	size_t between = r->accesses.n / SAMPLES + 1;
	int rc = 0;

	for (size_t i = 0; i < r->accesses.n && !rc; i++) {
		rc = access_page(r, r->accesses.at[i], err);
		if (i % 256 == 0)
			td_cli_reproduce_show(&r->g->r, i, r->accesses.n);
		if (i % between == between - 1)
			sample(r);
	}
	return rc;
}

/* ---- several at a time, so that there are batches ---- */

struct flight {
	struct run *r;
	sem_t done;
	_Atomic int rc;
	_Atomic uint64_t wrong; /* a page + 1 */
};

static void land(void *arg, struct tide_pool_pin *pin, int result)
{
	struct flight *f = arg;

	if (result) {
		f->rc = result;
	} else {
		if (!td_cli_gram_check(&f->r->g->file, pin->page, pin->addr))
			f->wrong = pin->page + 1;
		tide_pool_put(f->r->pool, pin, NULL);
	}
	sem_post(&f->done);
}

static int fly(struct flight *f, size_t first, size_t n, struct tide_error *err)
{
	size_t under_way = 0;
	int rc = 0;

	for (; under_way < n && !rc; under_way += !rc)
		rc = tide_pool_get_async(f->r->pool, f->r->accesses.at[first + under_way] / 2,
					 TIDE_POOL_READ, land, f, err);
	while (under_way--)
		while (sem_wait(&f->done))
			;
	if (rc)
		return rc;
	if (f->rc)
		return tide_fail(err, f->rc, "a get failed: %s: look at the storage",
				 strerror(-f->rc));
	return f->wrong ? wrong(f->wrong - 1, err) : 0;
}

static int fly_all(struct run *r, struct tide_error *err)
{
	struct flight f = {.r = r};
	uint64_t start = td_clock_ns();
	int rc = 0;

	sem_init(&f.done, 0, 0);
	for (size_t i = 0; i < r->accesses.n && !rc; i += r->of->depth) {
		size_t left = r->accesses.n - i;
		rc = fly(&f, i, left < r->of->depth ? left : r->of->depth, err);
		td_cli_reproduce_show(&r->g->r, i, r->accesses.n);
	}
	sem_destroy(&f.done);
	r->ns = td_clock_ns() - start;
	return rc;
}

/* Every page once, so that all are in memory. */
static int warm_up(struct run *r, struct tide_error *err)
{
	int rc = 0;

	for (uint64_t page = 0; page < r->of->set_pages && !rc; page++)
		rc = access_page(r, 2 * page, err);
	r->warm.size = sizeof r->warm;
	tide_pool_stats(r->pool, &r->warm, NULL);
	return rc;
}

/* ---- the file, the pool, and what came of it ---- */

static int count_touched(struct run *r, struct tide_error *err)
{
	unsigned char *seen = calloc(r->g->file.pages, 1);

	if (!seen)
		return tide_fail(err, -ENOMEM, "no memory for the accesses: free some");
	for (size_t i = 0; i < r->accesses.n; i++) {
		unsigned char *page = &seen[r->accesses.at[i] / 2];
		r->of->touched_pages += !*page;
		*page = 1;
	}
	free(seen);
	return 0;
}

static int prepare_machines(struct run *r, struct tide_error *err)
{
	struct td_cli_gram *g = r->g;
	const struct td_cli_gram_disks *d = &g->disks;
	uint64_t pages = td_cli_gram_role_pages(d, d->n, GRAM_BOOT) +
			 td_cli_gram_role_pages(d, d->n, GRAM_DOCUMENT);
	int rc = 0;

	if (g->file.source != &d->source)
		rc = td_cli_gram_file_fill(&g->file, &d->source, err);
	return rc ? rc
		  : td_cli_gram_replay(&r->accesses, d, r->of->x, SERVED_PER_PAGE * pages / d->n,
				       g->seed, err);
}

static int prepare_drawn(struct run *r, struct tide_error *err)
{
	struct td_cli_gram *g = r->g;
	const struct td_cli_gram_run *of = r->of;
	/* A smaller working set is a part of the usual file: blocks do not matter there. */
	uint64_t pages = of->set_pages > 640 * g->thousand ? of->set_pages : 640 * g->thousand;
	int rc = 0;

	if (g->file.source != &g->drawn.source || g->drawn.source.pages != pages ||
	    g->drawn.copies != of->copies) {
		td_cli_gram_draw(&g->drawn, pages, of->copies, g->seed);
		rc = td_cli_gram_file_fill(&g->file, &g->drawn.source, err);
	}
	return rc ? rc
		  : td_cli_gram_uniform(&r->accesses, of->set_pages, of->accesses,
					of->updates_percent, g->seed, err);
}

static void subtract(struct tide_pool_stats *s, const struct tide_pool_stats *was)
{
#define TIDE_COUNTER(name, help) s->counts.name -= was->counts.name;
#include "tide/counters.def"
#undef TIDE_COUNTER
	s->device_ns -= was->device_ns;
	s->gathered_bytes -= was->gathered_bytes;
	s->scattered_bytes -= was->scattered_bytes;
	s->batches -= was->batches;
	s->batched_pages -= was->batched_pages;
}

static int use_pool(struct run *r, struct tide_error *err)
{
	struct td_cli_gram_run *of = r->of;
	int rc = 0;

	if (of->depth > 1)
		rc = warm_up(r, err);
	r->ns = 0;
	if (!rc)
		rc = of->depth > 1 ? fly_all(r, err) : access_all(r, err);
	if (!rc)
		rc = tide_pool_check(r->pool, err);
	if (rc)
		return rc;
	of->stats.size = sizeof of->stats;
	tide_pool_stats(r->pool, &of->stats, NULL);
	subtract(&of->stats, &r->warm);
	of->seconds = (double)r->ns / 1e9;
	of->done = true;
	return 0;
}

static int open_pool(struct run *r, struct tide_error *err)
{
	static const char *const dedups[GRAM_HOWS] = {"off", "on", "off", "on", "auto"};
	const struct td_claims_options *args = r->g->args;
	const struct td_cli_gram_run *of = r->of;
	char main_size[32], device_size[32], batch[16];
	struct tide_pool_options o = {.size = sizeof o,
				      .path = r->g->file.file.path,
				      .main_size = main_size,
				      .device_size = device_size,
				      .device = args->device_kind,
				      .dedup = dedups[of->how],
				      .hash = args->hash,
				      .batch = batch,
				      .inject = args->inject};

	snprintf(main_size, sizeof main_size, "%" PRIu64 "p", of->main_pages);
	snprintf(device_size, sizeof device_size, "%" PRIu64 "p", of->device_pages);
	snprintf(batch, sizeof batch, "%u", of->batch);
	return tide_pool_open(&r->pool, &o, err);
}

int td_cli_gram_do(struct td_cli_gram *g, struct td_cli_gram_run *run, struct tide_error *err)
{
	struct run r = {.g = g, .of = run};
	int rc = run->study == GRAM_MACHINE ? prepare_machines(&r, err) : prepare_drawn(&r, err);

	if (!rc)
		rc = count_touched(&r, err);
	if (!rc)
		rc = open_pool(&r, err);
	if (!rc) {
		rc = use_pool(&r, err);
		int closed = tide_pool_close(r.pool, rc ? NULL : err);
		rc = rc ? rc : closed;
	}
	if (!rc)
		rc = td_cli_gram_file_restore(&g->file, err);
	free(r.accesses.at);
	g->r.step++;
	return rc;
}
