/* tide run and tide record: a program, its pager's settings, and what came of it. */
#ifndef TD_CLI_RUN_RUN_H
#define TD_CLI_RUN_RUN_H

#include <limits.h>
#include <sys/types.h>

#include "cli/cli.h"
#include "lib/kernel_run.h"
#include "options.h"
#include "run/gpu/slots.h"
#include "run/host/slots.h"
#include "tide/pager.h"

/* Settings of a run on a GPU, as its processes read them; NULL: not given. */
struct td_run_gpu_settings {
#define TD_SETTING(name) const char *name;
#include "run/gpu/settings.def"
#undef TD_SETTING
};

struct td_run_gpu {
	struct td_run_gpu_settings settings;
	struct td_run_bytes {
		char text[24];
	} near_bytes, host_bytes, chunk_bytes, threshold_bytes;
	char trust[PATH_MAX], slots_path[128], preload[PATH_MAX];
	struct td_gpu_slots *slots; /* NULL: there is no --gpu-near */
};

struct td_run {
	const struct td_run_options *args;
	const char *verb; /* "run" or "record" */
	struct tide_options options;
	struct td_cli_pair_room room; /* of --policies */
	char program[PATH_MAX], preload[PATH_MAX];
	char folder[64]; /* temporary: the slots, and the trace of --whatif */
	char record[PATH_MAX];
	struct td_slots *slots;       /* NULL: there is no --near, or the kernel pages */
	struct td_lib_kernel *kernel; /* --mapping kernel; NULL: another one */
	struct td_run_gpu gpu;
	uint64_t near_bytes; /* 0: not known, since no pager could be opened */
	bool live;
	pid_t pid;
	int status; /* as a shell would say it */
	double seconds;
};

/* cmd_run.c: all of it; the program's exit status, or a negative errno. */
int td_run(const struct td_run_options *args, const char *verb, struct tide_error *err);

/* program.c: which file would be run, and can a library be put in front of it? */
int td_run_find_program(const char *name, char *path, size_t size, struct tide_error *err);
int td_run_check_program(const char *path, struct tide_error *err);
int td_run_find_preload(char *path, size_t size, struct tide_error *err);
int td_run_find_gpu_preload(char *path, size_t size, struct tide_error *err);

/* settings.c: the options as the pager takes them, tried out here and now. */
int td_run_settings(struct td_run *r, struct tide_error *err);
bool td_run_serves_all(void); /* faults of the kernel too */

/* gpu.c: the same for GPU memory. */
int td_run_gpu_settings(struct td_run *r, struct tide_error *err);
/* The library in front of the program, and what it needs of the machine. -ENODEV: not here. */
int td_run_check_gpu(struct td_run *r, struct tide_error *err);
/* The first of the options for GPU memory that was given, "gpu-near", or NULL. */
const char *td_run_gpu_given(const struct td_run_options *args);
/* -EINVAL: options of host memory without --near, or of GPU memory without --gpu-near. */
int td_run_check_sides(const struct td_run_options *args, const char *verb, struct tide_error *err);

/* kernel.c: --mapping kernel. */
struct td_run_kernel_view {
	uint64_t out_bytes, faults, shown_ns;
};
bool td_run_is_kernel(const struct td_run_options *args);
int td_run_kernel_settings(struct td_run *r, struct tide_error *err);
void td_run_kernel_summary(const struct td_run *r);
unsigned td_run_kernel_draw(struct td_run_kernel_view *v, const struct td_run *r); /* lines */
void td_run_kernel_config(const struct td_run *r, json_t *config);
void td_run_kernel_json(const struct td_run *r, json_t *root);

/* start.c */
int td_run_prepare(struct td_run *r, struct tide_error *err); /* the folder and the slots */
int td_run_program(struct td_run *r, struct tide_error *err); /* until it has ended */
void td_run_clean(struct td_run *r);

/* live.c */
struct td_run_gpu_view {
	uint64_t in_bytes, out_bytes, launches, waited_ns, shown_ns;
};
struct td_run_view {
	uint64_t faults, shown_ns;
	unsigned lines; /* drawn, to be drawn over */
	struct td_run_gpu_view gpu;
	struct td_run_kernel_view kernel;
};
void td_run_bar(const char *name, uint64_t used, uint64_t of); /* of 0: there is no limit */
void td_run_view_draw(struct td_run_view *v, struct td_run *r);
void td_run_view_end(struct td_run_view *v);

/* summary.c */
unsigned td_run_processes(const struct td_run *r); /* that have a slot */
void td_run_summary(struct td_run *r);
/* Are the files of all processes whole, and their budgets kept? */
int td_run_check_ends(struct td_run *r, struct tide_error *err);
void td_run_total(struct td_run *r, struct tide_stats *total);
int td_run_write_stats(struct td_run *r, struct tide_error *err);

/* gpu_said.c: what the processes of a run on a GPU have published. Its texts end, whatever they
 * hold. */
unsigned td_run_gpu_processes(const struct td_run *r);
void td_run_gpu_said(const struct td_run *r, unsigned i, struct td_gpu_said *said);
/* All of them together: their sums, and the policies of the first one. */
void td_run_gpu_total(const struct td_run *r, struct td_gpu_said *total);
/* Bytes that crossed the bus, and the share of it that this is. */
uint64_t td_run_gpu_crossed(const struct td_gpu_figures *f);

/* gpu_summary.c: for people. */
void td_run_gpu_summary(const struct td_run *r, FILE *to);

/* gpu_json.c: for programs. */
json_t *td_run_gpu_json(const struct td_run *r);
json_t *td_run_gpu_config(const struct td_run *r);

/* gpu_live.c */
unsigned td_run_gpu_draw(struct td_run_gpu_view *v, const struct td_run *r); /* lines */

/* unpaged.c: memory that was not paged though near memory could not hold it, and why. */
void td_run_print_unpaged(const struct td_run *r);
json_t *td_run_unpaged_json(const struct td_run *r);
const char *td_run_threshold(const struct td_run *r);

/* whatif.c */
int td_run_whatif(struct td_run *r, struct tide_error *err);
/* The command that replays process 0, which wrote r->record. */
int td_run_print_replay(struct td_run *r, struct tide_error *err);

#endif
