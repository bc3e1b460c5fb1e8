#include "app_hotspot.h"

#include <math.h>

#include "plan.h"

static void fill_power(const struct td_app_shape *s, uint64_t first, uint64_t n, void *to)
{
	float *cell = to;

	for (uint64_t i = 0; i < n; i++)
		cell[i] = td_app_draw_unit(s, TD_HOTSPOT_POWER, first + i) * .01f;
}

static void fill_temperature(const struct td_app_shape *s, uint64_t first, uint64_t n, void *to)
{
	float *cell = to;

	for (uint64_t i = 0; i < n; i++)
		cell[i] = 323 + 20 * td_app_draw_unit(s, TD_HOTSPOT_TEMP0, first + i);
}

/* The last step's output is the result, and is read back. */
static int size(struct td_app_shape *s, struct tide_error *err)
{
	uint64_t n = td_app_round(sqrt(td_app_bytes(s) / 12), TD_HOTSPOT_STEP);
	unsigned result = TD_APP_RESULT | TD_APP_READ_BACK;
	bool odd = s->iterations % 2;

	(void)err;
	td_app_size(s, TD_HOTSPOT_N, "n", n);
	td_app_add(s, "power", n * n, 4, 0, fill_power);
	td_app_add(s, "temp0", n * n, 4, TD_APP_WRITTEN | (odd ? 0 : result), fill_temperature);
	td_app_add(s, "temp1", n * n, 4, TD_APP_WRITTEN | (odd ? result : 0), NULL);
	return 0;
}

static void step(uint64_t n, const float *power, const float *from, float *to)
{
	for (uint64_t y = 0; y < n; y++) {
		for (uint64_t x = 0; x < n; x++) {
			uint64_t i = y * n + x;
			to[i] = td_hotspot(power[i], from[i], from[y ? i - n : i],
					   from[y + 1 < n ? i + n : i], from[x ? i - 1 : i],
					   from[x + 1 < n ? i + 1 : i]);
		}
	}
}

static int reference(const struct td_app_shape *s, void *const *array, struct tide_error *err)
{
	(void)err;
	for (uint64_t i = 0; i < s->iterations; i++)
		step(s->size[TD_HOTSPOT_N], array[TD_HOTSPOT_POWER],
		     array[i % 2 ? TD_HOTSPOT_TEMP1 : TD_HOTSPOT_TEMP0],
		     array[i % 2 ? TD_HOTSPOT_TEMP0 : TD_HOTSPOT_TEMP1]);
	return 0;
}

const struct td_app_plan td_app_plan_hotspot = {
	.name = "hotspot",
	.summary = "HotSpot, five time steps and a read-back",
	.iterations = 5,
	.size = size,
	.reference = reference,
};
