/* The engine: page states, capacity, the order of a fault, and the check of every answer.
 *
 * A mechanism gives the engine events and carries out its decisions. The engine calls policies;
 * policies never call the engine. It knows no policy by name, except the built-in fallback. */
#ifndef TD_ENGINE_ENGINE_H
#define TD_ENGINE_ENGINE_H

#include "core/event.h"
#include "registry.h"
#include "space.h"
#include "tide/list.h"
#include "tide/policy.h"
#include "tide/stats.h"
#include "tide/vec.h"

#define TD_ENGINE_LOOK_AHEAD 24  /* accesses whose state is prefetched */
#define TD_ENGINE_EJECT_AFTER 16 /* invalid answers, if they are replaced */

struct td_engine_log;
struct td_lanes; /* of lanes.h */

/* The carrier carries out decisions, in a mechanism where that takes time or moves bytes. The
 * engine calls it for each decision, in order, while it serves a fault or a notice. Except for
 * leave(), the engine's state has already changed then. Without a placement policy, all pages that
 * are not near are in tier 2. */
struct td_engine_carrier {
	void *arg;
	/* All pages of c leave. The engine's state still has them. */
	void (*leave)(void *arg, tide_chunk c, const struct td_lanes *was, tide_tier to);
	/* These pages of c are resident now; fault_bit is one of them, or 0. */
	void (*come)(void *arg, tide_chunk c, uint64_t pages, uint64_t fault_bit, tide_tier from);
	/* A page left tier 2 for tier 3. If it is not dirty, tier 3 has it already. */
	void (*spill)(void *arg, tide_chunk c, bool dirty);
	/* A dirty page stays in that tier, and is written to tier 3. */
	void (*clean)(void *arg, tide_chunk c, tide_tier from);
	/* Pages of c went to host memory to be watched, or came back. */
	void (*watch)(void *arg, tide_chunk c, uint64_t pages, bool armed);
};

struct td_engine_config {
	uint64_t near_pages;
	uint32_t chunk_pages;
	uint64_t last_page; /* UINT64_MAX: any; not looked at with maps */
	uint64_t pages;     /* distinct pages to expect, UINT64_MAX: not known */
	uint64_t length;    /* accesses to expect, 0: not known */
	/* First pages of the program's allocations, ascending. The array outlives the engine. NULL:
	 * all pages are one allocation. */
	const uint64_t *allocations;
	uint32_t allocations_n;
	/* The address range is empty at first. td_engine_map() and td_engine_gone() change it. A
	 * chunk's index is its number. */
	bool maps;
	uint64_t page_bytes; /* 0: not known */
	/* A chunk moves as a whole: what a plan names of a chunk means all its pages. Such chunks
	 * can be held; see hold.c. */
	bool whole;
	/* Every chunk is one page, and an object with a size (struct tide_batch_object).
	 * near_pages is bytes. Demand paging alone, without tiers, maps, a log and
	 * replace_invalid. */
	bool sized;
	uint64_t seed;
	const char *mechanism; /* for errors: "the functional simulator" */
	unsigned gives;        /* the needs that the mechanism can serve: enum tide_needs */
	bool replace_invalid;
	/* One per role, taken over by the engine; prefetch and place may be empty. */
	struct td_policy_choice evict, prefetch, place;
	uint64_t host_pages;  /* of tier 2, with a placement policy */
	const char *log_path; /* NULL: no decision log */
	/* Of a mechanism with a clock: all its functions are set, or none. */
	struct td_engine_carrier carrier;
};

/* One policy at work, and the policies inside it. */
struct td_engine_box {
	struct td_policy_choice choice;
	struct tide_view view;
	struct tide_view *given; /* the same, at a place that stays: the policy keeps the pointer */
	struct tide_vec slots;
	void *self;
	struct td_engine_box *members; /* as many as the choice has */
};

/* The boxes, in the order in which the engine tells them what happens. */
enum { TD_BOX_PLACE, TD_BOX_PREFETCH, TD_BOX_EVICT, TD_BOXES };

/* The policies that have each callback, in that order, then NULL. If no policy has a callback,
 * telling costs nothing. */
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

/* The callbacks of a policy: who listens is told, whoever the question is for is asked, and the
 * others are calls of one policy outside of accesses. */
#define TD_CALLS_TOLD(CALL) \
	CALL(on_full) \
	CALL(on_fault) \
	CALL(on_migrated) CALL(on_access) CALL(on_notice) CALL(on_evicted) CALL(on_boundary)
