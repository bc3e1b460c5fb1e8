/* Increments the first number of every page of a file through the buffer pool, with 1 MiB of main
 * memory and 1 MiB of device memory, whatever the file's size. usage: pool FILE */
#include <inttypes.h>
#include <stdio.h>
#include <tide/pool.h>

static int raise_all(struct tide_pool *pool, struct tide_error *err)
{
	uint64_t pages = tide_pool_bytes(pool) / tide_pool_page_bytes(pool);
	struct tide_pool_pin pin = {.size = sizeof pin};
	for (uint64_t page = 0; page < pages; page++) {
		int rc = tide_pool_get(pool, page, TIDE_POOL_WRITE, &pin, err);
		if (rc)
			return rc;
		++*(uint64_t *)pin.addr; /* the page stays there until it is put */
		tide_pool_put(pool, &pin, NULL);
	}
	return tide_pool_flush(pool, err); /* on storage when this returns 0 */
}

int main(int argc, char **argv)
{
	struct tide_pool_options options = {.size = sizeof options,
					    .path = argv[1],
					    .main_size = "1M",
					    .device_size = "1M",
					    .dedup = "auto"};
	struct tide_pool_stats stats = {.size = sizeof stats};
	struct tide_pool *pool;
	struct tide_error err;
	if (argc != 2) {
		fprintf(stderr, "usage: pool FILE\n");
		return 2;
	}
	int rc = tide_pool_open(&pool, &options, &err);
	if (!rc) {
		rc = raise_all(pool, &err);
		tide_pool_stats(pool, &stats, NULL);
		int closed = tide_pool_close(pool, rc ? NULL : &err);
		rc = rc ? rc : closed;
	}
	if (rc)
		fprintf(stderr, "pool: %s\n", err.text);
	else
		printf("%" PRIu64 " pages read, %" PRIu64 " written\n", stats.counts.tier3_reads,
		       stats.counts.tier3_writes);
	return rc ? 1 : 0;
}
