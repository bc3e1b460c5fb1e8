/* The host pager: memory of this process that is larger than the near memory it may use.
 *
 *     struct tide *t;
 *     struct tide_options o = {.size = sizeof o, .near_size = "512M", .storage = "/var/tmp/far"};
 *     if (tide_open(&t, &o, &err) == 0 && tide_map(t, &p, 8 << 30, NULL, &err) == 0)
 *             ... use p as plain memory, from any thread ...
 *
 * An access to a page that is not near is a fault. The pager serves it with the policies of
 * tide/policy.h: it evicts chunks to tier 2 (memory, plain or compressed) and tier 3 (a file), and
 * brings pages in. Accesses to near pages cost nothing.
 *
 * Calls return 0, or a negative errno and one sentence in err (which may be NULL). Any thread may
 * make any call at any time, except that tide_close() must come last. The library never prints and
 * never exits, with one exception: messages that no call can return go to options.message, by
 * default to standard error. */
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

/* Members that are not set have their defaults. Texts are written as on the command line. */
struct tide_options {
	size_t size;           /* sizeof(struct tide_options) */
	const char *near_size; /* "512M", "1024p": for all mappings together; required */
	const char *page;      /* "4K", to "64K" */
	const char *chunk;     /* "64K", or in pages "16p" */
	const char *evict;     /* "lrm" */
	const char *prefetch;  /* "locality"; "none" */
	const char *place;     /* which victims go to tier 2; NULL: all, while there is room */
	const char *host;      /* size of tier 2; NULL: as much as needed; with storage, none */
	const char *host_kind; /* "plain", "lz4" or "zstd" memory */
	const char *storage;   /* tier 3: a file, created or overwritten; NULL: none */
	const char *mapping;   /* "exact", "around", "fast", "copy"; or "auto": as policies need */
	const char *service;   /* "signal", "thread", or "auto": signal */
	const char *seed;      /* "1" */
	const char *log;       /* decision log to write, NULL: none */
	const char *record;    /* trace of the events to write, NULL: none */
	const char *inject;    /* failures to inject, for tests: see docs/pager.md */
	const char *watchdog;  /* end the program if a policy takes longer: "10s"; "0": never */
	/* Called if the page at addr cannot be read or kept; why is the reason. It runs in the
	 * faulting thread (in `thread` service: in the pager's thread), and must not access paged
	 * memory.
	 * If it is NULL, or returns, the access raises SIGBUS. */
	void (*on_error)(void *arg, void *addr, int error, const char *why);
	void *on_error_arg;
	void (*message)(void *arg, const char *text); /* NULL: a line on standard error */
	void *message_arg;
	bool over_budget; /* evicted pages that cannot be written stay in memory, without limit */
};

int tide_open(struct tide **out, const struct tide_options *options, struct tide_error *err);

/* The content of a mapping. Pages of a file are read when they are accessed. */
struct tide_map_options {
	size_t size;      /* sizeof(struct tide_map_options) */
	const char *path; /* NULL: anonymous memory, all zero */
	uint64_t offset;  /* in the file: a multiple of the page size */
	bool shared;      /* writes go to the file, at the latest by tide_sync() or tide_close() */
	bool read_only;   /* of the mapping and the file */
	void *at;         /* the address, a multiple of the chunk size; NULL: any address */
};

/* bytes 0: the whole file. The mapping is rounded up to whole chunks. */
int tide_map(struct tide *t, void **out, size_t bytes, const struct tide_map_options *how,
	     struct tide_error *err);

/* Unmaps any pages of mappings. Unsynced pages of a shared file are written first. */
int tide_unmap(struct tide *t, void *addr, size_t bytes, struct tide_error *err);

enum tide_advice {
	TIDE_WILL_NEED, /* as tide_prefetch() */
	TIDE_COLD,      /* evict the pages now */
	TIDE_DROP,      /* anonymous memory: forget the content, it is zero again */
};

int tide_advise(struct tide *t, void *addr, size_t bytes, enum tide_advice advice,
		struct tide_error *err);
/* Brings in the pages that fit, and does not wait for storage. */
int tide_prefetch(struct tide *t, const void *addr, size_t bytes, struct tide_error *err);

/* Saves which pages are near now, to a file. Loads such a file: of the mappings that are there, and
 * of those that come, these pages are brought in, in one pass, as long as near memory has room. A
 * page is known by its file and its place there, or by the size and order of the anonymous
 * mappings; the latter's pages come as they are, zero in a new process. A set names pages and never
 * changes their content: one of another program brings pages that nobody needs, and a damaged one
 * is an error. */
