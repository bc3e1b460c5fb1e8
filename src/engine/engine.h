/* The engine: page states, capacity, the order of a fault, and the check of every answer.
 *
 * A mechanism feeds it events and carries its decisions out. It calls policies, never the
 * other way round, and knows none by name but the built-in fallback. */
#ifndef TD_ENGINE_ENGINE_H
#define TD_ENGINE_ENGINE_H

#include "registry.h"
#include "space.h"
#include "tide/list.h"
#include "tide/policy.h"
#include "tide/stats.h"
#include "tide/vec.h"

#define TD_ENGINE_LOOK_AHEAD 12  /* accesses whose state is asked for before they come */
#define TD_ENGINE_EJECT_AFTER 16 /* invalid answers, when they are replaced */

struct td_engine_log;
struct td_lanes; /* of lanes.h */

/* Who carries decisions out where that takes time or moves bytes. Called as they are made, in
 * order, while a fault or a notice is served; the engine's state is already what it says. Without a
 * placement policy whatever is not near is in tier 2. */
struct td_engine_carrier {
	void *arg;
	/* Before the chunk's pages are gone, all of them. */
	void (*leave)(void *arg, tide_chunk c, const struct td_lanes *was, tide_tier to);
	/* These pages of c are resident now; fault_bit is one of them, or 0. */
	void (*come)(void *arg, tide_chunk c, uint64_t pages, uint64_t fault_bit, tide_tier from);
	/* A page left tier 2 for tier 3; where it is not dirty, tier 3 has it already. */
	void (*spill)(void *arg, tide_chunk c, bool dirty);
	/* Pages of c went to host memory to be watched, or came back. */
	void (*watch)(void *arg, tide_chunk c, uint64_t pages, bool armed);
};

struct td_engine_config {
	uint64_t near_pages;
	uint32_t chunk_pages;
	uint64_t last_page; /* UINT64_MAX: any; not looked at with maps */
	uint64_t pages;     /* distinct pages to expect, UINT64_MAX: not known */
	uint64_t length;    /* accesses to expect, 0: not known */
	/* First pages of the program's allocations, ascending, which outlive the engine; NULL: all
	 * pages are one. */
	const uint64_t *allocations;
	uint32_t allocations_n;
	/* The address range begins empty, and is what td_engine_map() and td_engine_gone() make of
	 * it. A chunk's index is its number. */
	bool maps;
	uint64_t seed;
	const char *mechanism; /* for errors: "the functional simulator" */
	unsigned gives;        /* signals it can give, of enum tide_needs: see there */
	bool replace_invalid;
	/* One per role, taken over by the engine; prefetch and place may be empty. */
	struct td_policy_choice evict, prefetch, place;
	uint64_t host_pages;  /* of tier 2, with a placement policy */
	const char *log_path; /* NULL: no decision log */
	/* Of a mechanism with a clock; all or nothing. */
	struct td_engine_carrier carrier;
};

/* One policy at work, and those inside it. */
struct td_engine_box {
	struct td_policy_choice choice;
	struct tide_view view;
	struct tide_vec slots;
	void *self;
	struct td_engine_box *members; /* as many as the choice has */
};

/* The boxes in the order in which events are told. */
enum { TD_BOX_PLACE, TD_BOX_PREFETCH, TD_BOX_EVICT, TD_BOXES };

/* Who listens to what, in that order, ending with a NULL: telling costs nothing where nobody does.
 */
#define TD_EARS(callback, ...) \
	struct { \
		void (*fn)(__VA_ARGS__); \
		void *self; \
	} callback[TD_BOXES + 1]

struct td_engine_ears {
	TD_EARS(on_full, void *self);
	TD_EARS(on_fault, void *self, tide_chunk c, tide_page p);
	TD_EARS(on_migrated, void *self, tide_chunk c, uint64_t pages);
	TD_EARS(on_access, void *self, tide_chunk c, tide_page p, uint64_t ref);
	TD_EARS(on_notice, void *self, tide_chunk c, tide_page p, enum tide_purpose purpose);
	TD_EARS(on_evicted, void *self, tide_chunk c, const struct tide_evicted *what);
	TD_EARS(on_boundary, void *self, uint64_t kernel);
};

