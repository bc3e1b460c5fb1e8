/* Claims: the tables of the papers, the expressions over results, and how a row is judged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "lab/claims/claims.h"

/* Here and not in a table, so that rows.h is tried outside of a paper too. */
#include "lab/claims/rows.h"

/* ---- the tables ---- */

static const struct td_claims_paper *const papers[] = {&td_claims_paper_cppe, &td_claims_paper_gmt,
						       &td_claims_paper_observuvm,
						       &td_claims_paper_leu, &td_claims_paper_gram};
#define PAPERS (sizeof papers / sizeof *papers)

static bool is_text(const char *text)
{
	return text && *text;
}

static void rows_are_whole(void **state)
{
	(void)state;
	for (size_t k = 0; k < PAPERS; k++) {
		assert_in_range(papers[k]->rows_n, 29, 1000);
		for (size_t i = 0; i < papers[k]->rows_n; i++) {
			const struct td_claim *row = &papers[k]->rows[i];
			if (!is_text(row->id) || !is_text(row->what) || !is_text(row->place))
				fail_msg("%s: row %zu lacks an id, a sentence or a place",
					 papers[k]->name, i);
			if (row->kind == TD_CLAIM_NOT_JUDGED && !is_text(row->why))
				fail_msg("%s: why is it not judged?", row->id);
			if (row->kind == TD_CLAIM_FIGURE && (row->text || isnan(row->published)))
				fail_msg("%s: a figure is a number", row->id);
			if (row->kind == TD_CLAIM_DIRECTION && !is_text(row->text))
				fail_msg("%s: what does the paper say?", row->id);
		}
	}
}

static void ids_are_unique(void **state)
{
	(void)state;
	for (size_t k = 0; k < PAPERS; k++)
		for (size_t i = 0; i < papers[k]->rows_n; i++)
			for (size_t j = 0; j < i; j++)
				if (!strcmp(papers[k]->rows[i].id, papers[k]->rows[j].id))
					fail_msg("%s: twice %s", papers[k]->name,
						 papers[k]->rows[i].id);
}

/* Every setting belongs to a study that there is, and runs something that there is. */
static void settings_have_studies(void **state)
{
	(void)state;
	for (size_t k = 0; k < PAPERS && papers[k]->setting; k++) {
		const struct td_claims_paper *p = papers[k];
		unsigned studies = p->first_alone;
		while (p->study_name(studies - p->first_alone))
			studies++;
		for (unsigned s = 0; s < p->settings; s++) {
			const struct td_claims_setting *set = p->setting(s);
			assert_in_range(set->study, 0, studies - 1);
			assert_in_range(set->apps, 1, TD_BIT(p->apps) - 1);
			assert_in_range(set->configs, 1, TD_BIT(p->configs) - 1);
		}
		assert_non_null(p->app(p->apps - 1));
		assert_null(p->app(p->apps));
	}
}

/* ---- folds ---- */

static struct td_fold fold_of(const double *values, unsigned n)
{
	struct td_fold f = {0};

	for (unsigned i = 0; i < n; i++)
		td_fold_add(&f, i, values[i]);
	return f;
}

static void folds(void **state)
{
	static const double values[] = {2, 8, 1, 4}, gap[] = {2, NAN, 8};
	struct td_fold f = fold_of(values, 4), with_gap = fold_of(gap, 3);

	(void)state;
	assert_float_equal(td_fold_mean(f), 3.75, 1e-12);
	assert_float_equal(td_fold_geomean(f), sqrt(8), 1e-12);
	assert_float_equal(td_fold_least(f), 1, 0);
	assert_int_equal(f.least_at, 2);
	assert_float_equal(td_fold_most(f), 8, 0);
	assert_int_equal(f.most_at, 1);
	/* One that is missing makes all of it unknown, unless what is known will do. */
	assert_true(isnan(td_fold_mean(with_gap)));
	assert_true(isnan(td_fold_most(with_gap)));
	assert_float_equal(td_fold_mean(td_fold_known(with_gap)), 5, 0);
	assert_float_equal(td_fold_geomean(td_fold_known(with_gap)), 4, 1e-12);
	assert_true(isnan(td_fold_mean(td_fold_known(fold_of(gap + 1, 1)))));
	assert_true(isnan(td_claims_higher(1, NAN)));
	assert_float_equal(td_claims_lower(1, 2), 1, 0);
}

/* ---- judging ---- */

static const char *name(size_t i)
{
	static const char *const names[] = {"first", "second"};

	return i < 2 ? names[i] : NULL;
}

/* The statement of a row. */
static json_t *state_row(const struct td_claim *row, struct td_claims_measured m)
{
	struct td_cli_reproduction r = {.statements = json_array(), .app = name, .config = name};

	td_claims_state(&r, row, &m);
	json_t *one = json_incref(json_array_get(r.statements, 0));
	json_decref(r.statements);
	assert_non_null(one);
	return one;
}

