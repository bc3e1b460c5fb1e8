/* What --live shows of a run on a GPU. */
#include "core/clock.h"
#include "run.h"

static double rate(uint64_t now, uint64_t before, double seconds)
{
	return seconds > 0 && now > before ? (double)(now - before) / seconds : 0;
}

static void draw_movement(const struct td_run_gpu_view *v, const struct td_gpu_figures *f,
			  double seconds)
{
	fprintf(stderr, "  moving  %.1f GB/s in, %.1f GB/s out; %s in all\033[K\n",
		rate(f->in_bytes, v->in_bytes, seconds) / 1e9,
		rate(f->out_bytes, v->out_bytes, seconds) / 1e9,
		td_cli_bytes(td_run_gpu_crossed(f)).text);
	fprintf(stderr, "  launches %s, %.0f/s, waiting %.0f%% of the time\033[K\n",
		td_cli_grouped(f->launches).text, rate(f->launches, v->launches, seconds),
		rate(f->waited_ns, v->waited_ns, seconds) / 1e7);
}

static void draw_policy(const struct td_gpu_said *s)
{
	fprintf(stderr, "  policies %s and %s%s%s: %s chunks evicted, %s pages prefetched\033[K\n",
		td_cli_name(s->evict).text, td_cli_name(s->prefetch).text,
		*s->ejected ? " for " : "", td_cli_name(s->ejected).text,
		td_cli_grouped(s->counts.evicted_chunks).text,
		td_cli_grouped(s->counts.prefetched_pages).text);
}

unsigned td_run_gpu_draw(struct td_run_gpu_view *v, const struct td_run *r)
{
	struct td_gpu_said total;
	const struct td_gpu_figures *f = &total.figures;
	uint64_t now = td_clock_ns();
	double seconds = v->shown_ns ? (double)(now - v->shown_ns) / 1e9 : 0;

	td_run_gpu_total(r, &total);
	td_run_bar("gpu", f->near_bytes, f->near_limit_bytes);
	td_run_bar("behind", f->host_bytes, f->host_limit_bytes);
	draw_movement(v, f, seconds);
	draw_policy(&total);
	*v = (struct td_run_gpu_view){f->in_bytes, f->out_bytes, f->launches, f->waited_ns, now};
	return 5;
}
