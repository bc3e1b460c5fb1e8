/* What came of a run: for people on standard error, for programs in the file of --stats. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"
#include "stats/json.h"

unsigned td_run_processes(const struct td_run *r)
{
	uint32_t used = r->slots ? atomic_load(&r->slots->used) : 0;

	return used < TD_SLOTS_MAX ? used : TD_SLOTS_MAX;
}

static void add(struct tide_stats *total, const struct tide_stats *s)
{
#define TIDE_COUNTER(name, help) total->counts.name += s->counts.name;
#include "tide/counters.def"
#undef TIDE_COUNTER
#define TIDE_FIGURE(name, help) total->name += s->name;
#include "tide/figures.def"
#undef TIDE_FIGURE
}

void td_run_total(struct td_run *r, struct tide_stats *total)
{
	struct tide_stats s = {.size = sizeof s};

	memset(total, 0, sizeof *total);
	for (unsigned i = 0; i < td_run_processes(r); i++) {
		td_slot_read(&r->slots->at[i], &s);
		if (i == 0) {
			memcpy(total->evict, s.evict, sizeof s.evict);
			memcpy(total->mapping, s.mapping, sizeof s.mapping);
			memcpy(total->service, s.service, sizeof s.service);
		}
		if (!*total->ejected)
			memcpy(total->ejected, s.ejected, sizeof s.ejected);
		add(total, &s);
	}
}

/* ---- for people ---- */

/* Evictions below this number say little about a program. */
#define ENOUGH_PAGES 1024

/* Do smaller chunks help, where most of what a fault brings is not used? docs/pager.md has the
 * rule. Where touches are not seen, faults that cost much of the time are the sign. */
static void print_hint(const struct td_run *r, const struct tide_stats *s)
{
	const struct tide_counts *c = &s->counts;
	const char *page = r->options.page ? r->options.page : "4K";
	bool seen = td_lib_sees_touched(s->mapping);
	bool fits = r->options.prefetch && strncmp(r->options.prefetch, "fit", 3) == 0;

	if (c->evicted_pages < ENOUGH_PAGES || 2 * c->prefetched_pages < c->migrated_pages)
		return;
	if (seen && 2 * c->untouched_evicted_pages >= c->evicted_pages)
		fprintf(stderr,
			"  hint    %s of the evicted pages had not been touched: try --chunk %s\n",
			td_cli_share(c->untouched_evicted_pages, c->evicted_pages).text, page);
	else if (!seen && !fits && (double)s->stalled_ns >= r->seconds * 1e9 / 4)
		fprintf(stderr,
			"  hint    %s of the pages came with a fault on another one: if few of them are used,\n"
			"          try --chunk %s; --mapping exact counts them\n",
			td_cli_share(c->prefetched_pages, c->migrated_pages).text, page);
}

/* Threads that stall at the same time can together stall for longer than the program ran. */
static void print_time(const struct td_run *r, const struct tide_stats *s)
{
	uint64_t all_ns = (uint64_t)(r->seconds * 1e9);

	fprintf(stderr, "  time    %.3f s in all; stalled %s of it; evictions took %s\n",
		r->seconds, td_cli_share(s->stalled_ns, all_ns).text,
		td_cli_share(s->flush_ns, all_ns).text);
}

static void print_figures(const struct tide_stats *s, const struct td_slot_most *most)
{
	fprintf(stderr, "  faults  %s, stalled %.3f s; %s chunks evicted, %s pages prefetched\n",
		td_cli_grouped(s->counts.faults).text, (double)s->stalled_ns / 1e9,
		td_cli_grouped(s->counts.evicted_chunks).text,
		td_cli_grouped(s->counts.prefetched_pages).text);
	fprintf(stderr, "  near    at most %s of %s, for %s mapped\n",
		td_cli_bytes(most->near_bytes).text, td_cli_bytes(s->near_limit_bytes).text,
		td_cli_bytes(most->mapped_bytes).text);
	fprintf(stderr, "  tier 2  at most %s in %s of memory; %s came from there, %s went there\n",
		td_cli_bytes(most->tier2_data_bytes).text, td_cli_bytes(most->tier2_bytes).text,
		td_cli_bytes(s->from_tier2_bytes).text, td_cli_bytes(s->to_tier2_bytes).text);
	fprintf(stderr, "  tier 3  at most %s; %s read, %s written\n",
		td_cli_bytes(most->tier3_bytes).text, td_cli_bytes(s->read_bytes).text,
		td_cli_bytes(s->write_bytes).text);
	if (s->io_errors)
		fprintf(stderr, "  errors  %s reads and writes failed\n",
			td_cli_grouped(s->io_errors).text);
}

static void print_set(const struct td_run *r, const struct tide_stats *s)
{
	if (r->args->load_set && s->set_bytes)
		fprintf(stderr, "  set     %s came before they were touched\n",
			td_cli_bytes(s->set_bytes).text);
	else if (r->args->load_set)
		fprintf(stderr, "  set     no mapping of this process is one of the set's\n");
}

static const char *how_ended(const struct td_slot *slot)
{
	switch (atomic_load(&slot->state)) {
	case TD_SLOT_ON: return "; cut short, as it last was";
	case TD_SLOT_OVER: return "; ended, since its budget could not be kept";
	default: return "";
	}
}