static void expect_text(json_t *statement, const char *key, const char *text)
{
	const char *is = json_string_value(json_object_get(statement, key));

	if (text)
		assert_string_equal(is, text);
	else
		assert_null(is);
}

static const struct td_claim figure = {.id = "a",
				       .what = "b",
				       .place = "Figure 1",
				       .kind = TD_CLAIM_FIGURE,
				       .published = 2,
				       .why = "luck"};

static void judges_figures(void **state)
{
	struct td_claim row = figure;
	json_t *s = state_row(&row, (struct td_claims_measured){{2.1}, NULL, 1, NULL});

	(void)state;
	assert_float_equal(json_real_value(json_object_get(s, "measured")), 2.1, 0);
	assert_float_equal(json_real_value(json_object_get(s, "error")), .05, 1e-12);
	assert_true(json_is_null(json_object_get(s, "agrees")));
	expect_text(s, "note", NULL);
	expect_text(s, "kind", "figure");
	json_decref(s);
	s = state_row(&row, (struct td_claims_measured){{1}, NULL, 0, NULL});
	assert_float_equal(json_real_value(json_object_get(s, "error")), -.5, 1e-12);
	expect_text(s, "note", "luck");
	json_decref(s);
	s = state_row(&row, (struct td_claims_measured){{6}, NULL, 1, "another reason"});
	expect_text(s, "note", "another reason");
	json_decref(s);
	s = state_row(&row, (struct td_claims_measured){{NAN}, NULL, 1, NULL});
	assert_true(json_is_null(json_object_get(s, "error")));
	assert_true(json_is_null(json_object_get(s, "measured")));
	json_decref(s);
}

/* Nothing where nothing was published is right, and anything is all wrong. */
static void zero_is_judged(void **state)
{
	struct td_claim row = figure;

	(void)state;
	row.published = 0;
	for (int measured = -1; measured <= 1; measured++) {
		json_t *s = state_row(&row, (struct td_claims_measured){{measured}, NULL, 1, NULL});
		assert_float_equal(json_real_value(json_object_get(s, "error")), measured, 0);
		json_decref(s);
	}
}

static json_t *statement(const char *kind, json_t *error, json_t *agrees)
{
	return json_pack("{ss ss so so}", "id", kind, "kind", kind, "error", error, "agrees",
			 agrees);
}

/* Identities and what is not judged are not counted. */
static void measures_statements(void **state)
{
	static const char *const headlines[] = {"no such", "figure", NULL};
	struct td_cli_reproduction r = {.headlines = headlines};

	(void)state;
	r.statements =
		json_pack("[o o o o o o o o]", statement("figure", json_real(-.05), json_null()),
			  statement("figure", json_real(.2), json_null()),
			  statement("figure", json_real(7), json_null()),
			  statement("figure", json_null(), json_null()),
			  statement("direction", json_null(), json_true()),
			  statement("direction", json_null(), json_false()),
			  statement("identity", json_null(), json_true()),
			  statement("not judged", json_null(), json_null()));
	json_t *m = td_cli_reproduce_measured(&r, NULL);
	json_t *wanted = json_pack("{s[s] si sf si si s{si si} s{si si} si}", "headlines", "figure",
				   "figures", 3, "median_error", .2, "within_10", 1, "within_25", 2,
				   "directions", "agree", 1, "of", 2, "identities", "hold", 1, "of",
				   1, "not_judged", 2);
	assert_true(json_equal(m, wanted));
	json_decref(wanted);
	json_decref(m);
	json_decref(r.statements);
}

static void headlines_are_figures(void **state)
{
	(void)state;
	for (size_t k = 0; k < PAPERS; k++)
		for (const char *const *id = papers[k]->headlines; id && *id; id++) {
			size_t i = 0;
			while (i < papers[k]->rows_n && strcmp(papers[k]->rows[i].id, *id) != 0)
				i++;
			assert_in_range(i, 0, papers[k]->rows_n - 1);
			assert_int_equal(papers[k]->rows[i].kind, TD_CLAIM_FIGURE);
		}
}

static void writes_values(void **state)
{
	const struct td_claim row = {.id = "a",
				     .what = "b",
				     .place = "Table 2",
				     .kind = TD_CLAIM_DIRECTION,
				     .text = "more",
				     .format = "%.2f%% of %s, %+.0f, %c",
				     .why = "luck"};
	json_t *s = state_row(&row, (struct td_claims_measured){{0.5, 1, 3, 0}, NULL, 1, NULL});

	(void)state;
	expect_text(s, "measured", "0.50% of second, +3, first");
	expect_text(s, "published", "more");
	expect_text(s, "note", NULL);
	json_decref(s);
	s = state_row(&row, (struct td_claims_measured){{0.5, 1, NAN, 0}, NULL, 1, NULL});
	assert_true(json_is_null(json_object_get(s, "measured")));
	json_decref(s);
	s = state_row(&row, (struct td_claims_measured){{NAN}, "in words", 0, NULL});
	expect_text(s, "measured", "in words");
	expect_text(s, "note", "luck");
	json_decref(s);
	s = state_row(&row, (struct td_claims_measured){{1, 1, 1, 1}, NULL, TD_UNJUDGED, NULL});
	assert_true(json_is_null(json_object_get(s, "agrees")));
	expect_text(s, "note", "luck");
	json_decref(s);
}

