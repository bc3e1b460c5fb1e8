/* The buffer pool: turns texts into numbers, and makes the statistics. */
#include "tide/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/handle.h"
#include "core/text.h"
#include "cuda.h"
#include "json.h"
#include "pool/pool.h"
#include "recorder.h"
#include "sized.h"
#include "sizes.h"
#include "stats/json.h"

#define PAGE_MAX (UINT64_C(1) << 20)
#define BATCH_MAX 4096

static const char *const dedups[] = {"off", "on", "auto", NULL};
static const char *const hashes[] = {"xxh3", "md5", NULL};

static const char kind[] = "tide_pool";

struct tide_pool {
	struct td_handle handle;
	struct td_pool *pool;
	struct td_pool_config config; /* its texts are the caller's, and are not looked at again */
	struct td_recorder *recorder;
	char *evict, *place; /* as they were written */
	char device[256];    /* as given, or the beginning of that */
};

static int usable(const struct tide_pool *p, struct tide_error *err)
{
	return td_handle_check(p, kind, err);
}

/* ---- options ---- */

static int choose(const char *what, const char *text, const char *const *words, int *at,
		  struct tide_error *err)
{
	char all[64] = "";
	for (*at = 0; words[*at]; ++*at) {
		if (!text || !strcmp(text, words[*at]))
			return 0;
		size_t n = strlen(all);
		snprintf(all + n, sizeof all - n, "%s%s", n ? ", " : "", words[*at]);
	}
	return tide_fail(err, -EINVAL, "unknown %s '%s': give one of %s", what,
			 td_core_shown(text, strlen(text)).text, all);
}

static int refuse_device(const char *text, struct tide_error *err)
{
	char all[128] = "";
	for (const struct td_pool_device *const *d = td_pool_device_table; *d; d++) {
		size_t n = strlen(all);
		snprintf(all + n, sizeof all - n, "%s%s%s, ", (*d)->name, (*d)->takes ? ":" : "",
			 (*d)->takes ? (*d)->takes : "");
	}
	return tide_fail(err, -EINVAL, "unknown device '%s': known ones are %scuda",
			 td_core_shown(text, strlen(text)).text, all);
}

/* NAME, or NAME:WHERE where the device takes that. */
static int parse_device(const char *text, struct td_pool_config *c, struct tide_error *err)
{
	size_t n = strcspn(text, ":");
	c->where = text[n] && text[n + 1] ? text + n + 1 : NULL;
	if (!strcmp(text, "cuda"))
		return td_lib_pool_cuda(&c->device, err);
	for (const struct td_pool_device *const *d = td_pool_device_table; *d; d++)
		if (strlen((*d)->name) == n && !memcmp((*d)->name, text, n))
			c->device = *d;
	if (!c->device || !c->device->takes != !c->where || (text[n] && !c->where))
		return refuse_device(text, err);
	return 0;
}

static int parse_words(const struct tide_pool_options *o, struct td_pool_config *c,
		       struct tide_error *err)
{
	int dedup = 0, hash = 0;
	int rc = choose("dedup", o->dedup, dedups, &dedup, err);
	if (!rc)
		rc = choose("hash", o->hash, hashes, &hash, err);
	c->dedup = (enum td_pool_dedup)dedup;
	c->hash = (enum td_pool_hash)hash;
	return rc ? rc : parse_device(o->device ? o->device : "ram", c, err);
}

static bool is_power(uint64_t n)
{
	return n && !(n & (n - 1));
}

