/* Claim: an access to what is near costs nothing: a loop over resident paged memory takes the time
 * of the same loop, the same instructions, over plain memory, within 3%.
 * Baseline: anonymous memory in pages of 4 KiB. In turns, each time the best of some short slices
 * (all accesses are alike, so a slower one was disturbed), the best of REPEAT.
 *
 * usage: hits [-q] [-r REPEAT] [-o RESULTS] */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common.h"
#include "tide/pager.h"

#define SLICES 20

struct kind {
	const char *name, *mapping; /* NULL: plain */
	bool random;
	size_t bytes;
	uint64_t accesses; /* of a slice */
};

static bool quick;
static unsigned repeat = 5;
static FILE *results;

/* Every eighth access writes, so that dirty pages are among them. */
__attribute__((noinline)) static uint64_t walk(char *base, size_t lines, bool random, uint64_t n)
{
	uint64_t sum = 0, state = 1;

	for (uint64_t i = 0; i < n; i++) {
		state = state * 6364136223846793005 + 1442695040888963407;
		size_t line = random ? (size_t)((state >> 32) * lines >> 32) : i % lines;
		volatile uint64_t *word = (void *)(base + line * 64);

		if (i % 8 == 7)
			*word = sum;
		else
			sum += *word;
	}
	return sum;
}

static char *paged(const struct kind *k, struct bench_result *out)
{
	struct tide_options options = {.size = sizeof options,
				       .near_size = bench_size(2 * k->bytes),
				       .prefetch = "none",
				       .mapping = k->mapping,
				       .service = "signal"};
	struct tide_error err = {0};
	struct tide *t;
	void *base;

	if (tide_open(&t, &options, &err) == 0 && tide_map(t, &base, k->bytes, NULL, &err) == 0)
		return base;
	snprintf(out->refused, sizeof out->refused, "%s", err.text);
	return NULL;
}

static void measure(const void *arg, struct bench_result *out)
{
	const struct kind *k = arg;
	char *base = k->mapping ? paged(k, out) : bench_memory(k->bytes);

	if (!base)
		return;
	bench_fill(base, k->bytes);
	for (unsigned i = 0; i < SLICES; i++) {
		uint64_t start_ns = bench_wall_ns(), ns;

		walk(base, k->bytes / 64, k->random, k->accesses);
		ns = bench_wall_ns() - start_ns;
		if (!i || ns < out->wall_ns)
			out->wall_ns = ns;
	}
}

static void show(const struct kind *k, const struct bench_result *r,
		 const struct bench_result *plain)
{
	double ratio = plain->wall_ns ? (double)r->wall_ns / (double)plain->wall_ns : 0;
	bool met = ratio < 1.03;

	if (r->refused[0]) {
		printf("%-10s %-6s skipped: %s\n", k->random ? "random" : "sequential", k->name,
		       r->refused);
		return;
	}
	printf("%-10s %-6s %8.2f %6.3f  %s\n", k->random ? "random" : "sequential", k->name,
	       (double)r->wall_ns / (double)k->accesses, ratio,
	       !k->mapping ? "-"
	       : met       ? "met"
			   : "NOT met");
	if (results && k->mapping)
		fprintf(results,
			"{\"bench\": \"pager-hits\", \"access\": \"%s\", \"mapping\": \"%s\", "
			"\"ns_per_access\": %.3f, \"ratio\": %.3f, \"met\": %s}\n",
			k->random ? "random" : "sequential", k->mapping,
			(double)r->wall_ns / (double)k->accesses, ratio, met ? "true" : "false");
}

static void compare(bool random)
{
	struct kind kinds[3] = {{.name = "plain"},
				{.name = "exact", .mapping = "exact"},
				{.name = "fast", .mapping = "fast"}};
	struct bench_result best[3] = {0}, now;

	for (unsigned again = 0; again < repeat; again++)
		for (unsigned i = 0; i < 3; i++) {
			kinds[i].random = random;
			kinds[i].bytes = quick ? 8ul << 20 : 64ul << 20;
			kinds[i].accesses = quick ? 200000 : random ? 1000000 : 4000000;
			bench_child(measure, &kinds[i], &now);
			if (now.refused[0] || !best[i].wall_ns || now.wall_ns < best[i].wall_ns)
				best[i] = now;
		}
	for (unsigned i = 0; i < 3; i++)
		show(&kinds[i], &best[i], &best[0]);
}

int main(int argc, char **argv)
{
	for (int c; (c = getopt(argc, argv, "qr:o:")) != -1;) {
		switch (c) {
		case 'q': quick = true; break;
		case 'r': repeat = (unsigned)atoi(optarg); break;
		case 'o': results = fopen(optarg, "a"); break;
		default: return 2;
		}
	}
	printf("\npager hits: memory that is near costs what plain memory costs, within 3%%\n"
	       "  baseline: the same loop over anonymous memory in small pages, best of %u\n\n"
	       "access     memory       ns  ratio\n",
	       repeat);
	compare(false);
	compare(true);
	return results && fclose(results);
}
