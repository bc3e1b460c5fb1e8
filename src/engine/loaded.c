/* A policy out of a shared object, or of the program. Its struct may have anything in it: all that
 * tide reads of it later is looked at here first, and nothing of it is called before. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/text.h"
#include "registry.h"

/* More bytes of state than any policy has use for. */
#define STATE_MOST (UINT64_C(1) << 30)
#define CHUNK_MOST (UINT64_C(1) << 20)

/* What a struct of any version has, and more than one will ever have. */
#define SIZE_LEAST offsetof(struct tide_policy, needs_with)
#define SIZE_MOST 4096

#define PARAMS_MOST 64 /* rows of a table of parameters */
#define NAME_MOST 63   /* bytes of a name */
#define LINE_MOST 1023 /* and of any other text */

/* ---- memory that may not be there ---- */

/* Reads memory of this process that may not be mapped: how many bytes. */
static size_t peek(void *to, const void *from, size_t n)
{
	struct iovec here = {to, n}, there = {(void *)(uintptr_t)from, n};
	ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
	if (got < 0 && errno == EFAULT)
		return 0;
	if (got < 0) /* a sandbox forbids the question */
		memcpy(to, from, n);
	return got < 0 ? n : (size_t)got;
}

/* Is it a text of so many bytes at most, in UTF-8 and on one line? It is read up to the end of a
 * page at a time: what lies behind it may be nothing. */
static bool is_text(const char *at, size_t most)
{
	char text[LINE_MOST + 1];
	size_t n = 0, got = 1;
	while (n <= most && got) {
		size_t step = 4096 - (uintptr_t)(at + n) % 4096;
		step = step <= most + 1 - n ? step : most + 1 - n;
		got = step ? peek(text + n, at + n, step) : 0;
		if (memchr(text + n, '\0', got))
			return td_core_is_line(text);
		n += got;
	}
	return false;
}

/* ---- the struct ---- */

/* An older struct is shorter, down to the first member that every policy has; a newer one is
 * longer, and may have nothing set that is not known here. */
static int copy_struct(struct tide_policy *to, const struct tide_policy *from, const char *path,
		       struct tide_error *err)
{
	unsigned char byte[SIZE_MOST];
	if (from->api != TIDE_POLICY_API)
		return tide_fail(err, -EINVAL,
				 "%s was built for policy api %u, this tide has %u: build it again",
				 path, from->api, TIDE_POLICY_API);
	if (from->size < SIZE_LEAST || from->size > SIZE_MOST ||
	    peek(byte, from, from->size) != from->size)
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

static int check_texts(const struct tide_policy *p, const char *path, struct tide_error *err)
{
	if (!p->name || !p->summary)
		return tide_fail(err, -EINVAL, "%s has a policy without name or summary: set them",
				 path);
	if (!is_text(p->name, NAME_MOST) || !*p->name)
		return tide_fail(err, -EINVAL,
				 "%s has a policy whose name is no text: give it a word of at most "
				 "%d bytes of UTF-8",
				 path, NAME_MOST);
	if (!is_text(p->summary, LINE_MOST) || (p->paper && !is_text(p->paper, LINE_MOST)))
		return tide_fail(
			err, -EINVAL,
			"%s has a policy whose summary or paper is no text: write one line "
			"of UTF-8",
			path);
	return 0;
}

static bool is_row(const struct tide_param *row)
{
	return is_text(row->name, NAME_MOST) && *row->name && row->type <= TIDE_PARAM_TRACE &&
	       (!row->initial || is_text(row->initial, LINE_MOST)) &&
	       (!row->help || is_text(row->help, LINE_MOST));
}

static int check_params(const struct tide_param *table, const char *path, struct tide_error *err)
{
	struct tide_param row;
	for (unsigned i = 0; table && i <= PARAMS_MOST; i++) {
		bool there = peek(&row, &table[i], sizeof row) == sizeof row;
		if (there && !row.name)
			return 0;
		if (i == PARAMS_MOST || !there || !is_row(&row))
			return tide_fail(err, -EINVAL,
					 "%s has a wrong row %u in its table of parameters: write "
					 "name, type and texts of one line, and end the table, of "
					 "at most %d rows, with {NULL}",
					 path, i + 1, PARAMS_MOST);
	}
	return 0;
}

static int check_role(const struct tide_policy *p, const char *path, enum tide_role role,
		      struct tide_error *err)
{
	if (role == TD_POLICY_ANY_ROLE && p->role >= TD_POLICY_ANY_ROLE)
		return tide_fail(
			err, -EINVAL,
			"%s is a policy of no role: set it to TIDE_EVICT, TIDE_PREFETCH or "
			"TIDE_PLACE",
			path);
	if (role != TD_POLICY_ANY_ROLE && p->role != role)
		return tide_fail(err, -EINVAL, "%s is a policy of another role: it is not for `%s`",
				 path, td_policy_role_name(role));
	return 0;
}

static int check_struct(const struct tide_policy *p, const char *path, struct tide_error *err)
{
	if (p->state_bytes > STATE_MOST || p->chunk_bytes > CHUNK_MOST)
		return tide_fail(err, -EINVAL,
				 "%s asks for %zu bytes of state and %zu for each chunk: at most 1 "
				 "GiB and 1 MiB are given",
				 path, p->state_bytes, p->chunk_bytes);
	if (p->role == TIDE_EVICT && !p->pick_victim)
		return tide_fail(err, -EINVAL,
				 "%s does not answer its role's question: set pick_victim", path);
	if (p->role == TIDE_PLACE && !p->place_victim)
		return tide_fail(err, -EINVAL,
				 "%s does not answer its role's question: set place_victim", path);
	return 0;
}

int td_policy_adopt(struct td_policy_choice *out, const struct tide_policy *found, const char *who,
		    enum tide_role role, struct tide_error *err)
{
	out->policy = out->copy = calloc(1, sizeof *out->copy);
	if (!out->copy)
		return tide_fail(err, -ENOMEM, "out of memory");
	int rc = copy_struct(out->copy, found, who, err);
	if (!rc)
		rc = check_texts(out->policy, who, err);
	if (!rc)
		rc = check_role(out->policy, who, role, err);
	if (!rc)
		rc = check_struct(out->policy, who, err);
	return rc ? rc : check_params(out->policy->params, who, err);
}

int td_policy_load(struct td_policy_choice *out, const char *path, enum tide_role role,
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
	return td_policy_adopt(out, found, path, role, err);
}
