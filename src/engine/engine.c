/* Makes and frees an engine, and its arrays by chunk. */
#include "engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "log.h"
#include "steps.h"

/* No run has so many pages: 2^32 chunks of 64. Memory beyond it makes no difference, and policies
 * can multiply what they are told. */
#define MORE_THAN_ALL (UINT64_C(1) << 40)
#define MORE_BYTES_THAN_ALL (UINT64_C(1) << 62) /* the same, where near memory is bytes */

static uint32_t lane_bytes(uint32_t chunk_pages)
{
	return chunk_pages <= 8 ? 1 : chunk_pages <= 16 ? 2 : chunk_pages <= 32 ? 4 : 8;
}

uint64_t td_engine_bytes(const struct td_engine *e)
{
	uint64_t bytes = e->bits.mapped_bytes + e->planned.mapped_bytes + e->migrated.mapped_bytes +
			 e->next_use.mapped_bytes + e->objects.mapped_bytes +
			 e->tiers.links.mapped_bytes + e->tiers.flags.mapped_bytes;
	for (int i = 0; i < TD_BOXES; i++)
		bytes += td_box_bytes(&e->box[i]);
	return bytes;
}

/* Pointers that policies look through, after arrays may have moved. */
static void publish(struct td_engine *e)
{
	e->near.chunks = e->space.n;
	e->near.bits = e->bits.at;
	e->near.numbers = e->space.identity ? NULL : (const uint64_t *)(void *)e->space.numbers.at;
	e->near.next_use = (const uint32_t *)(void *)e->next_use.at;
	e->near.objects = (const struct tide_object *)(void *)e->objects.at;
	if (e->held_chunks)
		e->near.planned = (const uint64_t *)(void *)e->planned.at;
	for (int i = 0; i < TD_BOXES; i++)
		td_box_publish(&e->box[i]);
	e->moves++;
}

/* State for every chunk index given out so far. */
static int make_room_for_chunks(struct td_engine *e)
{
	int rc = 0;
	if (e->space.n > e->room_chunks) {
		uint64_t n = e->space.n;
		rc = tide_vec_reserve(&e->bits, n);
		for (int i = 0; i < TD_BOXES && !rc; i++)
			rc = td_box_reserve(&e->box[i], n);
		if (!rc)
			rc = tide_vec_reserve(&e->planned, n / 64 + 1);
		if (!rc)
			rc = tide_vec_reserve(&e->migrated, n);
		if (!rc)
			rc = tide_vec_reserve(&e->next_use, n);
		if (!rc)
			rc = tide_vec_reserve(&e->objects, n);
		if (!rc)
			rc = tide_vec_reserve(&e->tiers.links, n);
		if (!rc)
			rc = tide_vec_reserve(&e->tiers.flags, n);
		if (!rc)
			e->room_chunks = n;
	}
	publish(e);
	return rc;
}

/* Identity numbers up to n chunks; if that fails nothing has changed. */
int td_engine_grow(struct td_engine *e, uint64_t n)
{
	uint32_t was = e->space.n;
	if (n <= was)
		return 0;
	if (n >= UINT32_MAX)
		return -EOVERFLOW;
	e->space.n = (uint32_t)n;
	int rc = make_room_for_chunks(e);
	if (rc) {
		e->space.n = was;
		publish(e);
	}
	return rc;
}

int td_engine_index_failed(int rc, struct tide_error *err)
{
	if (rc == -EOVERFLOW)
		return tide_fail(
			err, rc,
			"the input has a page beyond its own address range, or more than 4 billion chunks: "
			"give a larger `chunk`");
	return tide_fail(err, rc,
			 "out of memory for the state of the chunks: give a larger `chunk`");
}

int td_engine_share(struct td_engine *e, const struct td_space *space, struct tide_error *err)
{
	td_assert(!e->borrows && !e->counts.accesses && !e->wants_future);
	td_space_free(&e->space);
	e->space = *space;
	e->borrows = true;
	int rc = make_room_for_chunks(e);
	return rc ? td_engine_index_failed(rc, err) : 0;
}

