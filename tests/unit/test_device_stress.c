/* Threads as warps, each with words of its own in every page, and a proxy that answers in any
 * order: nothing that was written is lost, whatever the tiers are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <unistd.h>

#define TD_DEV_PAUSE() usleep(5) /* more threads than cores */
#include "tide/device/access.h"

#include "device_check.h"

enum { WARPS = 6, PAGES = 48, SHIFT = 6, STEPS = 800, PENDING = 64 };

struct warp {
	pthread_t thread;
	uint64_t random;
	uint64_t wrote[PAGES];       /* what its word of each page must be */
	uint64_t seen[PAGES][WARPS]; /* of the others' words, which only grow */
	uint32_t number;
	uint32_t wrong; /* the page that was, plus 1 */
};

static struct device_world world;
static struct warp warps[WARPS];
static uint32_t window;
static int over; /* the proxy may end */

static uint64_t draw(uint64_t *random)
{
	uint64_t z = *random += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	return z ^ z >> 27;
}

/* A few pages are used more than others. */
static uint32_t draw_page(uint64_t *random)
{
	uint64_t r = draw(random);
	return (uint32_t)(r >> 33) % (r % 3 ? PAGES / 4 : PAGES);
}

/* ---- a warp ---- */

static uint64_t *words_of(uint32_t frame)
{
	return (uint64_t *)(void *)td_dev_frame_memory(world.c, frame);
}

