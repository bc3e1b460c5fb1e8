/* The applications of `tide gpu bench` before any GPU: sizes, first contents, graphs, and
 * references against what can be worked out by hand. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gpu/tools.h"
#include "lab/gpu/app_backprop.h"
#include "lab/gpu/app_hotspot.h"
#include "lab/gpu/app_lavamd.h"
#include "lab/gpu/app_multivectoradd.h"
#include "lab/gpu/app_pathfinder.h"
#include "lab/gpu/app_srad.h"
#include "lab/gpu/apps.h"
#include "lab/gpu/data.h"
#include "lab/gpu/graph.h"

#define MIB ((uint64_t)1 << 20)

static void shape(struct td_app_shape *s, const struct td_app_plan *plan, uint64_t near_bytes,
		  double oversubscription)
{
	struct tide_error err = {0};
	*s = (struct td_app_shape){
		.near_bytes = near_bytes,
		.host_bytes = 4 * near_bytes,
		.oversubscription = oversubscription,
		.seed = 1,
	};
	assert_int_equal(td_app_shape(s, plan, &err), 0);
}

/* A shape whose dimensions are said here. */
static struct td_app_shape tiny(const struct td_app_plan *plan, uint64_t size0, uint64_t size1,
				uint64_t iterations)
{
	return (struct td_app_shape){
		.plan = plan, .size = {size0, size1}, .iterations = iterations};
}

static void refer(const struct td_app_shape *s, void *const *array)
{
	struct tide_error err = {0};
	assert_int_equal(s->plan->reference(s, array, &err), 0);
}

/* ---- sizes ---- */

static void test_data_is_the_tiers_times_oversubscription(void **state)
{
	(void)state;
	for (unsigned i = 0; i < TD_APP_PLANS; i++) {
		for (double size = 2; size <= 4; size += 2) {
			struct td_app_shape s;
			shape(&s, td_app_plans[i], 256 * MIB, size);
			double tiers = (double)(s.near_bytes + s.host_bytes);
			assert_true(fabs((double)s.data_bytes / tiers / size - 1) < .06);
			/* a fifth of both */
			assert_true(fabs((double)s.near_bytes / tiers - .2) < .001);
			if (!td_app_plans[i]->graph)
				assert_int_equal(s.near_bytes, 256 * MIB);
		}
	}
}

static void test_a_graph_stays_and_tiers_shrink(void **state)
{
	struct td_app_shape two, four;
	(void)state;
	shape(&two, &td_app_plan_bfs, 256 * MIB, 2);
	shape(&four, &td_app_plan_bfs, 256 * MIB, 4);
	assert_int_equal(two.size[TD_APP_SCALE], 23);
	assert_int_equal(two.data_bytes, four.data_bytes);
	assert_int_equal(two.data_bytes, (uint64_t)8 << (23 + 5));
	assert_true(four.near_bytes < two.near_bytes);
	shape(&four, &td_app_plan_sssp, 256 * MIB, 2);
	assert_int_equal(four.data_bytes, (uint64_t)12 << (23 + 5));
}

static void test_dimensions_fit_the_kernels(void **state)
{
	(void)state;
	for (uint64_t near_bytes = MIB; near_bytes <= 512 * MIB;
	     near_bytes = near_bytes * 3 / 2 + 4096) {
		struct td_app_shape s;
		shape(&s, &td_app_plan_srad, near_bytes, 2);
		assert_int_equal(s.size[TD_SRAD_SIDE] % TD_SRAD_STEP, 0);
		shape(&s, &td_app_plan_hotspot, near_bytes, 2);
		assert_int_equal(s.size[TD_HOTSPOT_N] % TD_HOTSPOT_STEP, 0);
		shape(&s, &td_app_plan_pathfinder, near_bytes, 2);
		assert_int_equal(s.size[TD_PATHFINDER_COLS] % TD_PATHFINDER_STRIP, 0);
		assert_true(s.size[TD_PATHFINDER_ROWS] >= 1);
		shape(&s, &td_app_plan_backprop, near_bytes, 2);
		assert_int_equal(s.size[TD_BACKPROP_IN] % (TD_BACKPROP_INPUTS * TD_BACKPROP_TURN),
				 0);
	}
}

