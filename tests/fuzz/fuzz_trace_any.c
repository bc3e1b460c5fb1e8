/* No format said: the guess, and gzip and zstd. */
#include "fuzz_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_trace(data, n, NULL, NULL);
	return 0;
}