/* Without dedup a block is a page: there is nothing that it could share. */
static int parse_page(const struct tide_pool_options *o, struct td_pool_config *c,
		      struct tide_error *err)
{
	uint64_t page, block = 4096;
	int rc = td_lib_page_bytes(o->page, &page, err);
	if (rc)
		return rc;
	if (!is_power(page) || page < 4096 || page > PAGE_MAX)
		return tide_fail(err, -EINVAL,
				 "page of '%s': the pool takes a power of two from 4K to 1M",
				 o->page);
	if (o->block && td_core_size(o->block, strlen(o->block), &block))
		block = 0;
	if (!is_power(block) || block < 512 || block > page)
		return tide_fail(err, -EINVAL,
				 "block of '%s': give a power of two from 512 to the page size",
				 td_core_shown(o->block, strlen(o->block)).text);
	c->page_bytes = (uint32_t)page;
	c->block_bytes = (uint32_t)(c->dedup == TD_POOL_OFF ? page : block);
	return 0;
}

static int parse_pages(const char *what, const char *text, uint64_t page_bytes, uint64_t *pages,
		       struct tide_error *err)
{
	struct td_lib_near size = {0};
	size_t n = strlen(text);
	if ((n && text[n - 1] == '%') || td_lib_host_parse(text, page_bytes, &size, NULL))
		return tide_fail(err, -EINVAL,
				 "%s memory of '%s' is no size: write 512M or 1024p (pages)", what,
				 td_core_shown(text, n).text);
	*pages = size.pages;
	return 0;
}

static int parse_memory(const struct tide_pool_options *o, struct td_pool_config *c,
			struct tide_error *err)
{
	if (!o->main_size)
		return tide_fail(err, -EINVAL, "no size of main memory: give one, say 256M");
	int rc = parse_pages("main", o->main_size, c->page_bytes, &c->main_pages, err);
	if (!rc && !c->main_pages)
		rc = tide_fail(err, -EINVAL, "main memory of 0: give at least one page");
	if (!rc && o->device_size)
		rc = parse_pages("device", o->device_size, c->page_bytes, &c->device_pages, err);
	if (!rc && o->dirty)
		rc = parse_pages("dirty", o->dirty, c->page_bytes, &c->dirty_pages, err);
	return rc;
}

static int parse_bytes(const char *what, const char *text, uint64_t *out, struct tide_error *err)
{
	if (!text || !td_core_size(text, strlen(text), out))
		return 0;
	return tide_fail(err, -EINVAL, "%s of '%s': give a size, say 1M, or 0", what,
			 td_core_shown(text, strlen(text)).text);
}

static int parse_number(const char *what, const char *text, uint64_t min, uint64_t max,
			uint64_t *out, struct tide_error *err)
{
	if (!text)
		return 0;
	if (!td_core_count(text, strlen(text), out) && *out >= min && *out <= max)
		return 0;
	return tide_fail(err, -EINVAL, "%s of '%s': give a number from %llu to %llu", what,
			 td_core_shown(text, strlen(text)).text, (unsigned long long)min,
			 (unsigned long long)max);
}

static int parse_epoch(const char *text, uint64_t *ns, struct tide_error *err)
{
	uint64_t us = 0, unit = 1;
	if (!text)
		return 0; /* the device's */
	size_t n = strlen(text), end = n;
	if (n > 2 && !strcmp(text + n - 2, "us"))
		end = n - 2;
	else if (n > 2 && !strcmp(text + n - 2, "ms")) {
		end = n - 2;
		unit = 1000;
	}
	if (td_core_u64(text, end, &us) || us * unit > 1000000 || us > 1000000)
		return tide_fail(err, -EINVAL, "epoch of '%s': give a time to 1000ms, say 50us",
				 td_core_shown(text, n).text);
	*ns = us * unit * 1000;
	return 0;
}

