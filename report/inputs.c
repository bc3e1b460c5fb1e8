/* Names of inputs. A trace is its events: two traces of the same name are two inputs, and the same
 * events under two names are one. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* A result that says which trace it is of, and where: a run or a curve. */
struct of {
	uint32_t *input, *digest;
	uint64_t page_bytes, accesses;
};

/* i counts all runs, then all curves. */
static struct of result_at(const struct td_report *r, size_t i)
{
	if (i < r->n_runs) {
		struct td_report_run *run = &r->runs[i];
		return (struct of){&run->input, &run->digest, run->page_bytes,
				   run->counts[TD_REPORT_accesses]};
	}
	struct td_report_curve *c = &r->curves[i - r->n_runs];
	return (struct of){&c->input, &c->digest, c->page_bytes, c->accesses};
}

static bool has_digest(const struct td_report *r, const struct of *result)
{
	return *result->digest && *r->digests.at[*result->digest - 1];
}

/* The same name, pages and length. */
struct key {
	char text[80];
};

static struct key key_of(const struct of *result, bool with_length)
{
	struct key key;

	snprintf(key.text, sizeof key.text, "%u %" PRIu64 " %" PRIu64, *result->input,
		 result->page_bytes, with_length ? result->accesses : 0);
	return key;
}

/* The first number that was put under a key is the one to use. */
static int keep_first(json_t *map, const char *key, uint32_t *number)
{
	const json_t *known = json_object_get(map, key);

	if (!known)
		return json_object_set_new(map, key, json_integer(*number)) ? -ENOMEM : 0;
	*number = (uint32_t)json_integer_value(known);
	return 0;
}

/* The same events go by the first of their names. */
static int join_names(struct td_report *r, json_t *map)
{
	bool *moved = calloc(r->inputs.n + 1, sizeof *moved);
	int rc = moved ? 0 : -ENOMEM;

	for (size_t i = 0; i < r->n_runs + r->n_curves && !rc; i++) {
		struct of result = result_at(r, i);
		uint32_t input = *result.input;
		if (!has_digest(r, &result))
			continue;
		rc = keep_first(map, r->digests.at[*result.digest - 1], result.input);
		r->renamed += input != *result.input && !moved[input];
		moved[input] |= input != *result.input;
	}
	free(moved);
	return rc;
}

/* A trace without a digest is taken for the one of the same name and length that has one, or else
 * for one of its own. */
static int guess_digests(struct td_report *r, json_t *map)
{
	int rc = 0;

	for (size_t i = 0; i < r->n_runs + r->n_curves && !rc; i++) {
		struct of result = result_at(r, i);
		if (has_digest(r, &result))
			rc = keep_first(map, key_of(&result, true).text,
					&(uint32_t){*result.digest});
	}
	for (size_t i = 0; i < r->n_runs + r->n_curves && !rc; i++) {
		struct of result = result_at(r, i);
		char text[40];
		if (!*result.digest || has_digest(r, &result))
			continue;
		snprintf(text, sizeof text, "%" PRIu64 " accesses", result.accesses);
		rc = td_report_name(&r->digests, text, result.digest);
		++*result.digest;
		if (!rc)
			rc = keep_first(map, key_of(&result, true).text, result.digest);
	}
	return rc;
}

/* Inputs of which one name and page size mean several. */
static int find_shared(const struct td_report *r, json_t *map, bool *shared)
{
	int rc = 0;

	for (size_t i = 0; i < r->n_runs + r->n_curves && !rc; i++) {
		struct of result = result_at(r, i);
		uint32_t first = *result.digest;
		if (!first)
			continue;
		rc = keep_first(map, key_of(&result, false).text, &first);
		shared[*result.input] |= first != *result.digest;
	}
	return rc;
}

static int rename_shared(struct td_report *r, const bool *shared, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < r->n_runs + r->n_curves && !rc; i++) {
		struct of result = result_at(r, i);
		const char *digest = *result.digest ? r->digests.at[*result.digest - 1] : NULL;
		char *name;
		if (!digest || *result.input >= n || !shared[*result.input])
			continue;
		/* The beginning of a digest suffices, but not that of a length. */
		if (asprintf(&name, "%s [%.*s]", r->inputs.at[*result.input],
			     strchr(digest, ' ') ? 40 : 8, digest) < 0)
			return -ENOMEM;
		rc = td_report_name(&r->inputs, name, result.input);
		free(name);
	}
	return rc;
}

int td_report_tell_inputs(struct td_report *r)
{
	json_t *names = json_object(), *lengths = json_object(), *pages = json_object();
	size_t n = r->inputs.n;
	bool *shared = calloc(n + 1, sizeof *shared);
	int rc = names && lengths && pages && shared ? 0 : -ENOMEM;

	if (!rc)
		rc = join_names(r, names);
	if (!rc)
		rc = guess_digests(r, lengths);
	if (!rc)
		rc = find_shared(r, pages, shared);
	if (!rc)
		rc = rename_shared(r, shared, n);
	free(shared);
	json_decref(names);
	json_decref(lengths);
	json_decref(pages);
	return rc;
}
