/* nbdkit-tide-plugin: a file as a block device, through the buffer pool.
 *
 *     nbdkit ./nbdkit-tide-plugin.so file=disk.img main=256M device=1G dedup=auto
 *
 * One pool serves all connections, and is the handle of each. If nothing else is asked for, the
 * first connection opens it: by then it is known whether nbdkit was started with -r. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "plugin.h"

#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>

#define THREAD_MODEL NBDKIT_THREAD_MODEL_PARALLEL

static struct {
	struct td_nbdkit_settings settings;
	struct td_nbdkit_server server;
	struct td_nbdkit_stats stats;
	struct td_nbdkit_control control;
	pthread_mutex_t opening;
} plugin = {.opening = PTHREAD_MUTEX_INITIALIZER};

/* The protocol has a name for these; any other would reach the client as EINVAL, its own fault. */
static int known(int error)
{
	static const int names[] = {EPERM, EROFS, EIO, ENOMEM, ENOSPC, EDQUOT, EFBIG, EINVAL};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i] == error)
			return error;
	return EIO;
}

static int answer(int rc, const struct tide_error *err)
{
	if (!rc)
		return 0;
	nbdkit_set_error(known(-rc));
	nbdkit_error("%s", err->text);
	return -1;
}

/* ---- the pool ---- */

/* Where the user does not say. To a policy, a page that was read ahead would look as if it had been
 * used twice; and a record is to have every read. */
static void set_defaults(struct tide_pool_options *o)
{
	bool policy = o->evict && strcmp(o->evict, "lru") != 0;
	if (!o->dirty)
		o->dirty = "64M";
	if (!o->ahead && !policy && !o->place && !o->record)
		o->ahead = "1M";
	if (!o->straight && !o->record)
		o->straight = "1M";
}

static int open_pool(bool read_only, struct tide_error *err)
{
	struct tide_pool_options o = plugin.settings.pool;
	struct tide_pool *pool;
	o.size = sizeof o;
	o.read_only = read_only;
	set_defaults(&o);
	int rc = tide_pool_open(&pool, &o, err);
	if (rc)
		return rc;
	plugin.server.read_only = read_only;
	plugin.server.pool = pool;
	return 0;
}

/* A file that may not be written is served as one to be read. */
static int open_once(bool read_only, struct tide_error *err)
{
	if (plugin.server.pool)
		return 0;
	int rc = open_pool(read_only, err);
	if (read_only || (rc != -EACCES && rc != -EPERM && rc != -EROFS))
		return rc;
	nbdkit_debug("%s: serving it for reading", err->text);
	return open_pool(true, err);
}

static void end_badly(void)
{
	_exit(EXIT_FAILURE);
}

/* nbdkit itself would end with success. */
static void close_pool(void)
{
	struct tide_error err;
	int rc = tide_pool_close(plugin.server.pool, &err);
	plugin.server.pool = NULL;
	if (!rc)
		return;
	nbdkit_error("%s", err.text);
	if (atexit(end_badly))
		nbdkit_error("the exit status does not say so");
}

/* ---- the server's life ---- */

static int config(const char *key, const char *value)
{
	return td_nbdkit_set(&plugin.settings, key, value);
}

/* nbdkit tells its pid before after_fork(). */
static int get_ready(void)
{
	td_nbdkit_stats_expect();
	return td_nbdkit_try(&plugin.settings);
}

static int start(void)
{
	const struct td_nbdkit_settings *s = &plugin.settings;
	struct tide_error err;
	plugin.server.file = s->file;
	plugin.server.begun_ns = td_clock_ns();
	plugin.stats.server = plugin.control.server = &plugin.server;
	plugin.stats.path = s->stats;
	plugin.control.path = s->control;
	if (td_nbdkit_stats_start(&plugin.stats))
		return -1;
	if (s->when != TD_NBDKIT_FIRST)
		return answer(open_once(s->when == TD_NBDKIT_READ, &err), &err);
	return 0;
}

/* The control socket comes last: whoever can connect to it knows that all is well. */
static int after_fork(void)
{
	return start() ? -1 : td_nbdkit_control_start(&plugin.control);
}

/* Flushed first, so that the last statistics say what that wrote. What it could not write closing
 * tries again, and says. */
static void cleanup(void)
{
	struct tide_error err;
	td_nbdkit_control_end(&plugin.control);
	if (plugin.server.pool && !plugin.server.read_only)
		tide_pool_flush(plugin.server.pool, &err);
	td_nbdkit_stats_end(&plugin.stats);
	close_pool();
}

static void unload(void)
{
	td_nbdkit_unset(&plugin.settings);
}

/* ---- a connection ---- */

static void *connect_client(int read_only)
{
	struct tide_error err;
	pthread_mutex_lock(&plugin.opening);
	int rc = open_once(read_only, &err);
	pthread_mutex_unlock(&plugin.opening);
	if (answer(rc, &err))
		return NULL;
	plugin.server.connections++;
	plugin.server.connections_total++;
	return plugin.server.pool;
}

static void disconnect_client(void *pool)
{
	(void)pool;
	plugin.server.connections--;
}

