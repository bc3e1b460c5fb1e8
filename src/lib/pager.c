/* The host pager: turns texts into numbers. */
#include "tide/pager.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "lent.h"
#include "mappings.h"
#include "pager.h"
#include "sized.h"
#include "sizes.h"

const char td_lib_pager_kind[] = "tide";

/* Below this a single instruction may need more chunks than there are. */
#define FEWEST_CHUNKS 24

static int usable(const struct tide *t, struct tide_error *err)
{
	return td_handle_check(t, td_lib_pager_kind, err);
}

/* For calls that are about memory of this process. */
static int usable_here(const struct tide *t, struct tide_error *err)
{
	int rc = usable(t, err);
	if (rc || !t->lent)
		return rc;
	return tide_fail(err, -ENOTSUP,
			 "this pager serves another process: its owner alone can map, unmap and "
			 "access the memory");
}

/* ---- options ---- */

static const char *or_default(const char *text, const char *initial)
{
	return text ? text : initial;
}

/* A choice among words: its place, or an error that lists them. */
static int choose(const char *what, const char *text, const char *(*word)(size_t i), size_t *at,
		  struct tide_error *err)
{
	char all[128] = "";
	for (*at = 0; word(*at); ++*at) {
		if (!text || !strcmp(text, word(*at)))
			return 0;
		size_t n = strlen(all);
		snprintf(all + n, sizeof all - n, "%s%s", n ? ", " : "", word(*at));
	}
	return tide_fail(err, -EINVAL, "unknown %s '%s': give one of %s", what,
			 td_core_shown(text, strlen(text)).text, all);
}

static const char *host_word(size_t i)
{
	static const char *const hosts[] = {"plain", "lz4", "zstd", NULL};
	return hosts[i];
}

static int parse_words(const struct tide_options *o, struct td_uffd_config *c,
		       struct tide_error *err)
{
	size_t mapping = 0, service = 0, host = 0;
	int rc = choose("mapping", o->mapping, td_lib_mapping_word, &mapping, err);
	if (!rc)
		rc = choose("service", o->service, td_lib_service_word, &service, err);
	if (!rc)
		rc = choose("kind of tier 2", o->host_kind, host_word, &host, err);
	c->mapping = mapping ? td_mapping_at(mapping - 1) : NULL;
	c->service = service ? td_service_at(service - 1) : NULL;
	c->host = (enum td_uffd_host)host;
	return rc;
}

static int parse_page(struct tide *t, const struct tide_options *o, struct tide_error *err)
{
	const char *chunk = o->place && !o->chunk ? "1p" : o->chunk;
	int rc = td_lib_page_bytes(o->page, &t->page_bytes, err);
	if (rc)
		return rc;
	if (t->page_bytes < 4096 || t->page_bytes > 65536 || t->page_bytes & (t->page_bytes - 1))
		return tide_fail(err, -EINVAL,
				 "page of '%s': the pager takes 4K, 8K, 16K, 32K, 64K", o->page);
	return td_lib_chunk_pages(chunk, t->page_bytes, &t->chunk_pages, err);
}

static int parse_near(struct tide *t, const struct tide_options *o, struct tide_error *err)
{
	struct td_lib_near near;
	if (!o->near_size)
		return tide_fail(err, -EINVAL, "no size of near memory: give one, say 512M");
	int rc = td_lib_near_parse(o->near_size, t->page_bytes, &near, err);
	if (rc)
		return rc;
	if (near.share_numerator)
		return tide_fail(err, -EINVAL,
				 "near memory of '%s': a program's footprint is not known: give a "
				 "size, say 512M",
				 o->near_size);
	t->near_pages = near.pages;
	if (near.pages / t->chunk_pages >= FEWEST_CHUNKS)
		return 0;
	return tide_fail(err, -EINVAL,
			 "near memory of '%s' has fewer than %d chunks: give more, say 512M, or a "
			 "smaller chunk",
			 o->near_size, FEWEST_CHUNKS);
}

