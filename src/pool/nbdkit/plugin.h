/* The buffer pool as a block device: what the files of the nbdkit plugin share. One process serves
 * one file, so there is one pool; nbdkit hands its settings in before there is any handle. */
#ifndef TD_POOL_NBDKIT_PLUGIN_H
#define TD_POOL_NBDKIT_PLUGIN_H

#include <pthread.h>
#include <stdatomic.h>

#include "tide/pool.h"

/* ---- settings.c ---- */

struct td_nbdkit_settings {
	struct tide_pool_options pool;
	char *file, *stats; /* in full, since nbdkit leaves the folder it was started in */
};

extern const char td_nbdkit_help[];

int td_nbdkit_set(struct td_nbdkit_settings *s, const char *key, const char *value);
/* Reports wrong settings while the user still sees messages: later nbdkit is in the background. */
int td_nbdkit_try(const struct td_nbdkit_settings *s);
void td_nbdkit_unset(struct td_nbdkit_settings *s);

/* ---- stats.c ---- */

/* Statistics whenever SIGUSR1 comes, of the pool that there is by then. */
struct td_nbdkit_stats {
	_Atomic(struct tide_pool *) *pool;
	const char *path; /* NULL: standard error */
	pthread_t thread;
	_Atomic bool ending;
};

/* Can that file be written? */
int td_nbdkit_stats_try(const char *path);
/* From now on the signal does not end the process; what it runs has it as ever. */
void td_nbdkit_stats_expect(void);
/* Before there are other threads: all that follow leave the signal to this one. */
int td_nbdkit_stats_start(struct td_nbdkit_stats *s);
/* Once more, and never again. */
void td_nbdkit_stats_end(struct td_nbdkit_stats *s);

#endif
