/* What the inputs and the shared objects of the grid are now: a result of one that has changed
 * since is none of this sweep's. An input is looked at when the first result of it is found, and
 * only then. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "lib/sizes.h"
#include "sweep.h"
#include "trace/trace.h"
#include "workload/workload.h"

static int read_trace(const struct tide_sim_options *o, uint64_t page_bytes, uint64_t digest[2])
{
	struct td_trace_options options = {.path = o->trace,
					   .format = o->format,
					   .columns = o->columns,
					   .page_bytes = page_bytes,
					   .digest = true};
	struct tide_batch *batch = calloc(1, sizeof *batch);
	struct td_trace_source *source = NULL;
	int rc = batch ? td_trace_open(&source, &options, NULL) : -ENOMEM;

	while (!rc && !(rc = td_trace_next(source, batch, NULL)) && batch->n)
		;
	if (!rc) {
		digest[0] = source->facts.digest[0];
		digest[1] = source->facts.digest[1];
	}
	td_trace_close(source);
	free(batch);
	return rc;
}

static struct td_cli_key digest_text(const uint64_t digest[2])
{
	struct td_cli_key out;

	snprintf(out.text, sizeof out.text, "%016" PRIx64 "%016" PRIx64, digest[0], digest[1]);
	return out;
}

/* An input that cannot be read has no digest: its runs will say why. */
static void find_digest(const struct tide_sim_options *o, struct td_cli_key *out)
{
	uint64_t page_bytes, seed, digest[2] = {0, 0};
	int rc = td_lib_page_bytes(o->page, &page_bytes, NULL);

	if (!rc)
		rc = td_lib_seed(o->seed, &seed, NULL);
	if (!rc)
		rc = o->trace ? read_trace(o, page_bytes, digest)
			      : td_workload_digest(o->workload, page_bytes, seed, digest, NULL);
	*out = rc ? (struct td_cli_key){""} : digest_text(digest);
}

int td_cli_grid_digest(const struct td_cli_grid *grid, json_t *found, uint64_t i,
		       struct td_cli_key *out)
{
	struct td_cli_point point;
	const json_t *known;
	char group[24];

	td_cli_grid_at(grid, i, &point);
	snprintf(group, sizeof group, "%" PRIu64, point.group);
	known = json_object_get(found, group);
	if (known) {
		snprintf(out->text, sizeof out->text, "%s", json_string_value(known));
		return 0;
	}
	find_digest(&point.options, out);
	return json_object_set_new(found, group, json_string(out->text)) ? -ENOMEM : 0;
}

struct td_cli_key td_cli_grid_plugins(const struct td_cli_grid *grid, uint64_t i)
{
	struct td_cli_point point;
	uint64_t digest[2];

	td_cli_grid_at(grid, i, &point);
	td_lib_plugins(&point.options, digest);
	return digest[0] || digest[1] ? digest_text(digest) : (struct td_cli_key){""};
}
