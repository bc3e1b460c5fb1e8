/* Chunks that move as a whole and can be held: hold.c, and what `whole` makes of plans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "engine/lanes.h"
#include "recorder.h"

#define CHUNK 4 /* pages */

static struct td_engine *begin_whole(uint64_t near_pages)
{
	struct td_engine_config config = config_of(CHUNK, near_pages);

	script = (struct script){0};
	config.maps = config.whole = true;
	config.prefetch = own(&prefetcher);
	config.evict = own(&evicter);
	return start(&config);
}

/* Whole chunks, and one of `rest` pages at the end. */
static void map_chunks(struct td_engine *e, uint64_t first, uint64_t chunks, uint64_t rest)
{
	assert_int_equal(td_engine_map(e, first * CHUNK, chunks * CHUNK + rest, NULL), 0);
}

static uint64_t pages_of(struct td_engine *e, uint32_t chunk)
{
	return tide_resident(&e->box[TD_BOX_EVICT].view, (tide_chunk){chunk});
}

/* As the mechanism of a GPU does it: an absent chunk comes where it has room. */
static void use(struct td_engine *e, uint32_t chunk, uint64_t pages)
{
	struct td_event event = {.page = (uint64_t)chunk * CHUNK};
	enum td_engine_touched what;

	assert_int_equal(td_engine_touch(e, (tide_chunk){chunk}, 0, &event, &what, NULL), 0);
	if (what == TD_ABSENT && td_engine_has_room(e, pages)) {
		td_engine_tick(e, (tide_chunk){chunk});
		assert_int_equal(td_engine_fault(e, (tide_chunk){chunk}, 0, &event, NULL), 0);
	}
	assert_int_equal(td_engine_check(e), 0);
}

static void assert_near(struct td_engine *e, const char *chunks)
{
	char near[64] = "";
	size_t n = 0;

	for (uint32_t i = 0; i < e->near.chunks; i++)
		if (pages_of(e, i))
			n += (size_t)snprintf(near + n, sizeof near - n, "%s%u", n ? " " : "", i);
	assert_string_equal(near, chunks);
}

static void a_chunk_comes_and_leaves_as_a_whole(void **state)
{
	struct td_engine *e = begin_whole(2 * CHUNK);

	(void)state;
	map_chunks(e, 0, 2, 3);
	use(e, 0, CHUNK);
	assert_int_equal(pages_of(e, 0), 15);
	script.plan[0].first = 9, script.plan[0].n = 1;
	use(e, 1, CHUNK);
	assert_int_equal(pages_of(e, 0), 0);
	assert_int_equal(pages_of(e, 1), 15);
	assert_int_equal(pages_of(e, 2), 7); /* the three pages that exist */
	assert_int_equal(e->counts.evicted_pages, CHUNK);
	td_engine_destroy(e);
}

static void also_without_a_prefetcher(void **state)
{
	struct td_engine_config config = config_of(CHUNK, 2 * CHUNK);
	struct td_engine *e;

	(void)state;
	config.maps = config.whole = true;
	config.prefetch = named("none", TIDE_PREFETCH);
	config.evict = named("lrm", TIDE_EVICT);
	e = start(&config);
	map_chunks(e, 0, 3, 0);
	for (uint32_t i = 0; i < 3; i++) {
		use(e, i, CHUNK);
		assert_int_equal(pages_of(e, i), 15);
	}
	assert_near(e, "1 2");
	td_engine_destroy(e);
}

/* Where not all of a plan fits, chunks are left out, and no parts of them. */
static void a_plan_is_cut_by_chunks(void **state)
{
	struct td_engine *e = begin_whole(3 * CHUNK + 2);

	(void)state;
	map_chunks(e, 0, 6, 0);
	script.plan[0].first = 0, script.plan[0].n = 6 * CHUNK;
	use(e, 2, CHUNK);
	assert_near(e, "0 1 2");
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(pages_of(e, i), 15);
	td_engine_destroy(e);
}

static void begin_full(struct td_engine **e)
{
	*e = begin_whole(4 * CHUNK);
	map_chunks(*e, 0, 8, 0);
	for (uint32_t i = 0; i < 4; i++) {
		script.plan[0].first = i * CHUNK, script.plan[0].n = 1;
		use(*e, i, CHUNK);
	}
	assert_near(*e, "0 1 2 3");
}

static void plan_own(uint32_t chunk)
{
	script.plan[0].first = chunk * CHUNK, script.plan[0].n = 1;
}

