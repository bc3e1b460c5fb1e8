/* What is run for the GMT paper: applications, configurations, studies and settings, as rows. For
 * gmt.c alone. */
#ifndef TD_CLAIMS_GMT_RUNS_H
#define TD_CLAIMS_GMT_RUNS_H

#include <stdlib.h>

#include "claims.h"

/* ---- applications, configurations, settings ---- */

enum { LAVAMD, PATHFINDER, GBFS, MVA, SRAD, BACKPROP, PAGERANK, SSSP, HOTSPOT, APPS };

static const struct {
	const char *name;
	double data_gb; /* the paper's: 160, or the graph's edges */
	bool graph;
} apps[APPS] = {
	[LAVAMD] = {"lavamd", 160, false},     [PATHFINDER] = {"pathfinder", 160, false},
	[GBFS] = {"gmt-bfs", 33.8, true},      [MVA] = {"multivectoradd", 160, false},
	[SRAD] = {"srad", 160, false},         [BACKPROP] = {"backprop", 160, false},
	[PAGERANK] = {"pagerank", 33.8, true}, [SSSP] = {"sssp", 50.7, true},
	[HOTSPOT] = {"hotspot", 160, false},
};

#define ALL (TD_BIT(APPS) - 1)
#define GRAPHS (TD_BIT(GBFS) | TD_BIT(PAGERANK) | TD_BIT(SSSP))
/* Whose remaining reuse distances lie in tier 2, by Figure 7. */
#define TIER2 (TD_BIT(GBFS) | TD_BIT(MVA) | TD_BIT(SRAD) | TD_BIT(BACKPROP))

/* FREE: reuse, with look-ups and copies to host memory that take no time. */
enum { BAM, TIER_ORDER, RANDOM, REUSE, HMM, FREE, CONFIGS };

static const struct {
	const char *name, *place, *model;
} configs[CONFIGS] = {
	[BAM] = {"bam", "bam", "gmt"},
	[TIER_ORDER] = {"tier-order", "tier-order", "gmt"},
	[RANDOM] = {"random", "random", "gmt"},
	[REUSE] = {"reuse", "reuse", "gmt"},
	[HMM] = {"hmm", "hmm", "hmm"},
	[FREE] = {"free", "reuse", "gmt:lookup_ns=0,down_gbs=0"},
};
#define PAIR (TD_BIT(BAM) | TD_BIT(REUSE))
#define FOUR (PAIR | TD_BIT(TIER_ORDER) | TD_BIT(RANDOM))

enum { STUDY_MAIN, STUDY_OSF, STUDY_RATIO, STUDY_LARGER, STUDY_IMPLIED, STUDIES };

static const struct td_claims_study studies[STUDIES] = {
	[STUDY_MAIN] = {"main", 0},       [STUDY_OSF] = {"osf", FOUR},
	[STUDY_RATIO] = {"ratio", PAIR},  [STUDY_LARGER] = {"larger", 0},
	[STUDY_IMPLIED] = {"implied", 0},
};

enum { MAIN, OSF4, RATIO2, RATIO8, LARGER, IMPLIED, SETTINGS };

static const struct {
	struct td_claims_setting head;
	/* Near memory, as a multiple of the scale's or of the share of a graph; host memory as a
	 * multiple of near memory; data of those that are no graphs, as their parameter osf. */
	double near_times, host_times;
	const char *osf;
} settings[SETTINGS] = {
	[MAIN] = {{STUDY_MAIN, ALL, FOUR | TD_BIT(HMM) | TD_BIT(FREE)}, 1, 4, "2"},
	[OSF4] = {{STUDY_OSF, ALL, FOUR}, 1, 4, "4"},
	[RATIO2] = {{STUDY_RATIO, ALL, PAIR}, 1, 2, "2"},
	[RATIO8] = {{STUDY_RATIO, ALL, PAIR}, 1, 8, "2"},
	[LARGER] = {{STUDY_LARGER, ALL & ~GRAPHS, FOUR}, 2, 4, "2"},
	[IMPLIED] = {{STUDY_IMPLIED, TD_BIT(SRAD) | TD_BIT(BACKPROP), FOUR}, 1, 4, "0.56"},
};

/* Pages of near memory and the graph's size; near memory is a tenth of a graph. */
static const struct {
	unsigned near_pages, graph;
} scales[] = {{2048, 20}, {512, 18}};

static void make(const struct td_claims *p, unsigned s, unsigned a, unsigned c,
		 struct td_claims_run *run)
{
	double near_times = settings[s].near_times, osf = strtod(settings[s].osf, NULL);
	/* BaM ignores host memory: its run is the same with any. */
	double host_times = c == BAM ? settings[MAIN].host_times : settings[s].host_times;
	unsigned pages = (unsigned)(near_times * scales[p->options->quick].near_pages);
	/* More data for the same memory is less memory for the same data. */
	double share = 10 * near_times * 2 / osf;
	bool graph = apps[a].graph;

	if (graph)
		snprintf(run->workload, sizeof run->workload, "%s:s=%u", apps[a].name,
			 scales[p->options->quick].graph);
	else
		snprintf(run->workload, sizeof run->workload, "%s:t1=%u,osf=%s", apps[a].name,
			 pages, settings[s].osf);
	snprintf(run->near_size, sizeof run->near_size, "%g%s", graph ? share : pages,
		 graph ? "%" : "p");
	snprintf(run->host, sizeof run->host, "%.6g%s", host_times * (graph ? share : pages),
		 graph ? "%" : "p");
	snprintf(run->evict, sizeof run->evict, "clock");
	snprintf(run->model, sizeof run->model, "%s", configs[c].model);
	run->page = "64K";
	run->chunk = "1p";
	run->prefetch = "none";
	run->place = configs[c].place;
}

#endif
