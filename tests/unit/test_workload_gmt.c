/* The applications of GMT: order, sizes and check values. */
#include <math.h>
#include <stdio.h>

#include "gpu_model.h"

#define GMT_PAGE 65536

static const char *const small[] = {
	"lavamd:t1=4",           "pathfinder:t1=16", "srad:t1=1",           "hotspot:t1=1",
	"backprop:t1=1,iters=2", "gmt-bfs:s=10",     "multivectoradd:t1=9", "sssp:s=10",
	"pagerank:s=10",
};
enum { REGULAR = 5 }; /* of these, and multivectoradd */

/* ---- LavaMD, box by box ---- */

static void one_particle_row(struct model *m, unsigned pc, unsigned array, uint64_t box,
			     uint64_t bytes)
{
	for (uint64_t t = 0; t < 100; t++) {
		lane(m, array, (box * 100 + t) * bytes);
		end_lane(m, pc, t, 100);
	}
}

static void read_box(struct model *m, unsigned pc, uint64_t byte)
{
	for (uint64_t t = 0; t < 100; t++) {
		lane(m, 0, byte);
		end_lane(m, pc, t, 100);
	}
}

static void lavamd_boxes(struct model *m)
{
	int64_t n = m->app->p[0];

	for (int64_t b = 0; b < n * n * n; b++) {
		int64_t x = b % n, y = b / n % n, z = b / n / n, slot = 0;
		read_box(m, 0, (uint64_t)b * 656);
		one_particle_row(m, 1, 1, (uint64_t)b, 32);
		for (int64_t way = 0; way < 27; way++) {
			int64_t u = x + way % 3 - 1, v = y + way / 3 % 3 - 1, w = z + way / 9 - 1;
			slot += way != 13;
			if (u < 0 || v < 0 || w < 0 || u >= n || v >= n || w >= n)
				continue;
			if (way != 13)
				read_box(m, 2, (uint64_t)(b * 656 + 32 + (slot - 1) * 24 + 12));
			one_particle_row(m, 3, 1, (uint64_t)((w * n + v) * n + u), 32);
			one_particle_row(m, 4, 2, (uint64_t)((w * n + v) * n + u), 8);
			one_particle_row(m, 5, 3, (uint64_t)b, 32);
		}
	}
}

static void lavamd_sees_its_neighbours(void **state)
{
	(void)state;
	assert_like_model("lavamd:t1=2,mode=exact", lavamd_boxes);
}

/* ---- order and sizes ---- */

/* First touches of an instruction's page, launch by launch. */
static struct run first_touches(struct td_trace_source *s)
{
	struct tally seen = new_tally(td_gpu_of(s));
	struct tide_batch *batch = new_batch();
	struct run run = {0};
	size_t room = 0;

	while (next_batch(s, batch)) {
		for (uint32_t i = 0; i < batch->n; i++) {
			uint64_t pc = batch->ref[i] - 1, launch = batch->gpu->kernel[i] + 1;
			uint64_t *last = &seen.n[pc * seen.pages + batch->page[i]];
			if (*last == launch)
				continue;
			*last = launch;
			if (run.n == room) {
				room = room ? room * 2 : 1024;
				run.events = realloc(run.events, room * sizeof *run.events);
				assert_non_null(run.events);
			}
			run.events[run.n++] = (struct td_event){batch->page[i], pc, launch, false};
		}
	}
	free_batch(batch);
	free(seen.n);
	return run;
}

