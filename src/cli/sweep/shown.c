/* The line of progress: how much of a sweep is done, how fast it goes, and when it will end. */
#include "core/clock.h"
#include "sweep.h"

struct words {
	char text[48];
};

static struct words rate_text(double per_second)
{
	struct words out;
	double rate = per_second;
	const char *unit = "s";

	if (rate < 1) {
		rate = per_second * 60;
		unit = "min";
	}
	if (rate < 1) {
		rate = per_second * 3600;
		unit = "h";
	}
	snprintf(out.text, sizeof out.text, "%.1f/%s", rate, unit);
	return out;
}

static struct words time_text(double seconds)
{
	struct words out;

	if (seconds < 100)
		snprintf(out.text, sizeof out.text, "%.0f s", seconds);
	else if (seconds < 6000)
		snprintf(out.text, sizeof out.text, "%.0f min", seconds / 60);
	else
		snprintf(out.text, sizeof out.text, "%.1f h", seconds / 3600);
	return out;
}

/* What is done now tells how fast it goes: what was done before may be of another machine. */
void td_cli_sweep_draw(struct td_cli_sweep *s)
{
	double part = (double)s->runs.millionths / 1e6;
	double seconds = (double)(td_clock_ns() - s->started_ns) / 1e9;
	size_t before = s->plan.done + s->plan.failed;
	char line[200];
	int n = snprintf(line, sizeof line, "sweep: %s of %s runs",
			 td_cli_grouped(before + s->done + s->failed + s->elsewhere).text,
			 td_cli_grouped(s->plan.n).text);

	if (s->failed + s->plan.failed)
		n += snprintf(line + n, sizeof line - (size_t)n, ", %s failed",
			      td_cli_grouped(s->failed + s->plan.failed).text);
	if (part > 0 && seconds > 0)
		n += snprintf(line + n, sizeof line - (size_t)n, ", %s, %s left",
			      rate_text(part / seconds).text,
			      time_text(((double)s->plan.left - part) * seconds / part).text);
	n += snprintf(line + n, sizeof line - (size_t)n, "%s", s->note);
	fprintf(stderr, "\r%-*s", s->drawn, line);
	fflush(stderr);
	s->drawn = n;
}

void td_cli_sweep_wipe(struct td_cli_sweep *s)
{
	if (s->drawn)
		fprintf(stderr, "\r%*s\r", s->drawn, "");
	s->drawn = 0;
}