int td_engine_translate(struct td_engine *e, const struct tide_batch *batch, struct tide_error *err)
{
	td_assert(!e->borrows);
	int rc = td_space_batch(&e->space, batch->page, batch->n, e->index, e->bit);
	if (!rc && e->space.n != e->near.chunks)
		rc = make_room_for_chunks(e);
	return rc ? td_engine_index_failed(rc, err) : 0;
}

/* Where maps come between the events of a batch, what is behind one has no index before it. */
int td_engine_translate_part(struct td_engine *e, const struct tide_batch *batch, uint32_t from,
			     uint32_t end, struct tide_error *err)
{
	int rc = td_space_batch(&e->space, batch->page + from, end - from, e->index + from,
				e->bit + from);
	return rc ? td_engine_index_failed(rc, err) : 0;
}

int td_engine_index(struct td_engine *e, uint64_t number, uint32_t *index)
{
	td_assert(!e->borrows);
	int rc = td_space_index(&e->space, number, index);
	if (!rc && e->space.n != e->near.chunks)
		rc = make_room_for_chunks(e);
	return rc;
}

static tide_chunk find_chunk(const struct tide_near *near, uint64_t number)
{
	/* The near memory that policies see is the first member of the engine. */
	const struct td_engine *e = (const struct td_engine *)(const void *)near;
	return (tide_chunk){td_space_find(&e->space, number)};
}

static void init_near(struct td_engine *e, const struct td_engine_config *config)
{
	uint32_t lane = lane_bytes(config->chunk_pages);
	uint64_t most = config->sized ? MORE_BYTES_THAN_ALL : MORE_THAN_ALL;
	uint64_t pages = config->near_pages < most ? config->near_pages : most;
	e->near = (struct tide_near){
		.capacity_pages = pages,
		.free_pages = pages,
		.last_page = config->maps ? 0 : config->last_page,
		.chunk_pages = config->chunk_pages,
		.lane_bytes = lane,
		.record_shift = 2 + (uint32_t)__builtin_ctz(lane),
		.fault_chunk = TIDE_NO_CHUNK,
		.length = config->length,
		.allocations = config->maps ? NULL : config->allocations,
		.allocations_n = config->allocations && !config->maps ? config->allocations_n : 0,
		.find = find_chunk,
		.host_pages = config->host_pages,
		.host_free_pages = config->host_pages,
		.group_at = TIDE_NEVER,
		.page_bytes = config->page_bytes ? config->page_bytes : 1,
	};
}

static int init_arrays(struct td_engine *e, const struct td_engine_config *config,
		       struct tide_error *err)
{
	uint64_t chunks = TD_SPACE_ANY, range = TD_SPACE_ANY;
	if (config->maps)
		range = 0;
	else if (config->last_page != UINT64_MAX)
		range = config->last_page / config->chunk_pages + 1;
	if (config->pages != UINT64_MAX)
		chunks = config->pages;
	unsigned needs = config->evict.needs | config->prefetch.needs | config->place.needs;
	e->wants_future = needs & TIDE_NEEDS_FUTURE;
	e->observing = needs & TIDE_NEEDS_NOTICES;
	e->tiers.on = config->place.policy != NULL;
	e->tiers.inclusive = e->tiers.on && config->place.policy->inclusive;
	td_maps_init(e, config->maps);
	tide_list_init(&e->tiers.queue);
	tide_vec_init(&e->tiers.links, e->tiers.on ? sizeof(struct tide_link) : 0);
	tide_vec_init(&e->tiers.flags, e->tiers.on ? 1 : 0);
	tide_vec_init(&e->bits, (size_t)1 << e->near.record_shift);
	tide_vec_init(&e->planned, sizeof(uint64_t));
	tide_vec_init(&e->migrated, config->replace_invalid ? sizeof(uint32_t) : 0);
	tide_vec_init(&e->next_use, e->wants_future ? sizeof(uint32_t) : 0);
	tide_vec_init(&e->objects, e->sized ? sizeof(struct tide_object) : 0);
	tide_vec_init(&e->chunk_at, sizeof(uint32_t));
	tide_vec_init(&e->next_after, sizeof(uint32_t));
	tide_vec_init(&e->gone, 3 * sizeof(uint64_t));
	int rc = td_space_init(&e->space, config->chunk_pages, range, chunks);
	if (!rc)
		rc = make_room_for_chunks(e);
	return rc ? td_engine_index_failed(rc, err) : 0;
}

