/* What came of a run on a GPU, for people. */
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define KERNELS_SHOWN 5
#define NAME_SHOWN 60 /* bytes of a kernel's name, which may be very long */

/* "12.34%" of the time that the run took. */
static struct td_cli_number share_of_run(const struct td_run *r, uint64_t ns)
{
	return td_cli_share(ns, (uint64_t)(r->seconds * 1e9));
}

static void print_memory(const struct td_gpu_figures *f, FILE *to)
{
	fprintf(to, "  gpu      at most %s of %s, for %s allocated\n",
		td_cli_bytes(f->near_most_bytes).text, td_cli_bytes(f->near_limit_bytes).text,
		td_cli_bytes(f->allocated_most_bytes).text);
	fprintf(to, "  host     at most %s behind it", td_cli_bytes(f->host_most_bytes).text);
	if (f->host_limit_bytes && f->host_limit_bytes != UINT64_MAX)
		fprintf(to, ", of %s", td_cli_bytes(f->host_limit_bytes).text);
	fputc('\n', to);
	if (f->unmanaged_most_bytes || f->passed_allocations)
		fprintf(to,
			"  aside    at most %s on the GPU not managed: %s allocations below the "
			"threshold,\n"
			"           and what the program maps, shares or leaves to CUDA's managed "
			"memory\n",
			td_cli_bytes(f->unmanaged_most_bytes).text,
			td_cli_grouped(f->passed_allocations).text);
}

static void print_moves(const struct td_run *r, const struct td_gpu_figures *f, FILE *to)
{
	double bus = (double)f->bus_bytes_per_second;
	uint64_t crossed = td_run_gpu_crossed(f);

	fprintf(to, "  moved    %s in, %s out, of it %s unchanged and not copied\n",
		td_cli_bytes(f->in_bytes).text, td_cli_bytes(f->out_bytes).text,
		td_cli_share(f->clean_bytes, f->out_bytes).text);
	if (bus > 0)
		fprintf(to, "  bus      %s of %.1f GB/s over %.3f s; memory moved in %s of it\n",
			td_cli_share(crossed, (uint64_t)(bus * r->seconds)).text, bus / 1e9,
			r->seconds, share_of_run(r, f->moving_ns).text);
}

static void print_launches(const struct td_run *r, const struct td_gpu_figures *f, FILE *to)
{
	fprintf(to, "  launches %s; %s waited %.3f s in all, %s of the run; %s read over the bus\n",
		td_cli_grouped(f->launches).text, td_cli_grouped(f->waited_launches).text,
		(double)f->waited_ns / 1e9, share_of_run(r, f->waited_ns).text,
		td_cli_grouped(f->remote_launches).text);
}

static void print_policies(const struct td_gpu_said *s, FILE *to)
{
	fprintf(to,
		"  policies %s evicted %s chunks; %s prefetched %s pages, %s of those that came\n",
		td_cli_name(s->evict).text, td_cli_grouped(s->counts.evicted_chunks).text,
		td_cli_name(s->prefetch).text, td_cli_grouped(s->counts.prefetched_pages).text,
		td_cli_share(s->counts.prefetched_pages, s->counts.migrated_pages).text);
	if (*s->ejected)
		fprintf(to, "  ejected  %s, after invalid answers\n", td_cli_name(s->ejected).text);
}

static void print_errors(const struct td_gpu_figures *f, FILE *to)
{
	if (f->failures)
		fprintf(to, "  errors   %s moves failed; the memory stayed where it was\n",
			td_cli_grouped(f->failures).text);
	if (f->refused_allocations)
		fprintf(to, "  refused  %s allocations had no room on GPU and host: give more\n",
			td_cli_grouped(f->refused_allocations).text);
}

/* ---- kernels ---- */

/* For a terminal, and cut. */
static struct td_cli_name name_of(const struct td_gpu_kernel *k)
{
	struct td_cli_name name = td_cli_name(k->name);

	if (strlen(name.text) > NAME_SHOWN)
		memcpy(name.text + NAME_SHOWN - 2, "..", 3);
	return name;
}

