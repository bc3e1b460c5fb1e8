/* Sizes of objects count only with --objects: whoever has some should know. */
#include <stdlib.h>

#include "cli.h"
#include "trace/trace.h"

#define LOOK 65536 /* accesses */

/* Notes the sizes of a batch. True: two of them differ. */
static bool differ(const struct tide_batch *b, uint64_t *first)
{
	for (uint32_t i = 0; i < b->n; i++) {
		uint64_t bytes = b->object->bytes[i];
		if (*first && bytes && bytes != *first)
			return true;
		*first = *first ? *first : bytes;
	}
	return false;
}

static bool look(struct td_trace_source *source, struct tide_batch *batch)
{
	uint64_t first = 0;

	for (uint64_t n = 0; source->sizes && n < LOOK; n += batch->n) {
		if (td_trace_next(source, batch, NULL) || !batch->n)
			return false;
		if (differ(batch, &first))
			return true;
	}
	return false;
}

bool td_cli_sizes_differ(const struct td_cli_input *in)
{
	struct td_trace_options options = {
		.path = in->trace, .format = in->format, .columns = in->columns};
	struct tide_batch_object *object = calloc(1, sizeof *object);
	struct tide_batch *batch = calloc(1, sizeof *batch);
	struct td_trace_source *source = NULL;
	bool found = false;

	if (object && batch && in->trace && !td_cli_check_rereadable(in->trace, "", NULL) &&
	    !td_trace_open(&source, &options, NULL)) {
		batch->object = object;
		found = look(source, batch);
	}
	td_trace_close(source);
	free(batch);
	free(object);
	return found;
}

void td_cli_note_sizes(const struct td_cli_input *in, bool objects)
{
	if (!objects && td_cli_sizes_differ(in))
		printf("note    objects differ in size, and count as one page each: --objects "
		       "counts their bytes\n");
}
