/* The regression of place reuse: samples of accesses, in the order in which warps took their places
 * in the ring, give pairs (accesses since the last use, distinct pages since), and a line through
 * them. As policies/place/reuse.c does it, where a warp waits for the outcome; else beside. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/assert.h"
#include "runtime.h"
#include "tide/ostree.h"

#define AT_ONCE 256
#define PAIRS_MIN 100 /* of a fit */

/* ---- what is told ---- */

static void store_double(double *to, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	__atomic_store_n((uint64_t *)(void *)to, bits, __ATOMIC_RELEASE);
}

static void tell_line(struct td_dev_told *told, struct tide_line line)
{
	uint64_t at = told->line_sequence; /* nobody else writes it */
	__atomic_store_n(&told->line_sequence, at + 1, __ATOMIC_SEQ_CST);
	store_double(&told->line.m, line.m);
	store_double(&told->line.b, line.b);
	__atomic_store_n(&told->line_sequence, at + 2, __ATOMIC_SEQ_CST);
}

/* ---- pairs ---- */

static uint64_t order_of(const void *arg, uint32_t i)
{
	return ((const struct td_cuda_past *)arg)[i].order;
}

/* Pages by the number of their last sample: unlike times, no two are equal. */
static struct tide_osview view_of(struct td_cuda_regression *r)
{
	unsigned char *nodes = (unsigned char *)r->past + offsetof(struct td_cuda_past, node);
	return (struct tide_osview){{nodes, sizeof(struct td_cuda_past)}, order_of, r->past};
}

static void add_pair(struct td_cuda_regression *r, uint64_t accesses, uint64_t above)
{
	double rate = r->g->set.rate;
	uint64_t distance = rate < 1 ? (uint64_t)((double)above / rate) : above;
	tide_sums_add(&r->sums, accesses, distance);
	if (r->sums.n % r->pairs_per_fit == 0 && tide_sums_fit(&r->sums, &r->line))
		tell_line(r->g->told, r->line);
	if (r->sums.n == TIDE_PAIRS_MAX)
		__atomic_store_n(&r->g->told->samples_enough, 1, __ATOMIC_RELEASE);
}

void td_cuda_regression_add(struct td_cuda_regression *r, uint64_t page, uint64_t time)
{
	td_assert(r->sums.n <= TIDE_PAIRS_MAX);
	if (r->sums.n == TIDE_PAIRS_MAX || page >= r->g->set.pages)
		return;
	struct tide_ostree tree = {r->root};
	struct tide_osview v = view_of(r);
	struct td_cuda_past *at = &r->past[page];
	if (at->order) {
		uint64_t members = tide_ostree_count(&tree, &v);
		uint64_t above = members - tide_ostree_rank(&tree, &v, at->order) - 1;
		/* Two warps can take their places in the ring the other way round. */
		if (time > at->time)
			add_pair(r, time - at->time, above);
		tide_ostree_remove(&tree, &v, (uint32_t)page);
	}
	at->time = time;
	at->order = ++r->samples;
	tide_ostree_add(&tree, &v, (uint32_t)page);
	r->root = tree.root_plus_1;
}

/* ---- the thread ---- */

static bool take(struct td_cuda_regression *r, struct td_dev_sample *out)
{
	const struct td_dev_control *k = &r->g->control;
	struct td_dev_sample *at = &k->samples[r->taken & (k->samples_entries - 1)];
	if (__atomic_load_n(&at->sequence, __ATOMIC_ACQUIRE) != r->taken + 1)
		return false;
	*out = *at;
	__atomic_store_n(&at->sequence, r->taken + k->samples_entries, __ATOMIC_RELEASE);
	r->taken++;
	return true;
}

bool td_cuda_regression_serve(struct td_cuda_regression *r)
{
	struct td_dev_sample s;
	unsigned n = 0;
	pthread_mutex_lock(&r->lock);
	for (; n < AT_ONCE && take(r, &s); n++) {
		td_cuda_regression_add(r, s.page, s.time);
		__atomic_store_n(&r->g->told->samples_taken, r->taken, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&r->lock);
	return n > 0;
}

/* It goes on after a launch has ended, until the ring is empty. */
static void *run(void *arg)
{
	struct td_cuda_regression *r = arg;
	while (td_cuda_await_launch(r->g)) {
		unsigned idle = 0;
		while (!idle || atomic_load(&r->g->running)) {
			idle = td_cuda_regression_serve(r) ? 0 : idle + 1;
			if (idle)
				td_cuda_rest(r->g, idle);
		}
	}
	return NULL;
}

/* ---- from outside ---- */

static void start_anew(struct td_cuda_regression *r)
{
	r->root = 0;
	r->samples = 0;
	r->sums = (struct tide_sums){0};
	r->line = (struct tide_line){.m = 1};
	__atomic_store_n(&r->g->told->samples_enough, 0, __ATOMIC_RELEASE);
	tell_line(r->g->told, r->line);
}

void td_cuda_regression_reset(struct tide_gpu *g)
{
	struct td_cuda_regression *r = &g->regression;
	struct td_dev_sample s;
	pthread_mutex_lock(&r->lock);
	while (take(r, &s))
		;
	__atomic_store_n(&g->told->samples_taken, r->taken, __ATOMIC_RELEASE);
	if (r->past)
		memset(r->past, 0, g->pages_used * sizeof *r->past);
	start_anew(r);
	pthread_mutex_unlock(&r->lock);
}

struct tide_line td_cuda_regression_line(struct tide_gpu *g, uint64_t *pairs)
{
	struct td_cuda_regression *r = &g->regression;
	pthread_mutex_lock(&r->lock);
	struct tide_line line = r->line;
	*pairs = r->sums.n;
	pthread_mutex_unlock(&r->lock);
	return line;
}

int td_cuda_regression_open(struct tide_gpu *g, struct tide_error *err)
{
	struct td_cuda_regression *r = &g->regression;
	r->g = g;
	/* As often as with every page sampled; but in lockstep as the simulator. */
	double share = g->set.lockstep ? 1 : g->set.rate;
	r->pairs_per_fit = (uint64_t)(TIDE_PAIRS_PER_FIT * share);
	if (r->pairs_per_fit < PAIRS_MIN)
		r->pairs_per_fit = PAIRS_MIN;
	pthread_mutex_init(&r->lock, NULL);
	start_anew(r);
	if (!g->control.sampling)
		return 0;
	/* What is never sampled is never touched. */
	r->past = calloc(g->set.pages, sizeof *r->past);
	if (!r->past)
		return tide_fail(err, -ENOMEM,
				 "no memory for samples of %llu pages: give a smaller "
				 "address",
				 (unsigned long long)g->set.pages);
	int rc = td_cuda_start(&r->thread, "tide-samples", run, r, err);
	r->started = !rc;
	return rc;
}

void td_cuda_regression_close(struct tide_gpu *g)
{
	struct td_cuda_regression *r = &g->regression;
	if (r->started)
		pthread_join(r->thread, NULL);
	if (r->g)
		pthread_mutex_destroy(&r->lock);
	free(r->past);
	*r = (struct td_cuda_regression){0};
}
