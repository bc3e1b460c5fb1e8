/* Options of the command line: one table per verb, from which the parser, the errors, the help
 * and the completion come. The parser prints nothing and reads nothing but its arguments. */
#ifndef TD_CLI_OPTIONS_H
#define TD_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/text.h"
#include "tide/error.h"

/* Words given for an option that may come several times, or without any option. */
#define TD_CLI_LIST_MAX 256
struct td_cli_list {
	size_t n;
	const char *at[TD_CLI_LIST_MAX];
};

/* What any verb can be told; an option means the same in every verb that has it. */
struct td_cli_args {
	const char *trace, *workload, *format, *columns;
	const char *near_size, *host, *page, *chunk;
	const char *log, *to, *progress, *seed;
	const char *sample, *scale, *plot, *sizes, *paper, *model;
	struct td_cli_list evict, prefetch, place, policies, policy;
	/* What tide sweep takes several of and every other verb one. */
	struct {
		struct td_cli_list trace, workload, near_size, host, page, chunk, seed, model;
	} each;
	const char *output, *shard;
	const char *figures, *title;
	const char *study, *only; /* of tide reproduce, with quick */
	bool quick, large, full;
	bool dry_run, retry;
	/* Of tide run and tide record. */
	const char *host_kind, *storage, *mapping, *service, *threshold, *record, *stats, *forks,
		*watchdog;
	bool whatif, live;
	/* Of tide gpu. */
	const char *device, *folder, *app, *micro, *oversubscribe, *transfer, *orchestrate,
		*timeout, *repeat;
	bool thorough;
	/* Of tide pool. */
	const char *main_size, *device_size, *device_kind, *dedup, *block, *hash, *batch, *epoch,
		*max_backlog;
	const char *pattern, *working_set, *updates, *duplicates, *inject;
	uint64_t warm, threads, depth;
	char *const *command; /* ends with a NULL */
	struct td_cli_list words;
	uint64_t count, from, jobs, observe; /* 0: not given */
	bool functional, replace_invalid, json, force, help, verify, describe, measure;
};

enum td_cli_kind {
	TD_CLI_FLAG,   /* bool */
	TD_CLI_TEXT,   /* const char * */
	TD_CLI_NUMBER, /* uint64_t, 1 or more */
	TD_CLI_ONE,    /* struct td_cli_list, once */
	TD_CLI_LIST,   /* struct td_cli_list */
};

/* What the values of an option are, for completion. */
enum td_cli_values {
	TD_CLI_ANY,
	TD_CLI_WHEN,
	TD_CLI_READ_FORMATS,
	TD_CLI_WRITE_FORMATS,
	TD_CLI_EVICT,
	TD_CLI_PREFETCH,
	TD_CLI_PLACE,
	TD_CLI_WORKLOADS,
	TD_CLI_MODELS,
	TD_CLI_MAPPINGS,
	TD_CLI_SERVICES,
	TD_CLI_HOST_KINDS,
	TD_CLI_FORKS,
	TD_CLI_TRANSFERS,
	TD_CLI_ORCHESTRATORS,
	TD_CLI_GPU_TESTS,
	TD_CLI_GPU_MICROS,
	TD_CLI_GPU_APPS,
	TD_CLI_DEVICE_KINDS,
	TD_CLI_DEDUPS,
	TD_CLI_HASHES,
	TD_CLI_PATTERNS,
	TD_CLI_CPPE_STUDIES,
	TD_CLI_GMT_STUDIES,
	TD_CLI_OBS_STUDIES,
	TD_CLI_GRAM_STUDIES,
	TD_CLI_CPPE_APPS,
	TD_CLI_GMT_APPS,
	TD_CLI_OBS_APPS,
};

struct td_cli_option {
	const char *name; /* without the dashes */
	char letter;      /* 0: none */
	enum td_cli_kind kind;
	size_t offset;     /* in struct td_cli_args */
	const char *value; /* how the help writes it: "SIZE" */
	const char *help;
	enum td_cli_values values;
};

/* Options end at the first word, or at --; all that follows is args.command, untouched. */
#define TD_CLI_COMMAND SIZE_MAX

struct td_cli_verb {
	const char *name;                    /* "sim"; of a verb of `trace`: "info" */
	const char *synopsis;                /* what follows the name */
	const char *summary;                 /* one line, no full stop */
	const char *more;                    /* paragraphs and examples of the help, or NULL */
	const struct td_cli_option *options; /* ends with a row whose name is NULL */
	size_t words_min, words_max;         /* max TD_CLI_COMMAND: what follows is a command */
	const struct td_cli_verb *verbs;     /* of its own, or NULL; ends with a NULL name */
	/* 0, a negative errno, or the exit status of a program that was run. */
	int (*run)(const struct td_cli_args *args, struct tide_error *err);
};

#define TD_CLI_AT(member) offsetof(struct td_cli_args, member)

/* clang-format off */
#define TD_CLI_FORMAT_OPTIONS \
	{"format", 0, TD_CLI_TEXT, TD_CLI_AT(format), "FORMAT", \
	 "format of the trace: tide, txt, csv, oraclegeneral or vscsi (guessed)", \
	 TD_CLI_READ_FORMATS}, \
	{"columns", 0, TD_CLI_TEXT, TD_CLI_AT(columns), "LIST", \
	 "columns of a csv trace, such as page=5,op=3", TD_CLI_ANY}
