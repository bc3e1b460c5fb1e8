/* The statistics of a server, for all that ask: the file of SIGUSR1, and the control socket. */
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/clock.h"
#include "plugin.h"

#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>

/* Before there is a pool the keys are there too. */
static json_t *begin(struct tide_pool *pool)
{
	struct tide_error err;
	char *text = NULL;
	json_t *o;
	if (!pool)
		return json_pack("{ss ss sn sn sn}", "tide", TD_NBDKIT_VERSION, "verb", "pool",
				 "config", "counts", "pool");
	if (tide_pool_stats_json(pool, &text, &err)) {
		nbdkit_error("%s", err.text);
		return NULL;
	}
	o = json_loads(text, 0, NULL);
	free(text);
	return o;
}

/* Names of files may be anything, and JSON is UTF-8. */
static json_t *name(const char *text)
{
	json_t *o = json_string(text);
	return o ? o : json_string("(not UTF-8)");
}

static json_t *about(struct td_nbdkit_server *s)
{
	return json_pack("{so sI sb sf sI sI}", "file", name(s->file), "pid", (json_int_t)getpid(),
			 "read_only", (int)s->read_only, "uptime_seconds",
			 (double)(td_clock_ns() - s->begun_ns) / 1e9, "connections",
			 (json_int_t)s->connections, "connections_total",
			 (json_int_t)s->connections_total);
}

char *td_nbdkit_document(struct td_nbdkit_server *server)
{
	json_t *o = begin(atomic_load(&server->pool));
	if (!o)
		return NULL;
	json_object_set_new(o, "server", about(server));
	char *text = json_dumps(o, JSON_INDENT(2));
	json_decref(o);
	if (!text)
		nbdkit_error("no memory for statistics: free some");
	return text;
}
