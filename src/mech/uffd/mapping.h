/* A way of mapping is a table. What differs between `exact`, `around`, `fast` and `copy` is in the
 * file of each (map_exact.c and so on), and nobody else asks which of them it is.
 *
 *     exact, around     shared memory (a memfd): the program's mapping and the view show the same
 *                       pages, so unmapping one costs no copy
 *     fast              anonymous memory: a page is moved between the program's mapping and the
 * view copy              anonymous memory: the view keeps a copy, and pages that leave are dropped
 *     file              a file that is only read: pages come from it by a copy, and are dropped;
 *                       no option names it, for a pager of any mapping may have it (choose.c) */
#ifndef TD_UFFD_MAPPING_H
#define TD_UFFD_MAPPING_H

#include "chunk.h"
#include "extent.h"

struct td_arrival;
struct td_job;
struct td_leaving;
struct td_slot;

struct td_mapping {
	const char *name;
	unsigned gives;       /* of enum tide_needs: what policies can see */
	unsigned kernel;      /* of enum td_uffd_has: all of these */
	const char *lacking;  /* what a kernel without them cannot do, and what to use there */
	unsigned batch_share; /* a batch that leaves is one part in so many of near memory */
	unsigned lanes;       /* bits 1 << LANE_...: those that not every mapping has */
	enum td_pager_lane in_table;        /* pages that the program's page table may have */
	const struct td_mapping *for_files; /* how such a pager maps files that may be written */
	bool protectable;                   /* the program may give its pages other rights */
	bool tracks_writes;                 /* a first write faults, where the kernel can do that */
	bool maps_arrivals;                 /* what comes by prefetch is mapped at once */
	bool maps_unlocked; /* a page can be mapped after the lanes have said that it is */
	bool has_frames;    /* slots have memory from the start: none is moved out of them */

	/* Once for the pager whose anonymous memory is mapped so. NULL: nothing to do. */
	int (*open)(struct td_pager *p);
	/* Memory of the extent, at its base and in its view. */
	int (*attach)(struct td_pager *p, struct td_extent *x);

	/* Pages come. With the lock: which pages are mapped when one is touched; what that takes.
	 */
	uint64_t (*pages_to_map)(struct td_pager *p, uint32_t chunk, uint64_t touched);
	void (*plan)(struct td_pager *p, struct td_arrival *a);
	/* Without it: n pages from a slot to where they belong; from the view into the page table;
	 * a page of zeros into the page table. */
	int (*deliver)(struct td_pager *p, struct td_extent *x, uint32_t chunk, unsigned at,
		       unsigned n, struct td_slot *slot);
	int (*map_run)(struct td_pager *p, struct td_extent *x, uint32_t chunk, unsigned at,
		       unsigned n, bool protect);
	int (*map_zero)(struct td_pager *p, unsigned char *at, bool protect);
	/* With the lock: these were delivered. */
	void (*note_delivered)(struct td_pager *p, uint32_t chunk, uint64_t pages);

	/* Pages go, without the lock. Out of the page table; and their memory, once they are. */
	void (*take_out)(struct td_pager *p, struct td_leaving *l, struct td_job *job);
	void (*free_pages)(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages);
	/* Their content does not matter any more: of pages that are mapped; of unmapped addresses.
	 */
	void (*drop)(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages);
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
int td_anonymous_attach_small(struct td_pager *p, struct td_extent *x, enum td_uffd_kind kind);
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
