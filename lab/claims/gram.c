/* tide reproduce gram: "GPU-Assisted Buffer Management" again, with the buffer pool over a file:
 * GRAM and DEDU over sizes, duplicates and updates, and virtual machines that share a system. */
#include "gram.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/plot.h"
#include "lib/sizes.h"

const char *const td_cli_gram_names[GRAM_HOWS] = {"native", "native, shared", "GRAM", "DEDU",
						  "auto"};

const struct td_cli_gram_points td_cli_gram_points[GRAM_STUDIES] = {
	[GRAM_DEVICE] = {"device",
			 "Figures 4a, 4b, 5b, 5c: size of device memory (0 is native)",
			 "device, K pages",
			 10,
			 {0, 16, 32, 64, 128, 256, 384, 512, 576, 596},
			 {GRAM_GRAM, GRAM_DEDU},
			 2},
	[GRAM_SET] = {"set",
		      "Figure 4c: size of the working set",
		      "set, K pages",
		      5,
		      {128, 256, 384, 512, 640},
		      {GRAM_NATIVE, GRAM_GRAM},
		      2},
	[GRAM_BATCH] = {"batch",
			"Section 5.2: misses served together",
			"batch",
			6,
			{1, 4, 16, 64, 256, 512},
			{GRAM_GRAM},
			1},
	[GRAM_FACTOR] = {"factor",
			 "Figure 5a: how often each block is in the file",
			 "factor",
			 10,
			 {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
			 {GRAM_GRAM, GRAM_DEDU},
			 2},
	[GRAM_UPDATES] = {"updates",
			  "Figure 5d: share of updates",
			  "updates, %",
			  7,
			  {0, 4, 8, 16, 32, 64, 100},
			  {GRAM_GRAM, GRAM_DEDU, GRAM_AUTO},
			  3},
	[GRAM_MACHINE] = {"machines",
			  "Figure 6: virtual machines that start and serve files",
			  "machines",
			  4,
			  {1, 2, 3, 4},
			  {GRAM_NATIVE, GRAM_SHARED, GRAM_GRAM, GRAM_DEDU},
			  4},
};

bool td_cli_gram_has(const struct td_cli_gram *g, enum td_cli_gram_study s)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->runs[i].study == s)
			return true;
	return false;
}

/* ---- what to run ---- */

/* The paper's default, in thousands of pages. */
#define MAIN_K 64
#define DEVICE_K 64
#define SET_K 640
#define ACCESSES_K 4096
#define COPIES 4
#define BATCH 256
#define BATCH_PAGES 1024 /* at least: main memory where batches are looked at */
#define REPEATS 3        /* where times are compared closely */
/* Of the pages that a machine starts with and serves: 64K of 136K in the generated disks. */
#define MACHINE_MAIN_PERCENT 47
#define MACHINE_LEAST 4 /* pages for 1,024: files do not shrink with their disk */

static void size_run(const struct td_cli_gram *g, struct td_cli_gram_run *run)
{
	uint64_t k = g->thousand;

	run->main_pages = MAIN_K * k;
	run->device_pages = DEVICE_K * k;
	run->set_pages = SET_K * k;
	run->accesses = ACCESSES_K * k;
	run->depth = 1;
	run->copies = COPIES;
	run->batch = BATCH;
	if (run->how == GRAM_NATIVE || run->how == GRAM_SHARED)
		run->device_pages = 0;
}

static void size_batch(struct td_cli_gram_run *run)
{
	if (run->main_pages < BATCH_PAGES)
		run->main_pages = BATCH_PAGES;
	run->device_pages = run->main_pages;
	run->set_pages = 2 * run->main_pages * 95 / 100; /* all in memory */
	run->accesses = 8 * run->set_pages;
	run->batch = run->x;
	run->depth = 2 * run->batch;
}

static void size_machines(const struct td_cli_gram *g, struct td_cli_gram_run *run)
{
	const struct td_cli_gram_disks *d = &g->disks;
	uint64_t used = td_cli_gram_role_pages(d, d->n, GRAM_BOOT) +
			td_cli_gram_role_pages(d, d->n, GRAM_DOCUMENT);

	run->main_pages = used / d->n * MACHINE_MAIN_PERCENT / 100;
	run->device_pages = run->device_pages ? run->main_pages : 0;
	run->set_pages = d->source.pages;
}

static void vary(const struct td_cli_gram *g, struct td_cli_gram_run *run)
{
	switch (run->study) {
	case GRAM_DEVICE: run->device_pages = run->x * g->thousand; break;
	case GRAM_SET: run->set_pages = run->x * g->thousand; break;
	case GRAM_BATCH: size_batch(run); break;
	case GRAM_FACTOR: run->copies = run->x; break;
	case GRAM_UPDATES: run->updates_percent = run->x; break;
	default: size_machines(g, run);
	}
}

static void add_run(struct td_cli_gram *g, enum td_cli_gram_study s, enum td_cli_gram_how how,
		    unsigned x)
{
	struct td_cli_gram_run *run = &g->runs[g->n++];

	*run = (struct td_cli_gram_run){.study = s, .how = how, .x = x};
	size_run(g, run);
	vary(g, run);
}

