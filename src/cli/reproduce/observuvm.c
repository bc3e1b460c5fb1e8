/* tide reproduce observuvm: "Observability-aided GPU Memory Oversubscription" again, fourteen
 * applications under UVM, the paper's policies and what it compares them with, with a clock. */
#include "observuvm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct td_cli_option td_cli_reproduce_observuvm_options[] = {
	TD_CLI_QUICK_OPTION,
	{"full", 0, TD_CLI_FLAG, TD_CLI_AT(full), NULL, "at the paper's sizes, 2 to 24 GB: hours",
	 TD_CLI_ANY},
	TD_CLI_STUDY_OPTION("main, over, observe, samples, bare or exact"),
	TD_CLI_ONLY_OPTION,
	TD_CLI_JOBS_OPTION,
	TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

const char td_cli_reproduce_observuvm_more[] =
	"Fourteen applications with UVM, the policies of ObservUVM, access counter migration and\n"
	"EarlyAdaptor, on an RTX 3090 (model observuvm), data at a sixteenth of the paper's sizes\n"
	"and half as much again as near memory. Studies: over has 10 to 70% more data than memory,\n"
	"observe 75 to 25 observed chunks, samples 1 to 3 pages of each, bare no prefetching, exact\n"
	"every warp by itself, for BlackScholes.\n\n"
	"Examples:\n"
	"  tide reproduce observuvm --quick\n"
	"  tide reproduce observuvm --full --study main --only gmv,observuvm-2dc\n";

const struct td_cli_obs_published td_cli_obs_published[OBS_APPS] = {
	[OBS_MM] = {"mm", "MM", OBS_LRU, false, false},
	[OBS_GMM] = {"gmm", "GMM", OBS_LRU, false, false},
	[OBS_SRK] = {"srk", "SRK", OBS_LFU, false, false},
	[OBS_SR2] = {"sr2", "SR2", OBS_LFU, false, false},
	[OBS_HEL] = {"hel", "HEL", OBS_LRU, false, false},
	[OBS_2DC] = {"observuvm-2dc", "2DC", OBS_CP, false, false},
	[OBS_GMV] = {"gmv", "GMV", OBS_LFU, false, false},
	[OBS_LU] = {"lu", "LU", OBS_LFU, true, false},
	[OBS_BLK] = {"blk", "BLK", OBS_CP, false, false},
	[OBS_SPM] = {"spm", "SPM", OBS_LFU, true, false},
	[OBS_AN] = {"an", "AN", OBS_LRU, false, false},
	[OBS_SN] = {"sn", "SN", OBS_LRU, false, false},
	[OBS_BTR] = {"btr", "BTR", OBS_LFU, false, true},
	[OBS_BFS] = {"observuvm-bfs", "BFS", OBS_CP, false, true},
};

/* ---- what to run ---- */

static const struct {
	const char *evict, *prefetch, *model;
} configs[OBS_CONFIGS] = {
	[OBS_UVM] = {"lrm", "tree", "observuvm"},
	[OBS_LRU] = {"observ-lru", "tree", "observuvm"},
	[OBS_LFU] = {"observ-lfu", "tree", "observuvm"},
	[OBS_CP] = {"cp", "tree", "observuvm"},
	[OBS_TM] = {"tournament", "tree", "observuvm"},
	[OBS_TM1] = {"tournament", "fdp", "observuvm"},
	[OBS_TM2] = {"tournament", "rgp", "observuvm"},
	[OBS_ACBM] = {"lrm", "acbm", "observuvm"},
	[OBS_EA] = {"lrm", "early-adaptor", "observuvm"},
};
const char *const td_cli_obs_names[OBS_CONFIGS] = {"UVM", "LRU",  "LFU",  "CP", "TM",
						   "TM+", "TM++", "ACBM", "EA"};

#define BIT(x) (1U << (x))
#define EACH (BIT(OBS_UVM) | BIT(OBS_LRU) | BIT(OBS_LFU) | BIT(OBS_CP))
#define BOTH (BIT(OBS_UVM) | BIT(OBS_TM2))

