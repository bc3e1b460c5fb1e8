#include "combinations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "core/text.h"
#include "every.h"

static int add(struct td_cli_combinations *c, const char *evict, size_t evict_len,
	       const char *prefetch, const char *place, struct tide_error *err)
{
	struct td_cli_pair pair = {.place = NULL};

	if (c->n == TD_CLI_RUNS_MAX)
		return tide_fail(err, -EINVAL,
				 "more than %d combinations: give fewer, or use tide sweep",
				 TD_CLI_RUNS_MAX);
	pair.evict = strndup(evict, evict_len);
	pair.prefetch = strdup(prefetch);
	pair.place = place ? strdup(place) : NULL;
	c->at[c->n++] = pair;
	if (!pair.evict || !pair.prefetch || (place && !pair.place))
		return tide_fail(err, -ENOMEM, "no memory for the combinations: free some");
	return 0;
}

/* What may be given, with its braces expanded. */
struct axes {
	struct td_cli_axis near_size, evict, prefetch, place, policies;
};

static int add_grid(struct td_cli_combinations *c, const struct axes *a, struct tide_error *err)
{
	size_t places = a->place.n ? a->place.n : 1;
	int rc = 0;

	for (size_t e = 0; e < a->evict.n && !rc; e++)
		for (size_t p = 0; p < a->prefetch.n && !rc; p++)
			for (size_t i = 0; i < places && !rc; i++)
				rc = add(c, a->evict.at[e], strlen(a->evict.at[e]),
					 a->prefetch.at[p], a->place.n ? a->place.at[i] : NULL,
					 err);
	return rc;
}

static int add_pair(struct td_cli_combinations *c, const char *text, struct tide_error *err)
{
	size_t n = td_cli_pair_plus(text, err);

	return n ? add(c, text, n, text + n + 1, NULL, err) : -EINVAL;
}

int td_cli_pair_take(const char *policies, struct td_cli_pair_room *room, const char **evict,
		     const char **prefetch, struct tide_error *err)
{
	size_t n = policies ? td_cli_pair_plus(policies, err) : 0;

	if (!n)
		return policies ? -EINVAL : 0;
	if (*evict || *prefetch)
		return tide_fail(err, -EINVAL,
				 "--policies names both: leave out --evict and --prefetch");
	if (n >= sizeof room->evict)
		return tide_fail(err, -EINVAL,
				 "the first policy of --policies is too long: give --evict");
	memcpy(room->evict, policies, n);
	room->evict[n] = '\0';
	*evict = room->evict;
	*prefetch = policies + n + 1;
	return 0;
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

static const struct td_cli_list *default_evict(const struct td_cli_compare_options *args)
{
	return args->place.n           ? &placed_evict
	       : args->setup.objects   ? &for_objects
	       : args->setup.model     ? &for_clocks
	       : one_page_chunks(args) ? &for_pages
				       : &for_chunks;
}

static const struct td_cli_list *given_or(const struct td_cli_list *given,
					  const struct td_cli_list *initial)
{
	return given->n ? given : initial;
}

/* What --evict all stands for, with the first of the other policies. */
static int fill_every(struct axes *a, const struct td_cli_compare_options *args,
		      struct tide_error *err)
{
	struct td_cli_setup setup = args->setup;
	struct tide_sim_options like;
	int rc = td_cli_setup(&setup, &like, err);

	if (rc)
		return rc;
	like.prefetch = a->prefetch.at[0];
	like.place = a->place.n ? a->place.at[0] : NULL;
	return td_cli_every_evict(&a->evict, "compare", &like, err);
}

static int fill(struct axes *a, const struct td_cli_compare_options *args, struct tide_error *err)
{
	const struct {
		struct td_cli_axis *axis;
		const char *option;
		const struct td_cli_list *list;
	} rows[] = {
		{&a->near_size, "near", &args->near_size},
		{&a->evict, "evict", given_or(&args->evict, default_evict(args))},
		{&a->prefetch, "prefetch",
		 given_or(&args->prefetch, args->place.n || args->setup.objects
						   ? &placed_prefetch
						   : &default_prefetch)},
		{&a->place, "place", &args->place},
		{&a->policies, "policies", &args->policies},
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof rows / sizeof *rows && !rc; i++)
		rc = td_cli_axis_fill(rows[i].axis, rows[i].option, rows[i].list, err);
	return rc ? rc : fill_every(a, args, err);
}

/* The same combinations for every size. */
static int repeat(struct td_cli_combinations *c, const struct td_cli_axis *sizes,
		  struct tide_error *err)
{
	int rc = 0;

	c->per_size = c->n;
	if (!sizes->n)
		return tide_fail(err, -EINVAL, "no size of near memory: give --near SIZE");
	for (size_t i = c->n; i < sizes->n * c->per_size && !rc; i++) {
		const struct td_cli_pair *p = &c->at[i % c->per_size];
		rc = add(c, p->evict, strlen(p->evict), p->prefetch, p->place, err);
	}
	for (size_t i = 0; i < c->n && !rc; i++) {
		c->at[i].near_size = strdup(sizes->at[i / c->per_size]);
		if (!c->at[i].near_size)
			rc = tide_fail(err, -ENOMEM, "no memory for the sizes: give fewer");
	}
	return rc;
}

static int combine(const struct td_cli_compare_options *args, const struct axes *a,
		   struct td_cli_combinations *out, struct tide_error *err)
{
	bool grid = args->evict.n || args->prefetch.n || args->place.n || !args->policies.n;
	int rc = grid ? add_grid(out, a, err) : 0;

	if (!rc && args->place.n && args->policies.n)
		return tide_fail(err, -EINVAL,
				 "--policies and --place do not go together: leave one out");
	for (size_t i = 0; i < a->policies.n && !rc; i++)
		rc = add_pair(out, a->policies.at[i], err);
	return rc ? rc : repeat(out, &a->near_size, err);
}

int td_cli_combinations(const struct td_cli_compare_options *args, struct td_cli_combinations *out,
			struct tide_error *err)
{
	struct axes a = {{0}, {0}, {0}, {0}, {0}};
	int rc = fill(&a, args, err);

	out->n = out->per_size = 0;
	if (!rc)
		rc = combine(args, &a, out, err);
	td_cli_axis_free(&a.near_size);
	td_cli_axis_free(&a.evict);
	td_cli_axis_free(&a.prefetch);
	td_cli_axis_free(&a.place);
	td_cli_axis_free(&a.policies);
	return rc;
}

void td_cli_combinations_free(struct td_cli_combinations *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->at[i].near_size);
		free(c->at[i].evict);
		free(c->at[i].prefetch);
		free(c->at[i].place);
	}
	c->n = 0;
}
