/* One measurement of faults.c, in a process of its own: all data once, then the accesses to warm
 * up, then again, timed. */
#include "faults.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "minimal.h"
#include "tide/pager.h"

static struct bench_touch touches(const struct load *l, char *base, uint64_t seed)
{
	size_t units = l->bytes / l->unit;

	return (struct bench_touch){base,
				    l->unit,
				    units,
				    l->threads,
				    l->random,
				    l->write,
				    (uint64_t)(units / l->threads * l->rounds),
				    seed};
}

static void measure_minimal(const void *arg, struct bench_result *out)
{
	const struct run *r = arg;
	const struct load *l = &r->load;
	size_t units = l->bytes / l->unit;
	char *base = minimal_open(&(struct minimal_options){.unit = l->unit,
							    .units = units,
							    .near_units = units / 4,
							    .parts = l->threads,
							    .write_out = l->write});
	struct bench_touch warm, timed;

	if (!base) {
		snprintf(out->refused, sizeof out->refused, "userfaultfd: %s", strerror(errno));
		return;
	}
	warm = touches(l, base, 1);
	warm.accesses /= l->rounds;
	timed = touches(l, base, 2);
	bench_touch(&warm, out);
	minimal_figures(&out->faults, &out->evicted_bytes, &out->evict_ns);
	bench_touch(&timed, out);
	minimal_figures(&out->faults, &out->evicted_bytes, &out->evict_ns);
	out->wrong += bench_check(base, l->bytes);
}

static struct tide *open_pager(const struct server *s, size_t near_bytes, struct bench_result *out)
{
	struct tide_error err = {0};
	struct tide_options options = {
		.size = sizeof options,
		.near_size = bench_size(near_bytes),
		.page = s->page,
		.chunk = s->chunk,
		.evict = s->evict,
		.prefetch = "none",
		.mapping = s->mapping,
		.service = s->service,
	};
	struct tide *t;

	if (tide_open(&t, &options, &err) == 0)
		return t;
	snprintf(out->refused, sizeof out->refused, "%s", err.text);
	return NULL;
}

static char *map(struct tide *t, size_t bytes)
{
	struct tide_error err = {0};
	void *base;

	if (tide_map(t, &base, bytes, NULL, &err))
		bench_fail("%s", err.text);
	return base;
}

static void measure_tide(const void *arg, struct bench_result *out)
{
	const struct run *r = arg;
	struct tide *t = open_pager(&r->server, r->load.bytes / 4, out);
	struct tide_stats before = {.size = sizeof before}, after = {.size = sizeof after};
	struct bench_touch warm, timed;
	char *base;

	if (!t)
		return;
	base = map(t, r->load.bytes);
	bench_fill(base, r->load.bytes);
	warm = touches(&r->load, base, 1);
	warm.accesses /= r->load.rounds;
	timed = touches(&r->load, base, 2);
	bench_touch(&warm, out);
	tide_stats(t, &before, NULL);
	bench_touch(&timed, out);
	tide_stats(t, &after, NULL);
	out->faults = after.counts.faults - before.counts.faults;
	out->evict_ns = after.flush_ns - before.flush_ns;
	out->evicted_bytes = (after.counts.evicted_pages - before.counts.evicted_pages) *
			     (strcmp(r->server.page, "64K") ? 4096 : 65536);
	out->wrong += bench_check(base, r->load.bytes);
}

void bench_serve(const struct run *r, struct bench_result *best)
{
	struct bench_result now;

	bench_child(r->server.page ? measure_tide : measure_minimal, r, &now);
	if (now.wrong)
		bench_fail("%llu wrong words", (unsigned long long)now.wrong);
	if (now.refused[0] || !best->wall_ns ||
	    now.wall_ns * best->faults < best->wall_ns * now.faults)
		*best = now;
}
