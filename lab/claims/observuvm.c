/* tide reproduce observuvm: "Observability-aided GPU Memory Oversubscription" again, fourteen
 * applications under UVM, the paper's policies and what it compares them with, with a clock. */
#include "observuvm.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct td_cli_option td_cli_reproduce_observuvm_options[] = {
	TD_CLI_QUICK_OPTION,
	{"large", 0, TD_CLI_FLAG, TD_CLI_AT(large), NULL,
	 "each as large as its runs take seconds: eight at the paper's sizes", TD_CLI_ANY},
	{"full", 0, TD_CLI_FLAG, TD_CLI_AT(full), NULL,
	 "all at the paper's sizes, 2 to 24 GB: hours", TD_CLI_ANY},
	TD_CLI_STUDY_OPTION("main, over, observe, samples, bare or exact",
			    TD_CLI_NAMES(td_cli_obs_study)),
	TD_CLI_ONLY_OPTION(TD_CLI_NAMES(td_cli_obs_app)),
	{"observe", 0, TD_CLI_NUMBER, TD_CLI_AT(observe), "N",
	 "chunks observed at a time, at most 192 (100, as many fewer as there is less data)",
	 TD_CLI_ANY},
	TD_CLI_JOBS_OPTION,
	TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

const char td_cli_reproduce_observuvm_more[] =
	"Fourteen applications with UVM, the policies of ObservUVM, access counter migration and\n"
	"EarlyAdaptor, on an RTX 3090 (model observuvm), half as much again as near memory, at a\n"
	"sixteenth of the paper's sizes (btr at a thirty-second). With --large eight have the\n"
	"paper's sizes, lu, mm and hel a quarter of it, spm an eighth. Studies: over has 10 to 70%\n"
	"more data than memory, observe 75 to 25 observed chunks, samples 1 to 3 pages of each,\n"
	"bare no prefetching, exact every warp by itself, for BlackScholes.\n\n"
	"Examples:\n"
	"  tide reproduce observuvm --quick\n"
	"  tide reproduce observuvm --full --study main --only gmv,observuvm-2dc\n";

/* Cycles between accesses to global memory where the arithmetic is known to be most of it, on a
 * multiprocessor of 128 multiply-adds of floats a cycle and 16 lanes of loads:
 *
 *     tiles of 128 x 128, floats    a slab of 32 in 2 accesses: 128 * 128 * 32 / 128 / 8 warps / 2
 *     tiles of 32 x 32              64 loads of shared memory for 2 accesses, 2 cycles each
 *     Hellinger                     the loads themselves: 2 cycles each
 *
 * LU as if of floats: in doubles, of which there are 2 a cycle, there would be little time but that
 * of arithmetic, and no policy would matter. Others have the model's 8. */
#define TILE_FLOATS 256
#define TILE_SHARED 64
#define LOADS 2

/* Of cuBLAS and cuSPARSE the order of tiles and the layout are as recorded on a GPU, where that
 * differs from the workload's default: docs/papers/observuvm.md. */
const struct td_cli_obs_published td_cli_obs_published[OBS_APPS] = {
	[OBS_MM] = {"mm", "MM", OBS_LRU, false, false, TILE_SHARED, 4, NULL},
	[OBS_GMM] = {"gmm", "GMM", OBS_LRU, false, false, TILE_FLOATS, 1, "along=n,swizzle=16"},
	[OBS_SRK] = {"srk", "SRK", OBS_LFU, false, false, TILE_FLOATS, 1, "along=n"},
	[OBS_SR2] = {"sr2", "SR2", OBS_LFU, false, false, TILE_FLOATS, 1, "along=n"},
	[OBS_HEL] = {"hel", "HEL", OBS_LRU, false, false, LOADS, 4, NULL},
	[OBS_2DC] = {"observuvm-2dc", "2DC", OBS_CP, false, false, 0, 1, NULL},
	[OBS_GMV] = {"gmv", "GMV", OBS_LFU, false, false, 0, 1, NULL},
	[OBS_LU] = {"lu", "LU", OBS_LFU, true, false, TILE_FLOATS, 4, NULL},
	[OBS_BLK] = {"blk", "BLK", OBS_CP, false, false, 0, 1, NULL},
	[OBS_SPM] = {"spm", "SPM", OBS_LFU, true, false, 0, 8, "layout=rows"},
	[OBS_AN] = {"an", "AN", OBS_LRU, false, false, 0, 1, NULL},
	[OBS_SN] = {"sn", "SN", OBS_LRU, false, false, 0, 1, NULL},
	[OBS_BTR] = {"btr", "BTR", OBS_LFU, false, true, 0, 32, NULL},
	[OBS_BFS] = {"observuvm-bfs", "BFS", OBS_CP, false, true, 0, 16, NULL},
};

/* ---- what to run ---- */

