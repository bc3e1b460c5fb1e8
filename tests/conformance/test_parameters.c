/* Every policy with every parameter at its least and at its most, one by one and all at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "suite.h"

static void run_spec(const struct tide_policy *policy, const char *spec)
{
	static const size_t near_sizes[] = {0, 2, 3}; /* one chunk, 10 %, 50 % */
	bool evicts = policy->role == TIDE_EVICT;

	for (size_t i = 0; i < SHAPES * CHUNK_SIZES * 3; i++) {
		const struct shape *shape = &suite_shapes[i % SHAPES];
		uint32_t chunk_pages = suite_chunk_pages[i / SHAPES % CHUNK_SIZES];
		struct combination c = {
			.evict = evicts ? spec : "lru",
			.prefetch = !evicts ? spec
				    : i % 3 ? "none"
					    : "sequential:n=60",
			.shape = shape,
			.chunk_pages = chunk_pages,
			.near_pages = suite_near_pages(near_sizes[i / SHAPES / CHUNK_SIZES], shape,
						       chunk_pages),
		};
		if (!suite_fits(policy, chunk_pages))
			continue;
		struct result r = suite_run(&c);
		suite_check(&c, &r);
	}
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

static void run_one_by_one(const struct tide_policy *policy)
{
	for (const struct tide_param *p = policy->params; p && p->name; p++) {
		for (int most = 0; most < 2; most++) {
			char spec[512];
			size_t used = (size_t)snprintf(spec, sizeof spec, "%s", policy->name);
			if (p->type == TIDE_PARAM_TEXT)
				continue;
			write_param(spec + used, sizeof spec - used, p, most, ':');
			run_spec(policy, spec);
		}
	}
}

static void run_all_at_once(const struct tide_policy *policy, bool most)
{
	char spec[512], before = ':';
	size_t used = (size_t)snprintf(spec, sizeof spec, "%s", policy->name);

	for (const struct tide_param *p = policy->params; p && p->name; p++) {
		if (p->type == TIDE_PARAM_TEXT)
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

	return failed + suite_per_policy(TIDE_PREFETCH, test_policy);
}
