/* What the verbs of tide trace share. */
#ifndef TD_CLI_TRACE_VERBS_H
#define TD_CLI_TRACE_VERBS_H

#include "cli.h"
#include "lib/sizes.h"
#include "trace/trace.h"

int td_cli_open_trace(const struct td_cli_args *args, struct td_trace_source **source,
		      struct tide_error *err);
void td_cli_show_source(struct td_cli_progress *progress, const struct td_trace_source *source,
			uint64_t events);
json_t *td_cli_json_u64(uint64_t n);

#endif
