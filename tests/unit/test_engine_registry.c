#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "engine_help.h"

static void assert_refused(const char *spec, enum tide_role role, const char *said)
{
	struct td_policy_choice choice;
	struct tide_error err = {0};

	assert_int_equal(td_policy_choose(&choice, spec, role, &err), -EINVAL);
	if (!strstr(err.text, said))
		fail_msg("'%s' does not say '%s'", err.text, said);
	assert_null(choice.policy);
	assert_null(choice.values);
	assert_null(choice.object);
}

static void every_policy_is_found_by_its_name(void **state)
{
	(void)state;
	for (const struct tide_policy *const *p = td_policy_table; *p; p++) {
		struct td_policy_choice choice = named((*p)->name, (*p)->role);
		assert_ptr_equal(choice.policy, *p);
		td_policy_release(&choice);
		assert_null(choice.policy);
	}
}

static void the_table_is_sorted_and_whole(void **state)
{
	(void)state;
	for (const struct tide_policy *const *p = td_policy_table; *p; p++) {
		assert_int_equal((*p)->api, TIDE_POLICY_API);
		assert_int_equal((*p)->size, sizeof **p);
		assert_non_null((*p)->summary);
		assert_non_null((*p)->paper);
		assert_true((*p)->role != TIDE_EVICT || (*p)->pick_victim);
		if (p[1] && p[1]->role == (*p)->role)
			assert_true(strcmp((*p)->name, p[1]->name) < 0);
		else if (p[1])
			assert_true((*p)->role < p[1]->role);
	}
}

static void parameters_are_the_spec_or_the_default(void **state)
{
	struct td_policy_choice choice = named("tree", TIDE_PREFETCH);

	(void)state;
	assert_int_equal(choice.values[0].i, 51);
	td_policy_release(&choice);
	choice = named("tree:threshold=7", TIDE_PREFETCH);
	assert_int_equal(choice.values[0].i, 7);
	td_policy_release(&choice);
	assert_refused("tree:threshold=101", TIDE_PREFETCH, "prefetch policy tree: threshold=101");
	assert_refused("tree:treshold=7", TIDE_PREFETCH, "did you mean threshold?");
	assert_refused("lru:x=1", TIDE_EVICT, "evict policy lru has no parameter x");
}

static void unknown_names_are_refused_with_a_hint(void **state)
{
	(void)state;
	assert_refused("lur", TIDE_EVICT, "did you mean lru?");
	assert_refused("locality-stopp", TIDE_PREFETCH, "did you mean locality-stop?");
	assert_refused("", TIDE_EVICT, "known ones are");
	assert_refused("zzzzzzzzzz", TIDE_EVICT, "known ones are 2q arc");
	assert_refused("tree", TIDE_EVICT, "tree is a policy for `prefetch`, not for `evict`");
	assert_refused("lru", TIDE_PREFETCH, "lru is a policy for `evict`");
	assert_refused("none", TIDE_PLACE, "not for `place`");
}

static void what_is_no_policy_file_is_refused(void **state)
{
	(void)state;
	assert_refused("./no-such-file.so", TIDE_EVICT, "no-such-file.so");
	assert_refused("/dev/null", TIDE_EVICT, "/dev/null");
	assert_refused("/proc/self/exe", TIDE_EVICT, "/proc/self/exe");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_policy_is_found_by_its_name),
		cmocka_unit_test(the_table_is_sorted_and_whole),
		cmocka_unit_test(parameters_are_the_spec_or_the_default),
		cmocka_unit_test(unknown_names_are_refused_with_a_hint),
		cmocka_unit_test(what_is_no_policy_file_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
