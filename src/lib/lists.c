/* Lists: the version, policies and workloads. */
#include <errno.h>
#include <string.h>

#include "core/params.h"
#include "lib.h"
#include "workload/workload.h"

const char *tide_version(void)
{
	return TIDE_VERSION;
}

const struct tide_policy *tide_policy_at(size_t i)
{
	size_t n = 0;
	while (td_policy_table[n] && n < i)
		n++;
	return td_policy_table[n];
}

/* A plain pattern's facts at its default size, by a pass over it where it does not say. */
static int survey_default(const struct td_workload *w, uint64_t page_bytes,
			  struct td_trace_facts *facts)
{
	struct td_trace_source *source;
	int rc = td_workload_open(&source, w->name, page_bytes, 1, NULL);
	if (rc)
		return rc;
	*facts = source->facts;
	if (facts->pages == TD_UNKNOWN || facts->accesses == TD_UNKNOWN)
		rc = td_sim_survey(source, facts, NULL);
	td_trace_close(source);
	return rc;
}

static int fill_workload(const struct td_workload *w, struct tide_workload_info *info)
{
	struct td_trace_facts facts = {0};
	*info = (struct tide_workload_info){.name = w->name,
					    .paper = w->paper,
					    .type = w->type,
					    .summary = w->summary,
					    .footprint_bytes = w->footprint_bytes,
					    .accesses = w->accesses,
					    .published_bytes = w->published_bytes,
					    .params = w->params,
					    .page_bytes = td_workload_page_bytes(w),
					    .arrays = w->arrays,
					    .touched_bytes = w->touched_bytes ? w->touched_bytes
									      : w->footprint_bytes};
	if (w->accesses || strcmp(w->paper, "pattern") != 0)
		return 0;
	int rc = survey_default(w, info->page_bytes, &facts);
	info->footprint_bytes = info->touched_bytes = facts.pages * info->page_bytes;
	info->accesses = facts.accesses;
	return rc;
}

int tide_workload_at(size_t i, struct tide_workload_info *info)
{
	struct tide_workload_info own;
	const struct td_workload *w = td_workload_at(i);
	if (!w)
		return -ENOENT;
	int rc = fill_workload(w, &own);
	return rc ? rc : TD_LIB_GIVE(info, &own, tide_workload_info, NULL);
}

int tide_model_at(size_t i, struct tide_model_info *info)
{
	struct tide_model_info own = {0};
	_Static_assert(sizeof own.params / sizeof *own.params == TD_TIMED_PARAMS,
		       "the rows of all models fit");
	own.name = td_timed_preset(i, &own.summary, own.params);
	return own.name ? TD_LIB_GIVE(info, &own, tide_model_info, NULL) : -ENOENT;
}
