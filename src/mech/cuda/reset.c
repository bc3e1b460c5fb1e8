/* Everything to its file, and then as if nothing had happened. */
#include "core/assert.h"
#include "orchestrate.h"
#include "runtime.h"

/* What no file ever had is still zero. */
static void forget(const struct tide_gpu *g, struct td_cuda_tables *t)
{
	for (uint64_t page = 0; page < g->pages_used; page++)
		t->entries[page] &= TD_DEV_FRESH;
}

static void forget_counts(struct tide_gpu *g)
{
	for (uint32_t i = 0; i < g->set.proxies; i++) {
		atomic_store(&g->proxies[i].reads, 0);
		atomic_store(&g->proxies[i].writes, 0);
	}
	g->io_errors = g->moved_bytes[0] = g->moved_bytes[1] = 0;
}

static int start_anew(struct tide_gpu *g, struct tide_error *err)
{
	td_cuda_regression_reset(g);
	forget_counts(g);
	int rc = td_cuda_initialise(g, err);
	return rc || !g->orchestrator ? rc : td_cuda_orchestrate_reset(g, err);
}

int td_cuda_reset(struct tide_gpu *g, struct tide_error *err)
{
	struct td_cuda_tables t;
	int rc = td_cuda_ready(g, err);
	if (!rc)
		rc = td_cuda_tables_load_settled(g, &t, err);
	if (rc)
		return rc;
	rc = td_cuda_write_dirty(g, &t, true, err);
	if (!rc)
		forget(g, &t);
	int stored = td_cuda_tables_store(g, &t, rc ? NULL : err);
	td_cuda_tables_free(&t);
	rc = rc ? rc : stored;
	if (!rc)
		rc = start_anew(g, err);
	td_checked(td_cuda_check_rest(g));
	return rc;
}
