/* Addresses in hexadecimal digits without 0x, as tools print them. */
#ifndef TD_TRACE_HEX_H
#define TD_TRACE_HEX_H

#include <stdint.h>

#include "core/text.h"

/* Up to 16 digits at p, which end before some other byte. Returns where; NULL: none or too many. */
static inline const unsigned char *td_trace_hex(const unsigned char *p, uint64_t *value)
{
	uint64_t v = 0;
	int n = 0;

	for (;; n++, p++) {
		int c = *p | 0x20;

		if (*p >= '0' && *p <= '9')
			v = v << 4 | (uint64_t)(*p - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	*value = v;
	return n > 0 && n <= 16 ? p : NULL;
}

#endif
