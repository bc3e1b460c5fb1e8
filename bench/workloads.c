/* Says what the accesses of an application stand for, at its default size, as "ACCESSES
 * INSTRUCTIONS": instructions of warps. In exact mode an access says how many were merged into it.
 * In wave mode it says how many warps were on a page when the wave came to it, but not for how long
 * they stayed, which is no access any more: all instructions of all warps are counted there.
 *
 * usage: workloads NAME */
#include <inttypes.h>
#include <stdio.h>

#include "lab/workload/gpu_run.h"

static int run(struct td_trace_source *source, uint64_t *accesses, uint64_t *counts)
{
	static struct tide_batch batch;
	static struct tide_batch_gpu gpu;
	int rc;

	batch.gpu = &gpu;
	do {
		rc = source->ops->next(source, &batch, NULL);
		*accesses += batch.n;
		for (uint32_t i = 0; i < batch.n; i++)
			*counts += gpu.count[i];
	} while (!rc && batch.n);
	return rc;
}

int main(int argc, char **argv)
{
	struct td_trace_source *source;
	struct tide_error err = {0};
	uint64_t accesses = 0, counts = 0;
	const char *name = argc > 1 ? argv[1] : "";
	uint64_t page_bytes = td_workload_page_bytes(td_workload_find(name));

	if (td_workload_open(&source, name, page_bytes, 1, &err)) {
		fprintf(stderr, "workloads: %s\n", err.text);
		return 1;
	}
	const struct td_gpu_app *app = td_gpu_of(source);
	int rc = app ? run(source, &accesses, &counts) : -1;
	if (!rc)
		printf("%" PRIu64 " %" PRIu64 "\n", accesses,
		       app->wave ? ((struct td_gpu_source *)source)->wave.instructions : counts);
	source->ops->close(source);
	return rc != 0;
}
