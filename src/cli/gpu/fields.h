/* Members of the module's results, as rows: both the JSON document and the text tables are made
 * from them. A new member is one row. */
#ifndef TD_CLI_GPU_FIELDS_H
#define TD_CLI_GPU_FIELDS_H

#include "cli/cli.h"
#include "gpu/gpu.h"

enum td_gpu_kind {
	TD_GPU_END,
	TD_GPU_TEXT,   /* char[] */
	TD_GPU_WORD,   /* const char * */
	TD_GPU_NUMBER, /* uint64_t */
	TD_GPU_INT,    /* int, which is not negative */
	TD_GPU_REAL,   /* double */
	TD_GPU_FLAG,   /* bool */
};

/* A member that is 0, "" or NULL says nothing and is left out, unless it always counts. */
struct td_gpu_field {
	const char *key; /* its last word is the unit: time_ns, free_bytes */
	enum td_gpu_kind kind;
	size_t at;
	bool always;
};

/* What the device is, with one text that is made of two numbers. */
struct td_gpu_device {
	struct tide_gpu_info info;
	char capability[32];
};
struct td_gpu_device td_gpu_device_of(const struct tide_gpu_info *info);

/* Each ends with a row without a key. */
extern const struct td_gpu_field td_gpu_device_fields[], td_gpu_measure_fields[],
	td_gpu_test_fields[], td_gpu_mean_fields[], td_gpu_apps_fields[], td_gpu_config_fields[],
	td_gpu_run_fields[];

bool td_gpu_field_says(const struct td_gpu_field *f, const void *from);
json_t *td_gpu_fields_json(const struct td_gpu_field *fields, const void *from);

/* values.c: for people; and the key as a head. */
struct td_gpu_shown {
	char text[600];
};
struct td_gpu_shown td_gpu_field_shown(const struct td_gpu_field *f, const void *from);
struct td_cli_number td_gpu_head(const char *key);
struct td_cli_number td_gpu_real_shown(const char *key, double value); /* NAN: "-" */

#endif
