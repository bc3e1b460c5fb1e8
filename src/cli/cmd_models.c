/* tide models: the machines whose clock a run can have. */
#include <errno.h>
#include <string.h>

#include "cli.h"

struct models_options {
	struct td_cli_given given;
	bool json;
};
#define TD_CLI_OPTIONS struct models_options

static const struct td_cli_option options[] = {
	TD_CLI_JSON_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char more[] =
	"A model is written NAME or NAME:KEY=VALUE,KEY=VALUE after --model. All models have the same\n"
	"parameters, and each name stands for a set of values. docs/timing-model.md says what they\n"
	"mean, where they come from, and what the model cannot see.\n\n"
	"Examples:\n"
	"  tide models\n"
	"  tide models h200\n"
	"  tide sim --workload mvt --near 75% --model cppe:batch_ns=45000\n";

static json_t *model_json(const struct tide_model_info *info)
{
	return json_pack("{ss ss so}", "name", info->name, "summary", info->summary, "params",
			 td_cli_params_json(info->params));
}

/* only: one name, or NULL for all. */
static int print_json(const char *only, struct tide_error *err)
{
	json_t *list = json_array();
	struct tide_model_info info = {.size = sizeof info};

	for (size_t i = 0; !tide_model_at(i, &info); i++)
		if (!only || strcmp(only, info.name) == 0)
			json_array_append_new(list, model_json(&info));
	return td_cli_print_json(json_pack("{so}", "models", list), err);
}

static int print_all(struct tide_error *err)
{
	struct td_cli_table t = {.align = "ll"};
	struct tide_model_info info = {.size = sizeof info};

	for (size_t i = 0; !tide_model_at(i, &info); i++) {
		td_cli_cell(&t, "%s", info.name);
		td_cli_cell(&t, "%s", info.summary);
	}
	return td_cli_table_end(&t, err);
}

static int run(const void *given, struct tide_error *err)
{
	const struct models_options *args = given;
	const char *name = args->given.words.n ? args->given.words.at[0] : NULL;
	struct tide_model_info info = {.size = sizeof info};
	const char *names[32];
	size_t n = 0;

	for (; n < 32 && !tide_model_at(n, &info); n++) {
		names[n] = info.name;
		if (name && strcmp(name, info.name) == 0)
			break;
	}
	if (name && (n == 32 || tide_model_at(n, &info)))
		return td_cli_unknown("model", name, names, n, err);
	if (args->json)
		return print_json(name, err);
	if (!name)
		return print_all(err);
	printf("%s: %s\n", info.name, info.summary);
	return td_cli_print_params(info.params, err);
}

const struct td_cli_verb td_cli_verb_models = {
	.name = "models",
	.order = 100,
	.synopsis = "[NAME] [OPTIONS]",
	.summary = "List the timed models, or show one with its parameters",
	.more = more,
	.options = options,
	.options_bytes = sizeof(struct models_options),
	.words_max = 1,
	.words = TD_CLI_NAMES(td_cli_model_name),
	.run = run,
};
