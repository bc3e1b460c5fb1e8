/* Opens the input of a run or of a curve. */
#include "lib.h"

static int open_source(struct td_trace_source **out, const struct td_lib_input *in,
		       struct tide_error *err)
{
	if (in->accesses)
		return td_lib_arrays_open(out, in->accesses, in->trace.digest, err);
	if (in->workload)
		return td_workload_open(out, in->workload, in->trace.page_bytes, in->seed, err);
	return td_trace_open(out, &in->trace, err);
}

int td_lib_input_open(struct td_trace_source **out, const struct td_lib_input *in,
		      struct tide_error *err)
{
	int rc = open_source(out, in, err);
	if (!rc)
		(*out)->stop = in->stop;
	return rc;
}