/* On a machine where all blocks run together. */
static void wave_keeps_the_order(void **state)
{
	static const struct td_gpu_machine wide = {
		.sms = 4096, .blocks_per_sm = 32, .threads_per_sm = 2048, .align_bytes = 65536};

	(void)state;
	for (size_t i = 0; i <= REGULAR; i++) {
		const char *spec = i < REGULAR ? small[i] : "multivectoradd:t1=9";
		struct td_trace_source *s = open_source(spec, PAGE_BYTES, 1);
		struct td_gpu_app *app = td_gpu_of(s);
		struct run run[2];
		app->machine = &wide;
		for (int wave = 0; wave < 2; wave++) {
			app->wave = wave;
			assert_int_equal(s->ops->rewind(s, NULL), 0);
			run[wave] = first_touches(s);
		}
		assert_true(run[0].n > 0);
		if (!same_run(&run[0], &run[1]))
			fail_msg("%s: wave mode has another order", spec);
		free(run[0].events);
		free(run[1].events);
		td_trace_close(s);
	}
}

static uint64_t digest(struct td_trace_source *s)
{
	struct tide_batch *batch = new_batch();
	uint64_t sum = 0;

	while (next_batch(s, batch)) {
		for (uint32_t i = 0; i < batch->n; i++) {
			sum = tide_hash64(sum ^ batch->page[i] << 8 ^ batch->ref[i]);
			sum = tide_hash64(sum ^ batch->stream[i] << 1 ^ batch->write[i]);
			sum = tide_hash64(sum ^ batch->gpu->count[i]);
		}
	}
	free_batch(batch);
	return sum;
}

static void rewinding_repeats(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(small); i++) {
		struct td_trace_source *s = open_source(small[i], PAGE_BYTES, 1);
		uint64_t first = digest(s);
		assert_int_equal(s->ops->rewind(s, NULL), 0);
		assert_true(digest(s) == first);
		td_trace_close(s);
	}
}

/* ---- check values ---- */

/* Near memory: a clock, or, as in the authors' BaM, one that sets no bits. */
struct clock {
	uint64_t near, used, hand;
	bool in_turn;
	uint64_t *page;   /* of a place */
	uint32_t *place;  /* of a page, plus 1; 0: not near */
	bool *referenced; /* of a place */
	uint8_t *seen;    /* of a page */
	struct counts {
		uint64_t misses, unique, accesses;
	} n;
};

static void clock_access(struct clock *c, uint64_t page)
{
	c->n.accesses++;
	c->n.unique += !c->seen[page];
	c->seen[page] = 1;
	if (c->place[page]) {
		c->referenced[c->place[page] - 1] = !c->in_turn;
		return;
	}
	c->n.misses++;
	uint64_t at = c->used;
	if (c->used < c->near)
		c->used++;
	else {
		for (; c->referenced[c->hand]; c->hand = (c->hand + 1) % c->near)
			c->referenced[c->hand] = false;
		at = c->hand;
		c->hand = (c->hand + 1) % c->near;
		c->place[c->page[at]] = 0;
	}
	c->page[at] = page;
	c->referenced[at] = !c->in_turn;
	c->place[page] = (uint32_t)at + 1;
}

static struct counts run_clock(const char *spec, uint64_t near, bool in_turn)
{
	struct td_trace_source *s = open_source(spec, GMT_PAGE, 1);
	const struct td_gpu_app *app = td_gpu_of(s);
	const struct td_gpu_array *last = &app->array[app->arrays - 1];
	uint64_t pages = (last->base + last->bytes) / GMT_PAGE + 1;
	struct tide_batch *batch = new_batch();
	struct clock c = {.near = near,
			  .in_turn = in_turn,
			  .page = calloc(near, sizeof *c.page),
			  .place = calloc(pages, sizeof *c.place),
			  .referenced = calloc(near, sizeof *c.referenced),
			  .seen = calloc(pages, 1)};

	assert_true(c.page && c.place && c.referenced && c.seen);
	while (next_batch(s, batch)) {
		for (uint32_t i = 0; i < batch->n; i++)
			clock_access(&c, batch->page[i]);
	}
	free(c.page);
	free(c.place);
	free(c.referenced);
	free(c.seen);
	free_batch(batch);
	td_trace_close(s);
	return c.n;
}

