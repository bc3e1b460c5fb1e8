/* Numbers out of the runs of tide reproduce gram. */
#include <math.h>
#include <stdlib.h>

#include "gram.h"

#define REPEATS_MAX 8
#define PAPER_MB(thousands) ((double)(thousands)*1024 * GRAM_PAGE / (1 << 20))

static bool is(const struct td_cli_gram_run *run, enum td_cli_gram_study s,
	       enum td_cli_gram_how how, unsigned x)
{
	return run->done && run->study == s && run->how == how && run->x == x;
}

const struct td_cli_gram_run *td_cli_gram_find(const struct td_cli_gram *g,
					       enum td_cli_gram_study s, enum td_cli_gram_how how,
					       unsigned x)
{
	for (size_t i = 0; i < g->n; i++)
		if (is(&g->runs[i], s, how, x))
			return &g->runs[i];
	return NULL;
}

static double percent(uint64_t part, uint64_t of)
{
	return of ? 100 * (double)part / (double)of : NAN;
}

double td_cli_gram_reads(const struct td_cli_gram_run *run)
{
	return percent(run->stats.counts.tier3_reads, run->stats.counts.accesses);
}

double td_cli_gram_io(const struct td_cli_gram_run *run)
{
	return percent(run->stats.counts.tier3_reads + run->stats.counts.tier3_writes,
		       run->stats.counts.accesses);
}

double td_cli_gram_us(const struct td_cli_gram_run *run)
{
	return 1e6 * run->seconds / (double)run->stats.counts.accesses;
}

double td_cli_gram_sharing(const struct td_cli_gram_run *run)
{
	return percent(run->sharing_bytes, run->held_bytes);
}

double td_cli_gram_shared(const struct td_cli_gram_run *run)
{
	return percent(run->sharing_bytes, run->samples * run->touched_pages * GRAM_PAGE);
}

static uint64_t moved_bytes(const struct td_cli_gram_run *run)
{
	return run->stats.gathered_bytes + run->stats.scattered_bytes;
}

double td_cli_gram_move_ns(const struct td_cli_gram_run *run)
{
	uint64_t bytes = moved_bytes(run);

	return bytes ? (double)run->stats.device_ns * GRAM_PAGE / (double)bytes : NAN;
}

double td_cli_gram_move_gbs(const struct td_cli_gram_run *run)
{
	return (double)GRAM_PAGE / td_cli_gram_move_ns(run);
}

double td_cli_gram_move_percent(const struct td_cli_gram_run *run)
{
	return percent(run->stats.device_ns, run->stats.file_ns);
}

double td_cli_gram_signed(const struct td_cli_gram_run *run)
{
	return percent(run->stats.hashed_blocks, run->stats.counts.accesses);
}

double td_cli_gram_index(const struct td_cli_gram_run *run)
{
	const struct tide_pool_stats *s = &run->stats;

	return percent(s->index_bytes, s->main_bytes + s->batch_bytes + s->device_bytes);
}

static int by_size(const void *a, const void *b)
{
	const double *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

double td_cli_gram_value(const struct td_cli_gram *g, td_cli_gram_figure *f,
			 enum td_cli_gram_study s, enum td_cli_gram_how how, unsigned x)
{
	double values[REPEATS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < g->n && n < REPEATS_MAX; i++)
		if (is(&g->runs[i], s, how, x))
			values[n++] = f(&g->runs[i]);
	qsort(values, n, sizeof *values, by_size);
	return n ? values[n / 2] : NAN;
}

double td_cli_gram_saved(const struct td_cli_gram *g, td_cli_gram_figure *f,
			 enum td_cli_gram_study s, unsigned x, enum td_cli_gram_how how,
			 enum td_cli_gram_how than)
{
	return 100 * (1 - td_cli_gram_value(g, f, s, how, x) / td_cli_gram_value(g, f, s, than, x));
}

double td_cli_gram_utility(const struct td_cli_gram *g, enum td_cli_gram_how how, unsigned x)
{
	double without = td_cli_gram_value(g, td_cli_gram_reads, GRAM_DEVICE, GRAM_GRAM, 0);
	double with = td_cli_gram_value(g, td_cli_gram_reads, GRAM_DEVICE, how, x);

	return x ? (without - with) / PAPER_MB(x) : NAN;
}
