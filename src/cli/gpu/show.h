/* The documents of tide gpu, for people. */
#ifndef TD_CLI_GPU_SHOW_H
#define TD_CLI_GPU_SHOW_H

#include "cli/cli.h"

void td_gpu_show_info(const json_t *document);
void td_gpu_show_selftest(const json_t *document);
void td_gpu_show_bench(const json_t *document);

/* show_apps.c */
void td_gpu_show_apps(const json_t *apps);

/* values.c: a value as its key says, _ns is a time, _bytes a size; and the key as a head. */
struct td_cli_number td_gpu_shown(const char *key, const json_t *value);
struct td_cli_number td_gpu_head(const char *key);
const char *td_gpu_text(const json_t *object, const char *key); /* "" where there is none */

#endif