/* What is observed; see observe.c. */
#define TD_OBSERVE_COUNTERS 256
#define TD_OBSERVE_PURPOSES 3
struct td_observe {
	unsigned budget[TD_OBSERVE_PURPOSES], n[TD_OBSERVE_PURPOSES];
	uint32_t chunk[TD_OBSERVE_PURPOSES][TD_OBSERVE_COUNTERS];
	unsigned samples; /* pages armed per chunk */
	bool adapt;
	uint32_t left[100]; /* chunks evicted since samples was judged; UINT32_MAX: came back */
	unsigned left_n, came_back;
};

/* Tier 2; see tiers.c. */
struct td_tiers {
	bool on, inclusive;
	tide_tier from;         /* where the faulting page is */
	struct tide_list queue; /* oldest first */
	struct tide_vec links;  /* struct tide_link, by chunk index */
	struct tide_vec flags;  /* uint8_t, by chunk index: is it there, and dirty? */
	uint64_t moved[4][4];   /* pages moved from tier to tier */
};

/* Which pages exist, where they come and go; see maps.c. */
struct td_maps {
	bool on;
	struct tide_vec first,
		end; /* of spans, uint64_t, ascending; the firsts are near.allocations */
};

struct td_engine {
	struct tide_near near;
	uint32_t migrations; /* turns so far, for the fallback */
	bool full, replace_invalid;
	struct tide_counts counts;
	struct td_space space;
	struct tide_vec bits;     /* see struct tide_near */
	struct tide_vec planned;  /* bitmap of chunks in the plan being served */
	struct tide_vec migrated; /* turn of last migration, only when answers are replaced */
	struct tide_vec next_use; /* only when a policy needs the future */
	struct tide_vec chunk_at, next_after;
	uint64_t room_chunks; /* all of these have room for so many */
	struct td_engine_box box[TD_BOXES];
	struct td_engine_ears ears;
	/* Questions, out of the policies' structs; NULL where nobody answers. */
	tide_chunk (*pick_victim)(void *self);
	tide_chunk (*pick_observed)(void *self);
	bool (*follows_lru)(void *self);
	void *evict_self;
	void (*plan_prefetch)(void *self, tide_chunk c, tide_page p, struct tide_plan *plan);
	bool observing; /* some policy needs notices */
	struct td_observe observe;
	uint64_t remote_only; /* accesses that were neither hits nor faults */
	struct td_tiers tiers;
	struct td_maps maps;
	struct td_engine_carrier carrier;
	uint64_t moves; /* changes whenever an array may have moved or a policy was replaced */
	bool wants_future, single_pages;
	uint64_t foreseen; /* accesses of the future seen so far */
	uint64_t random;
	unsigned replaced; /* invalid answers replaced so far */
	char ejected[64];  /* name of the policy that was; empty: none */
	struct td_engine_log *log;
	struct tide_plan plan;
	/* Scratch of td_engine_translate(). */
	uint32_t index[TIDE_BATCH + TD_ENGINE_LOOK_AHEAD];
	uint8_t bit[TIDE_BATCH];
};

/* Can the policies have what they need? Only their choices, chunk_pages, mechanism and gives are
 * looked at; create asks again. */
int td_engine_check_needs(const struct td_engine_config *config, struct tide_error *err);

int td_engine_create(struct td_engine **out, struct td_engine_config *config,
		     struct tide_error *err);
/* check.c: do the records agree with what is said of near memory, of tier 2 and of observation? A
 * walk over all of them. -EUCLEAN: no, which is a bug of the engine. */
int td_engine_check(const struct td_engine *e);
/* The log is complete and ends here; is it written? */
int td_engine_finish(struct td_engine *e, struct tide_error *err);
void td_engine_destroy(struct td_engine *e);
uint64_t td_engine_bytes(const struct td_engine *e); /* memory of the state of chunks */

/* Fills e->index and e->bit for the batch, or for events from .. end - 1 of it; new chunks get
 * their state. */
int td_engine_translate(struct td_engine *e, const struct tide_batch *batch,
			struct tide_error *err);
int td_engine_translate_part(struct td_engine *e, const struct tide_batch *batch, uint32_t from,
			     uint32_t end, struct tide_error *err);

/* Serves a fault whole: steps 2 to 5 of the model, the access itself included. */
int td_engine_fault(struct td_engine *e, tide_chunk c, unsigned bit, const struct tide_event *event,
		    struct tide_error *err);

/* The same for access i of a translated batch, where single_pages says that it applies: chunks of
 * one page, nothing prefetched, nothing logged or replaced. What it does not count itself is
 * counted afterwards, for many. */
