/* Memory of the runtime: what lies where, and the state in which nothing has happened.
 *
 *     GPU      frames | entries, words of pages, owner, lists of slots, shards, queues, control
 * block, ... pinned   slots  | rings of requests, outcomes, samples, told, failure, log */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/assert.h"
#include "runtime.h"

#define ALIGN 256u
#define SAMPLES (1u << 16)
#define REQUESTS (1u << 17)          /* entries of a ring, at most */
#define FAULTS (1u << 13)            /* entries of the ring that warps post faults to */
#define LOG_ROOM ((uint64_t)1 << 20) /* decisions of a launch */

/* ---- where ---- */

/* With base 0 it measures. */
struct carver {
	unsigned char *base;
	uint64_t used;
};

static void *carve(struct carver *c, uint64_t n, uint64_t bytes)
{
	void *at = c->base ? c->base + c->used : NULL;
	c->used += (n * bytes + ALIGN - 1) / ALIGN * ALIGN;
	return at;
}

/* What the placement keeps of a page. */
static uint64_t own_bytes(const struct td_dev_control *k)
{
	return k->placing.page_words * sizeof *k->own;
}

static void lay_out_tables(struct tide_gpu *g, struct carver *c)
{
	struct td_dev_control *k = &g->control;
	k->entries = carve(c, k->pages, sizeof *k->entries);
	k->own = carve(c, k->pages, own_bytes(k));
	if (k->placing.weighs)
		k->slot_own = carve(c, k->slots, own_bytes(k));
	k->owner = carve(c, k->frames, sizeof *k->owner);
	k->slot_page = carve(c, k->slots, sizeof *k->slot_page);
	k->slot_next = carve(c, k->slots, sizeof *k->slot_next);
	k->slot_prev = carve(c, k->slots, sizeof *k->slot_prev);
	k->shard = carve(c, k->shards, sizeof *k->shard);
	k->queue = carve(c, g->rings_n, sizeof *k->queue);
	if (k->placing.window)
		k->decisions = carve(c, k->shards, sizeof *k->decisions);
	k->sink = carve(c, 1, g->set.page_bytes);
	g->on_gpu = carve(c, 1, sizeof *g->on_gpu);
}

static void lay_out_shared(struct tide_gpu *g, struct carver *c)
{
	struct td_dev_control *k = &g->control;
	for (uint32_t i = 0; i < g->rings_n; i++)
		g->rings[i].at = carve(c, g->rings[i].entries, sizeof *g->rings[i].at);
	k->slot_status = carve(c, k->slots, sizeof *k->slot_status);
	k->samples = carve(c, k->samples_entries, sizeof *k->samples);
	g->told = carve(c, 1, sizeof *g->told);
	k->told = g->told;
	k->failure = carve(c, 1, sizeof *k->failure);
	if (g->set.lockstep)
		k->log = carve(c, k->log_room, sizeof *k->log);
}

/* ---- how much ---- */

/* More than n. */
static uint32_t power_above(uint64_t n)
{
	return n ? (uint32_t)1 << (64 - __builtin_clzll(n)) : 1;
}

static void set_sizes(struct tide_gpu *g)
{
	const struct td_cuda_settings *s = &g->set;
	struct td_dev_control *k = &g->control;
	uint64_t host = (s->host_pages + s->shards - 1) / s->shards;
	k->pages = s->pages;
	k->frames = (uint32_t)s->near_pages;
	k->shards = s->shards;
	k->shard_slots = (uint32_t)(host + (s->staging_pages + s->shards - 1) / s->shards);
	k->slots = k->shard_slots * k->shards;
	td_assert((k->shards & (k->shards - 1)) == 0);
	td_assert(s->placing.page_words <= TIDE_PAGE_WORDS);
	k->proxies = s->proxies;
	k->page_shift = s->page_shift;
	k->timeout_ns = s->timeout_ns;
	k->log_room = s->lockstep ? LOG_ROOM : 0;
	k->samples_entries = SAMPLES;
	k->place = s->place;
	k->placing = s->placing;
	k->transfer = s->transfer;
	k->host_orchestrated = s->host_orchestrated;
	k->lockstep = s->lockstep;
	k->sampling = s->rate > 0 && !s->host_orchestrated;
}

static int make_rings(struct tide_gpu *g, struct tide_error *err)
{
	g->rings_n = g->set.proxies + 2;
	g->rings = calloc(g->rings_n, sizeof *g->rings);
	if (!g->rings)
		return tide_fail(err, -ENOMEM, "out of memory");
	/* A request has a slot until it is done, so these are never full; beyond a limit, a warp
	 * waits for its turn. */
	for (uint32_t i = 0; i < g->rings_n; i++)
		g->rings[i].entries =
			power_above(g->control.slots < REQUESTS ? g->control.slots : REQUESTS - 1);
	g->rings[g->set.proxies + 1].entries = FAULTS;
	return 0;
}

