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
int td_cli_list_add(struct td_cli_list *list, const char *word, struct tide_error *err);

/* What every verb can be told: its options begin with this. */
struct td_cli_given {
	struct td_cli_list words;
	char *const *command; /* ends with a NULL; NULL: there is none */
	bool help;
};

struct td_cli_option;
struct td_cli_argv;

/* How the value of an option is kept, and in what. */
struct td_cli_kind {
	bool is_flag; /* takes no value */
	bool repeats; /* may be given several times */
	/* What to do instead of giving it several times; NULL: give it once. */
	const char *instead;
	int (*store)(void *at, const struct td_cli_option *o, const char *value,
		     struct tide_error *err);
	/* What is kept, as words of another command line; nothing where it was not given. */
	void (*put)(const void *at, const struct td_cli_option *o, struct td_cli_argv *to);
};

/* TD_CLI_TEXT and so on: a kind is one file, kind_NAME.c, which defines td_cli_kind_NAME. The build
 * lists them. */
#include <cli/kinds.h>

/* The names that a value can be, one by one; NULL behind the last. */
typedef const char *td_cli_name_at(size_t i);

/* Parameter i of what is called so, n bytes; false behind the last. */
struct tide_param;
typedef bool td_cli_param_at(const char *name, size_t n, size_t i, struct tide_param *out);

/* What the values of an option are, for completion: words, or names that a table has. */
struct td_cli_values {
	const char *const *words; /* NULL-ended */
	td_cli_name_at *name;
	td_cli_param_at *param; /* NULL: they have none */
};

#define TD_CLI_ANY NULL
#define TD_CLI_WORDS(...) \
	(&(const struct td_cli_values){.words = (const char *const[]){__VA_ARGS__, NULL}})
#define TD_CLI_NAMES(at) (&(const struct td_cli_values){.name = (at)})
#define TD_CLI_SPECS(at, parameter) \
	(&(const struct td_cli_values){.name = (at), .param = (parameter)})

/* values.c: names of tables. */
td_cli_name_at td_cli_policy_name, td_cli_evict_name, td_cli_prefetch_name, td_cli_place_name;
td_cli_name_at td_cli_evicts_name; /* "all", then the others */
td_cli_name_at td_cli_workload_name, td_cli_model_name;
td_cli_param_at td_cli_evict_param, td_cli_prefetch_param, td_cli_place_param;
td_cli_param_at td_cli_workload_param, td_cli_model_param;
td_cli_name_at td_cli_preset_name; /* of presets.c */
td_cli_name_at td_cli_read_format_name, td_cli_write_format_name;

/* Name i of the values; NULL behind the last. */
const char *td_cli_value_at(const struct td_cli_values *values, size_t i);

struct td_cli_option {
	const char *name; /* without the dashes */
	char letter;      /* 0: none */
	const struct td_cli_kind *kind;
	size_t offset;     /* in the options of the verb */
	const char *value; /* how the help writes it: "SIZE" */
	/* With %s where the values are to be listed. NULL: help and completion leave it out, as
	 * another spelling of the row before it, at the same offset, or since the verb refuses it.
	 */
	const char *help;
	const struct td_cli_values *values; /* NULL: anything */
};

/* Options end at the first word, or at --; all that follows is given.command, untouched. */
#define TD_CLI_COMMAND SIZE_MAX

struct td_cli_verb {
	const char *name;     /* "sim"; of a verb of `trace`: "info" */
	unsigned order;       /* among the verbs of the help: the least comes first */
	const char *synopsis; /* what follows the name */
	const char *summary;  /* one line, no full stop */
	const char *more;     /* paragraphs and examples of the help, or NULL */
	const struct td_cli_option *options;    /* ends with a row whose name is NULL */
	size_t options_bytes;                   /* of the struct that they are kept in */
	size_t words_min, words_max;            /* max TD_CLI_COMMAND: what follows is a command */
	const struct td_cli_values *words;      /* what its words can be; NULL: anything */
	const struct td_cli_verb *const *verbs; /* of its own, NULL-ended, or NULL */
	/* 0, a negative errno, or the exit status of a program that was run. */
	int (*run)(const void *options, struct tide_error *err);
};

/* All verbs, in no order. The build finds them: src/cli/cmd_NAME.c or the folder src/cli/NAME
 * defines td_cli_verb_NAME. */
extern const struct td_cli_verb *const td_cli_verb_table[];

/* The verb that comes after another one in the help; after NULL: the first; NULL behind the last.
 */
const struct td_cli_verb *td_cli_next_verb(const struct td_cli_verb *const *verbs,
					   const struct td_cli_verb *after);

/* Where a member is in the options of a verb. A file with a table of options defines TD_CLI_OPTIONS
 * as the struct that they are kept in; rows that verbs share name the members that it must have. */
#define TD_CLI_AT(member) offsetof(TD_CLI_OPTIONS, member)

