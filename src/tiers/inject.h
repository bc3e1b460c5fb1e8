/* Failures on demand, for tests: which request fails is a matter of counting. */
#ifndef TD_TIERS_INJECT_H
#define TD_TIERS_INJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "tide/error.h"

struct td_inject {
	_Atomic uint64_t reads, writes;                /* started so far */
	uint64_t read_every, write_every, short_every; /* 0: never */
	int read_error, write_error;                   /* negative */
	uint64_t delay_ns;
	bool sync; /* no io_uring */
};

/* The text of td_io_open(), or NULL. */
int td_inject_parse(struct td_inject *in, const char *text, struct tide_error *err);

/* A request starts: 0, or what it fails with. *cut: it is to be short. */
int td_inject_count(struct td_inject *in, bool write, bool *cut);

#endif
