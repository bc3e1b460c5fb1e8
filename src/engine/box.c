/* Policies at work: their state, who listens to what, and who takes over from one that answers
 * wrongly. */
#include <errno.h>
#include <stdlib.h>

#include "steps.h"
#include "tide/sort.h"

static unsigned members(const struct td_engine_box *box)
{
	return box->members ? box->choice.member_value->n : 0;
}

void td_box_publish(struct td_engine_box *box)
{
	box->view.slots = box->slots.at;
	if (box->given)
		*box->given = box->view;
	for (unsigned i = 0; i < members(box); i++)
		td_box_publish(&box->members[i]);
}

uint64_t td_box_bytes(const struct td_engine_box *box)
{
	uint64_t bytes = box->slots.mapped_bytes;
	for (unsigned i = 0; i < members(box); i++)
		bytes += td_box_bytes(&box->members[i]);
	return bytes;
}

int td_box_reserve(struct td_engine_box *box, uint64_t n)
{
	int rc = tide_vec_reserve(&box->slots, n);
	for (unsigned i = 0; i < members(box) && !rc; i++)
		rc = td_box_reserve(&box->members[i], n);
	return rc;
}

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
		rc = td_box_fill(e, &box->members[i], &box->choice.members[i], err);
		m->at[i].self = box->members[i].self;
	}
	return rc;
}

static int slot_bytes(struct td_engine *e, const struct td_policy_choice *choice, size_t *bytes,
		      struct tide_error *err)
{
	const struct tide_policy *p = choice->policy;
	*bytes = p->chunk_bytes;
	if (!p->chunk_bytes_with)
		return 0;
	td_engine_begin_call(e, TD_CALL_chunk_bytes_with, p->role);
	*bytes = p->chunk_bytes_with(choice->values, e->near.chunk_pages);
	td_engine_end_call(e);
	if (*bytes <= p->chunk_bytes)
		return 0;
	return tide_fail(err, -EPROTO,
			 "%s policy %s wants %zu bytes for each chunk, and has declared %zu: set "
			 "chunk_bytes to the most that chunk_bytes_with() returns",
			 td_policy_role_name(p->role), p->name, *bytes, p->chunk_bytes);
}

/* A shared object may fail without a word, or with a number or a text that is none. */
static int failed(const struct tide_policy *p, const char *callback, int rc, struct tide_error *why,
		  struct tide_error *err)
{
	rc = rc < 0 && rc >= -4095 ? rc : -EINVAL;
	why->text[sizeof why->text - 1] = '\0';
	if (*why->text)
		return tide_fail(err, rc, "%s", why->text);
	return tide_fail(err, rc, "%s policy %s could not start and does not say why: mend its %s",
			 td_policy_role_name(p->role), p->name, callback);
}

static int create(struct td_engine *e, struct td_engine_box *box, void *self,
		  struct tide_error *err)
{
	const struct tide_policy *p = box->choice.policy;
	struct tide_error why = {0, ""};
	if (!p->create)
		return 0;
	td_engine_begin_call(e, TD_CALL_create, p->role);
	int rc = p->create(self, box->given, box->choice.values, &why);
	td_engine_end_call(e);
	return rc ? failed(p, "create", rc, &why, err) : 0;
}

/* Behind the state are bytes that a policy must not write: the guard. */
#define GUARD_BYTES 64
#define GUARD 0xa5

static size_t state_bytes(const struct tide_policy *p)
{
	return (p->state_bytes + GUARD_BYTES + 63) / 64 * 64;
}

static int make_state(struct td_engine *e, struct td_engine_box *box, struct tide_error *err)
{
	const struct tide_policy *p = box->choice.policy;
	unsigned char *self = aligned_alloc(64, state_bytes(p));
	box->given = malloc(sizeof *box->given);
	if (!self || !box->given) {
		free(self);
		return tide_fail(err, -ENOMEM, "out of memory for policy %s", p->name);
	}
	*box->given = box->view;
	memset(self, 0, p->state_bytes);
	memset(self + p->state_bytes, GUARD, state_bytes(p) - p->state_bytes);
	int rc = create(e, box, self, err);
	if (rc)
		free(self);
	else
		box->self = self;
	return rc;
}

