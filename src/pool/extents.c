/* Holes and data of a range, while other threads write, flush, trim and evict.
 *
 * Nothing that was written before the call may be called a hole. Where are the bytes of such a
 * page? In memory until the write to the file has succeeded: a block keeps its page while it is
 * dirty, while it is being written, and on its way out of main memory (td_pool_block_free() comes
 * after the write). Then they are in the file. They move in this direction only, so we look in the
 * same direction: for all pages of a window in memory first, under the lock, and in the file
 * afterwards. A page that was not in memory had left for the file before we look there. The other
 * order is wrong: a page could go to the file after we looked there, and leave memory before we
 * look here. What is written or trimmed during the call may be told either way.
 *
 * A page in memory is data unless its bytes are zero at this moment. For that it is frozen: no
 * thread can write it meanwhile. A pinned page, or one in device memory, is data. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inside.h"

#define WINDOW_PAGES 8192
#define STEP_BYTES (UINT64_C(1) << 20) /* the most that is compared with zeros under the lock */
#define STEP_PAGES 1024

/* ---- in memory ---- */

struct look {
	uint64_t first;
	size_t n;
	uint64_t held[WINDOW_PAGES / 64], zero[WINDOW_PAGES / 64]; /* a bit per page */
};

static bool is_set(const uint64_t *bits, size_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

static bool is_held(struct td_pool *p, uint64_t page)
{
	for (uint32_t i = 0; i < p->degree; i++)
		if (td_pool_resolve(p, page * p->degree + i) != TIDE_NIL)
			return true;
	return false;
}

static bool is_zero_block(struct td_pool *p, uint32_t b)
{
	if (b == TIDE_NIL || !(td_pool_word(p, b) & TD_MAIN) || !td_pool_freeze(p, b))
		return false;
	bool zero = memcmp(td_pool_bytes_of(p, b), p->zeros, p->block_bytes) == 0;
	td_pool_thaw(p, b);
	return zero;
}

static bool is_zero(struct td_pool *p, uint64_t page)
{
	bool zero = p->degree == 1 || !td_pool_window_find(p, page);
	for (uint32_t i = 0; zero && i < p->degree; i++)
		zero = is_zero_block(p, td_pool_resolve(p, page * p->degree + i));
	return zero;
}

static void look_at(struct td_pool *p, struct look *l, size_t i)
{
	uint64_t bit = UINT64_C(1) << i % 64;
	if (!is_held(p, l->first + i))
		return;
	l->held[i / 64] |= bit;
	if (is_zero(p, l->first + i))
		l->zero[i / 64] |= bit;
}

static size_t step_pages(const struct td_pool *p)
{
	uint64_t n = STEP_BYTES / p->page_bytes;
	return n < STEP_PAGES ? (size_t)n : STEP_PAGES;
}

/* In steps, so that no other thread waits long for the lock. */
static void look_in_memory(struct td_pool *p, struct look *l, uint64_t page, uint64_t end)
{
	size_t step = step_pages(p);
	memset(l, 0, sizeof *l);
	l->first = page;
	l->n = end - page < WINDOW_PAGES ? (size_t)(end - page) : WINDOW_PAGES;
	for (size_t i = 0; i < l->n;) {
		size_t stop = l->n - i < step ? l->n : i + step;
		pthread_mutex_lock(&p->lock);
		for (; i < stop; i++)
			look_at(p, l, i);
		pthread_mutex_unlock(&p->lock);
	}
}

/* ---- in the file ---- */

/* From `at` on there is a hole to `data`, and data to `hole`. */
struct seek {
	uint64_t at, data, hole;
};

/* Does the file still have these bytes? If it has become shorter, a read must fail, and a hole
 * would hide that. */
static bool has_bytes(const struct td_pool *p)
{
	struct stat st;
	return !fstat(p->file.fd, &st) && (uint64_t)st.st_size >= p->file.bytes;
}

/* If the file system or a block device knows no holes, all is data. */
static void seek(const struct td_pool *p, struct seek *s, uint64_t at)
{
	off_t data = lseek(p->file.fd, (off_t)at, SEEK_DATA), hole;
	bool ends = data < 0 && errno == ENXIO && has_bytes(p);
	*s = (struct seek){at, at, p->file.bytes};
	if (ends)
		s->data = p->file.bytes;
	if (data < 0)
		return;
	hole = lseek(p->file.fd, data, SEEK_HOLE);
	s->data = (uint64_t)data;
	s->hole = hole > data ? (uint64_t)hole : p->file.bytes;
}

static bool is_known(const struct seek *s, uint64_t at)
{
	return at >= s->at && at < s->hole;
}

bool td_pool_is_hole(struct td_pool *p, uint64_t first, uint64_t end)
{
	struct seek s;
	bool held = false;
	pthread_mutex_lock(&p->lock);
	for (uint64_t page = first; !held && page < end; page++)
		held = is_held(p, page);
	pthread_mutex_unlock(&p->lock);
	if (held)
		return false;
	seek(p, &s, first * p->page_bytes);
	return s.data >= p->file.bytes || s.data >= end * p->page_bytes;
}

/* ---- parts ---- */

/* Joins neighbours of one kind before the caller hears of them. */
struct teller {
	tide_pool_part *tell;
	void *arg;
	uint64_t offset, bytes, from, to; /* from, to: the range that was asked for */
	bool is_hole, ended;
};

static void tell(struct teller *t)
{
	if (t->bytes && !t->ended)
		t->ended = !t->tell(t->arg, t->offset, t->bytes, t->is_hole);
	t->bytes = 0;
}

static void add(struct teller *t, uint64_t offset, uint64_t end, bool is_hole)
{
	offset = offset > t->from ? offset : t->from;
	end = end < t->to ? end : t->to;
	if (offset >= end)
		return;
	if (t->bytes && t->is_hole != is_hole)
		tell(t);
	if (!t->bytes)
		t->offset = offset;
	t->is_hole = is_hole;
	t->bytes += end - offset;
}

static void add_from_file(struct td_pool *p, struct teller *t, struct seek *s, uint64_t at,
			  uint64_t end)
{
	end = end < t->to ? end : t->to;
	for (at = at > t->from ? at : t->from; !t->ended && at < end;) {
		if (!is_known(s, at))
			seek(p, s, at);
		bool is_hole = at < s->data;
		uint64_t stop = is_hole ? s->data : s->hole;
		stop = stop < end ? stop : end;
		add(t, at, stop, is_hole);
		at = stop;
	}
}

/* Neighbours that are told alike. */
static size_t run_of(const struct look *l, size_t i)
{
	size_t n = i + 1;
	while (n < l->n && is_set(l->held, n) == is_set(l->held, i) &&
	       is_set(l->zero, n) == is_set(l->zero, i))
		n++;
	return n;
}

static void add_window(struct td_pool *p, struct teller *t, const struct look *l)
{
	struct seek s = {0};
	for (size_t i = 0, end; i < l->n && !t->ended; i = end) {
		end = run_of(l, i);
		uint64_t from = (l->first + i) * p->page_bytes;
		uint64_t to = (l->first + end) * p->page_bytes;
		if (is_set(l->held, i))
			add(t, from, to, is_set(l->zero, i));
		else
			add_from_file(p, t, &s, from, to);
	}
}

int td_pool_extents(struct td_pool *p, uint64_t offset, uint64_t bytes, tide_pool_part *part,
		    void *arg, struct tide_error *err)
{
	struct teller t = {.tell = part, .arg = arg, .from = offset, .to = offset + bytes};
	struct look l;
	int rc = td_pool_check_range(p, offset, bytes, false, err);
	if (rc || !bytes)
		return rc;
	uint64_t page = offset / p->page_bytes;
	uint64_t end = (offset + bytes - 1) / p->page_bytes + 1;
	for (; page < end && !t.ended; page += l.n) {
		look_in_memory(p, &l, page, end);
		add_window(p, &t, &l);
	}
	tell(&t);
	return 0;
}
