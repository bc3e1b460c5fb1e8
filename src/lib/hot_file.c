#include "hot_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/text.h"

#define HEAD "tide-set 1"
#define BYTES_MOST ((off_t)256 << 20)

/* ---- in memory ---- */

void td_lib_hot_file_free(struct td_lib_hot_file *set)
{
	for (size_t i = 0; i < set->parts_n; i++)
		free(set->parts[i].path);
	free(set->parts);
	free(set->runs);
	*set = (struct td_lib_hot_file){0};
}

/* Room for one more than n items, at every power of two. */
static void *with_room(void *items, size_t n, size_t item_bytes)
{
	if (n & (n - 1))
		return items;
	return reallocarray(items, n ? n * 2 : 1, item_bytes);
}

int td_lib_hot_file_add_part(struct td_lib_hot_file *set, const char *path, uint64_t bytes,
			     uint64_t nth)
{
	struct td_lib_hot_part *parts = with_room(set->parts, set->parts_n, sizeof *parts);
	if (!parts)
		return -ENOMEM;
	set->parts = parts;
	struct td_lib_hot_part *part = &parts[set->parts_n];
	*part = (struct td_lib_hot_part){.bytes = bytes, .nth = nth, .run = set->runs_n};
	if (path && !(part->path = strdup(path)))
		return -ENOMEM;
	set->parts_n++;
	return 0;
}

int td_lib_hot_file_add_run(struct td_lib_hot_file *set, uint64_t first, uint64_t n)
{
	struct td_lib_hot_part *part = &set->parts[set->parts_n - 1];
	struct td_lib_hot_run *runs = with_room(set->runs, set->runs_n, sizeof *runs);
	if (!runs)
		return -ENOMEM;
	set->runs = runs;
	struct td_lib_hot_run *last = part->runs_n ? &runs[set->runs_n - 1] : NULL;
	if (last && last->first + last->n == first) {
		last->n += n;
		return 0;
	}
	runs[set->runs_n++] = (struct td_lib_hot_run){first, n};
	part->runs_n++;
	return 0;
}

/* ---- writing ---- */

static void put_part(const struct td_lib_hot_file *set, const struct td_lib_hot_part *part,
		     FILE *to)
{
	if (part->path)
		fprintf(to, "file %s\n", part->path);
	else
		fprintf(to, "memory %" PRIu64 " %" PRIu64 "\n", part->bytes, part->nth);
	for (size_t i = 0; i < part->runs_n; i++)
		fprintf(to, "pages %" PRIu64 " %" PRIu64 "\n", set->runs[part->run + i].first,
			set->runs[part->run + i].n);
}

static int make_text(const struct td_lib_hot_file *set, char **text, size_t *n)
{
	FILE *to = open_memstream(text, n);
	if (!to)
		return -ENOMEM;
	fputs(HEAD "\n", to);
	for (size_t i = 0; i < set->parts_n; i++)
		put_part(set, &set->parts[i], to);
	fflush(to);
	fprintf(to, "end %016" PRIx64 "\n", (uint64_t)XXH3_64bits(*text, *n));
	return fclose(to) ? -ENOMEM : 0;
}

