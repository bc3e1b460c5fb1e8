/* A warp, through the headers that the GPU compiles; and the mistakes that can be put into them. */
#include "explore.h"

#define TD_DEV_HOOK(at) explore_hook(at)
#define TD_DEV_PAUSE() explore_pause()
#include "mutants.h"

static uint64_t *frame_words(uint32_t frame)
{
	return &world.near[frame * WORDS];
}

/* ---- a page that is held ---- */

static void look(uint32_t page, const uint64_t *at)
{
	for (uint32_t i = 0; i < WORDS; i++) {
		explore_hook(&at[i]);
		if (at[i] != world.shadow[page * WORDS + i])
			violate("page %u, word %u: reads %llx instead of %llx", page, i,
				(unsigned long long)at[i],
				(unsigned long long)world.shadow[page * WORDS + i]);
	}
}

static void change(uint32_t page, uint64_t *at)
{
	for (uint32_t i = 0; i < WORDS; i++) {
		explore_hook(&at[i]);
		uint64_t *shadow = &world.shadow[page * WORDS + i];
		at[i] = *shadow = word_of(page, i, (*shadow & 0xffff) + 1);
	}
}

static void use(uint32_t page, uint64_t *at, bool write)
{
	look(page, at);
	if (write)
		change(page, at);
}

/* ---- what warps do ---- */

static struct tide_span span_of(void)
{
	struct td_dev_control *c = &world.c;
	return (struct tide_span){.entries = c->entries,
				  .near_memory = c->near_memory,
				  .control = c,
				  .page_shift = PAGE_SHIFT};
}

static void access_page(uint32_t page, bool write)
{
	struct tide_span a = span_of();
	uint64_t *at = (uint64_t *)(void *)td_dev_acquire(&a, td_dev_warp(), page, write);
	if (!at)
		return;
	if (mutant == UNPIN_EARLY)
		td_dev_release(&a, td_dev_warp(), page);
	use(page, at, write);
	if (mutant != UNPIN_EARLY)
		td_dev_release(&a, td_dev_warp(), page);
}

/* As td_dev_glance() of device.cuh. */
static void glance(uint32_t page)
{
	uint64_t *at = &world.entries[page];
	uint64_t e = td_dev_peek(at);
	if (td_dev_state(e) != TD_DEV_TIER1) {
		access_page(page, false);
		return;
	}
	const uint64_t *word = frame_words(td_dev_index(e));
	explore_hook(word);
	uint64_t value = *word, right = world.shadow[page * WORDS];
	uint64_t later = td_dev_peek(at);
	if (!(later & TD_DEV_REFERENCED))
		td_dev_refer(&world.c, at, page);
	if (td_dev_same(e, later) && value != right)
		violate("page %u: a glance reads %llx instead of %llx", page,
			(unsigned long long)value, (unsigned long long)right);
}

static void hold(const struct op *op, bool write)
{
	struct td_dev_load loads[2] = {{.page = op->page}, {.page = op->other}};
	td_dev_hold(&world.c, td_dev_warp(), loads, 2, write);
	for (unsigned k = 0; k < 2; k++) {
		if (loads[k].got != TD_DEV_HELD)
			continue;
		use(loads[k].page, frame_words(loads[k].frame), write);
		td_dev_unpin(&world.entries[loads[k].page]);
	}
}

/* Two cursors: one for reading, one for writing. */
static void both(const struct op *op)
{
	struct tide_span a = span_of();
	uint64_t *from = (uint64_t *)(void *)td_dev_acquire(&a, td_dev_warp(), op->page, false);
	access_page(op->other, true);
	if (!from)
		return;
	use(op->page, from, false);
	td_dev_release(&a, td_dev_warp(), op->page);
}

static void perform(const struct op *op)
{
	switch (op->kind) {
	case OP_GLANCE: glance(op->page); break;
	case OP_HOLD_READ:
	case OP_HOLD_WRITE: hold(op, op->kind == OP_HOLD_WRITE); break;
	case OP_BOTH: both(op); break;
	default: access_page(op->page, op->kind == OP_WRITE);
	}
}

void warp_main(unsigned warp)
{
	for (unsigned i = 0; i < OPS && scene->ops[warp][i].kind != OP_NONE; i++) {
		perform(&scene->ops[warp][i]);
		explore_progress();
	}
}

bool warps_serve(void)
{
	return scene->remote && td_dev_remote_serve(&world.c, td_dev_warp());
}

void warps_reset(void)
{
	mutant_reset();
}