/* Near memory is the footprint by 1 + the oversubscription. */
static const struct setting {
	const char *near_size;
	unsigned configs, apps;
	const char *evict, *prefetch; /* in place of the configuration's; NULL: that */
} settings[OBS_SETTINGS] = {
	[OBS_MAIN] = {"66.67%", BIT(OBS_CONFIGS) - 1, OBS_ALL, NULL, NULL},
	[OBS_ZERO] = {"110%", BOTH, OBS_ALL, NULL, NULL},
	[OBS_O10] = {"90.91%", BOTH, OBS_ALL, NULL, NULL},
	[OBS_O20] = {"83.33%", BOTH, OBS_ALL, NULL, NULL},
	[OBS_O30] = {"76.92%", BOTH, OBS_ALL, NULL, NULL},
	[OBS_O40] = {"71.43%", BOTH, OBS_ALL, NULL, NULL},
	[OBS_O60] = {"62.5%", BOTH, OBS_ALL, NULL, NULL},
	[OBS_O70] = {"58.82%", BOTH, OBS_ALL, NULL, NULL},
	[OBS_WATCH75] = {"66.67%", BIT(OBS_LRU), OBS_ALL, "observ-lru:observe=75", NULL},
	[OBS_WATCH50] = {"66.67%", BIT(OBS_LRU), OBS_ALL, "observ-lru:observe=50", NULL},
	[OBS_WATCH25] = {"66.67%", BIT(OBS_LRU), OBS_ALL, "observ-lru:observe=25", NULL},
	[OBS_SAMPLES1] = {"66.67%", BIT(OBS_LRU), OBS_ALL,
			  "observ-lru:observe=75,samples=1,adapt=0", NULL},
	[OBS_SAMPLES2] = {"66.67%", BIT(OBS_LRU), OBS_ALL,
			  "observ-lru:observe=75,samples=2,adapt=0", NULL},
	[OBS_SAMPLES3] = {"66.67%", BIT(OBS_LRU), OBS_ALL,
			  "observ-lru:observe=75,samples=3,adapt=0", NULL},
	[OBS_BARE] = {"66.67%", EACH, OBS_ALL, NULL, "none"},
	[OBS_EXACT] = {"66.67%", EACH | BIT(OBS_TM), BIT(OBS_BLK), NULL, NULL},
};

/* A study's settings, and what it needs of the main one. */
static const struct {
	const char *name;
	unsigned settings, main_configs;
} studies[] = {
	{"main", BIT(OBS_MAIN), 0},
	{"over",
	 BIT(OBS_ZERO) | BIT(OBS_O10) | BIT(OBS_O20) | BIT(OBS_O30) | BIT(OBS_O40) | BIT(OBS_O60) |
		 BIT(OBS_O70),
	 BOTH},
	{"observe", BIT(OBS_WATCH75) | BIT(OBS_WATCH50) | BIT(OBS_WATCH25), BIT(OBS_LRU)},
	{"samples", BIT(OBS_SAMPLES1) | BIT(OBS_SAMPLES2) | BIT(OBS_SAMPLES3), 0},
	{"bare", BIT(OBS_BARE), 0},
	{"exact", BIT(OBS_EXACT), EACH | BIT(OBS_TM)},
};
#define STUDIES (sizeof studies / sizeof *studies)

/* Look-ups of a tree are traced one by one, which takes long: that one is smaller. */
static double scale_of(const struct td_cli_obs *o, enum td_cli_obs_app a)
{
	if (o->args->full)
		return 1;
	if (o->args->quick)
		return a == OBS_BTR ? 1. / 256 : 1. / 64;
	return a == OBS_BTR ? 1. / 32 : 1. / 16;
}

static void add_run(struct td_cli_obs *o, enum td_cli_obs_setting s, enum td_cli_obs_app a,
		    enum td_cli_obs_config c)
{
	struct td_cli_rerun *run = &o->runs[o->n];
	const struct setting *set = &settings[s];

	*run = (struct td_cli_rerun){
		.near_size = set->near_size,
		.page = "64K",
		.chunk = "2M",
		.evict = set->evict ? set->evict : configs[c].evict,
		.prefetch = set->prefetch ? set->prefetch : configs[c].prefetch,
		.model = configs[c].model,
	};
	snprintf(run->workload, sizeof run->workload, "%s:scale=%.10g%s",
		 td_cli_obs_published[a].app, scale_of(o, a),
		 s == OBS_EXACT ? ",mode=exact,iters=4" : "");
	/* In waves an access stands for those of many warps: a threshold of 256 is one of them. */
	if (c == OBS_ACBM && !td_cli_obs_published[a].exact)
		run->prefetch = "acbm:threshold=1";
	o->at[s][a][c] = ++o->n;
}

