/* A long scan beside a hot set, which a good policy does not let the scan push out. */
#include "generator.h"
#include "zipf.h"

enum { PAGES, HOT, SHARE, ACCESSES, SKEW, WRITES };

static const struct tide_param params[] = {
	{"pages", TIDE_PARAM_INT, "65536", 1, TD_WORKLOAD_MOST,
	 "pages of the scan, after the hot set; it begins anew at their end"},
	{"hot", TIDE_PARAM_INT, "4096", 1, TD_WORKLOAD_MOST, "pages of the hot set"},
	{"share", TIDE_PARAM_REAL, "0.5", 0, 0.999,
	 "share of the accesses that go to the hot set, evenly mixed with the scan's"},
	{"accesses", TIDE_PARAM_INT, "1000000", 1, TD_WORKLOAD_MOST, "accesses"},
	{"skew", TIDE_PARAM_REAL, "0.8", 0, 100, "Zipf's, within the hot set; page 0 the hottest"},
	TD_WORKLOAD_PARAM_WRITES,
	{0},
};

enum { REF_SCAN = 1, REF_HOT = 2 };

struct scanhot {
	struct td_workload_generator g;
	uint64_t pages, hot, share; /* share: of 2^64 */
	uint64_t mix;               /* share added up; a hot access whenever it runs over */
	uint64_t scan;              /* the scan's next page, from 0 */
	uint64_t random, seed;
	struct td_workload_zipf law;
};

static void start(struct td_workload_generator *g)
{
	struct scanhot *s = (struct scanhot *)g;

	s->mix = 0;
	s->scan = 0;
	s->random = s->seed;
}

static void fill(struct td_workload_generator *g, struct tide_batch *batch)
{
	struct scanhot *s = (struct scanhot *)g;

	for (uint32_t i = 0; i < batch->n; i++) {
		if (__builtin_add_overflow(s->mix, s->share, &s->mix)) {
			td_workload_zipf_draw(&s->law, &s->random, &batch->page[i], 1);
			batch->ref[i] = REF_HOT;
		} else {
			batch->page[i] = s->hot + s->scan;
			batch->ref[i] = REF_SCAN;
			s->scan = s->scan + 1 == s->pages ? 0 : s->scan + 1;
		}
	}
}

static int open(struct td_trace_source **out, const struct td_workload *w,
		const union tide_value *v, uint64_t page_bytes, uint64_t seed,
		struct tide_error *err)
{
	uint64_t pages = (uint64_t)v[PAGES].i, hot = (uint64_t)v[HOT].i;
	uint64_t accesses = (uint64_t)v[ACCESSES].i, share = (uint64_t)(v[SHARE].r * 0x1p64);
	uint64_t hot_accesses = (uint64_t)((unsigned __int128)accesses * share >> 64);
	uint64_t scanned = accesses - hot_accesses < pages ? accesses - hot_accesses : pages;
	struct td_workload_plan plan = {
		.name = "scanhot",
		.accesses = accesses,
		.pages = hot_accesses == 0 ? scanned : TD_UNKNOWN,
		.last_page = hot + scanned - 1, /* the first access is always the scan's */
		.range = hot + pages,
		.page_bytes = page_bytes,
		.seed = seed,
		.writes = v[WRITES].r,
	};
	struct scanhot *s;
	void *made;
	int rc = td_workload_new(&made, sizeof *s, &plan, err);

	(void)w;
	if (rc)
		return rc;
	s = made;
	s->g.head.facts.refs = 1;
	s->g.fill = fill;
	s->g.start = start;
	s->pages = pages;
	s->hot = hot;
	s->share = share;
	s->seed = seed;
	td_workload_zipf_make(&s->law, hot, v[SKEW].r);
	return td_workload_ready(out, &s->g);
}

const struct td_workload td_workload_pattern_scanhot = {
	.name = "scanhot",
	.paper = "pattern",
	.type = "mixed",
	.summary = "a scan mixed with accesses to a hot set",
	.params = params,
	.open = open,
};
