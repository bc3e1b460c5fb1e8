/* Curves as one document. */
#include <math.h>

#include "core/text.h"
#include "mrc.h"

json_t *td_cli_curve_json(const struct tide_mrc *m)
{
	json_t *list = json_array();

	for (size_t i = 0; i < m->n; i++) {
		const struct tide_mrc_point *p = &m->at[i];
		/* The sizes of vmin and osl are averages; all others are whole. */
		bool whole = p->pages == floor(p->pages) && p->pages < 0x1p63;
		json_array_append_new(
			list,
			json_pack("{so sI sf}", "pages",
				  whole ? json_integer((json_int_t)p->pages) : json_real(p->pages),
				  "misses", (json_int_t)p->misses, "miss_ratio", p->miss_ratio));
		if (m->prefix_hits)
			json_object_set_new(json_array_get(list, i), "prefix_hits",
					    json_integer((json_int_t)m->prefix_hits[i]));
		if (m->objects)
			json_object_update_new(
				json_array_get(list, i),
				json_pack("{sI sf sf}", "near_bytes",
					  (json_int_t)m->objects[i].near_bytes, "byte_miss_ratio",
					  m->objects[i].byte_miss_ratio, "cost_miss_ratio",
					  m->objects[i].cost_miss_ratio));
		if (m->errors)
			json_object_set_new(json_array_get(list, i), "error",
					    json_real(m->errors[i]));
	}
	return list;
}

static json_t *real_or_null(double value, bool is_known)
{
	return is_known ? json_real(value) : json_null();
}

static json_t *one_json(const struct td_cli_mrc_curve *c)
{
	return json_pack("{so so ss sI si so so so so}", "record",
			 td_lib_record_json(c->mrc->input_digest, c->mrc->settings_digest),
			 "policy", td_cli_json_text(c->policy), "method", c->mrc->method,
			 "sampled_accesses", (json_int_t)c->mrc->sampled_accesses, "samples",
			 (int)c->mrc->samples, "sample_share",
			 real_or_null(c->mrc->sample_share, td_cli_mrc_is_sampled(c->mrc)),
			 "estimated_error",
			 real_or_null(c->mrc->error, td_cli_mrc_is_sampled(c->mrc)), "true_error",
			 real_or_null(c->off, c->off >= 0), "curve", td_cli_curve_json(c->mrc));
}

static json_t *input_json(const struct td_cli_mrc *all)
{
	const struct td_cli_mrc_options *args = all->args;
	const struct tide_mrc *m = all->at[0].mrc;

	return json_pack("{so ss sI sI so*}", args->in.trace ? "trace" : "workload",
			 td_cli_json_text(args->in.trace ? args->in.trace : args->in.workload),
			 "format", m->format, "accesses", (json_int_t)m->accesses,
			 "footprint_pages", (json_int_t)m->footprint_pages, "object_bytes",
			 m->objects ? json_integer((json_int_t)m->object_bytes) : NULL);
}

/* The share that was asked for. Where tide chose, each curve says for itself. */
static json_t *sample_json(const struct td_cli_mrc *all)
{
	const char *text = td_cli_mrc_sample(all->args);
	double sample;

	if (text && !td_core_share(text, &sample))
		return json_real(sample);
	for (size_t i = 0; i < all->n; i++) {
		if (td_cli_mrc_is_sampled(all->at[i].mrc))
			return json_null();
	}
	return json_real(1);
}

static json_t *config_json(const struct td_cli_mrc *all)
{
	return json_pack("{ss sI so so so}", "model", "functional", "page_bytes",
			 (json_int_t)all->page_bytes, "sizes",
			 td_cli_json_text(all->sizes ? all->sizes : "50"), "sample",
			 sample_json(all), "seed", td_cli_json_u64(all->seed));
}

/* The first curve, or the only one, stands for itself at the top. */
int td_cli_mrc_json(const struct td_cli_mrc *all, struct tide_error *err)
{
	json_t *list = json_array(), *root;

	for (size_t i = 0; i < all->n; i++)
		json_array_append_new(list, one_json(&all->at[i]));
	root = json_pack("{ss ss so so}", "tide", tide_version(), "verb", "mrc", "input",
			 input_json(all), "config", config_json(all));
	json_object_update_new(root, one_json(&all->at[0]));
	json_object_set_new(root, "curves", list);
	json_object_set_new(root, "wall", json_pack("{sf}", "seconds", all->seconds));
	return td_cli_print_json(root, err);
}
