/* One cache per stream: each part is the run of its own accesses alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/lib.h"
#include "lib/summary.h"

enum { STREAMS = 3, EVENTS = 12000 };

static const uint64_t streams[STREAMS] = {5, 0, UINT64_MAX};
static char folder[] = "/tmp/tide-split-XXXXXX";

/* The whole trace is file STREAMS, the part of stream i is file i. */
static const char *path_of(size_t i)
{
	static char path[4][64];

	snprintf(path[i], sizeof path[i], "%s/%zu.tide", folder, i);
	return path[i];
}

/* A few pages, each half as popular as the one before it: curves that are mostly convex. */
static uint64_t few(uint64_t draw, uint64_t pages)
{
	return (uint64_t)__builtin_ctzll(draw | UINT64_C(1) << (pages - 1));
}

static bool looping;
static uint64_t turns[STREAMS];

/* Loops, whose curves fall at one size only. */
static uint64_t looped(size_t part, uint64_t pages)
{
	return turns[part]++ % (pages - part);
}

static struct tide_event draw(uint64_t *seed, size_t *part, uint64_t pages)
{
	uint64_t x = tide_random_next(seed), y = tide_random_next(seed);
	uint64_t skewed = y % pages * (tide_random_next(seed) % pages) / pages;

	*part = x % 7 < 4 ? 0 : x % 7 < 6 ? 1 : 2;
	return (struct tide_event){.size = sizeof(struct tide_event),
				   .page = looping && *part ? looped(*part, pages)
					   : pages < 10     ? few(y, pages)
					   : *part == 1     ? y % pages
							    : skewed,
				   .ref = *part == 2 ? x % 3 : 0,
				   .stream = streams[*part],
				   .write = x >> 63};
}

static void write_traces(uint64_t n, uint64_t pages, uint64_t seed)
{
	struct tide_trace_writer *w[STREAMS + 1];

	for (size_t i = 0; i <= STREAMS; i++)
		assert_int_equal(tide_trace_create(&w[i], path_of(i), NULL, NULL), 0);
	for (uint64_t k = 0; k < n; k++) {
		size_t part;
		struct tide_event event = draw(&seed, &part, pages);
		assert_int_equal(tide_trace_put(w[STREAMS], &event, NULL), 0);
		assert_int_equal(tide_trace_put(w[part], &event, NULL), 0);
	}
	for (size_t i = 0; i <= STREAMS; i++)
		assert_int_equal(tide_trace_finish(w[i], NULL), 0);
}

static struct tide_sim *run(const struct tide_sim_options *o)
{
	struct tide_sim *sim;
	struct tide_error err = {0};

	if (tide_sim_open(&sim, o, &err) || tide_sim_run(sim, NULL, NULL, &err))
		fail_msg("%s", err.text);
	return sim;
}

static struct tide_counts counts_of(struct tide_sim *sim)
{
	struct tide_counts counts = {.size = sizeof counts};

	assert_int_equal(tide_sim_counts(sim, &counts, NULL), 0);
	return counts;
}

static struct tide_counts run_part(struct tide_sim_options o, size_t i, uint64_t near)
{
	char text[32];

	snprintf(text, sizeof text, "%llup", (unsigned long long)near);
	o.trace = path_of(i);
	o.split = NULL;
	o.near_size = text;
	struct tide_sim *sim = run(&o);
	struct tide_counts counts = counts_of(sim);
	tide_sim_close(sim);
	return counts;
}

static size_t part_of(uint64_t stream)
{
	size_t i = 0;

	while (streams[i] != stream)
		i++;
	return i;
}

/* Each part equals its own run, and the sum of the parts is the result. Gives the near memory. */
static uint64_t check_parts(struct tide_sim *sim, const struct tide_sim_options *o)
{
	struct tide_counts sum = {.size = sizeof sum}, all = counts_of(sim);
	struct td_lib_part_summary part;
	uint64_t near = 0, last = 0;
	uint32_t n = 0;

	for (; td_lib_sim_part(sim, n, &part); n++) {
		struct tide_counts alone = run_part(*o, part_of(part.stream), part.near_pages);
		assert_memory_equal(&part.counts, &alone, sizeof alone);
		assert_true(!n || part.stream > last);
		last = part.stream;
		near += part.near_pages;
#define TIDE_COUNTER(name, help) sum.name += alone.name;
#include "tide/counters.def"
#undef TIDE_COUNTER
	}
	assert_int_equal(n, STREAMS);
	assert_memory_equal(&sum, &all, sizeof sum);
	return near;
}

static void parts_are_runs_of_their_own(void **state)
{
	static const char *const evict[] = {"lru", "opt", "arc", "random", "lfu"};
	static const char *const shares[] = {"stream", "stream:shares=lru"};

	(void)state;
	write_traces(EVENTS, 400, 1);
	for (size_t i = 0; i < 10; i++) {
		struct tide_sim_options o = {.size = sizeof o,
					     .trace = path_of(STREAMS),
					     .near_size = "100p",
					     .chunk = "1p",
					     .evict = evict[i / 2],
					     .prefetch = "none",
					     .split = shares[i % 2]};
		struct tide_sim *sim = run(&o);
		assert_int_equal(check_parts(sim, &o), 100);
		tide_sim_close(sim);
	}
}

