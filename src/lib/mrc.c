/* A miss ratio curve: makes a method from texts, and points from a source. */
#include "mrc/mrc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "core/params.h"
#include "core/text.h"
#include "curves.h"
#include "record.h"

#define PROGRESS_EVERY 256 /* batches: a million accesses */

/* ---- what was asked for ---- */

static int bad_size(const char *text, size_t n, struct tide_error *err)
{
	return tide_fail(err, -EINVAL,
			 "'%s' is no size of a curve: give a number of points (50), or sizes above "
			 "0 (1%%,64M,1024p)",
			 td_core_shown(text, n).text);
}

static int parse_list(struct td_lib_curve *c, const char *text, struct tide_error *err)
{
	size_t room = 1;
	for (const char *p = text; *p; p++)
		room += *p == ',';
	if (room > TD_LIB_POINTS_MAX)
		return tide_fail(err, -EINVAL, "more than %d sizes of a curve: give fewer",
				 TD_LIB_POINTS_MAX);
	c->sizes = calloc(room, sizeof *c->sizes);
	if (!c->sizes)
		return tide_fail(err, -ENOMEM, "out of memory");
	for (; c->n < room; c->n++, text += strcspn(text, ",") + 1) {
		char one[64];
		size_t n = strcspn(text, ",");
		snprintf(one, sizeof one, "%.*s", (int)(n < sizeof one ? n : 0), text);
		if ((c->options->objects ? td_lib_near_bytes_parse : td_lib_near_parse)(
			    one, c->page_bytes, &c->sizes[c->n], NULL))
			return bad_size(text, n, err);
	}
	return 0;
}

/* A number alone is a number of points: nobody wants the curve of one size. */
static int parse_sizes(struct td_lib_curve *c, const char *text, struct tide_error *err)
{
	uint64_t points;
	text = text ? text : "50";
	if (td_core_u64(text, strlen(text), &points))
		return parse_list(c, text, err);
	if (!points)
		return bad_size(text, strlen(text), err);
	if (points > TD_LIB_POINTS_MAX)
		return tide_fail(err, -EINVAL, "a curve of %" PRIu64 " points: give 1 to %d",
				 points, TD_LIB_POINTS_MAX);
	c->n = (size_t)points;
	return 0;
}

static int parse_rate(const char *text, double *rate, struct tide_error *err)
{
	*rate = 1;
	if (text && (td_core_share(text, rate) || !(*rate > 0 && *rate <= 1)))
		return tide_fail(err, -EINVAL,
				 "a sample of '%s' is no share of the pages: give a number above 0 "
				 "and up to 1, such as 0.01, or 1%%, or auto",
				 td_core_shown(text, strlen(text)).text);
	return 0;
}

static int judge_options(struct td_lib_curve *c, struct tide_error *err)
{
	const struct tide_mrc_options *o = c->options;
	int inputs = !!o->trace + !!o->workload + !!o->accesses;
	if (inputs != 1)
		return tide_fail(err, -EINVAL, "%s: give one of `trace`, `workload`%s",
				 !inputs       ? "no input"
				 : o->accesses ? "several inputs"
					       : "both a trace and a workload",
				 o->accesses ? ", `accesses`" : "");
	int rc = td_lib_take_facts(&c->given, o->facts, err);
	if (!rc)
		rc = td_lib_seed(o->seed, &c->seed, err);
	if (!rc)
		rc = td_lib_page_bytes(o->page, &c->page_bytes, err);
	c->is_auto = o->sample && !strcmp(o->sample, "auto");
	if (!rc)
		rc = parse_rate(c->is_auto ? NULL : o->sample, &c->rate, err);
	if (!rc)
		rc = parse_sizes(c, o->sizes, err);
	if (!rc && o->objects && o->sample && !c->is_auto)
		rc = tide_fail(err, -EINVAL,
			       "samples of pages say little of objects with several sizes: leave "
			       "out `sample`");
	return rc;
}

/* The policies of variable size are curves and no policies that could run. */
static int choose_variable(const char *spec, size_t name, const struct td_mrc_method **method,
			   struct tide_error *err)
{
	static const struct td_mrc_method *const variable[] = {&td_mrc_vmin, &td_mrc_osl};
	for (size_t i = 0; i < 2; i++) {
		if (strlen(variable[i]->policy) == name && !memcmp(variable[i]->policy, spec, name))
			*method = variable[i];
	}
	if (*method && spec[name])
		return tide_fail(err, -EINVAL, "%s has no parameters: leave out %s",
				 (*method)->policy,
				 td_core_shown(spec + name, strlen(spec + name)).text);
	return 0;
}

