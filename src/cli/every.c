/* --evict all: every eviction policy that can run on this input, and why others cannot. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "every.h"
#include "tide/policy.h"

/* Inputs that cost nothing and have what a policy may need. */
#define TINY "cyclic:pages=16,rounds=1,refs=2"
#define TINY_WITHOUT_REFS "cyclic:pages=16,rounds=1,refs=0"
#define LOOK 4096 /* accesses that tell whether an input has refs */
#define POLICIES 128

struct policies {
	const struct tide_sim_options *like;
	const char *name[POLICIES], *reason[POLICIES]; /* reason NULL: it runs */
	char *text[POLICIES];
	size_t n;
};

/* An input that cannot be read is left for the runs to refuse. */
static bool has_refs(const struct tide_sim_options *o)
{
	struct tide_trace_options options = {.size = sizeof options,
					     .path = o->trace,
					     .workload = o->workload,
					     .format = o->format,
					     .columns = o->columns};
	struct tide_event e = {.size = sizeof e};
	struct tide_trace *trace;
	int rc = tide_trace_open(&trace, &options, NULL);

	if (rc)
		return true;
	for (int i = 0; i < LOOK && !e.ref; i++)
		if (tide_trace_next(trace, &e, NULL) <= 0)
			break;
	tide_trace_close(trace);
	return e.ref != 0;
}

static int try(const struct tide_sim_options *like, const char *evict, const char *tiny,
	       struct tide_error *why)
{
	struct tide_sim_options o = *like;
	struct tide_sim *sim;
	int rc;

	o.evict = evict;
	o.trace = o.format = o.columns = NULL;
	o.workload = tiny;
	o.near_size = "64p";
	o.host = like->host ? "64p" : NULL;
	rc = td_cli_open_sim(&sim, &o, why);
	if (!rc)
		tide_sim_close(sim);
	return rc;
}

static bool ends_word(char c)
{
	return !isalnum((unsigned char)c) && c != '-';
}

/* Without the policy's name, so that equal reasons are equal texts: "it" stands for it. */
static const char *reason_of(char *text, const char *name)
{
	static const char before[] = "evict policy it ";
	size_t n = strlen(name);

	for (char *at = text; n >= 2 && (at = strstr(at, name)); at++) {
		if ((at > text && !ends_word(at[-1])) || !ends_word(at[n]))
			continue;
		at[0] = 'i';
		at[1] = 't';
		memmove(at + 2, at + n, strlen(at + n) + 1);
	}
	return strncmp(text, before, sizeof before - 1) ? text : text + sizeof before - 1;
}

static int try_all(struct policies *all, struct tide_error *err)
{
	const char *tiny = has_refs(all->like) ? TINY : TINY_WITHOUT_REFS;
	const struct tide_policy *p;

	for (size_t i = 0; (p = tide_policy_at(i)) && all->n < POLICIES; i++) {
		struct tide_error why = {0, ""};
		if (p->role != TIDE_EVICT)
			continue;
		all->name[all->n] = p->name;
		if (try(all->like, p->name, tiny, &why)) {
			all->text[all->n] = strdup(why.text);
			if (!all->text[all->n])
				return tide_fail(err, -ENOMEM,
						 "no memory for the policies: free "
						 "some");
			td_core_as_options(all->text[all->n]);
			all->reason[all->n] = reason_of(all->text[all->n], p->name);
		}
		all->n++;
	}
	return 0;
}

/* A line for all policies of the same reason. */
static void say_left_out(const struct policies *all, const char *verb)
{
	bool said[POLICIES] = {false};

	for (size_t i = 0; i < all->n; i++) {
		const char *comma = "";
		if (!all->reason[i] || said[i])
			continue;
		fprintf(stderr, "tide %s: --evict all leaves out ", verb);
		for (size_t k = i; k < all->n; k++) {
			if (!all->reason[k] || strcmp(all->reason[i], all->reason[k]) != 0)
				continue;
			said[k] = true;
			fprintf(stderr, "%s%s", comma, all->name[k]);
			comma = ", ";
		}
		fprintf(stderr, ": %s\n", all->reason[i]);
	}
}

static int add_those_that_run(const struct policies *all, struct td_cli_axis *to,
			      struct tide_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < all->n && !rc; i++)
		if (!all->reason[i])
			rc = td_cli_axis_add(to, "evict", all->name[i], err);
	return rc;
}

static int every(struct td_cli_axis *to, const char *verb, const struct tide_sim_options *like,
		 struct tide_error *err)
{
	struct policies all = {.like = like};
	int rc = try_all(&all, err);

	if (!rc)
		say_left_out(&all, verb);
	if (!rc)
		rc = add_those_that_run(&all, to, err);
	for (size_t i = 0; i < all.n; i++)
		free(all.text[i]);
	return rc;
}

int td_cli_every_evict(struct td_cli_axis *axis, const char *verb,
		       const struct tide_sim_options *like, struct tide_error *err)
{
	struct td_cli_axis to = {0};
	bool found = false;
	int rc = 0;

	for (size_t i = 0; i < axis->n; i++)
		found |= strcmp(axis->at[i], TD_CLI_EVERY) == 0;
	if (!found)
		return 0;
	for (size_t i = 0; i < axis->n && !rc; i++)
		rc = strcmp(axis->at[i], TD_CLI_EVERY) == 0
			     ? every(&to, verb, like, err)
			     : td_cli_axis_add(&to, "evict", axis->at[i], err);
	td_cli_axis_free(axis);
	*axis = to;
	return rc;
}

const char *td_cli_evicts_name(size_t i)
{
	return i ? td_cli_evict_name(i - 1) : TD_CLI_EVERY;
}
