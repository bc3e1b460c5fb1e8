#include "record.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/params.h"
#include "json.h"
#include "summary.h"

int td_lib_settings_begin(struct td_lib_settings *s)
{
	*s = (struct td_lib_settings){0};
	s->to = open_memstream(&s->text, &s->bytes);
	return s->to ? 0 : -ENOMEM;
}

void td_lib_settings_number(struct td_lib_settings *s, const char *name, uint64_t value)
{
	fprintf(s->to, "%s=%" PRIx64 "\n", name, value);
}

void td_lib_settings_text(struct td_lib_settings *s, const char *name, const char *value)
{
	fprintf(s->to, "%s=%s\n", name, value);
}

int td_lib_settings_end(struct td_lib_settings *s, uint64_t digest[2])
{
	bool bad = ferror(s->to);

	bad |= fclose(s->to) != 0;
	if (!bad) {
		XXH128_hash_t h = XXH3_128bits(s->text, s->bytes);
		digest[0] = h.high64;
		digest[1] = h.low64;
	}
	free(s->text);
	return bad ? -ENOMEM : 0;
}

static void drop(struct td_lib_settings *s)
{
	fclose(s->to);
	free(s->text);
}

/* A shared object is its bytes: built anew, it may be another policy under the same name. */
static uint64_t file_digest(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t digest = 0;
	struct stat st;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) == 0 && st.st_size > 0) {
		void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (at != MAP_FAILED) {
			digest = XXH3_64bits(at, (size_t)st.st_size);
			munmap(at, (size_t)st.st_size);
		}
	}
	close(fd);
	return digest;
}

static uint64_t object_digest(void *object)
{
	struct link_map *map;

	return dlinfo(object, RTLD_DI_LINKMAP, &map) == 0 ? file_digest(map->l_name) : 0;
}

/* A trace is told by what was learned from it, not by its name. */
static void put_params(struct td_lib_settings *s, const struct td_policy_choice *choice)
{
	const struct tide_param *row = choice->policy->params;

	for (size_t i = 0; row && row[i].name; i++)
		if (row[i].type != TIDE_PARAM_POLICIES && row[i].type != TIDE_PARAM_TRACE)
			td_core_put_param(s->to, &row[i], &choice->values[i]);
}

void td_lib_settings_policy(struct td_lib_settings *s, const char *role,
			    const struct td_policy_choice *choice)
{
	if (!choice->policy)
		return;
	td_lib_settings_text(s, role, choice->policy->name);
	if (choice->object)
		td_lib_settings_number(s, "object", object_digest(choice->object));
	put_params(s, choice);
	for (unsigned i = 0; choice->members && i < choice->member_value->n; i++)
		td_lib_settings_policy(s, "member", &choice->members[i]);
	fputs("end\n", s->to);
}

static void put_real(struct td_lib_settings *s, const char *name, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	td_lib_settings_number(s, name, bits);
}

static void put_model(struct td_lib_settings *s, const struct td_timed_model *m)
{
#define INT(name, ...) td_lib_settings_number(s, #name, (uint64_t)m->name);
#define REAL(name, ...) put_real(s, #name, m->name);
#define TEXT(name, ...) td_lib_settings_text(s, #name, m->name);
#include "mech/sim/timed/model.def"
#undef INT
#undef REAL
#undef TEXT
}

void td_lib_learned(uint64_t learned[2], const struct td_trace_source *source)
{
	uint64_t both[4] = {learned[0], learned[1], source->facts.digest[0],
			    source->facts.digest[1]};
	XXH128_hash_t h = XXH3_128bits(both, sizeof both);

	learned[0] = h.high64;
	learned[1] = h.low64;
}

static void put_run(struct td_lib_settings *s, const struct tide_sim *sim,
		    const struct td_engine_config *config)
{
	const struct td_engine_box *box = sim->engine->box;

	td_lib_settings_policy(s, "evict", &box[TD_BOX_EVICT].choice);
	td_lib_settings_policy(s, "prefetch", &box[TD_BOX_PREFETCH].choice);
	td_lib_settings_policy(s, "place", &box[TD_BOX_PLACE].choice);
	td_lib_settings_number(s, "learned", sim->learned[0]);
	td_lib_settings_number(s, "learned", sim->learned[1]);
	td_lib_settings_number(s, "page", sim->page_bytes);
	td_lib_settings_number(s, "chunk", sim->chunk_pages);
	td_lib_settings_number(s, "near", sim->near_pages);
	td_lib_settings_number(s, "host", sim->host_pages);
	td_lib_settings_number(s, "seed", sim->seed);
	td_lib_settings_number(s, "replace", config->replace_invalid);
	if (config->sized)
		td_lib_settings_number(s, "objects", sim->near_bytes);
	if (sim->flush)
		td_lib_settings_number(s, "flush", 1);
	if (sim->split)
		td_lib_settings_text(s, "split", sim->split->by_lru ? "lru" : "equal");
	if (sim->timed)
		put_model(s, &sim->model);
}

int td_lib_sim_settings(struct tide_sim *sim, const struct td_engine_config *config,
			struct tide_error *err)
{
	struct td_lib_settings s;
	int rc = td_lib_settings_begin(&s);

	if (!rc) {
		put_run(&s, sim, config);
		rc = td_lib_settings_end(&s, sim->settings);
	}
	return rc ? tide_fail(err, rc, "out of memory") : 0;
}

/* A policy that cannot be had is left for its run to refuse. */
static void put_plugin(struct td_lib_settings *s, const char *role_name, const char *spec,
		       enum tide_role role)
{
	struct td_policy_choice choice = {0};

	/* The path of an object has a slash, also inside the parameters of another policy. */
	if (!spec || !strchr(spec, '/'))
		return;
	if (!td_policy_choose(&choice, spec, role, NULL) && !td_policy_is_built_in(&choice))
		td_lib_settings_policy(s, role_name, &choice);
	td_policy_release(&choice);
}

void td_lib_plugins(const struct tide_sim_options *o, uint64_t digest[2])
{
	struct td_lib_settings s;

	digest[0] = digest[1] = 0;
	if (td_lib_settings_begin(&s))
		return;
	put_plugin(&s, "evict", o->evict, TIDE_EVICT);
	put_plugin(&s, "prefetch", o->prefetch, TIDE_PREFETCH);
	put_plugin(&s, "place", o->place, TIDE_PLACE);
	if (ftell(s.to) > 0)
		td_lib_settings_end(&s, digest);
	else
		drop(&s);
}

static json_t *hex(const uint64_t digest[2])
{
	char text[40];

	if (!digest[0] && !digest[1])
		return json_null();
	snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, digest[0], digest[1]);
	return json_string(text);
}

json_t *td_lib_record_json(const uint64_t input[2], const uint64_t settings[2])
{
	return json_pack("{so so}", "input", hex(input), "settings", hex(settings));
}
