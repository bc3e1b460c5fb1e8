/* Progress, time, lists, and tables of results. */
#include "tools.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void td_gpu_tell(const struct td_gpu_setup *s, const char *format, ...)
{
	char line[1024];
	va_list args;
	if (!s->say)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	s->say(s->who, line);
}

void td_gpu_sleep_ns(uint64_t ns)
{
	struct timespec t = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	nanosleep(&t, NULL);
}

uint64_t td_gpu_seed(const struct td_gpu_setup *s)
{
	return s->seed ? strtoull(s->seed, NULL, 0) : 1;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double td_gpu_median(double *values, unsigned n)
{
	if (!n)
		return 0;
	qsort(values, n, sizeof *values, ascending);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* The entries of a list one after another; false after the last. */
static bool next_entry(const char **list, const char **entry, size_t *length)
{
	if (!**list)
		return false;
	*entry = *list;
	*length = strcspn(*list, ",");
	*list += *length + ((*list)[*length] == ',');
	return true;
}

bool td_gpu_listed(const char *list, const char *name)
{
	const char *entry;
	size_t length;
	if (!list || !strcmp(list, "all"))
		return true;
	while (next_entry(&list, &entry, &length)) {
		if (length && !strncmp(entry, name, length))
			return true;
	}
	return false;
}

/* Or goes on after one: "pressure/reuse" is of "pressure". */
static bool starts_a_name(const char *entry, size_t length, const struct td_gpu_part *parts)
{
	for (; parts->name; parts++) {
		size_t whole = strlen(parts->name);
		bool deeper = length > whole && entry[whole] == '/';
		if (length && !strncmp(entry, parts->name, deeper ? whole : length))
			return true;
	}
	return false;
}

static int refuse(const char *entry, size_t length, const struct td_gpu_part *parts,
		  const char *what, struct tide_error *err)
{
	char known[400] = "";
	size_t used = 0;
	for (; parts->name && used < sizeof known; parts++)
		used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
					 used ? ", " : "", parts->name);
	return tide_fail(err, -EINVAL, "there is no %s %.*s: choose from %s", what,
			 (int)(length < 64 ? length : 64), entry, known);
}

int td_gpu_list_check(const char *list, const struct td_gpu_part *parts, const char *what,
		      struct tide_error *err)
{
	const char *entry;
	size_t length;
	if (!list || !strcmp(list, "all"))
		return 0;
	while (next_entry(&list, &entry, &length)) {
		if (!starts_a_name(entry, length, parts))
			return refuse(entry, length, parts, what, err);
	}
	return 0;
}

/* ---- tables ---- */

static json_t *number(double value)
{
	json_t *n = json_real(value);
	return n ? n : json_null(); /* not a number is no JSON */
}

json_t *td_gpu_table(void)
{
	return json_pack("{s:[],s:[],s:b}", "rows", "claims", "ok", 1);
}

static void tell_row(const struct td_gpu_setup *s, const struct td_gpu_row *row)
{
	char ratio[160] = "";
	if (row->ratio > 0)
		snprintf(ratio, sizeof ratio, ", %.3f of %s", row->ratio, row->of);
	if (row->bytes)
		td_gpu_tell(s, "  %s: %.1f MB in %.3f ms, %.2f GB/s%s", row->what,
			    (double)row->bytes / 1e6, row->ns / 1e6,
			    td_gpu_gbps(row->bytes, row->ns), ratio);
	else
		td_gpu_tell(s, "  %s: %" PRIu64 " in %.3f ms, %.4g a second%s", row->what,
			    row->count, row->ns / 1e6,
			    row->ns > 0 ? (double)row->count * 1e9 / row->ns : 0, ratio);
}

void td_gpu_table_row(json_t *table, const struct td_gpu_setup *s, const struct td_gpu_row *row)
{
	json_t *o = json_object();
	json_object_set_new(o, "what", json_string(row->what));
	if (row->bytes) {
		json_object_set_new(o, "bytes", json_integer((json_int_t)row->bytes));
	} else {
		json_object_set_new(o, "count", json_integer((json_int_t)row->count));
	}
	json_object_set_new(o, "time_ns", json_integer((json_int_t)row->ns));
	if (row->bytes)
		json_object_set_new(o, "gbps", number(td_gpu_gbps(row->bytes, row->ns)));
	else
		json_object_set_new(o, "per_second",
				    number(row->ns > 0 ? (double)row->count * 1e9 / row->ns : 0));
	if (row->ratio > 0) {
		json_object_set_new(o, "ratio", number(row->ratio));
		json_object_set_new(o, "of", json_string(row->of));
	}
	json_array_append_new(json_object_get(table, "rows"), o);
	tell_row(s, row);
}

void td_gpu_table_claim(json_t *table, const struct td_gpu_setup *s, const char *what,
			enum td_gpu_bound bound, double target, double measured)
{
	bool ok = bound == TD_GPU_AT_LEAST ? measured >= target : measured <= target;
	char text[48];
	snprintf(text, sizeof text, "%s %g", bound == TD_GPU_AT_LEAST ? ">=" : "<=", target);
	json_t *o = json_pack("{s:s,s:s}", "what", what, "target", text);
	json_object_set_new(o, "measured", number(measured));
	json_object_set_new(o, "ok", json_boolean(ok));
	json_array_append_new(json_object_get(table, "claims"), o);
	if (!ok)
		json_object_set_new(table, "ok", json_false());
	td_gpu_tell(s, "  %s: %s: %.4g, must be %s", ok ? "holds" : "FAILS", what, measured, text);
}

void td_gpu_table_fault(json_t *table, const struct td_gpu_setup *s, const char *what,
			const struct tide_error *err)
{
	json_t *o = json_pack("{s:s,s:s,s:n,s:b}", "what", what, "target", err->text, "measured",
			      "ok", 0);
	json_array_append_new(json_object_get(table, "claims"), o);
	json_object_set_new(table, "ok", json_false());
	td_gpu_tell(s, "  FAILS: %s: %s", what, err->text);
}
