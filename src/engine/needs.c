/* Checks before the run that policies get the signals that they need. An error names the signal
 * that is missing, and says what to do. */
#include <errno.h>

#include "engine.h"

static unsigned missing_of(unsigned needs, unsigned gives)
{
	if (needs & gives & TIDE_TAKES_SAMPLES)
		needs &= ~(unsigned)TIDE_NEEDS_ACCESSES;
	return needs & ~gives & ~(unsigned)(TIDE_TAKES_SAMPLES | TIDE_TAKES_SIZES);
}

static int check_needs(const struct td_policy_choice *choice, const struct td_engine_config *config,
		       struct tide_error *err)
{
	const struct tide_policy *p = choice->policy;
	for (unsigned i = 0; choice->members && i < choice->member_value->n; i++) {
		int rc = check_needs(&choice->members[i], config, err);
		if (rc)
			return rc;
	}
	const char *role = td_policy_role_name(p->role), *mech = config->mechanism;
	unsigned missing = missing_of(choice->needs, config->gives);
	if (choice->needs & TIDE_NEEDS_PAGES && config->chunk_pages != 1)
		return tide_fail(
			err, -EINVAL,
			"%s policy %s works on chunks of one page: give `chunk` the size of `page`",
			role, p->name);
	if (config->sized && p->role == TIDE_EVICT && !(choice->needs & TIDE_TAKES_SIZES))
		return tide_fail(
			err, -EINVAL,
			"%s policy %s is not made for objects of several sizes: choose one that can "
			"have them, such as lru, or leave `objects` out",
			role, p->name);
	if (missing & TIDE_NEEDS_CLOCK)
		return tide_fail(err, -EINVAL,
				 "%s policy %s is about who moves pages and how long that takes, "
				 "and %s has no clock: give `model`, say `model` hmm",
				 role, p->name, mech);
	if (missing & TIDE_NEEDS_FUTURE)
		return tide_fail(
			err, -EINVAL,
			"%s policy %s needs the future, which only a recorded trace or a workload "
			"has: save the input to a file first",
			role, p->name);
	if (missing & TIDE_NEEDS_REFS)
		return tide_fail(
			err, -EINVAL,
			"%s policy %s needs accesses with refs, and this input has none: record "
			"them with it",
			role, p->name);
	if (missing & TIDE_NEEDS_NOTICES)
		return tide_fail(
			err, -EINVAL,
			"%s policy %s needs notices by observation, and %s gives none: choose "
			"another policy",
			role, p->name, mech);
	if (missing & TIDE_NEEDS_ACCESSES)
		return tide_fail(
			err, -EINVAL,
			"%s policy %s needs every access, and %s sees only faults: tide sim sees "
			"them all",
			role, p->name, mech);
	if (missing & TIDE_NEEDS_REMOTE)
		return tide_fail(
			err, -EINVAL,
			"%s policy %s leaves pages where they are and counts accesses to them, and "
			"%s brings in what is touched: tide sim does both",
			role, p->name, mech);
	if (missing & TIDE_NEEDS_TOUCHED)
		return tide_fail(
			err, -EINVAL,
			"%s policy %s needs to know which pages were touched, and %s moves chunks "
			"whole: give `mapping` exact",
			role, p->name, mech);
	if (missing)
		return tide_fail(
			err, -EINVAL,
			"%s policy %s needs what this tide does not know (%#x): build it with "
			"the headers of this version",
			role, p->name, missing);
	return 0;
}

int td_engine_check_needs(const struct td_engine_config *config, struct tide_error *err)
{
	int rc = check_needs(&config->evict, config, err);
	if (!rc && config->prefetch.policy)
		rc = check_needs(&config->prefetch, config, err);
	if (!rc && config->place.policy)
		rc = check_needs(&config->place, config, err);
	return rc;
}