void td_engine_count_pages(struct td_engine *e, uint64_t faults, uint64_t came_into_free);
int td_engine_fault_page(struct td_engine *e, const struct tide_batch *batch, uint32_t i,
			 struct tide_error *err);

/* An access to a resident page that is armed, counted as a hit by the caller; and one to a page
 * that is mapped where it is. */
int td_engine_notice(struct td_engine *e, tide_chunk c, const struct tide_event *event,
		     struct tide_error *err);
int td_engine_remote(struct td_engine *e, tide_chunk c, const struct tide_event *event,
		     struct tide_error *err);

/* Where config.maps: an allocation comes to be, and pages cease to exist.
 *
 * A map's first page begins a chunk, and no page of it may exist; numbers that are gone may be used
 * again. All memory that its faults will need is taken here.
 *
 * Any pages may go, also parts of chunks, also such as never were. The resident ones become absent,
 * which is no eviction and counted nowhere; a chunk that is left without one is taken out of the
 * policies' lists by on_evicted, with all its pages touched and none dirty. The carrier is told
 * nothing: what tier 2 and 3 have of a chunk without a page is worth nothing. */
int td_engine_map(struct td_engine *e, uint64_t first, uint64_t pages, struct tide_error *err);
int td_engine_gone(struct td_engine *e, uint64_t first, uint64_t pages, struct tide_error *err);

/* Without a fault, because the program asked: pages of a chunk come, as far as they are absent,
 * exist and fit, counted as prefetched; a resident chunk is evicted now. A placement policy is
 * asked as always, but cannot keep it: that is tier 2. Of a chunk that is not resident nothing is
 * evicted. Neither is an access: no time passes. */
int td_engine_bring(struct td_engine *e, tide_chunk c, uint64_t pages, struct tide_error *err);
int td_engine_cold(struct td_engine *e, tide_chunk c, struct tide_error *err);

/* What a mark says, by the calls above: a recorded run is run again with the same. Bring and cold
 * take the chunks that the pages are of, as far as they exist, in ascending order. */
int td_engine_mark(struct td_engine *e, const struct tide_mark *mark, struct tide_error *err);

/* For mechanisms that take accesses one by one, as they come: what one is to a page of a chunk that
 * has an index. A hit is counted and told. For what is more, a mechanism has its own time: a fault
 * is only found out, and served by td_engine_tick(), then td_engine_fault(); a notice is a hit, and
 * served by td_engine_notice(). */
enum td_engine_touched { TD_HIT, TD_NOTICE, TD_REMOTE, TD_ABSENT };
int td_engine_touch(struct td_engine *e, tide_chunk c, unsigned bit, const struct tide_event *event,
		    enum td_engine_touched *what, struct tide_error *err);
/* Hits are what is left of the accesses. */
void td_engine_count_hits(struct td_engine *e);
void td_engine_boundary(struct td_engine *e, uint64_t kernel); /* a kernel ended */

/* The time of an access, and for those who look into it, the future from then on. */
static inline void td_engine_tick(struct td_engine *e, tide_chunk c)
{
	e->counts.accesses++;
	e->near.time++;
	if (e->wants_future)
		((uint32_t *)(void *)e->next_use.at)[c.index] =
			((const uint32_t *)(void *)e->next_after.at)[e->near.time];
}

/* Calls feed for every policy that learns from a trace before the run, with the trace's name. */
typedef int td_engine_feed(void *arg, const char *trace, struct td_engine_box *box,
			   struct tide_error *err);
int td_engine_train(struct td_engine *e, td_engine_feed *feed, void *arg, struct tide_error *err);

/* The future, where wants_future: the whole input once, in order, then the end of it. */
int td_engine_foresee(struct td_engine *e, const struct tide_batch *batch, struct tide_error *err);
int td_engine_foreseen(struct td_engine *e, struct tide_error *err);
int td_engine_changed(struct tide_error *err); /* the input is not what it was */

static inline unsigned char *td_engine_record(struct td_engine *e, uint32_t index)
{
	return e->bits.at + ((size_t)index << e->near.record_shift);
}

/* Between the files of this room. */
int td_engine_index(struct td_engine *e, uint64_t number, uint32_t *index);
int td_engine_grow(struct td_engine *e, uint64_t n);
int td_engine_eject(struct td_engine *e, struct tide_error *err);
int td_engine_bring_noticed(struct td_engine *e, tide_chunk c, const struct tide_event *event,
			    enum tide_purpose purpose, struct tide_error *err);

#endif