#define TD_CALLS_ASKED(CALL) \
	CALL(pick_victim, TD_BOX_EVICT) \
	CALL(pick_observed, TD_BOX_EVICT) \
	CALL(follows_lru, TD_BOX_EVICT) \
	CALL(expect_access, TD_BOX_EVICT) \
	CALL(plan_prefetch, TD_BOX_PREFETCH) \
	CALL(plan_notice, TD_BOX_PREFETCH) \
	CALL(place_victim, TD_BOX_PLACE) CALL(yields, TD_BOX_PLACE)
#define TD_CALLS_OUTSIDE(CALL) \
	CALL(needs_with) CALL(chunk_bytes_with) CALL(create) CALL(train) CALL(destroy) CALL(report)

enum td_engine_call {
	TD_CALL_NONE,
#define CALL(name, ...) TD_CALL_##name,
	TD_CALLS_TOLD(CALL) TD_CALLS_ASKED(CALL) TD_CALLS_OUTSIDE(CALL)
#undef CALL
		TD_CALL_BOX =
			0x80, /* << 8: the box follows, not the place among those who listen */
};

/* What is observed; see observe.c. */
#define TD_OBSERVE_COUNTERS 256
#define TD_OBSERVE_PURPOSES 3
struct td_observe {
	unsigned budget[TD_OBSERVE_PURPOSES], n[TD_OBSERVE_PURPOSES];
	uint32_t chunk[TD_OBSERVE_PURPOSES][TD_OBSERVE_COUNTERS];
	unsigned samples; /* pages armed per chunk */
	bool adapt;
	uint32_t left[100]; /* chunks evicted since samples was judged; UINT32_MAX: it came back */
	unsigned left_n, came_back;
};

/* Tier 2; see tiers.c. */
struct td_tiers {
	bool on, inclusive;
	tide_tier from;         /* where the faulting page is */
	struct tide_list queue; /* oldest first */
	struct tide_vec links;  /* struct tide_link, by chunk index */
	struct tide_vec flags;  /* uint8_t, by chunk index: is the page in tier 2? is it dirty? */
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
	bool running;        /* hits are served, which on_access is told of */
	bool borrows;        /* the space is another's: td_engine_share() */
	uint16_t call;       /* enum td_engine_call, and << 8 who is called; see calls.c */
	uint64_t calls_done; /* calls outside of accesses so far */
	struct tide_counts counts;
	struct td_space space;
	struct tide_vec bits;     /* see struct tide_near */
	struct tide_vec planned;  /* bitmap of chunks in the plan being served */
	struct tide_vec migrated; /* turn of last migration, only when answers are replaced */
	struct tide_vec next_use; /* only when a policy needs the future */
	struct tide_vec chunk_at, next_after;
	struct tide_vec objects; /* struct tide_object, only when objects have sizes */
	struct tide_vec gone;    /* of future.c: gone_n memories that cease to exist */
	uint64_t room_chunks;    /* all these arrays have room for so many chunks */
	struct td_engine_box box[TD_BOXES];
	struct td_engine_box spare[TD_BOXES]; /* takes over; then the ejected one */
	struct td_engine_ears ears;
	/* The questions, copied from the policies' structs; NULL: no policy answers it. */
	tide_chunk (*pick_victim)(void *self);
	tide_chunk (*pick_observed)(void *self);
	bool (*follows_lru)(void *self);
	void *evict_self;
	void (*plan_prefetch)(void *self, tide_chunk c, tide_page p, struct tide_plan *plan);
	bool observing; /* some policy needs notices */
	struct td_observe observe;
	uint64_t remote_only; /* accesses that were neither hits nor faults */
	bool in_prefix;       /* all accesses of the present group were hits so far */
	struct td_tiers tiers;
	struct td_maps maps;
	struct td_engine_carrier carrier;
	uint64_t held_chunks, held_pages; /* see hold.c */
	uint64_t moves; /* changes whenever an array may have moved or a policy was replaced */
	bool wants_future, single_pages, sized, whole;
	/* For the functional simulator: the loop of this policy; see mech/sim/pages.h. */
	int (*run_pages)(struct td_engine *e, const struct tide_batch *batch, uint32_t *done,
			 struct tide_error *err);
	uint64_t foreseen; /* accesses of the future seen so far */
	uint64_t gone_n;
	uint64_t random;
	unsigned replaced[TD_BOXES]; /* invalid answers so far */
	char ejected[64];            /* names of the ejected policies, "a, b"; empty: none */
	struct td_engine_log *log;
	struct tide_plan plan;
	/* Scratch of td_engine_translate(). */
	uint32_t index[TIDE_BATCH + TD_ENGINE_LOOK_AHEAD];
	uint8_t bit[TIDE_BATCH];
};