static void test_sizes_that_cannot_be(void **state)
{
	struct tide_error err = {0};
	struct td_app_shape s = {.near_bytes = MIB, .page_bytes = 5000};
	(void)state;
	assert_int_equal(td_app_shape(&s, &td_app_plan_srad, &err), -EINVAL);
	s = (struct td_app_shape){0};
	assert_int_equal(td_app_shape(&s, &td_app_plan_srad, &err), -EINVAL);
	s = (struct td_app_shape){.near_bytes = UINT64_MAX, .host_bytes = UINT64_MAX};
	assert_int_equal(td_app_shape(&s, &td_app_plan_bfs, &err), -EINVAL);
	s = (struct td_app_shape){.near_bytes = 100};
	assert_int_equal(td_app_shape(&s, &td_app_plan_bfs, &err), -EINVAL);
}

/* ---- first contents ---- */

/* The whole array at once, and in pieces that end anywhere. */
static void check_fill(const struct td_app_shape *s, const struct td_app_array *a)
{
	uint64_t n = a->bytes / a->element_bytes, at = 0, piece = 1;
	char *whole = malloc(a->bytes), *pieces = malloc(a->bytes);
	a->fill(s, 0, n, whole);
	while (at < n) {
		uint64_t some = piece < n - at ? piece : n - at;
		a->fill(s, at, some, pieces + at * a->element_bytes);
		at += some;
		piece = piece * 3 % 4099 + 1;
	}
	assert_memory_equal(whole, pieces, a->bytes);
	free(whole);
	free(pieces);
}

static void test_any_part_can_be_filled(void **state)
{
	(void)state;
	for (unsigned i = 0; i < TD_APP_PLANS; i++) {
		struct td_app_shape s;
		shape(&s, td_app_plans[i], MIB / 8, 2);
		for (unsigned k = 0; k < s.arrays; k++) {
			if (s.array[k].fill && !(s.array[k].flags & TD_APP_GRAPH))
				check_fill(&s, &s.array[k]);
		}
	}
}

static void test_sums_see_every_change_and_no_order(void **state)
{
	uint32_t word[6] = {1, 2, 3, 4, 5, 6};
	uint64_t sum = td_app_sum(word, 0, 6);
	(void)state;
	assert_true(sum == td_app_sum(word + 4, 4, 2) + td_app_sum(word, 0, 4));
	word[2] = 4, word[3] = 3;
	assert_true(sum != td_app_sum(word, 0, 6));
	word[2] = 3, word[3] = 4;
	assert_true(sum == td_app_sum(word, 0, 6));
	word[5] ^= 1u << 31;
	assert_true(sum != td_app_sum(word, 0, 6));
}

/* ---- references: stencils ---- */

static void test_hotspot_by_hand(void **state)
{
	float power[9] = {0}, at[9], next[9];
	void *array[] = {power, at, next};
	struct td_app_shape s = tiny(&td_app_plan_hotspot, 3, 0, 1);
	(void)state;
	for (unsigned i = 0; i < 9; i++)
		at[i] = 353; /* as warm as the air */
	refer(&s, array);
	for (unsigned i = 0; i < 9; i++)
		assert_true(next[i] == 353);
	at[4] = 363;
	power[0] = .25f;
	refer(&s, array);
	assert_true(next[0] == 353 + .5f * .25f);
	assert_true(fabsf(next[1] - 353.5f) < 1e-4f); /* a tenth of ten, half a step */
	assert_true(fabsf(next[4] - (363 - 2 - .0005f)) < 1e-4f);
	assert_true(next[8] == 353);
}

