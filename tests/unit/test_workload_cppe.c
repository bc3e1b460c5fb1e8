/* CPPE's regular applications: every access of every warp against the kernel written out thread by
 * thread. */
#include <stdio.h>

#include "cppe_kernels.h"

/* ---- exact mode is the plain kernel ---- */

static const struct {
	const char *spec;
	int64_t n;
	void (*run)(struct plain *p);
} plains[] = {
	{"hot:scale=0.0625", 256, hot},
	{"hot:scale=0.02", 144, hot},
	{"2dc:scale=0.00390625", 256, conv2},
	{"3dc:scale=0.03", 80, conv3},
	{"bkp:scale=0.05", 3280, bkp},
	{"pat:scale=0.04", 4000, pat},
	{"pat:scale=0.01", 992, pat}, /* a row of the wall is less than a page */
	{"mvt:scale=0.015625", 512, mvt},
	{"bic:scale=0.015625", 512, bic},
	{"srd:scale=0.02", 288, srd},
	{"srd:scale=0.00006103515625", 16, srd},
	{"hsd:scale=0.0625,iters=3", 128, hsd},
	{"mrq:scale=0.1", 26112, mrq},
	{"stn:scale=0.125,iters=3", 64, stn},
	{"sgm:scale=0.06", 256, sgm},
	{"sgm:scale=0.06,tiled=1", 256, sgm_tiled},
};

static int by_warp(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->kernel != y->kernel)
		return x->kernel < y->kernel ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->warp < y->warp ? -1 : x->warp > y->warp;
}

/* Stable, as a warp's order is what counts: merge sort by hand, for qsort() need not be. */
static void sort_by_warp(struct entry *at, size_t n, struct entry *spare)
{
	size_t half = n / 2, i = 0, j = half, k = 0;

	if (n < 2)
		return;
	sort_by_warp(at, half, spare);
	sort_by_warp(at + half, n - half, spare);
	while (i < half && j < n)
		spare[k++] = by_warp(&at[i], &at[j]) <= 0 ? at[i++] : at[j++];
	memcpy(spare + k, at + i, (half - i) * sizeof *at);
	memcpy(at, spare, (k + half - i) * sizeof *at);
}

/* The next event of a warp, its successors on the same page by the same instruction being one. */
static size_t skip_merged(const struct entries *s, size_t i)
{
	const struct entry *e = &s->at[i];
	size_t k = i + 1;

	while (k < s->n && by_warp(e, &s->at[k]) == 0 && e->pc == s->at[k].pc &&
	       e->page == s->at[k].page)
		k++;
	return k;
}

static void compare_plain(const char *spec, const struct entries *want, struct entries *got)
{
	struct entry *spare = malloc((got->n + 1) * sizeof *spare);
	size_t w = 0, g = 0;

	sort_by_warp(got->at, got->n, spare);
	for (; w < want->n && g < got->n; w = skip_merged(want, w), g++) {
		const struct entry *a = &want->at[w], *b = &got->at[g];
		if (by_warp(a, b) || a->page != b->page || a->pc != b->pc || a->write != b->write ||
		    a->array != b->array)
			fail_msg("%s event %zu: kernel %u block %u warp %u pc %u page %ju, should "
				 "be %u %u %u %u %ju",
				 spec, g, b->kernel, b->block, b->warp, b->pc, (uintmax_t)b->page,
				 a->kernel, a->block, a->warp, a->pc, (uintmax_t)a->page);
	}
	if (w < want->n || g < got->n)
		fail_msg("%s: %zu events, should be more or fewer", spec, got->n);
	free(spare);
}

static void warps_do_what_the_kernels_say(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(plains); i++) {
		struct td_trace_source *s = open_source(plains[i].spec, PAGE_BYTES, 1);
		struct entries want = {0}, got = read_entries(s);
		struct plain p = {.app = td_gpu_of(s), .to = &want, .n = plains[i].n};

		plains[i].run(&p);
		compare_plain(plains[i].spec, &want, &got);
		free(want.at);
		free(got.at);
		td_trace_close(s);
	}
}

/* ---- wave mode ---- */

static void waves_keep_the_order_of_pages(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(plains); i++) {
		struct td_trace_source *s = open_source(plains[i].spec, PAGE_BYTES, 1);
		struct entries all[2], first[2];

		for (int wave = 0; wave < 2; wave++) {
			td_gpu_of(s)->wave = wave;
			assert_int_equal(s->ops->rewind(s, NULL), 0);
			all[wave] = read_entries(s);
			first[wave] = first_of(td_gpu_of(s), &all[wave]);
		}
		if (all[1].n >= all[0].n)
			fail_msg("%s: %zu events, exactly %zu", plains[i].spec, all[1].n, all[0].n);
		assert_same(plains[i].spec, &first[1], &first[0], false);
		free_all(all, COUNT(all));
		free_all(first, COUNT(first));
		td_trace_close(s);
	}
}

static void rewinding_gives_the_same_again(void **state)
{
	struct tide_batch *batch = new_batch();

	(void)state;
	for (size_t i = 0; i < COUNT(plains) * 2; i++) {
		char spec[96];
		snprintf(spec, sizeof spec, "%s,mode=%s", plains[i / 2].spec,
			 i % 2 ? "wave" : "exact,jitter=20");
		struct td_trace_source *s = open_source(spec, PAGE_BYTES, 3);
		struct entries first = read_entries(s), second;

		assert_int_equal(s->ops->rewind(s, NULL), 0);
		assert_int_equal(td_trace_next(s, batch, NULL), 0);
		assert_int_equal(s->ops->rewind(s, NULL), 0);
		second = read_entries(s);
		assert_same(spec, &second, &first, true);
		free(first.at);
		free(second.at);
		td_trace_close(s);
	}
	free_batch(batch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(warps_do_what_the_kernels_say),
		cmocka_unit_test(waves_keep_the_order_of_pages),
		cmocka_unit_test(rewinding_gives_the_same_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