int td_box_fill(struct td_engine *e, struct td_engine_box *box, struct td_policy_choice *choice,
		struct tide_error *err)
{
	size_t bytes = 0;
	box->choice = *choice;
	*choice = (struct td_policy_choice){0};
	int rc = fill_members(e, box, err);
	if (!rc)
		rc = slot_bytes(e, &box->choice, &bytes, err);
	if (rc)
		return rc;
	tide_vec_init(&box->slots, bytes);
	rc = tide_vec_reserve(&box->slots, e->room_chunks);
	if (rc)
		return tide_fail(err, rc, "out of memory for the state of policy %s",
				 box->choice.policy->name);
	box->view = (struct tide_view){&e->near, box->slots.at, &e->random};
	return make_state(e, box, err);
}

void td_box_empty(struct td_engine *e, struct td_engine_box *box)
{
	const struct tide_policy *p = box->choice.policy;
	if (box->self && p->destroy) {
		td_engine_begin_call(e, TD_CALL_destroy, p->role);
		p->destroy(box->self);
		td_engine_end_call(e);
	}
	free(box->self);
	free(box->given);
	tide_vec_free(&box->slots);
	for (unsigned i = 0; i < members(box); i++)
		td_box_empty(e, &box->members[i]);
	free(box->members);
	td_policy_release(&box->choice);
	*box = (struct td_engine_box){0};
}

/* ---- what lies behind ---- */

static bool is_all(const unsigned char *at, size_t n, unsigned char byte)
{
	for (size_t i = 0; i < n; i++) {
		if (at[i] != byte)
			return false;
	}
	return true;
}

/* Slots of chunks to come are zero; those that share a page with the last one are looked at. */
static bool slots_end(const struct td_engine *e, const struct td_engine_box *box)
{
	size_t used = (size_t)e->near.chunks * box->slots.item_bytes;
	size_t rest = box->slots.mapped_bytes > used ? box->slots.mapped_bytes - used : 0;
	return is_all(box->slots.at + used, rest < -used % 4096 ? rest : -used % 4096, 0);
}

static int check_guards(const struct td_engine *e, const struct td_engine_box *box,
			struct tide_error *err)
{
	const struct tide_policy *p = box->choice.policy;
	const unsigned char *self = box->self;
	int rc = 0;
	for (unsigned i = 0; i < members(box) && !rc; i++)
		rc = check_guards(e, &box->members[i], err);
	if (rc || !self)
		return rc;
	if (is_all(self + p->state_bytes, state_bytes(p) - p->state_bytes, GUARD) &&
	    slots_end(e, box))
		return 0;
	return tide_fail(err, -EPROTO,
			 "%s policy %s wrote behind its state or behind the slots of its chunks: "
			 "the counts mean nothing, mend the policy",
			 td_policy_role_name(p->role), p->name);
}

int td_box_check_guards(const struct td_engine *e, struct tide_error *err)
{
	int rc = 0;
	for (int i = 0; i < TD_BOXES && !rc; i++)
		rc = check_guards(e, &e->box[i], err);
	return rc;
}

/* ---- who listens ---- */

#define LISTEN(e, box, callback) \
	do { \
		unsigned i_ = 0; \
		while ((e)->ears.callback[i_].fn) \
			i_++; \
		(e)->ears.callback[i_].fn = (box)->choice.policy->callback; \
		(e)->ears.callback[i_].self = (box)->self; \
	} while (0)

void td_box_find_ears(struct td_engine *e)
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

