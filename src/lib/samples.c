#include "samples.h"

#include <errno.h>
#include <stdlib.h>

#include "mrc/sample.h"

#define KEPT_MOST (UINT64_C(1) << 26) /* accesses; above, every run of an exact curve reads */

/* ---- how many, and how large ---- */

/* How much an exact curve may take before a sample is the default: accesses times sizes, about ten
 * seconds of a core by runs, and five by lanes. Time itself may not decide, because results are the
 * same everywhere. */
#define EXACT_MOST 800e6
#define SAMPLED_MOST 100e6 /* of all samples together, by runs */
#define LANES_MOST 200e6   /* the same by lanes */
#define SAMPLES 8u
#define PAGES_LEAST 2048.0 /* in all samples together, when the share is not given */
#define PART_PAGES 256.0   /* there are fewer samples than 8 if these had fewer pages */

/* The share of the pages that all samples have together: 8 times 10%, 5%, 2%, 1% and so on. */
static double choose_rate(double accesses, double sizes, double pages, double most)
{
	static const double steps[] = {1, 0.5, 0.2};
	double power = 0.1, chosen = 1;
	if (accesses * sizes <= EXACT_MOST)
		return 1;
	for (unsigned i = 0; i < 24; i++) {
		double rate = SAMPLES * power * steps[i % 3];
		if (pages * rate < PAGES_LEAST)
			break;
		chosen = rate;
		if (accesses * sizes * rate <= most)
			break;
		power /= i % 3 == 2 ? 10 : 1;
	}
	return chosen;
}

static unsigned choose_parts(double pages, double rate)
{
	unsigned parts = SAMPLES;
	while (parts > 2 && pages * rate / parts < PART_PAGES)
		parts /= 2;
	return rate < 1 ? parts : 1;
}

static int needs_future(const char *policy, bool *needs, struct tide_error *err)
{
	struct td_policy_choice choice;
	int rc = td_policy_choose(&choice, policy, TIDE_EVICT, err);
	if (rc)
		return rc;
	*needs = choice.needs & TIDE_NEEDS_FUTURE;
	td_policy_release(&choice);
	return 0;
}

/* The future is by the times of the whole input. A sample has other times. */
int td_lib_samples_choose(struct td_lib_samples *s, struct td_lib_curve *c, uint64_t accesses,
			  uint64_t pages, struct tide_error *err)
{
	bool future;
	int rc = needs_future(c->policy, &future, err);
	if (rc)
		return rc;
	if (future && c->rate < 1)
		return tide_fail(
			err, -EINVAL,
			"%s needs the future, which samples do not have: leave out `sample`",
			c->policy);
	if (c->is_auto && !future && !c->options->objects)
		c->rate = choose_rate((double)accesses, (double)c->n, (double)pages,
				      s->lanes ? LANES_MOST : SAMPLED_MOST);
	s->objects = c->options->objects;
	s->n = choose_parts((double)pages, c->rate);
	s->rate = c->rate;
	return 0;
}

/* ---- reading them ---- */

void td_lib_samples_free(struct td_lib_samples *s)
{
	for (unsigned i = 0; s->kept && i < s->n; i++)
		td_lib_kept_free(&s->kept[i]);
	free(s->kept);
	s->kept = NULL;
}

static int make_kept(struct td_lib_samples *s)
{
	int rc = 0;
	s->kept = calloc(s->n, sizeof *s->kept);
	for (unsigned i = 0; s->kept && i < s->n; i++)
		rc = td_lib_kept_init(&s->kept[i]) ? -ENOMEM : rc;
	return s->kept ? rc : -ENOMEM;
}

/* A group begins in a sample with the first of its accesses that is there. */
static inline void count_groups(struct td_lib_samples *s, const struct tide_batch *batch,
				uint32_t *seen, uint32_t end)
{
	for (; batch->object && *seen < end; ++*seen)
		s->groups += batch->object->first[*seen];
}

static int keep(struct td_lib_samples *s, struct td_mrc_sample *sample,
		const struct tide_batch *batch)
{
	uint64_t bytes;
	if (s->n == 1) {
		s->accesses += batch->n;
		return td_lib_kept_append(&s->kept[0], batch, &bytes);
	}
	struct td_mrc_accesses a = td_mrc_sample_batch(sample, batch, 0);
	uint32_t seen = 0;
	int rc = 0;
	for (uint32_t i = 0; i < a.n && !rc; i++) {
		unsigned part = td_mrc_part(a.page[i], s->n);
		count_groups(s, batch, &seen, a.at[i] + 1u);
		rc = td_lib_kept_add(&s->kept[part], batch, a.at[i], s->groups);
	}
	count_groups(s, batch, &seen, batch->n);
	s->accesses += a.n;
	return rc;
}

static int keep_all(struct td_lib_samples *s, struct td_trace_source *source,
		    struct tide_error *err)
{
	struct {
		struct tide_batch batch;
		struct tide_batch_object object;
		struct td_mrc_sample sample;
	} *own = calloc(1, sizeof *own);
	int rc = own ? make_kept(s) : -ENOMEM;
	if (!rc) {
		td_mrc_sample_init(&own->sample, s->rate);
		own->batch.object = source->groups || s->objects ? &own->object : NULL;
	}
	if (rc)
		tide_fail(err, rc, "out of memory");
	while (!rc && !(rc = td_trace_next(source, &own->batch, err)) && own->batch.n) {
		if (keep(s, &own->sample, &own->batch))
			rc = tide_fail(err, -ENOMEM,
				       "no memory for the accesses of the curve: make `sample` "
				       "smaller");
		else if (s->accesses > KEPT_MOST && s->n == 1)
			break; /* more than it said before */
	}
	free(own);
	return rc;
}

static int number_all(struct td_lib_samples *s, struct tide_error *err)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (td_lib_kept_number(&s->kept[i]))
			return tide_fail(err, -ENOMEM,
					 "no memory for the pages of the curve: make `sample` "
					 "smaller");
	}
	return 0;
}

int td_lib_samples_take(struct td_lib_samples *s, struct td_trace_source *source, uint64_t accesses,
			struct tide_error *err)
{
	if (s->n == 1 && accesses > KEPT_MOST)
		return 0;
	int rc = keep_all(s, source, err);
	if (!rc && s->n == 1 && s->accesses > KEPT_MOST) {
		td_lib_samples_free(s);
		return 0;
	}
	if (!rc && !s->accesses && s->n > 1)
		rc = tide_fail(err, -ENODATA,
			       "a share of %g of the pages is none of them: give a larger `sample`",
			       s->rate);
	return rc ? rc : number_all(s, err);
}
