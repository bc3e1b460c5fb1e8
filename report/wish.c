/* What a user wants to see. */
#include <errno.h>
#include <string.h>

#include "model.h"

static const char *const orders[] = {
	[TD_REPORT_BY_FIRST] = "first",
	[TD_REPORT_BY_NAME] = "name",
	[TD_REPORT_BY_BEST] = "best",
};

static int take_order(struct td_report *r, const char *text, struct tide_error *err)
{
	for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
		if (strcmp(text, orders[i]) == 0) {
			r->order_by = (enum td_report_order_by)i;
			return 0;
		}
	return tide_fail(err, -EINVAL, "unknown order %.40s: give first, name or best", text);
}

int td_report_wish(struct td_report *r, const struct td_report_wish *wish, struct tide_error *err)
{
	int rc = td_report_look_width(&r->look, wish->width, err);

	r->wish = *wish;
	if (!rc)
		rc = td_report_look_colours(&r->look, wish->colours, err);
	if (!rc && wish->order)
		rc = take_order(r, wish->order, err);
	if (!rc && wish->n_series > TD_REPORT_STYLES)
		rc = tide_fail(err, -EINVAL, "more than %d series in a figure: give fewer",
			       TD_REPORT_STYLES);
	return rc;
}

static bool is_part(const char *name, const char *part)
{
	size_t n = strlen(part);

	for (; name; name = strchr(name, '+')) {
		name += *name == '+';
		if (strncmp(name, part, n) == 0 && (name[n] == '\0' || name[n] == '+'))
			return true;
	}
	return false;
}

bool td_report_is_called(const char *name, const char *wanted)
{
	/* A curve has no prefetch policy: "lru" is meant by "lru+none" too. */
	return is_part(name, wanted) || (!strchr(name, '+') && is_part(wanted, name));
}

size_t td_report_wanted(const struct td_report *r, const char *name)
{
	for (size_t i = 0; i < r->wish.n_series; i++)
		if (td_report_is_called(name, r->wish.series[i]))
			return i;
	return SIZE_MAX;
}

static bool is_there(const struct td_report *r, const char *wanted, bool with_curves)
{
	for (size_t i = 0; i < r->combinations.n; i++)
		if (td_report_is_called(r->combinations.at[i], wanted))
			return true;
	for (size_t i = 0; with_curves && i < r->n_curves; i++)
		if (td_report_is_called(r->policies.at[r->curves[i].policy], wanted))
			return true;
	return false;
}

static int check_one(const struct td_report *r, const char *option, const char *wanted,
		     bool with_curves, struct tide_error *err)
{
	if (!wanted || is_there(r, wanted, with_curves))
		return 0;
	return tide_fail(err, -EINVAL, "--%s %.60s: no result has this policy: %s%.60s%s", option,
			 wanted, r->combinations.n ? "give one such as " : "give one of the curves",
			 r->combinations.n ? r->combinations.at[0] : "",
			 r->combinations.n ? ", or a part of it" : "");
}

int td_report_check_wish(const struct td_report *r, struct tide_error *err)
{
	int rc = check_one(r, "baseline", r->wish.baseline, false, err);

	for (size_t i = 0; i < r->wish.n_series && !rc; i++)
		rc = check_one(r, "series", r->wish.series[i], true, err);
	return rc;
}
