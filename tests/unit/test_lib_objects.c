/* Objects with sizes and costs through the library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tide/tide.h"

static const struct tide_sim_options objects = {
	.size = sizeof objects, .near_size = "10K", .objects = true};

static void push(struct tide_sim *sim, uint64_t page, uint64_t bytes, uint64_t cost)
{
	struct tide_event event = {
		.size = sizeof event, .page = page, .bytes = bytes, .cost = cost};

	assert_int_equal(tide_sim_access(sim, &event, NULL), 0);
}

static json_t *document_of(struct tide_sim *sim)
{
	char *text = NULL;

	assert_int_equal(tide_sim_json(sim, &text, NULL), 0);
	json_t *o = json_loads(text, 0, NULL);
	assert_non_null(o);
	free(text);
	return o;
}

static void pushed_objects_have_sizes(void **state)
{
	struct tide_counts c = {.size = sizeof c};
	struct tide_sim *sim;

	(void)state;
	assert_int_equal(tide_sim_open(&sim, &objects, NULL), 0);
	push(sim, 1, 3000, 5);
	push(sim, 2, 6000, 7);
	push(sim, 1, 3000, 5);
	push(sim, 3, 0, 0);     /* a page of 4096 bytes: 2 leaves */
	push(sim, 1, 1, 1);     /* as it came in: 3000 and 5 */
	push(sim, 4, 10241, 9); /* too large: nothing leaves */
	push(sim, 3, 0, 0);
	assert_int_equal(tide_sim_counts(sim, &c, NULL), 0);
	assert_int_equal(c.hits, 3);
	assert_int_equal(c.faults, 4);
	assert_int_equal(c.bypassed, 1);
	assert_int_equal(c.evicted_chunks, 1);
	assert_int_equal(c.hit_bytes, 3000 + 3000 + 4096);
	assert_int_equal(c.fault_bytes, 3000 + 6000 + 4096 + 10241);
	assert_int_equal(c.hit_cost, 5 + 5 + 1);
	assert_int_equal(c.fault_cost, 5 + 7 + 1 + 9);
	json_t *o = document_of(sim), *config = json_object_get(o, "config");
	assert_int_equal(json_integer_value(json_object_get(config, "near_bytes")), 10240);
	assert_int_equal(json_integer_value(json_object_get(config, "near_pages")), 3);
	assert_string_equal(json_string_value(json_object_get(config, "evict")), "lru");
	json_decref(o);
	tide_sim_close(sim);
}

/* A share is one of all sizes; without sizes every object is a page. */
static void shares_are_of_all_sizes(void **state)
{
	static const char *const near[] = {"25%", "102400", "100K", "25p"};
	struct tide_counts c[4], pages = {.size = sizeof pages};
	struct tide_sim_options o = {.size = sizeof o,
				     .workload = "zipf:pages=100,accesses=5000",
				     .evict = "lfu",
				     .prefetch = "none",
				     .chunk = "1p",
				     .near_size = "25p"};
	struct tide_sim *sim;

	(void)state;
	assert_int_equal(tide_sim_open(&sim, &o, NULL), 0);
	assert_int_equal(tide_sim_run(sim, NULL, NULL, NULL), 0);
	assert_int_equal(tide_sim_counts(sim, &pages, NULL), 0);
	tide_sim_close(sim);
	o.objects = true;
	for (size_t i = 0; i < 4; i++) {
		o.near_size = near[i];
		c[i].size = sizeof c[i];
		assert_int_equal(tide_sim_open(&sim, &o, NULL), 0);
		assert_int_equal(tide_sim_run(sim, NULL, NULL, NULL), 0);
		assert_int_equal(tide_sim_counts(sim, &c[i], NULL), 0);
		assert_int_equal(c[i].hits, pages.hits);
		assert_int_equal(c[i].hit_bytes, pages.hits * 4096);
		tide_sim_close(sim);
	}
}

/* ---- curves ---- */

static char path[] = "/tmp/tide-objects-XXXXXX";

static void write_trace(bool costs)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fprintf(f, costs ? "key,size,cost\n" : "key,size\n");
	for (uint64_t i = 0, seed = 3; i < 9000; i++) {
		uint64_t page =
			tide_random_next(&seed) % 200 * (tide_random_next(&seed) % 200) / 200;
		fprintf(f, "k%d,%d", (int)page, (int)(page * 37 % 90 * 100));
		fprintf(f, costs ? ",%d\n" : "\n", (int)(page % 7 + 1));
	}
	fclose(f);
}

static double share(uint64_t missed, uint64_t hit)
{
	return (double)missed / ((double)missed + (double)hit);
}

