#include "verbs.h"

int td_cli_open_trace(const struct td_cli_trace_options *args, struct td_trace_source **source,
		      struct tide_error *err)
{
	struct td_trace_options options = {
		.path = args->given.words.at[0], .format = args->format, .columns = args->columns};
	int rc = td_lib_page_bytes(args->page, &options.page_bytes, err);

	return rc ? rc : td_trace_open(source, &options, err);
}

void td_cli_show_source(struct td_cli_progress *progress, const struct td_trace_source *source,
			uint64_t events)
{
	const struct td_trace_facts *facts = &source->facts;

	if (source->bytes_total)
		td_cli_progress_show(progress, source->bytes_done, source->bytes_total);
	else
		td_cli_progress_show(progress, events,
				     facts->accesses == TD_UNKNOWN ? 0 : facts->accesses);
}