/* clang-format off */
#define TD_CLI_FORMAT_AT(format, columns) \
	{"format", 0, TD_CLI_TEXT, TD_CLI_AT(format), "FORMAT", \
	 "format of the trace: %s (guessed)", \
	 TD_CLI_NAMES(td_cli_read_format_name)}, \
	{"columns", 0, TD_CLI_TEXT, TD_CLI_AT(columns), "LIST", \
	 "columns of csv, such as page=5,op=3; of jsonl: blocks=NAME", TD_CLI_ANY}
#define TD_CLI_FORMAT_OPTIONS TD_CLI_FORMAT_AT(format, columns)
#define TD_CLI_PAGE_AT(page) \
	{"page", 0, TD_CLI_TEXT, TD_CLI_AT(page), "SIZE", "bytes per page (4K)", TD_CLI_ANY}
#define TD_CLI_PAGE_OPTION TD_CLI_PAGE_AT(page)
#define TD_CLI_SEED_AT(seed) \
	{"seed", 0, TD_CLI_TEXT, TD_CLI_AT(seed), "N", \
	 "start of the random numbers (1)", TD_CLI_ANY}
#define TD_CLI_SEED_OPTION TD_CLI_SEED_AT(seed)
#define TD_CLI_WORKLOAD_AT(workload) \
	{"workload", 0, TD_CLI_TEXT, TD_CLI_AT(workload), "SPEC", \
	 "workload to generate: NAME or NAME:KEY=VALUE,KEY=VALUE (see tide workloads)", \
	 TD_CLI_SPECS(td_cli_workload_name, td_cli_workload_param)}
/* What all verbs name alike. kind: TD_CLI_ONE, or TD_CLI_LIST where there may be several. */
#define TD_CLI_NEAR_HELP \
	"near memory: bytes (512M), pages (1024p) or a share of the footprint (75%)"
#define TD_CLI_NEAR_AT(kind, near_size, help) \
	{"near", 0, kind, TD_CLI_AT(near_size), "SIZE", help, TD_CLI_ANY}, \
	{"sizes", 0, kind, TD_CLI_AT(near_size), "SIZE", NULL, TD_CLI_ANY}
#define TD_CLI_EVICT_AT(kind, evict, help) \
	{"evict", 0, kind, TD_CLI_AT(evict), "POLICY", help, TD_CLI_SPECS(td_cli_evict_name, td_cli_evict_param)}, \
	{"policy", 0, kind, TD_CLI_AT(evict), "POLICY", NULL, TD_CLI_SPECS(td_cli_evict_name, td_cli_evict_param)}
/* Of verbs that take several: `all` stands for every one (every.h). */
#define TD_CLI_EVICTS_AT(evict, help) \
	{"evict", 0, TD_CLI_LIST, TD_CLI_AT(evict), "POLICY", help, TD_CLI_SPECS(td_cli_evicts_name, td_cli_evict_param)}, \
	{"policy", 0, TD_CLI_LIST, TD_CLI_AT(evict), "POLICY", NULL, TD_CLI_SPECS(td_cli_evicts_name, td_cli_evict_param)}
#define TD_CLI_PREFETCH_AT(kind, prefetch, help) \
	{"prefetch", 0, kind, TD_CLI_AT(prefetch), "POLICY", help, \
	 TD_CLI_SPECS(td_cli_prefetch_name, td_cli_prefetch_param)}
#define TD_CLI_PLACE_AT(kind, place, help) \
	{"place", 0, kind, TD_CLI_AT(place), "POLICY", help, TD_CLI_SPECS(td_cli_place_name, td_cli_place_param)}
#define TD_CLI_POLICIES_AT(kind, policies) \
	{"policies", 0, kind, TD_CLI_AT(policies), "E+P", \
	 "one combination, --evict E with --prefetch P", TD_CLI_ANY}
#define TD_CLI_JSON_OPTION \
	{"json", 0, TD_CLI_FLAG, TD_CLI_AT(json), NULL, "print one JSON document", TD_CLI_ANY}
#define TD_CLI_CSV_OPTION \
	{"csv", 0, TD_CLI_FLAG, TD_CLI_AT(csv), NULL, "print plain numbers as CSV", TD_CLI_ANY}
#define TD_CLI_PROGRESS_OPTION \
	{"progress", 0, TD_CLI_TEXT, TD_CLI_AT(progress), "WHEN", \
	 "show progress on standard error: always, never or auto (auto: if it is a terminal)", \
	 TD_CLI_WORDS("auto", "always", "never")}
#define TD_CLI_JOBS_OPTION \
	{"jobs", 'j', TD_CLI_NUMBER, TD_CLI_AT(jobs), "N", \
	 "runs at the same time (one per core)", TD_CLI_ANY}
#define TD_CLI_HELP_OPTION \
	{"help", 'h', TD_CLI_FLAG, offsetof(struct td_cli_given, help), NULL, "show this help", \
	 TD_CLI_ANY}
#define TD_CLI_END_OPTIONS {NULL, 0, NULL, 0, NULL, NULL, NULL}