static uint64_t word(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static void use(struct warp *w, uint32_t page, uint64_t *words, bool write)
{
	if (word(&words[w->number]) != w->wrote[page])
		w->wrong = page + 1;
	for (uint32_t i = 0; i < WARPS; i++) {
		uint64_t now = word(&words[i]);
		if (now < w->seen[page][i])
			w->wrong = page + 1;
		w->seen[page][i] = now;
	}
	if (write)
		__atomic_store_n(&words[w->number], ++w->wrote[page], __ATOMIC_RELAXED);
}

static void acquire(struct warp *w, uint32_t page, bool write)
{
	struct tide_span a = device_span(&world);
	unsigned char *at = td_dev_acquire(&a, td_dev_warp(), page, write);
	if (!at) {
		w->wrong = page + 1;
		return;
	}
	use(w, page, (uint64_t *)(void *)at, write);
	td_dev_release(&a, td_dev_warp(), page);
}

/* As td_dev_glance() of device.cuh. */
static void glance(struct warp *w, uint32_t page)
{
	uint64_t *at = &world.c->entries[page], e = td_dev_load(at);
	if (td_dev_state(e) != TD_DEV_TIER1) {
		acquire(w, page, false);
		return;
	}
	uint64_t value = __atomic_load_n(&words_of(td_dev_index(e))[w->number], __ATOMIC_ACQUIRE);
	td_dev_fence();
	uint64_t later = td_dev_load(at);
	if (!(later & TD_DEV_REFERENCED))
		td_dev_or(at, TD_DEV_REFERENCED);
	if (td_dev_same(e, later) && value != w->wrote[page])
		w->wrong = page + 1;
}

static void hold(struct warp *w, uint32_t first, bool write)
{
	struct td_dev_load loads[TD_DEV_WINDOW];
	for (uint32_t k = 0; k < window; k++)
		loads[k].page = (first + 5 * k) % PAGES;
	if (!td_dev_hold(world.c, td_dev_warp(), loads, window, write))
		w->wrong = first + 1;
	for (uint32_t k = 0; k < window; k++) {
		if (loads[k].got != TD_DEV_HELD)
			continue;
		use(w, loads[k].page, words_of(loads[k].frame), write);
		td_dev_unpin(&world.c->entries[loads[k].page]);
	}
}

static void *run_warp(void *arg)
{
	struct warp *w = arg;
	for (uint32_t i = 0; i < STEPS && !w->wrong; i++) {
		uint32_t page = draw_page(&w->random),
			 what = (uint32_t)(draw(&w->random) >> 40) % 8;
		if (what < 2)
			glance(w, page);
		else if (what < 4)
			hold(w, page, what == 3);
		else
			acquire(w, page, what > 5);
	}
	return NULL;
}

/* ---- the proxy ---- */

struct pending {
	struct td_dev_request r[PENDING];
	uint32_t n;
	uint64_t heads[3], random;
};

static void gather(struct pending *p)
{
	for (uint32_t q = 0; q <= world.c->proxies; q++)
		while (p->n < PENDING && device_next(&world.c->queue[q], &p->heads[q], &p->r[p->n]))
			p->n++;
}

/* Any of them, but of a page the oldest. */
static void answer(struct pending *p)
{
	uint32_t i = (uint32_t)(draw(&p->random) >> 40) % p->n;
	for (uint32_t k = 0; k < i; k++)
		if (p->r[k].page == p->r[i].page)
			i = k;
	device_serve(&world, &p->r[i]);
	memmove(&p->r[i], &p->r[i + 1], (--p->n - i) * sizeof p->r[0]);
}

static void *run_proxy(void *arg)
{
	struct pending p = {.random = 7};
	(void)arg;
	for (;;) {
		bool last = __atomic_load_n(&over, __ATOMIC_ACQUIRE);
		gather(&p);
		if (p.n && (last || draw(&p.random) % 2 == 0))
			answer(&p);
		else if (last && !p.n)
			return NULL;
		else
			usleep(5);
	}
}

/* ---- a case ---- */

static void compare_words(void)
{
	for (uint32_t page = 0; page < PAGES; page++) {
		uint64_t words[8];
		memcpy(words, device_newest(&world, page), sizeof words);
		for (uint32_t i = 0; i < WARPS; i++)
			if (words[i] != warps[i].wrote[page])
				fail_msg("page %u: a write of warp %u is lost", page, i);
	}
}

static void start(void)
{
	for (uint32_t i = 0; i < WARPS; i++) {
		warps[i] = (struct warp){.number = i, .random = i};
		assert_int_equal(pthread_create(&warps[i].thread, NULL, run_warp, &warps[i]), 0);
	}
}

static void run_case(const struct device_setup *setup, uint32_t pages_at_once)
{
	struct device_check k;
	pthread_t proxy;
	device_open(&world, setup);
	window = pages_at_once;
	over = 0;
	assert_int_equal(pthread_create(&proxy, NULL, run_proxy, NULL), 0);
	start();
	for (uint32_t i = 0; i < WARPS; i++)
		pthread_join(warps[i].thread, NULL);
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	pthread_join(proxy, NULL);
	for (uint32_t i = 0; i < WARPS; i++)
		if (warps[i].wrong)
			fail_msg("warp %u saw a wrong page %u (error %d)", i, warps[i].wrong - 1,
				 world.failure.error);
	device_check_rest(&k, &world);
	if (k.text[0])
		fail_msg("%s", k.text);
	compare_words();
	device_close(&world);
}

static struct device_setup setup_of(enum tide_places place, uint32_t frames, uint32_t shards)
{
	return (struct device_setup){.frames = frames,
				     .pages = PAGES,
				     .shards = shards,
				     .host = place == TIDE_PLACES_bam ? 0 : 8,
				     .staging = 4 * shards,
				     .reads = 2 * shards,
				     .page_shift = SHIFT,
				     .proxies = 2,
				     .place = place,
				     .placing = device_placing(place)};
}

static void nothing_is_lost(void **state)
{
	(void)state;
	static const enum tide_places places[] = {TIDE_PLACES_bam, TIDE_PLACES_tier_order,
						  TIDE_PLACES_random, TIDE_PLACES_reuse,
						  TIDE_PLACES_worth};
	for (uint32_t i = 0; i < sizeof places / sizeof *places; i++) {
		for (uint32_t shards = 1; shards <= 4; shards *= 4) {
			struct device_setup s = setup_of(places[i], WARPS + 2, shards);
			run_case(&s, 1);
		}
	}
}

static void nothing_is_lost_by_the_copy_engine(void **state)
{
	(void)state;
	for (uint32_t transfer = TD_DEV_DMA; transfer <= TD_DEV_HYBRID; transfer++) {
		struct device_setup s = setup_of(TIDE_PLACES_tier_order, WARPS + 2, 1);
		s.transfer = transfer;
		run_case(&s, 1);
	}
}

/* Several pages at once, and as few frames as that needs; hardly any slots. */
static void nothing_is_lost_where_all_is_tight(void **state)
{
	struct device_setup s = setup_of(TIDE_PLACES_tier_order, 2 * WARPS, 1);
	(void)state;
	s.host = 2;
	s.staging = 2;
	s.reads = 1;
	run_case(&s, 2);
	s = setup_of(TIDE_PLACES_bam, 3 * WARPS, 2);
	s.staging = 2;
	s.reads = 0;
	run_case(&s, 3);
	s = setup_of(TIDE_PLACES_reuse, WARPS, 1);
	s.staging = 2;
	s.reads = 0;
	run_case(&s, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost),
		cmocka_unit_test(nothing_is_lost_by_the_copy_engine),
		cmocka_unit_test(nothing_is_lost_where_all_is_tight),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
