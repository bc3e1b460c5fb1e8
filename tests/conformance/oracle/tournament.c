/* The tournament of section 5.2: members that each keep their own lists. */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

#define MEMBERS 16

struct tournament {
	struct evictor *member[MEMBERS];
	bool retired[MEMBERS];
	uint64_t points[MEMBERS];
	unsigned n;
	unsigned victim_turn, candidate_turn;
	uint64_t window;
	struct decimal margin;
};

static void create(struct evictor *e)
{
	struct tournament *x = e->own = own_state(sizeof(*x));
	const char *of = param(e->spec, "of");
	char *names = must(strdup(of ? of : "observ-lru+observ-lfu+cp")), *save = NULL;

	x->window = param_number(e->spec, "window", 64);
	x->margin = param_decimal(e->spec, "margin", "1.2");
	for (char *name = strtok_r(names, "+", &save); name; name = strtok_r(NULL, "+", &save)) {
		if (x->n == MEMBERS)
			usage("too many members");
		x->member[x->n] = open_evictor(e->o, parse_spec(name));
		if (x->member[x->n++]->how->study)
			usage("this policy is no member here");
	}
	free(names);
}

#define EACH_MEMBER(e, m) \
	for (unsigned i_ = 0; i_ < ((struct tournament *)(e)->own)->n; i_++) \
		for (struct evictor *m = ((struct tournament *)(e)->own)->member[i_]; m; m = NULL)

static unsigned next_active(const struct tournament *x, unsigned from)
{
	while (x->retired[from % x->n])
		from++;
	return from % x->n;
}

/* ---- blame ---- */

static bool is_bad(const struct tournament *x, unsigned i, uint64_t active, uint64_t sum)
{
	return x->points[i] * active * x->margin.scale > x->margin.digits * sum;
}

static unsigned fewest_points(const struct tournament *x)
{
	unsigned best = next_active(x, 0);

	for (unsigned i = 0; i < x->n; i++)
		if (!x->retired[i] && x->points[i] < x->points[best])
			best = i;
	return best;
}

static void retire(struct tournament *x, uint64_t sum)
{
	bool bad[MEMBERS] = {0};
	unsigned active = 0, left = 0, spared = fewest_points(x);

	for (unsigned i = 0; i < x->n; i++)
		active += !x->retired[i];
	for (unsigned i = 0; i < x->n; i++) {
		bad[i] = !x->retired[i] && is_bad(x, i, active, sum);
		left += !x->retired[i] && !bad[i];
	}
	if (left == 0)
		bad[spared] = false;
	for (unsigned i = 0; i < x->n; i++)
		x->retired[i] |= bad[i];
	memset(x->points, 0, sizeof(x->points));
	x->victim_turn = next_active(x, x->victim_turn);
	x->candidate_turn = next_active(x, x->candidate_turn);
}

static void blame(struct tournament *x, unsigned i)
{
	uint64_t sum = 0;

	x->points[i]++;
	for (unsigned k = 0; k < x->n; k++)
		sum += x->points[k];
	if (sum > x->window)
		retire(x, sum);
}

/* ---- events ---- */

static void full(struct evictor *e)
{
	EACH_MEMBER(e, m)
	if (m->how->full)
		m->how->full(m);
}

static void fault(struct evictor *e, uint32_t c)
{
	if (state(e, c)->cause)
		blame(e->own, state(e, c)->cause - 1);
	state(e, c)->cause = 0;
	EACH_MEMBER(e, m)
	if (m->how->fault)
		m->how->fault(m, c);
}

static void evicted(struct evictor *e, uint32_t c, bool unused)
{
	EACH_MEMBER(e, m)
	if (m->how->evicted)
		m->how->evicted(m, c, unused);
}

static void migrated(struct evictor *e, uint32_t c, bool first_page, uint64_t pages)
{
	state(e, c)->cause = 0;
	EACH_MEMBER(e, m)
	if (m->how->migrated)
		m->how->migrated(m, c, first_page, pages);
}

static void accessed(struct evictor *e, uint32_t c, const struct access *a, bool hit)
{
	EACH_MEMBER(e, m)
	if (m->how->accessed)
		m->how->accessed(m, c, a, hit);
}

static void notice(struct evictor *e, uint32_t c)
{
	EACH_MEMBER(e, m)
	if (m->how->notice)
		m->how->notice(m, c);
}

/* ---- questions ---- */

static uint32_t victim(struct evictor *e)
{
	struct tournament *x = e->own;
	unsigned who = x->victim_turn;
	uint32_t v = x->member[who]->how->victim(x->member[who]);

	state(e, v)->cause = 1 + who;
	x->victim_turn = next_active(x, who + 1);
	return v;
}

static uint32_t candidate(struct evictor *e)
{
	struct tournament *x = e->own;

	for (unsigned i = 0; i < x->n; i++) {
		unsigned who = (x->candidate_turn + i) % x->n;
		struct evictor *m = x->member[who];
		uint32_t c;

		if (x->retired[who] || !m->how->candidate)
			continue;
		c = m->how->candidate(m);
		if (c == NONE)
			continue;
		x->candidate_turn = next_active(x, who + 1);
		return c;
	}
	return NONE;
}

const struct evict tournament_evictors[] = {
	{.name = "tournament",
	 .keys = "of window margin observe samples adapt",
	 .create = create,
	 .full = full,
	 .fault = fault,
	 .victim = victim,
	 .evicted = evicted,
	 .migrated = migrated,
	 .accessed = accessed,
	 .notice = notice,
	 .candidate = candidate},
	{0},
};
