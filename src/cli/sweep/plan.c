/* Which runs of the grid are to be made here. Sorted by the hash of their command lines they are in
 * an order that has nothing to do with the axes; shard I of N takes every Nth of it, so that the
 * shards are of one size and each has its share of the long runs. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

struct td_cli_key td_cli_key_text(XXH128_hash_t key)
{
	struct td_cli_key out;

	snprintf(out.text, sizeof out.text, "%016" PRIx64 "%016" PRIx64, (uint64_t)key.high64,
		 (uint64_t)key.low64);
	return out;
}

static bool read_half(const char *text, XXH64_hash_t *out)
{
	uint64_t value = 0;

	for (size_t i = 0; i < 16; i++) {
		const char *digit = text[i] ? strchr("0123456789abcdef", text[i]) : NULL;
		if (!digit)
			return false;
		value = value << 4 | (uint64_t)(*digit > '9' ? *digit - 'a' + 10 : *digit - '0');
	}
	*out = value;
	return true;
}

static bool read_key(const char *text, XXH128_hash_t *key)
{
	return strlen(text) == 32 && read_half(text, &key->high64) &&
	       read_half(text + 16, &key->low64);
}

static int by_key(const void *a, const void *b)
{
	const struct td_cli_planned *x = a, *y = b;
	int order = XXH128_cmp(&x->key, &y->key);

	return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b)
{
	const struct td_cli_planned *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

struct shard {
	uint64_t i, n;
};

static int read_shard(const char *text, struct shard *shard, struct tide_error *err)
{
	const char *slash = text ? strchr(text, '/') : NULL;

	*shard = (struct shard){1, 1};
	if (!text)
		return 0;
	if (slash && !td_core_u64(text, (size_t)(slash - text), &shard->i) &&
	    !td_core_u64(slash + 1, strlen(slash + 1), &shard->n) && shard->i >= 1 &&
	    shard->i <= shard->n)
		return 0;
	return tide_fail(err, -EINVAL,
			 "--shard %s is no shard: write I/N with I from 1 to N, such "
			 "as 1/8",
			 td_cli_shown(text).text);
}

static int list_all(struct td_cli_plan *plan, const struct td_cli_grid *grid,
		    struct tide_error *err)
{
	struct td_cli_text command = {0};
	int rc = 0;

	plan->at = calloc(grid->n, sizeof *plan->at);
	for (; plan->at && plan->n < grid->n && !rc; plan->n++) {
		rc = td_cli_grid_command(grid, plan->n, &command);
		plan->at[plan->n].index = (uint32_t)plan->n;
		plan->at[plan->n].key = XXH3_128bits(command.at, command.n);
	}
	free(command.at);
	if (!plan->at || rc)
		return tide_fail(err, -ENOMEM,
				 "no memory for a grid of %" PRIu64 " runs: give less", grid->n);
	plan->grid = XXH3_128bits(plan->at, plan->n * sizeof *plan->at);
	return 0;
}

/* Of what was asked for twice the first stays, and of all the shard. */
static void keep_shard(struct td_cli_plan *plan, const struct shard *shard)
{
	size_t kept = 0;
	uint64_t rank = 0;

	for (size_t i = 0; i < plan->n; i++) {
		if (i && XXH128_isEqual(plan->at[i].key, plan->at[i - 1].key))
			continue;
		if (rank++ % shard->n == shard->i - 1)
			plan->at[kept++] = plan->at[i];
	}
	plan->n = kept;
}

int td_cli_plan_make(struct td_cli_plan *plan, const struct td_cli_grid *grid, const char *shard,
		     struct tide_error *err)
{
	struct shard part;
	int rc;

	*plan = (struct td_cli_plan){0};
	rc = read_shard(shard, &part, err);
	if (!rc)
		rc = list_all(plan, grid, err);
	if (rc)
		return rc;
	qsort(plan->at, plan->n, sizeof *plan->at, by_key);
	keep_shard(plan, &part);
	return 0;
}

void td_cli_plan_free(struct td_cli_plan *plan)
{
	free(plan->at);
	plan->at = NULL;
}

static struct td_cli_planned *find(const struct td_cli_plan *plan, const XXH128_hash_t *key)
{
	size_t low = 0, high = plan->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = XXH128_cmp(&plan->at[middle].key, key);
		if (!order)
			return &plan->at[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

bool td_cli_plan_find(const struct td_cli_plan *plan, const char *key, struct td_cli_planned **run)
{
	XXH128_hash_t wanted;

	if (!read_key(key, &wanted))
		return false;
	*run = find(plan, &wanted);
	return true;
}

void td_cli_plan_mark(struct td_cli_planned *run, enum td_cli_state state)
{
	if (state >= TD_CLI_DONE || run->state < TD_CLI_DONE)
		run->state = state;
}

void td_cli_plan_count(struct td_cli_plan *plan, bool retry)
{
	for (size_t i = 0; i < plan->n; i++) {
		struct td_cli_planned *run = &plan->at[i];
		if (run->state == TD_CLI_FAILED && retry)
			run->state = TD_CLI_LEFT;
		plan->left += run->state < TD_CLI_DONE;
		plan->done += run->state == TD_CLI_DONE;
		plan->failed += run->state == TD_CLI_FAILED;
		plan->old += run->state == TD_CLI_OLD;
		plan->changed += run->state == TD_CLI_CHANGED;
		plan->rebuilt += run->state == TD_CLI_REBUILT;
	}
}

void td_cli_plan_order(struct td_cli_plan *plan)
{
	size_t kept = 0;

	for (size_t i = 0; i < plan->n; i++)
		if (plan->at[i].state < TD_CLI_DONE)
			plan->at[kept++] = plan->at[i];
	qsort(plan->at, kept, sizeof *plan->at, by_index);
}
