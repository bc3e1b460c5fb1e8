/* A sorted array: allocations of a megabyte and more are few, and moving a few thousand entries
 * costs less than one of them. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "next.h"
#include "preload.h"

struct td_regions td_taken, td_guarded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void td_regions_lock(void)
{
	pthread_mutex_lock(&lock);
}

void td_regions_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void td_regions_reset_lock(void)
{
	pthread_mutex_init(&lock, NULL);
}

/* Straight from the kernel: malloc() is one of those who ask. */
static int grow(struct td_regions *t)
{
	size_t room = t->room ? t->room * 2 : 1024;
	size_t old_bytes = t->room * sizeof *t->at;
	void *at = next.mmap(NULL, room * sizeof *t->at, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return -ENOMEM;
	if (t->at) {
		memcpy(at, t->at, old_bytes);
		next.munmap(t->at, old_bytes);
	}
	t->at = at;
	t->room = room;
	return 0;
}

/* The place of the first region that ends after addr. */
static size_t find(const struct td_regions *t, uintptr_t addr)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (t->at[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int insert(struct td_regions *t, size_t i, struct td_region r)
{
	if (t->n == t->room) {
		int rc = grow(t);
		if (rc)
			return rc;
	}
	memmove(&t->at[i + 1], &t->at[i], (t->n - i) * sizeof r);
	t->at[i] = r;
	t->n++;
	return 0;
}

static void take_out(struct td_regions *t, size_t i)
{
	t->n--;
	memmove(&t->at[i], &t->at[i + 1], (t->n - i) * sizeof *t->at);
}

int td_regions_room(struct td_regions *t, size_t more)
{
	int rc = 0;

	while (!rc && t->n + more > t->room)
		rc = grow(t);
	return rc;
}

int td_regions_add(struct td_regions *t, struct td_region r)
{
	return insert(t, find(t, r.start), r);
}

struct td_region *td_regions_from(struct td_regions *t, uintptr_t addr)
{
	size_t i = find(t, addr);

	return i < t->n ? &t->at[i] : NULL;
}

struct td_region *td_regions_at(struct td_regions *t, uintptr_t addr)
{
	struct td_region *r = td_regions_from(t, addr);

	return r && r->start <= addr ? r : NULL;
}

/* One region, of which at least one page is in [start, end). Its slack goes with its last page. */
static int cut_one(struct td_regions *t, size_t i, uintptr_t start, uintptr_t end,
		   td_regions_drop *drop)
{
	struct td_region *r = &t->at[i], was = *r;
	uintptr_t from = was.start > start ? was.start : start;
	uintptr_t to = was.end <= end ? was.slack : end;

	if (was.start < start && end < was.end) {
		struct td_region right = {end, was.end, was.slack, was.kind};
		int rc = insert(t, i + 1, right);
		if (rc)
			return rc;
		r = &t->at[i];
	}
	if (was.start < start)
		r->end = r->slack = start;
	else if (end < was.end)
		r->start = end;
	else
		take_out(t, i);
	if (drop)
		drop(from, to);
	return 0;
}

int td_regions_cut(struct td_regions *t, uintptr_t start, uintptr_t end, td_regions_drop *drop)
{
	for (size_t i; start < end && (i = find(t, start)) < t->n && t->at[i].start < end;) {
		int rc = cut_one(t, i, start, end, drop);
		if (rc)
			return rc;
	}
	return 0;
}
