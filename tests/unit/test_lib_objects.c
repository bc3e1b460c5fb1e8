/* Objects with sizes and costs through the library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