/* Every point is the run of that size. */
static void check_point(const struct tide_mrc_options *of, const struct tide_mrc *m, size_t i)
{
	struct tide_counts c = {.size = sizeof c};
	char near[32];
	struct tide_sim_options o = {.size = sizeof o,
				     .trace = of->trace,
				     .format = of->format,
				     .evict = of->policy,
				     .near_size = near,
				     .objects = true};
	struct tide_sim *sim;

	snprintf(near, sizeof near, "%llu", (unsigned long long)m->objects[i].near_bytes);
	assert_int_equal(tide_sim_open(&sim, &o, NULL), 0);
	assert_int_equal(tide_sim_run(sim, NULL, NULL, NULL), 0);
	assert_int_equal(tide_sim_counts(sim, &c, NULL), 0);
	tide_sim_close(sim);
	assert_int_equal(m->at[i].misses, c.faults);
	assert_true(m->at[i].miss_ratio == share(c.faults, c.hits));
	assert_true(m->objects[i].byte_miss_ratio == share(c.fault_bytes, c.hit_bytes));
	assert_true(m->objects[i].cost_miss_ratio == share(c.fault_cost, c.hit_cost));
	assert_int_equal(m->at[i].size_pages, (m->objects[i].near_bytes + 4095) / 4096);
}

static void check_curve(const char *policy, const char *sizes, size_t n, bool costs)
{
	struct tide_mrc_options o = {.size = sizeof o,
				     .trace = path,
				     .format = "csv",
				     .policy = policy,
				     .sizes = sizes,
				     .sample = "auto",
				     .objects = true};
	struct tide_error err = {0};
	struct tide_mrc *m;
	bool differs = false;

	if (tide_mrc_run(&m, &o, NULL, NULL, &err))
		fail_msg("%s", err.text);
	assert_int_equal(m->n, n);
	for (size_t i = 0; i < n; i++) {
		assert_true(!i || m->objects[i].near_bytes > m->objects[i - 1].near_bytes);
		check_point(&o, m, i);
		differs |= m->objects[i].cost_miss_ratio != m->at[i].miss_ratio;
	}
	assert_int_equal(differs, costs);
	if (n == 5)
		assert_int_equal(m->objects[4].near_bytes, m->object_bytes);
	free(m);
}

static void points_are_runs(void **state)
{
	(void)state;
	for (int costs = 0; costs < 2; costs++) {
		write_trace(costs);
		check_curve("lru", "5", 5, costs);
		check_curve("gdsf", "10%,64K,30p,1", 4, costs);
		check_curve("random", "40%,40%,20%", 2, costs);
	}
}

static void refuse_curve(struct tide_mrc_options o, const char *why)
{
	struct tide_error err = {0};
	struct tide_mrc *m = NULL;

	o.size = sizeof o;
	o.objects = true;
	o.workload = "zipf:pages=100,accesses=1000";
	assert_int_equal(tide_mrc_run(&m, &o, NULL, NULL, &err), -EINVAL);
	if (!strstr(err.text, why))
		fail_msg("%s, not: %s", err.text, why);
}

static void what_curves_exclude_is_refused(void **state)
{
	(void)state;
	refuse_curve((struct tide_mrc_options){.sample = "0.5"}, "leave out `sample`");
	refuse_curve((struct tide_mrc_options){.policy = "vmin"}, "pages of one size");
	refuse_curve((struct tide_mrc_options){.policy = "opt"}, "not made for objects");
	refuse_curve((struct tide_mrc_options){.sizes = "18446744073709551615p"}, "no size");
}

/* Sizes that no machine has are told, and no size is rounded. */
static void huge_objects_have_no_curve(void **state)
{
	struct tide_mrc_options o = {
		.size = sizeof o, .trace = path, .format = "csv", .objects = true};
	struct tide_error err = {0};
	struct tide_mrc *m;
	FILE *f = fopen(path, "w");

	(void)state;
	fprintf(f, "key,size\na,18446744073709551615\nb,5\n");
	fclose(f);
	assert_int_equal(tide_mrc_run(&m, &o, NULL, NULL, &err), -EOVERFLOW);
	assert_non_null(strstr(err.text, "8 PiB"));
}

static void refuse(struct tide_sim_options o, const char *why)
{
	struct tide_error err = {0};
	struct tide_sim *sim = NULL;

	assert_int_equal(tide_sim_open(&sim, &o, &err), -EINVAL);
	if (!strstr(err.text, why))
		fail_msg("%s, not: %s", err.text, why);
}

static void what_objects_exclude_is_refused(void **state)
{
	struct tide_sim_options o = objects;

	(void)state;
	o.workload = "zipf";
	o.model = "h200";
	refuse(o, "`objects` and `model`");
	o.model = NULL, o.split = "stream";
	refuse(o, "`objects` and `split`");
	o.split = NULL, o.log = "/dev/null";
	refuse(o, "`objects` and `log`");
	o.log = NULL, o.replace_invalid = true;
	refuse(o, "`objects` and `replace_invalid`");
	o.replace_invalid = false, o.prefetch = "tree";
	refuse(o, "`prefetch` none");
	o.prefetch = NULL, o.chunk = "64K";
	refuse(o, "chunks of one page");
	o.chunk = NULL, o.evict = "opt";
	refuse(o, "evict policy opt is not made for objects of several sizes");
	o.evict = NULL, o.near_size = "18446744073709551615p";
	refuse(o, "too large");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pushed_objects_have_sizes),
		cmocka_unit_test(shares_are_of_all_sizes),
		cmocka_unit_test(what_objects_exclude_is_refused),
		cmocka_unit_test(points_are_runs),
		cmocka_unit_test(what_curves_exclude_is_refused),
		cmocka_unit_test(huge_objects_have_no_curve),
	};
	int fd = mkstemp(path), failed;

	assert_true(fd >= 0);
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
