/* What the verbs of tide trace share. */
#ifndef TD_CLI_TRACE_VERBS_H
#define TD_CLI_TRACE_VERBS_H

#include "cli/cli.h"
#include "lib/sizes.h"
#include "trace/trace.h"

struct td_cli_trace_options {
	struct td_cli_given given;
	const char *format, *columns, *page, *to, *workload, *seed, *progress;
	uint64_t count, from; /* 0: not given */
	bool force, json;
};

int td_cli_trace_info(const void *options, struct tide_error *err);     /* info.c */
int td_cli_trace_head(const void *options, struct tide_error *err);     /* head.c */
int td_cli_trace_convert(const void *options, struct tide_error *err);  /* write.c */
int td_cli_trace_generate(const void *options, struct tide_error *err); /* write.c */

/* open.c: the trace that the first word names; and how far it is read. */
int td_cli_open_trace(const struct td_cli_trace_options *args, struct td_trace_source **source,
		      struct tide_error *err);
void td_cli_show_source(struct td_cli_progress *progress, const struct td_trace_source *source,
			uint64_t events);

#endif
