/* What is run for the GMT paper: applications, configurations, studies and settings, as rows. For
 * gmt.c alone. */
#ifndef TD_CLAIMS_GMT_RUNS_H
#define TD_CLAIMS_GMT_RUNS_H

#include "claims.h"

/* ---- applications, configurations, settings ---- */

enum { LAVAMD, PATHFINDER, GBFS, MVA, SRAD, BACKPROP, PAGERANK, SSSP, HOTSPOT, APPS };

static const struct {
	const char *name;
	/* GiB that it uses where near memory has 16 GiB: of the authors' programs; of lavamd, which
	 * is not public, what the paper says of all; of the others the edges of GAP-kron. */
	double data_gib;
	double osf; /* the parameter that gives this; 0: a graph */
} apps[APPS] = {
	[LAVAMD] = {"lavamd", 160, 2},       [PATHFINDER] = {"pathfinder", 162.7, 2.056},
	[GBFS] = {"gmt-bfs", 31.47, 0},      [MVA] = {"multivectoradd", 160, 2},
	[SRAD] = {"srad", 27, 0.5625},       [BACKPROP] = {"backprop", 150.75, 1.884},
	[PAGERANK] = {"pagerank", 31.47, 0}, [SSSP] = {"sssp", 47.2, 0},
	[HOTSPOT] = {"hotspot", 150, 1.875},
};

#define ALL (TD_BIT(APPS) - 1)
#define GRAPHS (TD_BIT(GBFS) | TD_BIT(PAGERANK) | TD_BIT(SSSP))
/* Whose remaining reuse distances lie in tier 2, by Figure 7. */
#define TIER2 (TD_BIT(GBFS) | TD_BIT(MVA) | TD_BIT(SRAD) | TD_BIT(BACKPROP))

#define IN_TURN "clock:bits=0"
/* FREE: reuse, with look-ups and copies to host memory that take no time. */
enum { BAM, TIER_ORDER, RANDOM, REUSE, HMM, FREE, CONFIGS };

static const struct {
	const char *name, *place, *model;
	/* The authors' BaM takes the pages of near memory in turn, and their programs flush within
	 * what they time. */
	const char *evict;
	bool flush;
} configs[CONFIGS] = {
	[BAM] = {"bam", "bam", "gmt", IN_TURN, true},
	[TIER_ORDER] = {"tier-order", "tier-order", "gmt", IN_TURN, true},
	[RANDOM] = {"random", "random", "gmt", IN_TURN, true},
	[REUSE] = {"reuse", "reuse:by=page", "gmt", IN_TURN, true},
	[HMM] = {"hmm", "hmm", "hmm", "clock", false},
	[FREE] = {"free", "reuse:by=page", "gmt:lookup_ns=0,down_gbs=0", IN_TURN, true},
};
#define PAIR (TD_BIT(BAM) | TD_BIT(REUSE))
#define FOUR (PAIR | TD_BIT(TIER_ORDER) | TD_BIT(RANDOM))

enum { STUDY_MAIN, STUDY_OSF, STUDY_RATIO, STUDY_LARGER, STUDIES };

static const struct td_claims_study studies[STUDIES] = {
	[STUDY_MAIN] = {"main", 0},
	[STUDY_OSF] = {"osf", FOUR},
	[STUDY_RATIO] = {"ratio", PAIR},
	[STUDY_LARGER] = {"larger", 0},
};

enum { MAIN, OSF4, RATIO2, RATIO8, LARGER, SETTINGS };

static const struct {
	struct td_claims_setting head;
	/* Near memory, as a multiple of the scale's or of the share of a graph; host memory as a
	 * multiple of near memory; data for each byte of them, as a multiple of the application's.
	 */
	double near_times, host_times, data_times;
} settings[SETTINGS] = {
	[MAIN] = {{STUDY_MAIN, ALL, FOUR | TD_BIT(HMM) | TD_BIT(FREE)}, 1, 4, 1},
	[OSF4] = {{STUDY_OSF, ALL, FOUR}, 1, 4, 2},
	[RATIO2] = {{STUDY_RATIO, ALL, PAIR}, 1, 2, 1},
	[RATIO8] = {{STUDY_RATIO, ALL, PAIR}, 1, 8, 1},
	[LARGER] = {{STUDY_LARGER, ALL & ~GRAPHS, FOUR}, 2, 4, 1},
};

/* Pages of near memory and the graph's size; near memory is a tenth of a graph. */
static const struct {
	unsigned near_pages, graph;
} scales[] = {{2048, 20}, {512, 18}};

static void make(const struct td_claims *p, unsigned s, unsigned a, unsigned c,
		 struct td_claims_run *run)
{
	double near_times = settings[s].near_times, data_times = settings[s].data_times;
	/* BaM ignores host memory: its run is the same with any. */
	double host_times = c == BAM ? settings[MAIN].host_times : settings[s].host_times;
	unsigned pages = (unsigned)(near_times * scales[p->options->quick].near_pages);
	/* More data for the same memory is less memory for the same data. */
	double share = 10 * near_times / data_times;
	bool graph = apps[a].osf <= 0;

	if (graph)
		snprintf(run->workload, sizeof run->workload, "%s:s=%u", apps[a].name,
			 scales[p->options->quick].graph);
	else
		snprintf(run->workload, sizeof run->workload, "%s:t1=%u,osf=%g", apps[a].name,
			 pages, apps[a].osf * data_times);
	snprintf(run->near_size, sizeof run->near_size, "%g%s", graph ? share : pages,
		 graph ? "%" : "p");
	snprintf(run->host, sizeof run->host, "%.6g%s", host_times * (graph ? share : pages),
		 graph ? "%" : "p");
	snprintf(run->evict, sizeof run->evict, "%s", configs[c].evict);
	snprintf(run->model, sizeof run->model, "%s", configs[c].model);
	run->page = "64K";
	run->chunk = "1p";
	run->prefetch = "none";
	run->place = configs[c].place;
	run->flush = configs[c].flush;
}

#endif
