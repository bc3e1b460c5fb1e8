/* A first line that starts with @ is the text of --columns. */
#include "fuzz_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const uint8_t *line = n ? memchr(data, '\n', n) : NULL;
	char *columns = NULL;

	if (line && *data == '@') {
		columns = strndup((const char *)data + 1, (size_t)(line - data) - 1);
		n -= (size_t)(line + 1 - data);
		data = line + 1;
	}
	fuzz_trace(data, n, "csv", columns);
	free(columns);
	return 0;
}