/* ---- taking it ---- */

static int take(struct tide_gpu *g, bool pinned, uint64_t bytes, void *out, struct tide_error *err)
{
	struct td_cuda_memory *m = &g->memory[g->memory_n];
	m->bytes = (bytes + 4095) / 4096 * 4096;
	m->pinned = pinned;
	int rc = pinned ? td_cuda_device.pinned(&m->at, m->bytes, err)
			: td_cuda_device.memory(&m->at, m->bytes, err);
	if (rc)
		return rc;
	g->memory_n++;
	memcpy(out, &m->at, sizeof m->at);
	return 0;
}

static int take_carved(struct tide_gpu *g, bool pinned,
		       void (*lay_out)(struct tide_gpu *, struct carver *), uint64_t *bytes,
		       struct tide_error *err)
{
	struct carver c = {0};
	lay_out(g, &c);
	*bytes = c.used;
	int rc = take(g, pinned, c.used, &c.base, err);
	c.used = 0;
	if (!rc)
		lay_out(g, &c);
	td_assert(rc || c.used == *bytes); /* it lies as it was measured */
	return rc;
}

void td_cuda_free(struct tide_gpu *g)
{
	while (g->memory_n) {
		struct td_cuda_memory *m = &g->memory[--g->memory_n];
		(m->pinned ? td_cuda_device.pinned_free : td_cuda_device.memory_free)(m->at,
										      m->bytes);
	}
	free(g->rings);
	g->rings = NULL;
}

int td_cuda_allocate(struct tide_gpu *g, struct tide_error *err)
{
	struct td_dev_control *k = &g->control;
	uint64_t pinned_bytes, page = g->set.page_bytes;
	set_sizes(g);
	int rc = make_rings(g, err);
	if (!rc)
		rc = take(g, false, k->frames * page, &k->near_memory, err);
	if (!rc)
		rc = take_carved(g, false, lay_out_tables, &g->metadata_bytes, err);
	if (!rc)
		rc = take(g, true, k->slots * page, &k->host_memory, err);
	if (!rc)
		rc = take_carved(g, true, lay_out_shared, &pinned_bytes, err);
	return rc;
}

/* ---- the first state ---- */

/* How many of n the shard gets, and how many those before it got. */
static uint32_t deal(uint64_t n, uint32_t shards, uint32_t shard, uint32_t *before)
{
	uint64_t each = n / shards, more = n % shards;
	*before = (uint32_t)(each * shard + (shard < more ? shard : more));
	return (uint32_t)(each + (shard < more));
}

/* A third of what a shard has besides tier 2, where that leaves enough for writes. */
static uint32_t read_slots(const struct tide_gpu *g)
{
	uint64_t staging = g->set.staging_pages / g->set.shards;
	return staging < 4 || g->set.host_orchestrated ? 0 : (uint32_t)(staging / 3);
}

static void set_shard(const struct tide_gpu *g, struct td_dev_shard *s, uint32_t i)
{
	const struct td_dev_control *k = &g->control;
	uint32_t before;
	*s = (struct td_dev_shard){0};
	s->frames = deal(k->frames, k->shards, i, &s->first_frame);
	s->host_pages = deal(k->placing.host_pages, k->shards, i, &before);
	s->slots = k->shard_slots;
	s->first_slot = i * k->shard_slots;
	s->read_slots = read_slots(g);
	s->free_slots = s->first_slot;
	s->free_reads = s->read_slots ? s->first_slot + s->slots - s->read_slots : TD_DEV_NONE;
	s->oldest = s->newest = s->writing_first = s->writing_last = TD_DEV_NONE;
	s->random = i ? tide_hash64(g->set.seed + i) : g->set.seed;
}

static int initialise_shards(struct tide_gpu *g, struct tide_error *err)
{
	const struct td_dev_control *k = &g->control;
	struct td_dev_shard *shard = calloc(k->shards, sizeof *shard);
	if (!shard)
		return tide_fail(err, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < k->shards; i++)
		set_shard(g, &shard[i], i);
	int rc = td_cuda_device.copy(k->shard, shard, k->shards * sizeof *shard, err);
	free(shard);
	return rc;
}

