/* Completion: `tide --complete WORDS...` prints, a line each, the words that may stand where the
 * last one begins; nothing where file names are wanted. The shell filters. */
#include <string.h>

#include "cli.h"
#include "gpu/use.h"
#include "lab/claims/reproduce.h"
#include "lib/mappings.h"
#include "tide/policy.h"
#include "trace/trace.h"
#include "workload/workload.h"

static void print_names(const char *before, const char *const *names)
{
	for (; *names; names++)
		printf("%s%s\n", before, *names);
}

static void print_policies(const char *before, enum tide_role role)
{
	const struct tide_policy *p;

	for (size_t i = 0; (p = tide_policy_at(i)); i++)
		if (p->role == role)
			printf("%s%s\n", before, p->name);
}

/* From the table itself: tide_workload_at() may have to run them. */
static void print_workloads(const char *before)
{
	const struct td_workload *w;

	for (size_t i = 0; (w = td_workload_at(i)); i++)
		printf("%s%s\n", before, w->name);
}

static void print_models(const char *before)
{
	struct tide_model_info info = {.size = sizeof info};

	for (size_t i = 0; !tide_model_at(i, &info); i++)
		printf("%s%s\n", before, info.name);
}

/* The module knows, where there is one. */
static void print_parts(const char *before, enum td_cli_values values)
{
	const struct td_gpu_module *m = td_gpu_use_load(NULL);
	const struct td_gpu_part *p;

	if (!m)
		return;
	p = values == TD_CLI_GPU_TESTS ? m->tests : values == TD_CLI_GPU_APPS ? m->apps : m->micros;
	for (; p->name; p++)
		printf("%s%s\n", before, p->name);
}

static void print_each(const char *before, td_cli_name_at *name)
{
	for (size_t i = 0; name(i); i++)
		printf("%s%s\n", before, name(i));
}

static void print_values(const char *before, enum td_cli_values values)
{
	static const char *const whens[] = {"auto", "always", "never", NULL};
	static const char *const host_kinds[] = {"plain", "lz4", "zstd", NULL};
	static const char *const forks[] = {"copy", "refuse", NULL};
	static const char *const transfers[] = {"zero-copy", "dma", "hybrid", NULL};
	static const char *const orchestrators[] = {"gpu", "host", NULL};
	static const char *const device_kinds[] = {"ram", "cuda", NULL};
	static const char *const dedups[] = {"off", "on", "auto", NULL};
	static const char *const hashes[] = {"xxh3", "md5", NULL};
	static const char *const patterns[] = {"uniform", "zipf", NULL};

	switch (values) {
	case TD_CLI_ANY: return;
	case TD_CLI_WHEN: print_names(before, whens); return;
	case TD_CLI_READ_FORMATS: print_names(before, td_trace_read_formats); return;
	case TD_CLI_WRITE_FORMATS: print_names(before, td_trace_write_formats); return;
	case TD_CLI_EVICT: print_policies(before, TIDE_EVICT); return;
	case TD_CLI_PREFETCH: print_policies(before, TIDE_PREFETCH); return;
	case TD_CLI_PLACE: print_policies(before, TIDE_PLACE); return;
	case TD_CLI_WORKLOADS: print_workloads(before); return;
	case TD_CLI_MODELS: print_models(before); return;
	case TD_CLI_MAPPINGS: print_each(before, td_lib_mapping_word); return;
	case TD_CLI_SERVICES: print_each(before, td_lib_service_word); return;
	case TD_CLI_HOST_KINDS: print_names(before, host_kinds); return;
	case TD_CLI_FORKS: print_names(before, forks); return;
	case TD_CLI_TRANSFERS: print_names(before, transfers); return;
	case TD_CLI_ORCHESTRATORS: print_names(before, orchestrators); return;
	case TD_CLI_DEVICE_KINDS: print_names(before, device_kinds); return;
	case TD_CLI_DEDUPS: print_names(before, dedups); return;
	case TD_CLI_HASHES: print_names(before, hashes); return;
	case TD_CLI_PATTERNS: print_names(before, patterns); return;
	case TD_CLI_CPPE_STUDIES: print_each(before, td_cli_cppe_study); return;
	case TD_CLI_GMT_STUDIES: print_each(before, td_cli_gmt_study); return;
	case TD_CLI_OBS_STUDIES: print_each(before, td_cli_obs_study); return;
	case TD_CLI_GRAM_STUDIES: print_each(before, td_cli_gram_study); return;
	case TD_CLI_CPPE_APPS: print_each(before, td_cli_cppe_app); return;
	case TD_CLI_GMT_APPS: print_each(before, td_cli_gmt_app); return;
	case TD_CLI_OBS_APPS: print_each(before, td_cli_obs_app); return;
	case TD_CLI_GPU_TESTS:
	case TD_CLI_GPU_MICROS:
	case TD_CLI_GPU_APPS: print_parts(before, values); return;
	}
}

static void print_verbs(const struct td_cli_verb *verbs)
{
	for (; verbs->name; verbs++)
		puts(verbs->name);
}

/* The option that word names, up to an equals sign; NULL: it names none. */
static const struct td_cli_option *option_of(const struct td_cli_verb *verb, const char *word)
{
	if (strncmp(word, "--", 2) != 0)
		return NULL;
	for (const struct td_cli_option *o = verb->options; o->name; o++)
		if (strlen(o->name) == strcspn(word + 2, "=") &&
		    strncmp(o->name, word + 2, strlen(o->name)) == 0)
			return o;
	return NULL;
}

static void print_options(const struct td_cli_verb *verb)
{
	for (const struct td_cli_option *o = verb->options; o->name; o++)
		printf("--%s\n", o->name);
}

static void complete_word(const struct td_cli_verb *verb, const char *before, const char *word)
{
	const struct td_cli_option *o = option_of(verb, word);
	char start[64];

	if (o && strchr(word, '=')) {
		snprintf(start, sizeof start, "--%s=", o->name);
		print_values(start, o->values);
		return;
	}
	o = option_of(verb, before);
	if (o && o->kind != TD_CLI_FLAG && !strchr(before, '='))
		print_values("", o->values);
	else if (word[0] == '-')
		print_options(verb);
	else if (verb->run == td_cli_policies)
		for (enum tide_role role = TIDE_EVICT; role <= TIDE_PLACE; role++)
			print_policies("", role);
	else if (verb->run == td_cli_workloads)
		print_workloads("");
	else if (verb->run == td_cli_models)
		print_models("");
}

void td_cli_complete(int argc, char *const *argv)
{
	const struct td_cli_verb *verb = NULL, *verbs = td_cli_verbs;
	int i = 0;

	for (; verbs && i < argc - 1; i++) {
		verb = td_cli_find_verb(verbs, argv[i]);
		if (!verb)
			return;
		verbs = strcmp(verb->name, "help") == 0 ? td_cli_verbs : verb->verbs;
	}
	if (verbs)
		print_verbs(verbs);
	else
		complete_word(verb, argv[argc - 2], argv[argc - 1]);
}