int tide_set_save(struct tide *t, const char *path, struct tide_error *err);
int tide_set_load(struct tide *t, const char *path, struct tide_error *err);

/* Puts the shared files of the range on storage. addr NULL: all mappings. */
int tide_sync(struct tide *t, void *addr, size_t bytes, struct tide_error *err);

/* Makes [addr, addr + bytes) accessible to system calls, whose faults `signal` service cannot
 * serve. Touches the pages, for writing if write is set, and keeps them near until tide_release().
 * Holds as many pages from the front as can be held at once, at least one; *held is their bytes.
 * Memory that is not paged needs no hold. */
int tide_hold(struct tide *t, const void *addr, size_t bytes, bool write, size_t *held,
	      struct tide_error *err);
void tide_release(struct tide *t, const void *addr, size_t held);

/* Is addr paged memory? The call is cheap. Any thread and any signal handler may make it. */
bool tide_owns(struct tide *t, const void *addr);

/* ---- memory of another process ----
 *
 * The owner makes a userfaultfd, registers ranges of its memory with UFFDIO_REGISTER_MODE_MISSING,
 * and sends one message over a UNIX socket: the userfaultfd by SCM_RIGHTS, and as text a JSON array
 * of its ranges, as Firecracker does when it restores a snapshot:
 *
 *     [{"base_host_virt_addr": 140000000000000, "size": 1073741824, "offset": 0,
 *       "page_size": 4096}, ...]
 *
 * `offset` is where the content of the range begins in the snapshot. If the memory is a shared
 * mapping of a memfd, the owner sends that with the userfaultfd; the range begins at `memfd_offset`
 * there, by default at `offset`. Only with a memfd can pages leave, since Linux drops pages of
 * another process by no other call: without it, near memory must hold all of the ranges.
 *
 * tide_adopt() looks at the message and does not take it out of the socket. So whoever keeps the
 * socket open (a parent that started this server, say) can start another server, which adopts the
 * memory by the same message; or the owner sends it again. A server may be killed at any moment:
 * accesses to absent pages wait until the next server is there. It must get the same `storage`,
 * which with the file beside it (storage.map) has what it needs to know. Any policies and any size
 * of near memory may follow. The owner must keep a copy of the userfaultfd.
 *
 * Evicted pages that were written go to `storage`; others are read again from the snapshot, which
 * must not change. Whoever writes to the memfd by another way than the owner's ranges is not seen.
 * An owner that removes pages (madvise(), with UFFD_FEATURE_EVENT_REMOVE) finds zeros there; if the
 * server is killed in that moment, pages that were not in memory then may keep their content.
 *
 * tide_prefetch(), tide_advise() and tide_set_load() take addresses of the owner. tide_close()
 * leaves the memory to the next server. */
struct tide_adopt_options {
	size_t size;          /* sizeof(struct tide_adopt_options) */
	const char *snapshot; /* the first content; NULL: all zero */
};

/* Of the options, `near_size` and `storage` are required; `page`, `host`, `host_kind`, `place`,
 * `mapping` and `service` must be NULL. Waits for the message, as long as the socket does. */
int tide_adopt(struct tide **out, int socket, const struct tide_options *options,
	       const struct tide_adopt_options *how, struct tide_error *err);

struct tide_stats {
	size_t size; /* sizeof(struct tide_stats) */
	struct tide_counts counts;
	char evict[64];   /* the present policy */
	char ejected[64]; /* policies that were replaced after invalid answers, "a, b"; empty: none
			   */
	char mapping[8], service[8];
	/* Where the time and the bytes went. */
#define TIDE_FIGURE(name, help) uint64_t name;
#include "figures.def"
#undef TIDE_FIGURE
};

int tide_stats(struct tide *t, struct tide_stats *stats, struct tide_error *err);

/* The JSON document of docs/man/tide-run.1 as text; free it with free(). */
int tide_stats_json(struct tide *t, char **text, struct tide_error *err);

/* Completes the record and the decision log; the pager goes on without them. */
int tide_record_end(struct tide *t, struct tide_error *err);

/* Syncs and unmaps everything. NULL is allowed. Reports, once, what could not be written. */
int tide_close(struct tide *t, struct tide_error *err);

#ifdef __cplusplus
}
#endif

#endif
