/* The sum of all inputs is known for each element without any array. */
#include "app_multivectoradd.h"
#include "plan.h"

enum { STEP = 8192 };

static void fill_input(const struct td_app_shape *s, unsigned which, uint64_t first, uint64_t n,
		       void *to)
{
	uint64_t *word = to;

	for (uint64_t i = 0; i < n; i++)
		word[i] = td_app_draw(s, which, first + i);
}

#define FILL(which) \
	static void fill_##which(const struct td_app_shape *s, uint64_t first, uint64_t n, \
				 void *to) \
	{ \
		fill_input(s, which, first, n, to); \
	}
FILL(0)
FILL(1)
FILL(2)
FILL(3)
FILL(4)

static int size(struct td_app_shape *s, struct tide_error *err)
{
	static const char *const names[] = {"A1", "A2", "A3", "A4", "A5"};
	static td_app_fill *const fills[] = {fill_0, fill_1, fill_2, fill_3, fill_4};
	uint64_t elements = td_app_round(td_app_bytes(s) / (8 * (TD_MVA_INPUTS + 1)), STEP);

	(void)err;
	td_app_size(s, TD_MVA_ELEMENTS, "elements", elements);
	for (unsigned i = 0; i < TD_MVA_INPUTS; i++)
		td_app_add(s, names[i], elements, 8, 0, fills[i]);
	td_app_add(s, "C", elements, 8, TD_APP_RESULT | TD_APP_WRITTEN, NULL);
	return 0;
}

static int reference(const struct td_app_shape *s, void *const *array, struct tide_error *err)
{
	uint64_t *c = array[TD_MVA_C];

	(void)err;
	for (uint64_t i = 0; i < s->size[TD_MVA_ELEMENTS]; i++) {
		c[i] = 0;
		for (unsigned p = 0; p < TD_MVA_INPUTS; p++)
			c[i] += td_app_draw(s, p, i);
	}
	return 0;
}

const struct td_app_plan td_app_plan_multivectoradd = {
	.name = "multivectoradd",
	.summary = "five vectors added to a sixth, one after another",
	.size = size,
	.reference = reference,
};