static int parse_host(const struct tide *t, const struct tide_options *o, struct td_uffd_config *c,
		      struct tide_error *err)
{
	struct td_lib_near host = {0};
	c->host_pages = o->storage ? 0 : UINT64_MAX;
	if (!o->host && o->place)
		return tide_fail(err, -EINVAL,
				 "a placement policy needs the size of tier 2: give `host`");
	if (!o->host && c->host != TD_HOST_PLAIN)
		return tide_fail(err, -EINVAL,
				 "compressed memory needs a size: give that of tier 2, host");
	if (!o->host)
		return 0;
	int rc = td_lib_host_parse(o->host, t->page_bytes, &host, err);
	if (!rc && host.share_numerator)
		return tide_fail(err, -EINVAL,
				 "tier 2 of '%s': a program's footprint is not known: give a size",
				 o->host);
	c->host_pages = host.pages;
	return rc;
}

/* Three tiers are GMT's, as in the simulator: pages singly, clock, nothing prefetched. */
static int judge_place(const struct tide *t, const struct tide_options *o,
		       const struct td_uffd_config *c, struct tide_error *err)
{
	if (!o->place)
		return 0;
	if (!o->storage)
		return tide_fail(err, -EINVAL,
				 "placement %s chooses between tiers 2 and 3: give storage, a file",
				 o->place);
	if (strcmp(c->evict.policy->name, "clock") != 0 || c->prefetch.policy->plan_prefetch)
		return tide_fail(err, -EINVAL,
				 "a placement policy works with evict clock and prefetch none: "
				 "leave them out");
	if (t->chunk_pages != 1)
		return tide_fail(err, -EINVAL,
				 "a placement policy works on chunks of one page: leave chunk out");
	return 0;
}

static int keep_texts(struct tide *t, const struct tide_options *o)
{
	t->evict = strdup(or_default(o->evict, o->place ? "clock" : "lrm"));
	t->prefetch = strdup(or_default(o->prefetch, o->place ? "none" : "locality"));
	t->place = o->place ? strdup(o->place) : NULL;
	t->host_kind = strdup(or_default(o->host_kind, "plain"));
	return t->evict && t->prefetch && t->host_kind && !o->place == !t->place ? 0 : -ENOMEM;
}

static int choose_policies(const struct tide *t, struct td_uffd_config *c, struct tide_error *err)
{
	int rc = td_policy_choose(&c->evict, t->evict, TIDE_EVICT, err);
	if (!rc)
		rc = td_policy_choose(&c->prefetch, t->prefetch, TIDE_PREFETCH, err);
	if (!rc && t->place)
		rc = td_policy_choose(&c->place, t->place, TIDE_PLACE, err);
	return rc;
}

static int parse(struct tide *t, const struct tide_options *o, struct td_uffd_config *c,
		 struct tide_error *err)
{
	int rc = keep_texts(t, o) ? tide_fail(err, -ENOMEM, "out of memory") : 0;
	if (!rc)
		rc = parse_page(t, o, err);
	if (!rc)
		rc = parse_near(t, o, err);
	if (!rc)
		rc = parse_words(o, c, err);
	if (!rc)
		rc = parse_host(t, o, c, err);
	if (!rc)
		rc = td_lib_seed(o->seed, &t->seed, err);
	if (!rc)
		rc = td_lib_seconds(o->watchdog, &c->watchdog_ns, err);
	if (!rc)
		rc = choose_policies(t, c, err);
	if (!rc)
		rc = judge_place(t, o, c, err);
	return rc;
}

/* ---- life ---- */

static void on_event(void *arg, const struct td_event *event)
{
	struct tide *t = arg;
	if (t->recorder)
		td_recorder_event(t->recorder, event);
}

static void on_mark(void *arg, const struct tide_mark *mark)
{
	struct tide *t = arg;
	if (t->recorder)
		td_recorder_mark(t->recorder, mark);
}

static int open_recorder(struct tide *t, const struct tide_options *o, struct td_uffd_config *c,
			 struct tide_error *err)
{
	if (!o->record)
		return 0;
	int rc = td_recorder_open(&t->recorder, o->record, err);
	if (rc)
		return rc;
	c->event = on_event;
	c->mark = on_mark;
	c->record_arg = t;
	return 0;
}

