/* The options of the pager, which tide run and tide record share, and those for the GPU, which tide
 * record refuses. */
#ifndef TD_CLI_RUN_OPTIONS_H
#define TD_CLI_RUN_OPTIONS_H

#include "cli/options.h"
#include "lib/gpu_run.h"
#include "lib/mappings.h"

struct td_run_options {
	struct td_cli_given given;
	const char *near_size, *page, *chunk, *evict, *prefetch, *place, *policies, *preset;
	const char *host, *host_kind, *storage, *mapping, *service, *threshold, *forks, *watchdog;
	const char *seed, *log, *stats, *record, *progress, *save_set, *load_set;
	const char *gpu_near, *gpu_host, *gpu_evict, *gpu_prefetch, *gpu_trust, *gpu_chunk;
	const char *gpu_threshold, *gpu_log, *gpu_record;
	bool over_budget, whatif, live;
};
#define TD_CLI_OPTIONS struct td_run_options

/* clang-format off */
#define TD_RUN_OPTIONS \
	TD_CLI_NEAR_AT(TD_CLI_ONE, near_size, \
		       "near memory of each process: bytes (512M) or pages (1024p)"), \
	{"page", 0, TD_CLI_TEXT, TD_CLI_AT(page), "SIZE", \
	 "bytes per page, 4K to 64K (4K)", TD_CLI_ANY}, \
	{"chunk", 0, TD_CLI_TEXT, TD_CLI_AT(chunk), "SIZE", \
	 "bytes per chunk, 1 to 64 pages (64K)", TD_CLI_ANY}, \
	TD_CLI_EVICT_AT(TD_CLI_ONE, evict, \
			"policy that chooses the chunk to evict (lrm); see tide policies"), \
	TD_CLI_PREFETCH_AT(TD_CLI_ONE, prefetch, \
			   "policy that chooses the pages to bring in on a fault (fit)"), \
	TD_CLI_POLICIES_AT(TD_CLI_ONE, policies), \
	TD_CLI_PRESET_AT(preset), \
	TD_CLI_PLACE_AT(TD_CLI_ONE, place, "policy that sends victims to host memory or storage " \
					   "(host memory, while there is room)"), \
	{"host", 0, TD_CLI_TEXT, TD_CLI_AT(host), "SIZE", \
	 "host memory behind near memory (as much as needed; with --storage, none)", TD_CLI_ANY}, \
	{"host-kind", 0, TD_CLI_TEXT, TD_CLI_AT(host_kind), "KIND", \
	 "what host memory is: plain, or compressed by lz4 or zstd (plain)", \
	 TD_CLI_WORDS("plain", "lz4", "zstd")}, \
	{"storage", 0, TD_CLI_TEXT, TD_CLI_AT(storage), "FILE", \
	 "file for pages that host memory cannot hold; it is overwritten", TD_CLI_ANY}, \
	{"mapping", 0, TD_CLI_TEXT, TD_CLI_AT(mapping), "KIND", \
	 "exact, around, fast, copy, auto: chosen by what the policies need; or kernel (auto)", \
	 TD_CLI_NAMES(td_lib_run_mapping_word)}, \
	{"service", 0, TD_CLI_TEXT, TD_CLI_AT(service), "KIND", \
	 "who serves faults: thread, signal, or auto: a thread if the kernel allows it (auto)", \
	 TD_CLI_NAMES(td_lib_service_word)}, \
	{"threshold", 0, TD_CLI_TEXT, TD_CLI_AT(threshold), "SIZE", \
	 "page allocations of at least this size (1M)", TD_CLI_ANY}, \
	{"fork", 0, TD_CLI_TEXT, TD_CLI_AT(forks), "HOW", \
	 "copy: a forked child gets a copy, paged if it can be; refuse: fork() fails (copy)", \
	 TD_CLI_WORDS("copy", "refuse")}, \
	{"over-budget", 0, TD_CLI_FLAG, TD_CLI_AT(over_budget), NULL, \
	 "go on in more memory where the budget cannot be kept, instead of ending the program", \
	 TD_CLI_ANY}, \
	{"watchdog", 0, TD_CLI_TEXT, TD_CLI_AT(watchdog), "TIME", \
	 "end the program if a policy takes longer for a decision; 0: never (10s)", TD_CLI_ANY}, \
	TD_CLI_SEED_OPTION, \
	{"log", 0, TD_CLI_TEXT, TD_CLI_AT(log), "FILE", \
	 "write every decision to FILE, one JSON line each", TD_CLI_ANY}, \
	{"stats", 0, TD_CLI_TEXT, TD_CLI_AT(stats), "FILE", \
	 "write the results to FILE as JSON", TD_CLI_ANY}, \
	{"save-set", 0, TD_CLI_TEXT, TD_CLI_AT(save_set), "FILE", \
	 "write to FILE which pages are near at the end", TD_CLI_ANY}, \
	{"load-set", 0, TD_CLI_TEXT, TD_CLI_AT(load_set), "FILE", \
	 "bring in these pages of a program that is started again, in one pass", TD_CLI_ANY}, \
	{"whatif", 0, TD_CLI_FLAG, TD_CLI_AT(whatif), NULL, \
	 "record, and show afterwards how few faults any eviction policy could have had", TD_CLI_ANY}, \
	{"live", 0, TD_CLI_FLAG, TD_CLI_AT(live), NULL, \
	 "show tiers, faults and policy on standard error while the program runs", TD_CLI_ANY}, \
	{"progress", 0, TD_CLI_TEXT, TD_CLI_AT(progress), "WHEN", \
	 "when --live draws: always, never or auto (auto: on a terminal)", \
	 TD_CLI_WORDS("auto", "always", "never")}

