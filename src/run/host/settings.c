#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "preload.h"

struct td_preload_settings td_preload_settings;

/* `tide run` has checked every value: what cannot be read is the default. */
static size_t size_of(const char *text, size_t unit, size_t initial)
{
	uint64_t n;
	size_t len = text ? strlen(text) : 0;

	if (len > 1 && text[len - 1] == 'p' && td_core_count(text, len - 1, &n) == 0)
		return (size_t)n * unit;
	return text && td_core_size(text, len, &n) == 0 && n ? (size_t)n : initial;
}

/* A copy: a program may write over its environment, to show a title. */
static const char *text_of(const char *name)
{
	const char *text = getenv(name);

	return text && *text ? strdup(text) : NULL;
}

bool td_preload_read_settings(void)
{
	struct td_preload_settings *s = &td_preload_settings;
	struct tide_options *o = &s->options;
	const char *forks = getenv("TIDE_RUN_fork");

	if (!getenv("TIDE_RUN_near_size"))
		return false;
#define TD_SETTING(name) o->name = text_of("TIDE_RUN_" #name);
#include "settings.def"
#undef TD_SETTING
	o->size = sizeof *o;
	o->over_budget = getenv("TIDE_RUN_over_budget") != NULL;
	s->page_bytes = size_of(o->page, 1, TD_OS_PAGE);
	/* A placement policy works on single pages. */
	s->chunk_bytes = size_of(o->chunk, s->page_bytes, o->place ? s->page_bytes : 65536);
	if (s->chunk_bytes < s->page_bytes)
		s->chunk_bytes = s->page_bytes;
	s->near_bytes = size_of(o->near_size, s->page_bytes, 0);
	s->threshold_bytes = size_of(getenv("TIDE_RUN_threshold"), s->page_bytes, 1 << 20);
	s->by_signal = !o->service || strcmp(o->service, "thread") != 0;
	s->fork = forks && strcmp(forks, "refuse") == 0 ? TD_FORK_REFUSE : TD_FORK_COPY;
	s->slots = text_of("TIDE_RUN_slots");
	s->save_set = text_of("TIDE_RUN_save_set");
	s->load_set = text_of("TIDE_RUN_load_set");
	snprintf(s->program, sizeof s->program, "%s", program_invocation_short_name);
	return true;
}
