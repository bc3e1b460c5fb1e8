/* Runs one input under several eviction policies, and prints a table with the best first.
 * usage: rank (trace FILE | workload SPEC) NEAR POLICY... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tide/tide.h>

struct row {
	const char *evict;
	struct tide_counts counts;
};

/* Runs one policy, and keeps what it learnt of the input, so that the next run needs no survey. */
static int run(const struct tide_sim_options *options, struct tide_counts *counts,
	       struct tide_facts *facts, struct tide_error *err)
{
	struct tide_sim *sim;
	int rc = tide_sim_open(&sim, options, err);
	if (rc)
		return rc;
	rc = tide_sim_run(sim, NULL, NULL, err);
	tide_sim_counts(sim, counts, NULL);
	tide_sim_facts(sim, facts, NULL);
	tide_sim_close(sim);
	return rc;
}

static int fewer_faults(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	if (x->counts.faults != y->counts.faults)
		return x->counts.faults < y->counts.faults ? -1 : 1;
	return strcmp(x->evict, y->evict);
}

static void print(const struct row *rows, int n)
{
	printf("%-14s %10s %8s\n", "evict", "faults", "hits");
	for (int i = 0; i < n; i++) {
		const struct tide_counts *c = &rows[i].counts;
		double share = c->accesses ? (double)c->hits / (double)c->accesses : 0;
		printf("%-14s %10llu %7.2f%%\n", rows[i].evict, (unsigned long long)c->faults,
		       100 * share);
	}
}

int main(int argc, char **argv)
{
	if (argc < 5 || (strcmp(argv[1], "trace") != 0 && strcmp(argv[1], "workload") != 0)) {
		fprintf(stderr, "usage: rank (trace FILE | workload SPEC) NEAR POLICY...\n");
		return 2;
	}
	bool is_trace = strcmp(argv[1], "trace") == 0;
	struct tide_sim_options options = {
		.size = sizeof options, .near_size = argv[3], .chunk = "4K", .prefetch = "none"};
	*(is_trace ? &options.trace : &options.workload) = argv[2];

	int n = argc - 4, rc = 0;
	struct row *rows = calloc((size_t)n, sizeof *rows);
	struct tide_facts facts = {.size = sizeof facts};
	struct tide_error err = {0, "out of memory"};
	for (int i = 0; rows && i < n && !rc; i++) {
		options.evict = rows[i].evict = argv[4 + i];
		rows[i].counts.size = sizeof rows[i].counts;
		rc = run(&options, &rows[i].counts, &facts, &err);
		options.facts = &facts;
	}
	if (!rows || rc) {
		fprintf(stderr, "rank: %s\n", err.text);
		free(rows);
		return 1;
	}
	qsort(rows, (size_t)n, sizeof *rows, fewer_faults);
	print(rows, n);
	free(rows);
	return 0;
}
