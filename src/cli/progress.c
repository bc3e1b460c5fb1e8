#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "core/clock.h"

static const char *const whens[] = {"auto", "always", "never"};

int td_cli_progress_start(struct td_cli_progress *p, const char *when, const char *what,
			  struct tide_error *err)
{
	*p = (struct td_cli_progress){.what = what};
	if (!when || strcmp(when, "auto") == 0)
		p->on = isatty(STDERR_FILENO);
	else if (strcmp(when, "always") == 0)
		p->on = true;
	else if (strcmp(when, "never") != 0)
		return td_cli_unknown("value of --progress,", when, whens, 3, err);
	return 0;
}

void td_cli_progress_show(void *progress, uint64_t done, uint64_t total)
{
	struct td_cli_progress *p = progress;
	uint64_t now;

	if (!p->on)
		return;
	now = td_clock_ns();
	if (p->drawn && now - p->shown_ns < 100000000)
		return;
	p->shown_ns = now;
	p->drawn = true;
	if (total)
		fprintf(stderr, "\r%s: %3.0f%%", p->what,
			100.0 * (double)(done < total ? done : total) / (double)total);
	else
		fprintf(stderr, "\r%s: %s", p->what, td_cli_grouped(done).text);
	fflush(stderr);
}

/* Leaves the line empty, so that an error or the result starts at its beginning. */
void td_cli_progress_end(struct td_cli_progress *p)
{
	if (p->drawn)
		fprintf(stderr, "\r%*s\r", (int)strlen(p->what) + 32, "");
	p->drawn = false;
}
