/* Documents of tide run --gpu-near --stats: a row for each, and its kernels. They are no runs of an
 * input that could be compared. */
#include <errno.h>
#include <string.h>

#include "read.h"

/* "75.0%" */
static json_t *share(double part, double of)
{
	char text[32];

	if (!(of > 0))
		return json_null();
	snprintf(text, sizeof text, "%.1f%%", 100 * part / of);
	return json_string(text);
}

static json_t *number(const json_t *object, const char *key)
{
	return json_real((double)td_report_u64(object, key));
}

/* What left without a copy is part of what left. */
static double crossed(const json_t *gpu)
{
	double out = (double)td_report_u64(gpu, "out_bytes");
	double clean = (double)td_report_u64(gpu, "clean_bytes");

	return (double)td_report_u64(gpu, "in_bytes") + (clean < out ? out - clean : 0);
}

/* As the program was called; long ones are cut. */
static json_t *command_of(const json_t *doc)
{
	char text[160] = "";
	size_t n = 0, i;
	const json_t *word;

	json_array_foreach(json_object_get(doc, "command"), i, word)
	{
		const char *w = json_string_value(word);
		if (w && n < sizeof text)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%.100s", n ? " " : "",
					      w);
	}
	/* A letter that was cut in two is no text. */
	json_t *whole = json_string(text);
	return whole ? whole : json_string("(a program)");
}

/* The keys are the heads of the table. */
static json_t *row_of(const json_t *doc, const json_t *gpu)
{
	double seconds =
		json_number_value(json_object_get(json_object_get(doc, "wall"), "seconds"));
	json_t *row = json_object();

	json_object_set_new(row, "program", command_of(doc));
	json_object_set_new(row, "budget_bytes", number(gpu, "near_limit_bytes"));
	json_object_set_new(row, "most_bytes", number(gpu, "near_most_bytes"));
	json_object_set_new(row, "allocated_bytes", number(gpu, "allocated_most_bytes"));
	json_object_set_new(row, "time_ns", json_real(seconds * 1e9));
	json_object_set_new(row, "in_bytes", number(gpu, "in_bytes"));
	json_object_set_new(row, "out_bytes", number(gpu, "out_bytes"));
	json_object_set_new(row, "unchanged",
			    share((double)td_report_u64(gpu, "clean_bytes"),
				  (double)td_report_u64(gpu, "out_bytes")));
	json_object_set_new(
		row, "share of the bus",
		share(crossed(gpu), (double)td_report_u64(gpu, "bus_bytes_per_second") * seconds));
	json_object_set_new(row, "launches", number(gpu, "launches"));
	json_object_set_new(row, "waited", number(gpu, "waited_launches"));
	json_object_set_new(row, "waiting_ns", number(gpu, "waited_ns"));
	json_object_set_new(row, "over the bus", number(gpu, "remote_launches"));
	json_object_set(row, "evict", json_object_get(gpu, "evict"));
	json_object_set(row, "prefetch", json_object_get(gpu, "prefetch"));
	json_object_set(row, "ejected", json_object_get(gpu, "ejected"));
	return row;
}

static int add(struct td_report *r, const json_t *doc, const json_t *gpu)
{
	json_t *one = json_pack("{so sO?}", "row", row_of(doc, gpu), "kernels",
				json_object_get(gpu, "kernels"));

	if (!r->gpu_runs)
		r->gpu_runs = json_array();
	return json_array_append_new(r->gpu_runs, one) ? -ENOMEM : 0;
}

int td_report_take_gpu_run(struct td_report *r, const json_t *doc)
{
	int rc = td_report_is_told(r, "run", doc);

	if (!rc)
		return add(r, doc, json_object_get(doc, "gpu"));
	return rc < 0 ? rc : 0;
}