static const struct {
	const char *evict, *prefetch;
	bool observes;
} configs[OBS_CONFIGS] = {
	[OBS_UVM] = {"lrm", "tree", false},         [OBS_LRU] = {"observ-lru", "tree", true},
	[OBS_LFU] = {"observ-lfu", "tree", true},   [OBS_CP] = {"cp", "tree", true},
	[OBS_TM] = {"tournament", "tree", true},    [OBS_TM1] = {"tournament", "fdp", true},
	[OBS_TM2] = {"tournament", "rgp", true},    [OBS_ACBM] = {"lrm", "acbm", false},
	[OBS_EA] = {"lrm", "early-adaptor", false},
};
const char *const td_cli_obs_names[OBS_CONFIGS] = {"UVM", "LRU",  "LFU",  "CP", "TM",
						   "TM+", "TM++", "ACBM", "EA"};

#define BIT(x) (1U << (x))
#define EACH (BIT(OBS_UVM) | BIT(OBS_LRU) | BIT(OBS_LFU) | BIT(OBS_CP))
#define BOTH (BIT(OBS_UVM) | BIT(OBS_TM2))

#define OBSERVE 100      /* chunks at a time, as published */
#define OBSERVE_MOST 192 /* that the policies take */

/* Near memory is the footprint by 1 + the oversubscription. */
static const struct setting {
	const char *near_size;
	unsigned configs, apps;
	const char *prefetch; /* in place of the configuration's; NULL: that */
	unsigned observe;     /* percent of the chunks that are else observed; 0: all */
	const char *samples;  /* more parameters of the eviction policy; NULL: none */
} settings[OBS_SETTINGS] = {
	[OBS_MAIN] = {"66.67%", BIT(OBS_CONFIGS) - 1, OBS_ALL, NULL, 0, NULL},
	[OBS_ZERO] = {"110%", BOTH, OBS_ALL, NULL, 0, NULL},
	[OBS_O10] = {"90.91%", BOTH, OBS_ALL, NULL, 0, NULL},
	[OBS_O20] = {"83.33%", BOTH, OBS_ALL, NULL, 0, NULL},
	[OBS_O30] = {"76.92%", BOTH, OBS_ALL, NULL, 0, NULL},
	[OBS_O40] = {"71.43%", BOTH, OBS_ALL, NULL, 0, NULL},
	[OBS_O60] = {"62.5%", BOTH, OBS_ALL, NULL, 0, NULL},
	[OBS_O70] = {"58.82%", BOTH, OBS_ALL, NULL, 0, NULL},
	[OBS_WATCH75] = {"66.67%", BIT(OBS_LRU), OBS_ALL, NULL, 75, NULL},
	[OBS_WATCH50] = {"66.67%", BIT(OBS_LRU), OBS_ALL, NULL, 50, NULL},
	[OBS_WATCH25] = {"66.67%", BIT(OBS_LRU), OBS_ALL, NULL, 25, NULL},
	[OBS_SAMPLES1] = {"66.67%", BIT(OBS_LRU), OBS_ALL, NULL, 75, ",samples=1,adapt=0"},
	[OBS_SAMPLES2] = {"66.67%", BIT(OBS_LRU), OBS_ALL, NULL, 75, ",samples=2,adapt=0"},
	[OBS_SAMPLES3] = {"66.67%", BIT(OBS_LRU), OBS_ALL, NULL, 75, ",samples=3,adapt=0"},
	[OBS_BARE] = {"66.67%", EACH, OBS_ALL, "none", 0, NULL},
	[OBS_EXACT] = {"66.67%", EACH | BIT(OBS_TM), BIT(OBS_BLK), NULL, 0, NULL},
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

/* One size for all, but a tree's look-ups, which are traced one by one; or of each as much as takes
 * seconds. Every warp by itself takes long as well. */
static double scale_of(const struct td_cli_obs *o, enum td_cli_obs_setting s, enum td_cli_obs_app a)
{
	if (o->e.args->full)
		return 1;
	if (o->e.args->quick)
		return a == OBS_BTR ? 1. / 256 : 1. / 64;
	if (o->e.args->large && s != OBS_EXACT)
		return 1. / td_cli_obs_published[a].part;
	return a == OBS_BTR ? 1. / 32 : 1. / 16;
}

/* In a part of the data a matrix product has less arithmetic for each byte, by the ratio of the
 * sides: a round of it takes longer by as much. */
static void choose_model(struct td_cli_obs *o, enum td_cli_obs_app a)
{
	double cycles = td_cli_obs_published[a].cycles;

	if (cycles > 0)
		snprintf(o->model[a], sizeof o->model[a], "observuvm:issue_cycles=%.6g",
			 cycles / sqrt(scale_of(o, OBS_MAIN, a)));
	else
		snprintf(o->model[a], sizeof o->model[a], "observuvm");
}

/* In a part of the data as small a part of the chunks is observed. */
static void choose_evict(struct td_cli_obs *o, enum td_cli_obs_setting s, enum td_cli_obs_app a,
			 enum td_cli_obs_config c)
{
	const struct setting *set = &settings[s];
	double all = o->e.args->observe ? (double)o->e.args->observe : OBSERVE * scale_of(o, s, a);
	double observe = all * (set->observe ? set->observe : 100) / 100;

	if (configs[c].observes)
		snprintf(o->evict[s][a][c], sizeof o->evict[s][a][c], "%s:observe=%.0f%s",
			 configs[c].evict, observe < 1 ? 1 : observe,
			 set->samples ? set->samples : "");
	else
		snprintf(o->evict[s][a][c], sizeof o->evict[s][a][c], "%s", configs[c].evict);
}

static void add_run(struct td_cli_obs *o, enum td_cli_obs_setting s, enum td_cli_obs_app a,
		    enum td_cli_obs_config c)
{
	struct td_cli_rerun *run = &o->e.runs[o->e.n];
	const struct setting *set = &settings[s];
	const char *seen = td_cli_obs_published[a].seen;

	choose_evict(o, s, a, c);
	*run = (struct td_cli_rerun){
		.near_size = set->near_size,
		.page = "64K",
		.chunk = "2M",
		.evict = o->evict[s][a][c],
		.prefetch = set->prefetch ? set->prefetch : configs[c].prefetch,
		.model = o->model[a],
	};
	snprintf(run->workload, sizeof run->workload, "%s:scale=%.10g%s%s%s",
		 td_cli_obs_published[a].app, scale_of(o, s, a), seen ? "," : "", seen ? seen : "",
		 s == OBS_EXACT ? ",mode=exact,iters=4" : "");
	/* In waves an access stands for those of many warps: a threshold of 256 is one of them. */
	if (c == OBS_ACBM && !td_cli_obs_published[a].exact)
		run->prefetch = "acbm:threshold=1";
	o->at[s][a][c] = ++o->e.n;
}

/* The configurations of a setting that the chosen study runs; all of them without one. */
static unsigned chosen(const struct td_cli_obs *o, enum td_cli_obs_setting s, size_t study)
{
	if (!o->e.args->study || studies[study].settings & BIT(s))
		return settings[s].configs;
	return s == OBS_MAIN ? studies[study].main_configs : 0;
}

const char *td_cli_obs_study(size_t i)
{
	return i < STUDIES ? studies[i].name : NULL;
}

const char *td_cli_obs_app(size_t i)
{
	return i < OBS_APPS ? td_cli_obs_published[i].app : NULL;
}

/* Applications that the chosen study is about. */
static unsigned study_apps(const struct td_cli_obs *o, size_t study)
{
	unsigned apps = 0;

	for (unsigned s = 0; s < OBS_SETTINGS; s++) {
		if (!o->e.args->study || studies[study].settings & BIT(s))
			apps |= settings[s].apps;
	}
	return apps;
}

static void add_app(struct td_cli_obs *o, enum td_cli_obs_app a, size_t study)
{
	choose_model(o, a);
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

static int make_plan(void *self, struct tide_error *err)
{
	struct td_cli_obs *o = self;
	size_t study;
	int rc = td_cli_choose_study(o->e.args->study, td_cli_obs_study, &study, err);

	if (!rc)
		rc = td_cli_choose_apps(o->e.args->only, td_cli_obs_app, o->wanted, err);
	if (rc)
		return rc;
	o->all = !o->e.args->only;
	if (o->e.args->full + o->e.args->quick + o->e.args->large > 1)
		return tide_fail(err, -EINVAL,
				 "more than one size: give one of --quick, --large, --full");
	if (o->e.args->observe > OBSERVE_MOST)
		return tide_fail(err, -EINVAL, "--observe is at most %d: give fewer chunks",
				 OBSERVE_MOST);
	o->settings = o->e.args->study ? studies[study].settings : UINT32_MAX;
	o->e.runs = calloc(sizeof o->at / sizeof ***o->at, sizeof *o->e.runs);
	if (!o->e.runs)
		return tide_fail(err, -ENOMEM, "no memory for the runs: free some");
	add_runs(o, study);
	if (!o->e.n)
		return tide_fail(err, -EINVAL,
				 "study %s has none of these applications: leave --only out",
				 td_cli_shown(o->e.args->study).text);
	return 0;
}

/* ---- the whole ---- */

static void claim(void *self)
{
	struct td_cli_obs *o = self;

	if (o->settings & BIT(OBS_MAIN))
		td_cli_obs_claims(o);
	td_cli_obs_study_claims(o);
}

static int print(void *self, struct tide_error *err)
{
	return td_cli_obs_print(self, err);
}

int td_cli_reproduce_observuvm(const struct td_cli_args *args, struct tide_error *err)
{
	static const struct td_cli_evaluator by = {
		"observuvm", sizeof(struct td_cli_obs), make_plan, claim, print, NULL,
	};

	return td_cli_evaluate(&by, args, err);
}
