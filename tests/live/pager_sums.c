/* Pages that are on their way out are brought back by a plan: tier 2 never seems to hold more than
 * the mapping.
 * usage: pager_sums FILE */
#include "pager_help.h"

#define BYTES (8 * MIB)
#define TOUCHES 4000

int main(int argc, char **argv)
{
	must(argc == 2, "usage: pager_sums FILE");
	struct tide_options o = {.size = sizeof o,
				 .near_size = "2M",
				 .chunk = "4p",
				 .evict = "random",
				 .prefetch = "sequential:n=16",
				 .storage = argv[1],
				 .inject = "delay=500us"};
	struct tide_stats stats = {.size = sizeof stats};
	struct tide *t = open_pager(&o);
	unsigned char *at = map(t, BYTES, NULL);
	uint64_t state = 1;
	for (int i = 0; i < TOUCHES; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		at[(state >> 33) % BYTES]++;
		tide_stats(t, &stats, NULL);
		must(stats.tier2_data_bytes <= BYTES && stats.tier2_bytes <= BYTES,
		     "after %d touches tier 2 holds %llu bytes", i,
		     (unsigned long long)stats.tier2_data_bytes);
	}
	close_pager(t);
	return 0;
}
