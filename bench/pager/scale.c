/* Claim: 64 GiB of address space with 1 GiB near opens in less than 100 ms, and what the pager
 * needs for itself is less than 0.1% of the address space, even once pages all over it were
 * touched. Baseline: none. The kernel's page tables are shown beside it: they are not the pager's.
 * states.c looks at all policies; too much state is an error here, as it is the same in every run.
 *
 * usage: scale [-q] [-o RESULTS] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "states.h"
#include "tide/pager.h"

static bool quick;
static FILE *results;

struct kind {
	const char *mapping, *evict, *prefetch;
};

struct scale {
	uint64_t start_ns;
	uint64_t idle_bytes, used_bytes;       /* anonymous memory of the process beyond data */
	uint64_t idle_metadata, used_metadata; /* as the pager says */
	uint64_t tables_bytes;                 /* page tables */
	uint64_t touched, wrong, near_bytes, tier2_bytes;
	char refused[512];
};

/* A line of /proc/self/status, in bytes. */
static uint64_t status_bytes(const char *key)
{
	unsigned long long kib = 0;
	char line[128];
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, key, strlen(key)) == 0)
			sscanf(line + strlen(key), ": %llu", &kib);
	if (f)
		fclose(f);
	return kib * 1024;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15;
	return x ^ (x >> 29);
}

/* Pages here and there, each of them twice: written, and read once all were. */
static void touch_sparsely(char *base, uint64_t bytes, struct scale *s)
{
	uint64_t pages = bytes / BENCH_PAGE;

	for (uint64_t i = 0; i < s->touched; i++) {
		uint64_t page = mix(i + 1) % pages;

		*(volatile uint64_t *)(void *)(base + page * BENCH_PAGE) = page + 1;
	}
	for (uint64_t i = 0; i < s->touched; i++) {
		uint64_t page = mix(i + 1) % pages;

		s->wrong += *(volatile uint64_t *)(void *)(base + page * BENCH_PAGE) != page + 1;
	}
}

static void measure(const struct kind *k, struct scale *s)
{
	struct tide_options options = {.size = sizeof options,
				       .near_size = "1G",
				       .evict = k->evict,
				       .prefetch = k->prefetch,
				       .mapping = k->mapping};
	uint64_t before_bytes = status_bytes("RssAnon"), tables = status_bytes("VmPTE");
	const uint64_t bytes = 64ull << 30;
	struct tide_error err = {0};
	struct tide_stats stats = {.size = sizeof stats};
	struct tide *t;
	void *base;
	uint64_t start_ns = bench_wall_ns();

	if (tide_open(&t, &options, &err) || tide_map(t, &base, bytes, NULL, &err)) {
		snprintf(s->refused, sizeof s->refused, "%s", err.text);
		return;
	}
	s->start_ns = bench_wall_ns() - start_ns;
	tide_stats(t, &stats, NULL);
	s->idle_bytes = status_bytes("RssAnon") - before_bytes;
	s->idle_metadata = stats.metadata_bytes;
	s->touched = quick ? 10000 : 400000;
	touch_sparsely(base, bytes, s);
	tide_stats(t, &stats, NULL);
	s->near_bytes = stats.near_bytes;
	s->tier2_bytes = stats.tier2_bytes;
	s->used_bytes = status_bytes("RssAnon") - before_bytes;
	if (strcmp(stats.mapping, "fast") == 0) /* whose data is anonymous memory */
		s->used_bytes -= stats.near_bytes + stats.tier2_bytes;
	s->used_metadata = stats.metadata_bytes;
	s->tables_bytes = status_bytes("VmPTE") - tables;
}

/* In a process of its own: prints its line, and leaves wrong words to the parent. */
static void show(const void *arg, struct bench_result *out)
{
	const struct kind *k = arg;
	const double space = (double)(64ull << 30), mib = 1048576;
	struct scale s = {0};

	measure(k, &s);
	out->wrong = s.wrong;
	double share = 100 * (double)s.used_metadata / space;
	double own = 100 * (double)s.used_bytes / space;
	bool met = s.start_ns < 100000000 && share < 0.1 && own < 0.1;

	if (s.refused[0])
		printf("%-7s %-5s %-8s skipped: %s\n", k->mapping, k->evict, k->prefetch,
		       s.refused);
	else
		printf("%-7s %-5s %-8s %8.2f %8.1f %8.1f %8.4f%% %8.1f %8.4f%% %8.1f %8.0f  %s\n",
		       k->mapping, k->evict, k->prefetch, (double)s.start_ns / 1e6,
		       (double)s.idle_bytes / mib, (double)s.used_metadata / mib, share,
		       (double)s.used_bytes / mib, own, (double)s.tables_bytes / mib,
		       (double)(s.near_bytes + s.tier2_bytes) / mib, met ? "met" : "NOT met");
	if (results && !s.refused[0])
		fprintf(results,
			"{\"bench\": \"pager-scale\", \"mapping\": \"%s\", \"evict\": \"%s\", "
			"\"prefetch\": \"%s\", \"start_ns\": %llu, "
			"\"metadata_bytes\": %llu, \"own_bytes\": %llu, \"met\": %s}\n",
			k->mapping, k->evict, k->prefetch, (unsigned long long)s.start_ns,
			(unsigned long long)s.used_metadata, (unsigned long long)s.used_bytes,
			met ? "true" : "false");
	fflush(NULL);
}

int main(int argc, char **argv)
{
	/* fast without prefetch: whole chunks of zeros are data that takes no memory. */
	static const struct kind kinds[] = {{"exact", "lrm", "locality"},
					    {"fast", "lrm", "none"},
					    {"exact", "mhpe", "pattern"}};

	for (int c; (c = getopt(argc, argv, "qo:")) != -1;) {
		switch (c) {
		case 'q': quick = true; break;
		case 'o': results = fopen(optarg, "a"); break;
		default: return 2;
		}
	}
	printf("\npager scale: 64 GiB with 1 GiB near start within 100 ms; metadata below 0.1%% of it\n"
	       "  baseline: none. metadata: as the pager says, at most; own: resident memory besides\n"
	       "  data, before and after touches all over; tables: the kernel's; MiB\n\n"
	       "mapping evict prefetch start ms idle own metadata     share      own     share   tables     data\n");
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct bench_result r;

		bench_child(show, &kinds[i], &r);
		if (r.wrong)
			bench_fail("%llu wrong words", (unsigned long long)r.wrong);
	}
	unsigned over = bench_states(results);

	if (results && fclose(results))
		bench_fail("the results cannot be written");
	if (over)
		bench_fail("%u combinations of policies need 0.1%% of the address space or more",
			   over);
	return 0;
}