/* The document but for its speed. */
static char *document(const struct tide_sim_options *o)
{
	struct tide_sim *sim = run(o);
	char *text = NULL;

	assert_int_equal(tide_sim_json(sim, &text, NULL), 0);
	tide_sim_close(sim);
	assert_non_null(strstr(text, "\"wall\""));
	*strstr(text, "\"wall\"") = 0;
	return text;
}

static void threads_give_the_same(void **state)
{
	static const char *const evict[] = {"lru", "opt", "random", "lecar"};

	(void)state;
	write_traces(EVENTS, 400, 3);
	for (size_t i = 0; i < 4; i++) {
		struct tide_sim_options o = {.size = sizeof o,
					     .trace = path_of(STREAMS),
					     .near_size = "30%",
					     .chunk = "1p",
					     .evict = evict[i],
					     .prefetch = "none",
					     .split = "stream:shares=lru",
					     .threads = 1};
		char *one = document(&o);
		for (o.threads = 0; o.threads < 6; o.threads += 2) {
			char *several = document(&o);
			assert_string_equal(one, several);
			free(several);
		}
		free(one);
	}
}

/* What is told grows up to all accesses, whichever thread tells it. */
struct told {
	uint64_t last;
	unsigned calls;
};

static void hear(void *arg, uint64_t done, uint64_t total)
{
	struct told *told = arg;

	assert_int_equal(total, EVENTS);
	assert_in_range(done, told->last, EVENTS);
	told->last = done;
	told->calls++;
}

static void progress_is_of_all_parts(void **state)
{
	struct tide_sim_options o = {.size = sizeof o,
				     .trace = path_of(STREAMS),
				     .near_size = "30%",
				     .split = "stream",
				     .threads = 1};
	struct told told = {0};
	struct tide_sim *sim;

	(void)state;
	write_traces(EVENTS, 400, 3);
	assert_int_equal(tide_sim_open(&sim, &o, NULL), 0);
	assert_int_equal(tide_sim_run(sim, hear, &told, NULL), 0);
	assert_int_equal(told.last, EVENTS);
	assert_in_range(told.calls, STREAMS, 100);
	tide_sim_close(sim);
}

static void parts_have_chunks_and_prefetch(void **state)
{
	struct tide_sim_options o = {.size = sizeof o,
				     .trace = path_of(STREAMS),
				     .near_size = "25%",
				     .evict = "mhpe",
				     .prefetch = "tree",
				     .split = "stream"};

	(void)state;
	write_traces(EVENTS, 900, 2);
	struct tide_sim *sim = run(&o);
	struct td_lib_summary s;
	td_lib_summarize(sim, &s);
	assert_int_equal(check_parts(sim, &o), s.near_pages);
	/* A second run finds nothing more to do. */
	assert_int_equal(tide_sim_run(sim, NULL, NULL, NULL), 0);
	assert_int_equal(counts_of(sim).accesses, EVENTS);
	tide_sim_close(sim);
}

/* ---- the best shares ---- */

enum { NEAR = 9 };

/* The misses of lru of all parts for all sizes. */
static void curves(const struct tide_sim_options *o, uint64_t misses[STREAMS][NEAR + 1])
{
	for (size_t i = 0; i < STREAMS; i++)
		for (uint64_t near = 1; near <= NEAR; near++)
			misses[i][near] = run_part(*o, i, near).faults;
}

static uint64_t least(uint64_t misses[STREAMS][NEAR + 1])
{
	uint64_t best = UINT64_MAX;

	for (uint64_t a = 1; a <= NEAR - 2; a++)
		for (uint64_t b = 1; a + b <= NEAR - 1; b++) {
			uint64_t sum = misses[0][a] + misses[1][b] + misses[2][NEAR - a - b];
			best = sum < best ? sum : best;
		}
	return best;
}

static void no_shares_are_better(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 16; seed++) {
		uint64_t misses[STREAMS][NEAR + 1];
		struct tide_sim_options o = {.size = sizeof o,
					     .trace = path_of(STREAMS),
					     .near_size = "9p",
					     .chunk = "1p",
					     .evict = "lru",
					     .prefetch = "none",
					     .split = "stream:shares=lru"};
		looping = seed > 8;
		write_traces(3000, 4 + seed % 4, seed);
		struct tide_sim *sim = run(&o);
		curves(&o, misses);
		assert_int_equal(counts_of(sim).faults, least(misses));
		tide_sim_close(sim);
	}
	looping = false;
}