static void test_hotspot_turns_its_arrays(void **state)
{
	float power[1] = {1}, temp0[1] = {353}, temp1[1] = {0};
	void *array[] = {power, temp0, temp1};
	struct td_app_shape s = tiny(&td_app_plan_hotspot, 1, 0, 2);
	(void)state;
	refer(&s, array);
	assert_true(fabsf(temp1[0] - 353.5f) < 1e-4f);
	assert_true(fabsf(temp0[0] - 354) < 1e-3f);
}

static void test_srad_by_hand(void **state)
{
	float j[9], other[5][9];
	void *array[] = {j, other[0], other[1], other[2], other[3], other[4]};
	struct td_app_shape s = tiny(&td_app_plan_srad, 3, 0, 3);
	(void)state;
	for (unsigned i = 0; i < 9; i++)
		j[i] = 1.5f;
	refer(&s, array);
	for (unsigned i = 0; i < 9; i++) {
		assert_true(j[i] == 1.5f);
		assert_true(other[0][i] == 1); /* conducts all */
	}
	j[4] = 1.6f;
	s.iterations = 1;
	refer(&s, array);
	assert_true(fabsf(other[TD_SRAD_N - 1][4] + .1f) < 1e-6f);
	assert_true(fabsf(other[TD_SRAD_S - 1][1] - .1f) < 1e-6f);
	assert_true(j[4] < 1.6f && j[4] > 1.5f && j[1] > 1.5f);
	assert_true(j[1] == j[3] && j[0] == 1.5f && j[8] == 1.5f);
}

/* ---- references: rows ---- */

static void test_pathfinder_by_hand(void **state)
{
	int32_t first[4] = {5, 1, 9, 2}, second[4] = {0};
	int32_t wall[8] = {1, 1, 1, 7, 3, 0, 2, 4};
	void *array[] = {first, second, wall};
	struct td_app_shape s = tiny(&td_app_plan_pathfinder, 4, 2, 0);
	(void)state;
	refer(&s, array);
	/* One launch, so the result is the second. After the first row: 2 2 2 9. */
	assert_int_equal(second[0], 2 + 3);
	assert_int_equal(second[1], 2 + 0);
	assert_int_equal(second[2], 2 + 2);
	assert_int_equal(second[3], 2 + 4);
}

/* All ones: every row adds one; the last launch says where. */
static void test_pathfinder_leaves_its_result_where_kernels_do(void **state)
{
	(void)state;
	for (uint64_t rows = 1; rows <= 33; rows++) {
		int32_t result[2][3] = {{0}}, wall[33 * 3];
		void *array[] = {result[0], result[1], wall};
		struct td_app_shape s = tiny(&td_app_plan_pathfinder, 3, rows, 0);
		for (unsigned i = 0; i < 33 * 3; i++)
			wall[i] = 1;
		refer(&s, array);
		assert_int_equal(result[(rows + 7) / 8 % 2][1], rows);
	}
}

static void test_backprop_by_hand(void **state)
{
	enum { WEIGHTS = 17 * 17 };
	static float input[17], w[WEIGHTS], old[WEIGHTS], partial[16];
	void *array[] = {input, w, partial, old};
	struct td_app_shape s = tiny(&td_app_plan_backprop, 16, 0, 1);
	(void)state;
	for (unsigned i = 0; i < WEIGHTS; i++) {
		w[i] = 2;
		old[i] = 1;
	}
	for (unsigned i = 0; i < 17; i++)
		input[i] = (float)i;
	refer(&s, array);
	for (unsigned j = 0; j < 16; j++)
		assert_true(partial[j] == 2 * 136); /* 1 + .. + 16, twice */
	float change = .3f * td_backprop_delta(0, 4) * 3 + .3f;
	assert_true(old[17 * 3 + 4] == change);
	assert_true(w[17 * 3 + 4] == td_backprop_decay(2) + change);
	/* Row 0 and column 0 stay. */
	assert_true(w[5] == 2 && w[17 * 6] == 2 && old[17 * 6] == 1);
}

