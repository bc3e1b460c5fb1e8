/* What the tests of policies share: a policy of the table run inside one that keeps books by a
 * naive reading of the specification and compares every answer, and what a policy reports, by key.
 */
#ifndef TESTS_UNIT_POLICY_HELP_H
#define TESTS_UNIT_POLICY_HELP_H

#include "engine_help.h"

#define CHUNKS 128 /* more than any trace here has */
#define NONE UINT64_MAX

/* Told the same as the policy, by chunk number; asked before it. */
struct model {
	void (*full)(void);
	void (*fault)(uint64_t chunk);
	void (*came)(uint64_t chunk, bool first);
	void (*notice)(uint64_t chunk);
	void (*evicted)(uint64_t chunk, bool unused);
	uint64_t (*victim)(void);
	uint64_t (*candidate)(void);
};

static struct {
	const struct model *model;
	const struct tide_policy *inner;
	const struct tide_view *view;
	uint64_t victims, candidates, notices, unused; /* how often it came to that */
} books;

/* ---- what a model looks up ---- */

static inline bool is_valid(uint64_t chunk)
{
	return tide_valid(books.view, (tide_chunk){(uint32_t)chunk});
}

static inline bool is_observed(uint64_t chunk)
{
	return tide_observed(books.view, (tide_chunk){(uint32_t)chunk});
}

static inline bool has_pages(uint64_t chunk)
{
	return tide_resident(books.view, (tide_chunk){(uint32_t)chunk}) != 0;
}

/* A list as an array, the oldest first. */
struct order {
	uint64_t at[CHUNKS];
	size_t n;
};

static inline void order_append(struct order *o, uint64_t chunk)
{
	assert_true(o->n < CHUNKS);
	o->at[o->n++] = chunk;
}

static inline bool order_remove(struct order *o, uint64_t chunk)
{
	for (size_t i = 0; i < o->n; i++) {
		if (o->at[i] != chunk)
			continue;
		memmove(&o->at[i], &o->at[i + 1], (o->n - i - 1) * sizeof *o->at);
		o->n--;
		return true;
	}
	return false;
}

/* ---- the policy around the policy ---- */

static uint64_t number(tide_chunk c)
{
	return c.index == UINT32_MAX ? NONE : tide_chunk_number(books.view, c);
}

static int around_create(void *self, const struct tide_view *view, const union tide_value *values,
			 struct tide_error *err)
{
	books.view = view;
	return books.inner->create(self, view, values, err);
}

static void around_full(void *self)
{
	if (books.model->full)
		books.model->full();
	if (books.inner->on_full)
		books.inner->on_full(self);
}

static void around_fault(void *self, tide_chunk c, tide_page p)
{
	books.model->fault(number(c));
	books.inner->on_fault(self, c, p);
}

static void around_migrated(void *self, tide_chunk c, uint64_t pages)
{
	books.model->came(number(c), tide_resident(books.view, c) == pages);
	books.inner->on_migrated(self, c, pages);
}

static void around_notice(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose)
{
	books.notices++;
	books.model->notice(number(c));
	books.inner->on_notice(self, c, p, purpose);
}

static void around_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	books.unused += what->unused;
	books.model->evicted(number(c), what->unused);
	books.inner->on_evicted(self, c, what);
}

static tide_chunk around_victim(void *self)
{
	uint64_t expected = books.model->victim();
	tide_chunk answer = books.inner->pick_victim(self);

	books.victims++;
	assert_int_equal(number(answer), expected);
	return answer;
}

static tide_chunk around_observed(void *self)
{
	uint64_t expected = books.model->candidate();
	tide_chunk answer = books.inner->pick_observed(self);

	books.candidates += expected != NONE;
	assert_int_equal(number(answer), expected);
	return answer;
}

static inline struct tide_policy around(const struct tide_policy *inner)
{
	struct tide_policy p = *inner;

	p.create = around_create;
	p.on_full = around_full;
	p.on_fault = around_fault;
	p.on_migrated = around_migrated;
	p.on_notice = around_notice;
	p.on_evicted = around_evicted;
	p.pick_victim = around_victim;
	p.pick_observed = around_observed;
	return p;
}

/* ---- runs ---- */

