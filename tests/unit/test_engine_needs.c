/* Signals are honest: what a policy needs and cannot have is refused before the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "engine_help.h"

static tide_chunk pick_victim(void *self)
{
	(void)self;
	return TIDE_NO_CHUNK;
}

static struct tide_policy needing(unsigned needs, enum tide_role role)
{
	return (struct tide_policy){
		.api = TIDE_POLICY_API,
		.size = sizeof(struct tide_policy),
		.name = "picky",
		.role = role,
		.summary = "needs",
		.needs = needs,
		.pick_victim = pick_victim,
	};
}

static int create(struct td_engine_config *config, struct tide_error *err)
{
	struct td_engine *e = NULL;
	int rc = td_engine_create(&e, config, err);

	assert_true((rc == 0) == (e != NULL));
	td_engine_destroy(e);
	return rc;
}

static const struct {
	unsigned need;
	const char *said;
} cases[] = {
	{TIDE_NEEDS_ACCESSES, "needs every access, and a blind one sees only faults"},
	{TIDE_NEEDS_NOTICES, "needs notices by observation, and a blind one gives none"},
	{TIDE_NEEDS_REFS, "needs accesses with refs"},
	{TIDE_NEEDS_FUTURE, "needs the future"},
	{TIDE_NEEDS_REMOTE, "leaves pages where they are"},
	{TIDE_NEEDS_TOUCHED, "which pages were touched, and a blind one moves chunks whole: give "
			     "`mapping` exact"},
};

static void each_need_is_refused_in_each_role(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
		enum tide_role role = i % 2 ? TIDE_PREFETCH : TIDE_EVICT;
		struct tide_policy policy = needing(cases[i / 2].need, role);
		struct td_engine_config config = config_of(4, 8);
		struct tide_error err = {0};
		config.mechanism = "a blind one";
		config.evict = role == TIDE_EVICT ? own(&policy) : named("fifo", TIDE_EVICT);
		if (role == TIDE_PREFETCH)
			config.prefetch = own(&policy);
		config.gives = ~cases[i / 2].need;
		assert_int_equal(td_engine_check_needs(&config, &err), -EINVAL);
		assert_int_equal(create(&config, &err), -EINVAL);
		assert_non_null(strstr(err.text, cases[i / 2].said));
		assert_non_null(
			strstr(err.text, i % 2 ? "prefetch policy picky" : "evict policy picky"));
		assert_non_null(strchr(err.text, ':'));
	}
}

static void what_is_given_is_enough(void **state)
{
	struct tide_policy evict = needing(TIDE_NEEDS_ACCESSES | TIDE_NEEDS_REFS, TIDE_EVICT);
	struct tide_policy prefetch = needing(0, TIDE_PREFETCH);
	struct td_engine_config config = config_of(4, 8);

	(void)state;
	config.evict = own(&evict);
	config.prefetch = own(&prefetch);
	config.gives = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_REFS;
	assert_int_equal(create(&config, NULL), 0);
}

/* Samples stand for accesses where both sides say so; they are no need of their own, and say
 * nothing about refs. */
