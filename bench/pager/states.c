/* What the pager keeps of a chunk of 64 KiB, under every combination of policies that runs live:
 * all of it, as if every chunk had been touched. Where a policy wants chunks of one page, these
 * have 64 KiB. */
#include "states.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "tide/pager.h"
#include "tide/policy.h"
#include "tide/tide.h"

#define SPACE (64ull << 30)
#define CHUNK 65536ull
#define MOST_NAMES 64

struct kind {
	const char *tiers, *host, *host_kind;
	bool storage;
	const char *page, *evict, *prefetch, *place;
};

struct names {
	const char *at[MOST_NAMES];
	unsigned n;
};

static void list_policies(struct names *out, enum tide_role role)
{
	const struct tide_policy *p;

	out->n = 0;
	for (size_t i = 0; (p = tide_policy_at(i)) && out->n < MOST_NAMES; i++)
		if (p->role == role)
			out->at[out->n++] = p->name;
}

/* In a process of its own. faults: bytes of state; or why not. */
static void open_one(const void *arg, struct bench_result *out)
{
	const struct kind *k = arg;
	char storage[] = "/var/tmp/tide-states-XXXXXX";
	struct tide_options options = {.size = sizeof options,
				       .near_size = "1G",
				       .page = k->page,
				       .chunk = "64K",
				       .evict = k->evict,
				       .prefetch = k->prefetch,
				       .place = k->place,
				       .host = k->host,
				       .host_kind = k->host_kind};
	struct tide_error err = {0};
	struct tide_stats stats = {.size = sizeof stats};
	struct tide *t;
	void *base;
	int fd = k->storage ? mkstemp(storage) : -1;

	if (fd >= 0)
		options.storage = storage;
	if (tide_open(&t, &options, &err) || tide_map(t, &base, SPACE, NULL, &err)) {
		snprintf(out->refused, sizeof out->refused, "%s", err.text);
	} else {
		tide_stats(t, &stats, NULL);
		out->faults = stats.metadata_bytes;
	}
	if (fd >= 0)
		unlink(storage);
}

/* Bytes per chunk; 0: it does not run. */
static double ask(struct kind k)
{
	static const char *const pages[] = {"4K", "64K"};
	struct bench_result r;

	for (unsigned i = k.place ? 1 : 0; i < 2; i++) {
		k.page = pages[i];
		bench_child(open_one, &k, &r);
		if (!r.refused[0])
			return (double)r.faults / (double)(SPACE / CHUNK);
	}
	return 0;
}

/* In %. duel remembers the rival of each chunk, worth how long each page was away, and auto keeps the
 * lists of four policies. */
static double limit(const struct kind *k)
{
	if (!strcmp(k->evict, "auto"))
		return 0.13;
	return !strcmp(k->evict, "duel") || (k->place && !strcmp(k->place, "worth")) ? 0.12 : 0.1;
}

static unsigned show(const struct kind *k, FILE *results)
{
	double bytes = ask(*k), share = 100 * bytes / CHUNK;
	bool over = share >= limit(k);

	if (bytes <= 0) {
		printf(" %8s", "-");
		return 0;
	}
	printf(" %7.4f%c", share, over ? '!' : ' ');
	if (results)
		fprintf(results,
			"{\"bench\": \"pager-state\", \"tiers\": \"%s\", \"evict\": \"%s\", "
			"\"prefetch\": \"%s\", \"place\": \"%s\", \"bytes_per_chunk\": %.3f, "
			"\"share\": %.4f, \"met\": %s}\n",
			k->tiers, k->evict, k->prefetch ? k->prefetch : "",
			k->place ? k->place : "", bytes, share, over ? "false" : "true");
	return over;
}

static void head(const char *what, const struct names *columns)
{
	printf("\n%-12s", what);
	for (unsigned i = 0; i < columns->n; i++)
		printf(" %8.8s", columns->at[i]);
	putchar('\n');
}

/* One row per eviction policy, if it runs at all. */
static unsigned table(struct kind k, const struct names *columns, bool place, FILE *results)
{
	struct names evicts;
	unsigned over = 0;

	list_policies(&evicts, TIDE_EVICT);
	head(place ? "placement" : k.tiers, columns);
	for (unsigned i = 0; i < evicts.n; i++) {
		k.evict = evicts.at[i];
		k.prefetch = place ? NULL : "none";
		k.place = place ? "tier-order" : NULL;
		if (ask(k) <= 0)
			continue;
		printf("%-12s", k.evict);
		for (unsigned j = 0; j < columns->n; j++) {
			*(place ? &k.place : &k.prefetch) = columns->at[j];
			over += show(&k, results);
		}
		putchar('\n');
	}
	return over;
}

unsigned bench_states(FILE *results)
{
	static const struct kind kinds[] = {
		{.tiers = "memory"},
		{.tiers = "storage", .host = "1G", .storage = true},
		{.tiers = "lz4", .host = "1G", .host_kind = "lz4", .storage = true},
	};
	struct names prefetches, places;
	unsigned over = 0;

	list_policies(&prefetches, TIDE_PREFETCH);
	list_policies(&places, TIDE_PLACE);
	printf("\nstate of chunks of 64 KiB, %% of the address space, all of it touched; -: refused;\n"
	       "  !: 0.1 or more, with duel or worth 0.12, with auto 0.13 or more\n"
	       "  memory: tier 2 without a limit; storage, lz4: with a limit, and a file behind it\n");
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
		over += table(kinds[i], &prefetches, false, results);
	return over + table(kinds[1], &places, true, results);
}
