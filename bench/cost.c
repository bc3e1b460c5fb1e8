/* Runs a trace and says what a stretch of it cost, in one line on standard output: accesses, hits,
 * faults, notices, seconds of processor time, and whether memory was full when the stretch began.
 * Under callgrind started with --instr-atstart=no, only the stretch is counted.
 *
 * The stretch begins and ends between two batches, so it is a little longer than asked for. What
 * lies before it fills memory and is not timed; reading the accesses of the stretch is.
 *
 * usage: cost TRACE FROM COUNT NEAR CHUNK EVICT PREFETCH [PLACE HOST] */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef BENCH_CALLGRIND
#include <valgrind/callgrind.h>
#else /* then nothing can be counted, and nobody asks */
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#endif

#include "lib/lib.h"

struct stretch {
	struct tide_counts before, after;
	double seconds;
	bool full;
};

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Whole batches, until so many accesses were made or the trace ends. */
static int advance(struct tide_sim *sim, uint64_t accesses, struct tide_error *err)
{
	while (sim->engine->counts.accesses < accesses) {
		int rc = td_trace_next(sim->source, sim->batch, err);
		if (!rc && !sim->batch->n)
			return 0;
		if (!rc)
			rc = td_sim_batch(sim->engine, sim->batch, err);
		if (rc)
			return rc;
	}
	return 0;
}

static int measure(struct tide_sim *sim, uint64_t from, uint64_t count, struct stretch *s,
		   struct tide_error *err)
{
	int rc = advance(sim, from, err);
	if (rc)
		return rc;
	s->before.size = sizeof s->before;
	tide_sim_counts(sim, &s->before, NULL);
	s->full = sim->engine->full;
	double started = cpu_seconds();
	CALLGRIND_START_INSTRUMENTATION;
	rc = advance(sim, s->before.accesses + count, err);
	CALLGRIND_STOP_INSTRUMENTATION;
	s->seconds = cpu_seconds() - started;
	s->after.size = sizeof s->after;
	tide_sim_counts(sim, &s->after, NULL);
	return rc;
}

static void print_stretch(const struct stretch *s)
{
	const struct tide_counts *a = &s->after, *b = &s->before;
	printf("%llu %llu %llu %llu %.6f %d\n", (unsigned long long)(a->accesses - b->accesses),
	       (unsigned long long)(a->hits - b->hits), (unsigned long long)(a->faults - b->faults),
	       (unsigned long long)(a->notices - b->notices), s->seconds, s->full);
}

int main(int argc, char **argv)
{
	struct tide_sim *sim = NULL;
	struct stretch s = {0};
	struct tide_error err;
	if (argc != 8 && argc != 10) {
		fputs("cost: the usage is cost TRACE FROM COUNT NEAR CHUNK EVICT PREFETCH "
		      "[PLACE HOST]\n",
		      stderr);
		return 2;
	}
	struct tide_sim_options options = {
		.size = sizeof options,
		.trace = argv[1],
		.near_size = argv[4],
		.chunk = argv[5],
		.evict = argv[6],
		.prefetch = argv[7],
		.place = argc == 10 ? argv[8] : NULL,
		.host = argc == 10 ? argv[9] : NULL,
	};
	uint64_t from = strtoull(argv[2], NULL, 10), count = strtoull(argv[3], NULL, 10);
	int rc = tide_sim_open(&sim, &options, &err);
	if (!rc)
		rc = measure(sim, from, count, &s, &err);
	tide_sim_close(sim);
	if (rc)
		fprintf(stderr, "cost: %s\n", err.text);
	else
		print_stretch(&s);
	return rc != 0;
}
