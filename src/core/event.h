/* One access as the rooms hand it on. Programs and the library exchange struct td_event. */
#ifndef TD_CORE_EVENT_H
#define TD_CORE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct td_event {
	uint64_t page;
	uint64_t ref;    /* id of the instruction that made the access, 0 if unknown */
	uint64_t stream; /* id of the thread or device queue, 0 if unknown */
	bool write;
};

#endif
