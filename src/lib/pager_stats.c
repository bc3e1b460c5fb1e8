/* What a pager says of itself. */
#include "tide/pager.h"

#include <stdio.h>

#include "json.h"
#include "pager.h"
#include "sized.h"
#include "stats/json.h"

static void fill_stats(struct tide *t, struct tide_stats *s)
{
	struct td_pager_figures f;
	struct td_pager_caller saved;
	*s = (struct tide_stats){0};
	td_pager_figures(t->pager, &f);
#define TIDE_FIGURE(name, help) s->name = f.name;
#include "tide/figures.def"
#undef TIDE_FIGURE
	const struct td_engine *e = td_pager_lock_engine(t->pager, &saved);
	s->counts = e->counts;
	s->counts.size = sizeof s->counts;
	snprintf(s->evict, sizeof s->evict, "%s", e->box[TD_BOX_EVICT].choice.policy->name);
	snprintf(s->ejected, sizeof s->ejected, "%s", e->ejected);
	td_pager_unlock_engine(t->pager, &saved);
	snprintf(s->mapping, sizeof s->mapping, "%s", td_pager_mapping(t->pager));
	snprintf(s->service, sizeof s->service, "%s", td_pager_service(t->pager));
}

int tide_stats(struct tide *t, struct tide_stats *stats, struct tide_error *err)
{
	struct tide_stats own;
	int rc = td_handle_check(t, td_lib_pager_kind, err);
	if (rc)
		return rc;
	fill_stats(t, &own);
	return TD_LIB_GIVE(stats, &own, tide_stats, err);
}

static json_t *config(const struct tide *t, const struct tide_stats *s)
{
	json_t *o = json_object();
	json_object_set_new(o, "page_bytes", td_lib_integer(t->page_bytes));
	json_object_set_new(o, "chunk_bytes", td_lib_integer(t->page_bytes * t->chunk_pages));
	json_object_set_new(o, "near_pages", td_lib_integer(t->near_pages));
	json_object_set_new(o, "engine_pages", td_lib_integer(s->engine_pages));
	json_object_set_new(o, "evict", td_lib_text(t->evict));
	json_object_set_new(o, "prefetch", td_lib_text(t->prefetch));
	json_object_set_new(o, "place", td_lib_text(t->place));
	json_object_set_new(o, "host_kind", td_lib_text(t->host_kind));
	json_object_set_new(o, "mapping", td_lib_text(s->mapping));
	json_object_set_new(o, "service", td_lib_text(s->service));
	json_object_set_new(o, "seed", td_lib_integer(t->seed));
	return o;
}

static json_t *figures(const struct tide_stats *s)
{
	json_t *o = json_object();
#define TIDE_FIGURE(name, help) json_object_set_new(o, #name, td_lib_integer(s->name));
#include "tide/figures.def"
#undef TIDE_FIGURE
	return o;
}

int tide_stats_json(struct tide *t, char **text, struct tide_error *err)
{
	struct tide_stats s;
	struct td_pager_caller saved;
	int rc = td_handle_check(t, td_lib_pager_kind, err);
	if (!rc)
		rc = td_lib_given(text, "text", err);
	if (rc)
		return rc;
	json_t *o = td_lib_document("run");
	fill_stats(t, &s);
	json_object_set_new(o, "config", config(t, &s));
	json_object_set_new(o, "counts", td_stats_counts(&s.counts));
	json_object_set_new(o, "pager", figures(&s));
	struct td_engine *e = td_pager_lock_engine(t->pager, &saved);
	json_object_set_new(o, "policy", td_lib_policy_json(e));
	td_pager_unlock_engine(t->pager, &saved);
	return td_lib_dump(o, text, err);
}