/* The input of a run: a trace or a workload. */
struct td_cli_input {
	const char *trace, *workload, *format, *columns;
};
#define TD_CLI_INPUT_OPTIONS(in, trace_help) \
	{"trace", 0, TD_CLI_TEXT, TD_CLI_AT(in.trace), "FILE", trace_help, TD_CLI_ANY}, \
	TD_CLI_WORKLOAD_AT(in.workload), \
	TD_CLI_FORMAT_AT(in.format, in.columns)

/* All of a simulated run but for the policies. */
struct td_cli_setup {
	struct td_cli_input in;
	const char *near_size, *host, *page, *chunk, *seed, *model, *split;
	const char *watchdog;
	bool functional, replace_invalid, objects, flush;
};
#define TD_CLI_SETUP_OPTIONS(setup, trace_help, near_kind, near_size) \
	TD_CLI_INPUT_OPTIONS(setup.in, trace_help), \
	TD_CLI_NEAR_AT(near_kind, near_size, TD_CLI_NEAR_HELP), \
	TD_CLI_PAGE_AT(setup.page), \
	{"chunk", 0, TD_CLI_TEXT, TD_CLI_AT(setup.chunk), "SIZE", \
	 "bytes per chunk, 1 to 64 pages (64K)", TD_CLI_ANY}
#define TD_CLI_HOST_OPTION(setup) \
	{"host", 0, TD_CLI_TEXT, TD_CLI_AT(setup.host), "SIZE", \
	 "host memory behind near memory, with --place: as --near, or 0", TD_CLI_ANY}
#define TD_CLI_FLUSH_AT(flush) \
	{"flush", 0, TD_CLI_FLAG, TD_CLI_AT(flush), NULL, \
	 "with --place: at the end, write dirty pages of tiers 1 and 2 to storage", TD_CLI_ANY}
#define TD_CLI_MODEL_OPTIONS(setup) \
	{"functional", 0, TD_CLI_FLAG, TD_CLI_AT(setup.functional), NULL, \
	 "run without a clock: counts, no times (the default)", TD_CLI_ANY}, \
	{"model", 0, TD_CLI_TEXT, TD_CLI_AT(setup.model), "MODEL", \
	 "run with the clock of a machine: NAME or NAME:KEY=VALUE,.. (see tide models)", \
	 TD_CLI_SPECS(td_cli_model_name, td_cli_model_param)}
#define TD_CLI_PRESET_AT(preset) \
	{"preset", 0, TD_CLI_TEXT, TD_CLI_AT(preset), "NAME", \
	 "page, chunk and prefetch, if not given, of a world: %s", TD_CLI_NAMES(td_cli_preset_name)}
#define TD_CLI_PRESET_PAGE_OPTION \
	{"preset", 0, TD_CLI_TEXT, TD_CLI_AT(preset), "NAME", \
	 "page, if not given, of a world: %s", TD_CLI_NAMES(td_cli_preset_name)}
#define TD_CLI_SPLIT_AT(split) \
	{"split", 0, TD_CLI_TEXT, TD_CLI_AT(split), "HOW", \
	 "a cache per stream: stream, or stream:shares=lru (one cache for all)", \
	 TD_CLI_WORDS("stream", "stream:shares=lru")}
#define TD_CLI_OBJECTS_AT(objects) \
	{"objects", 0, TD_CLI_FLAG, TD_CLI_AT(objects), NULL, \
	 "objects have the sizes and costs of the trace; near memory is bytes", TD_CLI_ANY}
#define TD_CLI_ERRORS_OPTION(replace_invalid) \
	{"replace-invalid", 0, TD_CLI_FLAG, TD_CLI_AT(replace_invalid), NULL, \
	 "count and replace invalid answers of a policy instead of stopping", TD_CLI_ANY}
#define TD_CLI_WATCHDOG_OPTION(watchdog) \
	{"watchdog", 0, TD_CLI_TEXT, TD_CLI_AT(watchdog), "TIME", \
	 "end the run if a policy does not return for so long (10s); 0: never", TD_CLI_ANY}
/* clang-format on */

/* Of a verb that has verbs and no options of its own, kept in struct td_cli_given. */
extern const struct td_cli_option td_cli_help_alone[];

/* The arguments after the verb, into its options. -EINVAL where they are wrong. */
int td_cli_parse(const struct td_cli_verb *verb, int argc, char *const *argv, void *options,
		 struct tide_error *err);

const struct td_cli_verb *td_cli_find_verb(const struct td_cli_verb *const *verbs,
					   const char *name);

/* "unknown WHAT: did you mean X?", or the list of all where none is near. */
int td_cli_unknown(const char *what, const char *word, const char *const *names, size_t n,
		   struct tide_error *err);
int td_cli_unknown_verb(const struct td_cli_verb *const *verbs, const char *word,
			struct tide_error *err);

/* How long E of "E+P" is: the last plus sign separates the two, since values of an eviction policy
 * may hold some. 0: it is no combination. */
size_t td_cli_pair_plus(const char *text, struct tide_error *err);

/* A user's word for an error line: bounded, without line breaks. */
static inline struct td_core_word td_cli_shown(const char *text)
{
	return td_core_shown(text, strlen(text));
}

#endif
