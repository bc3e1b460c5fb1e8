/* Wrong answers to every question, and callbacks that do not return. Compiled once for each role:
 * ROLE. */
#include "hostile.h"

#include <math.h>
#include <stdlib.h>

static const char *asked = "";

bool hostile_is(const char *way)
{
	return !strcmp(asked, way);
}

/* "loop-CALLBACK": that one does not return. */
static void may_loop(const char *callback)
{
	for (volatile bool for_ever = !strncmp(asked, "loop-", 5) && !strcmp(asked + 5, callback);
	     for_ever;)
		;
}

/* ---- life ---- */

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	(void)values, (void)err;
	may_loop("create");
	((struct hostile *)self)->view = view;
	return 0;
}

static void destroy(void *self)
{
	(void)self;
	may_loop("destroy");
}

static unsigned needs_with(const union tide_value *values);

static size_t chunk_bytes_with(const union tide_value *values, uint32_t chunk_pages)
{
	(void)values, (void)chunk_pages;
	may_loop("chunk_bytes_with");
	return 8;
}

/* ---- notices ---- */

static void write_outside(const struct hostile *h)
{
	const struct tide_view *v = h->view;
	if (hostile_is("write-state"))
		memset((char *)(uintptr_t)(h + 1), 1, 8);
	if (hostile_is("write-slots"))
		v->slots[(size_t)8 * v->near->chunks] = 1;
}

static void on_full(void *self)
{
	may_loop("on_full");
	write_outside(self);
}

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	(void)self, (void)c, (void)p;
	may_loop("on_fault");
	if (hostile_is("allocates"))
		free(malloc(100));
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	(void)self, (void)c, (void)pages;
	may_loop("on_migrated");
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	const struct hostile *h = self;
	(void)c, (void)p, (void)ref;
	/* A hit, not the access at the end of a fault. */
	if (h->view->near->fault_chunk.index == UINT32_MAX)
		may_loop("on_access");
}

static void on_notice(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose)
{
	(void)self, (void)c, (void)p, (void)purpose;
	may_loop("on_notice");
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	(void)self, (void)c, (void)what;
	may_loop("on_evicted");
}

static void on_boundary(void *self, uint64_t kernel)
{
	(void)self, (void)kernel;
	may_loop("on_boundary");
}

/* ---- eviction ---- */

static tide_chunk find(const struct tide_view *v, bool resident)
{
	for (uint32_t i = 0; i < v->near->chunks; i++) {
		tide_chunk c = {i};
		if ((tide_resident(v, c) != 0) == resident && tide_valid(v, c))
			return c;
	}
	return TIDE_NO_CHUNK;
}

static tide_chunk pick_victim(void *self)
{
	const struct tide_view *v = ((const struct hostile *)self)->view;
	may_loop("pick_victim");
	if (hostile_is("victim-none"))
		return TIDE_NO_CHUNK;
	if (hostile_is("victim-next"))
		return (tide_chunk){v->near->chunks};
	if (hostile_is("victim-far"))
		return (tide_chunk){0xfffffff0};
	if (hostile_is("victim-absent"))
		return find(v, false);
	if (hostile_is("victim-faulting"))
		return v->near->fault_chunk;
	if (hostile_is("victim-planned") && v->near->plan->n)
		return (tide_chunk){v->near->plan->other[0].index};
	return find(v, true);
}

static tide_chunk pick_observed(void *self)
{
	const struct tide_view *v = ((const struct hostile *)self)->view;
	may_loop("pick_observed");
	if (hostile_is("observe-far"))
		return (tide_chunk){0xfffffff0};
	if (hostile_is("observe-absent"))
		return find(v, false);
	return find(v, true);
}

static bool follows_lru(void *self)
{
	(void)self;
	may_loop("follows_lru");
	return true;
}

static void expect_access(void *self, tide_chunk c)
{
	(void)self, (void)c;
	may_loop("expect_access");
}

/* ---- prefetching ---- */

static void plan_wrongly(struct tide_plan *plan, bool noticed)
{
	if (hostile_is(noticed ? "notice-many" : "plan-many"))
		plan->n = UINT32_MAX;
	if (hostile_is("plan-overflow"))
		memset(&plan->overflow, 0xff, 1);
	/* The engine's member of an entry, in a plan that brings nothing in. */
	if (!strncmp(asked, "remote-", 7) && !noticed) {
		plan->n = 1;
		plan->other[0] = (struct tide_plan_entry){1, 1, 0xfffffff0};
		plan->arm = hostile_is("remote-far") ? 1u << TIDE_FEEDBACK : 0;
		memset(&plan->remote, hostile_is("remote-byte") ? 0xfe : 1, 1);
	}
	if (noticed && hostile_is("notice-remote"))
		plan->remote = true;
	if (hostile_is("arm-no-need"))
		plan->arm = 1u << TIDE_FEEDBACK;
	if (hostile_is("arm-observe"))
		plan->arm = 1u << TIDE_OBSERVE;
	if (hostile_is("arm-all"))
		plan->arm = UINT32_MAX;
	if (hostile_is("plan-bits"))
		plan->own = UINT64_MAX;
	if (!hostile_is("plan-twice") && !hostile_is("plan-beyond"))
		return;
	bool twice = hostile_is("plan-twice");
	for (uint32_t i = 0; i < TIDE_PLAN_ENTRIES; i++)
		plan->other[plan->n++] = (struct tide_plan_entry){twice ? i % 3 : UINT64_MAX - i,
								  UINT64_MAX, UINT32_MAX};
}

