/* Checksums are made right first, so that what lies behind them is reached. */
#include <xxhash.h>

#include "fuzz_trace.h"
#include "trace/bytes.h"
#include "trace/tide_layout.h"

static void mend(uint8_t *p, size_t n)
{
	size_t at = HEAD_BYTES;

	if (n < HEAD_BYTES)
		return;
	store64(p + HEAD_SUM, XXH3_64bits(p, HEAD_SUM));
	while (n - at >= FRAME_BYTES && load32(p + at) == FRAME_TAG) {
		uint32_t stored = load32(p + at + FRAME_STORED);

		if (stored > n - at - FRAME_BYTES)
			break;
		store64(p + at + FRAME_SUM, XXH3_64bits_withSeed(p + at + FRAME_BYTES, stored,
								 XXH3_64bits(p + at, FRAME_SUM)));
		at += FRAME_BYTES + stored;
	}
	if (n - at >= END_BYTES)
		store64(p + n - END_BYTES + END_SUM, XXH3_64bits(p + n - END_BYTES, END_SUM));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n + 1);

	fuzz_trace(data, n, "tide", NULL);
	memcpy(copy, data, n);
	mend(copy, n);
	fuzz_trace(copy, n, "tide", NULL);
	free(copy);
	return 0;
}
