#include "hot.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

void td_lib_hot_init(struct td_lib_hot *s)
{
	*s = (struct td_lib_hot){0};
	pthread_mutex_init(&s->lock, NULL);
}

void td_lib_hot_free(struct td_lib_hot *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->at[i].path);
	free(s->at);
	free(s->sizes);
	td_lib_hot_file_free(&s->loaded);
	pthread_mutex_destroy(&s->lock);
}

/* As around every call of the pager: a handler that maps memory would wait for this very thread,
 * and a thread that is cancelled would take the lock with it. */
static void enter(struct td_lib_hot *s, struct td_pager_caller *saved)
{
	sigset_t all;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved->cancel);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved->signals);
	pthread_mutex_lock(&s->lock);
}

static void leave(struct td_lib_hot *s, const struct td_pager_caller *saved)
{
	pthread_mutex_unlock(&s->lock);
	pthread_sigmask(SIG_SETMASK, &saved->signals, NULL);
	pthread_setcancelstate(saved->cancel, NULL);
}

void td_lib_hot_before_fork(struct td_lib_hot *s)
{
	pthread_mutex_lock(&s->lock);
}

void td_lib_hot_after_fork(struct td_lib_hot *s)
{
	pthread_mutex_unlock(&s->lock);
}

/* ---- mappings; the lock is held ---- */