#define TD_CLI_PAGE_OPTION \
	{"page", 0, TD_CLI_TEXT, TD_CLI_AT(page), "SIZE", "bytes per page (4K)", TD_CLI_ANY}
#define TD_CLI_SEED_OPTION \
	{"seed", 0, TD_CLI_TEXT, TD_CLI_AT(seed), "N", \
	 "start of the random numbers (1)", TD_CLI_ANY}
#define TD_CLI_WORKLOAD_OPTION \
	{"workload", 0, TD_CLI_TEXT, TD_CLI_AT(workload), "SPEC", \
	 "workload to generate: NAME or NAME:KEY=VALUE,KEY=VALUE (see tide workloads)", \
	 TD_CLI_WORKLOADS}
#define TD_CLI_JSON_OPTION \
	{"json", 0, TD_CLI_FLAG, TD_CLI_AT(json), NULL, "print one JSON document", TD_CLI_ANY}
#define TD_CLI_PROGRESS_OPTION \
	{"progress", 0, TD_CLI_TEXT, TD_CLI_AT(progress), "WHEN", \
	 "show progress on standard error: always, never, auto (auto: on a terminal)", \
	 TD_CLI_WHEN}
#define TD_CLI_FORCE_OPTION \
	{"force", 0, TD_CLI_FLAG, TD_CLI_AT(force), NULL, "replace OUT if it exists", TD_CLI_ANY}
#define TD_CLI_HELP_OPTION \
	{"help", 'h', TD_CLI_FLAG, TD_CLI_AT(help), NULL, "show this help", TD_CLI_ANY}
#define TD_CLI_END_OPTIONS {NULL, 0, TD_CLI_FLAG, 0, NULL, NULL, TD_CLI_ANY}
/* The input and the near memory of a run. */
#define TD_CLI_RUN_OPTIONS(trace_help) \
	{"trace", 0, TD_CLI_TEXT, TD_CLI_AT(trace), "FILE", \
	 trace_help, TD_CLI_ANY}, \
	TD_CLI_WORKLOAD_OPTION, \
	TD_CLI_FORMAT_OPTIONS, \
	{"near", 0, TD_CLI_TEXT, TD_CLI_AT(near_size), "SIZE", \
	 "near memory: bytes (512M), pages (1024p) or a share of the footprint (75%)", \
	 TD_CLI_ANY}, \
	TD_CLI_PAGE_OPTION, \
	{"chunk", 0, TD_CLI_TEXT, TD_CLI_AT(chunk), "SIZE", \
	 "bytes per chunk, 1 to 64 pages (64K)", TD_CLI_ANY}
#define TD_CLI_HOST_OPTION \
	{"host", 0, TD_CLI_TEXT, TD_CLI_AT(host), "SIZE", \
	 "host memory behind near memory, with --place: as --near, or 0", TD_CLI_ANY}
#define TD_CLI_ERRORS_OPTION \
	{"replace-invalid", 0, TD_CLI_FLAG, TD_CLI_AT(replace_invalid), NULL, \
	 "count and replace invalid answers of a policy instead of stopping", TD_CLI_ANY}
#define TD_CLI_MODEL_OPTION \
	{"functional", 0, TD_CLI_FLAG, TD_CLI_AT(functional), NULL, \
	 "without a clock: counts and no times", TD_CLI_ANY}, \
	{"model", 0, TD_CLI_TEXT, TD_CLI_AT(model), "MODEL", \
	 "with the clock of a machine: NAME or NAME:KEY=VALUE,.. (see tide models)", \
	 TD_CLI_MODELS}
/* Of reproductions. */
#define TD_CLI_QUICK_OPTION \
	{"quick", 0, TD_CLI_FLAG, TD_CLI_AT(quick), NULL, \
	 "at a small scale, in about a minute", TD_CLI_ANY}
#define TD_CLI_STUDY_OPTION(names, values) \
	{"study", 0, TD_CLI_TEXT, TD_CLI_AT(study), "NAME", \
	 "one part of the evaluation alone: " names " (all)", values}
#define TD_CLI_ONLY_OPTION(values) \
	{"only", 0, TD_CLI_TEXT, TD_CLI_AT(only), "APPS", \
	 "these applications alone, with commas between (all)", values}
#define TD_CLI_JOBS_OPTION \
	{"jobs", 'j', TD_CLI_NUMBER, TD_CLI_AT(jobs), "N", \
	 "runs at the same time (one per core)", TD_CLI_ANY}
/* clang-format on */

/* The arguments after the verb. -EINVAL where they are wrong. */
int td_cli_parse(const struct td_cli_verb *verb, int argc, char *const *argv,
		 struct td_cli_args *args, struct tide_error *err);

const struct td_cli_verb *td_cli_find_verb(const struct td_cli_verb *verbs, const char *name);

/* "unknown WHAT: did you mean X?", or the list of all where none is near. */
int td_cli_unknown(const char *what, const char *word, const char *const *names, size_t n,
		   struct tide_error *err);
int td_cli_unknown_verb(const struct td_cli_verb *verbs, const char *word, struct tide_error *err);

/* A user's word for an error line: bounded, without line breaks. */
static inline struct td_core_word td_cli_shown(const char *text)
{
	return td_core_shown(text, strlen(text));
}

#endif