static int parse(const struct tide_pool_options *o, struct td_pool_config *c,
		 struct tide_error *err)
{
	uint64_t batch = 256;
	*c = (struct td_pool_config){.path = o->path,
				     .inject = o->inject,
				     .read_only = o->read_only,
				     .max_backlog = 4096,
				     .evict = o->evict,
				     .place = o->place,
				     .message = o->message,
				     .message_arg = o->message_arg};
	if (!o->path)
		return tide_fail(err, -EINVAL, "no file: give one");
	int rc = parse_words(o, c, err);
	if (!rc) {
		c->epoch_ns = c->device->epoch_ns;
		rc = parse_page(o, c, err);
	}
	if (!rc)
		rc = parse_memory(o, c, err);
	if (!rc)
		rc = parse_number("batch", o->batch, 1, BATCH_MAX, &batch, err);
	if (!rc)
		rc = parse_number("backlog", o->max_backlog, 0, UINT32_MAX, &c->max_backlog, err);
	if (!rc)
		rc = parse_bytes("ahead", o->ahead, &c->ahead_bytes, err);
	if (!rc)
		rc = parse_bytes("straight", o->straight, &c->straight_bytes, err);
	if (!rc)
		rc = parse_epoch(o->epoch, &c->epoch_ns, err);
	if (!rc)
		rc = td_lib_seed(o->seed, &c->seed, err);
	if (!rc)
		rc = td_lib_seconds(o->watchdog, &c->watchdog_ns, err);
	c->batch = (uint32_t)batch;
	return rc ? rc : td_pool_check_policies(c, err);
}

/* ---- life ---- */

static void on_event(void *arg, const struct td_event *event)
{
	td_recorder_event(arg, event);
}

static void on_mark(void *arg, const struct tide_mark *mark)
{
	td_recorder_mark(arg, mark);
}

static int open_recorder(struct tide_pool *p, const char *path, struct tide_error *err)
{
	if (!path)
		return 0;
	int rc = td_recorder_open(&p->recorder, path, err);
	p->config.event = on_event;
	p->config.mark = on_mark;
	p->config.record_arg = p->recorder;
	return rc;
}

static int keep_texts(struct tide_pool *p, struct tide_error *err)
{
	const char *evict = p->config.evict, *place = p->config.place;
	p->evict = strdup(evict ? evict : place ? "clock" : "lru");
	p->place = place ? strdup(place) : NULL;
	return p->evict && !p->place == !place
		       ? 0
		       : tide_fail(err, -ENOMEM, "no memory for the pool: free some");
}

static int set_up(struct tide_pool *p, const struct tide_pool_options *o, struct tide_error *err)
{
	int rc = parse(o, &p->config, err);
	if (!rc)
		rc = keep_texts(p, err);
	if (!rc)
		rc = open_recorder(p, o->record, err);
	if (!rc)
		rc = td_pool_open(&p->pool, &p->config, err);
	if (rc)
		td_recorder_close(p->recorder, NULL);
	return rc;
}

static void discard(struct tide_pool *p)
{
	free(p->evict);
	free(p->place);
	free(p);
}

int tide_pool_open(struct tide_pool **out, const struct tide_pool_options *options,
		   struct tide_error *err)
{
	struct tide_pool_options own = {0};
	int rc = td_lib_given(out, "out", err);
	if (rc)
		return rc;
	*out = NULL;
	rc = TD_LIB_TAKE(&own, options, tide_pool_options, err);
	if (rc)
		return rc;
	struct tide_pool *p = calloc(1, sizeof *p);
	if (!p)
		return tide_fail(err, -ENOMEM, "no memory for the pool: free some");
	snprintf(p->device, sizeof p->device, "%s", own.device ? own.device : "ram");
	rc = set_up(p, &own, err);
	p->handle.kind = kind;
	if (rc)
		discard(p);
	else
		*out = p;
	return rc;
}

int tide_pool_close(struct tide_pool *p, struct tide_error *err)
{
	int rc = p ? usable(p, err) : 0;
	if (!p || rc)
		return rc;
	p->handle.kind = NULL;
	rc = td_pool_close(p->pool, err);
	int recorded = td_recorder_close(p->recorder, rc ? NULL : err);
	discard(p);
	return rc ? rc : recorded;
}