static int64_t get_size(void *pool)
{
	return (int64_t)tide_pool_bytes(pool);
}

static int block_size(void *pool, uint32_t *minimum, uint32_t *preferred, uint32_t *maximum)
{
	*minimum = 1;
	*preferred = tide_pool_page_bytes(pool);
	*maximum = UINT32_MAX;
	return 0;
}

static int can_write(void *pool)
{
	(void)pool;
	return !plugin.server.read_only;
}

/* A flush covers the whole pool, so it also covers writes of other connections. */
static int can_multi_conn(void *pool)
{
	(void)pool;
	return 1;
}

/* By a sync of the range after the write. */
static int can_fua(void *pool)
{
	(void)pool;
	return NBDKIT_FUA_NATIVE;
}

static int can_cache(void *pool)
{
	(void)pool;
	return NBDKIT_CACHE_NATIVE;
}

static int always(void *pool)
{
	(void)pool;
	return 1;
}

/* ---- requests ---- */

/* Ends a request that changed a range. */
static int end_write(void *pool, int rc, uint64_t offset, uint64_t count, uint32_t flags,
		     struct tide_error *err)
{
	if (!rc && flags & NBDKIT_FLAG_FUA)
		rc = tide_pool_sync(pool, offset, count, err);
	return answer(rc, err);
}

static int read_bytes(void *pool, void *to, uint32_t count, uint64_t offset, uint32_t flags)
{
	struct tide_error err;
	(void)flags;
	return answer(tide_pool_read(pool, to, count, offset, &err), &err);
}

static int write_bytes(void *pool, const void *from, uint32_t count, uint64_t offset,
		       uint32_t flags)
{
	struct tide_error err;
	int rc = tide_pool_write(pool, from, count, offset, &err);
	return end_write(pool, rc, offset, count, flags, &err);
}

static int flush(void *pool, uint32_t flags)
{
	struct tide_error err;
	(void)flags;
	return answer(tide_pool_flush(pool, &err), &err);
}

static int trim(void *pool, uint32_t count, uint64_t offset, uint32_t flags)
{
	struct tide_error err;
	int rc = tide_pool_trim(pool, offset, count, &err);
	return end_write(pool, rc, offset, count, flags, &err);
}

/* A slow zero that was to be fast is the client's to write, and no error. */
static int zero(void *pool, uint32_t count, uint64_t offset, uint32_t flags)
{
	struct tide_error err;
	unsigned how = flags & NBDKIT_FLAG_MAY_TRIM ? 0 : TIDE_POOL_KEEP;
	if (flags & NBDKIT_FLAG_FAST_ZERO)
		how |= TIDE_POOL_FAST;
	int rc = tide_pool_clear(pool, offset, count, how, &err);
	if (rc == -EOPNOTSUPP) {
		nbdkit_set_error(EOPNOTSUPP);
		return -1;
	}
	return end_write(pool, rc, offset, count, flags, &err);
}

static int cache(void *pool, uint32_t count, uint64_t offset, uint32_t flags)
{
	struct tide_error err;
	(void)flags;
	return answer(tide_pool_prefetch(pool, offset, count, &err), &err);
}

/* ---- extents ---- */

struct parts {
	struct nbdkit_extents *to;
	bool one, failed;
};

static bool add_part(void *arg, uint64_t offset, uint64_t bytes, bool is_hole)
{
	struct parts *p = arg;
	uint32_t type = is_hole ? NBDKIT_EXTENT_HOLE | NBDKIT_EXTENT_ZERO : 0;
	p->failed = nbdkit_add_extent(p->to, offset, bytes, type) != 0;
	return !p->failed && !p->one;
}

static int extents(void *pool, uint32_t count, uint64_t offset, uint32_t flags,
		   struct nbdkit_extents *to)
{
	struct parts p = {.to = to, .one = flags & NBDKIT_FLAG_REQ_ONE};
	struct tide_error err;
	int rc = tide_pool_extents(pool, offset, count, add_part, &p, &err);
	return p.failed ? -1 : answer(rc, &err);
}

static struct nbdkit_plugin nbdkit = {
	.name = "tide",
	.longname = "tide buffer pool",
	.version = TD_NBDKIT_VERSION,
	.description = "A file through a cache in main memory and device memory, equal blocks once",
	.magic_config_key = "file",
	.config = config,
	.config_help = td_nbdkit_help,
	.get_ready = get_ready,
	.after_fork = after_fork,
	.cleanup = cleanup,
	.unload = unload,
	.open = connect_client,
	.close = disconnect_client,
	.get_size = get_size,
	.block_size = block_size,
	.can_write = can_write,
	.can_multi_conn = can_multi_conn,
	.can_fua = can_fua,
	.can_cache = can_cache,
	.can_fast_zero = always,
	.can_extents = always,
	.pread = read_bytes,
	.pwrite = write_bytes,
	.flush = flush,
	.trim = trim,
	.zero = zero,
	.cache = cache,
	.extents = extents,
};

NBDKIT_REGISTER_PLUGIN(nbdkit)
