/* The host pager: memory of this process that is larger than the near memory it may use.
 *
 *     struct tide *t;
 *     struct tide_options o = {.size = sizeof o, .near_size = "512M", .storage = "/var/tmp/far"};
 *     if (tide_open(&t, &o, &err) == 0 && tide_map(t, &p, 8 << 30, NULL, &err) == 0)
 *             ... use p as plain memory, from any thread ...
 *
 * A touch of a page that is not near is a fault, which the pager serves with the policies of
 * tide/policy.h: it evicts chunks to tier 2 (memory, plain or compressed) and tier 3 (a file), and
 * brings pages in. Accesses to what is near cost nothing.
 *
 * Calls return 0 or a negative errno and then fill err (which may be NULL) with one sentence. All
 * may be called from any thread at any time, but tide_close(), which comes after everything. The
 * library never prints and never exits, with one exception: what nobody can be told in another
 * way. Such a message goes to options.message, or by default to standard error. */
#ifndef TIDE_PAGER_H
#define TIDE_PAGER_H

#include <stddef.h>

#include "error.h"
#include "event.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tide;

/* Everything not set is its default. Texts are written as on the command line. */
struct tide_options {
	size_t size;           /* sizeof(struct tide_options) */
	const char *near_size; /* "512M", "1024p": for all mappings together; required */
	const char *page;      /* "4K", to "64K" */
	const char *chunk;     /* "64K", or in pages "16p" */
	const char *evict;     /* "lrm" */
	const char *prefetch;  /* "locality"; "none" */
	const char *place;     /* which victims go to tier 2; NULL: all, as long as there is room */
	const char *host;      /* size of tier 2; NULL: as much as it takes, without storage */
	const char *host_kind; /* "plain", "lz4" or "zstd" memory */
	const char *storage;   /* tier 3: a file, made or overwritten; NULL: none */
	const char *mapping;   /* "exact", "around", "fast", "copy"; or "auto": as policies need */
	const char *service;   /* "signal", "thread", or "auto": signal */
	const char *seed;      /* "1" */
	const char *log;       /* decision log to write, NULL: none */
	const char *record;    /* trace of the events to write, NULL: none */
	const char *inject;    /* failures to inject, for tests: see docs/pager.md */
	const char *watchdog;  /* a policy that takes longer ends the program; "10s", "0": never */
	/* The page at addr cannot be had, or not be kept: what is wrong is in why. Called in the
	 * thread that touched it (in `thread` service: in the pager's), which must not touch paged
	 * memory there. Where it is NULL, or returns, the access is a SIGBUS. */
	void (*on_error)(void *arg, void *addr, int error, const char *why);
	void *on_error_arg;
	void (*message)(void *arg, const char *text); /* NULL: a line on standard error */
	void *message_arg;
};

int tide_open(struct tide **out, const struct tide_options *options, struct tide_error *err);

/* What a mapping holds. A file's pages are read when they are touched. */
struct tide_map_options {
	size_t size;      /* sizeof(struct tide_map_options) */
	const char *path; /* NULL: anonymous memory, all zero */
	uint64_t offset;  /* in the file: a multiple of the page size */
	bool shared;      /* writes go to the file, at the latest by tide_sync() or tide_close() */
	bool read_only;   /* of the mapping and the file */
	void *at;         /* exactly here, a multiple of the chunk size; NULL: anywhere */
};

/* bytes 0: the whole file. The mapping is rounded up to whole chunks. */
int tide_map(struct tide *t, void **out, size_t bytes, const struct tide_map_options *how,
	     struct tide_error *err);

/* Any pages of mappings, whole or in part; what was not synced of a shared file is written first.
 */
int tide_unmap(struct tide *t, void *addr, size_t bytes, struct tide_error *err);

enum tide_advice {
	TIDE_WILL_NEED, /* as tide_prefetch() */
	TIDE_COLD,      /* evict it now */
	TIDE_DROP,      /* anonymous memory: forget it, it is zero again */
};

int tide_advise(struct tide *t, void *addr, size_t bytes, enum tide_advice advice,
		struct tide_error *err);
/* Brings in what fits; does not wait for storage. */
int tide_prefetch(struct tide *t, const void *addr, size_t bytes, struct tide_error *err);

/* Shared files of the range are on storage when it returns. addr NULL: all mappings. */
int tide_sync(struct tide *t, void *addr, size_t bytes, struct tide_error *err);

/* Makes [addr, addr + bytes) accessible to system calls, which `signal` service cannot do by
 * itself: touches it, for writing if write, and keeps it near until tide_release(). As much from
 * the front as may be held at once: *held bytes, at least one page. Memory that is not paged is
 * held by nothing. */
int tide_hold(struct tide *t, const void *addr, size_t bytes, bool write, size_t *held,
	      struct tide_error *err);
void tide_release(struct tide *t, const void *addr, size_t held);

/* Is it paged memory? Cheap, from any thread and any signal handler. */
bool tide_owns(struct tide *t, const void *addr);

struct tide_stats {
	size_t size; /* sizeof(struct tide_stats) */
	struct tide_counts counts;
	char evict[64];   /* at work now */
	char ejected[64]; /* policy that was replaced after invalid answers; empty: none */
	char mapping[8], service[8];
	/* Where the time and the bytes went. */
#define TIDE_FIGURE(name, help) uint64_t name;
#include "figures.def"
#undef TIDE_FIGURE
};

int tide_stats(struct tide *t, struct tide_stats *stats, struct tide_error *err);

/* The JSON document of docs/man/tide-run.1 as text, to be freed with free(). */
int tide_stats_json(struct tide *t, char **text, struct tide_error *err);

/* Completes the record and the decision log; the pager goes on without them. */
int tide_record_end(struct tide *t, struct tide_error *err);

/* Syncs and unmaps everything. NULL is fine. What could not be written is said, once. */
int tide_close(struct tide *t, struct tide_error *err);

#ifdef __cplusplus
}
#endif

#endif
