#include "gpu_run.h"

#include <errno.h>
#include <string.h>

#include "core/text.h"
#include "engine/engine.h"
#include "mech/vmm/vmm.h"
#include "sizes.h"

#define MOST_CHUNK_BYTES (UINT64_C(128) << 20)
#define FEWEST_CHUNKS 4 /* with fewer, there is nothing to choose */

static const char *or_default(const char *text, const char *initial)
{
	return text ? text : initial;
}

/* ---- sizes ---- */

static int read_size(const char *what, const char *text, uint64_t *bytes, struct tide_error *err)
{
	if (td_core_size(text, strlen(text), bytes) == 0)
		return 0;
	return tide_fail(err, -EINVAL, "%s of '%s' is no size: give bytes, such as 64M or 8G", what,
			 td_core_shown(text, strlen(text)).text);
}

static int read_chunk(const char *text, uint64_t *bytes, struct tide_error *err)
{
	int rc = read_size("`gpu_chunk`", text, bytes, err);

	if (rc)
		return rc;
	if (*bytes && *bytes % TD_GPU_PAGE_BYTES == 0 && *bytes <= MOST_CHUNK_BYTES)
		return 0;
	return tide_fail(err, -EINVAL, "`gpu_chunk` of '%s': give a multiple of 2M, up to 128M",
			 text);
}

static int read_near(const char *text, struct td_lib_gpu_sizes *sizes, struct tide_error *err)
{
	int rc = read_size("`gpu_near`", text, &sizes->near_bytes, err);

	if (rc || sizes->near_bytes / sizes->chunk_bytes >= FEWEST_CHUNKS)
		return rc;
	return tide_fail(err, -EINVAL,
			 "`gpu_near` of '%s' has fewer than %d chunks: give more, such as 8G, or a "
			 "smaller `gpu_chunk`",
			 text, FEWEST_CHUNKS);
}

static int read_sizes(const struct td_lib_gpu_run *run, struct td_lib_gpu_sizes *sizes,
		      struct tide_error *err)
{
	int rc = read_chunk(or_default(run->chunk, TD_GPU_CHUNK), &sizes->chunk_bytes, err);

	sizes->host_bytes = UINT64_MAX;
	if (!rc)
		rc = read_near(run->near_size, sizes, err);
	if (!rc && run->host)
		rc = read_size("`gpu_host`", run->host, &sizes->host_bytes, err);
	if (rc)
		return rc;
	return read_size("`gpu_threshold`", or_default(run->threshold, TD_GPU_THRESHOLD),
			 &sizes->threshold_bytes, err);
}

/* ---- policies ---- */

/* Where the engine would give advice for other runs. */
static int check_policy(const struct td_policy_choice *choice, uint32_t chunk_pages,
			struct tide_error *err)
{
	const struct tide_policy *p = choice->policy;
	const char *role = td_policy_role_name(p->role);

	if (choice->needs & TIDE_NEEDS_FUTURE)
		return tide_fail(err, -EINVAL,
				 "%s policy %s needs the future, which a program does not tell: "
				 "choose another policy",
				 role, p->name);
	if (chunk_pages > 1 && choice->needs & TIDE_NEEDS_PAGES)
		return tide_fail(err, -EINVAL,
				 "%s policy %s works on chunks of one page: give `gpu_chunk` 2M",
				 role, p->name);
	return 0;
}

static int check_policies(const struct td_lib_gpu_run *run, struct td_engine_config *config,
			  struct tide_error *err)
{
	int rc = td_policy_choose(&config->evict, or_default(run->evict, TD_GPU_EVICT), TIDE_EVICT,
				  err);

	if (!rc)
		rc = td_policy_choose(&config->prefetch, or_default(run->prefetch, TD_GPU_PREFETCH),
				      TIDE_PREFETCH, err);
	if (!rc)
		rc = check_policy(&config->evict, config->chunk_pages, err);
	if (!rc)
		rc = check_policy(&config->prefetch, config->chunk_pages, err);
	return rc ? rc : td_engine_check_needs(config, err);
}

int td_lib_gpu_run_check(const struct td_lib_gpu_run *run, struct td_lib_gpu_sizes *sizes,
			 struct tide_error *err)
{
	struct td_engine_config config = {.mechanism = td_vmm_mech.name, .gives = td_vmm_mech.gives};
	uint64_t seed;
	int rc = read_sizes(run, sizes, err);

	if (!rc)
		rc = td_lib_seed(run->seed, &seed, err);
	if (rc)
		return rc;
	config.chunk_pages = (uint32_t)(sizes->chunk_bytes / TD_GPU_PAGE_BYTES);
	rc = check_policies(run, &config, err);
	td_policy_release(&config.evict);
	td_policy_release(&config.prefetch);
	return rc;
}