/* All slots of a shard are in its lists of free ones. */
static int initialise_slots(struct tide_gpu *g, struct tide_error *err)
{
	const struct td_dev_control *k = &g->control;
	uint64_t bytes = k->slots * sizeof(uint32_t);
	uint32_t *next = malloc(bytes);
	if (!next)
		return tide_fail(err, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < k->slots; i++) {
		uint32_t left = k->shard_slots - 1 - i % k->shard_slots;
		next[i] = left && left != read_slots(g) ? i + 1 : TD_DEV_NONE;
	}
	int rc = td_cuda_device.copy(k->slot_next, next, bytes, err);
	if (!rc)
		rc = td_cuda_device.fill(k->slot_page, 0xff, bytes, err);
	if (!rc)
		rc = td_cuda_device.fill(k->slot_prev, 0xff, bytes, err);
	free(next);
	return rc;
}

/* The 80% rule looks at so many decisions of all shards together. */
static int initialise_decisions(struct tide_gpu *g, struct tide_error *err)
{
	const struct td_dev_control *k = &g->control;
	uint32_t window = (k->placing.window + k->shards - 1) / k->shards;
	if (!window)
		return 0;
	int rc = td_cuda_device.fill(k->decisions, 0, k->shards * sizeof *k->decisions, err);
	for (uint32_t i = 0; i < k->shards && !rc; i++)
		rc = td_cuda_device.copy(&k->decisions[i].window, &window, sizeof window, err);
	return rc;
}

static int initialise_tables(struct tide_gpu *g, struct tide_error *err)
{
	const struct td_dev_control *k = &g->control;
	int rc = td_cuda_device.fill(k->own, 0, k->pages * own_bytes(k), err);
	if (!rc && k->slot_own)
		rc = td_cuda_device.fill(k->slot_own, 0, k->slots * own_bytes(k), err);
	if (!rc)
		rc = td_cuda_device.fill(k->owner, 0xff, k->frames * sizeof *k->owner, err);
	if (!rc)
		rc = td_cuda_device.fill(k->sink, 0, g->set.page_bytes, err);
	if (!rc)
		rc = initialise_slots(g, err);
	if (!rc)
		rc = initialise_shards(g, err);
	if (!rc)
		rc = initialise_decisions(g, err);
	return rc;
}

/* Rings go on where they are: both ends remember. */
static int initialise_control(struct tide_gpu *g, struct tide_error *err)
{
	uint64_t samples_tail = 0;
	int rc = td_cuda_device.copy(&samples_tail, &g->on_gpu->samples_tail, sizeof samples_tail,
				     err);
	double slope = 1, intercept = 0;
	g->control.samples_tail = samples_tail;
	g->control.line_sequence = __atomic_load_n(&g->told->line_sequence, __ATOMIC_ACQUIRE);
	memcpy(&g->control.line_m, &slope, sizeof slope);
	memcpy(&g->control.line_b, &intercept, sizeof intercept);
	if (!rc)
		rc = td_cuda_device.copy(g->on_gpu, &g->control, sizeof g->control, err);
	return rc;
}

int td_cuda_initialise(struct tide_gpu *g, struct tide_error *err)
{
	int rc = initialise_tables(g, err);
	if (!rc)
		rc = initialise_control(g, err);
	memset(g->control.failure, 0, sizeof *g->control.failure);
	return rc;
}

static void number_rings(struct tide_gpu *g)
{
	for (uint32_t i = 0; i < g->rings_n; i++)
		for (uint32_t j = 0; j < g->rings[i].entries; j++)
			g->rings[i].at[j].sequence = j;
	for (uint32_t j = 0; j < g->control.samples_entries; j++)
		g->control.samples[j].sequence = j;
}

int td_cuda_initialise_once(struct tide_gpu *g, struct tide_error *err)
{
	struct td_dev_queue queue[TD_CUDA_PROXIES + 2] = {0};
	number_rings(g);
	for (uint32_t i = 0; i < g->rings_n; i++) {
		queue[i].ring = g->rings[i].at;
		queue[i].entries = g->rings[i].entries;
	}
	int rc = td_cuda_device.copy(g->control.queue, queue, g->rings_n * sizeof *queue, err);
	if (!rc)
		rc = td_cuda_device.fill(g->control.entries, 0,
					 g->control.pages * sizeof *g->control.entries, err);
	if (!rc)
		rc = td_cuda_device.fill(g->on_gpu, 0, sizeof *g->on_gpu, err);
	if (!rc)
		rc = td_cuda_device.fill(g->control.near_memory, 0,
					 g->control.frames * g->set.page_bytes, err);
	return rc ? rc : td_cuda_initialise(g, err);
}
