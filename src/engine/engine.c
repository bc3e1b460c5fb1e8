/* Life of an engine, and its arrays by chunk. */
#include "engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "log.h"
#include "steps.h"
#include "tide/sort.h"

/* No run has so many pages: 2^32 chunks of 64. Memory beyond it makes no difference, and policies
 * can multiply what they are told. */
#define MORE_THAN_ALL (UINT64_C(1) << 40)

static uint32_t lane_bytes(uint32_t chunk_pages)
{
	return chunk_pages <= 8 ? 1 : chunk_pages <= 16 ? 2 : chunk_pages <= 32 ? 4 : 8;
}

static unsigned members(const struct td_engine_box *box)
{
	return box->members ? box->choice.member_value->n : 0;
}

static void publish_slots(struct td_engine_box *box)
{
	box->view.slots = box->slots.at;
	for (unsigned i = 0; i < members(box); i++)
		publish_slots(&box->members[i]);
}

static uint64_t slots_bytes(const struct td_engine_box *box)
{
	uint64_t bytes = box->slots.mapped_bytes;
	for (unsigned i = 0; i < members(box); i++)
		bytes += slots_bytes(&box->members[i]);
	return bytes;
}

uint64_t td_engine_bytes(const struct td_engine *e)
{
	uint64_t bytes = e->bits.mapped_bytes + e->planned.mapped_bytes + e->migrated.mapped_bytes +
			 e->next_use.mapped_bytes + e->tiers.links.mapped_bytes +
			 e->tiers.flags.mapped_bytes;
	for (int i = 0; i < TD_BOXES; i++)
		bytes += slots_bytes(&e->box[i]);
	return bytes;
}

/* Pointers that policies look through, after arrays may have moved. */
static void publish(struct td_engine *e)
{
	e->near.chunks = e->space.n;
	e->near.bits = e->bits.at;
	e->near.numbers = e->space.identity ? NULL : (const uint64_t *)(void *)e->space.numbers.at;
	e->near.next_use = (const uint32_t *)(void *)e->next_use.at;
	for (int i = 0; i < TD_BOXES; i++)
		publish_slots(&e->box[i]);
	e->moves++;
}

static int reserve_slots(struct td_engine_box *box, uint64_t n)
{
	int rc = tide_vec_reserve(&box->slots, n);
	for (unsigned i = 0; i < members(box) && !rc; i++)
		rc = reserve_slots(&box->members[i], n);
	return rc;
}

