#include "stress.h"

/* ---- figures ---- */

#define AT_MOST(a, b) \
	must(a <= b, "%s is %llu, more than %s, %llu", #a, (unsigned long long)(a), #b, \
	     (unsigned long long)(b))

void stress_check_stats(struct stress *s)
{
	struct tide_stats now = {.size = sizeof now};
	const struct tide_counts *c = &now.counts;
	tide_stats(s->t, &now, NULL);
	/* Tier 2 may be over its limit by what is being written, or by what cannot be. */
	uint64_t over = s->write_errors ? now.near_limit_bytes : now.near_limit_bytes / 4;
	AT_MOST(now.near_bytes, now.near_limit_bytes);
	if (now.tier2_limit_bytes)
		AT_MOST(now.tier2_bytes, now.tier2_limit_bytes + over);
	must(c->hits + c->faults + c->remote_accesses - c->notices == c->accesses,
	     "%llu hits, %llu faults and %llu - %llu remote accesses are not %llu accesses",
	     (unsigned long long)c->hits, (unsigned long long)c->faults,
	     (unsigned long long)c->remote_accesses, (unsigned long long)c->notices,
	     (unsigned long long)c->accesses);
	AT_MOST(c->prefetched_pages, c->migrated_pages);
	AT_MOST(c->evicted_pages, c->migrated_pages);
	AT_MOST(c->writeback_pages, c->evicted_pages);
	AT_MOST(c->untouched_evicted_pages, c->evicted_pages);
	must(c->policy_errors == 0 && !now.ejected[0], "%llu policy errors, ejected: '%s'",
	     (unsigned long long)c->policy_errors, now.ejected);
	if (!s->write_errors)
		must(now.io_errors == 0, "%llu errors of I/O", (unsigned long long)now.io_errors);
}

/* ---- every word ---- */

static void check_words(struct stress *s, struct stress_region *r)
{
	const uint64_t *at = (const uint64_t *)(const void *)r->at;
	uint64_t sum = 0;
	for (uint64_t i = 0; i < r->words; i++) {
		if (stress_is_counter(s, i))
			sum += at[i];
		else if (at[i] != stress_value(r, i, r->shadow[i]))
			stress_wrong(s, r, i, at[i], r->shadow[i], "at the end");
	}
	must(sum == r->added, "region %llu: the counters hold %llu, and %llu was added",
	     (unsigned long long)r->id, (unsigned long long)sum, (unsigned long long)r->added);
}

/* The file holds what was written, or where that was private, what it always did. */
static void check_file(struct stress *s, struct stress_region *r, const char *when)
{
	uint64_t *held = malloc(r->bytes), sum = 0;
	int fd = open(r->path, O_RDONLY);
	struct stat st;
	must(held && fd >= 0, "%s: %s", r->path, strerror(errno));
	must(fstat(fd, &st) == 0 && (uint64_t)st.st_size == r->bytes,
	     "%s: %s has %lld bytes, not %zu", when, r->path, (long long)st.st_size, r->bytes);
	for (size_t n = 0; n < r->bytes;) {
		ssize_t got = pread(fd, (char *)held + n, r->bytes - n, (off_t)n);
		must(got > 0, "%s: %s", r->path, strerror(errno));
		n += (size_t)got;
	}
	for (uint64_t i = 0; i < r->words; i++) {
		uint32_t shadow = r->kind == STRESS_SHARED ? (uint32_t)r->shadow[i] : 0;
		if (stress_is_counter(s, i))
			sum += held[i];
		else if (held[i] != stress_value(r, i, shadow))
			stress_wrong(s, r, i, held[i], shadow, when);
	}
	must(sum == (r->kind == STRESS_SHARED ? (uint64_t)r->added : 0), "%s: counters of %s", when,
	     r->path);
	must(!memcmp((char *)held + r->words * 8, "odd end", r->bytes % 8), "the end of %s",
	     r->path);
	close(fd);
	free(held);
}

static void check_files(struct stress *s, const char *when)
{
	for (unsigned i = 0; i < s->regions; i++)
		if (s->region[i].path[0])
			check_file(s, &s->region[i], when);
}

/* With failing writes, what failed is written by the next sync, or the one after. */
static void sync_all(struct stress *s)
{
	struct tide_error err;
	int rc = 0;
	for (int tries = 0; tries < (s->write_errors ? 200 : 1); tries++)
		if (!(rc = tide_sync(s->t, NULL, 0, &err)))
			break;
	must(rc == 0, "tide_sync at the end: %s", err.text);
}

void stress_finish(struct stress *s)
{
	struct tide_error err;
	for (unsigned i = 0; i < s->regions; i++)
		check_words(s, &s->region[i]);
	stress_check_stats(s);
	sync_all(s);
	check_files(s, "after tide_sync");
	must(tide_close(s->t, &err) == 0, "tide_close: %s", err.text);
	s->t = NULL;
	check_files(s, "after tide_close");
}
