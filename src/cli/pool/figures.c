/* The status of a server, for people and for Prometheus. */
#include <inttypes.h>

#include "serve.h"

/* ---- what a document has ---- */

/* A pool keeps these of counters.def. A text leaves the others out. */
bool td_pool_has_count(const char *name)
{
	static const char *const names[] = {
		"accesses",   "hits",         "faults",      "migrated_pages", "writeback_pages",
		"tier2_hits", "tier2_misses", "tier3_reads", "tier3_writes"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

uint64_t td_pool_seen_at(const json_t *document, const char *object, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(json_object_get(document, object), key));
	return n > 0 ? (uint64_t)n : 0;
}

static double uptime(const json_t *document)
{
	const json_t *server = json_object_get(document, "server");
	return json_number_value(json_object_get(server, "uptime_seconds"));
}

double td_pool_seen_seconds(const struct td_pool_seen *s)
{
	return uptime(s->now) - (s->before ? uptime(s->before) : 0);
}

/* A server that was started again between the two counts from 0. */
double td_pool_seen_rate(const struct td_pool_seen *s, const char *count)
{
	uint64_t now = td_pool_seen_at(s->now, "counts", count);
	uint64_t before = s->before ? td_pool_seen_at(s->before, "counts", count) : 0;
	double seconds = td_pool_seen_seconds(s);
	return now < before || seconds <= 0 ? 0 : (double)(now - before) / seconds;
}

static const char *text_at(const json_t *document, const char *object, const char *key)
{
	const char *text =
		json_string_value(json_object_get(json_object_get(document, object), key));
	return text ? text : "";
}

/* ---- for people ---- */

static void print_server(const json_t *o)
{
	double seconds = uptime(o);
	printf("file      %s, %s%s\n", td_cli_name(text_at(o, "server", "file")).text,
	       td_cli_bytes(td_pool_seen_at(o, "pool", "file_bytes")).text,
	       json_is_true(json_object_get(json_object_get(o, "server"), "read_only"))
		       ? ", read-only"
		       : "");
	printf("running   for %.0f s as process %" PRIu64 "; connections: %" PRIu64 " now, %" PRIu64
	       " in all\n",
	       seconds, td_pool_seen_at(o, "server", "pid"),
	       td_pool_seen_at(o, "server", "connections"),
	       td_pool_seen_at(o, "server", "connections_total"));
}

static void print_memory(const json_t *o, const char *what, const char *used, const char *all)
{
	printf("%-9s %s used of %s\n", what, td_cli_bytes(td_pool_seen_at(o, "pool", used)).text,
	       td_cli_bytes(td_pool_seen_at(o, "pool", all)).text);
}

static void print_count(struct td_cli_table *t, const struct td_pool_seen *s, const char *name)
{
	uint64_t n = td_pool_seen_at(s->now, "counts", name);
	uint64_t of = td_pool_seen_at(s->now, "counts", "accesses");
	td_cli_cell(t, "%s", name);
	td_cli_cell(t, "%s", td_cli_grouped(n).text);
	td_cli_cell(t, "%s", td_cli_share(n, of).text);
	td_cli_cell(t, "%.1f/s", td_pool_seen_rate(s, name));
}

int td_pool_print_status(const struct td_pool_seen *s, struct tide_error *err)
{
	struct td_cli_table t = {.align = "lrrr"};
	uint64_t dirty = td_pool_seen_at(s->now, "pool", "dirty_pages");
	uint64_t page = td_pool_seen_at(s->now, "config", "page_bytes");
	print_server(s->now);
	if (!json_is_object(json_object_get(s->now, "pool"))) {
		printf("pool      not open: no client has come\n");
		return 0;
	}
	print_memory(s->now, "main", "main_used_bytes", "main_bytes");
	if (td_pool_seen_at(s->now, "pool", "device_bytes"))
		print_memory(s->now, "device", "device_used_bytes", "device_bytes");
	printf("dirty     %s pages, %s\n", td_cli_grouped(dirty).text,
	       td_cli_bytes(dirty > UINT64_MAX / (page + 1) ? UINT64_MAX : dirty * page).text);
	printf("errors    %s of the storage\n\n",
	       td_cli_grouped(td_pool_seen_at(s->now, "pool", "io_errors")).text);
#define TIDE_COUNTER(name, help) \
	if (td_pool_has_count(#name)) \
		print_count(&t, s, #name);
#include "tide/counters.def"
#undef TIDE_COUNTER
	return td_cli_table_end(&t, err);
}

/* ---- for Prometheus ---- */

/* Every metric says of which file: the metrics of several servers may be put together. */
static void print_label(const char *name, const char *value, const char *before)
{
	printf("%s%s=\"", before, name);
	for (const char *c = value; *c; c++)
		if (*c == '\n')
			printf("\\n");
		else
			printf("%s%c", *c == '\\' || *c == '"' ? "\\" : "", *c);
	printf("\"");
}

struct metric {
	const char *name, *help;
	bool grows; /* a counter: it never falls */
};

/* Times are in seconds, and names say the unit. */
static void print_metric(const json_t *o, const struct metric *m, double value)
{
	size_t n = strlen(m->name);
	bool is_time = n > 3 && !strcmp(m->name + n - 3, "_ns");
	char name[128];
	snprintf(name, sizeof name, "tide_pool_%.*s%s%s", (int)(is_time ? n - 3 : n), m->name,
		 is_time ? "_seconds" : "", m->grows ? "_total" : "");
	printf("# HELP %s %s\n# TYPE %s %s\n%s", name, m->help, name,
	       m->grows ? "counter" : "gauge", name);
	print_label("file", text_at(o, "server", "file"), "{");
	printf("} %.17g\n", is_time ? value / 1e9 : value);
}

static void print_info(const json_t *o)
{
	printf("# HELP tide_pool_info the settings of the pool\n# TYPE tide_pool_info gauge\n"
	       "tide_pool_info");
	print_label("file", text_at(o, "server", "file"), "{");
	print_label("version", json_string_value(json_object_get(o, "tide")) ?: "", ",");
	print_label("device", text_at(o, "config", "device"), ",");
	print_label("dedup", text_at(o, "config", "dedup"), ",");
	printf("} 1\n");
}

static void print_row(const json_t *o, const char *object, const char *name, const char *help,
		      bool grows)
{
	const json_t *value = json_object_get(json_object_get(o, object), name);
	struct metric m = {name, help, grows};
	if (json_is_number(value))
		print_metric(o, &m, json_number_value(value));
}

int td_pool_print_prometheus(const json_t *o, struct tide_error *err)
{
	(void)err;
	print_info(o);
	print_row(o, "server", "uptime_seconds", "time since the server began", false);
	print_row(o, "server", "connections", "clients that are connected", false);
	struct metric all = {"connections", "clients that ever connected", true};
	print_metric(o, &all, (double)td_pool_seen_at(o, "server", "connections_total"));
#define TIDE_COUNTER(name, help) \
	if (td_pool_has_count(#name)) \
		print_row(o, "counts", #name, help, true);
#include "tide/counters.def"
#undef TIDE_COUNTER
#define TIDE_FIGURE(name, help) print_row(o, "pool", #name, help, true);
#define TIDE_GAUGE(name, help) print_row(o, "pool", #name, help, false);
#include "tide/pool_figures.def"
#undef TIDE_FIGURE
	return 0;
}