/* State for every chunk index given out so far. */
static int make_room_for_chunks(struct td_engine *e)
{
	int rc = 0;
	if (e->space.n > e->room_chunks) {
		uint64_t n = e->space.n;
		rc = tide_vec_reserve(&e->bits, n);
		for (int i = 0; i < TD_BOXES && !rc; i++)
			rc = reserve_slots(&e->box[i], n);
		if (!rc)
			rc = tide_vec_reserve(&e->planned, n / 64 + 1);
		if (!rc)
			rc = tide_vec_reserve(&e->migrated, n);
		if (!rc)
			rc = tide_vec_reserve(&e->next_use, n);
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

static int index_failed(int rc, struct tide_error *err)
{
	if (rc == -EOVERFLOW)
		return tide_fail(
			err, rc,
			"the input has a page beyond its own address range, or more than 4 billion chunks: "
			"give a larger `chunk`");
	return tide_fail(err, rc,
			 "out of memory for the state of the chunks: give a larger `chunk`");
}

int td_engine_translate(struct td_engine *e, const struct tide_batch *batch, struct tide_error *err)
{
	int rc = td_space_batch(&e->space, batch->page, batch->n, e->index, e->bit);
	if (!rc && e->space.n != e->near.chunks)
		rc = make_room_for_chunks(e);
	return rc ? index_failed(rc, err) : 0;
}

/* Where maps come between the events of a batch, what is behind one has no index before it. */
int td_engine_translate_part(struct td_engine *e, const struct tide_batch *batch, uint32_t from,
			     uint32_t end, struct tide_error *err)
{
	int rc = td_space_batch(&e->space, batch->page + from, end - from, e->index + from,
				e->bit + from);
	return rc ? index_failed(rc, err) : 0;
}

int td_engine_index(struct td_engine *e, uint64_t number, uint32_t *index)
{
	int rc = td_space_index(&e->space, number, index);
	if (!rc && e->space.n != e->near.chunks)
		rc = make_room_for_chunks(e);
	return rc;
}

static int fill_box(struct td_engine *e, struct td_engine_box *box, struct td_policy_choice *choice,
		    struct tide_error *err);

/* The policies inside come first: their owner's create gets them ready to work. */
static int fill_members(struct td_engine *e, struct td_engine_box *box, struct tide_error *err)
{
	struct tide_members *m = box->choice.member_value;
	if (!box->choice.members)
		return 0;
	box->members = calloc(m->n, sizeof *box->members);
	if (!box->members)
		return tide_fail(err, -ENOMEM, "out of memory");
	int rc = 0;
	for (unsigned i = 0; i < m->n && !rc; i++) {
		rc = fill_box(e, &box->members[i], &box->choice.members[i], err);
		m->at[i].self = box->members[i].self;
	}
	return rc;
}

static size_t slot_bytes(const struct td_engine *e, const struct td_policy_choice *choice)
{
	const struct tide_policy *p = choice->policy;
	return p->chunk_bytes_with ? p->chunk_bytes_with(choice->values, e->near.chunk_pages)
				   : p->chunk_bytes;
}

/* A shared object may fail without a word, or with a number that is none of ours. */
static int create(const struct tide_policy *p, void *self, struct td_engine_box *box,
		  struct tide_error *err)
{
	struct tide_error why = {0, ""};
	int rc = p->create ? p->create(self, &box->view, box->choice.values, &why) : 0;
	if (!rc)
		return 0;
	rc = rc < 0 ? rc : -EINVAL;
	if (*why.text)
		return tide_fail(err, rc, "%s", why.text);
	return tide_fail(err, rc,
			 "%s policy %s could not start and does not say why: mend its create",
			 td_policy_role_name(p->role), p->name);
}

static int fill_box(struct td_engine *e, struct td_engine_box *box, struct td_policy_choice *choice,
		    struct tide_error *err)
{
	const struct tide_policy *p = choice->policy;
	box->choice = *choice;
	*choice = (struct td_policy_choice){0};
	int rc = fill_members(e, box, err);
	if (rc)
		return rc;
	tide_vec_init(&box->slots, slot_bytes(e, &box->choice));
	rc = tide_vec_reserve(&box->slots, e->room_chunks);
	if (rc)
		return tide_fail(err, rc, "out of memory for the state of policy %s", p->name);
	box->view = (struct tide_view){&e->near, box->slots.at, &e->random};
	void *self = aligned_alloc(64, (p->state_bytes + 64) / 64 * 64);
	if (!self)
		return tide_fail(err, -ENOMEM, "out of memory for policy %s", p->name);
	memset(self, 0, p->state_bytes);
	rc = create(p, self, box, err);
	if (rc)
		free(self);
	else
		box->self = self;
	return rc;
}

static void empty_box(struct td_engine_box *box)
{
	if (box->self && box->choice.policy->destroy)
		box->choice.policy->destroy(box->self);
	free(box->self);
	tide_vec_free(&box->slots);
	for (unsigned i = 0; i < members(box); i++)
		empty_box(&box->members[i]);
	free(box->members);
	td_policy_release(&box->choice);
	*box = (struct td_engine_box){0};
}

#define LISTEN(e, box, callback) \
	do { \
		unsigned i_ = 0; \
		while ((e)->ears.callback[i_].fn) \
			i_++; \
		(e)->ears.callback[i_].fn = (box)->choice.policy->callback; \
		(e)->ears.callback[i_].self = (box)->self; \
	} while (0)

static void find_ears(struct td_engine *e)
{
	memset(&e->ears, 0, sizeof e->ears);
	e->moves++;
	if (e->box[TD_BOX_EVICT].self) {
		const struct tide_policy *p = e->box[TD_BOX_EVICT].choice.policy;
		e->pick_victim = p->pick_victim;
		e->pick_observed = p->pick_observed;
		e->follows_lru = p->follows_lru;
	}
	e->evict_self = e->box[TD_BOX_EVICT].self;
	if (e->box[TD_BOX_PREFETCH].self)
		e->plan_prefetch = e->box[TD_BOX_PREFETCH].choice.policy->plan_prefetch;
	for (int i = 0; i < TD_BOXES; i++) {
		const struct td_engine_box *box = &e->box[i];
		if (!box->self)
			continue;
		LISTEN(e, box, on_full);
		LISTEN(e, box, on_fault);
		LISTEN(e, box, on_migrated);
		LISTEN(e, box, on_notice);
		LISTEN(e, box, on_evicted);
		LISTEN(e, box, on_boundary);
		if (box->choice.needs & TIDE_NEEDS_ACCESSES)
			LISTEN(e, box, on_access);
	}
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
	uint64_t pages = config->near_pages < MORE_THAN_ALL ? config->near_pages : MORE_THAN_ALL;
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
	tide_vec_init(&e->chunk_at, sizeof(uint32_t));
	tide_vec_init(&e->next_after, sizeof(uint32_t));
	int rc = td_space_init(&e->space, config->chunk_pages, range, chunks);
	if (!rc)
		rc = make_room_for_chunks(e);
	return rc ? index_failed(rc, err) : 0;
}

static int init(struct td_engine *e, struct td_engine_config *config, struct tide_error *err)
{
	init_near(e, config);
	e->near.plan = &e->plan;
	e->random = config->seed;
	e->replace_invalid = config->replace_invalid;
	e->carrier = config->carrier;
	int rc = td_engine_check_needs(config, err);
	if (!rc)
		rc = init_arrays(e, config, err);
	if (!rc && config->place.policy)
		rc = fill_box(e, &e->box[TD_BOX_PLACE], &config->place, err);
	if (!rc && config->prefetch.policy)
		rc = fill_box(e, &e->box[TD_BOX_PREFETCH], &config->prefetch, err);
	if (!rc)
		rc = fill_box(e, &e->box[TD_BOX_EVICT], &config->evict, err);
	if (!rc && config->log_path)
		rc = td_engine_log_open(&e->log, config->log_path, err);
	find_ears(e);
	if (!rc && e->observing)
		td_observe_init(e);
	e->single_pages = config->chunk_pages == 1 && !config->log_path &&
			  !config->replace_invalid && !e->plan_prefetch && !e->observing &&
			  !e->tiers.on && !e->maps.on;
	return rc;
}

int td_engine_create(struct td_engine **out, struct td_engine_config *config,
		     struct tide_error *err)
{
	/* On whole cache lines: the first few have all that a fault changes. */
	size_t bytes = (sizeof(struct td_engine) + 63) / 64 * 64;
	struct td_engine *e = aligned_alloc(64, bytes);
	if (e) {
		memset(e, 0, bytes);
		e->counts.size = sizeof e->counts;
	}
	int rc = e ? init(e, config, err) : tide_fail(err, -ENOMEM, "out of memory");
	td_policy_release(&config->evict);
	td_policy_release(&config->prefetch);
	td_policy_release(&config->place);
	if (rc && e)
		td_engine_destroy(e);
	else if (!rc)
		*out = e;
	return rc;
}

int td_engine_finish(struct td_engine *e, struct tide_error *err)
{
	int rc = td_engine_log_close(e->log, err);

	td_checked(td_engine_check(e));
	e->log = NULL;
	return rc;
}

void td_engine_destroy(struct td_engine *e)
{
	if (!e)
		return;
	td_engine_log_close(e->log, NULL);
	for (int i = 0; i < TD_BOXES; i++)
		empty_box(&e->box[i]);
	td_space_free(&e->space);
	struct tide_vec *all[] = {&e->bits,       &e->planned,    &e->migrated,    &e->next_use,
				  &e->chunk_at,   &e->next_after, &e->tiers.links, &e->tiers.flags,
				  &e->maps.first, &e->maps.end};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		tide_vec_free(all[i]);
	free(e);
}

/* Chunks in the order of their last migration, for the policy that takes over. */
static int by_migration(const void *a, const void *b, void *arg)
{
	const uint32_t *migrated = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	uint32_t x = migrated[i], y = migrated[j];
	return x != y ? (x > y) - (x < y) : (i > j) - (i < j);
}

static uint32_t *resident_by_migration(struct td_engine *e, uint64_t *n)
{
	const struct tide_view *v = &e->box[TD_BOX_EVICT].view;
	uint32_t *list = malloc((e->near.resident_chunks + 1) * sizeof *list);
	*n = 0;
	for (uint32_t i = 0; list && i < e->near.chunks; i++) {
		if (tide_resident(v, (tide_chunk){i}))
			list[(*n)++] = i;
	}
	if (list)
		tide_sort(list, *n, sizeof *list, by_migration, e->migrated.at);
	return list;
}

/* Out with the eviction policy, in with lrm, which is told what is here. */
int td_engine_eject(struct td_engine *e, struct tide_error *err)
{
	struct td_engine_box *box = &e->box[TD_BOX_EVICT];
	struct td_policy_choice lrm;
	uint64_t n;
	uint32_t *list = resident_by_migration(e, &n);
	if (!list)
		return tide_fail(err, -ENOMEM, "out of memory");
	td_assert(!*e->ejected && n == e->near.resident_chunks);
	snprintf(e->ejected, sizeof e->ejected, "%s", box->choice.policy->name);
	empty_box(box);
	int rc = td_policy_choose(&lrm, "lrm", TIDE_EVICT, err);
	if (!rc)
		rc = fill_box(e, box, &lrm, err);
	for (uint64_t i = 0; i < n && !rc; i++) {
		tide_chunk c = {list[i]};
		box->choice.policy->on_migrated(box->self, c, tide_resident(&box->view, c));
	}
	free(list);
	find_ears(e);
	return rc;
}

static int train_box(struct td_engine_box *box, td_engine_feed *feed, void *arg,
		     struct tide_error *err)
{
	int rc = 0;
	for (unsigned i = 0; i < members(box) && !rc; i++)
		rc = train_box(&box->members[i], feed, arg, err);
	const struct tide_policy *p = box->choice.policy;
	for (size_t i = 0; p && p->params && p->params[i].name && !rc; i++) {
		if (p->params[i].type == TIDE_PARAM_TRACE && p->train &&
		    *box->choice.values[i].text)
			rc = feed(arg, box->choice.values[i].text, box, err);
	}
	return rc;
}

int td_engine_train(struct td_engine *e, td_engine_feed *feed, void *arg, struct tide_error *err)
{
	int rc = 0;
	for (int i = 0; i < TD_BOXES && !rc; i++)
		rc = train_box(&e->box[i], feed, arg, err);
	return rc;
}
