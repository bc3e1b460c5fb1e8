/* What is run for the ObservUVM paper: applications, configurations, studies and settings, as rows.
 * For observuvm.c alone. */
#ifndef TD_CLAIMS_OBSERVUVM_RUNS_H
#define TD_CLAIMS_OBSERVUVM_RUNS_H

#include <errno.h>
#include <math.h>

#include "claims.h"

/* ---- applications ---- */

enum { MM, GMM, SRK, SR2, HEL, C2D, GMV, LU, BLK, SPM, AN, SN, BTR, BFS, APPS };

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
static const struct {
	const char *name, *title; /* the workload's, the paper's */
	double cycles;            /* between accesses, in full size; 0: the model's */
	unsigned part;    /* of the data with --large, 1 in so many: as a run takes seconds */
	bool exact;       /* its warps run one by one, not in waves */
	const char *seen; /* order or layout that the kernel was seen to have; NULL: as specified */
} apps[APPS] = {
	[MM] = {"mm", "MM", TILE_SHARED, 4, false, NULL},
	[GMM] = {"gmm", "GMM", TILE_FLOATS, 1, false, "along=n,swizzle=16"},
	[SRK] = {"srk", "SRK", TILE_FLOATS, 1, false, "along=n"},
	[SR2] = {"sr2", "SR2", TILE_FLOATS, 1, false, "along=n"},
	[HEL] = {"hel", "HEL", LOADS, 4, false, NULL},
	[C2D] = {"observuvm-2dc", "2DC", 0, 1, false, NULL},
	[GMV] = {"gmv", "GMV", 0, 1, false, NULL},
	[LU] = {"lu", "LU", TILE_FLOATS, 4, false, NULL},
	[BLK] = {"blk", "BLK", 0, 1, false, NULL},
	[SPM] = {"spm", "SPM", 0, 8, false, "layout=rows"},
	[AN] = {"an", "AN", 0, 1, false, NULL},
	[SN] = {"sn", "SN", 0, 1, false, NULL},
	[BTR] = {"btr", "BTR", 0, 32, true, NULL},
	[BFS] = {"observuvm-bfs", "BFS", 0, 16, true, NULL},
};

#define ALL (TD_BIT(APPS) - 1)

/* ---- configurations, settings ---- */

/* The paper's LRU, LFU and CP have the prefetcher of UVM; TM1 is TM+, TM2 is TM++. */
enum { UVM, LRU, LFU, CP, TM, TM1, TM2, ACBM, EA, CONFIGS };

static const struct {
	const char *name, *evict, *prefetch;
	bool observes;
} configs[CONFIGS] = {
	[UVM] = {"UVM", "lrm", "tree", false},        [LRU] = {"LRU", "observ-lru", "tree", true},
	[LFU] = {"LFU", "observ-lfu", "tree", true},  [CP] = {"CP", "cp", "tree", true},
	[TM] = {"TM", "tournament", "tree", true},    [TM1] = {"TM+", "tournament", "fdp", true},
	[TM2] = {"TM++", "tournament", "rgp", true},  [ACBM] = {"ACBM", "lrm", "acbm", false},
	[EA] = {"EA", "lrm", "early-adaptor", false},
};
#define BOTH (TD_BIT(UVM) | TD_BIT(TM2))
#define THREE (TD_BIT(LRU) | TD_BIT(LFU) | TD_BIT(CP))
#define EACH (TD_BIT(UVM) | THREE)

enum { STUDY_MAIN, STUDY_OVER, STUDY_OBSERVE, STUDY_SAMPLES, STUDY_BARE, STUDY_EXACT, STUDIES };

static const struct td_claims_study studies[STUDIES] = {
	[STUDY_MAIN] = {"main", 0},
	[STUDY_OVER] = {"over", BOTH},
	[STUDY_OBSERVE] = {"observe", TD_BIT(LRU)},
	[STUDY_SAMPLES] = {"samples", 0},
	[STUDY_BARE] = {"bare", 0},
	[STUDY_EXACT] = {"exact", EACH | TD_BIT(TM)},
};

enum {
	MAIN,
	ZERO, /* all of it fits */
	O10,
	O20,
	O30,
	O40,
	O60,
	O70,
	WATCH75,
	WATCH50,
	WATCH25,
	SAMPLES1,
	SAMPLES2,
	SAMPLES3,
	BARE,  /* nothing is prefetched */
	EXACT, /* every warp by itself */
	SETTINGS
};

