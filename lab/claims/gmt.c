/* tide reproduce gmt: "GMT: GPU Orchestrated Memory Tiering for the Big Data Era" again, nine
 * applications under BaM, the three policies of the paper and a host that pages, with a clock. */
#include "gmt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct td_cli_option td_cli_reproduce_gmt_options[] = {
	TD_CLI_QUICK_OPTION,
	TD_CLI_STUDY_OPTION("main, osf, ratio, larger or implied", TD_CLI_NAMES(td_cli_gmt_study)),
	TD_CLI_ONLY_OPTION(TD_CLI_NAMES(td_cli_gmt_app)),
	TD_CLI_JOBS_OPTION,
	TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

const char td_cli_reproduce_gmt_more[] =
	"Nine applications with BaM, TierOrder, Random and Reuse on an A100 that serves its own misses\n"
	"(model gmt), and with a host's page cache (model hmm). Host memory is four times near memory\n"
	"and the data twice both, but for what a study changes: osf doubles the data, ratio makes\n"
	"host memory 2 and 8 times near memory, larger doubles both with the data, and implied has\n"
	"data as small as the paper's reuse percentages imply.\n\n"
	"Examples:\n"
	"  tide reproduce gmt --quick\n"
	"  tide reproduce gmt --study main --only srad,hotspot\n";

/* Where a note has numbers of its own they are of the default scale; docs/papers/gmt.md has the
 * commands. */
#define CYCLE_WHY \
	"the data is used in turns; tier 2 holds 40% of it, and that is saved. More needs less data " \
	"than the paper's 160 GB, see implied"
#define CYCLE_TIER_WHY \
	"the data is used in turns, and a page comes again after all of it; see implied"
#define GRAPH_WHY "tier 2 holds 40% of the graph, and that is saved; the paper's cut is not known"

const struct td_cli_gmt_published td_cli_gmt_published[GMT_APPS] = {
	{"lavamd", false, 0.88, 1.17, 168, 160, 1, 0, 0,
	 "nothing comes back, but dirty pages in tier 2 are not written to the SSD: 1.02 if writes "
	 "took no time. What the predictor costs the GPU is not modelled",
	 NULL, NULL},
	{"pathfinder", false, 1.25, 19.47, 202, 160, 1, 99.99, 0, NULL, NULL, NULL},
	{"gmt-bfs", true, 1.28, 32.86, 87, 33.8, 2, 0, 0,
	 "the 108 warps are many for 410 pages of near memory: 1.30 with 27 of them",
	 "the 108 warps are many for 410 pages of near memory: 66% with 27 of them, as without a "
	 "clock. The rest is not explained",
	 "not explained: with fewer warps even more lie in tier 3"},
	{"multivectoradd", false, 1.40, 40.0, 267, 160, 2, 0, 0,
	 "tier 2 is full of pages that nobody asked for again", NULL, NULL},
	{"srad", false, 2.33, 83.38, 270, 160, 2, 0, 73, CYCLE_WHY,
	 "the paper's reuse and I/O imply 45 GB of data", CYCLE_TIER_WHY},
	{"backprop", false, 2.79, 93.54, 6823, 160, 2, 0, 81, CYCLE_WHY,
	 "the paper's reuse and I/O imply 441 GB of data", CYCLE_TIER_WHY},
	{"pagerank", true, 1.18, 90.42, 349, 33.8, 3, 94, 0, GRAPH_WHY, NULL, NULL},
	{"sssp", true, 1.13, 79.96, 239, 50.7, 3, 97, 0, GRAPH_WHY,
	 "more rounds over the graph that is drawn here: 84% without a clock too", NULL},
	{"hotspot", false, 2.25, 81.33, 1492, 160, 3, 100, 73, CYCLE_WHY,
	 "the paper's reuse and I/O imply 279 GB of data", NULL},
};

const struct td_cli_rerun *td_cli_gmt_run(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
					  enum td_cli_gmt_app a, enum td_cli_gmt_place p)
{
	size_t at = g->at[s][a][p];
	const struct td_cli_rerun *run = at ? &g->e.runs[at - 1] : NULL;

	return run && !run->rc && run->json && run->time_ns ? run : NULL;
}

/* ---- what to run ---- */

#define BIT(x) (1U << (x))
#define FOUR (BIT(GMT_BAM) | BIT(GMT_TIER_ORDER) | BIT(GMT_RANDOM) | BIT(GMT_REUSE))
#define EVERY_APP (BIT(GMT_APPS) - 1)
#define GRAPHS (BIT(GMT_BFS) | BIT(GMT_PAGERANK) | BIT(GMT_SSSP))

struct setting {
	/* Near memory, as a multiple of the scale's or of the share of a graph; host memory as a
	 * multiple of near memory; data of those that are no graphs, as their parameter osf. */
	double near_times, host_times;
	const char *osf;
	unsigned apps, places;
};

static const struct setting settings[GMT_SETTINGS] = {
	[GMT_MAIN] = {1, 4, "2", EVERY_APP, FOUR | BIT(GMT_HMM) | BIT(GMT_FREE)},
	[GMT_OSF4] = {1, 4, "4", EVERY_APP, FOUR},
	[GMT_RATIO2] = {1, 2, "2", EVERY_APP, BIT(GMT_REUSE)},
	[GMT_RATIO8] = {1, 8, "2", EVERY_APP, BIT(GMT_REUSE)},
	[GMT_LARGER] = {2, 4, "2", EVERY_APP & ~GRAPHS, FOUR},
	[GMT_IMPLIED] = {1, 4, "0.56", BIT(GMT_SRAD) | BIT(GMT_BACKPROP), FOUR},
};