static void print_process(const struct td_run *r, struct td_slot *slot)
{
	struct tide_stats s = {.size = sizeof s};

	td_slot_read(slot, &s);
	if (!*s.evict) {
		fprintf(stderr, "tide %s: %s (%d): %s\n", r->verb, slot->program, (int)slot->pid,
			atomic_load(&slot->state) == TD_SLOT_ON ? "ended before it was paged"
								: "could not be paged");
		return;
	}
	fprintf(stderr, "tide %s: %s (%d): evict %s, mapping %s, service %s%s\n", r->verb,
		slot->program, (int)slot->pid, s.evict, s.mapping, s.service, how_ended(slot));
	if (*s.ejected)
		fprintf(stderr, "  ejected %s, after invalid answers\n", s.ejected);
	print_time(r, &s);
	print_figures(&s, &slot->most);
	print_set(r, &s);
	print_hint(r, &s);
}

void td_run_summary(struct td_run *r)
{
	unsigned n = td_run_processes(r), all = atomic_load(&r->slots->used);

	if (!n)
		fprintf(stderr,
			"tide %s: nothing was paged: no allocation of %s or more was seen\n",
			r->verb, td_run_threshold(r));
	for (unsigned i = 0; i < n; i++)
		print_process(r, &r->slots->at[i]);
	if (all > n)
		fprintf(stderr, "tide %s: %u more processes were paged, and not counted\n", r->verb,
			all - n);
	td_run_print_unpaged(r);
}

int td_run_check_ends(struct td_run *r, struct tide_error *err)
{
	for (unsigned i = 0; i < td_run_processes(r); i++) {
		const struct td_slot *slot = &r->slots->at[i];
		if (atomic_load(&slot->state) == TD_SLOT_LOST)
			return tide_fail(
				err, -EIO,
				"%s could not write its trace, log or set whole: see above why",
				slot->program);
		if (atomic_load(&slot->state) == TD_SLOT_OVER)
			return tide_fail(err, -ENOMEM,
					 "%s could not keep its budget: see above why",
					 slot->program);
	}
	return 0;
}

/* ---- for programs ---- */

static json_t *figures_json(const struct tide_stats *s)
{
	json_t *o = json_object();

#define TIDE_FIGURE(name, help) json_object_set_new(o, #name, json_integer((json_int_t)s->name));
#include "tide/figures.def"
#undef TIDE_FIGURE
	return o;
}

/* What process i said itself when it ended; NULL: it was cut short. */
static json_t *document_of(const struct td_run *r, unsigned i)
{
	char path[128];

	snprintf(path, sizeof path, "%s/slots.%u", r->folder, i);
	return json_load_file(path, 0, NULL);
}

static json_t *most_json(const struct td_slot_most *most)
{
	json_t *o = json_object();

#define TD_MOST(name) json_object_set_new(o, #name, json_integer((json_int_t)most->name));
	TD_SLOTS_MOST
#undef TD_MOST
	return o;
}

static json_t *process_json(const struct td_run *r, unsigned i)
{
	struct td_slot *slot = &r->slots->at[i];
	json_t *own = document_of(r, i), *o;
	struct tide_stats s = {.size = sizeof s};

	td_slot_read(slot, &s);
	o = json_pack("{si so sb ss ss? ss ss so so so sO?}", "pid", (int)slot->pid, "program",
		      td_cli_json_text(slot->program), "complete",
		      atomic_load(&slot->state) == TD_SLOT_ENDED, "evict", s.evict, "ejected",
		      *s.ejected ? s.ejected : NULL, "mapping", s.mapping, "service", s.service,
		      "counts", td_stats_counts(&s.counts), "pager", figures_json(&s), "most",
		      most_json(&slot->most), "policy", json_object_get(own, "policy"));
	json_decref(own);
	return o;
}

static json_t *command_json(char *const *command)
{
	json_t *list = json_array();

	for (; *command; command++)
		json_array_append_new(list, td_cli_json_text(*command));
	return list;
}

static json_t *config_json(const struct td_run *r)
{
	json_t *o = json_object();

#define TD_SETTING(name) \
	if (r->options.name) \
		json_object_set_new(o, #name, td_cli_json_text(r->options.name));
#include "run/host/settings.def"
#undef TD_SETTING
	return o;
}

/* Without its end it is of no use to anybody. */
static int fail_stats(const char *path, struct tide_error *err)
{
	int code = errno;
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
		unlink(path);
	return tide_fail(err, -EIO, "cannot write %s: %s: is the disk full?",
			 td_cli_shown(path).text, strerror(code));
}

/* What is about host memory. */
static void put_host(struct td_run *r, json_t *root)
{
	json_t *list = json_array();
	struct tide_stats total = {.size = sizeof total};

	td_run_total(r, &total);
	for (unsigned i = 0; i < td_run_processes(r); i++)
		json_array_append_new(list, process_json(r, i));
	json_object_set_new(root, "counts", td_stats_counts(&total.counts));
	json_object_set_new(root, "pager", figures_json(&total));
	json_object_set_new(root, "processes", list);
	json_object_set_new(root, "unpaged", td_run_unpaged_json(r));
}

int td_run_write_stats(struct td_run *r, struct tide_error *err)
{
	json_t *config = config_json(r), *root;
	const char *to = r->args->stats;
	int rc;

	if (r->gpu.slots)
		json_object_set_new(config, "gpu", td_run_gpu_config(r));
	if (r->kernel)
		td_run_kernel_config(r, config);
	root = json_pack("{ss ss so si so}", "tide", tide_version(), "verb", r->verb, "command",
			 command_json(r->args->given.command), "status", r->status, "config",
			 config);
	if (r->slots)
		put_host(r, root);
	if (r->kernel)
		td_run_kernel_json(r, root);
	if (r->gpu.slots)
		json_object_set_new(root, "gpu", td_run_gpu_json(r));
	json_object_set_new(root, "wall", json_pack("{sf}", "seconds", r->seconds));
	rc = root ? json_dump_file(root, to, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : -1;
	json_decref(root);
	return rc ? fail_stats(to, err) : 0;
}