static int write_text(const char *path, const char *text, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int rc = fd < 0 ? -errno : 0;
	while (!rc && n) {
		ssize_t done = write(fd, text, n);
		if (done < 0 && errno != EINTR)
			rc = -errno;
		text += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	if (fd >= 0 && close(fd) && !rc)
		rc = -errno;
	return rc;
}

int td_lib_hot_file_write(const struct td_lib_hot_file *set, const char *path,
			  struct tide_error *err)
{
	char *text = NULL, *beside = NULL;
	size_t n;
	int rc = make_text(set, &text, &n);
	if (!rc && asprintf(&beside, "%s.%d.new", path, (int)getpid()) < 0) {
		beside = NULL;
		rc = -ENOMEM;
	}
	if (!rc) {
		unlink(beside);
		rc = write_text(beside, text, n);
		if (!rc && rename(beside, path))
			rc = -errno;
		if (rc)
			unlink(beside);
	}
	free(beside);
	free(text);
	return rc ? tide_fail(err, rc, "cannot write the set %s: %s: give another file",
			      td_core_shown(path, strlen(path)).text, strerror(-rc))
		  : 0;
}

/* ---- reading ---- */

/* The next line, without its end; NULL: there is none. */
static char *next_line(char **at)
{
	char *line = *at, *end = strchr(line, '\n');
	if (!end)
		return NULL;
	*end = '\0';
	*at = end + 1;
	return line;
}

/* Two numbers with a blank between them, and nothing else. */
static bool two_numbers(const char *text, uint64_t *a, uint64_t *b)
{
	const char *blank = strchr(text, ' ');
	return blank && !td_core_u64(text, (size_t)(blank - text), a) &&
	       !td_core_u64(blank + 1, strlen(blank + 1), b);
}

static int read_run(struct td_lib_hot_file *set, const char *text)
{
	const struct td_lib_hot_part *part = set->parts_n ? &set->parts[set->parts_n - 1] : NULL;
	const struct td_lib_hot_run *last =
		part && part->runs_n ? &set->runs[set->runs_n - 1] : NULL;
	uint64_t first, n;
	if (!part || !two_numbers(text, &first, &n) || !n)
		return -EINVAL;
	if (first > UINT64_MAX / TD_LIB_HOT_UNIT - n || (last && first < last->first + last->n))
		return -EINVAL;
	if (!part->path && (first + n - 1) * TD_LIB_HOT_UNIT >= part->bytes)
		return -EINVAL;
	return td_lib_hot_file_add_run(set, first, n);
}

static int read_line(struct td_lib_hot_file *set, const char *line)
{
	uint64_t bytes, nth;
	if (!strncmp(line, "pages ", 6))
		return read_run(set, line + 6);
	if (!strncmp(line, "file /", 6))
		return td_lib_hot_file_add_part(set, line + 5, 0, 0);
	if (strncmp(line, "memory ", 7) != 0 || !two_numbers(line + 7, &bytes, &nth) || !bytes)
		return -EINVAL;
	return td_lib_hot_file_add_part(set, NULL, bytes, nth);
}

/* text ends with a zero, and none is within it. */
static int read_lines(struct td_lib_hot_file *set, char *text, const char *name,
		      struct tide_error *err)
{
	char *at = text, *line = next_line(&at), *end;
	unsigned long n = 1;
	int rc = line && !strcmp(line, HEAD) ? 0 : -EINVAL;
	if (rc)
		return tide_fail(err, rc,
				 "%s is no set of pages: give a file that was saved as one", name);
	while (!rc && (line = next_line(&at)) && strncmp(line, "end ", 4) != 0) {
		rc = read_line(set, line);
		n++;
	}
	if (rc == -ENOMEM)
		return tide_fail(err, rc, "no memory for the set %s: free some", name);
	if (!rc && (!line || *at || strtoull(line + 4, &end, 16) == 0 || *end))
		rc = -EINVAL;
	return rc ? tide_fail(err, rc, "%s is damaged in line %lu: save the set again", name, n)
		  : 0;
}

/* The last line has the sum of those before. */
static bool has_sum(const char *text, size_t n)
{
	const char *last = n > 21 ? text + n - 21 : NULL;
	char *end;
	return last && !strncmp(last, "end ", 4) && last[-1] == '\n' &&
	       strtoull(last + 4, &end, 16) == XXH3_64bits(text, (size_t)(last - text)) &&
	       *end == '\n';
}

static int load(const char *path, char **text, size_t *n)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int rc = fd < 0 || fstat(fd, &st) ? -errno : 0;
	if (!rc && (!S_ISREG(st.st_mode) || st.st_size > BYTES_MOST))
		rc = -EINVAL;
	if (!rc && !(*text = malloc((size_t)st.st_size + 1)))
		rc = -ENOMEM;
	for (*n = 0; !rc && *n < (size_t)st.st_size;) {
		ssize_t got = read(fd, *text + *n, (size_t)st.st_size - *n);
		if (got <= 0)
			break;
		*n += (size_t)got;
	}
	if (!rc)
		(*text)[*n] = '\0';
	if (fd >= 0)
		close(fd);
	return rc;
}

int td_lib_hot_file_read(struct td_lib_hot_file *set, const char *path, struct tide_error *err)
{
	struct td_core_word name = td_core_shown(path, strlen(path));
	char *text = NULL;
	size_t n;
	*set = (struct td_lib_hot_file){0};
	int rc = load(path, &text, &n);
	if (rc == -EINVAL)
		tide_fail(err, rc, "%s is no set of pages: give a file that was saved as one",
			  name.text);
	else if (rc)
		tide_fail(err, rc, "cannot read the set %s: %s", name.text, strerror(-rc));
	bool whole = !rc && strlen(text) == n && has_sum(text, n);
	if (!rc)
		rc = read_lines(set, text, name.text, err);
	if (!rc && !whole)
		rc = tide_fail(err, -EINVAL, "%s is damaged: save the set again", name.text);
	free(text);
	if (rc)
		td_lib_hot_file_free(set);
	return rc;
}