uint64_t tide_pool_bytes(const struct tide_pool *p)
{
	return usable(p, NULL) ? 0 : td_pool_bytes(p->pool);
}

uint32_t tide_pool_page_bytes(const struct tide_pool *p)
{
	return usable(p, NULL) ? 0 : p->config.page_bytes;
}

/* ---- pages and bytes ---- */

int tide_pool_get(struct tide_pool *p, uint64_t page, enum tide_pool_access access,
		  struct tide_pool_pin *pin, struct tide_error *err)
{
	struct tide_pool_pin own;
	size_t size;
	int rc = usable(p, err);
	if (!rc)
		rc = td_lib_size(pin, "tide_pool_pin", &size, err);
	if (!rc)
		rc = td_pool_get(p->pool, page, access, &own, err);
	return rc ? rc : TD_LIB_GIVE(pin, &own, tide_pool_pin, err);
}

int tide_pool_put(struct tide_pool *p, struct tide_pool_pin *pin, struct tide_error *err)
{
	struct tide_pool_pin own = {0};
	int rc = usable(p, err);
	if (!rc)
		rc = TD_LIB_TAKE(&own, pin, tide_pool_pin, err);
	if (!rc)
		rc = td_pool_put(p->pool, &own, err);
	return rc ? rc : TD_LIB_GIVE(pin, &own, tide_pool_pin, err);
}

int tide_pool_get_async(struct tide_pool *p, uint64_t page, enum tide_pool_access access,
			tide_pool_done *done, void *arg, struct tide_error *err)
{
	int rc = usable(p, err);
	if (!rc && !done)
		rc = tide_fail(err, -EINVAL, "done is NULL: give one");
	return rc ? rc : td_pool_get_async(p->pool, page, access, done, arg, err);
}

int tide_pool_read(struct tide_pool *p, void *to, size_t bytes, uint64_t offset,
		   struct tide_error *err)
{
	int rc = usable(p, err);
	if (!rc && bytes)
		rc = td_lib_given(to, "to", err);
	return rc ? rc : td_pool_read(p->pool, to, bytes, offset, err);
}

int tide_pool_write(struct tide_pool *p, const void *from, size_t bytes, uint64_t offset,
		    struct tide_error *err)
{
	int rc = usable(p, err);
	if (!rc && bytes)
		rc = td_lib_given(from, "from", err);
	return rc ? rc : td_pool_write(p->pool, from, bytes, offset, err);
}

int tide_pool_zero(struct tide_pool *p, uint64_t offset, uint64_t bytes, struct tide_error *err)
{
	int rc = usable(p, err);
	return rc ? rc : td_pool_clear(p->pool, offset, bytes, TIDE_POOL_KEEP, err);
}

int tide_pool_trim(struct tide_pool *p, uint64_t offset, uint64_t bytes, struct tide_error *err)
{
	int rc = usable(p, err);
	return rc ? rc : td_pool_clear(p->pool, offset, bytes, 0, err);
}

int tide_pool_clear(struct tide_pool *p, uint64_t offset, uint64_t bytes, unsigned how,
		    struct tide_error *err)
{
	int rc = usable(p, err);
	if (!rc && how & ~(unsigned)(TIDE_POOL_KEEP | TIDE_POOL_FAST))
		rc = tide_fail(err, -EINVAL, "how of %u: give a sum of TIDE_POOL_KEEP and _FAST",
			       how);
	return rc ? rc : td_pool_clear(p->pool, offset, bytes, how, err);
}

int tide_pool_prefetch(struct tide_pool *p, uint64_t offset, uint64_t bytes, struct tide_error *err)
{
	int rc = usable(p, err);
	return rc ? rc : td_pool_prefetch(p->pool, offset, bytes, err);
}

int tide_pool_extents(struct tide_pool *p, uint64_t offset, uint64_t bytes, tide_pool_part *part,
		      void *arg, struct tide_error *err)
{
	int rc = usable(p, err);
	if (!rc && !part)
		rc = tide_fail(err, -EINVAL, "part is NULL: give one");
	return rc ? rc : td_pool_extents(p->pool, offset, bytes, part, arg, err);
}