/* The method that makes the curve in one pass, NULL: it takes runs. */
static int choose_method(struct td_lib_curve *c, struct td_lib_leu *leu,
			 const struct td_mrc_method **method, struct tide_error *err)
{
	static const struct td_mrc_method *const stacks[] = {&td_mrc_lru, &td_mrc_opt};
	struct td_policy_choice choice;
	*method = NULL;
	int rc = choose_variable(c->policy, td_core_spec_name(c->policy), method, err);
	if (!rc && *method && c->options->objects)
		return tide_fail(err, -EINVAL,
				 "%s is a bound for pages of one size: leave it or `objects` out",
				 (*method)->policy);
	if (rc || *method)
		return rc;
	rc = td_policy_choose(&choice, c->policy, TIDE_EVICT, err);
	if (rc)
		return rc;
	if (c->options->objects) {
		td_policy_release(&choice);
		return 0;
	}
	for (size_t i = 0; i < 2 && !choice.object; i++) {
		if (!strcmp(choice.policy->name, stacks[i]->policy))
			*method = stacks[i];
	}
	rc = td_lib_leu_learn(leu, c, &choice, err);
	if (leu->is_trained)
		*method = &td_mrc_leu;
	td_policy_release(&choice);
	return rc;
}

/* ---- one pass ---- */

int td_lib_curve_source(const struct td_lib_curve *c, struct td_trace_source **out,
			struct tide_error *err)
{
	const struct tide_mrc_options *o = c->options;
	struct td_lib_input in = {
		.accesses = o->accesses,
		.stop = o->stop,
		.workload = o->workload,
		.seed = c->seed,
		.trace = {.path = o->trace,
			  .format = o->format,
			  .columns = o->columns,
			  .page_bytes = c->page_bytes,
			  .spool = c->spool,
			  .digest = true},
	};
	if (c->reading && td_lib_reading_open(c->reading, &in, out))
		return 0;
	int rc = td_lib_input_open(out, &in, err);
	if (rc || !(*out)->marks)
		return rc;
	td_trace_close(*out);
	return tide_fail(
		err, -EINVAL,
		"%s has marks, memory that comes and goes, which no curve follows: convert "
		"it to txt to drop them",
		o->trace);
}

static int read_all(const struct td_lib_curve *c, struct td_trace_source *source, struct td_mrc *m,
		    struct tide_error *err)
{
	struct {
		struct tide_batch batch;
		struct tide_batch_object object;
	} *own = calloc(1, sizeof *own);
	uint64_t total = c->facts.accesses == TD_UNKNOWN ? 0 : c->facts.accesses;
	int rc = 0;
	if (!own)
		return tide_fail(err, -ENOMEM, "out of memory");
	struct tide_batch *batch = &own->batch;
	batch->object = source->groups ? &own->object : NULL;
	for (uint64_t i = 1; !rc; i++) {
		rc = td_trace_next(source, batch, err);
		if (rc || !batch->n)
			break;
		rc = td_mrc_batch(m, batch, err);
		if (c->progress && i % PROGRESS_EVERY == 0)
			c->progress(c->arg, td_mrc_accesses(m), total);
	}
	free(own);
	return rc;
}

/* Asks the method for all points, and takes its answers over. */
static int measure(struct td_mrc *m, bool has_groups, struct tide_mrc *mrc, struct tide_error *err)
{
	struct tide_mrc_point *to = td_lib_curve_at(mrc);
	struct td_mrc_point *at = calloc(mrc->n, sizeof *at);
	if (!at)
		return tide_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < mrc->n; i++)
		at[i].pages = to[i].pages;
	int rc = td_mrc_measure(m, at, mrc->n, &mrc->error, err);
	double *errors = mrc->samples ? td_lib_curve_errors(mrc) : NULL;
	uint64_t *prefix_hits = has_groups ? td_lib_curve_prefix_hits(mrc) : NULL;
	for (size_t i = 0; i < mrc->n && !rc; i++) {
		to[i].pages = at[i].pages;
		to[i].misses = at[i].misses;
		to[i].miss_ratio = at[i].ratio;
		if (errors)
			errors[i] = at[i].error;
		if (prefix_hits)
			prefix_hits[i] = mrc->accesses - at[i].prefix_misses;
	}
	free(at);
	return rc;
}

