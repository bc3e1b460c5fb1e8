/* tide policies: what there is. */
#include <errno.h>
#include <string.h>

#include "cli.h"
#include "lib/plugin.h"
#include "tide/policy.h"

struct policies_options {
	struct td_cli_given given;
	bool json;
};
#define TD_CLI_OPTIONS struct policies_options

static const struct td_cli_option options[] = {
	TD_CLI_JSON_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char more[] =
	"A policy is written NAME or NAME:KEY=VALUE,KEY=VALUE after --evict and --prefetch.\n"
	"\"needs\" lists what a policy must see besides faults, migrations and evictions:\n"
	"accesses (every access), refs (the instruction of an access), notices (observed\n"
	"accesses), future (an input that can be read ahead), pages (chunks of one page), clock (a\n"
	"timed model), touched (which pages of a chunk were touched), remote (pages accessed in\n"
	"far memory); samples: a sample of the accesses is enough.\n\n"
	"Your own policy is a C file that ends in one struct, such as examples/policy/segmented-lru.c:\n"
	"  cc -shared -fPIC $(pkg-config --cflags tide) -o mine.so segmented-lru.c\n"
	"  tide compare --workload scanhot --near 25% --preset cache --evict '{lru,./mine.so}'\n\n"
	"clock sets the bit of a new entry; clock:new=0 does not, as other simulators do not.\n\n"
	"Examples:\n"
	"  tide policies\n"
	"  tide policies tree\n"
	"  tide policies ./mine.so\n"
	"  tide policies --json\n";

static const char *const role_names[] = {"evict", "prefetch", "place"};

static const struct {
	unsigned bit;
	const char *name;
} need_names[] = {
	{TIDE_NEEDS_ACCESSES, "accesses"}, {TIDE_NEEDS_NOTICES, "notices"},
	{TIDE_NEEDS_REFS, "refs"},         {TIDE_NEEDS_FUTURE, "future"},
	{TIDE_NEEDS_PAGES, "pages"},       {TIDE_NEEDS_CLOCK, "clock"},
	{TIDE_NEEDS_TOUCHED, "touched"},   {TIDE_TAKES_SAMPLES, "samples"},
	{TIDE_NEEDS_REMOTE, "remote"},     {TIDE_TAKES_SIZES, "sizes"},
};
#define NEEDS (sizeof need_names / sizeof need_names[0])

static json_t *needs_json(unsigned needs)
{
	json_t *list = json_array();

	for (size_t i = 0; i < NEEDS; i++)
		if (needs & need_names[i].bit)
			json_array_append_new(list, json_string(need_names[i].name));
	return list;
}

static void list_needs(unsigned needs, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < NEEDS && used < size; i++)
		if (needs & need_names[i].bit)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "",
						 need_names[i].name);
}

static json_t *policy_json(const struct tide_policy *p)
{
	return json_pack("{ss ss ss ss? so so}", "name", p->name, "role", role_names[p->role],
			 "summary", p->summary, "paper", p->paper, "needs", needs_json(p->needs),
			 "params", td_cli_params_json(p->params));
}

/* only: one name, or NULL for all. */
static int print_json(const char *only, struct tide_error *err)
{
	json_t *list = json_array();
	const struct tide_policy *p;

	for (size_t i = 0; (p = tide_policy_at(i)); i++)
		if (!only || strcmp(only, p->name) == 0)
			json_array_append_new(list, policy_json(p));
	return td_cli_print_json(json_pack("{so}", "policies", list), err);
}

static int print_role(enum tide_role role, struct tide_error *err)
{
	struct td_cli_table t = {.align = "llll"};
	const struct tide_policy *p;
	char needs[64];

	for (size_t i = 0; (p = tide_policy_at(i)); i++) {
		if (p->role != role)
			continue;
		if (t.n == 0) {
			td_cli_cell(&t, "%s", role_names[role]);
			td_cli_cell(&t, "%s", "needs");
			td_cli_cell(&t, "%s", "summary");
			td_cli_cell(&t, "%s", "paper");
		}
		list_needs(p->needs, needs, sizeof needs);
		td_cli_cell(&t, "%s", p->name);
		td_cli_cell(&t, "%s", needs[0] ? needs : "-");
		td_cli_cell(&t, "%s", p->summary);
		td_cli_cell(&t, "%s", p->paper ? p->paper : "-");
	}
	if (t.n && role != TIDE_EVICT)
		printf("\n");
	return td_cli_table_end(&t, err);
}

static int print_all(struct tide_error *err)
{
	int rc = 0;

	for (enum tide_role role = TIDE_EVICT; role <= TIDE_PLACE && !rc; role++)
		rc = print_role(role, err);
	return rc;
}

static int print_one(const struct tide_policy *p, struct tide_error *err)
{
	char needs[64];

	list_needs(p->needs, needs, sizeof needs);
	printf("%s (%s): %s\n\npaper  %s\nneeds  %s\n", p->name, role_names[p->role], p->summary,
	       p->paper ? p->paper : "-",
	       needs[0] ? needs : "nothing besides faults, migrations and evictions");
	return td_cli_print_params(p->params, err);
}

/* A name can stand in several roles: all of them are shown. */
static int print_named(const char *name, struct tide_error *err)
{
	const struct tide_policy *p;
	bool any = false;
	int rc = 0;

	for (size_t i = 0; (p = tide_policy_at(i)) && !rc; i++) {
		if (strcmp(p->name, name) != 0)
			continue;
		if (any)
			printf("\n");
		any = true;
		rc = print_one(p, err);
	}
	return rc;
}

static int check_name(const char *name, struct tide_error *err)
{
	const char *names[256], *end = strrchr(name, '.');
	const struct tide_policy *p;
	size_t n = 0;

	if (end && strcmp(end, ".so") == 0)
		return tide_fail(err, -EINVAL,
				 "unknown policy %s: a file is written with its folder, ./%s",
				 td_cli_shown(name).text, td_cli_shown(name).text);
	for (; n < 256 && (p = tide_policy_at(n)); n++) {
		if (strcmp(p->name, name) == 0)
			return 0;
		names[n] = p->name;
	}
	return td_cli_unknown("policy", name, names, n, err);
}

/* A policy that is no part of tide. */
static int show_plugin(const char *path, bool json, struct tide_error *err)
{
	struct td_lib_plugin *plugin;
	const struct tide_policy *p;
	int rc = td_lib_plugin_open(&plugin, path, &p, err);

	if (rc)
		return rc;
	if (json)
		rc = td_cli_print_json(json_pack("{s[o]}", "policies", policy_json(p)), err);
	else
		rc = print_one(p, err);
	td_lib_plugin_free(plugin);
	return rc;
}

static int run(const void *given, struct tide_error *err)
{
	const struct policies_options *args = given;
	const char *name = args->given.words.n ? args->given.words.at[0] : NULL;
	int rc;

	if (name && strchr(name, '/'))
		return show_plugin(name, args->json, err);
	rc = name ? check_name(name, err) : 0;
	if (rc)
		return rc;
	if (args->json)
		return print_json(name, err);
	return name ? print_named(name, err) : print_all(err);
}

const struct td_cli_verb td_cli_verb_policies = {
	.name = "policies",
	.order = 80,
	.synopsis = "[NAME | ./FILE.so] [OPTIONS]",
	.summary = "List the policies, or show one with its parameters",
	.more = more,
	.options = options,
	.options_bytes = sizeof(struct policies_options),
	.words_max = 1,
	.words = TD_CLI_NAMES(td_cli_policy_name),
	.run = run,
};