static inline struct td_engine *start_with(const char *evict, const char *prefetch,
					   uint32_t chunk_pages, uint64_t near_pages,
					   uint64_t last_page)
{
	struct td_engine_config config = config_of(chunk_pages, near_pages);

	config.last_page = last_page;
	config.evict = named(evict, TIDE_EVICT);
	config.prefetch = named(prefetch, TIDE_PREFETCH);
	return start(&config);
}

/* Steps, jumps, a hot corner, and one page several times. */
static inline uint64_t next_page(uint64_t at, uint64_t pages, uint64_t *seed)
{
	uint64_t draw = tide_random_next(seed);

	switch (draw % 5) {
	case 0: return (draw >> 8) % pages;
	case 1: return (draw >> 8) % (pages / 8 + 1);
	case 2: return at;
	default: return (at + 1) % pages;
	}
}

/* One random trace under the policy, every answer of which the model has to foresee. */
static inline void run_model(const struct model *model, const char *evict, const char *prefetch,
			     uint32_t chunk_pages, uint64_t chunks, uint64_t near_pages,
			     uint64_t seed)
{
	struct td_engine_config config = config_of(chunk_pages, near_pages);
	uint64_t pages = chunks * chunk_pages - chunk_pages / 2, at = 0;
	struct tide_policy policy;
	struct td_engine *e;

	config.last_page = pages - 1;
	config.evict = named(evict, TIDE_EVICT);
	config.prefetch = named(prefetch, TIDE_PREFETCH);
	books.model = model;
	books.inner = config.evict.policy;
	policy = around(books.inner);
	config.evict.policy = &policy;
	e = start(&config);
	for (int i = 0; i < 1500; i++)
		read_page(e, at = next_page(at, pages, &seed));
	assert_int_equal(e->counts.policy_errors, 0);
	assert_int_equal(e->counts.hits + e->counts.faults, 1500);
	td_engine_destroy(e);
}

/* The policy on chunks of several sizes, memories and prefetchers; begin() empties the model. */
static inline void run_models(const struct model *model, const char *evict, void (*begin)(void))
{
	static const char *const prefetch[] = {"none", "locality", "tree", "fdp", "rgp"};
	static const uint32_t chunk_pages[] = {1, 3, 16, 64};

	memset(&books, 0, sizeof books);
	for (size_t i = 0; i < 5 * 4; i++) {
		for (uint64_t k = 0; k < 8; k++) {
			uint32_t p = chunk_pages[i / 5];
			begin();
			run_model(model, evict, prefetch[i % 5], p, 60, p * (2 + 7 * k) + k, i + k);
		}
	}
	assert_true(books.victims > 5000);
	assert_true(books.candidates > 5000);
	assert_true(books.notices > 500);
	assert_true(books.unused > 500);
}

/* ---- reports ---- */

struct reported {
	char text[2048]; /* "key=value\n" each */
};

__attribute__((format(printf, 2, 3))) static void put(void *to, const char *format, ...)
{
	struct reported *r = to;
	size_t used = strlen(r->text);
	va_list args;

	va_start(args, format);
	vsnprintf(r->text + used, sizeof r->text - used, format, args);
	va_end(args);
}

static void put_number(void *to, const char *key, uint64_t value)
{
	put(to, "%s=%lu\n", key, value);
}

static void put_real(void *to, const char *key, double value)
{
	put(to, "%s=%g\n", key, value);
}

static void put_text(void *to, const char *key, const char *value)
{
	put(to, "%s=%s\n", key, value ? value : "null");
}

static void put_list(void *to, const char *key, const uint64_t *values, size_t n)
{
	put(to, "%s=", key);
	for (size_t i = 0; i < n; i++)
		put(to, "%s%lu", i ? "," : "", values[i]);
	put(to, "\n");
}

/* Is `key=value` among what the policy in that box reports? */
static inline void assert_reports(struct td_engine *e, int box, const char *line)
{
	struct reported out = {"\n"};
	struct tide_report r = {&out, put_number, put_real, put_text, put_list};
	char want[256];

	e->box[box].choice.policy->report(e->box[box].self, &r);
	snprintf(want, sizeof want, "\n%s\n", line);
	if (!strstr(out.text, want))
		fail_msg("%s is not reported:%s", line, out.text);
}

#endif