/* ROW(NAME, MEMBER, VALUE, HELP, VALUES) */
#define TD_RUN_GPU_LIST(ROW) \
	ROW("gpu-near", gpu_near, "SIZE", \
	    "GPU memory that a CUDA program may use, as bytes (8G)", TD_CLI_ANY) \
	ROW("gpu-host", gpu_host, "SIZE", \
	    "host memory behind it, as bytes (as much as needed)", TD_CLI_ANY) \
	ROW("gpu-evict", gpu_evict, "POLICY", \
	    "policy that chooses the chunk to leave the GPU (" TD_GPU_EVICT ")", \
	    TD_CLI_SPECS(td_cli_evict_name, td_cli_evict_param)) \
	ROW("gpu-prefetch", gpu_prefetch, "POLICY", \
	    "policy that chooses what comes to the GPU early (" TD_GPU_PREFETCH ")", \
	    TD_CLI_SPECS(td_cli_prefetch_name, td_cli_prefetch_param)) \
	ROW("gpu-trust", gpu_trust, "HOW", \
	    "none: memory moves between kernels; args: beside kernels that do not name it; or a file " \
	    "(" TD_GPU_TRUST ")", \
	    TD_CLI_WORDS("none", "args")) \
	ROW("gpu-chunk", gpu_chunk, "SIZE", \
	    "bytes that move at a time: a multiple of 2M, up to 128M (" TD_GPU_CHUNK ")", \
	    TD_CLI_ANY) \
	ROW("gpu-threshold", gpu_threshold, "SIZE", \
	    "leave smaller allocations on the GPU (" TD_GPU_THRESHOLD ")", TD_CLI_ANY) \
	ROW("gpu-log", gpu_log, "FILE", \
	    "write every decision about GPU memory to FILE, one JSON line each", TD_CLI_ANY) \
	ROW("gpu-record", gpu_record, "FILE", \
	    "write which chunks the launches name to FILE, as a trace", TD_CLI_ANY)

#define TD_RUN_GPU_ROW(name, member, value, help, values) \
	{name, 0, TD_CLI_ONE, TD_CLI_AT(member), value, help, values},
#define TD_RUN_NO_GPU_ROW(name, member, value, help, values) \
	{name, 0, TD_CLI_TEXT, TD_CLI_AT(member), value, NULL, TD_CLI_ANY},
#define TD_RUN_GPU_OPTIONS TD_RUN_GPU_LIST(TD_RUN_GPU_ROW)
#define TD_RUN_NO_GPU_OPTIONS TD_RUN_GPU_LIST(TD_RUN_NO_GPU_ROW)
/* clang-format on */

#endif
