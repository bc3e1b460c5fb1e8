/* An application of GMT before any GPU: how large it is, what its arrays hold at first, and what
 * must come out. Plain C, so all of it is tested without a GPU.
 *
 *     size()       tiers and oversubscription -> dimensions and a list of arrays
 *     fill()       any part of an array's first content, from indices and the seed alone
 *     reference()  the same work on plain arrays of the processor
 *
 * Formulas that kernels and references share are in app_NAME.h. Products and sums are never fused
 * but where they say fma(), so both give the same bits. */
#ifndef TD_GPU_APPS_PLAN_H
#define TD_GPU_APPS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tide/error.h"
#include "tide/event.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TD_APP_ARRAYS = 8, TD_APP_SIZES = 4 };

struct td_app_shape;
struct td_graph;

/* Elements first .. first + n - 1 of an array, as they are before the run. */
typedef void td_app_fill(const struct td_app_shape *s, uint64_t first, uint64_t n, void *to);

enum td_app_flag {
	TD_APP_NEAR = 1,      /* stays in the memory of the GPU: it is no tide array */
	TD_APP_WRITTEN = 2,   /* by kernels: made anew for every run */
	TD_APP_RESULT = 4,    /* is compared */
	TD_APP_READ_BACK = 8, /* reading the result is part of the application, and of its time */
	TD_APP_GRAPH = 16,    /* in a file of the graph, which applications share */
};

struct td_app_array {
	const char *name;
	uint64_t bytes;
	unsigned element_bytes; /* 4 or 8 */
	unsigned flags;
	td_app_fill *fill; /* NULL: zeros */
};

struct td_app_plan {
	const char *name, *summary;
	uint64_t iterations; /* as in the paper's model; 0: as many as it takes */
	/* Sets dimensions, arrays, and tiers where the data cannot have any size. */
	int (*size)(struct td_app_shape *s, struct tide_error *err);
	bool graph; /* its first two arrays are a graph's: graph.h */
	/* array[k] has the first content of array k, or zeros, and afterwards what must come out.
	 */
	int (*reference)(const struct td_app_shape *s, void *const *array, struct tide_error *err);
};

struct td_app_shape {
	const struct td_app_plan *plan;
	/* asked for */
	double oversubscription, scale; /* data over both tiers; data times this */
	uint64_t near_bytes, host_bytes, page_bytes, seed, iterations;
	/* what came of it */
	uint64_t size[TD_APP_SIZES]; /* each application's own: app_NAME.h */
	const char *size_names[TD_APP_SIZES];
	unsigned arrays;
	struct td_app_array array[TD_APP_ARRAYS];
	uint64_t data_bytes;          /* of the tide arrays together */
	const struct td_graph *graph; /* while its files are made */
};

extern const struct td_app_plan td_app_plan_lavamd, td_app_plan_pathfinder, td_app_plan_bfs,
	td_app_plan_multivectoradd, td_app_plan_srad, td_app_plan_backprop, td_app_plan_pagerank,
	td_app_plan_sssp, td_app_plan_hotspot;

enum { TD_APP_PLANS = 9 };
extern const struct td_app_plan *const td_app_plans[TD_APP_PLANS]; /* in the paper's order */

/* ---- for sizes ---- */

/* Sets what is 0 to its default, calls the plan, and checks the sum. */
int td_app_shape(struct td_app_shape *s, const struct td_app_plan *plan, struct tide_error *err);

double td_app_bytes(const struct td_app_shape *s); /* the working set that is asked for */
/* The multiple of step that is nearest to value; at least one step. */
uint64_t td_app_round(double value, uint64_t step);
void td_app_size(struct td_app_shape *s, unsigned which, const char *name, uint64_t value);
unsigned td_app_add(struct td_app_shape *s, const char *name, uint64_t elements,
		    unsigned element_bytes, unsigned flags, td_app_fill *fill);

/* ---- first contents ---- */

/* Two numbers of 32 bits for elements 2 * pair and 2 * pair + 1 of an array. */
static inline uint64_t td_app_draw(const struct td_app_shape *s, unsigned array, uint64_t pair)
{
	return tide_hash64(tide_hash64(s->seed + ((uint64_t)array << 56)) + pair);
}

static inline uint32_t td_app_draw32(const struct td_app_shape *s, unsigned array, uint64_t i)
{
	return (uint32_t)(td_app_draw(s, array, i / 2) >> (i % 2 * 32));
}

/* From 0 up to and without 1, in steps that both float and double have. */
static inline float td_app_draw_unit(const struct td_app_shape *s, unsigned array, uint64_t i)
{
	return (float)(td_app_draw32(s, array, i) >> 8) * 0x1p-24f;
}

/* ---- sums of contents: the same whatever the order ---- */

static inline TIDE_DEVICE uint64_t td_app_mix(uint64_t i, uint32_t word)
{
	return tide_hash64((i + 1) * UINT64_C(0x9e3779b97f4a7c15) + word);
}

/* Of n words of 4 bytes, of which the first is number `first` of the array. */
uint64_t td_app_sum(const void *words, uint64_t first, uint64_t n);

#ifdef __cplusplus
}
#endif

#endif