int tide_pool_flush(struct tide_pool *p, struct tide_error *err)
{
	int rc = usable(p, err);
	return rc ? rc : td_pool_flush(p->pool, err);
}

int tide_pool_sync(struct tide_pool *p, uint64_t offset, uint64_t bytes, struct tide_error *err)
{
	int rc = usable(p, err);
	return rc ? rc : td_pool_sync(p->pool, offset, bytes, err);
}

int tide_pool_check(struct tide_pool *p, struct tide_error *err)
{
	int rc = usable(p, err);
	return rc ? rc : td_pool_check(p->pool, err);
}

/* ---- statistics ---- */

int tide_pool_stats(struct tide_pool *p, struct tide_pool_stats *stats, struct tide_error *err)
{
	struct tide_pool_stats own;
	int rc = usable(p, err);
	if (rc)
		return rc;
	td_pool_stats(p->pool, &own);
	own.counts.size = sizeof own.counts;
	return TD_LIB_GIVE(stats, &own, tide_pool_stats, err);
}

static json_t *config(const struct tide_pool *p)
{
	const struct td_pool_config *c = &p->config;
	json_t *o = json_object();
	json_object_set_new(o, "page_bytes", td_lib_integer(c->page_bytes));
	json_object_set_new(o, "block_bytes", td_lib_integer(c->block_bytes));
	json_object_set_new(o, "main_pages", td_lib_integer(c->main_pages));
	json_object_set_new(o, "device_pages", td_lib_integer(c->device_pages));
	json_object_set_new(o, "device", td_lib_text(p->device));
	json_object_set_new(o, "dedup", td_lib_text(dedups[c->dedup]));
	json_object_set_new(o, "hash", td_lib_text(hashes[c->hash]));
	json_object_set_new(o, "batch", td_lib_integer(c->batch));
	json_object_set_new(o, "epoch_ns", td_lib_integer(c->epoch_ns));
	json_object_set_new(o, "max_backlog", td_lib_integer(c->max_backlog));
	json_object_set_new(o, "evict", td_lib_text(p->evict));
	json_object_set_new(o, "place", td_lib_text(p->place));
	json_object_set_new(o, "dirty_pages", td_lib_integer(c->dirty_pages));
	json_object_set_new(o, "ahead_bytes", td_lib_integer(c->ahead_bytes));
	json_object_set_new(o, "straight_bytes", td_lib_integer(c->straight_bytes));
	json_object_set_new(o, "seed", td_lib_integer(c->seed));
	return o;
}

/* A policy that answered wrongly too often: null, or its name. */
static json_t *ejected(struct td_pool *p)
{
	char evict[64], names[64];
	td_pool_policies(p, evict, names);
	return td_lib_text(*names ? names : NULL);
}

static json_t *figures(const struct tide_pool_stats *s)
{
	json_t *o = json_object();
#define TIDE_FIGURE(name, help) json_object_set_new(o, #name, td_lib_integer(s->name));
#include "tide/pool_figures.def"
#undef TIDE_FIGURE
	return o;
}

int tide_pool_stats_json(struct tide_pool *p, char **text, struct tide_error *err)
{
	struct tide_pool_stats s;
	int rc = usable(p, err);
	if (!rc)
		rc = td_lib_given(text, "text", err);
	if (rc)
		return rc;
	json_t *o = td_lib_document("pool");
	td_pool_stats(p->pool, &s);
	json_object_set_new(o, "config", config(p));
	json_object_set_new(o, "counts", td_stats_counts(&s.counts));
	json_object_set_new(o, "pool", figures(&s));
	json_object_set_new(o, "ejected", ejected(p->pool));
	return td_lib_dump(o, text, err);
}