/* The policy would take the lowest number. */
static void a_held_chunk_is_no_victim(void **state)
{
	struct td_engine *e;

	(void)state;
	begin_full(&e);
	td_engine_hold(e, (tide_chunk){0});
	td_engine_hold(e, (tide_chunk){1});
	plan_own(4);
	use(e, 4, CHUNK);
	assert_int_equal(script.valid_seen, 0xc);
	assert_near(e, "0 1 3 4");
	td_engine_release(e, (tide_chunk){0});
	plan_own(5);
	use(e, 5, CHUNK);
	assert_near(e, "1 3 4 5");
	td_engine_release(e, (tide_chunk){1});
	plan_own(6);
	use(e, 6, CHUNK);
	assert_near(e, "3 4 5 6");
	assert_int_equal(e->counts.policy_errors, 0);
	td_engine_destroy(e);
}

/* A prefetch does not push out what is held: of the plan, the highest chunks stay away. */
static void a_plan_leaves_held_chunks_alone(void **state)
{
	struct td_engine *e;

	(void)state;
	begin_full(&e);
	td_engine_hold(e, (tide_chunk){0});
	td_engine_hold(e, (tide_chunk){2});
	script.plan[0].first = 4 * CHUNK, script.plan[0].n = 4 * CHUNK;
	use(e, 7, CHUNK);
	assert_near(e, "0 2 4 7");
	assert_true(e->near.planned != NULL);
	td_engine_release(e, (tide_chunk){0});
	td_engine_release(e, (tide_chunk){2});
	assert_null(e->near.planned);
	td_engine_destroy(e);
}

static void room_is_what_is_not_held(void **state)
{
	struct td_engine *e;

	(void)state;
	begin_full(&e);
	for (uint32_t i = 0; i < 4; i++) {
		assert_true(td_engine_has_room(e, CHUNK * (4 - i)));
		assert_false(td_engine_has_room(e, CHUNK * (4 - i) + 1));
		td_engine_hold(e, (tide_chunk){i});
	}
	use(e, 4, CHUNK); /* it has none, and stays away */
	assert_near(e, "0 1 2 3");
	for (uint32_t i = 0; i < 4; i++)
		td_engine_release(e, (tide_chunk){i});
	td_engine_destroy(e);
}

static uint64_t resize(struct td_engine *e, uint64_t pages)
{
	assert_int_equal(td_engine_resize(e, &pages, NULL), 0);
	assert_int_equal(e->near.capacity_pages, pages);
	assert_int_equal(td_engine_check(e), 0);
	return pages;
}

static void near_memory_shrinks_and_grows(void **state)
{
	struct td_engine *e;

	(void)state;
	begin_full(&e);
	assert_int_equal(resize(e, 2 * CHUNK + 1), 2 * CHUNK + 1);
	assert_near(e, "2 3");
	assert_int_equal(e->near.free_pages, 1);
	assert_int_equal(resize(e, 3 * CHUNK), 3 * CHUNK);
	plan_own(0);
	use(e, 0, CHUNK);
	assert_near(e, "0 2 3");
	assert_int_equal(resize(e, 0), 0);
	assert_near(e, "");
	td_engine_destroy(e);
}

/* It is as small as it can be: what is held stays, and the call says how much that is. */
static void near_memory_does_not_shrink_below_what_is_held(void **state)
{
	struct td_engine *e;

	(void)state;
	begin_full(&e);
	td_engine_hold(e, (tide_chunk){0});
	td_engine_hold(e, (tide_chunk){3});
	assert_int_equal(resize(e, CHUNK), 2 * CHUNK);
	assert_near(e, "0 3");
	td_engine_release(e, (tide_chunk){0});
	assert_int_equal(resize(e, CHUNK), CHUNK);
	assert_near(e, "3");
	td_engine_release(e, (tide_chunk){3});
	td_engine_destroy(e);
}

/* A chunk that is gone is not held any more when its number is used again. */
static void held_chunks_survive_the_end_of_others(void **state)
{
	struct td_engine *e;

	(void)state;
	begin_full(&e);
	td_engine_hold(e, (tide_chunk){1});
	assert_int_equal(td_engine_gone(e, 2 * CHUNK, CHUNK, NULL), 0);
	assert_int_equal(td_engine_check(e), 0);
	map_chunks(e, 2, 1, 0);
	assert_near(e, "0 1 3");
	plan_own(2);
	use(e, 2, CHUNK);
	plan_own(4);
	use(e, 4, CHUNK);
	assert_near(e, "1 2 3 4");
	td_engine_release(e, (tide_chunk){1});
	td_engine_destroy(e);
}