/* Near memory is the footprint by 1 + the oversubscription. */
static const struct {
	struct td_claims_setting head;
	const char *near_size;
	const char *prefetch; /* in place of the configuration's; NULL: that */
	unsigned observe;     /* percent of the chunks that are else observed; 0: all */
	const char *samples;  /* more parameters of the eviction policy; NULL: none */
} settings[SETTINGS] = {
	[MAIN] = {{STUDY_MAIN, ALL, TD_BIT(CONFIGS) - 1}, "66.67%", NULL, 0, NULL},
	[ZERO] = {{STUDY_OVER, ALL, BOTH}, "110%", NULL, 0, NULL},
	[O10] = {{STUDY_OVER, ALL, BOTH}, "90.91%", NULL, 0, NULL},
	[O20] = {{STUDY_OVER, ALL, BOTH}, "83.33%", NULL, 0, NULL},
	[O30] = {{STUDY_OVER, ALL, BOTH}, "76.92%", NULL, 0, NULL},
	[O40] = {{STUDY_OVER, ALL, BOTH}, "71.43%", NULL, 0, NULL},
	[O60] = {{STUDY_OVER, ALL, BOTH}, "62.5%", NULL, 0, NULL},
	[O70] = {{STUDY_OVER, ALL, BOTH}, "58.82%", NULL, 0, NULL},
	[WATCH75] = {{STUDY_OBSERVE, ALL, TD_BIT(LRU)}, "66.67%", NULL, 75, NULL},
	[WATCH50] = {{STUDY_OBSERVE, ALL, TD_BIT(LRU)}, "66.67%", NULL, 50, NULL},
	[WATCH25] = {{STUDY_OBSERVE, ALL, TD_BIT(LRU)}, "66.67%", NULL, 25, NULL},
	[SAMPLES1] = {{STUDY_SAMPLES, ALL, TD_BIT(LRU)}, "66.67%", NULL, 75, ",samples=1,adapt=0"},
	[SAMPLES2] = {{STUDY_SAMPLES, ALL, TD_BIT(LRU)}, "66.67%", NULL, 75, ",samples=2,adapt=0"},
	[SAMPLES3] = {{STUDY_SAMPLES, ALL, TD_BIT(LRU)}, "66.67%", NULL, 75, ",samples=3,adapt=0"},
	[BARE] = {{STUDY_BARE, ALL, EACH}, "66.67%", "none", 0, NULL},
	[EXACT] = {{STUDY_EXACT, TD_BIT(BLK), EACH | TD_BIT(TM)}, "66.67%", NULL, 0, NULL},
};

#define OBSERVE 100      /* chunks at a time, as published */
#define OBSERVE_MOST 192 /* that the policies take */

static int check(const struct td_claims_options *o, struct tide_error *err)
{
	if (o->full + o->quick + o->large > 1)
		return tide_fail(err, -EINVAL,
				 "more than one size: give one of --quick, --large, --full");
	if (o->observe > OBSERVE_MOST)
		return tide_fail(err, -EINVAL, "--observe is at most %d: give fewer chunks",
				 OBSERVE_MOST);
	return 0;
}

/* One size for all, but a tree's look-ups, which are traced one by one; or of each as much as takes
 * seconds. Every warp by itself takes long as well. */
static double scale_of(const struct td_claims *p, unsigned s, unsigned a)
{
	if (p->options->full)
		return 1;
	if (p->options->quick)
		return a == BTR ? 1. / 256 : 1. / 64;
	if (p->options->large && s != EXACT)
		return 1. / apps[a].part;
	return a == BTR ? 1. / 32 : 1. / 16;
}

/* In a part of the data a matrix product has less arithmetic for each byte, by the ratio of the
 * sides: a round of it takes longer by as much. */
static void choose_model(const struct td_claims *p, unsigned a, struct td_claims_run *run)
{
	if (apps[a].cycles > 0)
		snprintf(run->model, sizeof run->model, "observuvm:issue_cycles=%.6g",
			 apps[a].cycles / sqrt(scale_of(p, MAIN, a)));
	else
		snprintf(run->model, sizeof run->model, "observuvm");
}

/* In a part of the data as small a part of the chunks is observed. */
static void choose_evict(const struct td_claims *p, unsigned s, unsigned a, unsigned c,
			 struct td_claims_run *run)
{
	double all =
		p->options->observe ? (double)p->options->observe : OBSERVE * scale_of(p, s, a);
	double observe = all * (settings[s].observe ? settings[s].observe : 100) / 100;
	const char *samples = settings[s].samples;

	if (configs[c].observes)
		snprintf(run->evict, sizeof run->evict, "%s:observe=%.0f%s", configs[c].evict,
			 observe < 1 ? 1 : observe, samples ? samples : "");
	else
		snprintf(run->evict, sizeof run->evict, "%s", configs[c].evict);
}

static void make(const struct td_claims *p, unsigned s, unsigned a, unsigned c,
		 struct td_claims_run *run)
{
	const char *seen = apps[a].seen;

	choose_model(p, a, run);
	choose_evict(p, s, a, c, run);
	snprintf(run->near_size, sizeof run->near_size, "%s", settings[s].near_size);
	snprintf(run->workload, sizeof run->workload, "%s:scale=%.10g%s%s%s", apps[a].name,
		 scale_of(p, s, a), seen ? "," : "", seen ? seen : "",
		 s == EXACT ? ",mode=exact,iters=4" : "");
	run->page = "64K";
	run->chunk = "2M";
	run->prefetch = settings[s].prefetch ? settings[s].prefetch : configs[c].prefetch;
	/* In waves an access stands for those of many warps: a threshold of 256 is one of them. */
	if (c == ACBM && !apps[a].exact)
		run->prefetch = "acbm:threshold=1";
}

#endif
