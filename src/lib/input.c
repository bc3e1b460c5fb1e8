/* Opens the input of a run or of a curve. */
#include "lib.h"

int td_lib_input_open(struct td_trace_source **out, const struct td_lib_input *in,
		      struct tide_error *err)
{
	return in->workload
		       ? td_workload_open(out, in->workload, in->trace.page_bytes, in->seed, err)
		       : td_trace_open(out, &in->trace, err);
}