static void test_multivectoradd_is_the_sum(void **state)
{
	struct td_app_shape s;
	void *array[TD_APP_ARRAYS] = {NULL};
	(void)state;
	shape(&s, &td_app_plan_multivectoradd, MIB / 8, 2);
	uint64_t n = s.size[TD_MVA_ELEMENTS], *c = array[TD_MVA_C] = malloc(n * 8),
		 *a = malloc(n * 8);
	refer(&s, array);
	for (unsigned k = 0; k < TD_MVA_INPUTS; k++) {
		s.array[k].fill(&s, 0, n, a);
		for (uint64_t i = 0; i < n; i++)
			c[i] -= a[i];
	}
	for (uint64_t i = 0; i < n; i++)
		assert_true(c[i] == 0);
	free(a);
	free(c);
}

/* ---- references: particles ---- */

static void test_exponential_is_good_enough(void **state)
{
	(void)state;
	for (double x = -1.5; x <= 1.5; x += .001)
		assert_true(fabs(td_lavamd_exp(x) / exp(x) - 1) < 1e-9);
}

static void test_lavamd_by_hand(void **state)
{
	enum { N = 8 * TD_LAVAMD_PARTICLES };
	static struct td_lavamd_four rv[N], fv[N];
	static double qv[N];
	static uint32_t box[8 * TD_LAVAMD_BOX_WORDS];
	void *array[] = {box, rv, qv, fv};
	struct td_app_shape s = tiny(&td_app_plan_lavamd, 2, 0, 0);
	(void)state;
	for (unsigned i = 0; i < N; i++) {
		rv[i] = (struct td_lavamd_four){.5, .5, .5, .5};
		qv[i] = .25;
	}
	refer(&s, array);
	/* All at one place: no pull, and everybody's potential. */
	double one = .25 * exp((.75 - 1) * .5);
	assert_true(fv[3].x == 0 && fv[3].y == 0 && fv[3].z == 0);
	assert_true(fabs(fv[3].v / (N * one) - 1) < 1e-9);
	/* One stands aside in x: it is pulled by all, and all by it the other way. */
	rv[700].x = .6;
	refer(&s, array);
	double pull = 2 * .25 * exp((.3 + .25 + .25 - 1) * .5) * .1;
	assert_true(fabs(fv[700].x / ((N - 1) * pull) - 1) < 1e-9);
	assert_true(fabs(fv[0].x / -pull - 1) < 1e-9);
}

static const uint32_t *entry(const uint32_t *box, uint64_t number, unsigned i)
{
	return &box[number * TD_LAVAMD_BOX_WORDS + TD_LAVAMD_LIST_AT + i * TD_LAVAMD_ENTRY_WORDS];
}

static bool lists(const uint32_t *box, uint64_t number, uint64_t other)
{
	unsigned count = box[number * TD_LAVAMD_BOX_WORDS + TD_LAVAMD_COUNT_AT];
	for (unsigned i = 0; i < count; i++) {
		if (entry(box, number, i)[TD_LAVAMD_NUMBER_AT] == other)
			return true;
	}
	return false;
}

