#include "combinations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

static int add(struct td_cli_combinations *c, const char *evict, size_t evict_len,
	       const char *prefetch, const char *place, struct tide_error *err)
{
	struct td_cli_pair pair;

	if (c->n == TD_CLI_RUNS_MAX)
		return tide_fail(err, -EINVAL, "more than %d combinations: give fewer policies",
				 TD_CLI_RUNS_MAX);
	pair = (struct td_cli_pair){strndup(evict, evict_len), strdup(prefetch), place};
	c->at[c->n++] = pair;
	if (!pair.evict || !pair.prefetch)
		return tide_fail(err, -ENOMEM, "no memory for the combinations: free some");
	return 0;
}

static int add_grid(struct td_cli_combinations *c, const struct td_cli_list *evict,
		    const struct td_cli_list *prefetch, const struct td_cli_list *place,
		    struct tide_error *err)
{
	int rc = 0;

	for (size_t e = 0; e < evict->n && !rc; e++)
		for (size_t p = 0; p < prefetch->n && !rc; p++)
			for (size_t i = 0; i < place->n && !rc; i++)
				rc = add(c, evict->at[e], strlen(evict->at[e]), prefetch->at[p],
					 place->at[i], err);
	return rc;
}

/* Split at the last plus sign: values of an eviction policy may hold some. */
static int add_pair(struct td_cli_combinations *c, const char *text, struct tide_error *err)
{
	const char *plus = strrchr(text, '+');

	if (!plus || plus == text || plus[1] == '\0')
		return tide_fail(err, -EINVAL,
				 "--policies %s is no combination: write "
				 "EVICT+PREFETCH, such as lrm+tree",
				 td_cli_shown(text).text);
	return add(c, text, (size_t)(plus - text), plus + 1, NULL, err);
}

/* A chunk of one page is where the policies of cache studies work too. Sizes that cannot be
 * read are left for the library to refuse. */
static bool one_page_chunks(const struct td_cli_compare_options *args)
{
	const char *page = args->setup.page ? args->setup.page : "4K";
	const char *chunk = args->setup.chunk ? args->setup.chunk : "64K";
	uint64_t page_bytes = 0, chunk_bytes = 1;

	if (strcmp(chunk, "1p") == 0)
		return true;
	return td_core_size(page, strlen(page), &page_bytes) == 0 &&
	       td_core_size(chunk, strlen(chunk), &chunk_bytes) == 0 && page_bytes == chunk_bytes;
}

static const struct td_cli_list for_objects = {6,
					       {"fifo", "lru", "clock", "lfu", "sieve", "random"}};
static const struct td_cli_list for_pages = {
	8, {"fifo", "lrm", "lru", "clock", "lfu", "sieve", "arc", "opt"}};
static const struct td_cli_list for_chunks = {
	8, {"fifo", "lrm", "lru", "clock", "lfu", "mru", "random", "opt"}};
/* With a clock nobody knows the future. */
static const struct td_cli_list for_clocks = {
	7, {"fifo", "lrm", "lru", "clock", "lfu", "mru", "random"}};
static const struct td_cli_list default_prefetch = {1, {"tree"}};
/* With --place, which says where victims go and leaves no choice of the others. */
static const struct td_cli_list placed_evict = {1, {"clock"}}, placed_prefetch = {1, {"none"}};
static const struct td_cli_list no_place = {1, {NULL}};

int td_cli_combinations(const struct td_cli_compare_options *args, struct td_cli_combinations *out,
			struct tide_error *err)
{
	const struct td_cli_list *evict = &args->evict, *prefetch = &args->prefetch;
	const struct td_cli_list *place = &args->place;
	bool grid = evict->n || prefetch->n || place->n || !args->policies.n;
	int rc = 0;

	out->n = 0;
	if (!evict->n)
		evict = place->n                ? &placed_evict
			: args->setup.objects   ? &for_objects
			: args->setup.model     ? &for_clocks
			: one_page_chunks(args) ? &for_pages
						: &for_chunks;
	if (!prefetch->n)
		prefetch = place->n || args->setup.objects ? &placed_prefetch : &default_prefetch;
	if (grid)
		rc = add_grid(out, evict, prefetch, place->n ? place : &no_place, err);
	if (place->n && args->policies.n)
		return tide_fail(err, -EINVAL,
				 "--policies and --place do not go together: leave one out");
	for (size_t i = 0; i < args->policies.n && !rc; i++)
		rc = add_pair(out, args->policies.at[i], err);
	return rc;
}

void td_cli_combinations_free(struct td_cli_combinations *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->at[i].evict);
		free(c->at[i].prefetch);
	}
	c->n = 0;
}
