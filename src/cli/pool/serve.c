/* tide pool serve: the pool as a block device, by nbdkit. */
#include "serve.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "cli/command.h"
#include "core/socket.h"
#include "use.h"

struct options {
	struct td_cli_given given;
	struct tide_pool_options pool;
	const char *socket, *address, *control;
	uint64_t port;
	bool read_only, quiet, json;
};
#define TD_CLI_OPTIONS struct options

/* clang-format off */
static const struct td_cli_option options[] = {
	{"socket", 0, TD_CLI_TEXT, TD_CLI_AT(socket), "PATH",
	 "serve at this socket", TD_CLI_ANY},
	{"port", 0, TD_CLI_NUMBER, TD_CLI_AT(port), "N",
	 "serve at this port of TCP", TD_CLI_ANY},
	{"address", 0, TD_CLI_TEXT, TD_CLI_AT(address), "NAME",
	 "with --port: the address of this machine that clients connect to (localhost)",
	 TD_CLI_ANY},
	{"control", 0, TD_CLI_TEXT, TD_CLI_AT(control), "PATH",
	 "socket for tide pool status (that of --socket with .control behind it)", TD_CLI_ANY},
	{"read-only", 'r', TD_CLI_FLAG, TD_CLI_AT(read_only), NULL,
	 "clients cannot write", TD_CLI_ANY},
	{"quiet", 'q', TD_CLI_FLAG, TD_CLI_AT(quiet), NULL,
	 "do not say how to use it", TD_CLI_ANY},
#include "rows.def"
	{"json", 0, TD_CLI_FLAG, TD_CLI_AT(json), NULL,
	 "print one JSON document when clients can connect", TD_CLI_ANY},
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS};
/* clang-format on */

struct serve {
	const struct options *args;
	const char *file;
	struct tide_pool_options pool;
	struct td_pool_where where;
	char plugin[PATH_MAX];
	struct td_cli_argv argv;
};

/* ---- what is needed ---- */

static int check_file(const struct serve *s, struct tide_error *err)
{
	if (!access(s->file, R_OK))
		return 0;
	return tide_fail(err, -errno, "cannot read %s: %s: give a file or a block device",
			 td_cli_shown(s->file).text, strerror(errno));
}

/* Beside this program, as in a build; or where nbdkit looks for plugins. */
static int find_plugin(struct serve *s, struct tide_error *err)
{
	static const char *const names[] = {"nbdkit-tide-plugin.so",
					    "../nbdkit/plugins/nbdkit-tide-plugin.so"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!td_cli_find_module(names[i], s->plugin, sizeof s->plugin, NULL))
			return 0;
	return tide_fail(err, -ENOENT,
			 "there is no plugin of nbdkit: install the package nbdkit-plugin-tide, or "
			 "build with nbdkit-plugin-dev");
}

/* A number at the start of a word would be taken for an option's value, and a word with = for a
 * key: so every word has its key. */
static void add_keys(struct serve *s)
{
	const struct tide_pool_options *o = &s->pool;
	td_cli_argv_add(&s->argv, "file=%s", s->file);
#define TD_KEY(name, member, value, help, ...) \
	if (o->member) \
		td_cli_argv_add(&s->argv, name "=%s", o->member);
#include "pool/nbdkit/keys.def"
#undef TD_KEY
	td_cli_argv_add(&s->argv, "open=%s", s->args->read_only ? "read" : "write");
	td_cli_argv_add(&s->argv, "control=%s", s->where.control);
}

static int make_argv(struct serve *s, struct tide_error *err)
{
	const struct options *a = s->args;
	td_cli_argv_split(&s->argv, "nbdkit --foreground --exit-with-parent");
	if (*s->where.socket) {
		td_cli_argv_split(&s->argv, "--unix");
		td_cli_argv_add(&s->argv, "%s", s->where.socket);
	} else {
		td_cli_argv_add(&s->argv, "--port=%" PRIu64, a->port);
		td_cli_argv_add(&s->argv, "--ipaddr=%s", a->address ? a->address : "localhost");
	}
	if (a->read_only)
		td_cli_argv_split(&s->argv, "--readonly");
	td_cli_argv_add(&s->argv, "%s", s->plugin);
	add_keys(s);
	return s->argv.failed ? tide_fail(err, -ENOMEM, "no memory: free some") : 0;
}

/* ---- how to use it ---- */

