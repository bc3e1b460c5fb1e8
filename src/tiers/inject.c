#include "inject.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "core/text.h"

static const struct {
	const char *name;
	int code;
} errors[] = {
	{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT},
	{"EFBIG", EFBIG},   {"EROFS", EROFS},   {"EAGAIN", EAGAIN},
	{"ENOMEM", ENOMEM}, {"ENODEV", ENODEV}, {"ESTALE", ESTALE},
};

static const struct {
	const char *unit;
	uint64_t ns;
} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};

#define DELAY_MAX_NS 60000000000u

/* One word of the text, VALUE of NAME=VALUE, n characters. */
struct word {
	const char *at;
	size_t n;
};

static bool is(struct word w, const char *text)
{
	return w.n == strlen(text) && memcmp(w.at, text, w.n) == 0;
}

/* Cuts w at the first c: what is behind it, or nothing. */
static struct word split(struct word *w, char c)
{
	const char *at = memchr(w->at, c, w->n);
	struct word rest = {w->at + w->n, 0};
	if (at) {
		rest = (struct word){at + 1, w->n - (size_t)(at + 1 - w->at)};
		w->n = (size_t)(at - w->at);
	}
	return rest;
}

static bool parse_count(struct word w, uint64_t *n)
{
	return td_core_u64(w.at, w.n, n) == 0 && *n > 0;
}

static bool parse_error(struct word w, int *code, uint64_t *every)
{
	struct word count = split(&w, ':');
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (is(w, errors[i].name)) {
			*code = -errors[i].code;
			return parse_count(count, every);
		}
	return false;
}

static bool parse_delay(struct word w, uint64_t *ns)
{
	size_t digits = 0;
	while (digits < w.n && w.at[digits] >= '0' && w.at[digits] <= '9')
		digits++;
	struct word unit = {w.at + digits, w.n - digits};
	if (td_core_u64(w.at, digits, ns) || *ns > DELAY_MAX_NS)
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (is(unit, units[i].unit))
			return !__builtin_mul_overflow(*ns, units[i].ns, ns) && *ns <= DELAY_MAX_NS;
	return false;
}

static bool parse_word(struct td_inject *in, struct word w)
{
	struct word value = split(&w, '=');
	if (is(w, "read"))
		return parse_error(value, &in->read_error, &in->read_every);
	if (is(w, "write"))
		return parse_error(value, &in->write_error, &in->write_every);
	if (is(w, "map"))
		return parse_error(value, &in->map_error, &in->map_every);
	if (is(w, "short"))
		return parse_count(value, &in->short_every);
	if (is(w, "delay"))
		return parse_delay(value, &in->delay_ns);
	in->sync |= is(w, "sync");
	return is(w, "sync") && !value.n;
}

int td_inject_parse(struct td_inject *in, const char *text, struct tide_error *err)
{
	*in = (struct td_inject){0};
	struct word rest = {text, text ? strlen(text) : 0};
	while (rest.n) {
		struct word w = rest;
		rest = split(&w, ',');
		if (!parse_word(in, w))
			return tide_fail(
				err, -EINVAL,
				"no failure to inject is called '%s': give some of "
				"read=EIO:1000, write=ENOSPC:5, short=100, delay=200us, sync",
				td_core_shown(w.at, w.n).text);
	}
	return 0;
}

static bool is_nth(uint64_t n, uint64_t every)
{
	return every && n % every == 0;
}

int td_inject_count(struct td_inject *in, bool write, bool *cut)
{
	*cut = false;
	if (write) {
		uint64_t n = atomic_fetch_add_explicit(&in->writes, 1, memory_order_relaxed) + 1;
		return is_nth(n, in->write_every) ? in->write_error : 0;
	}
	uint64_t n = atomic_fetch_add_explicit(&in->reads, 1, memory_order_relaxed) + 1;
	if (is_nth(n, in->read_every))
		return in->read_error;
	*cut = is_nth(n, in->short_every);
	return 0;
}

int td_inject_map(struct td_inject *in)
{
	if (!in->map_every)
		return 0;
	uint64_t n = atomic_fetch_add_explicit(&in->maps, 1, memory_order_relaxed) + 1;
	return is_nth(n, in->map_every) ? in->map_error : 0;
}
