/* The view of --live: a few lines on standard error, drawn over twice a second. */
#include <time.h>

#include "core/clock.h"
#include "lib/mappings.h"
#include "run.h"

#define BAR 30

void td_run_bar(const char *name, uint64_t used, uint64_t of)
{
	unsigned full = of ? (unsigned)((double)used / (double)of * BAR) : 0;

	fprintf(stderr, "  %-7s", name);
	if (of) {
		fputc('[', stderr);
		for (unsigned i = 0; i < BAR; i++)
			fputc(i < full ? '#' : '.', stderr);
		fprintf(stderr, "] %s of %s", td_cli_bytes(used).text, td_cli_bytes(of).text);
	} else {
		fprintf(stderr, "%s", td_cli_bytes(used).text);
	}
	fputs("\033[K\n", stderr);
}

static void draw_policy(const struct tide_stats *s)
{
	const struct tide_counts *c = &s->counts;

	fprintf(stderr, "  policy %s%s%s: %s chunks evicted", s->evict, *s->ejected ? " for " : "",
		s->ejected, td_cli_grouped(c->evicted_chunks).text);
	if (c->prefetched_pages)
		fprintf(stderr, ", %s of pages prefetched",
			td_cli_share(c->prefetched_pages, c->migrated_pages).text);
	if (td_lib_sees_touched(s->mapping))
		fprintf(stderr, ", %s evicted untouched",
			td_cli_share(c->untouched_evicted_pages, c->evicted_pages).text);
	fputs("\033[K\n", stderr);
}

static void draw(struct td_run_view *v, const struct tide_stats *s, unsigned processes)
{
	uint64_t now = td_clock_ns();
	double seconds = v->shown_ns ? (double)(now - v->shown_ns) / 1e9 : 0;
	uint64_t new = s->counts.faults > v->faults ? s->counts.faults - v->faults : 0;

	td_run_bar("near", s->near_bytes, s->near_limit_bytes);
	td_run_bar("tier 2", s->tier2_bytes, s->tier2_limit_bytes);
	td_run_bar("tier 3", s->tier3_bytes, 0);
	fprintf(stderr, "  faults %s, %.0f/s, stalled %.1f s; %u process%s\033[K\n",
		td_cli_grouped(s->counts.faults).text, seconds > 0 ? (double)new / seconds : 0,
		(double)s->stalled_ns / 1e9, processes, processes == 1 ? "" : "es");
	draw_policy(s);
	v->lines += 5;
	v->faults = s->counts.faults;
	v->shown_ns = now;
}

static void back(struct td_run_view *v)
{
	if (v->lines)
		fprintf(stderr, "\033[%uA\r", v->lines);
	v->lines = 0;
}

void td_run_view_draw(struct td_run_view *v, struct td_run *r)
{
	unsigned processes = td_run_processes(r);
	struct tide_stats total = {.size = sizeof total};

	back(v);
	if (processes) {
		td_run_total(r, &total);
		draw(v, &total, processes);
	}
	if (r->kernel)
		v->lines += td_run_kernel_draw(&v->kernel, r);
	if (td_run_gpu_processes(r))
		v->lines += td_run_gpu_draw(&v->gpu, r);
	fflush(stderr);
}

/* What was drawn is cleared: the summary says the same, and more. */
void td_run_view_end(struct td_run_view *v)
{
	if (!v->lines)
		return;
	back(v);
	fputs("\033[J", stderr);
}
