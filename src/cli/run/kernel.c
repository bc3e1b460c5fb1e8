/* tide run --mapping kernel: options, and what came of it. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core/clock.h"
#include "run.h"
#include "stats/json.h"

/* ---- options ---- */

bool td_run_is_kernel(const struct td_run_options *args)
{
	return args->mapping && strcmp(args->mapping, TD_LIB_MAPPING_KERNEL) == 0;
}

/* Options of the pager that the kernel has no use for, and why. */
#define SWAP "the kernel moves pages to swap, as root has set it up"
#define TIMES \
	"near memory changes its size as files and page tables do, so that no replay is the same"
#define SERVED "the kernel serves faults"
#define SETS "a set is of the pager's own mappings"
static const struct {
	const char *name, *why;
	size_t at;
} texts[] =
	{
		{"place", SWAP, TD_CLI_AT(place)},
		{"host", SWAP, TD_CLI_AT(host)},
		{"host-kind", SWAP, TD_CLI_AT(host_kind)},
		{"storage", SWAP, TD_CLI_AT(storage)},
		{"service", SERVED, TD_CLI_AT(service)},
		{"threshold", "all memory is paged", TD_CLI_AT(threshold)},
		{"fork", "forked processes are paged", TD_CLI_AT(forks)},
		{"watchdog", SERVED ", and a program never waits for a policy",
		 TD_CLI_AT(watchdog)},
		{"record", TIMES, TD_CLI_AT(record)},
		{"save-set", SETS, TD_CLI_AT(save_set)},
		{"load-set", SETS, TD_CLI_AT(load_set)},
		{"gpu-near", "its library is preloaded, and here nothing is", TD_CLI_AT(gpu_near)},
},
  flags[] = {
	  {"over-budget", "a memory cgroup has no such exception", TD_CLI_AT(over_budget)},
	  {"whatif", TIMES, TD_CLI_AT(whatif)},
};

static int refuse(const char *name, const char *why, struct tide_error *err)
{
	return tide_fail(err, -EINVAL,
			 "--%s does not go with --mapping kernel: %s: leave one of them out", name,
			 why);
}

static int check_options(const struct td_run_options *args, struct tide_error *err)
{
	const unsigned char *at = (const void *)args;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (*(const char *const *)(const void *)(at + texts[i].at))
			return refuse(texts[i].name, texts[i].why, err);
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (*(const bool *)(const void *)(at + flags[i].at))
			return refuse(flags[i].name, flags[i].why, err);
	return 0;
}

int td_run_kernel_settings(struct td_run *r, struct tide_error *err)
{
	const struct td_lib_kernel_run run = {
		.near_size = r->options.near_size,
		.page = r->options.page,
		.chunk = r->options.chunk,
		.evict = r->options.evict,
		.prefetch = r->options.prefetch,
		.seed = r->options.seed,
		.log = r->options.log,
	};
	int rc = check_options(r->args, err);

	return rc ? rc : td_lib_kernel_open(&r->kernel, &run, err);
}

/* ---- for people ---- */

static const char *who_chooses(const struct td_lib_kernel_said *s)
{
	return s->by_kernel ? "the kernel" : *s->ejected ? "lrm" : s->evict;
}

static void print_policies(const struct td_lib_kernel_said *s)
{
	const struct td_kernel_figures *f = &s->figures;

	if (*s->ejected)
		fprintf(stderr, "  ejected %s, after invalid answers\n", s->ejected);
	fprintf(stderr,
		"  seen    %s faults, in %s scans; %s came back from swap, %s ahead of use\n",
		td_cli_grouped(s->counts.faults).text, td_cli_grouped(f->scans).text,
		td_cli_bytes(f->back_bytes).text, td_cli_bytes(f->ahead_bytes).text);
	fprintf(stderr, "  out     %s by policy, %s by the kernel; %s had to leave and stayed\n",
		td_cli_bytes(f->out_bytes).text, td_cli_bytes(f->kernel_out_bytes).text,
		td_cli_bytes(f->stayed_bytes).text);
}

