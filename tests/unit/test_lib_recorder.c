/* What is recorded of a run is the run: replayed, every decision is the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "lib/recorder.h"
#include "maps_model.h"
#include "test_trace.h"
#include "tide/tide.h"

#define STEPS 3000

static struct td_recorder *begin_recording(const char *path)
{
	struct td_recorder *r = NULL;
	struct tide_error err = {0};

	if (td_recorder_open(&r, path, &err))
		fail_msg("%s", err.text);
	return r;
}

static void record_event(void *to, const struct td_event *event)
{
	td_recorder_event(to, event);
}

static void record_mark(void *to, const struct tide_mark *mark)
{
	td_recorder_mark(to, mark);
}

/* ---- replay ---- */

struct combination {
	const char *evict, *prefetch, *place;
	uint32_t chunk_pages;
};

/* A run of the engine, as a mechanism drives it. */
static struct tide_counts run_live(const struct combination *how, const char *log,
				   const char *trace)
{
	static struct model m;
	struct td_engine_config config = model_config(&m, how->chunk_pages, 100, 3);
	struct tide_counts counts = {.size = sizeof counts};

	m.to = begin_recording(trace);
	m.event = record_event;
	m.mark = record_mark;
	m.tiers = how->place;
	config.log_path = log;
	config.host_pages = 30;
	config.evict = named(how->evict, TIDE_EVICT);
	config.prefetch = named(how->prefetch, TIDE_PREFETCH);
	if (how->place)
		config.place = named(how->place, TIDE_PLACE);
	m.e = start(&config);
	for (int i = 0; i < STEPS; i++)
		model_step(&m);
	check(&m);
	td_engine_count_hits(m.e);
	assert_int_equal(td_engine_finish(m.e, NULL), 0);
	counts = m.e->counts;
	td_engine_destroy(m.e);
	assert_int_equal(td_recorder_close(m.to, NULL), 0);
	return counts;
}

static struct tide_counts replay(const struct combination *how, const char *log, const char *trace)
{
	char chunk[16];
	struct tide_sim_options o = {.size = sizeof o,
				     .trace = trace,
				     .near_size = "100p",
				     .host = how->place ? "30p" : NULL,
				     .chunk = chunk,
				     .evict = how->evict,
				     .prefetch = how->prefetch,
				     .place = how->place,
				     .log = log};
	struct tide_error err = {0};
	struct tide_counts counts = {.size = sizeof counts};
	struct tide_sim *sim;

	snprintf(chunk, sizeof chunk, "%up", how->chunk_pages);
	if (tide_sim_open(&sim, &o, &err) || tide_sim_run(sim, NULL, NULL, &err))
		fail_msg("%s + %s: %s", how->evict, how->prefetch, err.text);
	tide_sim_counts(sim, &counts, NULL);
	tide_sim_close(sim);
	return counts;
}

static void compare(const struct combination *how)
{
	char live[160], again[160], trace[160];
	struct tide_counts a = {.size = sizeof a}, b = {.size = sizeof b};
	unsigned char *x, *y;
	size_t n, m;

	snprintf(live, sizeof live, "%s", scratch("live.jsonl"));
	snprintf(again, sizeof again, "%s", scratch("again.jsonl"));
	snprintf(trace, sizeof trace, "%s", scratch("run.tide"));
	a = run_live(how, live, trace);
	b = replay(how, again, trace);
	if (memcmp(&a, &b, sizeof a) != 0)
		fail_msg("%s + %s: the counts differ", how->evict, how->prefetch);
	x = load(live, &n);
	y = load(again, &m);
	if (n != m || n < 1000 || memcmp(x, y, n) != 0)
		fail_msg("%s + %s: the logs differ", how->evict, how->prefetch);
	free(x);
	free(y);
}

static void every_decision_is_the_same(void **state)
{
	(void)state;
	for (const struct tide_policy *const *p = td_policy_table; *p; p++) {
		const char *name = (*p)->name;
		if ((*p)->needs & TIDE_NEEDS_FUTURE)
			continue;
		if ((*p)->role == TIDE_PREFETCH)
			compare(&(struct combination){"tournament", name, NULL, 8});
		else if ((*p)->role == TIDE_PLACE && !(*p)->inclusive)
			compare(&(struct combination){"clock", "none", name, 1});
		else if ((*p)->role == TIDE_EVICT)
			compare(&(struct combination){name, "rgp", NULL,
						      (*p)->needs & TIDE_NEEDS_PAGES ? 1 : 4});
	}
}

/* A recorded run has a future, and other policies can be tried on it; only what has no notion of
 * memory that comes and goes refuses it. */
