#include "app_lavamd.h"

#include <string.h>

#include "core/jobs.h"
#include "plan.h"

enum { FOUR = 4, BOX_BYTES = TD_LAVAMD_BOX_WORDS * 4 };
enum { PARTICLE_BYTES = FOUR * 8 + 8 + FOUR * 8 }; /* rv, qv, fv */

/* ---- boxes ---- */

/* Box x, y, z of n * n * n as it stands in a descriptor and in a list. */
static void describe(uint64_t n, uint64_t box, uint32_t word[TD_LAVAMD_ENTRY_WORDS])
{
	uint64_t first = box * TD_LAVAMD_PARTICLES;

	word[0] = (uint32_t)(box % n);
	word[1] = (uint32_t)(box / n % n);
	word[2] = (uint32_t)(box / n / n);
	word[TD_LAVAMD_NUMBER_AT] = (uint32_t)box;
	word[4] = (uint32_t)first;
	word[5] = (uint32_t)(first >> 32);
}

static bool inside(uint64_t n, uint64_t at, int by)
{
	return by < 0 ? at > 0 : at + (uint64_t)by < n;
}

/* The boxes around it in the order of z, y, x, packed; how many. */
static unsigned list_around(uint64_t n, uint64_t box, uint64_t around[TD_LAVAMD_AROUND])
{
	uint64_t x = box % n, y = box / n % n, z = box / n / n;
	unsigned count = 0;

	for (int way = 0; way <= TD_LAVAMD_AROUND; way++) {
		int dx = way % 3 - 1, dy = way / 3 % 3 - 1, dz = way / 9 - 1;
		if (way == TD_LAVAMD_AROUND / 2 || !inside(n, x, dx) || !inside(n, y, dy) ||
		    !inside(n, z, dz))
			continue;
		around[count++] =
			((z + (uint64_t)(int64_t)dz) * n + y + (uint64_t)(int64_t)dy) * n + x +
			(uint64_t)(int64_t)dx;
	}
	return count;
}

static void make_box(uint64_t n, uint64_t box, uint32_t word[TD_LAVAMD_BOX_WORDS])
{
	uint64_t around[TD_LAVAMD_AROUND];
	unsigned count = list_around(n, box, around);

	memset(word, 0, BOX_BYTES);
	describe(n, box, word);
	word[TD_LAVAMD_COUNT_AT] = count;
	for (unsigned i = 0; i < count; i++)
		describe(n, around[i], &word[TD_LAVAMD_LIST_AT + i * TD_LAVAMD_ENTRY_WORDS]);
}

/* A part may begin and end within a descriptor. */
static void fill_boxes(const struct td_app_shape *s, uint64_t first, uint64_t n, void *to)
{
	uint32_t word[TD_LAVAMD_BOX_WORDS], *out = to;

	while (n) {
		uint64_t at = first % TD_LAVAMD_BOX_WORDS, some = TD_LAVAMD_BOX_WORDS - at;
		some = some < n ? some : n;
		make_box(s->size[TD_LAVAMD_N], first / TD_LAVAMD_BOX_WORDS, word);
		memcpy(out, &word[at], some * 4);
		first += some;
		out += some;
		n -= some;
	}
}

/* ---- particles ---- */

/* One of .1, .2, .. 1 each. */
static void fill_tenths(const struct td_app_shape *s, unsigned array, uint64_t first, uint64_t n,
			void *to)
{
	double *value = to;

	for (uint64_t i = 0; i < n; i++)
		value[i] = (double)(td_app_draw32(s, array, first + i) % 10 + 1) / 10;
}

static void fill_places(const struct td_app_shape *s, uint64_t first, uint64_t n, void *to)
{
	fill_tenths(s, TD_LAVAMD_RV, first, n, to);
}

static void fill_charges(const struct td_app_shape *s, uint64_t first, uint64_t n, void *to)
{
	fill_tenths(s, TD_LAVAMD_QV, first, n, to);
}

static int size(struct td_app_shape *s, struct tide_error *err)
{
	double bytes = BOX_BYTES + TD_LAVAMD_PARTICLES * PARTICLE_BYTES;
	uint64_t n = td_app_round(cbrt(td_app_bytes(s) / bytes), 1), boxes = n * n * n;
	uint64_t particles = boxes * TD_LAVAMD_PARTICLES;

	(void)err;
	td_app_size(s, TD_LAVAMD_N, "n", n);
	td_app_add(s, "box", boxes * TD_LAVAMD_BOX_WORDS, 4, 0, fill_boxes);
	td_app_add(s, "rv", particles * FOUR, 8, 0, fill_places);
	td_app_add(s, "qv", particles, 8, 0, fill_charges);
	td_app_add(s, "fv", particles * FOUR, 8, TD_APP_RESULT | TD_APP_WRITTEN, NULL);
	return 0;
}

/* ---- reference ---- */

struct work {
	uint64_t n;
	const struct td_lavamd_four *rv;
	const double *qv;
	struct td_lavamd_four *fv;
};

static void add_box(const struct work *w, uint64_t home, uint64_t other)
{
	for (uint64_t a = home * TD_LAVAMD_PARTICLES; a < (home + 1) * TD_LAVAMD_PARTICLES; a++) {
		for (unsigned i = 0; i < TD_LAVAMD_PARTICLES; i++) {
			uint64_t b = other * TD_LAVAMD_PARTICLES + i;
			td_lavamd_force(&w->fv[a], w->rv[a], w->rv[b], w->qv[b]);
		}
	}
}

static void work_box(void *arg, size_t home)
{
	const struct work *w = arg;
	uint64_t around[TD_LAVAMD_AROUND];
	unsigned count = list_around(w->n, home, around);

	memset(&w->fv[home * TD_LAVAMD_PARTICLES], 0, TD_LAVAMD_PARTICLES * sizeof *w->fv);
	add_box(w, home, home);
	for (unsigned i = 0; i < count; i++)
		add_box(w, home, around[i]);
}

static int reference(const struct td_app_shape *s, void *const *array, struct tide_error *err)
{
	uint64_t n = s->size[TD_LAVAMD_N];
	struct work w = {n, array[TD_LAVAMD_RV], array[TD_LAVAMD_QV], array[TD_LAVAMD_FV]};

	(void)err;
	td_jobs_run(n * n * n, 0, work_box, &w);
	return 0;
}

const struct td_app_plan td_app_plan_lavamd = {
	.name = "lavamd",
	.summary = "forces between particles of neighbouring boxes",
	.size = size,
	.reference = reference,
};
