/* tide pool status: what a server says of itself. It is not trusted: it has ten seconds and a
 * mebibyte. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/socket.h"
#include "serve.h"

#define PATIENCE_NS UINT64_C(10000000000)
#define BYTES_MAX (1 << 20)
#define INTERVAL_MAX 86400.0

struct options {
	struct td_cli_given given;
	const char *interval;
	bool json, prometheus;
};
#define TD_CLI_OPTIONS struct options

/* clang-format off */
static const struct td_cli_option options[] = {
	{"interval", 0, TD_CLI_TEXT, TD_CLI_AT(interval), "SECONDS",
	 "give the rates of so many seconds from now (since the server began)", TD_CLI_ANY},
	{"prometheus", 0, TD_CLI_FLAG, TD_CLI_AT(prometheus), NULL,
	 "print metrics as Prometheus reads them", TD_CLI_ANY},
	TD_CLI_JSON_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS};
/* clang-format on */

/* ---- asking ---- */

/* Until the server closes, which it does at once. The answer's length; -errno. */
static ssize_t take(int fd, char *text, uint64_t end_ns)
{
	size_t n = 0;
	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		uint64_t now_ns = td_clock_ns();
		if (now_ns >= end_ns)
			return -ETIMEDOUT;
		if (poll(&p, 1, (int)((end_ns - now_ns) / 1000000) + 1) < 0 && errno != EINTR)
			return -errno;
		ssize_t got = p.revents ? read(fd, text + n, BYTES_MAX - n) : -1;
		if (!got)
			return (ssize_t)n;
		if (got < 0 && p.revents && errno != EAGAIN && errno != EINTR)
			return -errno;
		n += got > 0 ? (size_t)got : 0;
		if (n == BYTES_MAX)
			return -EFBIG;
	}
}

static bool is_status(const json_t *o)
{
	return json_is_object(json_object_get(o, "server")) && json_object_get(o, "counts");
}

static int parse(const char *path, const char *text, ssize_t n, json_t **out,
		 struct tide_error *err)
{
	*out = n > 0 ? json_loadb(text, (size_t)n, 0, NULL) : NULL;
	if (*out && is_status(*out))
		return 0;
	json_decref(*out);
	*out = NULL;
	if (n < 0 && n != -ETIMEDOUT && n != -EFBIG)
		return tide_fail(err, (int)n, "%s does not answer: %s", path, strerror((int)-n));
	return tide_fail(err, -EIO,
			 "%s does not answer as a server of tide pool: give the socket of one",
			 td_cli_shown(path).text);
}

/* Many may ask at the same time. */
static int connect_patiently(const char *path, uint64_t end_ns, struct tide_error *err)
{
	static const struct timespec pause = {.tv_nsec = 10000000};
	int fd;
	while ((fd = td_core_socket_connect(path, err)) == -EAGAIN && td_clock_ns() < end_ns)
		nanosleep(&pause, NULL);
	return fd;
}

static int ask(const char *path, json_t **out, struct tide_error *err)
{
	uint64_t end_ns = td_clock_ns() + PATIENCE_NS;
	int fd = connect_patiently(path, end_ns, err);
	char *text = fd < 0 ? NULL : malloc(BYTES_MAX);
	*out = NULL;
	if (fd < 0)
		return fd;
	int rc = text ? parse(path, text, take(fd, text, end_ns), out, err)
		      : tide_fail(err, -ENOMEM, "no memory: free some");
	free(text);
	close(fd);
	return rc;
}

/* ---- answering ---- */

static json_t *rates(const struct td_pool_seen *s)
{
	json_t *o = json_pack("{sf}", "seconds", td_pool_seen_seconds(s));
#define TIDE_COUNTER(name, help) \
	if (td_pool_has_count(#name)) \
		json_object_set_new(o, #name "_per_second", json_real(td_pool_seen_rate(s, #name)));
#include "tide/counters.def"
#undef TIDE_COUNTER
	return o;
}

static int print(const struct options *a, struct td_pool_seen *s, struct tide_error *err)
{
	if (a->prometheus)
		return td_pool_print_prometheus(s->now, err);
	if (!a->json)
		return td_pool_print_status(s, err);
	json_object_set_new(s->now, "verb", json_string("pool status"));
	json_object_set_new(s->now, "rates", rates(s));
	return td_cli_print_json(json_incref(s->now), err);
}

static int check(const struct options *a, double *seconds, struct tide_error *err)
{
	*seconds = 0;
	if (a->json && a->prometheus)
		return tide_fail(err, -EINVAL, "--json and --prometheus: give one");
	if (a->prometheus && a->interval)
		return tide_fail(err, -EINVAL,
				 "--interval with --prometheus: Prometheus makes the rates itself");
	if (!a->interval ||
	    (!td_core_real(a->interval, seconds) && *seconds >= 0.01 && *seconds <= INTERVAL_MAX))
		return 0;
	return tide_fail(err, -EINVAL, "--interval %s: give seconds, 0.01 to 86400",
			 td_cli_shown(a->interval).text);
}

static void wait_for(double seconds)
{
	struct timespec t = td_clock_timespec((uint64_t)(seconds * 1e9));
	while (nanosleep(&t, &t))
		;
}

static int status(const void *given, struct tide_error *err)
{
	const struct options *a = given;
	char path[PATH_MAX];
	struct td_pool_seen s = {NULL, NULL};
	double seconds;
	int rc = check(a, &seconds, err);
	if (!rc)
		rc = td_pool_where_control(a->given.words.at[0], path, err);
	if (!rc && a->interval)
		rc = ask(path, &s.before, err);
	if (!rc && a->interval)
		wait_for(seconds);
	if (!rc)
		rc = ask(path, &s.now, err);
	if (!rc)
		rc = print(a, &s, err);
	json_decref(s.now);
	json_decref(s.before);
	return rc;
}

static const char more[] =
	"SERVER is the socket or the port of tide pool serve, or the socket of nbdkit's key control.\n\n"
	"Examples:\n"
	"  tide pool status /tmp/disk.sock --interval 2\n"
	"  tide pool status 10809 --json\n"
	"  tide pool status /tmp/disk.sock --prometheus >/var/lib/node_exporter/tide.prom\n";

const struct td_cli_verb td_cli_pool_status = {
	.name = "status",
	.order = 20,
	.synopsis = "SERVER [OPTIONS]",
	.summary = "Print status and counts of a server that runs",
	.more = more,
	.options = options,
	.options_bytes = sizeof(struct options),
	.words_min = 1,
	.words_max = 1,
	.run = status,
};