static int make_curve(const struct td_lib_curve *c, struct td_mrc *m, bool has_groups,
		      struct tide_mrc **out, struct tide_error *err)
{
	uint64_t pages = c->facts.pages != TD_UNKNOWN ? c->facts.pages : c->given.pages;
	if (pages == TD_UNKNOWN)
		pages = td_mrc_footprint(m);
	struct tide_mrc *mrc;
	int rc = td_lib_curve_points(c, pages, &mrc, err);
	if (rc)
		return rc;
	mrc->accesses = td_mrc_accesses(m);
	mrc->sampled_accesses = td_mrc_sampled(m);
	mrc->samples = c->rate < 1 ? 2 : 0;
	mrc->sample_share = c->rate < 1 ? c->rate / 2 : 0;
	mrc->method = "one pass";
	rc = measure(m, has_groups, mrc, err);
	if (rc)
		free(mrc);
	else
		*out = mrc;
	return rc;
}

static int one_pass(struct td_lib_curve *c, const struct td_mrc_method *method, const void *config,
		    struct tide_mrc **out, struct tide_error *err)
{
	struct td_trace_source *source = NULL;
	struct td_mrc *m = NULL;
	int rc = td_lib_curve_source(c, &source, err);
	if (rc)
		return rc;
	c->facts = source->facts;
	c->format = source->ops->format;
	rc = td_mrc_open(&m, method, config, c->rate, err);
	if (!rc)
		rc = read_all(c, source, m, err);
	if (!rc)
		rc = make_curve(c, m, source->groups && method->groups && c->rate >= 1, out, err);
	if (!rc)
		memcpy((*out)->input_digest, source->facts.digest, sizeof source->facts.digest);
	td_mrc_close(m);
	td_trace_close(source);
	return rc;
}

static void put_settings(struct td_lib_settings *s, const struct td_lib_curve *c,
			 const struct tide_mrc *mrc)
{
	struct td_policy_choice choice;

	/* vmin and osl are no policies. */
	if (td_policy_choose(&choice, c->policy, TIDE_EVICT, NULL)) {
		td_lib_settings_text(s, "curve", c->policy);
	} else {
		td_lib_settings_policy(s, "curve", &choice);
		td_policy_release(&choice);
	}
	td_lib_settings_number(s, "learned", c->learned[0]);
	td_lib_settings_number(s, "learned", c->learned[1]);
	td_lib_settings_number(s, "page", c->page_bytes);
	td_lib_settings_number(s, "seed", c->seed);
	td_lib_settings_number(s, "sample", (uint64_t)(c->rate * 0x1p60));
	for (size_t i = 0; i < mrc->n; i++)
		td_lib_settings_number(s, mrc->objects ? "bytes" : "size",
				       mrc->objects ? mrc->objects[i].near_bytes
						    : mrc->at[i].size_pages);
}

static int sign(struct tide_mrc *mrc, const struct td_lib_curve *c, struct tide_error *err)
{
	struct td_lib_settings s;
	int rc = td_lib_settings_begin(&s);

	if (!rc) {
		put_settings(&s, c, mrc);
		rc = td_lib_settings_end(&s, mrc->settings_digest);
	}
	return rc ? tide_fail(err, rc, "out of memory") : 0;
}

int td_lib_mrc_run(struct tide_mrc **out, const struct tide_mrc_options *options,
		   struct td_lib_reading *reading, tide_progress *progress, void *arg,
		   struct tide_error *err)
{
	struct tide_mrc_options own = {0};
	int rc = td_lib_given(out, "out", err);
	if (!rc)
		rc = TD_LIB_TAKE(&own, options, tide_mrc_options, err);
	if (rc)
		return rc;
	struct td_lib_curve c = {
		.options = &own,
		.reading = reading,
		.policy = own.policy ? own.policy : "lru",
		.facts = TD_TRACE_NO_FACTS,
		.progress = progress,
		.arg = arg,
	};
	const struct td_mrc_method *method = NULL;
	struct td_lib_leu leu = {0};
	rc = judge_options(&c, err);
	if (!rc)
		rc = choose_method(&c, &leu, &method, err);
	if (!rc && method)
		rc = one_pass(&c, method, &leu.config, out, err);
	if (rc == -E2BIG && leu.is_trained) {
		rc = 0;
		method = NULL;
	}
	if (!rc && !method)
		rc = td_lib_curve_runs(&c, out, err);
	if (!rc && (rc = sign(*out, &c, err)))
		free(*out);
	td_lib_leu_free(&leu);
	free(c.sizes);
	return rc;
}

int tide_mrc_run(struct tide_mrc **out, const struct tide_mrc_options *options,
		 tide_progress *progress, void *arg, struct tide_error *err)
{
	return td_lib_mrc_run(out, options, NULL, progress, arg, err);
}