static void test_boxes_list_those_around_them(void **state)
{
	enum { BOXES = 27 };
	static uint32_t box[BOXES * TD_LAVAMD_BOX_WORDS];
	struct td_app_shape s = {.near_bytes = 90000, .host_bytes = 16064};
	struct tide_error err = {0};
	(void)state;
	assert_int_equal(td_app_shape(&s, &td_app_plan_lavamd, &err), 0);
	assert_int_equal(s.size[TD_LAVAMD_N], 3);
	assert_int_equal(s.array[TD_LAVAMD_BOX].bytes, sizeof box);
	s.array[TD_LAVAMD_BOX].fill(&s, 0, sizeof box / 4, box);
	assert_int_equal(box[13 * TD_LAVAMD_BOX_WORDS + TD_LAVAMD_COUNT_AT], 26);
	assert_int_equal(box[TD_LAVAMD_COUNT_AT], 7);
	assert_int_equal(entry(box, 13, 0)[TD_LAVAMD_NUMBER_AT], 0);
	assert_int_equal(entry(box, 13, 13)[TD_LAVAMD_NUMBER_AT], 14);
	for (uint64_t a = 0; a < BOXES; a++) {
		assert_false(lists(box, a, a));
		for (uint64_t b = 0; b < BOXES; b++)
			assert_int_equal(lists(box, a, b), lists(box, b, a));
	}
}

/* ---- references: graphs ---- */

/* 0 - 1 - 2 - 3, and 4 alone. */
static uint64_t path_edge[6] = {1, 0, 2, 1, 3, 2};
static uint64_t path_first[6] = {0, 1, 3, 5, 6, 6};

static struct td_app_shape on_path(const struct td_app_plan *plan, uint64_t iterations)
{
	struct td_app_shape s = {.plan = plan, .iterations = iterations};
	s.size[TD_APP_NODES] = 5;
	s.size[TD_APP_EDGE_COUNT] = 6;
	return s;
}

static void test_bfs_by_hand(void **state)
{
	uint32_t level[5];
	void *array[] = {path_edge, path_first, NULL, NULL, level};
	struct td_app_shape s = on_path(&td_app_plan_bfs, 0);
	(void)state;
	s.size[TD_APP_SOURCE] = 1;
	td_app_graph_fill_source(&s, 0, 5, level);
	refer(&s, array);
	assert_int_equal(level[0], 1);
	assert_int_equal(level[1], 0);
	assert_int_equal(level[2], 1);
	assert_int_equal(level[3], 2);
	assert_int_equal(level[4], TD_APP_NO_VALUE);
}

static void test_sssp_by_hand(void **state)
{
	uint32_t cost[5], before[5], weight[6] = {10, 10, 20, 20, 5, 5};
	void *array[] = {path_edge, path_first, NULL, NULL, weight, cost, before};
	struct td_app_shape s = on_path(&td_app_plan_sssp, 0);
	(void)state;
	s.size[TD_APP_SOURCE] = 3;
	td_app_graph_fill_source(&s, 0, 5, cost);
	refer(&s, array);
	assert_int_equal(cost[3], 0);
	assert_int_equal(cost[2], 5);
	assert_int_equal(cost[1], 25);
	assert_int_equal(cost[0], 35);
	assert_int_equal(cost[4], TD_APP_NO_VALUE);
}

static void test_pagerank_by_hand(void **state)
{
	uint64_t value[5] = {0}, residual[5], gift[5];
	void *array[] = {path_edge, path_first, NULL, NULL, value, residual, gift};
	struct td_app_shape s = on_path(&td_app_plan_pagerank, 1);
	(void)state;
	for (unsigned i = 0; i < 5; i++)
		residual[i] = TD_PAGERANK_START;
	refer(&s, array);
	uint64_t all = TD_PAGERANK_START * 17 / 20, half = TD_PAGERANK_START * 17 / 40;
	assert_int_equal(value[0], TD_PAGERANK_START);
	assert_int_equal(residual[0], half);
	assert_int_equal(residual[1], all + half);
	assert_int_equal(residual[4], 0);
	s.iterations = 100;
	refer(&s, array);
	/* It ends when little is left. Nodes in the middle are worth more. */
	for (unsigned i = 0; i < 5; i++)
		assert_true(residual[i] <= TD_PAGERANK_LEAST);
	assert_true(value[1] > value[0] && value[1] == value[2] && value[0] == value[3]);
	assert_int_equal(value[4], TD_PAGERANK_START);
}