static void discard(struct tide *t)
{
	t->handle.kind = NULL;
	td_lib_hot_free(&t->hot);
	free(t->evict);
	free(t->prefetch);
	free(t->place);
	free(t->host_kind);
	free(t);
}

/* What a server of lent memory cannot choose. Victims go straight to the store, which the next
 * server finds. */
static int judge_lent(const struct tide *t, const struct tide_options *o, struct td_uffd_config *c,
		      struct tide_error *err)
{
	const char *wrong = o->host        ? "host"
			    : o->host_kind ? "host_kind"
			    : o->place     ? "place"
			    : o->mapping   ? "mapping"
			    : o->page      ? "page"
			    : o->service   ? "service"
					   : NULL;
	if (!c->lent)
		return 0;
	if (wrong)
		return tide_fail(err, -EINVAL,
				 "%s does not go with memory of another process: leave it out",
				 wrong);
	if (!o->storage)
		return tide_fail(err, -EINVAL,
				 "memory of another process needs a store that outlives its "
				 "server: give storage, a file");
	c->service = &td_service_thread;
	return td_lib_lent_check(c->lent, t->page_bytes, t->page_bytes * t->chunk_pages, err);
}

static int set_up(struct tide *t, const struct tide_options *o, struct td_uffd_config *c,
		  struct tide_error *err)
{
	int rc = parse(t, o, c, err);
	if (!rc)
		rc = judge_lent(t, o, c, err);
	if (!rc)
		rc = open_recorder(t, o, c, err);
	if (rc)
		return rc;
	c->page_bytes = (uint32_t)t->page_bytes;
	c->chunk_pages = t->chunk_pages;
	c->near_pages = t->near_pages;
	c->seed = t->seed;
	c->log_path = o->log;
	c->storage = o->storage;
	c->inject = o->inject;
	c->over_budget = o->over_budget;
	c->on_error = o->on_error;
	c->on_error_arg = o->on_error_arg;
	c->message = o->message;
	c->message_arg = o->message_arg;
	rc = td_pager_open(&t->pager, c, err);
	t->hot.pager = t->pager;
	if (rc && t->recorder)
		td_recorder_close(t->recorder, NULL);
	return rc;
}

int td_lib_pager_open(struct tide **out, const struct tide_options *options,
		      const struct td_uffd_lent *lent, struct tide_error *err)
{
	struct td_uffd_config config = {.lent = lent};
	struct tide_options own = {0};
	int rc = td_lib_given(out, "out", err);
	if (!rc)
		rc = TD_LIB_TAKE(&own, options, tide_options, err);
	if (rc)
		return rc;
	struct tide *t = calloc(1, sizeof *t);
	if (!t)
		return tide_fail(err, -ENOMEM, "out of memory");
	t->handle.kind = td_lib_pager_kind;
	t->lent = lent;
	td_lib_hot_init(&t->hot);
	rc = set_up(t, &own, &config, err);
	td_policy_release(&config.evict);
	td_policy_release(&config.prefetch);
	td_policy_release(&config.place);
	for (size_t i = 0; !rc && lent && i < lent->n; i++)
		td_lib_hot_mapped(&t->hot, (void *)(uintptr_t)lent->region[i].base,
				  lent->region[i].bytes, lent->snapshot,
				  lent->region[i].file_offset);
	if (rc)
		discard(t);
	else
		*out = t;
	return rc;
}

int tide_open(struct tide **out, const struct tide_options *options, struct tide_error *err)
{
	return td_lib_pager_open(out, options, NULL, err);
}

int tide_record_end(struct tide *t, struct tide_error *err)
{
	struct td_pager_caller saved;
	int rc = usable(t, err);
	if (rc)
		return rc;
	struct td_engine *e = td_pager_lock_engine(t->pager, &saved);
	struct td_recorder *recorder = t->recorder;
	t->recorder = NULL;
	rc = td_engine_finish(e, err);
	td_pager_unlock_engine(t->pager, &saved);
	int recorded = td_recorder_close(recorder, rc ? NULL : err);
	return rc ? rc : recorded;
}