static void print_waiting(const struct td_gpu_said *s, FILE *to)
{
	unsigned shown = 0;

	for (uint32_t i = 0; i < s->kernels_n && shown < KERNELS_SHOWN; i++) {
		const struct td_gpu_kernel *k = &s->kernels[i];
		if (!k->waited_ns)
			continue;
		if (shown++ == 0)
			fputs("  kernels that waited longest:\n", to);
		fprintf(to, "    %9.3f s  %s of %s launches  %s\n", (double)k->waited_ns / 1e9,
			td_cli_grouped(k->waited_launches).text, td_cli_grouped(k->launches).text,
			name_of(k).text);
	}
}

static void print_remote(const struct td_gpu_said *s, FILE *to)
{
	unsigned shown = 0;

	for (uint32_t i = 0; i < s->kernels_n && shown < KERNELS_SHOWN; i++) {
		const struct td_gpu_kernel *k = &s->kernels[i];
		if (!k->remote_launches)
			continue;
		if (shown++ == 0)
			fputs("  kernels that read memory over the bus, for want of room:\n", to);
		fprintf(to, "    %s of %s launches  %s\n", td_cli_grouped(k->remote_launches).text,
			td_cli_grouped(k->launches).text, name_of(k).text);
	}
}

/* ---- processes ---- */

/* Waiting for this share of the run or more is worth a word. */
#define MUCH 0.25

static void print_hint(const struct td_run *r, const struct td_gpu_said *s, FILE *to)
{
	if (s->figures.remote_launches)
		fputs("  hint     launches that read over the bus are slow: give more --gpu-near\n",
		      to);
	if (strcmp(s->trust, "none") == 0 &&
	    (double)s->figures.waited_ns >= r->seconds * 1e9 * MUCH)
		fputs("  hint     --gpu-trust args moves memory beside kernels, where arguments name "
		      "all\n"
		      "           that kernels touch\n",
		      to);
}

/* What to look at depends on what was seen. */
static void print_nothing(const struct td_run *r, const struct td_gpu_figures *f, FILE *to)
{
	double threshold = strtod(r->gpu.settings.threshold, NULL);

	if (f->passed_allocations)
		fprintf(to,
			"  nothing was managed: all %s allocations are below %s; give a smaller "
			"--gpu-threshold\n",
			td_cli_grouped(f->passed_allocations).text,
			td_cli_bytes((uint64_t)threshold).text);
	else
		fputs("  nothing was managed: it allocated no GPU memory, or only by calls that tide "
		      "leaves\n"
		      "  alone, such as cudaMallocManaged() and cuMemMap()\n",
		      to);
}

static void print_process(const struct td_run *r, unsigned i, FILE *to)
{
	struct td_gpu_slot *slot = &r->gpu.slots->at[i];
	char program[sizeof slot->program + 1];
	struct td_gpu_said s;

	td_run_gpu_said(r, i, &s);
	snprintf(program, sizeof program, "%.*s", (int)sizeof slot->program, slot->program);
	fprintf(to, "tide %s: %s (%d): GPU memory, trust %s%s\n", r->verb,
		td_cli_name(program).text, (int)slot->pid,
		*s.trust ? td_cli_name(s.trust).text : "-",
		atomic_load(&slot->state) == TD_GPU_SLOT_ON ? "; cut short, as it last was" : "");
	if (!s.figures.allocations) {
		print_nothing(r, &s.figures, to);
		print_errors(&s.figures, to);
		return;
	}
	print_memory(&s.figures, to);
	print_moves(r, &s.figures, to);
	print_launches(r, &s.figures, to);
	print_policies(&s, to);
	print_errors(&s.figures, to);
	print_waiting(&s, to);
	print_remote(&s, to);
	print_hint(r, &s, to);
}

void td_run_gpu_summary(const struct td_run *r, FILE *to)
{
	unsigned n = td_run_gpu_processes(r), all = atomic_load(&r->gpu.slots->used);

	if (!n)
		fprintf(to,
			"tide %s: no GPU memory was managed: no process used CUDA, or tide was not in "
			"it, since\n"
			"  it is linked statically, or has a cleared environment or another "
			"LD_PRELOAD\n",
			r->verb);
	for (unsigned i = 0; i < n; i++)
		print_process(r, i, to);
	if (all > n)
		fprintf(to, "tide %s: %u more processes used CUDA, and are not counted\n", r->verb,
			all - n);
}
