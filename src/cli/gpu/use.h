/* The module of tide gpu: found, and used. */
#ifndef TD_CLI_GPU_USE_H
#define TD_CLI_GPU_USE_H

#include "show.h"

struct td_gpu_use_options {
	struct td_cli_given given;
	const char *device, *folder, *seed, *progress;
	const char *only;        /* of selftest */
	const char *app, *micro; /* of bench, as all that follows */
	const char *place, *evict, *prefetch, *policies, *oversubscribe, *near_size, *host, *page;
	const char *transfer, *orchestrate, *timeout, *repeat;
	bool quick, thorough, json;
};

struct td_gpu_use {
	const struct td_gpu_module *module;
	struct td_gpu_setup setup;
	const char *verb; /* "gpu info" */
};

/* What options of every verb say. The setup holds pointers to use itself. */
int td_gpu_use_setup(struct td_gpu_use *use, const struct td_gpu_use_options *args,
		     const char *verb, struct tide_error *err);
/* Options of tide gpu bench that can be judged without a GPU. */
int td_gpu_use_check(const struct td_gpu_use_options *args, struct tide_error *err);

/* Names of its tests, measurements and applications; none where there is no module. */
td_cli_name_at td_gpu_test_name, td_gpu_micro_name, td_gpu_app_name;

/* Loads it, and asks for the GPU first. -ENODEV: there is no GPU, or nothing that could use it. */
int td_gpu_use_module(struct td_gpu_use *use, struct tide_error *err);
const struct td_gpu_module *
td_gpu_use_load(struct tide_error *err); /* without asking; NULL: none */

/* A document of what the module made; failed: why it is not complete, or NULL. */
json_t *td_gpu_use_document(const struct td_gpu_result *r, const char *verb, td_gpu_json *add,
			    const struct tide_error *failed);
/* -EIO: something in it is not ok, and what; tables: also of those. */
int td_gpu_use_judge(const struct td_gpu_result *r, bool tables, struct tide_error *err);

#endif