/* ---- files ---- */

struct files {
	char dir[32];
	struct td_gpu_setup setup;
};

static int set_up(void **state)
{
	struct files *f = calloc(1, sizeof *f);
	strcpy(f->dir, "/var/tmp/tide-apps-XXXXXX");
	f->setup.dir = mkdtemp(f->dir);
	*state = f;
	return f->setup.dir ? 0 : -1;
}

static int tear_down(void **state)
{
	struct files *f = *state;
	int rc = rmdir(f->dir); /* nothing was left in it */
	free(f);
	return rc;
}

static void *load(const struct files *f, const struct td_app_shape *s, unsigned array)
{
	struct tide_error err = {0};
	void *to = malloc(s->array[array].bytes);
	assert_int_equal(td_app_load(s, array, &f->setup, to, &err), 0);
	return to;
}

static void test_graph_is_a_graph(void **state)
{
	struct files *f = *state;
	struct tide_error err = {0};
	struct td_app_shape s;
	uint64_t *edge, *first, there = 0, back = 0, most = 0, hub = 0;
	shape(&s, &td_app_plan_bfs, MIB / 2, 2);
	assert_int_equal(td_app_prepare(&s, &f->setup, &err), 0);
	edge = load(f, &s, TD_APP_EDGES);
	first = load(f, &s, TD_APP_FIRST);
	uint64_t nodes = s.size[TD_APP_NODES], edges = s.size[TD_APP_EDGE_COUNT];
	assert_int_equal(edges, nodes * 32);
	assert_int_equal(first[0], 0);
	assert_int_equal(first[nodes], edges);
	for (uint64_t v = 0; v < nodes; v++) {
		assert_true(first[v] <= first[v + 1]);
		hub = first[v + 1] - first[v] > most ? v : hub;
		most = first[v + 1] - first[v] > most ? first[v + 1] - first[v] : most;
		for (uint64_t e = first[v]; e < first[v + 1]; e++) {
			assert_true(edge[e] < nodes);
			there += tide_hash64(v << 32 | edge[e]);
			back += tide_hash64(edge[e] << 32 | v);
		}
	}
	assert_true(there == back);  /* every edge goes both ways */
	assert_true(most > 16 * 32); /* a few have very many */
	assert_true(hub != 0);       /* and are anywhere */
	uint64_t source = s.size[TD_APP_SOURCE];
	assert_true(first[source + 1] > 0);
	assert_int_equal(first[source], 0);
	free(edge);
	free(first);
	td_app_remove(&s, &f->setup, true);
}

static void test_graph_depends_on_the_seed_alone(void **state)
{
	struct files *f = *state;
	struct tide_error err = {0};
	uint64_t sum[3];
	for (unsigned i = 0; i < 3; i++) {
		struct td_app_shape s = {
			.near_bytes = MIB / 4, .host_bytes = MIB, .seed = i ? 7 : 8};
		assert_int_equal(td_app_shape(&s, &td_app_plan_sssp, &err), 0);
		assert_int_equal(td_app_prepare(&s, &f->setup, &err), 0);
		assert_int_equal(td_app_file_sum(&s, TD_APP_EDGES, &f->setup, &sum[i], &err), 0);
		td_app_remove(&s, &f->setup, true);
	}
	assert_true(sum[1] == sum[2] && sum[0] != sum[1]);
}

static void scratch(const struct files *f, const struct td_app_shape *s, unsigned array)
{
	char path[TD_GPU_PATH];
	struct tide_error err = {0};
	assert_int_equal(td_app_path(path, s, array, &f->setup, &err), 0);
	int fd = open(path, O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "scratch", 7, 12345), 7);
	close(fd);
}

