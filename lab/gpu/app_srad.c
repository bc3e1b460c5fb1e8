#include "app_srad.h"

#include <math.h>

#include "plan.h"

static void fill_image(const struct td_app_shape *s, uint64_t first, uint64_t n, void *to)
{
	float *pixel = to;

	for (uint64_t i = 0; i < n; i++)
		pixel[i] = 1 + td_app_draw_unit(s, TD_SRAD_J, first + i);
}

static int size(struct td_app_shape *s, struct tide_error *err)
{
	static const char *const names[] = {"J", "C", "E", "W", "S", "N"};
	uint64_t n = td_app_round(sqrt(td_app_bytes(s) / 24), TD_SRAD_STEP);

	(void)err;
	td_app_size(s, TD_SRAD_SIDE, "n", n);
	for (unsigned i = 0; i < 6; i++) {
		unsigned flags = i == TD_SRAD_J || i == TD_SRAD_C ? TD_APP_RESULT : 0;
		td_app_add(s, names[i], n * n, 4, flags | TD_APP_WRITTEN,
			   i == TD_SRAD_J ? fill_image : NULL);
	}
	return 0;
}

static void differences(uint64_t n, float *const *a, uint64_t y, uint64_t x, float speckle)
{
	const float *j = a[TD_SRAD_J];
	uint64_t i = y * n + x;

	a[TD_SRAD_N][i] = j[y ? i - n : i] - j[i];
	a[TD_SRAD_S][i] = j[y + 1 < n ? i + n : i] - j[i];
	a[TD_SRAD_W][i] = j[x ? i - 1 : i] - j[i];
	a[TD_SRAD_E][i] = j[x + 1 < n ? i + 1 : i] - j[i];
	a[TD_SRAD_C][i] = td_srad_conduct(j[i], a[TD_SRAD_N][i], a[TD_SRAD_S][i], a[TD_SRAD_W][i],
					  a[TD_SRAD_E][i], speckle);
}

static void flow(uint64_t n, float *const *a, uint64_t y, uint64_t x)
{
	const float *c = a[TD_SRAD_C];
	uint64_t i = y * n + x;

	a[TD_SRAD_J][i] = td_srad_flow(a[TD_SRAD_J][i], c[i], c[y + 1 < n ? i + n : i],
				       c[x + 1 < n ? i + 1 : i], a[TD_SRAD_N][i], a[TD_SRAD_S][i],
				       a[TD_SRAD_W][i], a[TD_SRAD_E][i]);
}

static int reference(const struct td_app_shape *s, void *const *array, struct tide_error *err)
{
	uint64_t n = s->size[TD_SRAD_SIDE];
	float *a[6];

	(void)err;
	for (unsigned i = 0; i < 6; i++)
		a[i] = array[i];
	for (unsigned i = 0; i < s->iterations; i++) {
		for (uint64_t k = 0; k < n * n; k++)
			differences(n, a, k / n, k % n, td_srad_speckle(i));
		for (uint64_t k = 0; k < n * n; k++)
			flow(n, a, k / n, k % n);
	}
	return 0;
}

const struct td_app_plan td_app_plan_srad = {
	.name = "srad",
	.summary = "SRAD v2, three iterations",
	.iterations = 3,
	.size = size,
	.reference = reference,
};
