/* tide reproduce: a paper's evaluation again, published beside measured. The papers are in
 * lab/claims; here is what they can be asked. */
#include "lab/claims/reproduce.h"

#define TD_CLI_OPTIONS struct td_claims_options

/* clang-format off */
#define TD_CLI_QUICK_OPTION \
	{"quick", 0, TD_CLI_FLAG, TD_CLI_AT(quick), NULL, \
	 "run at a small scale, for about a minute", TD_CLI_ANY}
#define TD_CLI_STUDY_OPTION(names, values) \
	{"study", 0, TD_CLI_TEXT, TD_CLI_AT(study), "NAME", \
	 "only one part of the evaluation: " names " (all)", values}
#define TD_CLI_ONLY_OPTION(values) \
	{"only", 0, TD_CLI_TEXT, TD_CLI_AT(only), "APPS", \
	 "only these applications, separated by commas (all)", values}

static const struct td_cli_option leu_options[] = {
	{"trace", 0, TD_CLI_TEXT, TD_CLI_AT(trace), "FILE",
	 "draw the curves of this trace instead of the generated workloads", TD_CLI_ANY},
	TD_CLI_FORMAT_OPTIONS,
	TD_CLI_PAGE_OPTION,
	{"sample", 0, TD_CLI_TEXT, TD_CLI_AT(sample), "SHARE",
	 "look at this share of the pages only, such as 0.01 or 1% (1)", TD_CLI_ANY},
	{"scale", 0, TD_CLI_TEXT, TD_CLI_AT(scale), "X",
	 "size of the generated workloads, 0.01 to 100 (1)", TD_CLI_ANY},
	TD_CLI_SEED_OPTION,
	{"plot", 0, TD_CLI_TEXT, TD_CLI_AT(plot), "OUT",
	 "draw the curves to OUT, a name ending in .svg, .pdf or .png", TD_CLI_ANY},
	TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char leu_more[] =
	"Miss ratio curves of LRU, 2Q, ARC, OPT, VMIN, OSL and LEU, as in Figure 1 of the paper, and\n"
	"the examples of its section 3. The paper's own trace, usr, is not part of tide: six\n"
	"workloads stand for it, or any trace. leu has a distribution per page, as OSL has; leu-ref\n"
	"has one per reference; both are trained on the input itself, leu-online learns as it goes.\n\n"
	"Examples:\n"
	"  tide reproduce leu\n"
	"  tide reproduce leu --trace io.vscsi --plot figure1.svg\n";

static const struct td_cli_option gmt_options[] = {
	TD_CLI_QUICK_OPTION,
	TD_CLI_STUDY_OPTION("main, osf, ratio or larger", TD_CLI_NAMES(td_cli_gmt_study)),
	TD_CLI_ONLY_OPTION(TD_CLI_NAMES(td_cli_gmt_app)),
	TD_CLI_JOBS_OPTION,
	TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char gmt_more[] =
	"Nine applications with BaM, TierOrder, Random and Reuse on an A100 that serves its own misses\n"
	"(model gmt), and with a host's page cache (model hmm). Host memory is four times near memory,\n"
	"the data as large as in the authors' programs, and dirty pages are written at the end. Of the\n"
	"studies osf doubles the data, ratio makes host memory 2 and 8 times near memory, and larger\n"
	"doubles both with the data.\n\n"
	"Examples:\n"
	"  tide reproduce gmt --quick\n"
	"  tide reproduce gmt --study main --only srad,hotspot\n";

static const struct td_cli_option cppe_options[] = {
	TD_CLI_QUICK_OPTION,
	{"study", 0, TD_CLI_TEXT, TD_CLI_AT(study), "NAME",
	 "run a sensitivity study instead: t1, t2, t3, scheme, latency, service or jitter",
	 TD_CLI_NAMES(td_cli_cppe_study)},
	TD_CLI_ONLY_OPTION(TD_CLI_NAMES(td_cli_cppe_app)),
	TD_CLI_JOBS_OPTION,
	TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char cppe_more[] =
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

static const struct td_cli_option observuvm_options[] = {
	TD_CLI_QUICK_OPTION,
	{"large", 0, TD_CLI_FLAG, TD_CLI_AT(large), NULL,
	 "as large as seconds per run allow: eight applications at the paper's sizes", TD_CLI_ANY},
	{"full", 0, TD_CLI_FLAG, TD_CLI_AT(full), NULL,
	 "all at the paper's sizes, 2 to 24 GB; takes hours", TD_CLI_ANY},
	TD_CLI_STUDY_OPTION("main, over, observe, samples, bare or exact",
			    TD_CLI_NAMES(td_cli_obs_study)),
	TD_CLI_ONLY_OPTION(TD_CLI_NAMES(td_cli_obs_app)),
	{"observe", 0, TD_CLI_NUMBER, TD_CLI_AT(observe), "N",
	 "chunks observed at a time, at most 192 (100, fewer if there is less data)",
	 TD_CLI_ANY},
	TD_CLI_JOBS_OPTION,
	TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char observuvm_more[] =
	"Fourteen applications with UVM, the policies of ObservUVM, access counter migration and\n"
	"EarlyAdaptor, on an RTX 3090 (model observuvm), half as much again as near memory, at a\n"
	"sixteenth of the paper's sizes (btr at a thirty-second). With --large eight have the\n"
	"paper's sizes, lu, mm and hel a quarter of it, spm an eighth. Studies: over has 10 to 70%\n"
	"more data than memory, observe 75 to 25 observed chunks, samples 1 to 3 pages of each,\n"
	"bare no prefetching, exact every warp by itself, for BlackScholes.\n\n"
	"Examples:\n"
	"  tide reproduce observuvm --quick\n"
	"  tide reproduce observuvm --full --study main --only gmv,observuvm-2dc\n";

static const struct td_cli_option gram_options[] = {
	{"quick", 0, TD_CLI_FLAG, TD_CLI_AT(quick), NULL,
	 "run at a small scale, for seconds: --scale 0.125", TD_CLI_ANY},
	TD_CLI_STUDY_OPTION("device, set, batch, factor, updates or machines",
			    TD_CLI_NAMES(td_cli_gram_study)),
	{"scale", 0, TD_CLI_TEXT, TD_CLI_AT(scale), "X",
	 "sizes and accesses, 0.125 to 128: 128 is the paper's (1)", TD_CLI_ANY},
	TD_CLI_SEED_OPTION,
	{"folder", 0, TD_CLI_TEXT, TD_CLI_AT(folder), "DIR",
	 "folder for the temporary file, on the storage to measure ($TMPDIR, or /var/tmp)",
	 TD_CLI_ANY},
	{"device-kind", 0, TD_CLI_TEXT, TD_CLI_AT(device_kind), "KIND",
	 "where device memory is: ram, or cuda, a GPU (ram)", TD_CLI_WORDS("ram", "cuda")},
	{"hash", 0, TD_CLI_TEXT, TD_CLI_AT(hash), "NAME",
	 "signatures of blocks: xxh3, or md5 as in the paper (xxh3)", TD_CLI_WORDS("xxh3", "md5")},
	{"inject", 0, TD_CLI_TEXT, TD_CLI_AT(inject), "LIST",
	 "a file that is slow or fails, such as delay=5ms for a disk (none)", TD_CLI_ANY},
	{"plot", 0, TD_CLI_TEXT, TD_CLI_AT(plot), "OUT",
	 "draw the figures to OUT, a name ending in .svg, .pdf or .png", TD_CLI_ANY},
	TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char gram_more[] =
	"Reads and writes pages of a file through the buffer pool and checks each of them: without\n"
	"device memory (native), with it (GRAM), and with equal blocks stored once (DEDU). What is\n"
	"counted is the same on every machine. Times are of the storage and the device that are here,\n"
	"and no disk of 2011: for one, --inject delay=5ms, at a small scale.\n\n"
	"Figure 6 has one to four virtual machines that start and serve files. Their disks are\n"
	"generated, or up to four raw images: IMAGE... (they are copied, not written).\n\n"
	"Examples:\n"
	"  tide reproduce gram --quick\n"
	"  tide reproduce gram --study factor --plot figure5a.svg\n"
	"  tide reproduce gram --study machines web1.img web2.img\n";
/* clang-format on */

/* ---- the verbs ---- */

static const struct td_cli_verb leu = {
	.name = "leu",
	.synopsis = "[OPTIONS]",
	.summary =
		"Statistical Caching for Near Memory Management (MEMSYS 2019): curves of Figure 1, examples",
	.more = leu_more,
	.options = leu_options,
	.options_bytes = sizeof(TD_CLI_OPTIONS),
	.run = td_claims_leu,
};

static const struct td_cli_verb gmt = {
	.name = "gmt",
	.synopsis = "[OPTIONS]",
	.summary =
		"GPU Orchestrated Memory Tiering (ASPLOS 2024): nine applications in three tiers",
	.more = gmt_more,
	.options = gmt_options,
	.options_bytes = sizeof(TD_CLI_OPTIONS),
	.run = td_claims_gmt,
};

static const struct td_cli_verb cppe = {
	.name = "cppe",
	.synopsis = "[OPTIONS]",
	.summary =
		"Coordinated Page Prefetch and Eviction in GPUs (IPDPS 2020): figures, tables, studies",
	.more = cppe_more,
	.options = cppe_options,
	.options_bytes = sizeof(TD_CLI_OPTIONS),
	.run = td_claims_cppe,
};

static const struct td_cli_verb observuvm = {
	.name = "observuvm",
	.synopsis = "[OPTIONS]",
	.summary =
		"Observability-aided GPU Memory Oversubscription (ISCA 2026): fourteen applications, studies",
	.more = observuvm_more,
	.options = observuvm_options,
	.options_bytes = sizeof(TD_CLI_OPTIONS),
	.run = td_claims_observuvm,
};

static const struct td_cli_verb gram = {
	.name = "gram",
	.synopsis = "[IMAGE]... [OPTIONS]",
	.summary = "GPU-Assisted Buffer Management (ICCS 2011): GRAM, DEDU, virtual machines",
	.more = gram_more,
	.options = gram_options,
	.options_bytes = sizeof(TD_CLI_OPTIONS),
	.words_max = 4,
	.run = td_claims_gram,
};

static const struct td_cli_verb *const verbs[] = {&leu, &gmt, &cppe, &observuvm, &gram, NULL};

static const char more[] =
	"A verb is a paper. Every published number and claim is printed beside the measured one,\n"
	"and whether the two agree.\n\n"
	"Example:\n"
	"  tide reproduce leu --plot leu.svg\n";

const struct td_cli_verb td_cli_verb_reproduce = {
	.name = "reproduce",
	.order = 50,
	.synopsis = "PAPER [OPTIONS]",
	.summary = "Rerun the evaluation of a paper, and compare with the published numbers",
	.more = more,
	.options = td_cli_help_alone,
	.options_bytes = sizeof(struct td_cli_given),
	.verbs = verbs,
};