static int init(struct td_engine *e, struct td_engine_config *config, struct tide_error *err)
{
	init_near(e, config);
	e->near.plan = &e->plan;
	e->random = config->seed;
	e->replace_invalid = config->replace_invalid;
	e->sized = config->sized;
	e->whole = config->whole;
	e->carrier = config->carrier;
	int rc = td_engine_check_needs(config, err);
	if (!rc)
		rc = init_arrays(e, config, err);
	if (!rc && config->place.policy)
		rc = td_box_fill(e, &e->box[TD_BOX_PLACE], &config->place, err);
	if (!rc && config->prefetch.policy)
		rc = td_box_fill(e, &e->box[TD_BOX_PREFETCH], &config->prefetch, err);
	if (!rc)
		rc = td_box_fill(e, &e->box[TD_BOX_EVICT], &config->evict, err);
	if (!rc && config->log_path)
		rc = td_engine_log_open(&e->log, config->log_path, err);
	td_box_find_ears(e);
	if (!rc && e->replace_invalid)
		rc = td_box_fill_spares(e, err);
	if (!rc && e->observing)
		rc = td_observe_init(e, err);
	e->single_pages = config->chunk_pages == 1 && !config->log_path &&
			  !config->replace_invalid && !e->plan_prefetch && !e->observing &&
			  !e->tiers.on && !e->maps.on && td_box_evict_alone(e);
	td_assert(rc || !e->sized || (config->chunk_pages == 1 && !e->wants_future));
	return rc;
}

int td_engine_new(struct td_engine **out, struct tide_error *err)
{
	/* On whole cache lines: the first few have all that a fault changes. */
	size_t bytes = (sizeof(struct td_engine) + 63) / 64 * 64;
	struct td_engine *e = aligned_alloc(64, bytes);
	if (!e)
		return tide_fail(err, -ENOMEM, "out of memory");
	memset(e, 0, bytes);
	e->counts.size = sizeof e->counts;
	*out = e;
	return 0;
}

int td_engine_start(struct td_engine *e, struct td_engine_config *config, struct tide_error *err)
{
	int rc = init(e, config, err);
	td_policy_release(&config->evict);
	td_policy_release(&config->prefetch);
	td_policy_release(&config->place);
	return rc;
}

int td_engine_create(struct td_engine **out, struct td_engine_config *config,
		     struct tide_error *err)
{
	struct td_engine *e = NULL;
	int rc = td_engine_new(&e, err);
	if (!rc)
		rc = td_engine_start(e, config, err);
	if (rc)
		td_engine_destroy(e);
	else
		*out = e;
	return rc;
}

void td_engine_begin_again(struct td_engine *e)
{
	td_engine_log_disown(e->log);
	e->log = NULL;
	e->counts = (struct tide_counts){.size = sizeof e->counts};
	e->remote_only = 0;
}

int td_engine_finish(struct td_engine *e, struct tide_error *err)
{
	int rc = td_engine_log_close(e->log, err);

	td_checked(td_engine_check(e));
	e->log = NULL;
	return rc ? rc : td_box_check_guards(e, err);
}

void td_engine_dismiss(struct td_engine *e)
{
	for (int i = 0; i < TD_BOXES; i++) {
		td_box_empty(e, &e->box[i]);
		td_box_empty(e, &e->spare[i]);
	}
}

static void release(struct td_engine *e)
{
	td_engine_log_close(e->log, NULL);
	td_engine_dismiss(e);
	if (!e->borrows)
		td_space_free(&e->space);
	struct tide_vec *all[] = {&e->bits,       &e->planned,    &e->migrated,    &e->next_use,
				  &e->chunk_at,   &e->next_after, &e->tiers.links, &e->tiers.flags,
				  &e->maps.first, &e->maps.end,   &e->gone,        &e->objects};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		tide_vec_free(all[i]);
}

void td_engine_reset(struct td_engine *e)
{
	release(e);
	uint64_t calls_done = e->calls_done; /* a watchdog looks at it */
	memset(e, 0, sizeof *e);
	e->calls_done = calls_done;
	e->counts.size = sizeof e->counts;
}

void td_engine_destroy(struct td_engine *e)
{
	if (!e)
		return;
	release(e);
	free(e);
}
