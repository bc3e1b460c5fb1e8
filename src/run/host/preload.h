/* The library that `tide run` puts in front of a program's own: large allocations become memory of
 * the pager, everything else goes on to whom it was meant for.
 *
 *     heap.c     malloc and its family            calls.c   read, write and others that a kernel
 *     maps.c     mmap and its family              stdio.c   fills or empties, for a pager that
 *     remap.c    mremap, and memory that grows    names.c   serves faults in user mode alone
 *     regions.c  what was taken, by address       structs.c, addresses.c
 *     pager.c    the pager itself, opened late    signals.c the program's SIGBUS, behind ours
 *     next.c     those whose names we took        forks.c   a child inherits, or gets a copy
 *     publish.c  figures for `tide run`           files.c   the pager's own, kept open
 *     ends.c     what is done at the very end     unpaged.c what was left to the kernel, and why
 *     own.c      memory that none of the program's allocators knows
 *
 * This is the one place of tide with variables of its own: a library in front of a program has no
 * handle to keep them in. Three contexts call in: the program; the pager called by us, and its
 * threads and signal handler, which run with `inside` set and always get the plain functions; and
 * the dynamic linker, before anything of this library is ready. */
#ifndef TD_PRELOAD_PRELOAD_H
#define TD_PRELOAD_PRELOAD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "slots.h"
#include "tide/pager.h"

#define TD_EXPORT __attribute__((visibility("default")))
/* In the static block of every thread: nothing is allocated on first use, not in a handler. */
#define TD_TLS __thread __attribute__((tls_model("initial-exec")))

#define TD_OS_PAGE ((size_t)4096)

static inline uintptr_t td_round_up(uintptr_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* settings.c */
enum td_preload_fork { TD_FORK_COPY, TD_FORK_REFUSE };
struct td_preload_settings {
	struct tide_options options;
	size_t near_bytes, threshold_bytes;
	size_t page_bytes, chunk_bytes; /* of the pager */
	bool by_signal;                 /* faults are served in the thread that has them */
	bool helps;                     /* the kernel cannot touch paged memory by itself */
	bool may_protect;               /* pages, with this mapping */
	enum td_preload_fork fork;
	const char *slots; /* file of publish.c, or NULL */
	const char *save_set, *load_set; /* of this process, once the pager is open; or NULL */
	char program[32];  /* its name, before it wrote a title over that */
};
extern struct td_preload_settings td_preload_settings;
bool td_preload_read_settings(void); /* false: not run by tide */

/* pager.c */
extern struct tide *td_preload_tide; /* NULL: nothing is paged, or no longer */
extern TD_TLS unsigned td_preload_inside;
/* Is this call one that could be meant for the pager? */
static inline bool td_preload_off(void)
{
	return td_preload_inside || !td_preload_tide;
}
static inline bool td_preload_paged(const void *p)
{
	return !td_preload_off() && tide_owns(td_preload_tide, p);
}
bool td_preload_wants(size_t bytes); /* may it be taken? opens the pager at the first one */
void td_preload_lock_opening(void);  /* for the time of a fork */
void td_preload_unlock_opening(void);
void td_preload_reset_opening(void); /* in a child */
bool td_preload_by_signal(void);     /* paging, now or soon, with faults of user mode alone */
bool td_preload_is_on(void);         /* run by tide, and no child of a fork */
void td_preload_stop(void);          /* in a child: from now on nothing is paged */
void td_preload_continue(void);      /* in a child: it has a pager */
bool td_preload_is_owner(void);      /* paging, and no child that shares our memory */
/* "tide run: TEXT" as one line on standard error. */
__attribute__((format(printf, 1, 2))) void td_preload_say(const char *format, ...);
/* `what` cannot be paged. Ends the process, unless it may run in more memory than it was given. */
void td_preload_give_up(const char *what, const char *why);
#define td_preload_say_once(...) \
	do { \
		static bool said; \
		if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED)) \
			td_preload_say(__VA_ARGS__); \
	} while (0)

/* heap.c: this thread is in the allocator behind us. */
extern TD_TLS unsigned td_preload_allocating;