int tide_close(struct tide *t, struct tide_error *err)
{
	int rc = t ? usable(t, err) : 0;
	if (!t || rc)
		return rc;
	rc = td_pager_close(t->pager, err);
	int recorded = td_recorder_close(t->recorder, rc ? NULL : err);
	discard(t);
	return rc ? rc : recorded;
}

/* ---- for the rest of the room ---- */

struct td_pager *td_lib_pager(struct tide *t)
{
	return t->pager;
}

void td_lib_leave_record(struct tide *t)
{
	t->recorder = NULL;
}

/* ---- mappings ---- */

int tide_map(struct tide *t, void **out, size_t bytes, const struct tide_map_options *how,
	     struct tide_error *err)
{
	struct td_uffd_file file = {0};
	struct tide_map_options own = {0};
	int rc = usable_here(t, err);
	if (!rc)
		rc = td_lib_given(out, "out", err);
	if (!rc && how)
		rc = TD_LIB_TAKE(&own, how, tide_map_options, err);
	if (rc)
		return rc;
	if (own.path)
		file = (struct td_uffd_file){.path = own.path,
					     .offset = own.offset,
					     .shared = own.shared,
					     .read_only = own.read_only};
	rc = td_pager_map(t->pager, out, bytes, own.at, &file, err);
	if (!rc)
		td_lib_hot_mapped(&t->hot, *out, td_pager_mapped(t->pager, *out), own.path,
				  own.offset);
	return rc;
}

int tide_unmap(struct tide *t, void *addr, size_t bytes, struct tide_error *err)
{
	int rc = usable_here(t, err);
	if (rc)
		return rc;
	td_lib_hot_unmapped(&t->hot, addr, bytes);
	return td_pager_unmap(t->pager, addr, bytes, err);
}

int tide_advise(struct tide *t, void *addr, size_t bytes, enum tide_advice advice,
		struct tide_error *err)
{
	int rc = usable(t, err);
	if (rc)
		return rc;
	switch (advice) {
	case TIDE_WILL_NEED: return td_pager_prefetch(t->pager, addr, bytes, err);
	case TIDE_COLD: return td_pager_cold(t->pager, addr, bytes, err);
	case TIDE_DROP: return td_pager_drop(t->pager, addr, bytes, err);
	}
	return tide_fail(err, -EINVAL, "unknown advice %d", (int)advice);
}

int tide_prefetch(struct tide *t, const void *addr, size_t bytes, struct tide_error *err)
{
	int rc = usable(t, err);
	return rc ? rc : td_pager_prefetch(t->pager, addr, bytes, err);
}

int tide_sync(struct tide *t, void *addr, size_t bytes, struct tide_error *err)
{
	int rc = usable(t, err);
	return rc ? rc : td_pager_sync(t->pager, addr, bytes, err);
}

int tide_hold(struct tide *t, const void *addr, size_t bytes, bool write, size_t *held,
	      struct tide_error *err)
{
	int rc = usable_here(t, err);
	return rc ? rc : td_pager_hold(t->pager, addr, bytes, write, held, err);
}

void tide_release(struct tide *t, const void *addr, size_t held)
{
	if (!t->lent)
		td_pager_release(t->pager, addr, held);
}

bool tide_owns(struct tide *t, const void *addr)
{
	return td_pager_owns(t->pager, addr);
}

int tide_set_save(struct tide *t, const char *path, struct tide_error *err)
{
	int rc = usable(t, err);
	if (!rc)
		rc = td_lib_given(path, "path", err);
	return rc ? rc : td_lib_hot_save(&t->hot, path, err);
}

int tide_set_load(struct tide *t, const char *path, struct tide_error *err)
{
	int rc = usable(t, err);
	if (!rc)
		rc = td_lib_given(path, "path", err);
	return rc ? rc : td_lib_hot_load(&t->hot, path, err);
}
