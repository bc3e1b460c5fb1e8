/* tide workloads --describe: arrays and kernels. */
#include <inttypes.h>

#include "workloads.h"

static json_t *arrays_json(const struct tide_workload_shape *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->arrays; i++)
		json_array_append_new(list, json_pack("{ss sI sI}", "name", s->array[i].name,
						      "bytes", (json_int_t)s->array[i].bytes,
						      "base", (json_int_t)s->array[i].base));
	return list;
}

static json_t *range_json(const uint32_t n[2])
{
	return json_pack("[II]", (json_int_t)n[0], (json_int_t)n[1]);
}

static json_t *kernels_json(const struct tide_workload_shape *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->kernels; i++) {
		const struct tide_workload_kernel *k = &s->kernel[i];
		json_array_append_new(
			list,
			json_pack("{ss so so so so so}", "name", k->name, "launches",
				  s->more ? json_null() : json_integer((json_int_t)k->launches),
				  "grid_x", range_json(k->grid_x), "grid_y", range_json(k->grid_y),
				  "block_x", range_json(k->block_x), "block_y",
				  range_json(k->block_y)));
	}
	return list;
}

static int print_json(const char *spec, const struct tide_workload_shape *s, struct tide_error *err)
{
	json_t *launches = s->more ? json_null() : json_integer((json_int_t)s->launches);

	return td_cli_print_json(
		json_pack("{so ss sb so so so}", "workload", td_cli_json_text(spec), "mode",
			  s->wave ? "wave" : "exact", "regular", s->regular, "arrays",
			  arrays_json(s), "launches", launches, "kernels", kernels_json(s)),
		err);
}

static int print_arrays(const struct tide_workload_shape *s, struct tide_error *err)
{
	struct td_cli_table t = {.align = "lrrl"};
	uint64_t all = 0;

	td_cli_cell(&t, "array");
	td_cli_cell(&t, "bytes");
	td_cli_cell(&t, "base");
	td_cli_cell(&t, "size");
	for (size_t i = 0; i < s->arrays; i++) {
		const struct tide_workload_array *a = &s->array[i];
		td_cli_cell(&t, "%s", a->name);
		td_cli_cell(&t, "%s", td_cli_grouped(a->bytes).text);
		td_cli_cell(&t, "0x%" PRIx64, a->base);
		td_cli_cell(&t, "%s", td_cli_bytes(a->bytes).text);
		all += a->bytes;
	}
	td_cli_cell(&t, "together");
	td_cli_cell(&t, "%s", td_cli_grouped(all).text);
	td_cli_cell(&t, "%s", "");
	td_cli_cell(&t, "%s", td_cli_bytes(all).text);
	return td_cli_table_end(&t, err);
}

/* "16", "16 x 8", or where launches differ "1-128". */
static struct td_cli_number size_text(const uint32_t x[2], const uint32_t y[2])
{
	struct td_cli_number out;
	const uint32_t *const n[] = {x, y};
	size_t used = 0;

	for (int i = 0; i < (y[1] > 1 ? 2 : 1); i++) {
		used += (size_t)snprintf(out.text + used, sizeof out.text - used, "%s%" PRIu32,
					 i ? " x " : "", n[i][0]);
		if (n[i][0] != n[i][1])
			used += (size_t)snprintf(out.text + used, sizeof out.text - used,
						 "-%" PRIu32, n[i][1]);
	}
	return out;
}

static int print_kernels(const struct tide_workload_shape *s, struct tide_error *err)
{
	struct td_cli_table t = {.align = "lrrr"};

	td_cli_cell(&t, "kernel");
	td_cli_cell(&t, "blocks");
	td_cli_cell(&t, "threads");
	td_cli_cell(&t, "launches");
	for (size_t i = 0; i < s->kernels; i++) {
		const struct tide_workload_kernel *k = &s->kernel[i];
		td_cli_cell(&t, "%s", k->name);
		td_cli_cell(&t, "%s%s", size_text(k->grid_x, k->grid_y).text,
			    s->more ? " at first" : "");
		td_cli_cell(&t, "%s", size_text(k->block_x, k->block_y).text);
		td_cli_cell(&t, "%s", s->more ? "-" : td_cli_grouped(k->launches).text);
	}
	return td_cli_table_end(&t, err);
}

static int print_shape(const char *spec, const struct tide_workload_shape *s,
		       struct tide_error *err)
{
	int rc;

	if (!s->arrays) {
		printf("%s is a plain pattern of pages: it has neither arrays nor kernels\n", spec);
		return 0;
	}
	printf("%s\n\n", spec);
	rc = print_arrays(s, err);
	if (rc)
		return rc;
	putchar('\n');
	rc = print_kernels(s, err);
	if (rc)
		return rc;
	if (s->more)
		printf("\nHow many launches there are depends on the data, and shows in a run.\n");
	else
		printf("\n%s launches, one after another, in %s mode\n",
		       td_cli_grouped(s->launches).text, s->wave ? "wave" : "exact");
	return 0;
}

int td_cli_workload_describe(const struct td_cli_workloads_options *args, struct tide_error *err)
{
	const char *spec = args->given.words.at[0];
	struct tide_workload_shape *shape;
	int rc = tide_workload_describe(&shape, spec, args->seed, err);

	if (rc)
		return rc;
	rc = args->json ? print_json(spec, shape, err) : print_shape(spec, shape, err);
	tide_workload_free(shape);
	return rc;
}