static void a_recording_is_an_input(void **state)
{
	static const struct combination lru = {"lru", "none", NULL, 4},
					opt = {"opt", "none", NULL, 4};
	char trace[160];
	struct tide_sim_options o = {
		.size = sizeof o, .trace = trace, .near_size = "100p", .model = "cppe"};
	struct tide_mrc_options c = {.size = sizeof c, .trace = trace};
	struct tide_error err = {0};
	struct tide_sim *sim;
	struct tide_mrc *mrc;
	uint64_t faults;

	(void)state;
	snprintf(trace, sizeof trace, "%s", scratch("run.tide"));
	faults = run_live(&lru, NULL, trace).faults;
	assert_int_equal(replay(&lru, NULL, trace).faults, faults);
	assert_true(replay(&opt, NULL, trace).faults <= faults);
	assert_int_equal(tide_sim_open(&sim, &o, &err), -EINVAL);
	assert_non_null(strstr(err.text, "no timed model follows"));
	assert_int_equal(tide_mrc_run(&mrc, &c, NULL, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "no curve follows"));
}

/* ---- the recorder alone ---- */

#define MANY 1000000

static void read_back(const char *path, uint64_t n)
{
	struct events got = read_good(path);

	assert_int_equal(got.n, n);
	for (uint64_t i = 0; i < n; i++)
		if (got.at[i].page != i * 3 || got.at[i].ref != i || got.at[i].stream != i % 7 ||
		    got.at[i].write != (i % 5 == 0))
			fail_msg("event %lu differs", i);
	free(got.at);
}

static void record_range(struct td_recorder *r, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++) {
		if (i % 1000 == 0)
			td_recorder_mark(r, &(struct tide_mark){TIDE_MARK_MAP, 0, i, 1});
		td_recorder_event(r, &(struct td_event){i * 3, i, i % 7, i % 5 == 0});
	}
}

/* Far more than the ring holds. */
static void nothing_is_lost(void **state)
{
	const char *path = scratch("long.tide");
	struct td_recorder *r = begin_recording(path);

	(void)state;
	record_range(r, 0, MANY);
	assert_int_equal(td_recorder_close(r, NULL), 0);
	read_back(path, MANY);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t next_event;

static void *take_turns(void *r)
{
	for (bool more = true; more;) {
		pthread_mutex_lock(&lock);
		uint64_t to = next_event + 100 < MANY / 4 ? next_event + 100 : MANY / 4;
		record_range(r, next_event, to);
		next_event = to;
		more = to < MANY / 4;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void threads_may_take_turns(void **state)
{
	const char *path = scratch("turns.tide");
	struct td_recorder *r = begin_recording(path);
	pthread_t threads[4];

	(void)state;
	next_event = 0;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_turns, r), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(td_recorder_close(r, NULL), 0);
	read_back(path, MANY / 4);
}

static struct td_recorder *handled;
static volatile uint64_t handled_events;

static void handle(int signal)
{
	(void)signal;
	int was = errno;
	record_range(handled, handled_events, handled_events + 500);
	handled_events += 500;
	assert_int_equal(errno, was);
}

/* As the pager does: in a handler, whatever was interrupted, malloc too. */
static void a_handler_may_record(void **state)
{
	const char *path = scratch("handler.tide");
	struct sigaction act = {.sa_handler = handle}, before;
	struct itimerval every = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};

	(void)state;
	handled = begin_recording(path);
	handled_events = 0;
	assert_int_equal(sigaction(SIGALRM, &act, &before), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &every, NULL), 0);
	for (uint64_t i = 0; handled_events < 200000; i++) {
		free(malloc(i % 100000));
		if (i % 256 == 0)
			usleep(1); /* a thread sanitizer delivers signals only in such calls */
	}
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
	assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
	assert_int_equal(td_recorder_close(handled, NULL), 0);
	read_back(path, handled_events);
}

static void failures_are_said_once(void **state)
{
	struct td_recorder *r = NULL;
	struct tide_error err = {0};

	(void)state;
	assert_int_equal(td_recorder_open(&r, scratch("nowhere/run.tide"), &err), -ENOENT);
	assert_non_null(strstr(err.text, "nowhere"));
	assert_int_equal(td_recorder_close(NULL, NULL), 0);
	/* A full disk stops nobody. */
	r = begin_recording("/dev/full");
	record_range(r, 0, MANY);
	assert_int_equal(td_recorder_close(r, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "/dev/full"));
	/* Nothing happened. */
	r = begin_recording(scratch("empty.tide"));
	td_recorder_mark(r, &(struct tide_mark){TIDE_MARK_MAP, 0, 0, 4});
	assert_int_equal(td_recorder_close(r, &err), -ENODATA);
	assert_int_equal(access(scratch("empty.tide"), F_OK), -1);
	/* An event before the first map cannot be part of what comes and goes. */
	r = begin_recording(scratch("late.tide"));
	td_recorder_event(r, &(struct td_event){.page = 1});
	record_range(r, 0, 10);
	assert_int_equal(td_recorder_close(r, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_decision_is_the_same),
		cmocka_unit_test(a_recording_is_an_input),
		cmocka_unit_test(nothing_is_lost),
		cmocka_unit_test(threads_may_take_turns),
		cmocka_unit_test(a_handler_may_record),
		cmocka_unit_test(failures_are_said_once),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
