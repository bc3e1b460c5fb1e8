/* What there is: version, policies, workloads. */
#include <errno.h>

#include "core/params.h"
#include "lib.h"
#include "workload/workload.h"

#define LIST_PAGE_BYTES 4096

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

/* A workload's facts at its default size, by a pass over it where it does not say. */
static int default_facts(const char *name, struct td_trace_facts *facts)
{
	struct td_trace_source *source;
	int rc = td_workload_open(&source, name, LIST_PAGE_BYTES, 1, NULL);
	if (rc)
		return rc;
	*facts = source->facts;
	if (facts->pages == TD_UNKNOWN || facts->accesses == TD_UNKNOWN)
		rc = td_sim_survey(source, facts, NULL);
	td_trace_close(source);
	return rc;
}

int tide_workload_at(size_t i, struct tide_workload_info *info)
{
	size_t n = 0;
	struct td_trace_facts facts;
	while (td_workload_table[n] && n < i)
		n++;
	const struct td_workload *w = td_workload_table[n];
	if (!w)
		return -ENOENT;
	int rc = default_facts(w->name, &facts);
	*info = (struct tide_workload_info){w->name,
					    w->paper,
					    w->type,
					    w->summary,
					    .params = w->params,
					    .published_bytes = w->published_bytes};
	if (!rc) {
		info->footprint_bytes = facts.pages * LIST_PAGE_BYTES;
		info->accesses = facts.accesses;
	}
	return rc;
}
