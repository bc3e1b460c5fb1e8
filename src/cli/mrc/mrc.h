/* The parts of tide mrc. */
#ifndef TD_CLI_MRC_H
#define TD_CLI_MRC_H

#include <math.h>

#include "../braces.h"
#include "../cli.h"
#include "../plot.h"

#define TD_CLI_MRC_CURVES 60

struct td_cli_mrc_options {
	struct td_cli_given given;
	struct td_cli_input in;
	const char *page, *preset, *seed, *sample, *plot, *width, *colours, *progress;
	struct td_cli_list evict, near_size;
	uint64_t jobs; /* 0: not given */
	bool exact, verify, objects, json, csv;
};

struct td_cli_mrc_curve {
	const char *policy;
	struct tide_mrc *mrc;
	double off; /* true mean error of a sampled curve; below 0: not looked at */
};

struct td_cli_mrc {
	const struct td_cli_mrc_options *args;
	struct td_cli_axis evict; /* what is asked for */
	char *sizes;              /* likewise, with commas; NULL: as many as is usual */
	size_t n;
	struct td_cli_mrc_curve at[TD_CLI_MRC_CURVES];
	uint64_t page_bytes, seed;
	double seconds;
	struct td_report_look look; /* of the figure */
	struct td_cli_progress progress;
	struct td_lib_room room;
	struct td_lib_reading *reading; /* of all curves; NULL: there is one, or no memory */
};

/* NULL: all pages. */
static inline const char *td_cli_mrc_sample(const struct td_cli_mrc_options *args)
{
	return args->exact ? NULL : args->sample ? args->sample : "auto";
}

static inline bool td_cli_mrc_is_sampled(const struct tide_mrc *m)
{
	return m->sampled_accesses < m->accesses;
}

/* What a miss is a share of. COUNT: of accesses. PREFIX: the same, but hits behind the first miss
 * of their group do not count. The others are for objects with sizes. */
enum td_cli_mrc_by { TD_CLI_MRC_COUNT, TD_CLI_MRC_PREFIX, TD_CLI_MRC_BYTES, TD_CLI_MRC_COST };

/* NAN: the curve does not have it. */
static inline double td_cli_mrc_ratio(const struct tide_mrc *m, size_t i, enum td_cli_mrc_by by)
{
	switch (by) {
	case TD_CLI_MRC_COUNT: return m->at[i].miss_ratio;
	case TD_CLI_MRC_PREFIX:
		return m->prefix_hits ? 1 - (double)m->prefix_hits[i] / (double)m->accesses : NAN;
	case TD_CLI_MRC_BYTES: return m->objects[i].byte_miss_ratio;
	case TD_CLI_MRC_COST: return m->objects[i].cost_miss_ratio;
	}
	return NAN;
}

/* show.c, json.c: all curves, for people and as a document. */
void td_cli_mrc_show_head(const struct td_cli_mrc *all);
int td_cli_mrc_show_tables(const struct td_cli_mrc *all, struct tide_error *err);
void td_cli_mrc_show_speed(const struct td_cli_mrc *all);
int td_cli_mrc_json(const struct td_cli_mrc *all, struct tide_error *err);
/* csv.c: a row for every point. */
void td_cli_mrc_csv(const struct td_cli_mrc *all);

#endif
