/* What other policies would have done with what the pager saw, and how to replay it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "run.h"

static const struct {
	const char *evict, *prefetch; /* NULL: as in the run */
} others[] = {
	{"lrm", NULL}, {"fifo", NULL},       {"mhpe", "pattern"},
	{"cp", NULL},  {"tournament", NULL}, {"opt", "none"},
};

/* The settings of the run as the simulator takes them. Its near memory is the engine's share of
 * what the pager was given, which the process itself has told. */
struct replay {
	struct tide_sim_options options;
	char near[32];
};

static int read_replay(struct td_run *r, struct replay *p, struct tide_error *err)
{
	json_t *own = td_run_document(r, 0);
	const json_t *config = json_object_get(own, "config");
	json_int_t pages = json_integer_value(json_object_get(config, "engine_pages"));

	json_decref(own);
	if (!pages)
		return tide_fail(err, -ENODATA, "%s has left no figures: is $TMPDIR full?",
				 r->slots->at[0].program);
	snprintf(p->near, sizeof p->near, "%" JSON_INTEGER_FORMAT "p", pages);
	p->options = (struct tide_sim_options){
		.size = sizeof(struct tide_sim_options),
		.trace = r->record,
		.near_size = p->near,
		.page = r->options.page,
		.chunk = r->options.chunk,
		.evict = r->options.evict,
		.prefetch = r->options.prefetch,
		.place = r->options.place,
		.host = r->options.place ? r->options.host : NULL,
		.seed = r->options.seed,
	};
	if (!p->options.place) { /* where the simulator has other defaults */
		p->options.evict = p->options.evict ? p->options.evict : "lrm";
		p->options.prefetch = p->options.prefetch ? p->options.prefetch : "locality";
	}
	return 0;
}

static void print_line(const char *evict, const char *prefetch, const char *how,
		       const struct tide_counts *c)
{
	fprintf(stderr, "  %-12s %-10s %-10s %14s %14s\n", evict, prefetch, how,
		td_cli_grouped(c->faults).text, td_cli_grouped(c->migrated_pages).text);
}

/* A policy that cannot be had on such a trace says why, and the others go on. */
static void simulate(const struct tide_sim_options *o)
{
	struct tide_error err;
	struct tide_counts counts = {.size = sizeof counts};
	struct tide_sim *sim = NULL;
	int rc = tide_sim_open(&sim, o, &err);

	if (!rc)
		rc = tide_sim_run(sim, NULL, NULL, &err);
	if (rc) {
		td_core_as_options(err.text);
		fprintf(stderr, "  %-12s %-10s %s\n", o->evict, o->prefetch, err.text);
	} else {
		tide_sim_counts(sim, &counts, NULL);
		print_line(o->evict, o->prefetch, "simulated", &counts);
	}
	tide_sim_close(sim);
}

static int check_record(struct td_run *r, struct tide_error *err)
{
	if (!td_run_processes(r))
		return tide_fail(err, -ENODATA,
				 "nothing was recorded, since nothing was paged: give a "
				 "--threshold below %s",
				 r->args->threshold ? r->args->threshold : "1M");
	if (atomic_load(&r->slots->at[0].state) != TD_SLOT_ENDED)
		return tide_fail(
			err, -ENODATA,
			"the record of %s is not complete, since it was cut short: let it end "
			"by itself",
			r->slots->at[0].program);
	return 0;
}

int td_run_whatif(struct td_run *r, struct tide_error *err)
{
	struct replay p;
	struct tide_stats s = {.size = sizeof s};
	int rc = check_record(r, err);

	if (!rc)
		rc = read_replay(r, &p, err);
	if (rc)
		return rc;
	td_slot_read(&r->slots->at[0], &s);
	fprintf(stderr,
		"tide %s: what others would have done with the accesses that the pager saw (it does not\n"
		"see those to what is near: a policy that keeps other pages would have had more faults):\n"
		"  %-12s %-10s %-10s %14s %14s\n",
		r->verb, "evict", "prefetch", "", "faults", "pages moved");
	print_line(p.options.evict ? p.options.evict : "clock",
		   p.options.prefetch ? p.options.prefetch : "none", "live", &s.counts);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct tide_sim_options o = p.options;
		o.place = o.host = NULL;
		o.evict = others[i].evict;
		if (others[i].prefetch || !o.prefetch)
			o.prefetch = others[i].prefetch ? others[i].prefetch : "none";
		simulate(&o);
	}
	return 0;
}

/* A word as a shell takes it. */
static void print_word(const char *option, const char *word)
{
	if (!word)
		return;
	fprintf(stderr, " %s ", option);
	if (word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			      "-_./:=,+%")] == '\0') {
		fputs(word, stderr);
		return;
	}
	fputc('\'', stderr);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, stderr);
	fputc('\'', stderr);
}

int td_run_print_replay(struct td_run *r, struct tide_error *err)
{
	struct replay p;
	const struct tide_sim_options *o = &p.options;
	int rc = check_record(r, err);

	if (!rc)
		rc = read_replay(r, &p, err);
	if (rc)
		return rc;
	fprintf(stderr, "tide %s: to replay its decisions:\n  tide sim", r->verb);
	print_word("--trace", o->trace);
	print_word("--near", o->near_size);
	print_word("--page", o->page);
	print_word("--chunk", o->chunk);
	print_word("--evict", o->evict);
	print_word("--prefetch", o->prefetch);
	print_word("--place", o->place);
	print_word("--host", o->host);
	print_word("--seed", o->seed);
	fputc('\n', stderr);
	return 0;
}
