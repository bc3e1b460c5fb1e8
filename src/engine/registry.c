#include "registry.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

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

static int unknown(const char *name, enum tide_role role, struct tide_error *err)
{
	const char *known[256];
	char all[300] = "";
	size_t n = 0, used = 0;
	for (const struct tide_policy *const *p = td_policy_table; *p && n < 256; p++) {
		if ((*p)->role != role)
			continue;
		known[n++] = (*p)->name;
		int len = snprintf(all + used, sizeof all - used, " %s", (*p)->name);
		used += (size_t)len < sizeof all - used ? (size_t)len : 0;
	}
	for (int other = 0; other < 3; other++) {
		if (find(name, strlen(name), (enum tide_role)other))
			return tide_fail(err, -EINVAL,
					 "%s is a policy for `%s`, not for `%s`: known ones are%s",
					 name, td_policy_role_name((enum tide_role)other),
					 td_policy_role_name(role), all);
	}
	const char *near = td_core_nearest(name, known, n), *end = strrchr(name, '.');
	if (end && !strcmp(end, ".so"))
		return tide_fail(err, -EINVAL,
				 "no %s policy %s: a file is written with its folder, ./%s",
				 td_policy_role_name(role), name, name);
	if (near)
		return tide_fail(err, -EINVAL, "no %s policy %s: did you mean %s? known ones are%s",
				 td_policy_role_name(role), name, near, all);
	return tide_fail(err, -EINVAL, "no %s policy %s: known ones are%s",
			 td_policy_role_name(role), name, all);
}

/* More bytes of state than any policy has use for. */
#define STATE_MOST (UINT64_C(1) << 30)
#define CHUNK_MOST (UINT64_C(1) << 20)

/* What a struct of any version has, and more than one will ever have. */
#define SIZE_LEAST offsetof(struct tide_policy, needs_with)
#define SIZE_MOST 4096

/* An older struct is shorter, down to the first member that every policy has; a newer one is
 * longer, and may have nothing set that is not known here. */
static int copy_struct(struct tide_policy *to, const struct tide_policy *from, const char *path,
		       struct tide_error *err)
{
	const unsigned char *byte = (const unsigned char *)from;
	if (from->api != TIDE_POLICY_API)
		return tide_fail(err, -EINVAL,
				 "%s was built for policy api %u, this tide has %u: build it again",
				 path, from->api, TIDE_POLICY_API);
	if (from->size < SIZE_LEAST || from->size > SIZE_MOST)
		return tide_fail(err, -EINVAL,
				 "%s has a policy struct of %u bytes: set its size to "
				 "sizeof(struct tide_policy)",
				 path, from->size);
	for (uint32_t i = sizeof *to; i < from->size; i++) {
		if (byte[i])
			return tide_fail(err, -EINVAL,
					 "%s has a callback that this tide does not know: install "
					 "the tide that it was built for",
					 path);
	}
	memcpy(to, from, from->size < sizeof *to ? from->size : sizeof *to);
	to->size = sizeof *to;
	return 0;
}

/* What a shared object must have before anything of it is called. */
static int check_loaded(const struct tide_policy *p, const char *path, enum tide_role role,
			struct tide_error *err)
{
	if (!p->name || !p->summary)
		return tide_fail(err, -EINVAL, "%s has a policy without name or summary: set them",
				 path);
	if (p->role != role)
		return tide_fail(err, -EINVAL, "%s is a policy of another role: it is not for `%s`",
				 path, td_policy_role_name(role));
	if (p->state_bytes > STATE_MOST || p->chunk_bytes > CHUNK_MOST)
		return tide_fail(err, -EINVAL,
				 "%s asks for %zu bytes of state and %zu for each chunk: at most 1 "
				 "GiB and 1 MiB are given",
				 path, p->state_bytes, p->chunk_bytes);
	if (role == TIDE_EVICT && !p->pick_victim)
		return tide_fail(err, -EINVAL,
				 "%s does not answer its role's question: set pick_victim", path);
	if (role == TIDE_PLACE && !p->place_victim)
		return tide_fail(err, -EINVAL,
				 "%s does not answer its role's question: set place_victim", path);
	return 0;
}

static int load(struct td_policy_choice *out, const char *path, enum tide_role role,
		struct tide_error *err)
{
	out->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!out->object)
		return tide_fail(
			err, -EINVAL,
			"cannot load policy: %s: name a shared object that is compiled for it",
			dlerror());
	const struct tide_policy *found = dlsym(out->object, "tide_policy");
	if (!found)
		return tide_fail(
			err, -EINVAL,
			"%s is no policy: it has no symbol tide_policy, see docs/writing-a-policy.md",
			path);
	out->policy = out->copy = calloc(1, sizeof *out->copy);
	if (!out->copy)
		return tide_fail(err, -ENOMEM, "out of memory");
	int rc = copy_struct(out->copy, found, path, err);
	return rc ? rc : check_loaded(out->policy, path, role, err);
}

/* The policies that a parameter names, "a+b:key=value+c". */
static int choose_members(struct td_policy_choice *out, const char *list, enum tide_role role,
			  struct tide_error *err)
{
	struct tide_members *m = calloc(1, sizeof *m);
	const size_t most = sizeof m->at / sizeof *m->at;
	char *copy = strdup(list), *rest = copy;
	int rc = 0;
	out->member_value = m;
	out->members = calloc(most, sizeof *out->members);
	if (!m || !copy || !out->members)
		rc = tide_fail(err, -ENOMEM, "out of memory");
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
			rc = td_policy_choose(&out->members[m->n], spec, role, err);
		if (!rc) {
			m->at[m->n].policy = out->members[m->n].policy;
			m->n++;
		}
	}
	free(copy);
	return rc;
}

static int choose_all_members(struct td_policy_choice *out, enum tide_role role,
			      struct tide_error *err)
{
	const struct tide_param *row = out->policy->params;
	int rc = 0;
	for (size_t i = 0; row && row[i].name && !rc; i++) {
		if (row[i].type != TIDE_PARAM_POLICIES || out->members)
			continue;
		rc = choose_members(out, out->values[i].text, role, err);
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
}

int td_policy_choose(struct td_policy_choice *out, const char *spec, enum tide_role role,
		     struct tide_error *err)
{
	int rc;
	*out = (struct td_policy_choice){0};
	char *name = strndup(spec, td_core_spec_name(spec));
	if (!name)
		return tide_fail(err, -ENOMEM, "out of memory");
	if (strchr(name, '/')) {
		rc = load(out, name, role, err);
	} else {
		out->policy = find(name, strlen(name), role);
		rc = out->policy ? 0 : unknown(name, role, err);
	}
	free(name);
	if (!rc) {
		char who[80];
		snprintf(who, sizeof who, "%s policy %s", td_policy_role_name(role),
			 out->policy->name);
		rc = td_core_params(out->policy->params, spec, who, &out->values, err);
	}
	if (!rc)
		rc = choose_all_members(out, role, err);
	if (!rc)
		add_needs(out);
	if (rc)
		td_policy_release(out);
	return rc;
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