/* The configurations of a setting that the chosen study runs; all of them without one. */
static unsigned chosen(const struct td_cli_obs *o, enum td_cli_obs_setting s, size_t study)
{
	if (!o->args->study || studies[study].settings & BIT(s))
		return settings[s].configs;
	return s == OBS_MAIN ? studies[study].main_configs : 0;
}

static int find_study(const struct td_cli_obs *o, size_t *study, struct tide_error *err)
{
	const char *names[STUDIES];

	for (size_t i = 0; i < STUDIES; i++)
		names[i] = studies[i].name;
	return td_cli_choose_study(o->args->study, names, STUDIES, study, err);
}

static int find_apps(struct td_cli_obs *o, struct tide_error *err)
{
	const char *names[OBS_APPS];

	for (size_t a = 0; a < OBS_APPS; a++)
		names[a] = td_cli_obs_published[a].app;
	o->all = !o->args->only;
	return td_cli_choose_apps(o->args->only, names, OBS_APPS, o->wanted, err);
}

/* Applications that the chosen study is about. */
static unsigned study_apps(const struct td_cli_obs *o, size_t study)
{
	unsigned apps = 0;

	for (unsigned s = 0; s < OBS_SETTINGS; s++) {
		if (!o->args->study || studies[study].settings & BIT(s))
			apps |= settings[s].apps;
	}
	return apps;
}

static void add_app(struct td_cli_obs *o, enum td_cli_obs_app a, size_t study)
{
	for (unsigned s = 0; s < OBS_SETTINGS; s++) {
		unsigned which = settings[s].apps & BIT(a) ? chosen(o, s, study) : 0;
		for (unsigned c = 0; c < OBS_CONFIGS; c++) {
			if (which & BIT(c))
				add_run(o, s, a, c);
		}
	}
}

/* The slow ones, which are the last, go first, so that no core is idle at the end. */
static void add_runs(struct td_cli_obs *o, size_t study)
{
	unsigned apps = study_apps(o, study);

	for (unsigned a = OBS_APPS; a-- > 0;) {
		if (o->wanted[a] && apps & BIT(a))
			add_app(o, a, study);
	}
}

int td_cli_obs_plan(struct td_cli_obs *o, struct tide_error *err)
{
	size_t study;
	int rc = find_study(o, &study, err);

	if (!rc)
		rc = find_apps(o, err);
	if (rc)
		return rc;
	if (o->args->full && o->args->quick)
		return tide_fail(err, -EINVAL,
				 "both the full size and a small one: give one of "
				 "--full, --quick");
	o->settings = o->args->study ? studies[study].settings : UINT32_MAX;
	o->runs = calloc(sizeof o->at / sizeof ***o->at, sizeof *o->runs);
	if (!o->runs)
		return tide_fail(err, -ENOMEM, "no memory for the runs: free some");
	add_runs(o, study);
	if (!o->n)
		return tide_fail(err, -EINVAL,
				 "study %s has none of these applications: leave --only out",
				 td_cli_shown(o->args->study).text);
	return 0;
}

/* ---- the whole ---- */

static int reproduce(struct td_cli_obs *o, struct tide_error *err)
{
	int rc = td_cli_obs_plan(o, err);

	if (!rc)
		rc = td_cli_rerun(&o->r, o->runs, o->n, (size_t)o->args->jobs, err);
	if (rc)
		return rc;
	td_cli_progress_end(&o->r.progress);
	if (o->settings & BIT(OBS_MAIN))
		td_cli_obs_claims(o);
	td_cli_obs_study_claims(o);
	if (!o->args->json)
		rc = td_cli_obs_print(o, err);
	return rc ? rc : td_cli_reproduce_print(&o->r, err);
}

int td_cli_reproduce_observuvm(const struct td_cli_args *args, struct tide_error *err)
{
	struct td_cli_obs *o = calloc(1, sizeof *o);

	if (!o)
		return tide_fail(err, -ENOMEM, "no memory for the runs: free some");
	o->args = args;
	int rc = td_cli_reproduce_start(&o->r, "observuvm", 1, args, err);
	if (!rc)
		rc = reproduce(o, err);
	td_cli_rerun_free(o->runs, o->n);
	free(o->runs);
	td_cli_reproduce_free(&o->r);
	free(o);
	return rc;
}
