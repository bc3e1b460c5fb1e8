/* tide reproduce cppe: "Coordinated Page Prefetch and Eviction for Memory Oversubscription
 * Management in GPUs" again, 23 applications under CPPE and what it was held against, with a
 * clock. */
#include "cppe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct td_cli_option td_cli_reproduce_cppe_options[] = {
	TD_CLI_QUICK_OPTION,
	{"study", 0, TD_CLI_TEXT, TD_CLI_AT(study), "NAME",
	 "a sensitivity study instead: t1, t2, t3, scheme, latency, service or jitter",
	 TD_CLI_NAMES(td_cli_cppe_study)},
	TD_CLI_ONLY_OPTION(TD_CLI_NAMES(td_cli_cppe_app)),
	TD_CLI_JOBS_OPTION,
	TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

const char td_cli_reproduce_cppe_more[] =
	"23 applications with 75% and 50% of their pages in near memory, on the GPU of the paper's\n"
	"Table I (model cppe): CPPE (mhpe+pattern) and its other deletion scheme, LRU with the\n"
	"locality prefetcher, which is the baseline, random and reserved LRU with the same, the\n"
	"baseline with prefetching off once memory is full, and HPE. Figures 3, 4 and 7 to 10,\n"
	"Tables III and IV, overheads. Applications that repeat themselves do so less often than in\n"
	"tide workloads. A study varies one parameter: thresholds, the deletion scheme, what a\n"
	"fault takes and how faults are served, and how far apart multiprocessors start.\n\n"
	"Examples:\n"
	"  tide reproduce cppe --quick\n"
	"  tide reproduce cppe --only nw,srd,hsd\n"
	"  tide reproduce cppe --study t3 --json\n";

#define BATCH_WHY \
	"many chunks come in one batch, and MRU takes some before the GPU has been told to try again"
#define WEAK_WHY "the order of its accesses is a guess where the source leaves it to the data"
#define N CPPE_NONE
const struct td_cli_cppe_published td_cli_cppe_published[CPPE_APPS] = {
	[CPPE_HOT] = {"hot", "I", NULL, "scale=0.5", 1, {0, 0}, {N, N}, NULL},
	[CPPE_LEU] = {"leu", "I", NULL, NULL, 1, {12, 11}, {12, 21}, NULL},
	[CPPE_2DC] = {"2dc", "I", NULL, "scale=0.06", 4, {0, 0}, {N, N}, NULL},
	[CPPE_3DC] = {"3dc", "I", NULL, "scale=0.06", 4, {0, 0}, {N, N}, NULL},
	[CPPE_BKP] = {"bkp", "II", NULL, "scale=0.5", 1, {0, 0}, {N, N}, NULL},
	[CPPE_PAT] = {"pat", "II", NULL, "scale=0.25", 1, {22, 19}, {67, 60}, BATCH_WHY},
	[CPPE_DWT] = {"dwt", "II", NULL, "scale=0.25", 1, {60, 0}, {N, 0}, NULL},
	[CPPE_KMN] = {"kmn", "II", NULL, "scale=0.06", 2, {25, 26}, {70, 58}, BATCH_WHY},
	[CPPE_SAD] = {"sad", "II", NULL, NULL, 1, {22, 38}, {46, N}, BATCH_WHY},
	[CPPE_NW] = {"nw", "III", NULL, NULL, 1, {32, 16}, {N, 38}, NULL},
	[CPPE_BFS] = {"bfs", "III", NULL, "scale=0.1", 12, {51, 45}, {N, N}, NULL},
	[CPPE_MVT] = {"mvt", "III", NULL, "scale=0.1", 8, {36, 48}, {N, N}, NULL},
	[CPPE_BIC] = {"bic", "III", NULL, "scale=0.1", 8, {0, 0}, {N, N}, NULL},
	[CPPE_SRD] = {"srd", "IV", NULL, "scale=0.06", 6, {0, 7}, {0, 7}, NULL},
	[CPPE_HSD] = {"hsd", "IV", NULL, "scale=0.25", 4, {14, 14}, {37, 30}, NULL},
	[CPPE_MRQ] = {"mrq", "IV", NULL, NULL, 1, {0, 0}, {N, N}, NULL},
	[CPPE_STN] = {"stn", "IV", "iters=40", "iters=8", 6, {0, 0}, {N, N}, NULL},
	[CPPE_HWL] =
		{"hwl", "V", "frames=4", "scale=0.1,frames=4", 10, {31, 4}, {59, 4}, BATCH_WHY},
	[CPPE_SGM] = {"sgm", "V", NULL, "scale=0.1", 30, {0, 0}, {N, N}, NULL},
	[CPPE_HIS] = {"his", "V", "iters=8", "scale=0.25,iters=4", 6, {52, 55}, {N, N}, WEAK_WHY},
	[CPPE_SPV] = {"spv", "V", "iters=5", "scale=0.1,iters=4", 5, {20, 28}, {45, 68}, NULL},
	[CPPE_BT] = {"b+t", "VI", NULL, "scale=0.25", 3, {58, 59}, {N, N}, NULL},
	[CPPE_HYB] = {"hyb", "VI", NULL, "scale=0.06", 11, {39, 32}, {N, N}, WEAK_WHY},
};
#undef N

