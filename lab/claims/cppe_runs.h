/* What is run for the CPPE paper: applications, configurations, studies and settings, as rows. For
 * cppe.c alone. */
#ifndef TD_CLAIMS_CPPE_RUNS_H
#define TD_CLAIMS_CPPE_RUNS_H

#include "claims.h"

/* ---- applications, configurations, settings ---- */

enum {
	HOT,
	LEU,
	C2D,
	C3D,
	BKP,
	PAT,
	DWT,
	KMN,
	SAD,
	NW,
	BFS,
	MVT,
	BIC,
	SRD,
	HSD,
	MRQ,
	STN,
	HWL,
	SGM,
	HIS,
	SPV,
	BT,
	HYB,
	APPS
};

/* In the order of the paper's Table II. */
static const struct {
	const char *name, *type;
	const char *params, *quick; /* of the workload */
	unsigned cost;              /* of its run, in seconds or so */
} apps[APPS] = {
	[HOT] = {"hot", "I", NULL, "scale=0.5", 1},
	[LEU] = {"leu", "I", NULL, NULL, 1},
	[C2D] = {"2dc", "I", NULL, "scale=0.06", 4},
	[C3D] = {"3dc", "I", NULL, "scale=0.06", 4},
	[BKP] = {"bkp", "II", NULL, "scale=0.5", 1},
	[PAT] = {"pat", "II", NULL, "scale=0.25", 1},
	[DWT] = {"dwt", "II", NULL, "scale=0.25", 1},
	[KMN] = {"kmn", "II", NULL, "scale=0.06", 2},
	[SAD] = {"sad", "II", NULL, NULL, 1},
	[NW] = {"nw", "III", NULL, NULL, 1},
	[BFS] = {"bfs", "III", NULL, "scale=0.1", 12},
	[MVT] = {"mvt", "III", NULL, "scale=0.1", 8},
	[BIC] = {"bic", "III", NULL, "scale=0.1", 8},
	[SRD] = {"srd", "IV", NULL, "scale=0.06", 6},
	[HSD] = {"hsd", "IV", NULL, "scale=0.25", 4},
	[MRQ] = {"mrq", "IV", NULL, NULL, 1},
	[STN] = {"stn", "IV", "iters=40", "iters=8", 6},
	[HWL] = {"hwl", "V", "frames=4", "scale=0.1,frames=4", 10},
	[SGM] = {"sgm", "V", NULL, "scale=0.1", 30},
	[HIS] = {"his", "V", "iters=8", "scale=0.25,iters=4", 6},
	[SPV] = {"spv", "V", "iters=5", "scale=0.1,iters=4", 5},
	[BT] = {"b+t", "VI", NULL, "scale=0.25", 3},
	[HYB] = {"hyb", "VI", NULL, "scale=0.06", 11},
};

#define ALL (TD_BIT(APPS) - 1)
#define CRASHED (TD_BIT(MVT) | TD_BIT(BIC)) /* for the paper: no average has them */
#define AVERAGED (ALL & ~CRASHED)
/* Of Table II. */
#define TYPE_I (TD_BIT(HOT) | TD_BIT(LEU) | TD_BIT(C2D) | TD_BIT(C3D))
#define TYPE_II (TD_BIT(BKP) | TD_BIT(PAT) | TD_BIT(DWT) | TD_BIT(KMN) | TD_BIT(SAD))
#define TYPE_III (TD_BIT(NW) | TD_BIT(BFS))
#define TYPE_IV (TD_BIT(SRD) | TD_BIT(HSD) | TD_BIT(MRQ) | TD_BIT(STN))
#define TYPE_V (TD_BIT(HWL) | TD_BIT(SGM) | TD_BIT(HIS) | TD_BIT(SPV))
#define TYPE_VI (TD_BIT(BT) | TD_BIT(HYB))

enum { BASELINE, CPPE, SCHEME1, RANDOM, LRU10, LRU20, STOP, HPE, CONFIGS };

static const struct {
	const char *name, *evict, *prefetch;
} configs[CONFIGS] = {
	[BASELINE] = {"baseline", "lrm", "locality"},
	[CPPE] = {"cppe", "mhpe", "pattern"},
	[SCHEME1] = {"scheme 1", "mhpe", "pattern:scheme=1"},
	[RANDOM] = {"random", "random", "locality"},
	[LRU10] = {"lru-10%", "reserved-lru:pct=10,hits=0", "locality"},
	[LRU20] = {"lru-20%", "reserved-lru:pct=20,hits=0", "locality"},
	[STOP] = {"stop", "lrm", "locality-stop"},
	[HPE] = {"hpe", "hpe", "locality"},
};

enum { FIGURES, T1, T2, T3, SCHEME, LATENCY, SERVICE, JITTER, STUDIES };

static const struct td_claims_study studies[STUDIES + 1] = {
	[T1] = {.name = "t1"},           [T2] = {.name = "t2"},
	[T3] = {.name = "t3"},           [SCHEME] = {.name = "scheme"},
	[LATENCY] = {.name = "latency"}, [SERVICE] = {.name = "service"},
	[JITTER] = {.name = "jitter"},
};

