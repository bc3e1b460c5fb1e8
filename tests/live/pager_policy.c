/* A program under a policy of somebody else's: it writes a shared file, syncs it, and then uses
 * more memory than is near, for which the policy is asked. Says what became of the policy.
 * usage: pager_policy POLICY SERVICE FILE */
#include "pager_help.h"

int main(int argc, char **argv)
{
	must(argc == 4, "usage: pager_policy POLICY SERVICE FILE");
	struct tide_options o = {.size = sizeof o,
				 .near_size = "1M",
				 .chunk = "4p",
				 .prefetch = "none",
				 .evict = argv[1],
				 .service = argv[2],
				 .watchdog = "1s"};
	struct tide_map_options how = {.size = sizeof how, .path = argv[3], .shared = true};
	struct tide_error err;
	struct tide_stats stats = {.size = sizeof stats};
	make_file(argv[3], 256 * KIB);
	struct tide *t = open_pager(&o);
	uint64_t *file = map(t, 0, &how), *words = map(t, 8 * MIB, NULL);
	for (size_t i = 0; i < 256 * KIB / 8; i++)
		file[i] = word_value(i, 1);
	must(tide_sync(t, NULL, 0, &err) == 0, "tide_sync: %s", err.text);
	printf("synced\n");
	fflush(stdout);
	for (size_t i = 0; i < 8 * MIB / 8; i += 64)
		words[i] = word_value(i, 2);
	for (size_t i = 0; i < 8 * MIB / 8; i += 64)
		must(words[i] == word_value(i, 2), "word %zu is wrong", i);
	tide_stats(t, &stats, NULL);
	close_pager(t);
	printf("ejected %s, at work %s, %llu errors\n", stats.ejected, stats.evict,
	       (unsigned long long)stats.counts.policy_errors);
	return 0;
}
