/* What the tests of the trace room share: files in a scratch folder, whole traces in memory. */
#ifndef TEST_TRACE_H
#define TEST_TRACE_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/event.h"
#include "trace/reader.h"

struct events {
	struct td_event *at;
	size_t n;
};

static char folder[64];

__attribute__((unused)) static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/tide-test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

__attribute__((unused)) static int remove_folder(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command);
}

/* A path in the scratch folder; good until the fourth call after it. */
static const char *scratch(const char *name)
{
	static char paths[4][160];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof paths[0], "%s/%s", folder, name);
	return path;
}

__attribute__((unused)) static const char *save(const char *name, const void *bytes, size_t n)
{
	const char *path = scratch(name);
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	return path;
}

__attribute__((unused)) static unsigned char *load(const char *path, size_t *n)
{
	struct stat st;
	unsigned char *bytes;
	FILE *f = fopen(path, "rb");

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	*n = (size_t)st.st_size;
	bytes = malloc(*n + 1);
	assert_int_equal(fread(bytes, 1, *n, f), *n);
	fclose(f);
	return bytes;
}

/* Whatever comes until the end or an error. */
static int drain(struct td_trace_source *s, struct events *got, struct tide_error *err)
{
	struct tide_batch *b = calloc(1, sizeof *b);
	size_t room = 0;
	int rc;

	*got = (struct events){0};
	while (!(rc = td_trace_next(s, b, err)) && b->n) {
		if (got->n + b->n > room) {
			room = 2 * (got->n + b->n);
			got->at = realloc(got->at, room * sizeof *got->at);
		}
		for (uint32_t i = 0; i < b->n; i++)
			got->at[got->n++] = (struct td_event){b->page[i], b->ref[i], b->stream[i],
							      b->write[i] != 0};
	}
	free(b);
	return rc;
}

__attribute__((unused)) static int read_with(const struct td_trace_options *options,
					     struct events *got, struct tide_error *err)
{
	struct td_trace_source *s;
	int rc = td_trace_open(&s, options, err);

	*got = (struct events){0};
	if (!rc) {
		rc = drain(s, got, err);
		td_trace_close(s);
	}
	return rc;
}

__attribute__((unused)) static struct events read_good(const char *path)
{
	struct tide_error err = {0};
	struct events got;
	int rc = read_with(&(struct td_trace_options){.path = path}, &got, &err);

	if (rc)
		fail_msg("%s", err.text);
	return got;
}

__attribute__((unused)) static void write_good(const char *path, const char *format,
					       const struct events *e)
{
	struct tide_batch *b = calloc(1, sizeof *b);
	struct tide_error err = {0};
	struct td_trace_writer *w;

	if (td_trace_create(&w, path, format, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < e->n;) {
		for (b->n = 0; b->n < 1000 && i < e->n; i++, b->n++) {
			b->page[b->n] = e->at[i].page;
			b->ref[b->n] = e->at[i].ref;
			b->stream[b->n] = e->at[i].stream;
			b->write[b->n] = e->at[i].write;
		}
		assert_int_equal(td_trace_put(w, b, &err), 0);
	}
	free(b);
	if (td_trace_finish(w, &err))
		fail_msg("%s", err.text);
}

static bool same_event(const struct td_event *a, const struct td_event *b)
{
	return a->page == b->page && a->ref == b->ref && a->stream == b->stream &&
	       a->write == b->write;
}

/* b may stop early where partial is set. */
__attribute__((unused)) static void assert_same(const struct events *a, const struct events *b,
						bool partial)
{
	if (partial)
		assert_true(b->n <= a->n);
	else
		assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < b->n; i++)
		if (!same_event(&a->at[i], &b->at[i]))
			fail_msg("event %zu: page %lu and not %lu", i, (unsigned long)b->at[i].page,
				 (unsigned long)a->at[i].page);
}

/* Reading fails with this code and exactly this text; %s stands for the path. */
/* A text, then the names of formats that the build has. */
struct test_names {
	char text[256];
};
__attribute__((unused)) static struct test_names
test_names(const char *start, const char *name(size_t i), const char *between)
{
	struct test_names names;
	size_t used = (size_t)snprintf(names.text, sizeof names.text, "%s", start);

	for (size_t i = 0; name(i) && used < sizeof names.text; i++)
		used += (size_t)snprintf(names.text + used, sizeof names.text - used, "%s%s",
					 i ? between : "", name(i));
	return names;
}

__attribute__((unused)) static void assert_fails(const struct td_trace_options *options, int code,
						 const char *text)
{
	struct tide_error err = {0};
	struct events got;
	char expected[512];

	assert_int_equal(read_with(options, &got, &err), code);
	free(got.at);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(expected, sizeof expected, text, options->path);
#pragma GCC diagnostic pop
	assert_string_equal(err.text, expected);
	assert_int_equal(err.code, code);
}

#endif
