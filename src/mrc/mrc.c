/* Runs one method over all pages. With a sample, it runs three: one over the sample, and one over
 * each half of it. */
#include "mrc.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "sample.h"

enum { WHOLE, HALVES, PARTS = HALVES + 2 };

struct td_mrc {
	const struct td_mrc_method *method;
	void *self[PARTS]; /* the halves only where pages are sampled */
	uint64_t accesses, sampled;
	struct td_mrc_sample sample, half;
};

int td_mrc_open(struct td_mrc **out, const struct td_mrc_method *method, const void *config,
		double rate, struct tide_error *err)
{
	struct td_mrc *m = calloc(1, sizeof *m);
	unsigned parts = rate < 1 ? PARTS : 1;
	int rc = 0;
	if (!m)
		return tide_fail(err, -ENOMEM, "out of memory");
	m->method = method;
	td_mrc_sample_init(&m->sample, rate);
	for (unsigned i = 0; i < parts && !rc; i++) {
		m->self[i] = calloc(1, method->bytes);
		rc = m->self[i] ? method->create(m->self[i], config, err)
				: tide_fail(err, -ENOMEM, "out of memory");
	}
	if (rc)
		td_mrc_close(m);
	else
		*out = m;
	return rc;
}

/* Of a batch, a sample may hold nothing. */
static int see(const struct td_mrc *m, unsigned part, const struct td_mrc_accesses *a,
	       struct tide_error *err)
{
	return a->n ? m->method->see(m->self[part], a, err) : 0;
}

int td_mrc_batch(struct td_mrc *m, const struct tide_batch *batch, struct tide_error *err)
{
	struct td_mrc_accesses a = td_mrc_sample_batch(&m->sample, batch, m->accesses);
	int rc = see(m, WHOLE, &a, err);
	for (unsigned i = 0; i < 2 && m->self[HALVES + i] && !rc; i++) {
		struct td_mrc_accesses half = td_mrc_sample_half(&m->half, &a, i);
		rc = see(m, HALVES + i, &half, err);
	}
	m->accesses += batch->n;
	m->sampled += a.n;
	return rc;
}

void td_mrc_close(struct td_mrc *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < PARTS && m->self[i]; i++) {
		m->method->destroy(m->self[i]);
		free(m->self[i]);
	}
	free(m);
}

uint64_t td_mrc_accesses(const struct td_mrc *m)
{
	return m->accesses;
}

uint64_t td_mrc_sampled(const struct td_mrc *m)
{
	return m->sampled;
}

uint64_t td_mrc_footprint(const struct td_mrc *m)
{
	double pages = (double)m->method->pages(m->self[WHOLE]);
	return m->sample.rate < 1 ? (uint64_t)(pages / m->sample.rate + 0.5) : (uint64_t)pages;
}

/* The rate of the pages that a part has looked at. */
static double part_rate(const struct td_mrc *m, unsigned part)
{
	return part == WHOLE ? m->sample.rate : m->sample.rate / 2;
}

/* The pages of a part stand for all pages. The divisor is the number of accesses expected in the
 * sample, not the real number. If a page with very many accesses is in the sample or not, the
 * difference counts as hits at every size (SHARDS-adj). */
static int measure_part(struct td_mrc *m, unsigned part, struct td_mrc_point *at, size_t n,
			struct tide_error *err)
{
	double rate = part_rate(m, part), expected = (double)m->accesses * rate;
	for (size_t i = 0; i < n; i++)
		at[i].pages *= rate;
	int rc = m->method->answer(m->self[part], m->accesses, at, n, err);
	for (size_t i = 0; i < n && !rc; i++) {
		at[i].pages /= rate;
		at[i].ratio = fmin((double)at[i].misses / expected, 1);
		if (m->sample.rate < 1)
			at[i].misses = (uint64_t)(at[i].ratio * (double)m->accesses + 0.5);
	}
	return rc;
}

/* The whole sample is the mean of its two halves, whose errors are alike and independent. So its
 * error is half of the difference between the halves. */
static int measure_halves(struct td_mrc *m, struct td_mrc_point *halves, struct td_mrc_point *at,
			  size_t n, double *doubt, struct tide_error *err)
{
	struct td_mrc_point *first = halves, *second = halves + n;
	int rc = measure_part(m, HALVES, first, n, err);
	if (!rc)
		rc = measure_part(m, HALVES + 1, second, n, err);
	for (size_t i = 0; i < n && !rc; i++) {
		at[i].error = fabs(first[i].ratio - second[i].ratio) / 2;
		*doubt += at[i].error / (double)n;
	}
	return rc;
}

int td_mrc_measure(struct td_mrc *m, struct td_mrc_point *at, size_t n, double *doubt,
		   struct tide_error *err)
{
	struct td_mrc_point *halves = calloc(2 * n, sizeof *halves);
	int rc = 0;
	*doubt = 0;
	if (!halves)
		return tide_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < 2 * n; i++)
		halves[i] = at[i % n];
	if (!m->sampled)
		rc = tide_fail(err, -ENODATA,
			       "a share of %g of the pages is none of them: give a larger `sample`",
			       m->sample.rate);
	if (!rc)
		rc = measure_part(m, WHOLE, at, n, err);
	if (!rc && m->self[HALVES])
		rc = measure_halves(m, halves, at, n, doubt, err);
	free(halves);
	return rc;
}
