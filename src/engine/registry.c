#include "registry.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#include "core/params.h"
#include "core/text.h"

const char *td_policy_role_name(enum tide_role role)
{
	static const char *const names[] = {"evict", "prefetch", "place"};
	return names[role];
}

static const struct tide_policy *find(const char *name, size_t n, enum tide_role role)
{
	for (const struct tide_policy *const *p = td_policy_table; *p; p++) {
		if ((*p)->role == role && strlen((*p)->name) == n && !memcmp((*p)->name, name, n))
			return *p;
	}
	return NULL;
}

/* Names that other simulators and papers have for ours. */
static const char *other_name(const char *name)
{
	static const char *const names[][2] = {
		{"belady", "opt"},          {"beladys", "opt"}, {"min", "opt"},
		{"optimal", "opt"},         {"lru2", "lru-k"},  {"tinylfu", "wtinylfu"},
		{"second-chance", "clock"}, {"twoq", "2q"},
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (!strcasecmp(names[i][0], name))
			return names[i][1];
	}
	return NULL;
}

/* What is wrong can be told by its look: parameters behind a comma, several names, a file. */
static int misspelt(const char *name, enum tide_role role, struct tide_error *err)
{
	const char *what = td_policy_role_name(role), *end = strrchr(name, '.');
	struct td_core_word meant = td_core_spec_meant(name);
	if (*meant.text)
		return tide_fail(err, -EINVAL,
				 "no %s policy %s: parameters follow a colon, write %s", what, name,
				 meant.text);
	if (td_core_spec_is_list(name))
		return tide_fail(err, -EINVAL,
				 "no %s policy %s: give one; tide compare, tide mrc and tide sweep "
				 "take several, as '{%s}'",
				 what, name, name);
	if (end && !strcmp(end, ".so"))
		return tide_fail(err, -EINVAL,
				 "no %s policy %s: a file is written with its folder, ./%s", what,
				 name, name);
	return 0;
}

static int fail_role(const char *name, enum tide_role role, const char *all, struct tide_error *err)
{
	for (int other = 0; other < 3; other++) {
		if (find(name, strlen(name), (enum tide_role)other))
			return tide_fail(err, -EINVAL,
					 "%s is a policy for `%s`, not for `%s`: known ones are%s",
					 name, td_policy_role_name((enum tide_role)other),
					 td_policy_role_name(role), all);
	}
	return 0;
}

static int unknown(const char *name, enum tide_role role, struct tide_error *err)
{
	const char *known[256], *near;
	char all[300] = "";
	size_t n = 0, used = 0;
	for (const struct tide_policy *const *p = td_policy_table; *p && n < 256; p++) {
		if ((*p)->role != role)
			continue;
		known[n++] = (*p)->name;
		int len = snprintf(all + used, sizeof all - used, " %s", (*p)->name);
		used += (size_t)len < sizeof all - used ? (size_t)len : 0;
	}
	int rc = fail_role(name, role, all, err);
	if (!rc)
		rc = misspelt(name, role, err);
	if (rc)
		return rc;
	near = role == TIDE_EVICT ? other_name(name) : NULL;
	near = near ? near : td_core_nearest(name, known, n);
	if (near)
		return tide_fail(err, -EINVAL, "no %s policy %s: did you mean %s? known ones are%s",
				 td_policy_role_name(role), name, near, all);
	return tide_fail(err, -EINVAL, "no %s policy %s: known ones are%s",
			 td_policy_role_name(role), name, all);
}

#define DEPTH_MOST 4 /* of policies inside policies: one may name itself */

static int choose(struct td_policy_choice *out, const struct tide_policy *const *own,
		  const char *spec, enum tide_role role, unsigned depth, struct tide_error *err);

/* The policies that a parameter names, "a+b:key=value+c". */
static int choose_members(struct td_policy_choice *out, const char *list, enum tide_role role,
			  unsigned depth, struct tide_error *err)
{
	struct tide_members *m = calloc(1, sizeof *m);
	const size_t most = sizeof m->at / sizeof *m->at;
	char *copy = strdup(list), *rest = copy;
	int rc = 0;
	out->member_value = m;
	out->members = calloc(most, sizeof *out->members);
	if (!m || !copy || !out->members)
		rc = tide_fail(err, -ENOMEM, "out of memory");
	else if (depth == DEPTH_MOST)
		rc = tide_fail(err, -EINVAL,
			       "%s policy %s is inside %u others: does one of them name itself?",
			       td_policy_role_name(role), out->policy->name, DEPTH_MOST);
	while (!rc && rest) {
		char *spec = strsep(&rest, "+");
		if (m->n == most)
			rc = tide_fail(err, -EINVAL,
				       "%s policy %s takes at most %zu policies: name fewer",
				       td_policy_role_name(role), out->policy->name, most);
		else if (!*spec)
			rc = tide_fail(err, -EINVAL,
				       "%s policy %s has an empty name in %s: write a+b+c",
				       td_policy_role_name(role), out->policy->name, list);
		if (!rc)
			rc = choose(&out->members[m->n], NULL, spec, role, depth + 1, err);
		if (!rc) {
			m->at[m->n].policy = out->members[m->n].policy;
			m->n++;
		}
	}
	free(copy);
	return rc;
}

