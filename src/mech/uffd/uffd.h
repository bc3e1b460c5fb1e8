/* The host pager as the library sees it: address ranges of this process whose pages come and go as
 * the engine decides. include/tide/pager.h is the same with texts instead of numbers. */
#ifndef TD_UFFD_UFFD_H
#define TD_UFFD_UFFD_H

#include <signal.h>

#include "core/event.h"
#include "engine/engine.h"
#include "tide/event.h"

struct td_pager;

/* Ways of mapping, and who serves faults: tables, of which others know the names. */
struct td_mapping;
struct td_service;
extern const struct td_mapping td_mapping_lent;
const struct td_mapping *td_mapping_at(size_t i); /* NULL: there are no more */
const char *td_mapping_name(const struct td_mapping *m);
bool td_mapping_sees_touched(const struct td_mapping *m); /* every page that is touched */
bool td_mapping_is_protectable(const struct td_mapping *m);
extern const struct td_service td_service_thread;
const struct td_service *td_service_at(size_t i);
const char *td_service_name(const struct td_service *s);

enum td_uffd_host { TD_HOST_PLAIN, TD_HOST_LZ4, TD_HOST_ZSTD };

/* Memory of another process that was handed over. Regions are whole chunks and apart. */
struct td_uffd_lent {
	const struct td_mapping
		*mapping; /* td_mapping_lent: what does not need it need not link it */
	int uffd;
	int memfd;            /* -1: none */
	uint64_t owner[2];    /* what tells this owner from others, where there is no memfd */
	const char *snapshot; /* NULL: what was never written is zero */
	const struct td_uffd_lent_region {
		uint64_t base, bytes;
		uint64_t file_offset, memory_offset; /* in the snapshot, in the memfd */
	} * region;
	size_t n;
};

struct td_uffd_config {
	const struct td_uffd_lent
		*lent; /* NULL: memory of this process; needed by td_pager_open() */
	uint32_t page_bytes, chunk_pages;
	uint64_t near_pages;
	uint64_t host_pages; /* UINT64_MAX: no limit */
	enum td_uffd_host host;
	const struct td_mapping *mapping; /* NULL: by what the policies need */
	const struct td_service *service; /* NULL: signal */
	uint64_t seed;
	struct td_policy_choice evict, prefetch, place; /* taken over */
	const char *log_path;
	const char *storage; /* NULL: none */
	const char *inject;
	uint64_t watchdog_ns; /* 0: none */
	bool over_budget;     /* pages that cannot be written stay in memory, however many */
	/* What happens, in order, while the lock is held: no allocation. NULL: nobody wants it. */
	void (*event)(void *arg, const struct td_event *event);
	void (*mark)(void *arg, const struct tide_mark *mark);
	void *record_arg;
	void (*on_error)(void *arg, void *addr, int error, const char *why);
	void *on_error_arg;
	void (*message)(void *arg, const char *text);
	void *message_arg;
};

int td_pager_open(struct td_pager **out, struct td_uffd_config *config, struct tide_error *err);
int td_pager_close(struct td_pager *p, struct tide_error *err);

/* Around a fork, with all signals blocked. Before it, 0: all is calm and stays so, and the child
 * inherits the memory; else -errno, and nothing has changed. */
int td_pager_before_fork(struct td_pager *p);
void td_pager_in_parent(struct td_pager *p);
/* A pager for the child, which records nothing. -errno: there can be none, and this is next: */
int td_pager_in_child(struct td_pager *p);
int td_pager_become_plain(struct td_pager *p); /* all content is where the program has it */
void td_pager_disown(struct td_pager *p);      /* a child that inherits no memory: nor files */

struct td_uffd_file {
	const char *path; /* NULL: anonymous */
	uint64_t offset;
	bool shared, read_only;
	bool over; /* the address is the caller's, and reserved */
};

/* Whole chunks move to a place that the caller has reserved: -errno, and nothing has moved. keep:
 * the old addresses stay reserved, for the caller. */
int td_pager_move(struct td_pager *p, void *old, size_t bytes, void *to, bool keep);
int td_pager_map(struct td_pager *p, void **out, size_t bytes, void *at,
		 const struct td_uffd_file *file, struct tide_error *err);
int td_pager_unmap(struct td_pager *p, void *addr, size_t bytes, struct tide_error *err);
int td_pager_prefetch(struct td_pager *p, const void *addr, size_t bytes, struct tide_error *err);
int td_pager_cold(struct td_pager *p, void *addr, size_t bytes, struct tide_error *err);
int td_pager_drop(struct td_pager *p, void *addr, size_t bytes, struct tide_error *err);
int td_pager_sync(struct td_pager *p, void *addr, size_t bytes, struct tide_error *err);
int td_pager_hold(struct td_pager *p, const void *addr, size_t bytes, bool write, size_t *held,
		  struct tide_error *err);
void td_pager_release(struct td_pager *p, const void *addr, size_t held);
bool td_pager_owns(struct td_pager *p, const void *addr);

/* The bytes that were asked for with the mapping that begins at base. */
size_t td_pager_mapped(struct td_pager *p, const void *base);

/* hot.c: the first run of pages from *at on, before end, that are worth having again: *at moves to
 * it. Its end, 0: there is none. And brings such pages, as long as near memory has room without an
 * eviction; -ENOSPC: it has none any more, and err says nothing. */
uintptr_t td_pager_next_hot(struct td_pager *p, uintptr_t *at, uintptr_t end);
int td_pager_bring_hot(struct td_pager *p, uintptr_t at, uintptr_t end, struct tide_error *err);

/* What a thread of the program could be interrupted by, before it came in. */
struct td_pager_caller {
	sigset_t signals;
	int cancel;
};

/* The engine while nothing happens: for statistics. */
struct td_engine *td_pager_lock_engine(struct td_pager *p, struct td_pager_caller *saved);
void td_pager_unlock_engine(struct td_pager *p, const struct td_pager_caller *saved);

struct td_pager_figures {
#define TIDE_FIGURE(name, help) uint64_t name;
#include "tide/figures.def"
#undef TIDE_FIGURE
};
void td_pager_figures(struct td_pager *p, struct td_pager_figures *f);
const char *td_pager_mapping(const struct td_pager *p);
const char *td_pager_service(const struct td_pager *p);

#endif
