/* Progress, time, lists, and results. */
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
