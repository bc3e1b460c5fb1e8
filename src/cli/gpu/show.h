/* The results of tide gpu: for people, and as JSON. */
#ifndef TD_CLI_GPU_SHOW_H
#define TD_CLI_GPU_SHOW_H

#include "fields.h"

typedef void td_gpu_show(const struct td_gpu_result *result);
td_gpu_show td_gpu_show_info, td_gpu_show_selftest, td_gpu_show_bench;

/* json.c: what the document has besides its head. */
typedef void td_gpu_json(json_t *to, const struct td_gpu_result *result);
td_gpu_json td_gpu_info_json, td_gpu_selftest_json, td_gpu_bench_json;

/* show_apps.c */
void td_gpu_show_apps(const struct td_gpu_apps *apps);

#endif