/* Can the policies have what they need? Reads only evict, prefetch, place, chunk_pages, sized,
 * mechanism and gives of the config. td_engine_create() asks again. */
int td_engine_check_needs(const struct td_engine_config *config, struct tide_error *err);

int td_engine_create(struct td_engine **out, struct td_engine_config *config,
		     struct tide_error *err);
/* The same in two steps: a watchdog can look at the engine while policies are created. An engine
 * that failed to start is destroyed too. */
int td_engine_new(struct td_engine **out, struct tide_error *err);
int td_engine_start(struct td_engine *e, struct td_engine_config *config, struct tide_error *err);
/* As td_engine_new() left it, at the same place: it can be started again. */
void td_engine_reset(struct td_engine *e);
/* check.c: walks over all records. Do they agree with what the engine says of near memory, of tier
 * 2 and of observation? -EUCLEAN: no, which is a bug of the engine. */
int td_engine_check(const struct td_engine *e);
/* The counts begin at 0, and the log is another process's: nothing is written to it any more. */
void td_engine_begin_again(struct td_engine *e);
/* Completes and closes the log. Returns an error if the log could not be written. */
int td_engine_finish(struct td_engine *e, struct tide_error *err);
/* No policy is called any more: all were destroyed. */
void td_engine_dismiss(struct td_engine *e);
void td_engine_destroy(struct td_engine *e);

/* calls.c. Around a call outside of accesses. */
void td_engine_begin_call(struct td_engine *e, enum td_engine_call what, enum tide_role role);
void td_engine_end_call(struct td_engine *e);
/* For another thread, that of a watchdog: the callback that is under way, or NULL; and its policy,
 * NULL if that is not known yet. As long as the turn does not change it is the same call. */
const char *td_engine_calling(const struct td_engine *e, uint64_t *turn,
			      const struct tide_policy **policy);
/* Of the callback under way, "evict policy x has not returned from pick_victim for 10 s". Before
 * its policy has a place in the engine, that is known only as it was written: evict, prefetch.
 * False: none is under way. */
bool td_engine_late(const struct td_engine *e, const char *evict, const char *prefetch,
		    uint64_t seconds, char *to, size_t n);
uint64_t td_engine_bytes(const struct td_engine *e); /* memory of the state of chunks */

/* From now on, chunks have the indices that they have in this space, which has all chunks of the
 * run and outlives it. Several engines can share one space. Call it before the first access; no
 * policy may need the future. */
int td_engine_share(struct td_engine *e, const struct td_space *space, struct tide_error *err);

/* Fills e->index and e->bit for the batch, or for its events from .. end - 1. Gives new chunks
 * their state. */
int td_engine_translate(struct td_engine *e, const struct tide_batch *batch,
			struct tide_error *err);
int td_engine_translate_part(struct td_engine *e, const struct tide_batch *batch, uint32_t from,
			     uint32_t end, struct tide_error *err);

/* Serves a whole fault: steps 2 to 5 of the model, including the access itself. */
int td_engine_fault(struct td_engine *e, tide_chunk c, unsigned bit, const struct td_event *event,
		    struct tide_error *err);

/* Serves a fault of access i of a translated batch whose objects have sizes. page.h has the same
 * for single pages. */
int td_engine_fault_object(struct td_engine *e, const struct tide_batch *batch, uint32_t i,
			   struct tide_error *err);

/* td_engine_notice() serves an access to a resident page that is armed; the caller counts it as a
 * hit. td_engine_remote() serves an access to a remote page. */
int td_engine_notice(struct td_engine *e, tide_chunk c, const struct td_event *event,
		     struct tide_error *err);
int td_engine_remote(struct td_engine *e, tide_chunk c, const struct td_event *event,
		     struct tide_error *err);

/* With config.maps, td_engine_map() makes an allocation, and td_engine_gone() ends pages.
 *
 * An allocation's first page begins a chunk. None of its pages may exist yet. Numbers of pages that
 * are gone may be used again. td_engine_map() takes all memory that the faults on it will need.
 *
 * Any pages may go: also parts of chunks, and pages that never existed. Resident pages become
 * absent. That is no eviction, and is counted nowhere. If a chunk has no resident page left,
 * on_evicted takes it out of the policies' lists, with all its pages touched and none dirty. The
 * engine does not call the carrier: what tiers 2 and 3 have of such a chunk is worth nothing. */
int td_engine_map(struct td_engine *e, uint64_t first, uint64_t pages, struct tide_error *err);
int td_engine_gone(struct td_engine *e, uint64_t first, uint64_t pages, struct tide_error *err);
/* As if these pages went and came back at once: what they held is worth nothing, wherever it was.
 */
