/* Fills memory four times as large as near memory, reads it again, and prints what that took. */
#include <stdio.h>
#include <tide/pager.h>

enum { WORDS = 8 << 20 }; /* 64 MiB */

static int use(struct tide *pager, struct tide_error *err)
{
	void *memory;
	size_t wrong = 0;
	int rc = tide_map(pager, &memory, WORDS * sizeof(uint64_t), NULL, err);
	if (rc)
		return rc;
	uint64_t *word = memory;
	for (size_t i = 0; i < WORDS; i++)
		word[i] = tide_hash64(i);
	for (size_t i = 0; i < WORDS; i++)
		wrong += word[i] != tide_hash64(i);
	printf("%zu of %d words are wrong\n", wrong, WORDS);
	return wrong ? tide_fail(err, -1, "memory is not what was written to it") : 0;
}

static void say(struct tide *pager)
{
	struct tide_stats s = {.size = sizeof s};
	tide_stats(pager, &s, NULL);
	printf("%llu MiB mapped, %llu of %llu MiB near, %llu MiB in tier 2\n",
	       (unsigned long long)s.mapped_bytes >> 20, (unsigned long long)s.near_bytes >> 20,
	       (unsigned long long)s.near_limit_bytes >> 20,
	       (unsigned long long)s.tier2_bytes >> 20);
	printf("%llu faults, %llu chunks evicted, %llu ms stalled\n",
	       (unsigned long long)s.counts.faults, (unsigned long long)s.counts.evicted_chunks,
	       (unsigned long long)s.stalled_ns / 1000000);
}

int main(void)
{
	struct tide_options options = {.size = sizeof options, .near_size = "16M", .evict = "lrm"};
	struct tide_error err;
	struct tide *pager;
	int rc = tide_open(&pager, &options, &err);
	if (!rc) {
		rc = use(pager, &err);
		say(pager);
		tide_close(pager, NULL);
	}
	if (rc)
		fprintf(stderr, "pager: %s\n", err.text);
	return rc ? 1 : 0;
}
