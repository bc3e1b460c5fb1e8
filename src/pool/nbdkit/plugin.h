/* The buffer pool as a block device: what the files of the nbdkit plugin share. One process serves
 * one file, so there is one pool; nbdkit hands its settings in before there is any handle. */
#ifndef TD_POOL_NBDKIT_PLUGIN_H
#define TD_POOL_NBDKIT_PLUGIN_H

#include <pthread.h>
#include <stdatomic.h>

#include "tide/pool.h"

/* ---- settings.c ---- */

/* Who opens the pool: the first client, or the server when it starts. */
enum td_nbdkit_when { TD_NBDKIT_FIRST, TD_NBDKIT_WRITE, TD_NBDKIT_READ };

struct td_nbdkit_settings {
	struct tide_pool_options pool;
	char *file, *device, *stats,
		*control; /* in full, since nbdkit leaves the folder it was started in */
	char *paths[3];   /* of evict, place and record, which come once each */
	unsigned paths_n;
	const char *open;
	enum td_nbdkit_when when;
};

extern const char td_nbdkit_help[];

int td_nbdkit_set(struct td_nbdkit_settings *s, const char *key, const char *value);
/* Reports wrong settings while the user still sees messages: later nbdkit is in the background. */
int td_nbdkit_try(const struct td_nbdkit_settings *s);
void td_nbdkit_unset(struct td_nbdkit_settings *s);

/* ---- paths.c ---- */

/* The value, or the full path that it is; NULL: reported. */
const char *td_nbdkit_value(struct td_nbdkit_settings *s, const char *key, const char *value);
void td_nbdkit_forget_paths(struct td_nbdkit_settings *s);
void td_nbdkit_say(void *arg, const char *text); /* why the pool ends the program */
/* ---- document.c ---- */

/* What statistics are of: the pool, once there is one, and its server. */
struct td_nbdkit_server {
	_Atomic(struct tide_pool *) pool;
	const char *file;
	uint64_t begun_ns;
	_Atomic bool read_only;
	_Atomic uint64_t connections, connections_total;
};

/* A JSON document. NULL: nbdkit_error() was told why. The caller frees it. */
char *td_nbdkit_document(struct td_nbdkit_server *server);

/* ---- stats.c ---- */

/* Statistics whenever SIGUSR1 comes, of the pool that there is by then. */
struct td_nbdkit_stats {
	struct td_nbdkit_server *server;
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

/* ---- control.c ---- */

/* A socket that gives the statistics to each client that connects. */
struct td_nbdkit_control {
	struct td_nbdkit_server *server;
	const char *path; /* NULL: none */
	int listener, wake;
	pthread_t thread;
};

/* Can there be such a socket? */
int td_nbdkit_control_try(const char *path);
int td_nbdkit_control_start(struct td_nbdkit_control *c);
void td_nbdkit_control_end(struct td_nbdkit_control *c);

#endif
