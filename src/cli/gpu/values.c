/* Values as people read them: the last word of a key is its unit. */
#include <math.h>
#include <string.h>

#include "fields.h"

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

struct td_cli_number td_gpu_real_shown(const char *key, double x)
{
	static const char *const times[] = {"ns", "us", "ms", "s"};
	static const char *const rates[] = {"/s", "k/s", "M/s", "G/s"};
	enum unit u = unit_of(key);
	struct td_cli_number out = {"-"};

	if (isnan(x))
		return out;
	if (u == NS)
		return scaled(x, times, 4);
	if (u == PER_SECOND)
		return scaled(x, rates, 4);
	if (u == GBPS)
		snprintf(out.text, sizeof out.text, "%.1f GB/s", x);
	else if (u == SHARE)
		snprintf(out.text, sizeof out.text, "%.2f%%", 100 * x);
	else
		snprintf(out.text, sizeof out.text, u == RATIO ? "%.2fx" : "%.4g", x);
	return out;
}

static struct td_cli_number number_shown(const char *key, uint64_t n)
{
	enum unit u = unit_of(key);

	if (u == BYTES)
		return td_cli_bytes(n);
	return u == NO_UNIT ? td_cli_grouped(n) : td_gpu_real_shown(key, (double)n);
}

struct td_gpu_shown td_gpu_field_shown(const struct td_gpu_field *f, const void *from)
{
	const void *at = (const char *)from + f->at;
	struct td_gpu_shown out = {""};
	const char *text = out.text;
	struct td_cli_number n;

	if (!td_gpu_field_says(f, from))
		return out;
	switch (f->kind) {
	case TD_GPU_TEXT: text = at; break;
	case TD_GPU_WORD: text = *(const char *const *)at; break;
	case TD_GPU_NUMBER: text = (n = number_shown(f->key, *(const uint64_t *)at)).text; break;
	case TD_GPU_INT: text = (n = td_cli_grouped((uint64_t) * (const int *)at)).text; break;
	case TD_GPU_REAL: text = (n = td_gpu_real_shown(f->key, *(const double *)at)).text; break;
	default: text = *(const bool *)at ? "yes" : "no"; break;
	}
	snprintf(out.text, sizeof out.text, "%s", text);
	return out;
}