/* ends.c */
void td_preload_end(void); /* the process ends: last figures, complete files */
void td_preload_watch_ends(void);
void td_preload_begin_process(void); /* in a child */
void td_preload_begin_thread(void);  /* by threads of the pager */
void td_preload_end_thread(void);
void td_preload_end_with_last(void); /* ends the process if it has no thread of its own any more */

/* regions.c: ranges of addresses, whole pages of the system. Locked by their users. */
struct td_region {
	uintptr_t start, end; /* as the program knows it */
	uintptr_t slack;      /* end of what the pager mapped for it, from end on; of a last part */
	int kind;             /* of td_taken: from malloc; of td_guarded: the protection */
};
struct td_regions {
	struct td_region *at;
	size_t n, room;
};
/* What the program holds of the pager's memory, or of memory that took its place in a child; and
 * what of that it has made unreadable or read-only. One lock for both. */
extern struct td_regions td_taken, td_guarded;
void td_regions_lock(void);
void td_regions_unlock(void);
void td_regions_reset_lock(void); /* in a child */
int td_regions_room(struct td_regions *t, size_t more); /* so that as many can be added */
int td_regions_add(struct td_regions *t, struct td_region r);
/* The first region that ends after addr, or NULL. Good until the next change. */
struct td_region *td_regions_from(struct td_regions *t, uintptr_t addr);
struct td_region *td_regions_at(struct td_regions *t, uintptr_t addr); /* that holds it, or NULL */
/* Takes [start, end) out; calls drop for each part, to its slack where that is free too. */
typedef void td_regions_drop(uintptr_t start, uintptr_t end);
int td_regions_cut(struct td_regions *t, uintptr_t start, uintptr_t end, td_regions_drop *drop);

/* maps.c: memory of the pager, zero, aligned; NULL: none could be had. */
enum td_taking { TD_TAKE_MAPPING = 0, TD_TAKE_HEAP = 1, TD_TAKE_GROWS = 2 };
void *td_preload_take(size_t bytes, size_t align, enum td_taking how);
int td_preload_cut(void *addr, size_t bytes);            /* gives a range back */
bool td_preload_kernel_gives(size_t bytes);              /* without us */
td_regions_drop td_preload_give;                         /* of a region that was cut */
bool td_preload_touches(const void *addr, size_t bytes); /* is anything of it taken? */
/* Calls ours for the parts of a range that are taken, others for the rest, until one fails. */
typedef int td_preload_part(void *addr, size_t bytes, int arg);
int td_preload_walk(void *addr, size_t bytes, int arg, td_preload_part *ours,
		    td_preload_part *others);
bool td_preload_may_spare(void); /* more than was asked for */
bool td_preload_whole_pages(const void *addr, size_t bytes, const char *what); /* sets errno */

/* remap.c: does what is behind p have room for that much? Then it is the program's now. */
bool td_preload_grow(void *p, size_t had, size_t wanted);
/* The end of p is the program's no more; what that leaves of a chunk stays, for p to grow into. */
int td_preload_shrink(void *p, size_t had, size_t wanted);
/* p is somewhere else, with its pages and without a copy: there, or wherever. NULL: it is not. keep:
 * the old addresses stay reserved. */
void *td_preload_move(void *p, size_t had, size_t wanted, void *there, bool keep);

/* files.c: around tide_open() with these options */
void td_preload_files_before(void);
void td_preload_files_after(const struct tide_options *o);

/* forks.c */
void td_preload_watch_forks(void);

/* signals.c */
void td_preload_first_signals(void); /* before the pager has put its handler in place */
void td_preload_drop_signals(void);  /* in a child: the program's own handler again */

/* unpaged.c */
void td_preload_note_mapped(size_t bytes, int prot, int flags); /* by mmap(), and not taken */
void td_preload_note_kind(enum td_unpaged_kind kind);
void td_preload_note_unpaged(void); /* at the end */

/* publish.c */
struct td_slots *td_preload_open_slots(void); /* NULL: nobody wants to know */
unsigned td_preload_claim_slot(void);         /* counted from 0 */
void td_preload_publish(void);
void td_preload_publish_last(void);                 /* and what the policies report */
void td_preload_end_slot(enum td_slot_state state); /* the figures are the last ones */
void td_preload_start_publisher(void);
void td_preload_forget_slot(void); /* in a child */
void td_preload_claim_later(void); /* in a child: once it has faults of its own */

#endif
