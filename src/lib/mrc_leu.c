/* What leu learns from a trace before its curve is made. It is the same as in a run of leu. */
#include <errno.h>
#include <stdlib.h>

#include "core/params.h"
#include "curves.h"
#include "record.h"

/* As one stack, time per access grows with the number of pages; with more than these, a run per
 * size gives the same curve sooner. */
#define STACK_PAGES 1024

static const union tide_value *value_of(const struct td_policy_choice *choice, const char *name)
{
	const struct tide_param *params = choice->policy->params;
	for (size_t i = 0; params && params[i].name; i++) {
		if (!strcmp(params[i].name, name))
			return &choice->values[i];
	}
	return NULL;
}

struct lesson {
	struct tide_rit_pass pass;
	struct tide_batch batch;
	uint64_t below, decay; /* 0: all pages are counted; never */
	bool by_page;
};

static int learn_batch(struct lesson *s, struct tide_error *err)
{
	int rc = 0;
	for (uint32_t i = 0; i < s->batch.n && !rc; i++) {
		uint64_t page = s->batch.page[i];
		rc = tide_rit_pass_touch(&s->pass, page, s->by_page ? page : s->batch.ref[i],
					 !s->below || tide_hash64(page) < s->below);
		if (s->decay && s->pass.now % s->decay == 0)
			tide_rit_halve(s->pass.table);
	}
	return rc ? tide_fail(err, rc, "policy leu: out of memory for the pages it is trained on")
		  : 0;
}

static int learn_trace(struct lesson *s, const char *trace, struct td_lib_curve *c,
		       struct tide_error *err)
{
	struct td_trace_options options = {
		.path = trace, .page_bytes = c->page_bytes, .digest = true};
	struct td_trace_source *source;
	int rc = td_trace_open(&source, &options, err);
	if (rc)
		return rc;
	while (!(rc = td_trace_next(source, &s->batch, err)) && s->batch.n) {
		rc = learn_batch(s, err);
		if (rc)
			break;
	}
	td_lib_learned(c->learned, source);
	td_trace_close(source);
	return rc;
}

static int learn(struct td_lib_leu *leu, struct td_lib_curve *c,
		 const struct td_policy_choice *choice, const char *trace, struct tide_error *err)
{
	struct lesson *s = calloc(1, sizeof *s);
	double sample = value_of(choice, "sample")->r;
	int rc = s ? tide_rit_pass_init(&s->pass, &leu->table) : -ENOMEM;
	if (rc) {
		free(s);
		return tide_fail(err, rc, "out of memory");
	}
	s->below = sample < 1 ? (uint64_t)(sample * 0x1p64) : 0;
	s->decay = (uint64_t)value_of(choice, "decay")->i;
	s->by_page = leu->config.by_page;
	rc = learn_trace(s, trace, c, err);
	tide_rit_pass_free(&s->pass);
	free(s);
	return rc;
}

int td_lib_leu_learn(struct td_lib_leu *leu, struct td_lib_curve *c,
		     const struct td_policy_choice *choice, struct tide_error *err)
{
	*leu = (struct td_lib_leu){0};
	if (choice->object || strcmp(choice->policy->name, td_mrc_leu.policy) != 0)
		return 0;
	const char *trace = value_of(choice, "train")->text, *by = value_of(choice, "by")->text;
	const char *edge = value_of(choice, "edge")->text;
	bool by_page = strcmp(by, "page") == 0, next = strcmp(edge, "next") == 0;
	if (!*trace)
		return 0;
	if (!by_page && strcmp(by, "ref") != 0)
		return tide_fail(err, -EINVAL, "policy leu: by=%s is unknown: give ref or page",
				 by);
	if (!next && strcmp(edge, "bin") != 0)
		return tide_fail(err, -EINVAL, "policy leu: edge=%s is unknown: give bin or next",
				 edge);
	if (tide_rit_init(&leu->table, (uint32_t)value_of(choice, "refs")->i))
		return tide_fail(err, -ENOMEM,
				 "policy leu: out of memory for its table: give fewer refs");
	/* A run over a sample would have a clock of its own, which the statistics do not fit. */
	bool must = c->rate < 1 || td_lib_curve_read_once(c);
	leu->is_trained = true;
	leu->table.next_edge = next;
	leu->config = (struct td_mrc_leu_config){&leu->table, by_page, must ? 0 : STACK_PAGES};
	return learn(leu, c, choice, trace, err);
}

void td_lib_leu_free(struct td_lib_leu *leu)
{
	if (leu->is_trained)
		tide_rit_free(&leu->table);
}
