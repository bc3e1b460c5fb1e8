/* Policies by name: the built-in ones, and shared objects. */
#ifndef TD_ENGINE_REGISTRY_H
#define TD_ENGINE_REGISTRY_H

#include "tide/error.h"
#include "tide/policy.h"

/* Sorted by role, then name, NULL-ended; the build makes it from policies/. */
extern const struct tide_policy *const td_policy_table[];

/* A policy and the values of its parameters. */
struct td_policy_choice {
	const struct tide_policy *policy;
	union tide_value *values;
	unsigned needs; /* of enum tide_needs: its own with these values, and its members' */
	void *object;   /* the shared object it came from, NULL: built in */
	struct tide_policy
		*copy; /* of that object's or the program's struct, as this tide has it */
	/* Policies inside it: a parameter of type TIDE_PARAM_POLICIES names them. */
	struct td_policy_choice *members;
	struct tide_members *member_value; /* what that parameter's value points to */
};

/* spec: `name`, `name:key=value,..`, or a path with a slash to a shared object. */
int td_policy_choose(struct td_policy_choice *out, const char *spec, enum tide_role role,
		     struct tide_error *err);
/* The same, where the name of a policy of the program comes first. own: NULL-ended, or NULL. */
int td_policy_choose_own(struct td_policy_choice *out, const struct tide_policy *const *own,
			 const char *spec, enum tide_role role, struct tide_error *err);
/* Is it one of tide's own, with all policies inside it? */
bool td_policy_is_built_in(const struct td_policy_choice *choice);
void td_policy_release(struct td_policy_choice *choice);

#define TD_POLICY_ANY_ROLE ((enum tide_role)(TIDE_PLACE + 1))

/* loaded.c: a policy out of a shared object. What it has found stays in out if it fails. role: that
 * it must have, or TD_POLICY_ANY_ROLE. */
int td_policy_load(struct td_policy_choice *out, const char *path, enum tide_role role,
		   struct tide_error *err);
/* The same for a struct that is in memory. who: the policy, in errors. */
int td_policy_adopt(struct td_policy_choice *out, const struct tide_policy *found, const char *who,
		    enum tide_role role, struct tide_error *err);

const char *td_policy_role_name(enum tide_role role);

#endif
