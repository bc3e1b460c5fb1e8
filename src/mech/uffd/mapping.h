/* A way of mapping is a table. Everything that differs between `exact`, `around`, `fast` and `copy`
 * is in the file of each, and no other code asks which of them it has.
 *
 *     exact, around     shared memory (a memfd). The program's mapping and the view show the same
 *                       pages, so unmapping a page costs no copy.
 *     fast              anonymous memory. Pages are moved between the program's mapping and the
 * view. copy              anonymous memory. The view keeps a copy, and pages that leave are
 * dropped. file              a file that is only read. Pages come from it by a copy, and are
 * dropped. No option names this one: pagers of other mappings have it too (choose.c). */
#ifndef TD_UFFD_MAPPING_H
#define TD_UFFD_MAPPING_H

#include "chunk.h"
#include "extent.h"
#include "kernel.h"

struct td_arrival;
struct td_job;
struct td_leaving;
struct td_slot;

struct uffd_msg;

/* What more there is to memory of another process: lent.h says what these do. */
struct td_foreign {
	int (*open)(struct td_pager *p, struct tide_error *err);
	int (*open_store)(struct td_pager *p, struct tide_error *err);
	int (*begin)(struct td_pager *p, struct tide_error *err);
	void (*end)(struct td_pager *p);
	size_t (*hear)(struct td_pager *p, struct uffd_msg *messages, size_t most);
	int (*protect)(struct td_pager *p, void *addr, size_t bytes, bool protect);
	void (*look)(struct td_pager *p, uint32_t chunk, unsigned bit);
	int (*drop)(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages);
};

struct td_mapping {
	const char *name;
	/* Facts. */
	unsigned gives;              /* of enum tide_needs: what policies can see */
	unsigned kernel;             /* of enum td_uffd_has: what the kernel must have */
	const char *lacking;         /* the same in words, and what to use without it */
	unsigned batch_share;        /* a batch that leaves is near memory divided by this */
	unsigned lanes;              /* bits 1 << LANE_...: lanes that other mappings do not use */
	enum td_uffd_kind kind;      /* of the program's mapping */
	enum td_pager_lane in_table; /* pages that the program's page table may have */
	const struct td_mapping *for_files; /* how such a pager maps a file that may be written */
	const struct td_foreign *foreign;   /* the program is another process; NULL: this one */
	const struct td_mapping *inherited_as; /* after a fork, in the child; NULL: it has none of it */
	bool protectable;                   /* the program may call mprotect() on its pages */
	bool tracks_writes;                 /* a first write faults, if the kernel can do that */
	bool maps_arrivals;                 /* a chunk that is prefetched is mapped at once */
	bool maps_unlocked;                 /* lanes may call a page mapped before it is */
	bool has_frames;                    /* slots keep their memory: no page is moved out */

	/* The pager, or the extent, is new: no other thread uses it. */
	int (*open)(struct td_pager *p);                        /* buffers; NULL: none */
	int (*attach)(struct td_pager *p, struct td_extent *x); /* maps base and view */

	/* Pages come; the lock is held. Which pages are to be mapped if these are touched? */
	uint64_t (*pages_to_map)(struct td_pager *p, uint32_t chunk, uint64_t touched);
	/* Works out what it takes to map a->to_map. */
	void (*plan)(struct td_pager *p, struct td_arrival *a);
	/* Changes the lanes of pages that deliver() has brought, besides HELD. */
	void (*note_delivered)(struct td_pager *p, uint32_t chunk, uint64_t pages);

	/* Pages come; the lock is not held. Brings n pages from a slot to the extent. */
	int (*deliver)(struct td_pager *p, struct td_extent *x, uint32_t chunk, unsigned at,
		       unsigned n, struct td_slot *slot);
	/* Maps n pages that are in memory; one page of zeros. */
	int (*map_run)(struct td_pager *p, struct td_extent *x, uint32_t chunk, unsigned at,
		       unsigned n, bool protect);
	int (*map_zero)(struct td_pager *p, unsigned char *at, bool protect);

	/* Pages go; the lock is not held. Takes job->unmap out of the page table, in a batch. */
	void (*take_out)(struct td_pager *p, struct td_leaving *l, struct td_job *job);
	/* Gives back the memory of pages that are not mapped. */
	void (*free_pages)(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages);

	/* The lock is held. The pages are zero from now on, mapped or not. */
	void (*drop)(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages);
	/* Gives back the memory of pages whose addresses are unmapped. */
	void (*forget)(struct td_pager *p, struct td_extent *x, uint64_t first, uint64_t pages);
};

extern const struct td_mapping td_mapping_exact, td_mapping_around, td_mapping_fast,
	td_mapping_copy, td_mapping_file;

/* ---- choose.c ---- */

/* Which mappings this pager has, by what its policies need and the kernel can. */
int td_pager_choose_mappings(struct td_pager *p, struct tide_error *err);
const struct td_mapping *td_pager_mapping_of(const struct td_pager *p, const struct td_extent *x);
/* Of enum tide_needs: what policies of this pager can see. */
unsigned td_pager_gives(const struct td_pager *p);

/* ---- map_exact.c: shared memory, for `around` too ---- */

int td_shared_attach(struct td_pager *p, struct td_extent *x);
void td_shared_plan(struct td_pager *p, struct td_arrival *a);
int td_shared_deliver(struct td_pager *p, struct td_extent *x, uint32_t chunk, unsigned at,
		      unsigned n, struct td_slot *slot);
int td_shared_map_run(struct td_pager *p, struct td_extent *x, uint32_t chunk, unsigned at,
		      unsigned n, bool protect);
int td_shared_map_zero(struct td_pager *p, unsigned char *at, bool protect);
void td_shared_note_delivered(struct td_pager *p, uint32_t chunk, uint64_t pages);
void td_shared_take_out(struct td_pager *p, struct td_leaving *l, struct td_job *job);
void td_shared_free_pages(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages);
void td_shared_forget(struct td_pager *p, struct td_extent *x, uint64_t first, uint64_t pages);

/* ---- anonymous.c: anonymous memory, for `fast`, `copy` and `file` ---- */

int td_anonymous_attach(struct td_pager *p, struct td_extent *x);
/* The same without huge pages, where a page has to stay the one it is. */
int td_anonymous_attach_small(struct td_pager *p, struct td_extent *x);
/* All of the chunk: who touches which page is not seen. */
uint64_t td_anonymous_pages_to_map(struct td_pager *p, uint32_t chunk, uint64_t touched);
int td_anonymous_copy_run(struct td_pager *p, struct td_extent *x, uint32_t chunk, unsigned at,
			  unsigned n, bool protect);
int td_anonymous_copy_zero(struct td_pager *p, unsigned char *at, bool protect);
int td_anonymous_copy_in(struct td_pager *p, struct td_extent *x, uint32_t chunk, unsigned at,
			 unsigned n, struct td_slot *slot);
void td_anonymous_drop(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages);
void td_anonymous_forget(struct td_pager *p, struct td_extent *x, uint64_t first, uint64_t pages);

#endif
