/* Every policy with every parameter at its least and at its most, one by one and all at once; with
 * a trace to learn from; and every eviction policy inside one that has members. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "suite.h"

static struct combination combine(const struct tide_policy *policy, const char *spec, size_t i)
{
	static const size_t near_sizes[] = {0, 2, 3}; /* one chunk, 10 %, 50 % */
	const struct shape *shape = &suite_shapes[i % SHAPES];
	uint32_t chunk_pages = suite_chunk_pages[i / SHAPES % CHUNK_SIZES];
	struct combination c = {
		.evict = "lru",
		.prefetch = i % 3 ? "none" : "sequential:n=60",
		.shape = shape,
		.chunk_pages = chunk_pages,
		.near_pages =
			suite_near_pages(near_sizes[i / SHAPES / CHUNK_SIZES], shape, chunk_pages),
	};

	switch (policy->role) {
	case TIDE_EVICT: c.evict = spec; break;
	case TIDE_PREFETCH: c.prefetch = spec; break;
	case TIDE_PLACE:
		c.evict = "clock";
		c.prefetch = "none";
		c.place = spec;
		c.host_pages = suite_host_pages(i % HOST_SIZES, shape);
		break;
	}
	return c;
}

static void run_spec(const struct tide_policy *policy, const char *spec)
{
	for (size_t i = 0; i < SHAPES * CHUNK_SIZES * 3; i++) {
		struct combination c = combine(policy, spec, i);
		if (!suite_fits(policy, c.chunk_pages))
			continue;
		struct result r = suite_run(&c);
		suite_check(&c, &r);
	}
}

static bool has_ends(const struct tide_param *param)
{
	return param->type == TIDE_PARAM_INT || param->type == TIDE_PARAM_REAL;
}

/* ",name=value" or ":name=value", at one end of the range. */
static size_t write_param(char *to, size_t size, const struct tide_param *param, bool most,
			  char before)
{
	double value = most ? param->max : param->min;

	if (param->type == TIDE_PARAM_INT)
		return (size_t)snprintf(to, size, "%c%s=%.0f", before, param->name, value);
	return (size_t)snprintf(to, size, "%c%s=%.17g", before, param->name, value);
}

static void run_both_ends(const struct tide_policy *policy, const struct tide_param *p)
{
	for (int most = 0; most < 2; most++) {
		char spec[512];
		size_t used = (size_t)snprintf(spec, sizeof spec, "%s", policy->name);
		write_param(spec + used, sizeof spec - used, p, most, ':');
		run_spec(policy, spec);
	}
}

/* Every policy with one other, then as many as there is room for. */
static void run_members(const struct tide_policy *policy, const struct tide_param *p)
{
	static const struct tide_policy single = {.needs = TIDE_NEEDS_PAGES};
	char spec[512], all[512];
	size_t used = (size_t)snprintf(all, sizeof all, "%s:%s=fifo", policy->name, p->name), n = 1;

	FOR_EACH_POLICY(member, TIDE_EVICT)
	{
		snprintf(spec, sizeof spec, "%s:%s=lru+%s", policy->name, p->name, member->name);
		run_spec(member->needs & TIDE_NEEDS_PAGES ? &single : policy, spec);
		if (n++ < 16)
			used += (size_t)snprintf(all + used, sizeof all - used, "+%s",
						 member->name);
	}
	assert_true(used < sizeof all);
	run_spec(&single, all);
}

static void run_trained(const struct tide_policy *policy, const struct tide_param *p)
{
	char spec[512];

	snprintf(spec, sizeof spec, "%s:%s=the shape", policy->name, p->name);
	run_spec(policy, spec);
}

static void run_one_by_one(const struct tide_policy *policy)
{
	for (const struct tide_param *p = policy->params; p && p->name; p++) {
		if (has_ends(p))
			run_both_ends(policy, p);
		else if (p->type == TIDE_PARAM_POLICIES)
			run_members(policy, p);
		else if (p->type == TIDE_PARAM_TRACE)
			run_trained(policy, p);
	}
}

static void run_all_at_once(const struct tide_policy *policy, bool most)
{
	char spec[512], before = ':';
	size_t used = (size_t)snprintf(spec, sizeof spec, "%s", policy->name);

	for (const struct tide_param *p = policy->params; p && p->name; p++) {
		if (!has_ends(p))
			continue;
		used += write_param(spec + used, sizeof spec - used, p, most, before);
		assert_true(used < sizeof spec);
		before = ',';
	}
	run_spec(policy, spec);
}

static void test_policy(const struct tide_policy *policy)
{
	run_one_by_one(policy);
	run_all_at_once(policy, false);
	run_all_at_once(policy, true);
}

int main(void)
{
	int failed = suite_per_policy(TIDE_EVICT, test_policy);

	failed += suite_per_policy(TIDE_PREFETCH, test_policy);
	return failed + suite_per_policy(TIDE_PLACE, test_policy);
}