static uint64_t touched_of(struct td_engine *e, uint32_t chunk)
{
	return td_lanes_load(td_engine_record(e, chunk), e->near.lane_bytes).touched;
}

static void touch_whole_touches_what_is_there(void **state)
{
	struct td_engine *e = begin_whole(2 * CHUNK);

	(void)state;
	map_chunks(e, 0, 1, 3);
	plan_own(1);
	use(e, 1, 3);
	assert_int_equal(touched_of(e, 1), 1);
	td_engine_touch_whole(e, (tide_chunk){1});
	assert_int_equal(touched_of(e, 1), 7);
	td_engine_destroy(e);
}

/* ---- all policies of such runs, at random ---- */

#define ROUNDS 3000
#define MOST 24 /* chunks */

struct random_run {
	struct td_engine *e;
	uint64_t seed;
	bool held[MOST];
	uint64_t held_pages;
};

static uint64_t draw(struct random_run *r, uint64_t n)
{
	return tide_random_next(&r->seed) % n;
}

static uint64_t pages_there(uint32_t chunk)
{
	return chunk == MOST - 1 ? 1 : CHUNK;
}

static void do_something(struct random_run *r)
{
	uint32_t chunk = (uint32_t)draw(r, MOST);
	uint64_t pages = pages_there(chunk);

	switch (draw(r, 8)) {
	case 0:
		if (r->held[chunk])
			td_engine_release(r->e, (tide_chunk){chunk});
		else if (pages_of(r->e, chunk))
			td_engine_hold(r->e, (tide_chunk){chunk});
		else
			break;
		r->held[chunk] = !r->held[chunk];
		r->held_pages += r->held[chunk] ? pages : -pages;
		break;
	case 1: {
		uint64_t wanted = draw(r, MOST * CHUNK), got = resize(r->e, wanted);
		assert_true(got == wanted || (got > wanted && got == r->held_pages));
		break;
	}
	default: use(r->e, chunk, pages);
	}
}

static void assert_sound(struct random_run *r)
{
	for (uint32_t i = 0; i < MOST; i++) {
		uint64_t whole = (UINT64_C(1) << pages_there(i)) - 1, now = pages_of(r->e, i);
		assert_true(!now || now == whole);
		assert_true(!r->held[i] || now);
	}
	assert_int_equal(r->e->held_pages, r->held_pages);
	assert_int_equal(r->e->counts.policy_errors, 0);
	assert_int_equal(td_engine_check(r->e), 0);
}

static void run_random(const char *evict, const char *prefetch, uint64_t seed)
{
	struct td_engine_config config = config_of(CHUNK, 8 * CHUNK);
	struct random_run r = {.seed = seed};

	config.maps = config.whole = true;
	config.evict = named(evict, TIDE_EVICT);
	config.prefetch = named(prefetch, TIDE_PREFETCH);
	r.e = start(&config);
	map_chunks(r.e, 0, MOST - 1, 1);
	for (int i = 0; i < ROUNDS; i++) {
		do_something(&r);
		assert_sound(&r);
	}
	td_engine_destroy(r.e);
}

static void policies_respect_what_is_held(void **state)
{
	static const char *const evict[] = {"recur",  "lrm", "lru",  "fifo", "mru",        "lfu",
					    "random", "hpe", "mhpe", "cp",   "tournament", "clock"};
	static const char *const prefetch[] = {"none", "locality", "follow", "tree", "sequential"};

	(void)state;
	for (size_t i = 0; i < sizeof evict / sizeof *evict; i++)
		for (size_t k = 0; k < sizeof prefetch / sizeof *prefetch; k++)
			run_random(evict[i], prefetch[k], i * 10 + k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chunk_comes_and_leaves_as_a_whole),
		cmocka_unit_test(also_without_a_prefetcher),
		cmocka_unit_test(a_plan_is_cut_by_chunks),
		cmocka_unit_test(a_held_chunk_is_no_victim),
		cmocka_unit_test(a_plan_leaves_held_chunks_alone),
		cmocka_unit_test(room_is_what_is_not_held),
		cmocka_unit_test(near_memory_shrinks_and_grows),
		cmocka_unit_test(near_memory_does_not_shrink_below_what_is_held),
		cmocka_unit_test(held_chunks_survive_the_end_of_others),
		cmocka_unit_test(touch_whole_touches_what_is_there),
		cmocka_unit_test(policies_respect_what_is_held),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