/* A study's settings, and what it needs of the main one. */
static const struct {
	const char *name;
	unsigned settings, main_places;
} studies[] = {
	{"main", BIT(GMT_MAIN), 0},
	{"osf", BIT(GMT_OSF4), FOUR},
	{"ratio", BIT(GMT_RATIO2) | BIT(GMT_RATIO8), BIT(GMT_BAM) | BIT(GMT_REUSE)},
	{"larger", BIT(GMT_LARGER), 0},
	{"implied", BIT(GMT_IMPLIED), 0},
};
#define STUDIES (sizeof studies / sizeof *studies)

static const char *const place_names[GMT_PLACES] = {"bam",   "tier-order", "random",
						    "reuse", "hmm",        "reuse"};
static const char *const models[GMT_PLACES] = {"gmt", "gmt", "gmt",
					       "gmt", "hmm", "gmt:lookup_ns=0,down_gbs=0"};

/* Pages of near memory and the graph's size; near memory is a tenth of a graph. */
static const struct {
	unsigned near_pages, graph;
} scales[] = {{2048, 20}, {512, 18}};

static void size_graph(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
		       struct td_cli_rerun *run, struct td_cli_gmt_sizes *sizes, const char *name)
{
	const struct setting *set = &settings[s];
	/* More data for the same memory is less memory for the same data. */
	double share = 10 * set->near_times * 2 / strtod(set->osf, NULL);

	snprintf(run->workload, sizeof run->workload, "%s:s=%u", name,
		 scales[g->e.args->quick].graph);
	snprintf(sizes->near_size, sizeof sizes->near_size, "%g%%", share);
	snprintf(sizes->host, sizeof sizes->host, "%g%%", share * set->host_times);
}

static void size_arrays(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
			struct td_cli_rerun *run, struct td_cli_gmt_sizes *sizes, const char *name)
{
	const struct setting *set = &settings[s];
	unsigned pages = (unsigned)(set->near_times * scales[g->e.args->quick].near_pages);

	snprintf(run->workload, sizeof run->workload, "%s:t1=%u,osf=%s", name, pages, set->osf);
	snprintf(sizes->near_size, sizeof sizes->near_size, "%up", pages);
	snprintf(sizes->host, sizeof sizes->host, "%up", (unsigned)(pages * set->host_times));
}

static void add_run(struct td_cli_gmt *g, enum td_cli_gmt_setting s, enum td_cli_gmt_app a,
		    enum td_cli_gmt_place p)
{
	struct td_cli_rerun *run = &g->e.runs[g->e.n];
	struct td_cli_gmt_sizes *sizes = &g->sizes[g->e.n];
	const struct td_cli_gmt_published *app = &td_cli_gmt_published[a];

	*run = (struct td_cli_rerun){.near_size = sizes->near_size,
				     .host = sizes->host,
				     .page = "64K",
				     .chunk = "1p",
				     .evict = "clock",
				     .prefetch = "none",
				     .place = place_names[p],
				     .model = models[p]};
	(app->graph ? size_graph : size_arrays)(g, s, run, sizes, app->name);
	g->at[s][a][p] = ++g->e.n;
}

/* The places of a setting that the chosen study runs; all of them without one. */
static unsigned chosen_places(const struct td_cli_gmt *g, enum td_cli_gmt_setting s, size_t study)
{
	if (!g->e.args->study || studies[study].settings & BIT(s))
		return settings[s].places;
	return s == GMT_MAIN ? studies[study].main_places : 0;
}

const char *td_cli_gmt_study(size_t i)
{
	return i < STUDIES ? studies[i].name : NULL;
}

const char *td_cli_gmt_app(size_t i)
{
	return i < GMT_APPS ? td_cli_gmt_published[i].name : NULL;
}

static int make_plan(void *self, struct tide_error *err)
{
	struct td_cli_gmt *g = self;
	size_t most = GMT_SETTINGS * GMT_APPS * GMT_PLACES, study;
	int rc = td_cli_choose_study(g->e.args->study, td_cli_gmt_study, &study, err);

	if (!rc)
		rc = td_cli_choose_apps(g->e.args->only, td_cli_gmt_app, g->wanted, err);
	if (rc)
		return rc;
	g->all = !g->e.args->only;
	g->e.runs = calloc(most, sizeof *g->e.runs);
	g->sizes = calloc(most, sizeof *g->sizes);
	if (!g->e.runs || !g->sizes)
		return tide_fail(err, -ENOMEM, "no memory for the runs: free some");
	for (unsigned s = 0; s < GMT_SETTINGS; s++) {
		unsigned places = chosen_places(g, s, study);
		for (unsigned a = 0; a < GMT_APPS; a++)
			for (unsigned p = 0; p < GMT_PLACES; p++)
				if (g->wanted[a] && settings[s].apps & BIT(a) && places & BIT(p))
					add_run(g, s, a, p);
	}
	if (!g->e.n)
		return tide_fail(err, -EINVAL,
				 "study %s has none of these applications: leave --only out",
				 td_cli_shown(g->e.args->study).text);
	return 0;
}

/* ---- the whole ---- */

static void claim(void *self)
{
	td_cli_gmt_claims(self);
	td_cli_gmt_study_claims(self);
}

static int print(void *self, struct tide_error *err)
{
	return td_cli_gmt_print(self, err);
}

static void release(void *self)
{
	struct td_cli_gmt *g = self;

	free(g->sizes);
}

int td_cli_reproduce_gmt(const struct td_cli_args *args, struct tide_error *err)
{
	static const struct td_cli_evaluator by = {
		"gmt", sizeof(struct td_cli_gmt), make_plan, claim, print, release,
	};

	return td_cli_evaluate(&by, args, err);
}