/* What kernels write is made anew, and nothing else is. */
static void test_files_are_made_again_where_kernels_write(void **state)
{
	struct files *f = *state;
	struct tide_error err = {0};
	struct td_app_shape s;
	uint64_t before[3], after[3];
	shape(&s, &td_app_plan_hotspot, MIB, 2);
	assert_int_equal(td_app_make(&s, &f->setup, &err), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(td_app_file_sum(&s, i, &f->setup, &before[i], &err), 0);
	scratch(f, &s, TD_HOTSPOT_POWER);
	scratch(f, &s, TD_HOTSPOT_TEMP0);
	scratch(f, &s, TD_HOTSPOT_TEMP1);
	assert_int_equal(td_app_make(&s, &f->setup, &err), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(td_app_file_sum(&s, i, &f->setup, &after[i], &err), 0);
	assert_true(before[TD_HOTSPOT_TEMP0] == after[TD_HOTSPOT_TEMP0]);
	assert_true(before[TD_HOTSPOT_POWER] != after[TD_HOTSPOT_POWER]);
	assert_true(before[TD_HOTSPOT_TEMP1] == after[TD_HOTSPOT_TEMP1]);
	td_app_remove(&s, &f->setup, false);
}

static void test_files_hold_what_is_filled(void **state)
{
	struct files *f = *state;
	struct tide_error err = {0};
	struct td_app_shape s;
	shape(&s, &td_app_plan_lavamd, 3 * MIB, 2);
	assert_int_equal(td_app_make(&s, &f->setup, &err), 0);
	for (unsigned i = 0; i < s.arrays; i++) {
		uint64_t sum = 0;
		void *array;
		array = load(f, &s, i);
		assert_int_equal(td_app_file_sum(&s, i, &f->setup, &sum, &err), 0);
		assert_true(sum == td_app_sum(array, 0, s.array[i].bytes / 4));
		free(array);
	}
	td_app_remove(&s, &f->setup, false);
}

static void test_no_folder_is_an_error(void **state)
{
	struct td_gpu_setup setup = {.dir = "/nonexistent/folder"};
	struct tide_error err = {0};
	struct td_app_shape s;
	(void)state;
	shape(&s, &td_app_plan_hotspot, MIB / 8, 2);
	assert_int_equal(td_app_make(&s, &setup, &err), -ENOENT);
	assert_non_null(strstr(err.text, "give another folder"));
	shape(&s, &td_app_plan_bfs, MIB / 64, 2);
	assert_int_equal(td_app_prepare(&s, &setup, &err), -ENOENT);
}

/* The references of all nine, from first contents to the end. */
static void test_references_run_on_their_own_inputs(void **state)
{
	struct files *f = *state;
	struct tide_error err = {0};
	for (unsigned i = 0; i < TD_APP_PLANS; i++) {
		struct td_app_shape s;
		void *array[TD_APP_ARRAYS] = {NULL};
		uint64_t results = 0;
		shape(&s, td_app_plans[i], MIB / 32, 2);
		assert_int_equal(td_app_prepare(&s, &f->setup, &err), 0);
		assert_int_equal(td_app_refer(&s, &f->setup, array, &err), 0);
		for (unsigned k = 0; k < s.arrays; k++) {
			results += (s.array[k].flags & TD_APP_RESULT) != 0;
			free(array[k]);
		}
		assert_true(results > 0);
		td_app_remove(&s, &f->setup, true);
	}
}

/* ---- what all runs together say ---- */

static void add_row(struct td_gpu_apps *all, const char *app, const char *place, double size,
		    uint64_t time_ns, double speedup)
{
	all->runs = td_gpu_more(all->runs, &all->runs_n, sizeof *all->runs);
	assert_non_null(all->runs);
	struct td_gpu_run *r = &all->runs[all->runs_n - 1];
	r->app = app;
	snprintf(r->label, sizeof r->label, "%s", place);
	r->oversubscribe = size;
	r->time_ns = time_ns;
	r->speedup = speedup;
}

static struct td_gpu_apps *make_apps(struct td_gpu_result **r)
{
	*r = td_gpu_result_make();
	assert_non_null(*r);
	(*r)->apps = calloc(1, sizeof *(*r)->apps);
	assert_non_null((*r)->apps);
	(*r)->apps->ok = true;
	return (*r)->apps;
}

static void test_means_are_geometric_and_of_one_size(void **state)
{
	struct td_gpu_setup setup = {0};
	struct td_gpu_result *r;
	struct td_gpu_apps *all = make_apps(&r);
	(void)state;
	add_row(all, "srad", "reuse", 2, 100, 2);
	add_row(all, "bfs", "reuse", 2, 100, 8);
	add_row(all, "bfs", "reuse", 4, 100, 100);
	add_row(all, "bfs", "random", 2, 100, 100);
	add_row(all, "lavamd", "reuse", 2, 0, 0); /* failed */
	td_gpu_apps_mean(all, &setup, "reuse", 2);
	td_gpu_apps_mean(all, &setup, "tier-order", 2);
	assert_int_equal(all->means_n, 1);
	assert_true(fabs(all->means[0].speedup - 4) < 1e-12);
	assert_int_equal(all->means[0].apps, 2);
	td_gpu_result_free(r);
}

/* Claims are made of all nine or not at all. */
static void test_claims(void **state)
{
	struct td_gpu_setup setup = {0};
	struct td_gpu_result *r;
	struct td_gpu_apps *all = make_apps(&r);
	(void)state;
	for (unsigned i = 0; i < TD_APP_PLANS; i++) {
		td_gpu_apps_claims(all, &setup);
		assert_int_equal(all->claims.claims_n, 0);
		add_row(all, td_app_plans[i]->name, "tier-order", 2, 1000, 1);
		add_row(all, td_app_plans[i]->name, "reuse", 2, i ? 500 : 1030, 1.6);
	}
	td_gpu_apps_claims(all, &setup);
	assert_int_equal(all->claims.claims_n, 2);
	assert_true(all->claims.claims[0].ok);
	assert_false(all->claims.claims[1].ok);
	assert_false(all->ok);
	td_gpu_result_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_data_is_the_tiers_times_oversubscription),
		cmocka_unit_test(test_a_graph_stays_and_tiers_shrink),
		cmocka_unit_test(test_dimensions_fit_the_kernels),
		cmocka_unit_test(test_sizes_that_cannot_be),
		cmocka_unit_test(test_any_part_can_be_filled),
		cmocka_unit_test(test_sums_see_every_change_and_no_order),
		cmocka_unit_test(test_hotspot_by_hand),
		cmocka_unit_test(test_hotspot_turns_its_arrays),
		cmocka_unit_test(test_srad_by_hand),
		cmocka_unit_test(test_pathfinder_by_hand),
		cmocka_unit_test(test_pathfinder_leaves_its_result_where_kernels_do),
		cmocka_unit_test(test_backprop_by_hand),
		cmocka_unit_test(test_multivectoradd_is_the_sum),
		cmocka_unit_test(test_exponential_is_good_enough),
		cmocka_unit_test(test_lavamd_by_hand),
		cmocka_unit_test(test_boxes_list_those_around_them),
		cmocka_unit_test(test_bfs_by_hand),
		cmocka_unit_test(test_sssp_by_hand),
		cmocka_unit_test(test_pagerank_by_hand),
		cmocka_unit_test_setup_teardown(test_graph_is_a_graph, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_graph_depends_on_the_seed_alone, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_files_are_made_again_where_kernels_write,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_files_hold_what_is_filled, set_up, tear_down),
		cmocka_unit_test(test_no_folder_is_an_error),
		cmocka_unit_test_setup_teardown(test_references_run_on_their_own_inputs, set_up,
						tear_down),
		cmocka_unit_test(test_means_are_geometric_and_of_one_size),
		cmocka_unit_test(test_claims),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