static const char *const varied[STUDIES] = {
	[T1] = "untouched pages in one interval that cause the switch to LRU",
	[T2] = "untouched pages of the first four intervals that switch to LRU",
	[T3] = "limit of the forward distance",
	[SCHEME] = "deletion of patterns",
	[LATENCY] = "what a fault takes",
	[SERVICE] = "how faults are served: 20 us for each or for a batch, how many at once, how "
		    "many of a warp",
	[JITTER] = "rounds by which multiprocessors start apart",
};

struct setting {
	struct td_claims_setting head;
	const char *near_size;
	/* Of a study: its value, and what CPPE and, but for the policies, the baseline have by it.
	 */
	const char *value, *evict, *prefetch, *model, *params;
};

#define ONE(study, size, ...) \
	{ \
		{study, ALL, TD_BIT(BASELINE) | TD_BIT(CPPE)}, size, __VA_ARGS__ \
	}
#define VALUE(study, ...) ONE(study, "75%", __VA_ARGS__), ONE(study, "50%", __VA_ARGS__)
#define THRESHOLD(study, key, text) VALUE(study, text, .evict = "mhpe:" key "=" text)

enum { AT75, AT50 };

/* A setting for 75% is followed by the same for 50%. */
static const struct setting settings[] = {
	[AT75] = {{FIGURES, ALL, TD_BIT(CONFIGS) - 1}, .near_size = "75%"},
	[AT50] = {{FIGURES, ALL, TD_BIT(CONFIGS) - 1}, .near_size = "50%"},
	THRESHOLD(T1, "t1", "8"),
	THRESHOLD(T1, "t1", "16"),
	THRESHOLD(T1, "t1", "24"),
	THRESHOLD(T1, "t1", "32"),
	THRESHOLD(T1, "t1", "40"),
	THRESHOLD(T1, "t1", "48"),
	THRESHOLD(T1, "t1", "64"),
	THRESHOLD(T2, "t2", "10"),
	THRESHOLD(T2, "t2", "20"),
	THRESHOLD(T2, "t2", "30"),
	THRESHOLD(T2, "t2", "40"),
	THRESHOLD(T2, "t2", "50"),
	THRESHOLD(T2, "t2", "70"),
	THRESHOLD(T2, "t2", "100"),
	THRESHOLD(T3, "t3", "16"),
	THRESHOLD(T3, "t3", "20"),
	THRESHOLD(T3, "t3", "24"),
	THRESHOLD(T3, "t3", "28"),
	THRESHOLD(T3, "t3", "32"),
	THRESHOLD(T3, "t3", "36"),
	THRESHOLD(T3, "t3", "40"),
	VALUE(SCHEME, "scheme 1", .prefetch = "pattern:scheme=1"),
	VALUE(SCHEME, "scheme 2", .prefetch = "pattern:scheme=2"),
	VALUE(SCHEME, "no patterns", .prefetch = "locality"),
	VALUE(LATENCY, "10 us", .model = "cppe:block_ns=10000"),
	VALUE(LATENCY, "20 us", .model = "cppe"),
	VALUE(LATENCY, "45 us", .model = "cppe:block_ns=45000"),
	VALUE(SERVICE, "each fault", .model = "cppe"),
	VALUE(SERVICE, "each batch", .model = "cppe:block_ns=0,batch_ns=20000"),
	VALUE(SERVICE, "32 at most", .model = "cppe:batch=32"),
	VALUE(SERVICE, "one by one", .model = "cppe:batch=1"),
	VALUE(SERVICE, "32 misses", .model = "cppe:misses=32"),
	VALUE(JITTER, "0", .model = "cppe"),
	VALUE(JITTER, "64", .params = "jitter=64"),
	VALUE(JITTER, "1024", .params = "jitter=1024"),
};
#define SETTINGS (sizeof settings / sizeof *settings)

static const char *either(const char *a, const char *b)
{
	return a ? a : b;
}

static void make(const struct td_claims *p, unsigned s, unsigned a, unsigned c,
		 struct td_claims_run *run)
{
	const struct setting *set = &settings[s];
	const char *own = either(p->options->quick ? apps[a].quick : apps[a].params, "");
	const char *params = either(set->params, "");
	const char *evict = c == CPPE ? set->evict : NULL;

	snprintf(run->workload, sizeof run->workload, "%s%s%s%s%s", apps[a].name,
		 *own || *params ? ":" : "", own, *own && *params ? "," : "", params);
	snprintf(run->near_size, sizeof run->near_size, "%s", set->near_size);
	snprintf(run->evict, sizeof run->evict, "%s", either(evict, configs[c].evict));
	snprintf(run->model, sizeof run->model, "%s", either(set->model, "cppe"));
	run->page = "4K";
	run->chunk = "64K";
	run->prefetch = either(c == CPPE ? set->prefetch : NULL, configs[c].prefetch);
}

#endif
