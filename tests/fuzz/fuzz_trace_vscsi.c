#include "fuzz_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_trace(data, n, "vscsi", NULL);
	return 0;
}
