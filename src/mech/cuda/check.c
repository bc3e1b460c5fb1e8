/* Do the tables at rest agree with each other? */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "runtime.h"
#include "tide/device/queue.h"

enum { NOWHERE, IN_FREE, IN_HOST, IN_WRITING }; /* lists that a slot can be in */

struct look {
	struct tide_gpu *g;
	struct td_cuda_tables t;
	unsigned char *in; /* of slots */
	struct tide_error *err;
};

#define WRONG(look, ...) tide_fail((look)->err, -EUCLEAN, __VA_ARGS__)

/* ---- lists of slots ---- */

static int walk(struct look *l, const struct td_dev_shard *s, uint32_t first, unsigned char what,
		uint32_t *n)
{
	static const char *const names[] = {"", "free", "tier 2", "writing"};
	uint32_t shard = s->first_slot / l->g->control.shard_slots;
	*n = 0;
	for (uint32_t slot = first; slot != TD_DEV_NONE; slot = l->t.slot_next[slot], ++*n) {
		if (slot < s->first_slot || slot >= s->first_slot + s->slots)
			return WRONG(l,
				     "slot %" PRIu32 " is in the %s list of shard %" PRIu32
				     ", whose it is not",
				     slot, names[what], shard);
		if (l->in[slot])
			return WRONG(l, "slot %" PRIu32 " is in the %s list, and in the %s list",
				     slot, names[l->in[slot]], names[what]);
		l->in[slot] = what;
		uint32_t page = l->t.slot_page[slot];
		if ((page == TD_DEV_NONE) != (what == IN_FREE))
			return WRONG(l, "slot %" PRIu32 " of the %s list has page %" PRId32, slot,
				     names[what], (int32_t)page);
	}
	return 0;
}

static int check_shard(struct look *l, const struct td_dev_shard *s)
{
	uint32_t free_n, reads_n, host_n, writing_n;
	uint32_t shard = s->first_slot / l->g->control.shard_slots;
	if (s->lock)
		return WRONG(l, "the lock of shard %" PRIu32 " is taken", shard);
	if (s->leaving)
		return WRONG(l, "shard %" PRIu32 " has %" PRIu64 " slots that pages are leaving",
			     shard, s->leaving);
	int rc = walk(l, s, s->free_slots, IN_FREE, &free_n);
	if (!rc)
		rc = walk(l, s, s->free_reads, IN_FREE, &reads_n);
	if (!rc)
		rc = walk(l, s, s->oldest, IN_HOST, &host_n);
	if (!rc)
		rc = walk(l, s, s->writing_first, IN_WRITING, &writing_n);
	if (rc)
		return rc;
	free_n += reads_n;
	if (free_n + host_n + writing_n != s->slots || reads_n != s->read_slots)
		return WRONG(l,
			     "shard %" PRIu32 " has %" PRIu32 " slots, of which %" PRIu32
			     " are free, %" PRIu32 " of tier 2 and %" PRIu32 " being written",
			     shard, s->slots, free_n, host_n, writing_n);
	if (host_n != s->host_used || host_n > s->host_pages)
		return WRONG(l,
			     "shard %" PRIu32 " has %" PRIu32 " pages of tier 2, says %" PRIu32
			     ", and may have %" PRIu32,
			     shard, host_n, s->host_used, s->host_pages);
	return 0;
}

/* ---- pages ---- */

static int check_place(struct look *l, uint32_t page, uint64_t e)
{
	uint32_t index = td_dev_index(e);
	enum td_dev_state state = td_dev_state(e);
	if (state == TD_DEV_TIER1) {
		if (index >= l->g->control.frames || l->t.owner[index] != page)
			return WRONG(l,
				     "page %" PRIu32 " is in frame %" PRIu32 ", which is another's",
				     page, index);
		return 0;
	}
	unsigned char list = state == TD_DEV_TIER2 ? IN_HOST : IN_WRITING;
	if (index >= l->g->control.slots || l->t.slot_page[index] != page || l->in[index] != list)
		return WRONG(l, "page %" PRIu32 " is in slot %" PRIu32 " (%s), which is not so",
			     page, index, list == IN_HOST ? "tier 2" : "being written");
	if (state == TD_DEV_WRITING && td_dev_status(&l->g->control, index) == TD_DEV_PENDING)
		return WRONG(l, "page %" PRIu32 " in slot %" PRIu32 " is still being written", page,
			     index);
	return 0;
}

static int check_page(struct look *l, uint32_t page)
{
	static const char *const states[] = {"absent",   "tier 1", "loading", "promoting",
					     "evicting", "tier 2", "writing", "(none)"};
	uint64_t e = l->t.entries[page];
	enum td_dev_state state = td_dev_state(e);
	if (td_dev_pins(e))
		return WRONG(l, "page %" PRIu32 " (%s) has %" PRIu32 " pins (entry %016" PRIx64 ")",
			     page, states[state], td_dev_pins(e), e);
	if (state != TD_DEV_ABSENT && state != TD_DEV_TIER1 && state != TD_DEV_TIER2 &&
	    state != TD_DEV_WRITING)
		return WRONG(l, "page %" PRIu32 " is %s at rest (entry %016" PRIx64 ")", page,
			     states[state], e);
	if (state == TD_DEV_ABSENT && e & TD_DEV_DIRTY)
		return WRONG(l, "page %" PRIu32 " is dirty and nowhere", page);
	if (state != TD_DEV_ABSENT && e & TD_DEV_FRESH)
		return WRONG(l, "page %" PRIu32 " is %s, and no file ever had it", page,
			     states[state]);
	if (state == TD_DEV_WRITING && !(e & TD_DEV_DIRTY))
		return WRONG(l, "page %" PRIu32 " is clean and being written", page);
	return state == TD_DEV_ABSENT ? 0 : check_place(l, page, e);
}

static int check_frame(struct look *l, uint32_t frame)
{
	uint32_t page = l->t.owner[frame];
	if (page == TD_DEV_NONE)
		return 0;
	uint64_t e = page < l->g->pages_used ? l->t.entries[page] : 0;
	if (td_dev_state(e) == TD_DEV_TIER1 && td_dev_index(e) == frame)
		return 0;
	return WRONG(l,
		     "frame %" PRIu32 " says that it has page %" PRIu32
		     ", which is elsewhere (entry %016" PRIx64 ")",
		     frame, page, e);
}

static int check_all(struct look *l)
{
	int rc = 0;
	for (uint32_t i = 0; i < l->g->control.shards && !rc; i++)
		rc = check_shard(l, &l->t.shard[i]);
	for (uint32_t i = 0; i < l->g->pages_used && !rc; i++)
		rc = check_page(l, i);
	for (uint32_t i = 0; i < l->g->control.frames && !rc; i++)
		rc = check_frame(l, i);
	return rc;
}

int td_cuda_check(struct tide_gpu *g, struct tide_error *err)
{
	struct look l = {.g = g, .err = err};
	int rc = td_cuda_ready(g, err);
	if (!rc)
		rc = td_cuda_tables_load(g, &l.t, err);
	if (rc)
		return rc;
	l.in = calloc(g->control.slots, 1);
	rc = l.in ? check_all(&l) : tide_fail(err, -ENOMEM, "out of memory");
	free(l.in);
	td_cuda_tables_free(&l.t);
	return rc;
}

int td_cuda_check_rest(struct tide_gpu *g)
{
	return td_cuda_check(g, NULL) == -EUCLEAN ? -EUCLEAN : 0;
}