/* The first that ends above addr. */
static size_t mapping_from(const struct td_lib_hot *s, uintptr_t addr)
{
	size_t low = 0, high = s->n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (s->at[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void remove_at(struct td_lib_hot *s, size_t i)
{
	free(s->at[i].path);
	memmove(&s->at[i], &s->at[i + 1], (--s->n - i) * sizeof *s->at);
}

/* As place i; false: no memory. */
static bool insert_at(struct td_lib_hot *s, size_t i, const struct td_lib_hot_mapping *m)
{
	struct td_lib_hot_mapping *at = reallocarray(s->at, s->n + 1, sizeof *at);
	if (!at)
		return false;
	s->at = at;
	memmove(&at[i + 1], &at[i], (s->n++ - i) * sizeof *at);
	at[i] = *m;
	return true;
}

/* What is behind end becomes a mapping of its own, of which nothing is unmapped. */
static void split_at(struct td_lib_hot *s, size_t i, uintptr_t end)
{
	struct td_lib_hot_mapping rest = s->at[i];
	rest.start = end;
	rest.path = rest.path ? strdup(rest.path) : NULL;
	if (s->at[i].path && !rest.path)
		return;
	if (!insert_at(s, i + 1, &rest))
		free(rest.path);
}

static void cut(struct td_lib_hot *s, uintptr_t start, uintptr_t end)
{
	size_t i = mapping_from(s, start);
	while (i < s->n && s->at[i].start < end) {
		if (s->at[i].start < start) {
			if (s->at[i].end > end)
				split_at(s, i, end);
			s->at[i++].end = start;
		} else if (s->at[i].end > end) {
			s->at[i++].start = end;
		} else {
			remove_at(s, i);
		}
	}
}

/* How many of this size were made before. */
static uint64_t count_size(struct td_lib_hot *s, uint64_t bytes)
{
	for (size_t i = s->sizes_n; i--;) {
		if (s->sizes[i].bytes == bytes)
			return s->sizes[i].made++;
	}
	struct td_lib_hot_size *sizes = reallocarray(s->sizes, s->sizes_n + 1, sizeof *sizes);
	if (!sizes)
		return UINT64_MAX;
	s->sizes = sizes;
	sizes[s->sizes_n++] = (struct td_lib_hot_size){bytes, 1};
	return 0;
}

/* ---- loading ---- */

static uint64_t place_of(const struct td_lib_hot_mapping *m, uintptr_t addr)
{
	return addr - m->origin + m->file_offset;
}

/* What of the run the mapping shows. */
static int bring_run(struct td_lib_hot *s, const struct td_lib_hot_mapping *m,
		     struct td_lib_hot_run run)
{
	uint64_t from = run.first * TD_LIB_HOT_UNIT, to = from + run.n * TD_LIB_HOT_UNIT;
	uint64_t first = place_of(m, m->start), last = place_of(m, m->end);
	from = from > first ? from : first;
	to = to < last ? to : last;
	if (from >= to)
		return 0;
	return td_pager_bring_hot(s->pager, m->start + (from - first), m->start + (to - first),
				  NULL);
}

static bool is_of(const struct td_lib_hot_part *part, const struct td_lib_hot_mapping *m)
{
	if (part->path || m->path)
		return part->path && m->path && !strcmp(part->path, m->path);
	return part->bytes == m->bytes && part->nth == m->nth;
}

/* In the order of the file: one pass. Where near memory is full, or a page cannot be had, the rest
 * comes when it is touched. */
static void bring(struct td_lib_hot *s, const struct td_lib_hot_mapping *m)
{
	int rc = 0;
	for (size_t i = 0; i < s->loaded.parts_n; i++) {
		const struct td_lib_hot_part *part = &s->loaded.parts[i];
		for (size_t k = 0; is_of(part, m) && !rc && k < part->runs_n; k++)
			rc = bring_run(s, m, s->loaded.runs[part->run + k]);
	}
}

int td_lib_hot_load(struct td_lib_hot *s, const char *path, struct tide_error *err)
{
	struct td_lib_hot_file loaded;
	struct td_pager_caller saved;
	int rc = td_lib_hot_file_read(&loaded, path, err);
	if (rc)
		return rc;
	enter(s, &saved);
	td_lib_hot_file_free(&s->loaded);
	s->loaded = loaded;
	for (size_t i = 0; i < s->n; i++)
		bring(s, &s->at[i]);
	leave(s, &saved);
	return 0;
}

void td_lib_hot_mapped(struct td_lib_hot *s, void *base, size_t bytes, const char *path,
		       uint64_t offset)
{
	struct td_lib_hot_mapping m = {.start = (uintptr_t)base, .bytes = bytes};
	struct td_pager_caller saved;
	char whole[PATH_MAX];
	m.origin = m.start;
	m.end = m.start + bytes;
	m.file_offset = path ? offset : 0;
	m.path = path ? strdup(realpath(path, whole) ? whole : path) : NULL;
	enter(s, &saved);
	m.nth = path ? 0 : count_size(s, bytes);
	cut(s, m.start, m.end);
	if ((path && !m.path) || !insert_at(s, mapping_from(s, m.start), &m))
		free(m.path);
	else
		bring(s, &m);
	leave(s, &saved);
}

void td_lib_hot_unmapped(struct td_lib_hot *s, const void *addr, size_t bytes)
{
	struct td_pager_caller saved;
	enter(s, &saved);
	cut(s, (uintptr_t)addr, (uintptr_t)addr + bytes);
	leave(s, &saved);
}

/* ---- saving ---- */

static int add_mapping(const struct td_lib_hot *s, const struct td_lib_hot_mapping *m,
		       struct td_lib_hot_file *set)
{
	uintptr_t at = m->start, end;
	int rc = 0;
	if (m->path && (*m->path != '/' || !td_core_is_line(m->path)))
		return 0;
	rc = td_lib_hot_file_add_part(set, m->path, m->bytes, m->nth);
	while (!rc && (end = td_pager_next_hot(s->pager, &at, m->end))) {
		rc = td_lib_hot_file_add_run(set, place_of(m, at) / TD_LIB_HOT_UNIT,
					     (end - at) / TD_LIB_HOT_UNIT);
		at = end;
	}
	return rc;
}

int td_lib_hot_save(struct td_lib_hot *s, const char *path, struct tide_error *err)
{
	struct td_lib_hot_file set = {0};
	struct td_pager_caller saved;
	int rc = 0;
	enter(s, &saved);
	for (size_t i = 0; !rc && i < s->n; i++)
		rc = add_mapping(s, &s->at[i], &set);
	leave(s, &saved);
	rc = rc ? tide_fail(err, rc, "no memory for the set: free some")
		: td_lib_hot_file_write(&set, path, err);
	td_lib_hot_file_free(&set);
	return rc;
}
