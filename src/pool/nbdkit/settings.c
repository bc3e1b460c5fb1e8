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
	{"file", offsetof(struct tide_pool_options, path)},
#define TD_KEY(name, member, value, help, ...) {name, offsetof(struct tide_pool_options, member)},
#include "keys.def"
#undef TD_KEY
};

const char td_nbdkit_help[] =
	"file=FILE\n  the file or block device to serve\n"
#define TD_KEY(name, member, value, help, ...) name "=" value "\n  " help "\n"
#include "keys.def"
#undef TD_KEY
	"open=WHEN\n  who opens the file: the first client (first), or the server when it starts, to\n"
	"  write or to read (first)\n"
	"control=SOCKET\n  a socket that gives the statistics: tide pool status SOCKET (none)\n"
	"stats=FILE\n  statistics as JSON, on SIGUSR1 and in the end (standard error)";

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
	char all[320] = "";
	for (size_t i = 0, n = 0; i < sizeof keys / sizeof *keys; i++, n = strlen(all))
		snprintf(all + n, sizeof all - n, "%s, ", keys[i].name);
	nbdkit_error("unknown key '%s': give %sopen, control, stats", name, all);
	return -1;
}

static int refuse_second(const char *name)
{
	nbdkit_error("two values for '%s': give one", name);
	return -1;
}

static int set_path(char **path, const char *key, const char *value)
{
	if (*path)
		return refuse_second(key);
	*path = nbdkit_absolute_path(value);
	return *path ? 0 : -1;
}

static int set_open(struct td_nbdkit_settings *s, const char *value)
{
	static const char *const words[] = {"first", "write", "read"};
	if (s->open)
		return refuse_second("open");
	s->open = value;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		s->when = (enum td_nbdkit_when)i;
		if (!strcmp(value, words[i]))
			return 0;
	}
	nbdkit_error("open of '%s': give first, write or read", value);
	return -1;
}

static int set_file(struct td_nbdkit_settings *s, const char *value)
{
	s->pool.path = s->file = nbdkit_realpath(value);
	return s->file ? 0 : -1;
}

/* Like file=, which nbdkit's working folder must not change. */
static int set_device(struct td_nbdkit_settings *s, const char *value)
{
	const char name[] = "file:";
	s->pool.device = value;
	if (strncmp(value, name, sizeof name - 1) != 0 || !value[sizeof name - 1])
		return 0;
	char *path = nbdkit_absolute_path(value + sizeof name - 1);
	if (path && asprintf(&s->device, "%s%s", name, path) < 0)
		s->device = NULL;
	free(path);
	s->pool.device = s->device;
	return s->device ? 0 : -1;
}

int td_nbdkit_set(struct td_nbdkit_settings *s, const char *key, const char *value)
{
	if (!strcmp(key, "stats"))
		return set_path(&s->stats, key, value);
	if (!strcmp(key, "control"))
		return set_path(&s->control, key, value);
	if (!strcmp(key, "open"))
		return set_open(s, value);
	const char **at = member(s, key);
	if (!at)
		return refuse_key(key);
	if (*at)
		return refuse_second(key);
	if (at == &s->pool.path)
		return set_file(s, value);
	if (at == &s->pool.device)
		return set_device(s, value);
	*at = td_nbdkit_value(s, key, value);
	s->pool.message = td_nbdkit_say;
	return *at ? 0 : -1;
}

void td_nbdkit_unset(struct td_nbdkit_settings *s)
{
	free(s->file);
	free(s->device);
	free(s->stats);
	td_nbdkit_forget_paths(s);
	free(s->control);
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
	if (!tide_pool_open(&pool, &o, &err) && o.record)
		tide_pool_close(pool, NULL); /* or a part of the record would stay */
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
	if ((s->stats && td_nbdkit_stats_try(s->stats)) ||
	    (s->control && td_nbdkit_control_try(s->control)))
		return -1;
	if (!try_apart(s, &err))
		return 0;
	nbdkit_error("%s", err.text);
	return -1;
}