static int choose_all_members(struct td_policy_choice *out, enum tide_role role, unsigned depth,
			      struct tide_error *err)
{
	const struct tide_param *row = out->policy->params;
	int rc = 0;
	for (size_t i = 0; row && row[i].name && !rc; i++) {
		if (row[i].type != TIDE_PARAM_POLICIES || out->members)
			continue;
		rc = choose_members(out, out->values[i].text, role, depth, err);
		out->values[i].members = out->member_value;
	}
	return rc;
}

static void add_needs(struct td_policy_choice *out)
{
	const struct tide_policy *p = out->policy;
	out->needs = p->needs_with ? p->needs_with(out->values) : p->needs;
	for (unsigned i = 0; out->members && i < out->member_value->n; i++)
		out->needs |= out->members[i].needs;
	/* What members can do, the policy around them need not be able to. */
	if (!(p->needs & TIDE_TAKES_SIZES))
		out->needs &= ~(unsigned)TIDE_TAKES_SIZES;
}

/* A policy of the program has this name, as far as it can be read: td_policy_adopt() looks closer.
 */
static const struct tide_policy *find_own(const struct tide_policy *const *own, const char *name,
					  enum tide_role role)
{
	for (; own && *own; own++) {
		if ((*own)->role == role && (*own)->name && !strcmp((*own)->name, name))
			return *own;
	}
	return NULL;
}

static int find_any(struct td_policy_choice *out, const struct tide_policy *const *own,
		    const char *name, enum tide_role role, struct tide_error *err)
{
	const struct tide_policy *mine = find_own(own, name, role);
	if (mine)
		return td_policy_adopt(out, mine, name, role, err);
	if (strchr(name, '/'))
		return td_policy_load(out, name, role, err);
	out->policy = find(name, strlen(name), role);
	return out->policy ? 0 : unknown(name, role, err);
}

static int choose(struct td_policy_choice *out, const struct tide_policy *const *own,
		  const char *spec, enum tide_role role, unsigned depth, struct tide_error *err)
{
	*out = (struct td_policy_choice){0};
	char *name = strndup(spec, td_core_spec_name(spec));
	if (!name)
		return tide_fail(err, -ENOMEM, "out of memory");
	int rc = find_any(out, own, name, role, err);
	free(name);
	if (!rc) {
		char who[80];
		snprintf(who, sizeof who, "%s policy %s", td_policy_role_name(role),
			 out->policy->name);
		rc = td_core_params(out->policy->params, spec, who, &out->values, err);
	}
	if (!rc)
		rc = choose_all_members(out, role, depth, err);
	if (!rc)
		add_needs(out);
	if (rc)
		td_policy_release(out);
	return rc;
}

int td_policy_choose(struct td_policy_choice *out, const char *spec, enum tide_role role,
		     struct tide_error *err)
{
	return choose(out, NULL, spec, role, 0, err);
}

int td_policy_choose_own(struct td_policy_choice *out, const struct tide_policy *const *own,
			 const char *spec, enum tide_role role, struct tide_error *err)
{
	return choose(out, own, spec, role, 0, err);
}

bool td_policy_is_built_in(const struct td_policy_choice *choice)
{
	unsigned n = choice->member_value ? choice->member_value->n : 0;
	bool own = !choice->copy;
	for (unsigned i = 0; i < n; i++)
		own &= td_policy_is_built_in(&choice->members[i]);
	return own;
}

void td_policy_release(struct td_policy_choice *choice)
{
	for (unsigned i = 0; choice->members && i < choice->member_value->n; i++)
		td_policy_release(&choice->members[i]);
	free(choice->members);
	free(choice->member_value);
	free(choice->values);
	free(choice->copy);
	if (choice->object)
		dlclose(choice->object);
	*choice = (struct td_policy_choice){0};
}
