/* What another policy could have changed, from what the pager saw, and how to replay it.
 *
 * The pager sees no access to what is near, so its record depends on the policy of the run.
 * Replayed under that policy the record gives the same decisions. Under any other it lacks the
 * accesses that would be faults there: such a figure can be far too low, and ranks policies
 * wrongly. But the faults of the best choice of victims are never more for a part of the accesses
 * than for all of them. So `opt` on the record is a bound for every policy. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* The settings of the run as the simulator takes them. Its near memory is the engine's share of
 * what the pager was given, which the process itself has told. */
struct replay {
	struct tide_sim_options options;
	char near[32];
};

static void read_replay(struct td_run *r, struct replay *p)
{
	struct tide_stats s = {.size = sizeof s};

	td_slot_read(&r->slots->at[0], &s);
	snprintf(p->near, sizeof p->near, "%" PRIu64 "p", s.engine_pages);
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
}

static int simulate(const struct tide_sim_options *o, uint64_t *faults, struct tide_error *err)
{
	struct tide_counts counts = {.size = sizeof counts};
	struct tide_sim *sim = NULL;
	int rc = td_cli_open_sim(&sim, o, err);

	if (!rc)
		rc = tide_sim_run(sim, NULL, NULL, err);
	if (!rc)
		rc = tide_sim_counts(sim, &counts, err);
	*faults = counts.faults;
	tide_sim_close(sim);
	return rc;
}

/* In all of near memory, of which another mapping may show policies more than this one did; and
 * with whole chunks, so that a fault brings in all that it can. */
static int simulate_best(const struct td_run *r, const struct replay *p, uint64_t *faults,
			 struct tide_error *err)
{
	struct tide_sim_options o = p->options;

	o.near_size = r->options.near_size;
	o.evict = "opt";
	o.prefetch = "locality";
	o.place = o.host = NULL;
	return simulate(&o, faults, err);
}

static int check_record(struct td_run *r, struct tide_error *err)
{
	if (!td_run_processes(r))
		return tide_fail(err, -ENODATA,
				 "nothing was recorded, since nothing was paged: see above why");
	if (atomic_load(&r->slots->at[0].state) != TD_SLOT_ENDED)
		return tide_fail(
			err, -ENODATA,
			"the record of %s is not complete, since it was cut short: let it end "
			"by itself",
			r->slots->at[0].program);
	return 0;
}

static void print_line(const char *evict, const char *prefetch, uint64_t faults, const char *what)
{
	fprintf(stderr, "  %-12s %-10s %14s  %s\n", evict, prefetch, td_cli_grouped(faults).text,
		what);
}

static void print_whatif(const struct td_run *r, const struct replay *p, uint64_t live,
			 uint64_t again, uint64_t best)
{
	const char *evict = p->options.evict ? p->options.evict : "clock";
	const char *prefetch = p->options.prefetch ? p->options.prefetch : "none";

	fprintf(stderr, "tide %s: what another eviction policy could have changed:\n", r->verb);
	fprintf(stderr, "  %-12s %-10s %14s\n", "evict", "prefetch", "faults");
	print_line(evict, prefetch, live, "as it was");
	if (again != live)
		print_line(evict, prefetch, again, "replayed");
	print_line("any", "locality", best, "or more: opt, which knows the future, has so many");
	fprintf(stderr,
		"  Others are not ranked: the pager does not see accesses to what is near, so what it saw\n"
		"  depends on %s. To compare another policy, run the program with it.\n",
		evict);
}

int td_run_whatif(struct td_run *r, struct tide_error *err)
{
	struct replay p;
	struct tide_stats s = {.size = sizeof s};
	uint64_t again = 0, best = 0;
	int rc = check_record(r, err);

	if (rc)
		return rc;
	read_replay(r, &p);
	rc = simulate(&p.options, &again, err);
	if (!rc)
		rc = simulate_best(r, &p, &best, err);
	if (rc)
		return rc;
	td_slot_read(&r->slots->at[0], &s);
	print_whatif(r, &p, s.counts.faults, again, best);
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

	if (rc)
		return rc;
	read_replay(r, &p);
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
