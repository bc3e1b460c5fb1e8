#include "store.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "inside.h"

#define PAGE_BYTES_MAX 65536u

static int check_page_bytes(uint32_t bytes, struct tide_error *err)
{
	if (bytes >= 4096 && bytes <= PAGE_BYTES_MAX && !(bytes & (bytes - 1)))
		return 0;
	return tide_fail(
		err, -EINVAL,
		"compressed memory of pages of %u bytes: give a power of two from 4096 to %u",
		bytes, PAGE_BYTES_MAX);
}

/* What is needed before there is a page: the handle, the workers, a slab, a table. */
static int take_fixed(struct td_store *s, struct tide_error *err)
{
	uint64_t fixed = sizeof *s + td_codec_memory(&s->codec);
	uint64_t least = fixed + s->slabs.slab_bytes * 2 + 8192;
	if (s->budget.limit_bytes < least)
		return tide_fail(
			err, -EINVAL,
			"compressed memory of %llu bytes has no room for a page: give %llu or "
			"more",
			(unsigned long long)s->budget.limit_bytes, (unsigned long long)least);
	return td_budget_take(&s->budget, fixed);
}

static int open_parts(struct td_store *s, enum td_store_codec codec, struct tide_error *err)
{
	uint64_t limit = s->budget.limit_bytes;
	int rc = td_slabs_open(&s->slabs, s->page_bytes, &s->budget);
	if (rc == -EINVAL)
		return tide_fail(err, rc, "compressed memory of %llu bytes: give %u or more",
				 (unsigned long long)limit, s->page_bytes * TD_SLABS_PAGES * 4);
	if (!rc)
		rc = td_codec_open(&s->codec, codec, s->page_bytes, s->slabs.slot_bytes[1],
				   limit / 8);
	if (rc)
		return tide_fail(err, rc, "cannot reserve %llu bytes for compressed memory: %s",
				 (unsigned long long)limit, strerror(-rc));
	return take_fixed(s, err);
}

int td_store_open(struct td_store **out, enum td_store_codec codec, uint32_t page_bytes,
		  uint64_t limit_bytes, struct tide_error *err)
{
	*out = NULL;
	int rc = check_page_bytes(page_bytes, err);
	if (rc)
		return rc;
	struct td_store *s = calloc(1, sizeof *s);
	if (!s)
		return tide_fail(err, -ENOMEM, "no memory for compressed memory: free some");
	s->page_bytes = page_bytes;
	s->budget.limit_bytes = limit_bytes;
	td_table_open(&s->table, &s->budget);
	rc = open_parts(s, codec, err);
	if (rc)
		td_store_close(s);
	else
		*out = s;
	return rc;
}

void td_store_close(struct td_store *s)
{
	if (!s)
		return;
	td_table_close(&s->table);
	td_codec_close(&s->codec);
	td_slabs_close(&s->slabs);
	free(s);
}

/* ---- entries ---- */

static uint32_t check_of(const struct td_store *s, const void *data)
{
	return (uint32_t)XXH3_64bits(data, s->page_bytes);
}

static uint32_t bytes_of(const struct td_store *s, const struct td_entry *e)
{
	if (e->bytes == TD_ENTRY_RAW)
		return s->page_bytes;
	return e->bytes < TD_ENTRY_BYTES ? 0 : e->bytes;
}

static bool has_place(const struct td_entry *e)
{
	return e->bytes >= TD_ENTRY_RAW;
}

static void count(struct td_store *s, const struct td_entry *e, uint64_t sign)
{
	if (e->bytes == TD_ENTRY_NONE)
		return;
	atomic_fetch_add_explicit(&s->pages, sign, memory_order_relaxed);
	atomic_fetch_add_explicit(&s->stored_bytes, sign * bytes_of(s, e), memory_order_relaxed);
}

static void forget(struct td_store *s, const struct td_entry *e)
{
	count(s, e, UINT64_MAX); /* less one */
	if (has_place(e))
		td_slabs_give(&s->slabs, e->u.data.place);
}

static bool is_one_word(const struct td_store *s, const void *data)
{
	const uint64_t *word = data;
	uint32_t i = 1, n = s->page_bytes / (uint32_t)sizeof *word;
	while (i < n && word[i] == word[0])
		i++;
	return i == n;
}

/* ---- pages ---- */

/* Into a place of its own, where it is not one word. */
static int store_data(struct td_store *s, const void *data, struct td_entry *e)
{
	struct td_worker *w = td_codec_take(&s->codec, true);
	uint32_t bytes = td_codec_pack(&s->codec, w, data), place;
	int rc = td_slabs_take(&s->slabs, bytes ? bytes : s->page_bytes, &place);
	if (!rc) {
		memcpy(td_slabs_at(&s->slabs, place), bytes ? w->out : data,
		       bytes ? bytes : s->page_bytes);
		e->bytes = bytes ? bytes & UINT16_MAX : TD_ENTRY_RAW;
		e->u.data.place = place;
		e->u.data.check = check_of(s, data);
	}
	td_codec_give(&s->codec, w);
	return rc;
}

int td_store_put(struct td_store *s, uint64_t page, const void *data)
{
	struct td_entry e = {.page = page & TD_TABLE_PAGE_MAX, .bytes = TD_ENTRY_WORD}, was;
	if (page > TD_TABLE_PAGE_MAX)
		return -ENOSPC;
	int rc = 0;
	if (is_one_word(s, data))
		memcpy(&e.u.word, data, sizeof e.u.word);
	else
		rc = store_data(s, data, &e);
	if (rc)
		return rc;
	rc = td_table_put(&s->table, &e, &was);
	count(s, &e, 1);
	forget(s, rc ? &e : &was);
	return rc;
}

static void fill(const struct td_store *s, uint64_t word, void *data)
{
	for (uint32_t i = 0; i < s->page_bytes / sizeof word; i++)
		((uint64_t *)data)[i] = word;
}

static bool load(struct td_store *s, const struct td_entry *e, void *data)
{
	const void *from = td_slabs_at(&s->slabs, e->u.data.place);
	if (e->bytes == TD_ENTRY_RAW) {
		memcpy(data, from, s->page_bytes);
		return true;
	}
	struct td_worker *w = td_codec_take(&s->codec, false);
	bool good = td_codec_unpack(&s->codec, w, from, e->bytes, data);
	td_codec_give(&s->codec, w);
	return good;
}

int td_store_get(struct td_store *s, uint64_t page, void *data)
{
	struct td_entry e;
	if (page > TD_TABLE_PAGE_MAX || !td_table_get(&s->table, page, &e))
		return -ENOENT;
	if (e.bytes == TD_ENTRY_WORD) {
		fill(s, e.u.word, data);
		return 0;
	}
	return load(s, &e, data) && check_of(s, data) == e.u.data.check ? 0 : -EIO;
}

void td_store_drop(struct td_store *s, uint64_t page)
{
	struct td_entry was;
	if (page <= TD_TABLE_PAGE_MAX && td_table_drop(&s->table, page, &was))
		forget(s, &was);
}

void td_store_use(const struct td_store *s, struct td_store_use *use)
{
	use->pages = atomic_load_explicit(&s->pages, memory_order_relaxed);
	use->stored_bytes = atomic_load_explicit(&s->stored_bytes, memory_order_relaxed);
	use->memory_bytes = atomic_load_explicit(&s->budget.used_bytes, memory_order_relaxed);
}
