/* The settings of nbdkit's command line. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin.h"

#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>

static const struct key {
	const char *name;
	size_t at;
} keys[] = {
#define TD_KEY(name, member, help) {name, offsetof(struct tide_pool_options, member)},
#include "keys.def"
#undef TD_KEY
};

const char td_nbdkit_help[] =
#define TD_KEY(name, member, help) name help "\n"
#include "keys.def"
#undef TD_KEY
	"stats=FILE        statistics as JSON, on SIGUSR1 and in the end (standard error)";

/* ---- keys ---- */

static const char **member(struct td_nbdkit_settings *s, const char *name)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!strcmp(name, keys[i].name))
			return (const char **)(void *)((char *)&s->pool + keys[i].at);
	return NULL;
}

static int refuse_key(const char *name)
{
	char all[256] = "";
	for (size_t i = 0, n = 0; i < sizeof keys / sizeof *keys; i++, n = strlen(all))
		snprintf(all + n, sizeof all - n, "%s, ", keys[i].name);
	nbdkit_error("unknown key '%s': give %sstats", name, all);
	return -1;
}

static int refuse_second(const char *name)
{
	nbdkit_error("two values for '%s': give one", name);
	return -1;
}

static int set_stats(struct td_nbdkit_settings *s, const char *value)
{
	if (s->stats)
		return refuse_second("stats");
	s->stats = nbdkit_absolute_path(value);
	return s->stats ? 0 : -1;
}

static int set_file(struct td_nbdkit_settings *s, const char *value)
{
	s->pool.path = s->file = nbdkit_realpath(value);
	return s->file ? 0 : -1;
}

int td_nbdkit_set(struct td_nbdkit_settings *s, const char *key, const char *value)
{
	if (!strcmp(key, "stats"))
		return set_stats(s, value);
	const char **at = member(s, key);
	if (!at)
		return refuse_key(key);
	if (*at)
		return refuse_second(key);
	if (at == &s->pool.path)
		return set_file(s, value);
	*at = value;
	return 0;
}

void td_nbdkit_unset(struct td_nbdkit_settings *s)
{
	free(s->file);
	free(s->stats);
	*s = (struct td_nbdkit_settings){0};
}

/* ---- a try ---- */

static void try_here(const struct td_nbdkit_settings *s, int to)
{
	struct tide_pool_options o = s->pool;
	struct tide_pool *pool;
	struct tide_error err = {0};
	o.size = sizeof o;
	o.read_only = true;
	tide_pool_open(&pool, &o, &err);
	ssize_t n = write(to, &err, sizeof err);
	_exit(n != sizeof err);
}

static int await(pid_t child)
{
	int status;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

/* In a child: neither threads nor a GPU that this process has would live on in the one that nbdkit
 * makes of it. */
static int try_apart(const struct td_nbdkit_settings *s, struct tide_error *err)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return tide_fail(err, -errno, "no pipe: %s", strerror(errno));
	pid_t child = fork();
	if (!child)
		try_here(s, ends[1]);
	close(ends[1]);
	bool heard = child > 0 && read(ends[0], err, sizeof *err) == sizeof *err;
	close(ends[0]);
	int status = child > 0 ? await(child) : -1;
	if (!heard)
		return tide_fail(err, -EIO, "the pool could not be tried, status %d: free memory",
				 status);
	return err->code;
}

int td_nbdkit_try(const struct td_nbdkit_settings *s)
{
	struct tide_error err;
	if (s->stats && td_nbdkit_stats_try(s->stats))
		return -1;
	if (!try_apart(s, &err))
		return 0;
	nbdkit_error("%s", err.text);
	return -1;
}