static void plan_prefetch(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	(void)self, (void)c, (void)p;
	may_loop("plan_prefetch");
	/* What is armed gives notices. */
	if (hostile_is("notice-many") || hostile_is("notice-remote") ||
	    hostile_is("loop-plan_notice") || hostile_is("loop-on_notice")) {
		plan->own = UINT64_MAX;
		plan->arm = 1u << TIDE_FEEDBACK;
	}
	plan_wrongly(plan, false);
}

static void plan_notice(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose,
			struct tide_plan *plan)
{
	(void)self, (void)c, (void)p, (void)purpose;
	may_loop("plan_notice");
	plan_wrongly(plan, true);
}

/* ---- placing ---- */

static enum tide_placement place_victim(void *self, tide_chunk c)
{
	(void)self, (void)c;
	may_loop("place_victim");
	if (hostile_is("place-nowhere"))
		return (enum tide_placement)0;
	if (hostile_is("place-far"))
		return (enum tide_placement)0x7fffffff;
	if (hostile_is("place-keep"))
		return TIDE_KEEP;
	return TIDE_TO_TIER2;
}

static bool yields(void *self, tide_chunk oldest, tide_chunk c)
{
	(void)self, (void)oldest, (void)c;
	may_loop("yields");
	return !hostile_is("yields-never");
}

/* ---- the end ---- */

static void report(void *self, const struct tide_report *r)
{
	static const uint64_t list[] = {0, UINT64_MAX};
	(void)self;
	may_loop("report");
	if (!hostile_is("report"))
		return;
	r->real(r->to, "not_a_number", NAN);
	r->real(r->to, "endless", -INFINITY);
	r->real(r->to, NULL, 1);
	r->number(r->to, "huge", UINT64_MAX);
	r->number(r->to, "\xff", 1);
	r->number(r->to, "", 1);
	r->text(r->to, "bytes", "\xff");
	r->text(r->to, "null", NULL);
	r->text(r->to, "escape", "\x1b[31m");
	r->list(r->to, "list", list, 2);
	r->list(r->to, "none", NULL, SIZE_MAX);
}

static unsigned needs(void)
{
	unsigned n = 0;
	if (hostile_is("loop-on_access"))
		n |= TIDE_NEEDS_ACCESSES;
	if (hostile_is("observe-far") || hostile_is("observe-absent") ||
	    hostile_is("arm-observe") || hostile_is("arm-all") || hostile_is("loop-on_notice") ||
	    hostile_is("loop-pick_observed") || hostile_is("loop-plan_notice") ||
	    hostile_is("notice-many") || hostile_is("notice-remote") ||
	    hostile_is("observes-all") || hostile_is("samples-none"))
		n |= TIDE_NEEDS_NOTICES;
	if (hostile_is("remote-far") || hostile_is("remote-byte") || hostile_is("notice-remote"))
		n |= TIDE_NEEDS_NOTICES | TIDE_NEEDS_REMOTE;
	return n;
}

static unsigned needs_with(const union tide_value *values)
{
	(void)values;
	may_loop("needs_with");
	return needs();
}

struct tide_policy tide_policy = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "hostile",
	.role = ROLE,
	.summary = "does wrong",
	.paper = "example",
	.state_bytes = sizeof(struct hostile),
	.chunk_bytes = 8,
	.needs_with = needs_with,
	.chunk_bytes_with = chunk_bytes_with,
	.create = create,
	.destroy = destroy,
	.on_full = on_full,
	.on_fault = on_fault,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_notice = on_notice,
	.on_evicted = on_evicted,
	.on_boundary = on_boundary,
	.pick_victim = ROLE == TIDE_EVICT ? pick_victim : NULL,
	.pick_observed = ROLE == TIDE_EVICT ? pick_observed : NULL,
	.follows_lru = ROLE == TIDE_EVICT ? follows_lru : NULL,
	.plan_prefetch = ROLE == TIDE_PREFETCH ? plan_prefetch : NULL,
	.plan_notice = ROLE == TIDE_PREFETCH ? plan_notice : NULL,
	.place_victim = ROLE == TIDE_PLACE ? place_victim : NULL,
	.yields = ROLE == TIDE_PLACE ? yields : NULL,
	.report = report,
	.expect_access = ROLE == TIDE_EVICT ? expect_access : NULL,
};

__attribute__((constructor)) static void spoil(void)
{
	const char *way = getenv("HOSTILE");
	asked = way ? way : "";
	if (hostile_is("needs-unknown"))
		tide_policy.needs_with = NULL;
	hostile_spoil(&tide_policy);
}
