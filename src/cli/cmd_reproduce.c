/* tide reproduce: a paper's evaluation again, published beside measured. What all papers share;
 * each has its own lab/claims/PAPER.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/claims/reproduce.h"

const struct td_cli_option td_cli_reproduce_options[] = {TD_CLI_HELP_OPTION, TD_CLI_END_OPTIONS};

/* clang-format off */
const struct td_cli_verb td_cli_reproduce_verbs[] = {
	{"leu", "[OPTIONS]",
	 "Statistical Caching for Near Memory Management (MEMSYS 2019): curves of Figure 1, examples",
	 td_cli_reproduce_leu_more, td_cli_reproduce_leu_options, 0, 0, NULL, td_cli_reproduce_leu},
	{"gmt", "[OPTIONS]",
	 "GPU Orchestrated Memory Tiering (ASPLOS 2024): nine applications in three tiers",
	 td_cli_reproduce_gmt_more, td_cli_reproduce_gmt_options, 0, 0, NULL, td_cli_reproduce_gmt},
	{"cppe", "[OPTIONS]",
	 "Coordinated Page Prefetch and Eviction in GPUs (IPDPS 2020): figures, tables, studies",
	 td_cli_reproduce_cppe_more, td_cli_reproduce_cppe_options, 0, 0, NULL,
	 td_cli_reproduce_cppe},
	{"observuvm", "[OPTIONS]",
	 "Observability-aided GPU Memory Oversubscription (ISCA 2026): fourteen applications, studies",
	 td_cli_reproduce_observuvm_more, td_cli_reproduce_observuvm_options, 0, 0, NULL,
	 td_cli_reproduce_observuvm},
	{"gram", "[IMAGE]... [OPTIONS]",
	 "GPU-Assisted Buffer Management (ICCS 2011): GRAM, DEDU, virtual machines",
	 td_cli_reproduce_gram_more, td_cli_reproduce_gram_options, 0, 4, NULL,
	 td_cli_reproduce_gram},
	{NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL},
};
/* clang-format on */

const char td_cli_reproduce_more[] =
	"A verb is a paper. Every number and claim it published is printed beside what is measured\n"
	"here, and whether the two agree; a result that does not is printed as it is.\n\n"
	"Example:\n"
	"  tide reproduce leu --plot leu.svg\n";

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