const char *const td_cli_cppe_sizes[CPPE_SIZES] = {"75%", "50%"};
const char *const td_cli_cppe_names[CPPE_CONFIGS] = {"baseline", "cppe",    "scheme 1", "random",
						     "lru-10%",  "lru-20%", "stop",     "hpe"};

static const struct td_cli_cppe_value configs[CPPE_CONFIGS] = {
	[CPPE_BASELINE] = {"baseline", "lrm", "locality", "cppe", NULL},
	[CPPE_SCHEME2] = {"cppe", "mhpe", "pattern", "cppe", NULL},
	[CPPE_SCHEME1] = {"scheme 1", "mhpe", "pattern:scheme=1", "cppe", NULL},
	[CPPE_RANDOM] = {"random", "random", "locality", "cppe", NULL},
	[CPPE_LRU10] = {"lru-10%", "reserved-lru:pct=10,hits=0", "locality", "cppe", NULL},
	[CPPE_LRU20] = {"lru-20%", "reserved-lru:pct=20,hits=0", "locality", "cppe", NULL},
	[CPPE_STOP] = {"stop", "lrm", "locality-stop", "cppe", NULL},
	[CPPE_HPE] = {"hpe", "hpe", "locality", "cppe", NULL},
};

size_t td_cli_cppe_add(struct td_cli_cppe *p, enum td_cli_cppe_app a, enum td_cli_cppe_size s,
		       const struct td_cli_cppe_value *how)
{
	const struct td_cli_cppe_published *app = &td_cli_cppe_published[a];
	const char *params = p->e.args->quick ? app->quick : app->params;
	struct td_cli_rerun *run = &p->e.runs[p->e.n++];

	snprintf(run->workload, sizeof run->workload, "%s%s%s%s%s", app->name,
		 params || how->params ? ":" : "", params ? params : "",
		 params && how->params ? "," : "", how->params ? how->params : "");
	run->near_size = td_cli_cppe_sizes[s];
	run->page = "4K";
	run->chunk = "64K";
	run->evict = how->evict;
	run->prefetch = how->prefetch;
	run->model = how->model;
	return p->e.n;
}

static void plan_evaluation(struct td_cli_cppe *p, enum td_cli_cppe_app a)
{
	for (unsigned s = 0; s < CPPE_SIZES; s++)
		for (unsigned c = 0; c < CPPE_CONFIGS; c++)
			p->at[a][s][c] = td_cli_cppe_add(p, a, s, &configs[c]);
}

/* The long ones go first, so that no core is left with one of them at the end. */
static void plan(struct td_cli_cppe *p)
{
	unsigned most = 0;

	for (unsigned a = 0; a < CPPE_APPS; a++)
		most = td_cli_cppe_published[a].cost > most ? td_cli_cppe_published[a].cost : most;
	for (unsigned cost = most; cost; cost--)
		for (unsigned a = 0; a < CPPE_APPS; a++) {
			if (!p->wanted[a] || td_cli_cppe_published[a].cost != cost)
				continue;
			if (p->study)
				td_cli_cppe_plan_study(p, a);
			else
				plan_evaluation(p, a);
		}
}

/* ---- the command line ---- */

const char *td_cli_cppe_app(size_t i)
{
	return i < CPPE_APPS ? td_cli_cppe_published[i].name : NULL;
}

static int choose(struct td_cli_cppe *p, struct tide_error *err)
{
	int rc = td_cli_choose_apps(p->e.args->only, td_cli_cppe_app, p->wanted, err);
	return rc || !p->e.args->study ? rc : td_cli_cppe_find_study(p, err);
}

static int make_plan(void *self, struct tide_error *err)
{
	struct td_cli_cppe *p = self;
	int rc = choose(p, err);

	if (rc)
		return rc;
	p->e.runs = calloc(CPPE_APPS * CPPE_SIZES * 2 * CPPE_VALUES_MAX, sizeof *p->e.runs);
	if (!p->e.runs)
		return tide_fail(err, -ENOMEM, "no memory for the runs: free some");
	plan(p);
	return 0;
}

static void claim(void *self)
{
	struct td_cli_cppe *p = self;

	if (p->study) {
		td_cli_cppe_study_claims(p);
		return;
	}
	td_cli_cppe_table_claims(p);
	td_cli_cppe_claims(p);
}

static int print(void *self, struct tide_error *err)
{
	struct td_cli_cppe *p = self;

	return p->study ? td_cli_cppe_print_study(p, err) : td_cli_cppe_print(p, err);
}

int td_cli_reproduce_cppe(const struct td_cli_args *args, struct tide_error *err)
{
	static const struct td_cli_evaluator by = {
		"cppe", sizeof(struct td_cli_cppe), make_plan, claim, print, NULL,
	};

	return td_cli_evaluate(&by, args, err);
}
