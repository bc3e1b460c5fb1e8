/* Two policies that write down what they hear, and answer by script. */
#ifndef TESTS_UNIT_RECORDER_H
#define TESTS_UNIT_RECORDER_H

#include "engine_help.h"

#define RUNS 8

struct script {
	char heard[4096];
	struct {
		uint64_t first, n;
	} plan[RUNS];        /* runs of pages, asked for at every fault */
	uint64_t valid_seen; /* bitmap of chunk numbers that were valid at the last question */
};

static struct script script;

struct recorder {
	const struct tide_view *view;
};

__attribute__((format(printf, 1, 2))) static void hear(const char *format, ...)
{
	size_t used = strlen(script.heard);
	va_list args;

	va_start(args, format);
	vsnprintf(script.heard + used, sizeof script.heard - used, format, args);
	va_end(args);
}

static inline void assert_heard(const char *expected)
{
	assert_string_equal(script.heard, expected);
	*script.heard = '\0';
}

static uint64_t number(const void *self, tide_chunk c)
{
	return tide_chunk_number(((const struct recorder *)self)->view, c);
}

static int record(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	(void)values, (void)err;
	((struct recorder *)self)->view = view;
	return 0;
}

#define NOTICES(who) \
	static void who##_full(void *self) \
	{ \
		(void)self; \
		hear(#who " full\n"); \
	} \
	static void who##_fault(void *self, tide_chunk c, tide_page p) \
	{ \
		hear(#who " fault %lu %lu\n", number(self, c), p.number); \
	} \
	static void who##_migrated(void *self, tide_chunk c, uint64_t pages) \
	{ \
		hear(#who " migrated %lu %lx\n", number(self, c), pages); \
	} \
	static void who##_access(void *self, tide_chunk c, tide_page p, uint64_t ref) \
	{ \
		hear(#who " access %lu %lu %lu\n", number(self, c), p.number, ref); \
	} \
	static void who##_evicted(void *self, tide_chunk c, const struct tide_evicted *what) \
	{ \
		hear(#who " evicted %lu %lx %lx %lx\n", number(self, c), what->resident, \
		     what->touched, what->dirty); \
	}

NOTICES(p)
NOTICES(e)

static void p_plan(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	const struct recorder *s = self;
	uint32_t chunk_pages = s->view->near->chunk_pages;

	hear("p plan %lu %lu\n", number(self, c), p.number);
	for (int i = 0; i < RUNS; i++) {
		for (uint64_t k = 0; k < script.plan[i].n; k++) {
			uint64_t page = script.plan[i].first + k;
			tide_plan_chunk(plan, page / chunk_pages,
					UINT64_C(1) << (page % chunk_pages));
		}
	}
}

/* The valid chunk with the lowest number. */
static tide_chunk e_pick(void *self)
{
	const struct recorder *s = self;
	tide_chunk best = TIDE_NO_CHUNK;

	script.valid_seen = 0;
	for (uint32_t i = 0; i < s->view->near->chunks; i++) {
		tide_chunk c = {i};
		if (!tide_resident(s->view, c) || !tide_valid(s->view, c))
			continue;
		if (number(self, c) < 64)
			script.valid_seen |= UINT64_C(1) << number(self, c);
		if (best.index == UINT32_MAX || number(self, c) < number(self, best))
			best = c;
	}
	hear("e pick %lu\n", number(self, best));
	return best;
}

#define RECORDER(who, the_role, question) \
	{ \
		.api = TIDE_POLICY_API, .size = sizeof(struct tide_policy), .name = #who, \
		.role = the_role, .summary = "writes down", .paper = "none", \
		.needs = TIDE_NEEDS_ACCESSES, .state_bytes = sizeof(struct recorder), \
		.create = record, .on_full = who##_full, .on_fault = who##_fault, \
		.on_migrated = who##_migrated, .on_access = who##_access, \
		.on_evicted = who##_evicted, question \
	}

static const struct tide_policy prefetcher = RECORDER(p, TIDE_PREFETCH, .plan_prefetch = p_plan);
static const struct tide_policy evicter = RECORDER(e, TIDE_EVICT, .pick_victim = e_pick);

static inline struct td_engine *begin(uint32_t chunk_pages, uint64_t near_pages, uint64_t last_page)
{
	struct td_engine_config config = config_of(chunk_pages, near_pages);

	script = (struct script){0};
	config.last_page = last_page;
	config.prefetch = own(&prefetcher);
	config.evict = own(&evicter);
	return start(&config);
}

static inline void assert_resident(struct td_engine *e, uint64_t first, uint64_t n, bool expected)
{
	for (uint64_t page = first; page < first + n; page++)
		if (is_resident(e, page) != expected)
			fail_msg("page %lu is%s resident", page, expected ? " not" : "");
}

#endif
