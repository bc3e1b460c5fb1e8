/* A write that storage may have or not; its bytes follow. */
#ifndef POOL_POWER_H
#define POOL_POWER_H

#include <stdint.h>

struct record {
	uint64_t at, bytes;
};

#define MOST (1u << 20) /* bytes of one write */

#endif
