/* Pushes accesses one by one and reads the counters: a matrix is transposed by the naive loop, and
 * in tiles, under several policies. */
#include <stdio.h>
#include <tide/tide.h>

enum { N = 512, PAGE_BYTES = 4096 };

/* Where element (row, column) of matrix 0 or 1 lies, as a page number. */
static uint64_t page_of(int matrix, int row, int column)
{
	uint64_t element = ((uint64_t)matrix * N + (uint64_t)row) * N + (uint64_t)column;
	return element * sizeof(double) / PAGE_BYTES;
}

/* to[j][i] = from[i][j] */
static int move_element(struct tide_sim *sim, int i, int j, struct tide_error *err)
{
	struct tide_event load = {.size = sizeof load, .page = page_of(0, i, j)};
	struct tide_event store = {.size = sizeof store, .page = page_of(1, j, i), .write = true};
	int rc = tide_sim_access(sim, &load, err);
	return rc ? rc : tide_sim_access(sim, &store, err);
}

static int transpose(struct tide_sim *sim, int tile, struct tide_error *err)
{
	int rc = 0;
	for (int row = 0; row < N; row += tile)
		for (int column = 0; column < N; column += tile)
			for (int i = row; i < row + tile; i++)
				for (int j = column; j < column + tile && !rc; j++)
					rc = move_element(sim, i, j, err);
	return rc;
}

static int walk(const char *evict, int tile, struct tide_error *err)
{
	struct tide_sim_options options = {
		.size = sizeof options,
		.near_size = "256p", /* of the 1024 pages that both matrices have */
		.chunk = "4K",
		.evict = evict,
		.prefetch = "none",
	};
	struct tide_counts counts = {.size = sizeof counts};
	struct tide_sim *sim;
	int rc = tide_sim_open(&sim, &options, err);
	if (rc)
		return rc;
	rc = transpose(sim, tile, err);
	tide_sim_counts(sim, &counts, NULL);
	if (!rc)
		printf("%-6s %4d %9llu %9llu %9llu\n", evict, tile,
		       (unsigned long long)counts.accesses, (unsigned long long)counts.faults,
		       (unsigned long long)counts.writeback_pages);
	tide_sim_close(sim);
	return rc;
}

int main(void)
{
	static const char *const policies[] = {"lru", "lirs"};
	struct tide_error err;
	printf("evict  tile  accesses    faults writeback\n");
	for (int i = 0; i < 2; i++)
		for (int tile = N; tile >= 32; tile /= 16)
			if (walk(policies[i], tile, &err)) {
				fprintf(stderr, "walk: %s\n", err.text);
				return 1;
			}
	return 0;
}
