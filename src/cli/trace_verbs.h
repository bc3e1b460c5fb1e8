/* What the verbs of tide trace share. */
#ifndef TD_CLI_TRACE_VERBS_H
#define TD_CLI_TRACE_VERBS_H

#include "cli.h"
#include "lib/sizes.h"
#include "trace/trace.h"

struct td_cli_trace_options {
	struct td_cli_given given;
	const char *format, *columns, *page, *to, *workload, *seed, *progress;
	uint64_t count, from; /* 0: not given */
	bool force, json;
};

int td_cli_trace_info(const void *options, struct tide_error *err); /* trace_info.c */

int td_cli_open_trace(const struct td_cli_trace_options *args, struct td_trace_source **source,
		      struct tide_error *err);
void td_cli_show_source(struct td_cli_progress *progress, const struct td_trace_source *source,
			uint64_t events);
json_t *td_cli_json_u64(uint64_t n);

#endif
