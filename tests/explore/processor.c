/* The model of host orchestration: the processor takes faults and replies from a ring, and has
 * pages brought and evicted by commands, in any order that its policies could want. */
#include "explore.h"

#include <string.h>

#include "tide/device/access.h"

enum where { AWAY, COMING, NEAR, LEAVING, TO_COPY, DROPPING };

static struct {
	enum where where;
	bool wanted; /* a warp has claimed it */
	uint32_t frame;
} pages[PAGES];
static bool used[FRAMES];
static uint64_t taken;
static uint32_t victim; /* the last one */
static unsigned extra;  /* steps that nobody needs, which are left */

enum what { TAKE, BRING, EVICT, COPY, WATCH };

struct step {
	enum what what;
	uint32_t page;
};

static struct step steps[4 * PAGES];
static unsigned steps_n;

void processor_reset(void)
{
	memset(pages, 0, sizeof pages);
	memset(used, 0, sizeof used);
	taken = steps_n = victim = 0;
	extra = scene->extra;
}

static uint32_t free_frame(void)
{
	for (uint32_t f = 0; f < scene->frames; f++)
		if (!used[f])
			return f;
	return TD_DEV_NONE;
}

static bool has_request(void)
{
	return world.ring[2][taken % RING].sequence == taken + 1;
}

/* ---- what it could do now, what it must first ---- */

static void add(enum what what, uint32_t page)
{
	steps[steps_n++] = (struct step){what, page};
}

static bool any(enum where where)
{
	for (uint32_t p = 0; p < scene->pages; p++)
		if (pages[p].where == where)
			return true;
	return false;
}

static void add_steps_for(bool wanted)
{
	for (uint32_t p = 0; p < scene->pages; p++) {
		if (pages[p].where == AWAY && pages[p].wanted == wanted &&
		    free_frame() != TD_DEV_NONE)
			add(BRING, p);
		if (pages[p].where == TO_COPY && wanted)
			add(COPY, p);
	}
}

static bool lacks_frames(void)
{
	for (uint32_t p = 0; p < scene->pages; p++)
		if (pages[p].wanted && pages[p].where == AWAY && free_frame() == TD_DEV_NONE)
			return !any(LEAVING) && !any(TO_COPY);
	return false;
}

/* After the last one, which may have been held. */
static void add_victims(enum what what)
{
	for (uint32_t i = 1; i <= scene->pages; i++) {
		uint32_t p = (victim + i) % scene->pages;
		if (pages[p].where == NEAR && !pages[p].wanted)
			add(what, p);
	}
}

unsigned processor_ready(void)
{
	steps_n = 0;
	bool room = world.commands[world.posted % COMMANDS] == 0;
	if (has_request())
		add(TAKE, 0);
	if (room)
		add_steps_for(true);
	if (room && lacks_frames())
		add_victims(EVICT);
	if (room && extra) {
		add_steps_for(false);
		add_victims(WATCH);
	}
	return steps_n;
}

/* ---- and does ---- */

static void command(enum td_dev_command what, uint32_t page, uint32_t index)
{
	world.commands[world.posted % COMMANDS] = td_dev_command(what, page, index);
	world.posted++;
}

static void left(uint32_t page)
{
	if (pages[page].where == LEAVING)
		used[pages[page].frame] = false;
	pages[page].where = AWAY;
}

static void take_reply(uint32_t page, uint32_t how)
{
	switch (how) {
	case TD_DEV_ARRIVED:
		pages[page].where = NEAR;
		pages[page].wanted = false;
		explore_progress();
		break;
	case TD_DEV_PINNED: pages[page].where = NEAR; break;
	case TD_DEV_TO_COPY: pages[page].where = TO_COPY; break;
	default: left(page);
	}
}

static void take(void)
{
	struct td_dev_request *r = &world.ring[2][taken % RING];
	struct td_dev_request q = *r;
	r->sequence = taken++ + RING;
	if (q.op == TD_DEV_REPLY)
		take_reply(q.page, q.slot);
	else if (q.op == TD_DEV_FAULT && pages[q.page].where != COMING &&
		 pages[q.page].where != NEAR)
		pages[q.page].wanted = true;
}

static void bring(uint32_t page)
{
	uint32_t frame = free_frame();
	used[frame] = true;
	pages[page].frame = frame;
	pages[page].where = COMING;
	explore_progress();
	if (scene->transfer == TD_DEV_DMA)
		memcpy(&world.near[frame * WORDS], &world.host[page * WORDS], WORDS * 8);
	command(scene->transfer == TD_DEV_DMA ? TD_DEV_SHOW : TD_DEV_BRING, page, frame);
}

static void copy(uint32_t page)
{
	uint32_t frame = pages[page].frame;
	memcpy(&world.host[page * WORDS], &world.near[frame * WORDS], WORDS * 8);
	used[frame] = false;
	pages[page].where = DROPPING;
	command(TD_DEV_DROP, page, 0);
}

void processor_answer(unsigned which)
{
	struct step s = steps[which];
	if (extra && !pages[s.page].wanted && (s.what == BRING || s.what == WATCH))
		extra--;
	switch (s.what) {
	case TAKE: take(); break;
	case BRING: bring(s.page); break;
	case COPY: copy(s.page); break;
	case WATCH: command(TD_DEV_WATCH, s.page, 0); break;
	case EVICT:
		victim = s.page;
		pages[s.page].where = LEAVING;
		command(scene->transfer == TD_DEV_DMA ? TD_DEV_TAKE : TD_DEV_EVICT, s.page, 0);
	}
}
