/* tide reproduce: a paper's evaluation again, published beside measured. What all papers share;
 * each has its own lab/claims/PAPER.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/claims/reproduce.h"

int td_cli_reproduce_start(struct td_cli_reproduction *r, const char *paper, uint64_t steps,
			   const struct td_cli_args *args, struct tide_error *err)
{
	*r = (struct td_cli_reproduction){.paper = paper,
					  .statements = json_array(),
					  .runs = json_array(),
					  .steps = steps,
					  .json = args->json};
	return td_cli_progress_start(&r->progress, args->progress, "reproduce", err);
}

/* Runs count the same, however long each takes. */
void td_cli_reproduce_show(void *reproduction, uint64_t done, uint64_t total)
{
	struct td_cli_reproduction *r = reproduction;
	double within = total ? (double)done / (double)total : 0;

	td_cli_progress_show(&r->progress,
			     (uint64_t)(1000 * ((double)r->step + (within < 1 ? within : 1))),
			     1000 * r->steps);
}

static json_t *verdict_json(enum td_cli_verdict verdict)
{
	return verdict == TD_CLI_UNJUDGED ? json_null() : json_boolean(verdict == TD_CLI_AGREES);
}

/* Where memory runs out an entry is missing, and printing finds it. */
void td_cli_state(struct td_cli_reproduction *r, const struct td_cli_statement *s)
{
	json_array_append_new(r->statements,
			      json_pack("{ss ss so so so ss?}", "id", s->id, "what", s->what,
					"published", s->published, "measured", s->measured,
					"agrees", verdict_json(s->verdict), "note", s->note));
}

static void print_value(const char *name, const json_t *value)
{
	if (json_is_string(value))
		printf("%s %s", name, json_string_value(value));
	else if (json_is_number(value))
		printf("%s %.4g", name, json_number_value(value));
	else
		printf("%s nothing", name);
}

static const char *verdict_word(const json_t *agrees)
{
	if (json_is_null(agrees))
		return "-";
	return json_is_true(agrees) ? "yes" : "no";
}

static void print_statement(const json_t *s)
{
	const char *note = json_string_value(json_object_get(s, "note"));

	printf("%-8s%s: %s\n        ", verdict_word(json_object_get(s, "agrees")),
	       json_string_value(json_object_get(s, "id")),
	       json_string_value(json_object_get(s, "what")));
	print_value("published", json_object_get(s, "published"));
	print_value("; measured", json_object_get(s, "measured"));
	printf("%s%s%s\n", note ? "\n        (" : "", note ? note : "", note ? ")" : "");
}

static void print_end(const char *paper, const json_t *statements)
{
	size_t i, agree = 0, disagree = 0, n = json_array_size(statements);
	const json_t *s;

	json_array_foreach(statements, i, s)
	{
		agree += json_is_true(json_object_get(s, "agrees"));
		disagree += json_is_false(json_object_get(s, "agrees"));
	}
	printf("\n%s: of %zu statements %zu agree, %zu do not, %zu cannot be judged here.\n", paper,
	       n, agree, disagree, n - agree - disagree);
}

int td_cli_reproduce_print(struct td_cli_reproduction *r, struct tide_error *err)
{
	const json_t *s;
	size_t i;

	td_cli_progress_end(&r->progress);
	if (r->json)
		return td_cli_print_json(json_pack("{ss ss ss sO sO}", "tide", tide_version(),
						   "verb", "reproduce", "paper", r->paper,
						   "statements", r->statements, "runs", r->runs),
					 err);
	printf("agrees  statement\n");
	json_array_foreach(r->statements, i, s) print_statement(s);
	print_end(r->paper, r->statements);
	return 0;
}

void td_cli_reproduce_free(struct td_cli_reproduction *r)
{
	td_cli_progress_end(&r->progress);
	json_decref(r->statements);
	json_decref(r->runs);
}

/* ---- the verbs ---- */

static int run_leu(const void *options, struct tide_error *err)
{
	return td_cli_reproduce_leu(options, err);
}

static const struct td_cli_verb leu = {
	.name = "leu",
	.synopsis = "[OPTIONS]",
	.summary =
		"Statistical Caching for Near Memory Management (MEMSYS 2019): curves of Figure 1, examples",
	.more = td_cli_reproduce_leu_more,
	.options = td_cli_reproduce_leu_options,
	.options_bytes = sizeof(TD_CLI_OPTIONS),
	.run = run_leu,
};

static int run_gmt(const void *options, struct tide_error *err)
{
	return td_cli_reproduce_gmt(options, err);
}

static const struct td_cli_verb gmt = {
	.name = "gmt",
	.synopsis = "[OPTIONS]",
	.summary =
		"GPU Orchestrated Memory Tiering (ASPLOS 2024): nine applications in three tiers",
	.more = td_cli_reproduce_gmt_more,
	.options = td_cli_reproduce_gmt_options,
	.options_bytes = sizeof(TD_CLI_OPTIONS),
	.run = run_gmt,
};

static int run_cppe(const void *options, struct tide_error *err)
{
	return td_cli_reproduce_cppe(options, err);
}

static const struct td_cli_verb cppe = {
	.name = "cppe",
	.synopsis = "[OPTIONS]",
	.summary =
		"Coordinated Page Prefetch and Eviction in GPUs (IPDPS 2020): figures, tables, studies",
	.more = td_cli_reproduce_cppe_more,
	.options = td_cli_reproduce_cppe_options,
	.options_bytes = sizeof(TD_CLI_OPTIONS),
	.run = run_cppe,
};

static int run_observuvm(const void *options, struct tide_error *err)
{
	return td_cli_reproduce_observuvm(options, err);
}

static const struct td_cli_verb observuvm = {
	.name = "observuvm",
	.synopsis = "[OPTIONS]",
	.summary =
		"Observability-aided GPU Memory Oversubscription (ISCA 2026): fourteen applications, studies",
	.more = td_cli_reproduce_observuvm_more,
	.options = td_cli_reproduce_observuvm_options,
	.options_bytes = sizeof(TD_CLI_OPTIONS),
	.run = run_observuvm,
};

static int run_gram(const void *options, struct tide_error *err)
{
	return td_cli_reproduce_gram(options, err);
}

static const struct td_cli_verb gram = {
	.name = "gram",
	.synopsis = "[IMAGE]... [OPTIONS]",
	.summary = "GPU-Assisted Buffer Management (ICCS 2011): GRAM, DEDU, virtual machines",
	.more = td_cli_reproduce_gram_more,
	.options = td_cli_reproduce_gram_options,
	.options_bytes = sizeof(TD_CLI_OPTIONS),
	.words_max = 4,
	.run = run_gram,
};

static const struct td_cli_verb *const verbs[] = {&leu, &gmt, &cppe, &observuvm, &gram, NULL};

static const char more[] =
	"A verb is a paper. Every number and claim it published is printed beside what is measured\n"
	"here, and whether the two agree; a result that does not is printed as it is.\n\n"
	"Example:\n"
	"  tide reproduce leu --plot leu.svg\n";

const struct td_cli_verb td_cli_verb_reproduce = {
	.name = "reproduce",
	.order = 50,
	.synopsis = "PAPER [OPTIONS]",
	.summary = "Rerun the evaluation of a paper, published beside measured",
	.more = more,
	.options = td_cli_help_alone,
	.options_bytes = sizeof(struct td_cli_given),
	.verbs = verbs,
};
