/* Where servers are: names of sockets, and the URI for clients. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "serve.h"

#define CONTROL ".control"
#define PATIENCE 100 /* tries to lock a folder */
#define PAUSE_NS 50000000

static int too_long(const char *name, struct tide_error *err)
{
	return tide_fail(err, -ENAMETOOLONG, "the name %s is too long: give a shorter one",
			 td_cli_shown(name).text);
}

static int in_full(char to[PATH_MAX], const char *path, struct tide_error *err)
{
	char here[PATH_MAX] = "";
	if (path[0] != '/' && !getcwd(here, sizeof here))
		return tide_fail(err, -errno, "no folder: %s: change to one", strerror(errno));
	int n = snprintf(to, PATH_MAX, "%s%s%s", here, *here ? "/" : "", path);
	return n < PATH_MAX ? 0 : too_long(path, err);
}

/* ---- URI ---- */

static size_t put_encoded(char *to, const char *path)
{
	size_t n = 0;
	for (const unsigned char *c = (const unsigned char *)path; *c; c++)
		if (isalnum(*c) || strchr("/._~-", *c))
			to[n++] = (char)*c;
		else
			n += (size_t)sprintf(to + n, "%%%02X", *c);
	to[n] = '\0';
	return n;
}

static void put_uri(struct td_pool_where *w, const char *address, uint64_t port)
{
	bool colons = strchr(address, ':') != NULL;
	if (*w->socket)
		put_encoded(stpcpy(w->uri, "nbd+unix:///?socket="), w->socket);
	else
		snprintf(w->uri, sizeof w->uri, "nbd://%s%s%s:%" PRIu64, colons ? "[" : "", address,
			 colons ? "]" : "", port);
}

/* ---- control sockets ---- */

static int control_of_socket(char to[PATH_MAX], const char *socket, struct tide_error *err)
{
	int n = snprintf(to, PATH_MAX, "%s" CONTROL, socket);
	return n < PATH_MAX ? 0 : too_long(socket, err);
}

static void control_of_port(char to[PATH_MAX], uint64_t port)
{
	const char *folder = getenv("XDG_RUNTIME_DIR");
	if (!folder || strlen(folder) > PATH_MAX / 2)
		folder = geteuid() ? "/tmp" : "/run";
	snprintf(to, PATH_MAX, "%s/tide-pool-%" PRIu64 CONTROL, folder, port);
}

int td_pool_where_control(const char *name, char path[PATH_MAX], struct tide_error *err)
{
	uint64_t port;
	if (!td_core_u64(name, strlen(name), &port)) {
		control_of_port(path, port);
		return 0;
	}
	int rc = control_of_socket(path, name, err);
	if (!rc && access(path, F_OK))
		rc = snprintf(path, PATH_MAX, "%s", name) < PATH_MAX ? 0 : too_long(name, err);
	return rc;
}

/* ---- all of it ---- */

static int check(const char *socket, const char *address, uint64_t port, struct tide_error *err)
{
	if (!socket == !port)
		return tide_fail(err, -EINVAL, "give one of --socket and --port");
	if (socket && address)
		return tide_fail(err, -EINVAL, "--address without --port: give both");
	if (port > UINT16_MAX)
		return tide_fail(err, -EINVAL, "--port %" PRIu64 ": give 1 to 65535", port);
	if ((address && !*address) || (address && strlen(address) > 255))
		return tide_fail(err, -EINVAL,
				 "--address: give the name of this machine, or an IP");
	return 0;
}

int td_pool_where(struct td_pool_where *w, const char *socket, const char *address, uint64_t port,
		  const char *control, struct tide_error *err)
{
	int rc = check(socket, address, port, err);
	*w = (struct td_pool_where){0};
	if (!rc && socket)
		rc = in_full(w->socket, socket, err);
	if (!rc && control)
		rc = in_full(w->control, control, err);
	else if (!rc && socket)
		rc = control_of_socket(w->control, w->socket, err);
	else if (!rc)
		control_of_port(w->control, port);
	if (!rc)
		put_uri(w, address ? address : "localhost", port);
	return rc;
}

int td_pool_where_lock(const char *path)
{
	static const struct timespec pause = {.tv_nsec = PAUSE_NS};
	char folder[PATH_MAX];
	snprintf(folder, sizeof folder, "%s", path);
	*(strrchr(folder, '/') + 1) = '\0';
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; fd >= 0 && i < PATIENCE && flock(fd, LOCK_EX | LOCK_NB); i++)
		nanosleep(&pause, NULL);
	return fd;
}
