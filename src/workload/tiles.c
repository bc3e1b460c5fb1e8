#include "tiles.h"

#include <math.h>

/* Block 0 is (0, 0), 1 and 2 are (0, 1) and (1, 1), 3 to 5 are column 2, and so on. */
static uint64_t place(const struct td_gpu_launch *l, uint64_t block, uint32_t *bx, uint32_t *by)
{
	uint64_t j = (uint64_t)((sqrt(8 * (double)block + 1) - 1) / 2);

	(void)l;
	/* The root may be off by its last digit. */
	while (j * (j + 1) / 2 > block)
		j--;
	while ((j + 1) * (j + 2) / 2 <= block)
		j++;
	*by = (uint32_t)j;
	*bx = (uint32_t)(block - j * (j + 1) / 2);
	return j + 1 - *bx;
}

struct td_gpu_launch td_tile_triangle(const char *kernel, uint64_t tiles, int64_t number_bytes)
{
	struct td_gpu_launch l = td_tile_grid(kernel, tiles, tiles, TD_TILE, number_bytes);

	l.blocks = tiles * (tiles + 1) / 2;
	l.place = place;
	return l;
}
