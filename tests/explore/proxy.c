/* The model of the proxies and of the copy engine: they answer in any order, but those of a page
 * one after the other. What they read must not change from the request to the answer. */
#include "explore.h"

#include <errno.h>
#include <string.h>

#include "tide/device/entry.h"

enum { MAX = 2 * RING };

struct pending {
	struct td_dev_request r;
	uint64_t was[WORDS]; /* what it reads, as it was when the request came */
};

static struct pending pending[MAX];
static unsigned pending_n;
static uint64_t taken[2];
static uint32_t seen[TD_DEV_NOTICE + 1];

void proxy_reset(void)
{
	processor_reset();
	pending_n = 0;
	memset(taken, 0, sizeof taken);
	memset(seen, 0, sizeof seen);
}

static uint64_t *slot_at(uint32_t slot)
{
	return &world.host[slot * WORDS];
}

static uint64_t *source_of(const struct td_dev_request *r)
{
	switch (r->op) {
	case TD_DEV_READ: return &world.file[r->page * WORDS];
	case TD_DEV_COPY_OUT: return &world.near[r->frame * WORDS];
	default: return slot_at(r->slot);
	}
}

static uint64_t *target_of(const struct td_dev_request *r)
{
	switch (r->op) {
	case TD_DEV_WRITE: return &world.file[r->page * WORDS];
	case TD_DEV_COPY_IN: return &world.near[r->frame * WORDS];
	default: return slot_at(r->slot);
	}
}

static void take(void)
{
	for (unsigned q = 0; q < 2; q++) {
		for (;;) {
			struct td_dev_request *r = &world.ring[q][taken[q] % RING];
			if (r->sequence != taken[q] + 1)
				break;
			struct pending *p = &pending[pending_n++];
			p->r = *r;
			memcpy(p->was, source_of(r), sizeof p->was);
			if (r->op == TD_DEV_READ) /* nobody may look before the answer */
				memset(slot_at(r->slot), 0xee, sizeof p->was);
			if (world.slot_status[r->slot] != TD_DEV_PENDING)
				violate("a request for slot %u comes before its status is cleared",
					r->slot);
			r->sequence = taken[q]++ + RING;
		}
	}
}

static bool is_first(unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (pending[k].r.page == pending[i].r.page)
			return false;
	return true;
}

unsigned proxy_ready(void)
{
	unsigned n = 0;
	if (scene->remote)
		return processor_ready();
	take();
	for (unsigned i = 0; i < pending_n; i++)
		n += is_first(i);
	return n;
}

static bool fails(const struct td_dev_request *r)
{
	return ++seen[r->op] == scene->fail_nth && scene->fails && r->op == scene->fail_op;
}

void proxy_answer(unsigned which)
{
	unsigned i = 0;
	if (scene->remote) {
		processor_answer(which);
		return;
	}
	for (;; i++) {
		if (is_first(i) && which-- == 0)
			break;
	}
	struct pending p = pending[i];
	memmove(&pending[i], &pending[i + 1], (--pending_n - i) * sizeof p);
	bool failed = fails(&p.r);
	if (p.r.op != TD_DEV_READ && memcmp(p.was, source_of(&p.r), sizeof p.was) != 0)
		violate("slot %u changes while it is copied from (op %u, page %u)", p.r.slot,
			p.r.op, p.r.page);
	if (!failed)
		memcpy(target_of(&p.r), source_of(&p.r), sizeof p.was);
	world.slot_status[p.r.slot] = failed ? -EIO : TD_DEV_DONE;
	explore_progress();
}