/* ---- the grid ---- */

static const char *app(size_t i)
{
	static const char *const names[] = {"cyclic:pages=32,accesses=512",
					    "cyclic:pages=64,accesses=512"};

	return i < 2 ? names[i] : NULL;
}

static const char *study(size_t i)
{
	static const char *const names[] = {"main", "other"};

	return i < 2 ? names[i] : NULL;
}

static const struct td_claims_setting *setting(unsigned s)
{
	static const struct td_claims_setting settings[] = {{0, 3, 3}, {1, 3, 2}, {1, 1, 1}};

	return &settings[s];
}

/* Setting 2 is setting 0 again, and so are its runs. */
static void make(const struct td_claims *p, unsigned s, unsigned a, unsigned c,
		 struct td_claims_run *run)
{
	snprintf(run->workload, sizeof run->workload, "%s", p->paper->app(a));
	snprintf(run->near_size, sizeof run->near_size, s == 1 ? "16p" : "24p");
	snprintf(run->evict, sizeof run->evict, c ? "mru" : "lru");
	snprintf(run->model, sizeof run->model, "cppe");
	run->chunk = "1p";
	run->prefetch = "none";
}

static void claim(struct td_claims *p)
{
	struct td_cli_reproduction *r = &p->r;
	const struct td_claim *row = p->paper->rows;
	struct td_claims_cell note = {""};
	bool on = true;

	assert_int_equal(p->n, 6);
	assert_ptr_equal(td_claims_run(p, 0, 0, 0), td_claims_run(p, 2, 0, 0));
	assert_null(td_claims_run(p, 2, 1, 0));
	assert_float_equal(COUNTED(accesses, 0, 0, 0), 512, 0);
	assert_true(isnan(REPORTED("no.such", 0, 0, 0)));
	assert_true(LEAST(3, TIME(0, a, 0) / TIME(0, a, 1)) > 1);
	assert_float_equal(COUNT(3, COUNTED(faults, 0, a, 0) == 512), 2, 0);
	assert_true(isnan(MEAN(3, TIME(2, a, 0))));
	FIGURE("x", "Figure 1", "y", 1, MEAN(3, TIME(1, a, 1)), NULL)
	WHEN(HAS(0) && !HAS(1))
	DIRECTION("x", "Figure 1", "y", "z", x > y, NULL, "%.0f", 1, 0)
	assert_int_equal(row - p->paper->rows, 2);
	assert_int_equal(json_array_size(r->statements), 1);
}

static int print(const struct td_claims *p, struct tide_error *err)
{
	static const struct td_claims_column column =
		TD_COLUMN("time", td_claims_time_ns, 0, 0, 0, "-");

	return td_claims_print(
		p,
		&(struct td_claims_table){
			.title = "times", .columns = &column, .columns_n = 1, .published = true},
		p->wanted, err);
}

static void runs_a_grid(void **state)
{
	static const struct td_claims_study studies[] = {{"main", 0}, {"other", 1}};
	static const struct td_claim rows[] = {
		{.id = "x", .what = "y", .place = "z"},
		{.id = "y", .what = "y", .place = "z", .text = "more", .format = "%.0f"}};
	const struct td_claims_paper paper = {.name = "test",
					      .apps = 2,
					      .configs = 2,
					      .settings = 3,
					      .app = app,
					      .study_name = study,
					      .setting = setting,
					      .studies = studies,
					      .make = make,
					      .rows = rows,
					      .rows_n = 2,
					      .claim = claim,
					      .print = print};
	struct td_claims_options options = {.progress = "never"};
	struct tide_error err = {0, ""};

	(void)state;
	assert_int_equal(td_claims_evaluate(&paper, &options, &err), 0);
	options.study = "no-such";
	assert_int_not_equal(td_claims_evaluate(&paper, &options, &err), 0);
	assert_non_null(strstr(err.text, "study"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_whole),        cmocka_unit_test(ids_are_unique),
		cmocka_unit_test(settings_have_studies), cmocka_unit_test(folds),
		cmocka_unit_test(judges_figures),        cmocka_unit_test(writes_values),
		cmocka_unit_test(zero_is_judged),        cmocka_unit_test(measures_statements),
		cmocka_unit_test(headlines_are_figures), cmocka_unit_test(runs_a_grid),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
