/* Failures on demand, for tests. Requests are counted, and every n-th one fails. */
#ifndef TD_TIERS_INJECT_H
#define TD_TIERS_INJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "tide/error.h"

struct td_inject {
	_Atomic uint64_t reads, writes, maps;          /* started so far */
	uint64_t read_every, write_every, short_every; /* 0: never */
	uint64_t map_every;
	int read_error, write_error, map_error; /* negative */
	uint64_t delay_ns;
	bool sync; /* no io_uring */
};

/* The text of td_io_open(), or NULL. */
int td_inject_parse(struct td_inject *in, const char *text, struct tide_error *err);

/* A request starts. Gives 0, or the error that it fails with. *cut: the request must be short. */
int td_inject_count(struct td_inject *in, bool write, bool *cut);
/* Pages are to be mapped: the same. */
int td_inject_map(struct td_inject *in);

#endif