static int print_json(const struct serve *s, pid_t pid)
{
	return td_cli_print_json(json_pack("{ss ss so ss ss sI sb}", "tide", TIDE_VERSION, "verb",
					   "pool serve", "file", td_cli_json_text(s->file), "uri",
					   s->where.uri, "control", s->where.control, "pid",
					   (json_int_t)pid, "read_only", s->args->read_only),
				 NULL);
}

static void announce(void *arg, pid_t pid)
{
	const struct serve *s = arg;
	const char *uri = s->where.uri, *options = s->args->read_only ? ",readonly=on" : "";
	if (s->args->json)
		print_json(s, pid);
	if (s->args->json || s->args->quiet)
		return;
	printf("%s is served at\n  %s\n\n", td_cli_name(s->file).text, uri);
	printf("  qemu-system-x86_64 -drive 'file=%s,format=raw%s'\n", uri, options);
	printf("  nbdcopy '%s' copy.img\n", uri);
	if (*s->where.socket)
		printf("  nbd-client -unix '%s' /dev/nbd0\n", s->where.socket);
	else
		printf("  nbd-client %s %" PRIu64 " /dev/nbd0\n",
		       s->args->address ? s->args->address : "localhost", s->args->port);
	if (s->args->control || s->args->socket)
		printf("  tide pool status '%s'\n",
		       s->args->control ? s->args->control : s->args->socket);
	else
		printf("  tide pool status %" PRIu64 "\n", s->args->port);
	printf("\nCtrl-C writes everything, and ends it.\n");
}

/* ---- from the start to the end ---- */

static int clear_sockets(const struct serve *s, struct tide_error *err)
{
	int rc = *s->where.socket ? td_core_socket_clear(s->where.socket, err) : 0;
	return rc ? rc : td_core_socket_clear(s->where.control, err);
}

struct ready {
	struct serve *s;
	int lock;
};

static void when_ready(void *arg, pid_t pid)
{
	struct ready *r = arg;
	if (r->lock >= 0)
		close(r->lock);
	r->lock = -1;
	announce(r->s, pid);
}

/* From here on the sockets are ours, and go with the server however it ends. */
static int run(struct ready *r, struct tide_error *err)
{
	struct serve *s = r->s;
	struct td_pool_server server = {
		.argv = s->argv.at, .where = &s->where, .announce = when_ready, .arg = r};
	int rc = td_pool_server_run(&server, err);
	if (*s->where.socket)
		unlink(s->where.socket);
	unlink(s->where.control);
	return rc;
}

/* Of servers that start at the same time at one socket, the first one gets it. */
static int run_locked(struct serve *s, struct tide_error *err)
{
	const char *socket = *s->where.socket ? s->where.socket : s->where.control;
	struct ready r = {s, td_pool_where_lock(socket)};
	int rc = clear_sockets(s, err);
	if (!rc)
		rc = run(&r, err);
	if (r.lock >= 0)
		close(r.lock);
	return rc;
}

static int serve(const void *given, struct tide_error *err)
{
	const struct options *a = given;
	struct serve s = {.args = a, .file = a->given.words.at[0]};
	int rc = td_pool_where(&s.where, a->socket, a->address, a->port, a->control, err);
	if (!rc)
		rc = td_pool_use_options(&a->pool, &s.pool, "256M", NULL, err);
	if (!rc)
		rc = check_file(&s, err);
	if (!rc)
		rc = find_plugin(&s, err);
	if (!rc)
		rc = make_argv(&s, err);
	if (!rc)
		rc = run_locked(&s, err);
	td_cli_argv_free(&s.argv);
	return rc;
}

static const char more[] =
	"nbdkit, which must be installed, does the serving. The server has 256M of main memory and no\n"
	"device memory if nothing else is asked for. It opens FILE at once, for itself alone, and runs\n"
	"until SIGINT or SIGTERM. Then it writes everything, and the sockets go.\n\n"
	"Examples:\n"
	"  tide pool serve disk.img --socket /tmp/disk.sock --main 1G\n"
	"  tide pool serve /dev/vg/disk --port 10809 --main 4G --dedup auto\n"
	"  tide pool status /tmp/disk.sock\n";

const struct td_cli_verb td_cli_pool_serve = {
	.name = "serve",
	.order = 10,
	.synopsis = "FILE --socket PATH | --port N [OPTIONS]",
	.summary = "Serve a file or block device as a block device, through the pool",
	.more = more,
	.options = options,
	.options_bytes = sizeof(struct options),
	.words_min = 1,
	.words_max = 1,
	.run = serve,
};
