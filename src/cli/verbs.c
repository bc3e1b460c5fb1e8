/* The verb table. */
#include <errno.h>

#include "cli.h"

static int run_help(const struct td_cli_args *args, struct tide_error *err);

static const struct td_cli_option help_options[] = {TD_CLI_HELP_OPTION, TD_CLI_END_OPTIONS};

/* clang-format off */
const struct td_cli_verb td_cli_verbs[] = {
	{"sim", "(--trace FILE | --workload SPEC) --near SIZE [OPTIONS]",
	 "Run a trace or a workload under one combination of policies",
	 td_cli_sim_more, td_cli_sim_options, 0, 0, NULL, td_cli_sim},
	{"compare", "(--trace FILE | --workload SPEC) --near SIZE [OPTIONS]",
	 "Run the same input under several combinations of policies, on all cores",
	 td_cli_compare_more, td_cli_compare_options, 0, 0, NULL, td_cli_compare},
	{"mrc", "(--trace FILE | --workload SPEC) [OPTIONS]",
	 "Miss ratio curves: what near memory of every size would miss",
	 td_cli_mrc_more, td_cli_mrc_options, 0, 0, NULL, td_cli_mrc},
	{"sweep", "(--trace FILE | --workload SPEC)... --near SIZE... [OPTIONS]",
	 "Run a grid of inputs, sizes, policies and parameters, on all cores",
	 td_cli_sweep_more, td_cli_sweep_options, 0, TD_CLI_LIST_MAX, NULL, td_cli_sweep},
	{"reproduce", "PAPER [OPTIONS]",
	 "Rerun the evaluation of a paper, published beside measured",
	 td_cli_reproduce_more, td_cli_reproduce_options, 0, 0, td_cli_reproduce_verbs, NULL},
	{"report", "FILE... [-o OUT] [OPTIONS]",
	 "Make one HTML page, and figures, of the results of other verbs",
	 td_cli_report_more, td_cli_report_options, 1, TD_CLI_LIST_MAX, NULL, td_cli_report},
	{"trace", "VERB [OPTIONS]",
	 "Look into traces, convert them, and make them from workloads",
	 td_cli_trace_more, td_cli_trace_options, 0, 0, td_cli_trace_verbs, NULL},
	{"policies", "[NAME] [OPTIONS]",
	 "List the policies, or show one with its parameters",
	 td_cli_policies_more, td_cli_policies_options, 0, 1, NULL, td_cli_policies},
	{"workloads", "[NAME...] [OPTIONS]",
	 "List the workloads, show or draw one, or measure them",
	 td_cli_workloads_more, td_cli_workloads_options, 0, TD_CLI_LIST_MAX, NULL,
	 td_cli_workloads},
	{"models", "[NAME] [OPTIONS]",
	 "List the machines whose clock a run can have, or show one with its figures",
	 td_cli_models_more, td_cli_models_options, 0, 1, NULL, td_cli_models},
	{"run", "--near SIZE [OPTIONS] [--] PROGRAM [ARGS]",
	 "Run a program with less near memory than it uses",
	 td_cli_run_more, td_cli_run_options, 1, TD_CLI_COMMAND, NULL, td_cli_run},
	{"record", "--out FILE --near SIZE [OPTIONS] [--] PROGRAM [ARGS]",
	 "Run a program as tide run does, and write a trace that tide sim replays",
	 td_cli_record_more, td_cli_record_options, 1, TD_CLI_COMMAND, NULL, td_cli_record},
	{"gpu", "VERB [OPTIONS]",
	 "Look at the GPU, test the GPU runtime on it, and measure both",
	 td_cli_gpu_more, td_cli_gpu_options, 0, 0, td_cli_gpu_verbs, NULL},
	{"pool", "VERB [OPTIONS]",
	 "Measure and check the buffer pool: main memory, device memory, a file",
	 td_cli_pool_more, td_cli_pool_options, 0, 0, td_cli_pool_verbs, NULL},
	{"doctor", "[OPTIONS]",
	 "Say what this machine offers, what is missing and how to get it",
	 td_cli_doctor_more, td_cli_doctor_options, 0, 0, NULL, td_cli_doctor},
	{"help", "[VERB [VERB]]",
	 "Show what a verb does and takes",
	 NULL, help_options, 0, 2, NULL, run_help},
	{NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL},
};
/* clang-format on */

static int run_help(const struct td_cli_args *args, struct tide_error *err)
{
	const struct td_cli_verb *parent = NULL, *verb = NULL, *verbs = td_cli_verbs;

	for (size_t i = 0; i < args->words.n; i++) {
		const char *word = args->words.at[i];
		parent = verb;
		if (!verbs)
			return tide_fail(err, -EINVAL, "%s has no verbs of its own: leave out %s",
					 parent->name, td_cli_shown(word).text);
		verb = td_cli_find_verb(verbs, word);
		if (!verb)
			return td_cli_unknown_verb(verbs, word, err);
		verbs = verb->verbs;
	}
	if (verb)
		td_cli_help_verb(stdout, parent, verb);
	else
		td_cli_help_all(stdout);
	return 0;
}
