/* The options for GPU memory, as the preloaded library takes them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/doctor.h"
#include "run.h"

/* ---- which options go with which ---- */

static const struct {
	const char *name;
	size_t at;
} of_gpu[] = {
#define ROW(name, member, value, help, values) {name, TD_CLI_AT(member)},
	TD_RUN_GPU_LIST(ROW)
#undef ROW
};

/* Options of host memory, and which one of GPU memory may have been meant. */
static const struct {
	const char *name, *instead;
	size_t at;
} of_host[] = {
	{"page", NULL, TD_CLI_AT(page)},
	{"chunk", "gpu-chunk", TD_CLI_AT(chunk)},
	{"evict", "gpu-evict", TD_CLI_AT(evict)},
	{"prefetch", "gpu-prefetch", TD_CLI_AT(prefetch)},
	{"policies", "gpu-evict", TD_CLI_AT(policies)},
	{"preset", NULL, TD_CLI_AT(preset)},
	{"place", NULL, TD_CLI_AT(place)},
	{"host", "gpu-host", TD_CLI_AT(host)},
	{"host-kind", NULL, TD_CLI_AT(host_kind)},
	{"storage", NULL, TD_CLI_AT(storage)},
	{"mapping", NULL, TD_CLI_AT(mapping)},
	{"service", NULL, TD_CLI_AT(service)},
	{"threshold", "gpu-threshold", TD_CLI_AT(threshold)},
	{"fork", NULL, TD_CLI_AT(forks)},
	{"watchdog", NULL, TD_CLI_AT(watchdog)},
	{"log", "gpu-log", TD_CLI_AT(log)},
	{"record", "gpu-record", TD_CLI_AT(record)},
	{"load-set", NULL, TD_CLI_AT(load_set)},
	{"save-set", NULL, TD_CLI_AT(save_set)},
};

static const char *text_at(const struct td_run_options *args, size_t at)
{
	return *(const char *const *)(const void *)((const unsigned char *)args + at);
}

const char *td_run_gpu_given(const struct td_run_options *args)
{
	for (size_t i = 0; i < sizeof of_gpu / sizeof *of_gpu; i++)
		if (text_at(args, of_gpu[i].at))
			return of_gpu[i].name;
	return NULL;
}

static int fail_of_host(const char *name, const char *instead, struct tide_error *err)
{
	if (instead)
		return tide_fail(err, -EINVAL,
				 "--%s is about host memory: give --%s, or --near SIZE too", name,
				 instead);
	return tide_fail(err, -EINVAL, "--%s is about host memory: give --near SIZE too", name);
}

static int check_of_host(const struct td_run_options *args, struct tide_error *err)
{
	for (size_t i = 0; i < sizeof of_host / sizeof *of_host; i++)
		if (text_at(args, of_host[i].at))
			return fail_of_host(of_host[i].name, of_host[i].instead, err);
	if (args->over_budget)
		return fail_of_host("over-budget", NULL, err);
	return args->whatif ? fail_of_host("whatif", NULL, err) : 0;
}

int td_run_check_sides(const struct td_run_options *args, const char *verb, struct tide_error *err)
{
	const char *given = td_run_gpu_given(args);

	if (given && !args->gpu_near)
		return tide_fail(err, -EINVAL, "--%s is about GPU memory: give --gpu-near SIZE too",
				 given);
	if (args->near_size)
		return 0;
	if (args->gpu_near)
		return check_of_host(args, err);
	return tide_fail(err, -EINVAL,
			 "no size of near memory: give --near SIZE, such as --near 512M%s",
			 strcmp(verb, "run") == 0
				 ? ", or --gpu-near SIZE for the GPU memory of a CUDA program"
				 : "");
}

/* ---- the settings ---- */

static int set_trust(struct td_run_gpu *gpu, const char *text, struct tide_error *err)
{
	struct stat st;

	gpu->settings.trust = text;
	if (strcmp(text, "none") == 0 || strcmp(text, "args") == 0)
		return 0;
	if (!realpath(text, gpu->trust) || stat(gpu->trust, &st) || !S_ISREG(st.st_mode) ||
	    access(gpu->trust, R_OK))
		return tide_fail(err, -EINVAL,
				 "--gpu-trust %s is neither none nor args nor a file that can be "
				 "read: give one of them",
				 td_cli_shown(text).text);
	gpu->settings.trust = gpu->trust;
	return 0;
}

static const char *put_bytes(struct td_run_bytes *to, uint64_t bytes)
{
	snprintf(to->text, sizeof to->text, "%" PRIu64, bytes);
	return to->text;
}

static void set_sizes(struct td_run_gpu *gpu, const struct td_lib_gpu_sizes *sizes)
{
	gpu->settings.near_size = put_bytes(&gpu->near_bytes, sizes->near_bytes);
	gpu->settings.chunk = put_bytes(&gpu->chunk_bytes, sizes->chunk_bytes);
	gpu->settings.threshold = put_bytes(&gpu->threshold_bytes, sizes->threshold_bytes);
	if (sizes->host_bytes != UINT64_MAX)
		gpu->settings.host = put_bytes(&gpu->host_bytes, sizes->host_bytes);
}

int td_run_gpu_settings(struct td_run *r, struct tide_error *err)
{
	const struct td_run_options *a = r->args;
	const struct td_lib_gpu_run asked = {
		.near_size = a->gpu_near,
		.host = a->gpu_host,
		.evict = a->gpu_evict,
		.prefetch = a->gpu_prefetch,
		.chunk = a->gpu_chunk,
		.threshold = a->gpu_threshold,
		.seed = a->seed,
	};
	struct td_lib_gpu_sizes sizes;
	int rc = td_lib_gpu_run_check(&asked, &sizes, err);

	if (rc)
		return rc;
	set_sizes(&r->gpu, &sizes);
	r->gpu.settings.evict = a->gpu_evict ? a->gpu_evict : TD_GPU_EVICT;
	r->gpu.settings.prefetch = a->gpu_prefetch ? a->gpu_prefetch : TD_GPU_PREFETCH;
	r->gpu.settings.seed = a->seed;
	r->gpu.settings.log = a->gpu_log;
	r->gpu.settings.record = a->gpu_record;
	return set_trust(&r->gpu, a->gpu_trust ? a->gpu_trust : TD_GPU_TRUST, err);
}

int td_run_check_gpu(struct td_run *r, struct tide_error *err)
{
	struct td_cli_finding f = {false, "", NULL};
	int rc = td_run_find_gpu_preload(r->gpu.preload, sizeof r->gpu.preload, err);

	if (rc)
		return rc;
	td_cli_gpu_near(0, &f);
	return f.ok ? 0
		    : tide_fail(err, -ENODEV, "no --gpu-near on this machine: %s: %s", f.detail,
				f.fix);
}