bool td_box_evict_alone(const struct td_engine *e)
{
	bool alone = true;
	for (int i = 0; i < TD_BOX_EVICT; i++) {
		const struct tide_policy *p = e->box[i].self ? e->box[i].choice.policy : NULL;
#define CALL(name) alone &= !p || !p->name;
		TD_CALLS_TOLD(CALL)
#undef CALL
	}
	return alone;
}

/* Chunks in the order of their last migration, for the policy that takes over. */
static int by_migration(const void *a, const void *b, void *arg)
{
	const uint32_t *migrated = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	uint32_t x = migrated[i], y = migrated[j];
	return x != y ? (x > y) - (x < y) : (i > j) - (i < j);
}

/* Memory that the kernel gives: the pager ejects where nothing may be allocated. */
static int resident_by_migration(struct td_engine *e, struct tide_vec *list)
{
	const struct tide_view *v = &e->box[TD_BOX_EVICT].view;
	uint64_t n = 0;
	tide_vec_init(list, sizeof(uint32_t));
	int rc = tide_vec_reserve(list, e->near.resident_chunks + 1);
	if (rc)
		return rc;
	uint32_t *at = (uint32_t *)(void *)list->at;
	for (uint32_t i = 0; i < e->near.chunks; i++) {
		if (tide_resident(v, (tide_chunk){i}))
			at[n++] = i;
	}
	td_assert(n == e->near.resident_chunks);
	tide_sort(at, n, sizeof *at, by_migration, e->migrated.at);
	return 0;
}

/* The policy that takes over is told what is here. */
static int tell_resident(struct td_engine *e, struct td_engine_box *box)
{
	struct tide_vec list;
	int rc = resident_by_migration(e, &list);
	for (uint64_t i = 0; i < e->near.resident_chunks && !rc; i++) {
		tide_chunk c = {((const uint32_t *)(void *)list.at)[i]};
		box->choice.policy->on_migrated(box->self, c, tide_resident(&box->view, c));
	}
	tide_vec_free(&list);
	return rc;
}

static const char *const successors[TD_BOXES] = {"tier-order", "none", "lrm"};

int td_box_fill_spares(struct td_engine *e, struct tide_error *err)
{
	int rc = 0;
	for (unsigned i = 0; i < TD_BOXES && !rc; i++) {
		struct td_policy_choice choice;
		if (!e->box[i].self)
			continue;
		rc = td_policy_choose(&choice, successors[i], e->box[i].choice.policy->role, err);
		if (!rc)
			rc = td_box_fill(e, &e->spare[i], &choice, err);
	}
	return rc;
}

static void note_ejected(struct td_engine *e, const char *name)
{
	size_t used = strlen(e->ejected);
	snprintf(e->ejected + used, sizeof e->ejected - used, "%s%s", used ? ", " : "", name);
}

/* Out with a policy, in with the spare one. The ejected one is destroyed at the end: a fault may be
 * served where the program has locked its heap. */
int td_engine_eject(struct td_engine *e, unsigned which, struct tide_error *err)
{
	struct td_engine_box *box = &e->box[which], out = *box;
	int rc = td_box_reserve(&e->spare[which], e->room_chunks);
	if (rc)
		return tide_fail(err, rc, "out of memory for the state of policy %s",
				 successors[which]);
	*box = e->spare[which];
	e->spare[which] = out;
	td_box_publish(box);
	note_ejected(e, out.choice.policy->name);
	if (which == TD_BOX_EVICT)
		rc = tell_resident(e, box);
	td_box_find_ears(e);
	return rc ? tide_fail(err, rc, "out of memory") : 0;
}

/* ---- learning ---- */

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

int td_engine_teach(struct td_engine *e, struct td_engine_box *box, const struct tide_batch *batch,
		    struct tide_error *err)
{
	const struct tide_policy *p = box->choice.policy;
	struct tide_error why = {0, ""};
	td_engine_begin_call(e, TD_CALL_train, p->role);
	int rc = p->train(box->self, batch, &why);
	td_engine_end_call(e);
	return rc ? failed(p, "train", rc, &why, err) : 0;
}
