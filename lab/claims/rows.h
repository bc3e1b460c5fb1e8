/* How the rows of PAPER.def are read: as a table where ROWS_AS is TABLE, else as code that works
 * them out, where p is the evaluation, r its reproduction, row the table, `on` true and note empty.
 *
 *     WHEN(condition)           the rows that follow, up to the next WHEN, are stated if it holds
 *     NOTE(text)                a td_claims_cell in place of the next row's why
 *     FIGURE(id, place, what, published, measured, why)
 *     IDENTITY(id, place, what, published, measured, agrees, why)
 *     IDENTITY_WORDS(id, place, what, published words, measured words, agrees, why)
 *     DIRECTION(id, place, what, published words, agrees, why, format, values...)
 *     WORDS(id, place, what, published words, measured words, agrees, why)
 *     NOT_JUDGED(id, place, what, published, measured, why)
 *     NOT_JUDGED_WORDS(id, place, what, published words, measured words, why)
 *
 * `agrees` is 0, 1 or TD_UNJUDGED, and may speak of `published` and of the measured values: x, y, z
 * and v[3], v[4], .. */
#undef WHEN
#undef NOTE
#undef FIGURE
#undef IDENTITY
#undef IDENTITY_WORDS
#undef DIRECTION
#undef WORDS
#undef NOT_JUDGED
#undef NOT_JUDGED_WORDS
#undef ROW_NUMBER

#ifdef ROWS_AS_TABLE
#undef ROWS_AS_TABLE
#define WHEN(condition)
#define NOTE(text)
#define ROW_NUMBER(kind_, id_, place_, what_, published_, why_) \
	{.id = id_, \
	 .what = what_, \
	 .place = place_, \
	 .kind = kind_, \
	 .published = published_, \
	 .why = why_},
#define FIGURE(id_, place_, what_, published_, measured_, why_) \
	ROW_NUMBER(TD_CLAIM_FIGURE, id_, place_, what_, published_, why_)
#define IDENTITY(id_, place_, what_, published_, measured_, agrees_, why_) \
	ROW_NUMBER(TD_CLAIM_IDENTITY, id_, place_, what_, published_, why_)
#define NOT_JUDGED(id_, place_, what_, published_, measured_, why_) \
	ROW_NUMBER(TD_CLAIM_NOT_JUDGED, id_, place_, what_, published_, why_)
#define DIRECTION(id_, place_, what_, published_, agrees_, why_, format_, ...) \
	{.id = id_, \
	 .what = what_, \
	 .place = place_, \
	 .kind = TD_CLAIM_DIRECTION, \
	 .text = published_, \
	 .format = format_, \
	 .why = why_},
#define WORDS(id_, place_, what_, published_, words_, agrees_, why_) \
	DIRECTION(id_, place_, what_, published_, agrees_, why_, NULL, 0)
#define IDENTITY_WORDS(id_, place_, what_, published_, words_, agrees_, why_) \
	{.id = id_, \
	 .what = what_, \
	 .place = place_, \
	 .kind = TD_CLAIM_IDENTITY, \
	 .text = published_, \
	 .why = why_},
#define NOT_JUDGED_WORDS(id_, place_, what_, published_, words_, why_) \
	{.id = id_, \
	 .what = what_, \
	 .place = place_, \
	 .kind = TD_CLAIM_NOT_JUDGED, \
	 .text = published_, \
	 .why = why_},

#else
#define WHEN(condition) on = (condition);
#define NOTE(text_) \
	if (on) \
		note = text_;
#define ROW_NUMBER(published_, measured_, agrees_) \
	if (on) { \
		const double published = published_, x = measured_; \
		(void)published; \
		td_claims_state(r, row, \
				&(struct td_claims_measured){{x}, NULL, agrees_, note.text}); \
	} \
	note.text[0] = 0; \
	row++;
#define FIGURE(id_, place_, what_, published_, measured_, why_) ROW_NUMBER(published_, measured_, 1)
#define IDENTITY(id_, place_, what_, published_, measured_, agrees_, why_) \
	ROW_NUMBER(published_, measured_, agrees_)
#define NOT_JUDGED(id_, place_, what_, published_, measured_, why_) \
	ROW_NUMBER(published_, measured_, TD_UNJUDGED)
#define DIRECTION(id_, place_, what_, published_, agrees_, why_, format_, ...) \
	if (on) { \
		struct td_claims_measured m = {{__VA_ARGS__}, NULL, 0, note.text}; \
		const double *v = m.v, x = v[0], y = v[1], z = v[2]; \
		(void)x, (void)y, (void)z; \
		m.agrees = agrees_; \
		td_claims_state(r, row, &m); \
	} \
	note.text[0] = 0; \
	row++;
#define WORDS(id_, place_, what_, published_, words_, agrees_, why_) \
	if (on) \
		td_claims_state(r, row, \
				&(struct td_claims_measured){{NAN}, words_, agrees_, note.text}); \
	note.text[0] = 0; \
	row++;
#define IDENTITY_WORDS WORDS
#define NOT_JUDGED_WORDS(id_, place_, what_, published_, words_, why_) \
	WORDS(id_, place_, what_, published_, words_, TD_UNJUDGED, why_)
#endif

/* Of the runs of p. `group`: applications as bits; the expression speaks of each of them as a. */
#ifndef TD_CLAIMS_ROWS_H
#define TD_CLAIMS_ROWS_H

#include <math.h>

#define TIME(s, a, c) td_claims_time_ns(p, s, a, c)
#define COUNTED(counter, s, a, c) \
	td_claims_counted(p, s, a, c, offsetof(struct tide_counts, counter))
#define REPORTED(key, s, a, c) td_claims_reported(p, s, a, c, key)
#define STUDIED(study) td_claims_studied(p, study)
#define HAS(app) (p->wanted >> (app)&1)

#define OVER(group, expression) \
	({ \
		struct td_fold fold_ = {0}; \
		for (unsigned a = 0; a < p->paper->apps; a++) \
			if ((group) >> a & 1) \
				td_fold_add(&fold_, a, expression); \
		fold_; \
	})
#define MEAN(group, expression) td_fold_mean(OVER(group, expression))
#define GEOMEAN(group, expression) td_fold_geomean(OVER(group, expression))
#define LEAST(group, expression) td_fold_least(OVER(group, expression))
#define MOST(group, expression) td_fold_most(OVER(group, expression))
#define COUNT(group, condition) (OVER(group, (condition) ? 1 : 0).sum)

#endif
