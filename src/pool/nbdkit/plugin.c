/* nbdkit-tide-plugin: a file as a block device, through the buffer pool.
 *
 *     nbdkit ./nbdkit-tide-plugin.so file=disk.img main=256M device=1G dedup=auto
 *
 * One pool serves all connections, and is the handle of each. The first connection opens it: by
 * then it is known whether nbdkit was started with -r, and threads may be made. */
#include <errno.h>

#include "plugin.h"

#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>

#define THREAD_MODEL NBDKIT_THREAD_MODEL_PARALLEL

static struct {
	struct td_nbdkit_settings settings;
	struct td_nbdkit_stats stats;
	_Atomic(struct tide_pool *) pool;
	pthread_mutex_t opening;
	bool read_only;
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

static int after_fork(void)
{
	plugin.stats.pool = &plugin.pool;
	plugin.stats.path = plugin.settings.stats;
	return td_nbdkit_stats_start(&plugin.stats);
}

/* Flushed first, so that the last statistics say what that wrote. What it could not write closing
 * tries again, and says. */
static void cleanup(void)
{
	struct tide_error err;
	if (plugin.pool && !plugin.read_only)
		tide_pool_flush(plugin.pool, &err);
	td_nbdkit_stats_end(&plugin.stats);
	if (tide_pool_close(plugin.pool, &err))
		nbdkit_error("%s", err.text);
	plugin.pool = NULL;
}

static void unload(void)
{
	td_nbdkit_unset(&plugin.settings);
}

/* ---- a connection ---- */

static int open_pool(bool read_only, struct tide_error *err)
{
	struct tide_pool_options o = plugin.settings.pool;
	struct tide_pool *pool;
	o.size = sizeof o;
	o.read_only = read_only;
	int rc = tide_pool_open(&pool, &o, err);
	if (rc)
		return rc;
	plugin.read_only = read_only;
	plugin.pool = pool;
	return 0;
}

/* A file that may not be written is served as one to be read. */
static int open_once(bool read_only, struct tide_error *err)
{
	if (plugin.pool)
		return 0;
	int rc = open_pool(read_only, err);
	if (read_only || (rc != -EACCES && rc != -EPERM && rc != -EROFS))
		return rc;
	nbdkit_debug("%s: serving it for reading", err->text);
	return open_pool(true, err);
}

static void *connect_client(int read_only)
{
	struct tide_error err;
	pthread_mutex_lock(&plugin.opening);
	int rc = open_once(read_only, &err);
	pthread_mutex_unlock(&plugin.opening);
	return answer(rc, &err) ? NULL : plugin.pool;
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
	return !plugin.read_only;
}

/* A flush covers the whole pool, so it also covers writes of other connections. */
static int can_multi_conn(void *pool)
{
	(void)pool;
	return 1;
}

/* By a flush of the pool after the write, which is as much as it can do. */
static int can_fua(void *pool)
{
	(void)pool;
	return NBDKIT_FUA_EMULATE;
}

/* What nbdkit reads and throws away stays in the pool. */
static int can_cache(void *pool)
{
	(void)pool;
	return NBDKIT_CACHE_EMULATE;
}

/* ---- requests ---- */

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
	(void)flags;
	return answer(tide_pool_write(pool, from, count, offset, &err), &err);
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
	(void)flags;
	return answer(tide_pool_trim(pool, offset, count, &err), &err);
}

static int zero(void *pool, uint32_t count, uint64_t offset, uint32_t flags)
{
	struct tide_error err;
	if (flags & NBDKIT_FLAG_MAY_TRIM)
		return trim(pool, count, offset, flags);
	return answer(tide_pool_zero(pool, offset, count, &err), &err);
}

/* No extents: what the file calls a hole may be dirty in the pool. No fast zeros: they are writes.
 */
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
	.get_size = get_size,
	.block_size = block_size,
	.can_write = can_write,
	.can_multi_conn = can_multi_conn,
	.can_fua = can_fua,
	.can_cache = can_cache,
	.pread = read_bytes,
	.pwrite = write_bytes,
	.flush = flush,
	.trim = trim,
	.zero = zero,
};

NBDKIT_REGISTER_PLUGIN(nbdkit)
