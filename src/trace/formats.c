/* The list of formats, and the format that a name means. */
#include <errno.h>
#include <string.h>

#include "compress.h"
#include "core/text.h"
#include "reader.h"
#include "writer.h"

/* ---- in order ---- */

static unsigned listed(const struct td_trace_format *f)
{
	return f->listed;
}

static unsigned tried(const struct td_trace_format *f)
{
	return f->tried;
}

/* Of the same rank, the one that the table has first comes first. */
static size_t place_of(size_t k, unsigned (*rank)(const struct td_trace_format *f))
{
	const struct td_trace_format *const *all = td_trace_format_table;
	size_t before = 0;

	for (size_t i = 0; all[i]; i++)
		before += rank(all[i]) < rank(all[k]) || (rank(all[i]) == rank(all[k]) && i < k);
	return before;
}

static const struct td_trace_format *nth(size_t n,
					 unsigned (*rank)(const struct td_trace_format *f))
{
	for (size_t k = 0; td_trace_format_table[k]; k++)
		if (place_of(k, rank) == n)
			return td_trace_format_table[k];
	return NULL;
}

const struct td_trace_format *td_trace_format_tried(size_t i)
{
	return nth(i, tried);
}

static const struct td_trace_format *known(size_t i, bool to_write)
{
	const struct td_trace_format *f;

	for (size_t k = 0; (f = nth(k, listed)); k++)
		if ((!to_write || f->sink) && i-- == 0)
			return f;
	return NULL;
}

const char *td_trace_read_format(size_t i)
{
	const struct td_trace_format *f = known(i, false);

	return f ? f->name : NULL;
}

const char *td_trace_write_format(size_t i)
{
	const struct td_trace_format *f = known(i, true);

	return f ? f->name : NULL;
}

/* ---- as texts ---- */

static const char *write_ending(size_t i)
{
	const struct td_trace_format *f = known(i, true);

	return f ? f->endings[0] : NULL;
}

static struct td_trace_names join(const char *name(size_t i), const char *between, const char *last)
{
	struct td_trace_names names = {""};
	size_t used = 0;

	for (size_t i = 0; name(i) && used < sizeof names.text; i++)
		used += (size_t)snprintf(names.text + used, sizeof names.text - used, "%s%s",
					 !i            ? ""
					 : name(i + 1) ? between
						       : last,
					 name(i));
	return names;
}

struct td_trace_names td_trace_names_to_read(const char *between, const char *last)
{
	return join(td_trace_read_format, between, last);
}

/* ---- by name ---- */

static const struct td_trace_format *by_ending(const char *path)
{
	size_t n = strlen(path);

	if (td_trace_ends_with(path, n, ".gz"))
		n -= 3;
	else if (td_trace_ends_with(path, n, ".zst"))
		n -= 4;
	else if (td_trace_ends_with(path, n, ".xz"))
		n -= 3;
	for (size_t i = 0; td_trace_format_table[i]; i++)
		for (const char *const *e = td_trace_format_table[i]->endings; *e; e++)
			if (td_trace_ends_with(path, n, *e))
				return td_trace_format_table[i];
	return NULL;
}

static int fail_unknown(const char *name, bool to_write, struct tide_error *err)
{
	const char *(*at)(size_t i) = to_write ? td_trace_write_format : td_trace_read_format;
	struct td_trace_names all = join(at, ", ", ", ");
	const char *names[32], *near;
	size_t n = 0;

	for (; n < 32 && at(n); n++)
		names[n] = at(n);
	near = td_core_nearest(name, names, n);
	if (near)
		return tide_fail(err, -EINVAL,
				 "unknown trace format %s, did you mean %s?: known "
				 "here are %s",
				 name, near, all.text);
	return tide_fail(err, -EINVAL, "unknown trace format %s: known here are %s", name,
			 all.text);
}

int td_trace_named_format(const struct td_trace_format **out, const char *format, const char *path,
			  bool to_write, struct tide_error *err)
{
	if (!format) {
		*out = by_ending(path);
		return 0;
	}
	for (size_t i = 0; (*out = known(i, to_write)); i++)
		if (!strcmp((*out)->name, format))
			return 0;
	return fail_unknown(format, to_write, err);
}

static int fail_to_write(const struct td_trace_format *f, const char *path, struct tide_error *err)
{
	struct td_trace_names endings = join(write_ending, ", ", " or ");

	if (f)
		return tide_fail(err, -EINVAL,
				 "%s cannot be written as %s: name it %s, or say the format", path,
				 f->name, endings.text);
	return tide_fail(err, -EINVAL,
			 "cannot tell the format of %s from its name: name it %s, or say the "
			 "format",
			 path, endings.text);
}

int td_trace_create(struct td_trace_writer **out, const char *path, const char *format,
		    struct tide_error *err)
{
	const struct td_trace_format *f;
	int rc = td_trace_named_format(&f, format, path, true, err);

	*out = NULL;
	if (rc)
		return rc;
	if (!f || !f->sink)
		return fail_to_write(f, path, err);
	return td_trace_create_as(out, path, f->sink, err);
}
