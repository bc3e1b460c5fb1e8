/* Values of documents as people read them: the last word of a key is its unit. */
#include <string.h>

#include "show.h"

enum unit { NO_UNIT, NS, BYTES, GBPS, PER_SECOND, SHARE, RATIO };

static const struct {
	const char *word, *head; /* head: of a key that is the unit alone */
} units[] = {
	[NS] = {"ns", "time"},        [BYTES] = {"bytes", "bytes"},
	[GBPS] = {"gbps", "rate"},    [PER_SECOND] = {"per_second", "rate"},
	[SHARE] = {"share", "share"}, [RATIO] = {"ratio", "ratio"},
};

static enum unit unit_of(const char *key)
{
	size_t n = strlen(key);

	for (enum unit u = NS; u <= RATIO; u++) {
		size_t m = strlen(units[u].word);
		bool alone = n == m, after = n > m && key[n - m - 1] == '_';
		if ((alone || after) && strcmp(key + n - m, units[u].word) == 0)
			return u;
	}
	return NO_UNIT;
}

struct td_cli_number td_gpu_head(const char *key)
{
	enum unit u = unit_of(key);
	struct td_cli_number out;
	size_t n = strlen(key);

	if (u != NO_UNIT && n == strlen(units[u].word)) {
		snprintf(out.text, sizeof out.text, "%s", units[u].head);
		return out;
	}
	if (u != NO_UNIT)
		n -= strlen(units[u].word) + 1;
	snprintf(out.text, sizeof out.text, "%.*s", (int)n, key);
	for (char *c = out.text; *c; c++)
		if (*c == '_')
			*c = ' ';
	return out;
}

/* In the largest unit that leaves at least 1 of it. */
static struct td_cli_number scaled(double value, const char *const *names, int n)
{
	struct td_cli_number out;
	int i = 0;

	while (value >= 1000 && i < n - 1) {
		value /= 1000;
		i++;
	}
	snprintf(out.text, sizeof out.text, "%.*f %s",
		 value < 10    ? 2
		 : value < 100 ? 1
			       : 0,
		 value, names[i]);
	return out;
}

static struct td_cli_number shown_number(enum unit u, const json_t *value)
{
	static const char *const times[] = {"ns", "us", "ms", "s"};
	static const char *const rates[] = {"/s", "k/s", "M/s", "G/s"};
	double x = json_number_value(value);
	struct td_cli_number out;

	if (u == NS)
		return scaled(x, times, 4);
	if (u == PER_SECOND)
		return scaled(x, rates, 4);
	if (u == BYTES && x >= 0)
		return td_cli_bytes((uint64_t)x);
	if (json_is_integer(value) && x >= 0 && u == NO_UNIT)
		return td_cli_grouped((uint64_t)json_integer_value(value));
	if (u == GBPS)
		snprintf(out.text, sizeof out.text, "%.1f GB/s", x);
	else if (u == SHARE)
		snprintf(out.text, sizeof out.text, "%.2f%%", 100 * x);
	else
		snprintf(out.text, sizeof out.text, u == RATIO ? "%.2fx" : "%.4g", x);
	return out;
}

struct td_cli_number td_gpu_shown(const char *key, const json_t *value)
{
	struct td_cli_number out = {"-"};

	if (json_is_number(value))
		return shown_number(unit_of(key), value);
	if (json_is_boolean(value))
		snprintf(out.text, sizeof out.text, "%s", json_is_true(value) ? "yes" : "no");
	return out;
}