void td_engine_lose(struct td_engine *e, uint64_t first, uint64_t pages);

/* What the program asks for without a fault. td_engine_bring() brings in pages of a chunk, as far
 * as they are absent, exist and fit; they count as prefetched. td_engine_cold() evicts a chunk now,
 * if it is resident. It asks the placement policy as always. If that answers TIDE_KEEP, the chunk
 * goes to tier 2. Neither call is an access: no time passes. */
int td_engine_bring(struct td_engine *e, tide_chunk c, uint64_t pages, struct tide_error *err);
int td_engine_cold(struct td_engine *e, tide_chunk c, struct tide_error *err);

/* hold.c, where chunks move as a whole. A held chunk is resident, and no valid victim until it is
 * released. Each chunk is held once at most. */
void td_engine_hold(struct td_engine *e, tide_chunk c);
void td_engine_release(struct td_engine *e, tide_chunk c);
/* Can an absent chunk of so many pages come in, with all victims that are valid now gone? */
bool td_engine_has_room(const struct td_engine *e, uint64_t pages);
/* Every page of a resident chunk was touched. */
void td_engine_touch_whole(struct td_engine *e, tide_chunk c);
/* From now on, near memory has so many pages. Evicts as many chunks as that takes, but no held
 * ones: near memory may stay larger, and the call says how large it is now. */
int td_engine_resize(struct td_engine *e, uint64_t *near_pages, struct tide_error *err);

/* Carries out a mark by the calls above, so that a recorded run can be run again. Bring and cold
 * take the chunks of the pages, as far as these exist, in ascending order. */
int td_engine_mark(struct td_engine *e, const struct tide_mark *mark, struct tide_error *err);

/* For mechanisms that take accesses one by one. Finds out what an access to a page is; its chunk
 * has an index. Counts a hit, and tells the policies. The rest is for the mechanism to do when it
 * wants: it serves a fault by td_engine_tick() and then td_engine_fault(). A notice is counted as a
 * hit; the mechanism serves it by td_engine_notice(). */
enum td_engine_touched { TD_HIT, TD_NOTICE, TD_REMOTE, TD_ABSENT };
int td_engine_touch(struct td_engine *e, tide_chunk c, unsigned bit, const struct td_event *event,
		    enum td_engine_touched *what, struct tide_error *err);
/* Counts as hits all accesses that were counted as nothing else. */
void td_engine_count_hits(struct td_engine *e);
void td_engine_boundary(struct td_engine *e, uint64_t kernel); /* a kernel ended */

/* tiers.c. Where the engine has a chunk of one page. Without a placement policy tier 2 is empty. */
tide_tier td_engine_tier(const struct td_engine *e, tide_chunk c);
/* With a placement policy: writes the dirty pages of tiers 1 and 2 to tier 3. They stay. */
void td_engine_flush(struct td_engine *e);

/* Counts an access and its time. For policies that need the future, sets the chunk's next use. */
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
/* Of such a policy: the next batch of that trace; NULL: its end. */
int td_engine_teach(struct td_engine *e, struct td_engine_box *box, const struct tide_batch *batch,
		    struct tide_error *err);

/* The future, if wants_future is set. Call td_engine_foresee() for the whole input once, in order,
 * and then td_engine_foreseen(). */
int td_engine_foresee(struct td_engine *e, const struct tide_batch *batch, struct tide_error *err);
int td_engine_foreseen(struct td_engine *e, struct tide_error *err);
int td_engine_changed(struct tide_error *err); /* the input is not what it was */

/* Adds a size or a cost, which a trace may say as it likes. Documents have integers of 63 bits. */
static inline void td_engine_add(uint64_t *sum, uint64_t more)
{
	*sum = more > (uint64_t)INT64_MAX - *sum ? (uint64_t)INT64_MAX : *sum + more;
}

static inline unsigned char *td_engine_record(struct td_engine *e, uint32_t index)
{
	return e->bits.at + ((size_t)index << e->near.record_shift);
}

/* Out with a policy, whose spare one takes over; for a mechanism that begins anew with policies of
 * which one was ejected before. */
int td_engine_eject(struct td_engine *e, unsigned which, struct tide_error *err);

/* Between the files of this room. */
int td_engine_index(struct td_engine *e, uint64_t number, uint32_t *index);
int td_engine_grow(struct td_engine *e, uint64_t n);
int td_engine_index_failed(int rc, struct tide_error *err); /* says why there are no more chunks */
int td_engine_bring_noticed(struct td_engine *e, tide_chunk c, const struct td_event *event,
			    enum tide_purpose purpose, struct tide_error *err);

#endif