/* Share of the misses that are not the first of their page, in percent. Of srad 1 of 10 passes over
 * six arrays is the first; of hotspot 3 of 20 passes over an array; of backprop 67 of 32 times 55
 * passes over arrays of the input's size; pathfinder misses its results once per near memory. */
static void reuse_is_the_models(void **state)
{
	static const struct {
		const char *spec;
		uint64_t near;
		double model, within;
		bool in_turn;
	} cases[] = {
		{"lavamd:t1=512", 512, 0, .01, false},
		{"multivectoradd:t1=512", 512, 40, .01, false},
		{"srad:t1=256", 256, 90, .1, false},
		{"hotspot:t1=256", 256, 85, .01, false},
		{"backprop:t1=256", 256, 96.19, .1, false},
		{"pathfinder:t1=512", 512, 20, 1, true},
		{"pagerank:s=17", 51, 90, .5, false},
		{"gmt-bfs:s=17", 51, 66, 2, false},
		{"sssp:s=17", 77, 83, 2, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct counts c = run_clock(cases[i].spec, cases[i].near, cases[i].in_turn);
		double reuse = 100 * (1 - (double)c.unique / (double)c.misses);
		if (fabs(reuse - cases[i].model) > cases[i].within)
			fail_msg("%s: reuse %.2f%% instead of %.2f%%", cases[i].spec, reuse,
				 cases[i].model);
	}
}

/* The figures in the tables of the regular ones, which take little time. */
static void figures_are_true(void **state)
{
	static const char *const names[] = {"lavamd", "pathfinder", "multivectoradd",
					    "srad",   "backprop",   "hotspot"};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		const struct td_workload *w = td_workload_find(names[i]);
		assert_non_null(w);
		struct counts c = run_clock(names[i], 1, false);
		assert_int_equal(w->accesses, c.accesses);
		assert_int_equal(w->footprint_bytes, c.unique * GMT_PAGE);
	}
}

/* W is OSF * 5 * T1 pages, or what the graph has. Srad uses six of its ten arrays. */
static void sizes_follow_the_parameters(void **state)
{
	static const struct {
		const char *spec;
		double pages;
	} cases[] = {
		{"lavamd:t1=1024", 10240},
		{"multivectoradd:t1=300", 3000},
		{"srad:t1=100,osf=4", 1200},
		{"hotspot:t1=100,osf=2,scale=0.5", 500},
		{"pathfinder:t1=512,osf=2", 5120},
		{"gmt-bfs:s=14", 64},
		{"pagerank:s=14", 64},
		{"sssp:s=13,scale=2", 96},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct counts c = run_clock(cases[i].spec, 1, false);
		if (fabs((double)c.unique / cases[i].pages - 1) > .02)
			fail_msg("%s: %ju pages instead of %.0f", cases[i].spec, c.unique,
				 cases[i].pages);
	}
}

static void bad_parameters_are_said(void **state)
{
	static const char *const bad[] = {
		"pagerank:s=31,scale=2",
		"sssp:s=1,scale=0.01",
		"gmt-bfs:s=8,source=256",
		"srad:scale=0",
		"srad:t1=0",
		"hotspot:t1=4294967296",
		"backprop:osf=1000000,scale=1000000",
		"lavamd:scale=1000000,osf=1000000",
		"pathfinder:mode=slow",
		"multivectoradd:osf=-1",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct td_trace_source *s = NULL;
		struct tide_error err = {0};
		assert_int_equal(td_workload_open(&s, bad[i], GMT_PAGE, 1, &err), -EINVAL);
		assert_null(s);
		assert_non_null(strchr(err.text, ':'));
		assert_null(strchr(err.text, '\n'));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lavamd_sees_its_neighbours),
		cmocka_unit_test(wave_keeps_the_order),
		cmocka_unit_test(rewinding_repeats),
		cmocka_unit_test(reuse_is_the_models),
		cmocka_unit_test(figures_are_true),
		cmocka_unit_test(sizes_follow_the_parameters),
		cmocka_unit_test(bad_parameters_are_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