/* Near memory that is too large to try all shares: the curves are convex but for chance. */
static void large_shares_are_good(void **state)
{
	enum { LARGE = 12000, MOVED = 500 };
	struct tide_sim_options o = {.size = sizeof o,
				     .trace = path_of(STREAMS),
				     .near_size = "12000p",
				     .chunk = "1p",
				     .evict = "lru",
				     .prefetch = "none",
				     .split = "stream:shares=lru"};

	(void)state;
	write_traces(90000, 16000, 5);
	struct tide_sim *sim = run(&o);
	assert_int_equal(check_parts(sim, &o), LARGE);
	for (uint32_t from = 0; from < STREAMS; from++)
		for (uint32_t to = 0; to < STREAMS; to++) {
			struct td_lib_part_summary less, more;
			assert_true(td_lib_sim_part(sim, from, &less) &&
				    td_lib_sim_part(sim, to, &more));
			if (from == to || less.near_pages <= MOVED)
				continue;
			uint64_t faults = less.counts.faults + more.counts.faults,
				 moved = run_part(o, part_of(less.stream), less.near_pages - MOVED)
						 .faults +
					 run_part(o, part_of(more.stream), more.near_pages + MOVED)
						 .faults;
			assert_true(moved + 60 > faults);
		}
	tide_sim_close(sim);
}

/* ---- what is refused ---- */

static void refuse(struct tide_sim_options o, const char *why)
{
	struct tide_error err = {0};
	struct tide_sim *sim = NULL;

	assert_int_equal(tide_sim_open(&sim, &o, &err), -EINVAL);
	if (!strstr(err.text, why))
		fail_msg("%s, not: %s", err.text, why);
}

static void what_cannot_be_split_is_refused(void **state)
{
	struct tide_sim_options good = {.size = sizeof good,
					.trace = path_of(STREAMS),
					.near_size = "100p",
					.chunk = "1p",
					.split = "stream"};
	struct tide_sim_options o = good;

	(void)state;
	write_traces(300, 40, 1);
	o.split = "streams";
	refuse(o, "no way to split is called 'streams'");
	o = good, o.model = "h200";
	refuse(o, "`split` and `model`");
	o = good, o.place = "reuse", o.host = "50%";
	refuse(o, "`split` and `place`");
	o = good, o.log = "/dev/null";
	refuse(o, "`split` and `log`");
	o = good, o.trace = NULL;
	refuse(o, "pushed accesses");
	o = good, o.near_size = "2p";
	refuse(o, "give at least 3p");
	o = good, o.chunk = "4p", o.split = "stream:shares=lru";
	refuse(o, "chunks of one page");
	o = good, o.evict = "nobody";
	refuse(o, "nobody");
}

static void too_many_streams_are_refused(void **state)
{
	struct tide_sim_options o = {
		.size = sizeof o, .trace = path_of(0), .near_size = "9999p", .split = "stream"};
	struct tide_trace_writer *w;
	struct tide_event event = {.size = sizeof event};

	(void)state;
	assert_int_equal(tide_trace_create(&w, path_of(0), NULL, NULL), 0);
	for (; event.stream <= TD_LIB_PARTS_MAX; event.stream++)
		assert_int_equal(tide_trace_put(w, &event, NULL), 0);
	assert_int_equal(tide_trace_finish(w, NULL), 0);
	refuse(o, "more than 4096 streams");
}

/* ---- groups ---- */

/* One batch: stream 7 and 8 by turns, a group at 1, 4 and 5. */
static int next_grouped(struct td_trace_source *s, struct tide_batch *b, struct tide_error *err)
{
	static const uint8_t first[] = {0, 1, 0, 0, 1, 1, 0, 0};

	(void)err;
	b->n = s->bytes_done++ ? 0 : 8;
	for (uint32_t i = 0; i < b->n; i++) {
		b->page[i] = i;
		b->stream[i] = 7 + i % 2;
		b->object->first[i] = first[i];
	}
	return 0;
}

/* A group begins in each part with its first access there. */
static void groups_begin_in_every_part(void **state)
{
	static const struct td_trace_source_ops ops = {.format = "test", .next = next_grouped};
	static const uint8_t expected[2][4] = {{0, 1, 1, 1}, {1, 0, 1, 0}};
	struct td_trace_source source = {.ops = &ops, .groups = true};
	struct td_trace_facts facts;
	struct td_lib_split *s;
	struct tide_batch *b = calloc(1, sizeof *b);

	(void)state;
	b->object = calloc(1, sizeof *b->object);
	assert_int_equal(td_lib_split_new(&s, "stream", NULL), 0);
	assert_int_equal(td_lib_split_read(s, &source, &facts, NULL), 0);
	assert_int_equal(s->n, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(td_trace_next(&s->part[i]->head, b, NULL), 0);
		assert_int_equal(b->n, 4);
		assert_memory_equal(b->object->first, expected[i], 4);
	}
	td_lib_split_free(s);
	free(b->object);
	free(b);
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	for (size_t i = 0; i <= STREAMS; i++)
		unlink(path_of(i));
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_runs_of_their_own),
		cmocka_unit_test(threads_give_the_same),
		cmocka_unit_test(progress_is_of_all_parts),
		cmocka_unit_test(parts_have_chunks_and_prefetch),
		cmocka_unit_test(no_shares_are_better),
		cmocka_unit_test(large_shares_are_good),
		cmocka_unit_test(what_cannot_be_split_is_refused),
		cmocka_unit_test(too_many_streams_are_refused),
		cmocka_unit_test(groups_begin_in_every_part),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
