/* Decisions of one warp, one JSON line each, to compare with those of the simulator:
 *
 *     {"page":17,"tier":2}      the victim, and where it went; 1: it was kept */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

int td_cuda_log_open(struct tide_gpu *g, const char *path, struct tide_error *err)
{
	if (!path)
		return 0;
	g->log_path = strdup(path);
	if (!g->log_path)
		return tide_fail(err, -ENOMEM, "out of memory");
	g->log = fopen(path, "we");
	if (!g->log)
		return tide_fail(err, -errno, "cannot write the decision log %s: %s", path,
				 strerror(errno));
	return 0;
}

static int judge(const struct tide_gpu *g, uint64_t used, struct tide_error *err)
{
	if (fflush(g->log) || ferror(g->log))
		return tide_fail(err, -EIO, "cannot write the decision log %s: is the disk full?",
				 g->log_path);
	if (used > g->control.log_room)
		return tide_fail(err, -ENOSPC,
				 "a launch made %" PRIu64
				 " decisions, and the log has room for %" PRIu64
				 ": replay in several launches",
				 used, g->control.log_room);
	return 0;
}

int td_cuda_log_write(struct tide_gpu *g, struct tide_error *err)
{
	uint64_t used = 0, none = 0;
	if (!g->log)
		return 0;
	int rc = td_cuda_device.copy(&used, &g->on_gpu->log_used, sizeof used, err);
	if (!rc)
		rc = td_cuda_device.copy(&g->on_gpu->log_used, &none, sizeof none, err);
	if (rc)
		return rc;
	for (uint64_t i = 0; i < used && i < g->control.log_room; i++)
		fprintf(g->log, "{\"page\":%" PRIu32 ",\"tier\":%" PRIu32 "}\n",
			g->control.log[i].page, g->control.log[i].tier);
	return judge(g, used, err);
}

int td_cuda_log_close(struct tide_gpu *g, struct tide_error *err)
{
	bool failed = g->log && fclose(g->log);
	int rc = failed ? tide_fail(err, -EIO, "cannot write the decision log %s", g->log_path) : 0;
	free(g->log_path);
	g->log = NULL;
	g->log_path = NULL;
	return rc;
}