static void print_troubles(const struct td_kernel_figures *f)
{
	if (f->unseen_processes)
		fprintf(stderr, "  unseen  %" PRIu64 " processes more than tide looks at\n",
			f->unseen_processes);
	if (f->failed)
		fprintf(stderr,
			"  failed  no memory for the state of pages: the kernel chose from then "
			"on\n");
	if (f->killed)
		fprintf(stderr,
			"  killed  %" PRIu64
			" processes, by the kernel: near memory was full, and swap "
			"could not take more\n",
			f->killed);
}

void td_run_kernel_summary(const struct td_run *r)
{
	struct td_lib_kernel_said s;
	const struct td_kernel_figures *f = &s.figures;

	td_lib_kernel_said(r->kernel, &s);
	fprintf(stderr, "tide %s: mapping kernel, evict by %s, %" PRIu64 " process%s\n", r->verb,
		who_chooses(&s), f->processes, f->processes == 1 ? "" : "es");
	fprintf(stderr, "  time    %.3f s in all; tide took %.3f s of processor time in %s ticks\n",
		r->seconds, (double)f->tide_ns / 1e9, td_cli_grouped(f->ticks).text);
	fprintf(stderr, "  near    at most %s of %s, %s\n", td_cli_bytes(f->near_most_bytes).text,
		td_cli_bytes(f->near_limit_bytes).text,
		f->bounded ? "which a memory cgroup held" : "as ticks saw it: no memory cgroup");
	if (f->bounded)
		fprintf(stderr, "  faults  %s read from swap or files\n",
			td_cli_grouped(f->major_faults).text);
	if (s.by_kernel)
		fprintf(stderr, "  out     %s taken back ahead of need\n",
			td_cli_bytes(f->reclaimed_bytes).text);
	else
		print_policies(&s);
	print_troubles(f);
}

static double rate(uint64_t now, uint64_t before, double seconds)
{
	return seconds > 0 && now > before ? (double)(now - before) / seconds : 0;
}

unsigned td_run_kernel_draw(struct td_run_kernel_view *v, const struct td_run *r)
{
	struct td_lib_kernel_said s;
	uint64_t now = td_clock_ns();
	double seconds = v->shown_ns ? (double)(now - v->shown_ns) / 1e9 : 0;

	td_lib_kernel_said(r->kernel, &s);
	uint64_t out_bytes = s.figures.out_bytes + s.figures.reclaimed_bytes;
	uint64_t faults = s.figures.bounded ? s.figures.major_faults : s.counts.faults;
	td_run_bar("near", s.figures.near_bytes, s.figures.near_limit_bytes);
	fprintf(stderr, "  moving  %.1f MB/s out, by %s\033[K\n",
		rate(out_bytes, v->out_bytes, seconds) / 1e6, who_chooses(&s));
	fprintf(stderr, "  faults  %s, %.0f/s\033[K\n", td_cli_grouped(faults).text,
		rate(faults, v->faults, seconds));
	*v = (struct td_run_kernel_view){out_bytes, faults, now};
	return 3;
}

/* ---- for programs ---- */

void td_run_kernel_config(const struct td_run *r, json_t *config)
{
	struct td_lib_kernel_said s;

	td_lib_kernel_said(r->kernel, &s);
	if (!s.by_kernel) {
		json_object_set_new(config, "evict", td_cli_json_text(s.evict));
		json_object_set_new(config, "prefetch", td_cli_json_text(s.prefetch));
		json_object_set_new(config, "chunk", td_cli_json_text(s.chunk));
	}
	json_object_set_new(config, "mapping", td_cli_json_text(TD_LIB_MAPPING_KERNEL));
}

void td_run_kernel_json(const struct td_run *r, json_t *root)
{
	struct td_lib_kernel_said s;
	json_t *o = json_object();

	td_lib_kernel_said(r->kernel, &s);
#define TD_KERNEL_FIGURE(name, help) \
	json_object_set_new(o, #name, td_stats_integer(s.figures.name));
#include "mech/kernel/figures.def"
#undef TD_KERNEL_FIGURE
	if (!s.by_kernel) {
		json_object_set_new(o, "ejected", td_cli_json_text(*s.ejected ? s.ejected : NULL));
		json_object_set_new(o, "policy", td_lib_kernel_policy(r->kernel));
		json_object_set_new(root, "counts", td_stats_counts(&s.counts));
	}
	json_object_set_new(root, "kernel", o);
}