static void samples_may_do(void **state)
{
	static const struct {
		unsigned needs, gives;
		int rc;
	} each[] = {
		{TIDE_NEEDS_ACCESSES | TIDE_TAKES_SAMPLES, TIDE_TAKES_SAMPLES, 0},
		{TIDE_NEEDS_ACCESSES | TIDE_TAKES_SAMPLES, TIDE_NEEDS_ACCESSES, 0},
		{TIDE_NEEDS_ACCESSES | TIDE_TAKES_SAMPLES, 0, -EINVAL},
		{TIDE_NEEDS_ACCESSES, TIDE_TAKES_SAMPLES, -EINVAL},
		{TIDE_TAKES_SAMPLES, 0, 0},
		{TIDE_NEEDS_ACCESSES | TIDE_NEEDS_REFS | TIDE_TAKES_SAMPLES, TIDE_TAKES_SAMPLES,
		 -EINVAL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
		struct tide_policy evict = needing(each[i].needs, TIDE_EVICT);
		struct td_engine_config config = config_of(1, 8);
		config.evict = own(&evict);
		config.gives = each[i].gives;
		assert_int_equal(create(&config, NULL), each[i].rc);
	}
}

/* What a pager without accesses, that maps chunks whole, takes and refuses. */
static void the_policies_say_what_they_need(void **state)
{
	static const char *const taken[] = {"lrm",        "fifo", "clock",      "random",
					    "observ-lru", "cp",   "tournament", "leu:by=page"};
	static const char *const refused[] = {"mhpe", "lru", "mru", "lfu",
					      "arc",  "opt", "leu", "tournament:of=clock+lru"};
	struct td_engine_config config = config_of(1, 8);

	(void)state;
	config.gives = TIDE_NEEDS_NOTICES | TIDE_NEEDS_PAGES | TIDE_TAKES_SAMPLES;
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
		config.evict = named(taken[i], TIDE_EVICT);
		assert_int_equal(create(&config, NULL), 0);
	}
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		config.evict = named(refused[i], TIDE_EVICT);
		assert_int_equal(create(&config, NULL), -EINVAL);
	}
	config.evict = named("clock", TIDE_EVICT);
	config.place = named("reuse", TIDE_PLACE);
	assert_int_equal(create(&config, NULL), 0);
	config.evict = named("lrm", TIDE_EVICT);
	config.prefetch = named("pattern", TIDE_PREFETCH);
	assert_int_equal(create(&config, NULL), -EINVAL);
}

static void pages_are_chunks_of_one(void **state)
{
	struct tide_policy evict = needing(TIDE_NEEDS_PAGES, TIDE_EVICT);
	struct td_engine_config config = config_of(1, 8);
	struct tide_error err = {0};

	(void)state;
	config.evict = own(&evict);
	assert_int_equal(create(&config, NULL), 0);
	config = config_of(2, 8);
	config.evict = own(&evict);
	assert_int_equal(create(&config, &err), -EINVAL);
	assert_non_null(strstr(err.text, "chunks of one page"));
}

static bool has_members(const struct tide_policy *p)
{
	for (const struct tide_param *row = p->params; row && row->name; row++) {
		if (row->type == TIDE_PARAM_POLICIES)
			return true;
	}
	return false;
}

/* The simulator sees all there is. */
static void the_simulator_says_what_it_gives(void **state)
{
	(void)state;
	assert_int_equal(td_mech_functional.gives, TIDE_NEEDS_ACCESSES | TIDE_NEEDS_NOTICES |
							   TIDE_NEEDS_REFS | TIDE_NEEDS_FUTURE |
							   TIDE_NEEDS_PAGES | TIDE_NEEDS_TOUCHED |
							   TIDE_TAKES_SAMPLES | TIDE_NEEDS_REMOTE);
	/* Who passes accesses on to its members needs what they need. */
	for (const struct tide_policy *const *p = td_policy_table; *p; p++)
		assert_true(!(*p)->on_access || (*p)->needs & TIDE_NEEDS_ACCESSES ||
			    has_members(*p));
}

static int refuse(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	(void)self, (void)view, (void)values;
	return tide_fail(err, -EDOM, "not today");
}

static void a_policy_may_refuse_by_itself(void **state)
{
	struct tide_policy evict = needing(0, TIDE_EVICT);
	struct td_engine_config config = config_of(1, 8);
	struct tide_error err = {0};

	(void)state;
	evict.create = refuse;
	config.evict = own(&evict);
	config.prefetch = named("tree", TIDE_PREFETCH);
	assert_int_equal(create(&config, &err), -EDOM);
	assert_string_equal(err.text, "not today");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_need_is_refused_in_each_role),
		cmocka_unit_test(what_is_given_is_enough),
		cmocka_unit_test(samples_may_do),
		cmocka_unit_test(the_policies_say_what_they_need),
		cmocka_unit_test(pages_are_chunks_of_one),
		cmocka_unit_test(the_simulator_says_what_it_gives),
		cmocka_unit_test(a_policy_may_refuse_by_itself),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
