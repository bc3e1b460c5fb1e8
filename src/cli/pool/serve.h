/* tide pool serve and tide pool status. */
#ifndef TD_CLI_POOL_SERVE_H
#define TD_CLI_POOL_SERVE_H

#include <limits.h>

#include "cli/cli.h"
#include "tide/pool.h"

extern const struct td_cli_verb td_cli_pool_serve, td_cli_pool_status;

/* ---- where.c ---- */

/* Where a server can be reached. */
struct td_pool_where {
	char socket[PATH_MAX]; /* in full; "": by TCP */
	char control[PATH_MAX];
	char uri[3 * PATH_MAX + 32];
};

/* One of socket and port. control NULL: beside the socket, or by the port. */
int td_pool_where(struct td_pool_where *w, const char *socket, const char *address, uint64_t port,
		  const char *control, struct tide_error *err);
/* The control socket of a server, named as a user does: by its socket, its port, or itself. */
int td_pool_where_control(const char *name, char path[PATH_MAX], struct tide_error *err);
/* For one server at a time to start in the folder of this file. -1: the folder cannot be locked;
 * the lock only matters where two servers are started at the same time. */
int td_pool_where_lock(const char *path);

/* ---- nbdkit.c ---- */

struct td_pool_server {
	char *const *argv;
	const struct td_pool_where *where;
	/* Once, when clients can connect. */
	void (*announce)(void *arg, pid_t pid);
	void *arg;
	/* Of this file */
	int said, signals;
	pid_t pid;
	char log[4096]; /* what it said last, until it is ready */
	size_t log_n;
	bool is_ready, is_told; /* to end */
	int status;
};

/* Until it has ended; it is told to if this process is. The process must end soon after. */
int td_pool_server_run(struct td_pool_server *s, struct tide_error *err);

/* ---- figures.c ---- */

/* A document of a server, and the one before it; NULL: since the server began. */
struct td_pool_seen {
	json_t *now, *before;
};

double td_pool_seen_seconds(const struct td_pool_seen *s);
/* Of "counts", "pool" or "server"; 0: it is not there. */
uint64_t td_pool_seen_at(const json_t *document, const char *object, const char *key);
/* A count since the one before, per second. */
double td_pool_seen_rate(const struct td_pool_seen *s, const char *count);
int td_pool_print_status(const struct td_pool_seen *s, struct tide_error *err);
int td_pool_print_prometheus(const json_t *document, struct tide_error *err);

/* Does the pool have this count? It does not have all of counters.def. */
bool td_pool_has_count(const char *name);

#endif