/* GRAM does not look at blocks: the factor is nothing to it. */
static unsigned repeats(enum td_cli_gram_study s, enum td_cli_gram_how how, unsigned x)
{
	if (s != GRAM_FACTOR)
		return 1;
	return x == 1 ? REPEATS : how == GRAM_DEDU;
}

static void plan_study(struct td_cli_gram *g, enum td_cli_gram_study s)
{
	const struct td_cli_gram_points *p = &td_cli_gram_points[s];

	for (unsigned i = 0; i < p->n; i++) {
		if (s == GRAM_MACHINE && p->x[i] > g->disks.n)
			break;
		for (unsigned k = 0; k < REPEATS; k++)
			for (unsigned h = 0; h < p->hows_n; h++)
				if (k < repeats(s, p->hows[h], p->x[i]))
					add_run(g, s, p->hows[h], p->x[i]);
	}
}

static int make_disks(struct td_cli_gram *g, struct tide_error *err)
{
	uint64_t k = g->thousand < MACHINE_LEAST ? MACHINE_LEAST : g->thousand;

	return g->args->given.words.n
		       ? td_cli_gram_disks_scan(&g->disks, &g->args->given.words, err)
		       : td_cli_gram_disks_generate(&g->disks, k, g->seed, err);
}

const char *td_cli_gram_study(size_t i)
{
	return i < GRAM_STUDIES ? td_cli_gram_points[i].name : NULL;
}

static int make_plan(struct td_cli_gram *g, struct tide_error *err)
{
	size_t most = 0, study;
	int rc = td_cli_choose_study(g->args->study, td_cli_gram_study, &study, err);

	for (unsigned s = 0; s < GRAM_STUDIES; s++)
		most += REPEATS * td_cli_gram_points[s].n * GRAM_HOWS;
	if (!rc && g->args->study && study != GRAM_MACHINE && g->args->given.words.n)
		rc = tide_fail(err, -EINVAL, "images are for the study machines: leave them out");
	if (!rc && (!g->args->study || study == GRAM_MACHINE))
		rc = make_disks(g, err);
	if (rc)
		return rc;
	g->runs = calloc(most, sizeof *g->runs);
	if (!g->runs)
		return tide_fail(err, -ENOMEM, "no memory for the runs: free some");
	for (unsigned s = 0; s < GRAM_STUDIES; s++)
		if (!g->args->study || s == study)
			plan_study(g, s);
	g->r.steps = g->n;
	return 0;
}

static int check_args(struct td_cli_gram *g, struct tide_error *err)
{
	const struct td_claims_options *args = g->args;
	double scale = args->quick ? 0.125 : 1;

	if (args->quick && args->scale)
		return tide_fail(err, -EINVAL, "--quick is a --scale: give one of them");
	if (args->scale && (td_core_real(args->scale, &scale) || scale < 0.125 || scale > 128))
		return tide_fail(err, -EINVAL, "--scale %s: give a number from 0.125 to 128",
				 td_cli_shown(args->scale).text);
	g->thousand = (uint64_t)(8 * scale + 0.5);
	/* Judged as far as it can be without a file. */
	struct tide_pool_options o = {.size = sizeof o,
				      .path = "",
				      .main_size = "1M",
				      .device_size = "1M",
				      .device = args->device_kind,
				      .hash = args->hash,
				      .inject = args->inject};
	struct tide_pool *pool;
	int rc = tide_pool_open(&pool, &o, err);
	if (rc != -ENOENT)
		return rc;
	rc = td_lib_seed(args->seed, &g->seed, err);
	return rc || !args->plot ? rc : td_cli_plot_check(args->plot, err);
}

/* ---- the whole ---- */

static int reproduce(struct td_cli_gram *g, struct tide_error *err)
{
	int rc = make_plan(g, err);

	if (!rc)
		rc = td_cli_gram_file_open(&g->file, g->args->folder, err);
	for (size_t i = 0; i < g->n && !rc; i++) {
		rc = td_cli_gram_do(g, &g->runs[i], err);
		if (!rc)
			json_array_append_new(g->r.runs, td_cli_gram_run_json(g, &g->runs[i]));
	}
	if (rc)
		return rc;
	td_cli_gram_claims(g);
	if (g->args->plot)
		rc = td_cli_gram_plot(g, err);
	td_cli_progress_end(&g->r.progress);
	g->r.headlines = td_claims_paper_gram.headlines;
	if (!rc && !g->args->json)
		rc = td_cli_reproduce_measure(&g->r, err);
	if (!rc && !g->args->json)
		rc = td_cli_gram_print(g, err);
	return rc ? rc : td_cli_reproduce_print(&g->r, err);
}

int td_claims_gram(const void *args, struct tide_error *err)
{
	struct td_cli_gram *g = calloc(1, sizeof *g);
	int rc;

	if (!g)
		return tide_fail(err, -ENOMEM, "no memory for the reproduction: free some");
	g->args = args;
	g->file.file.fd = -1;
	rc = td_cli_reproduce_start(&g->r, "gram", 1, args, err);
	if (!rc)
		rc = check_args(g, err);
	if (!rc)
		rc = reproduce(g, err);
	td_cli_gram_file_close(&g->file);
	td_cli_gram_disks_close(&g->disks);
	free(g->runs);
	td_cli_reproduce_free(&g->r);
	free(g);
	return rc;
}
