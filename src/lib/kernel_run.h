/* The door to mapping kernel, for tide run: options as people write them. */
#ifndef TD_LIB_KERNEL_RUN_H
#define TD_LIB_KERNEL_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

#include "mech/kernel/figures.h"
#include "tide/error.h"
#include "tide/stats.h"

/* What an option that is not given means. */
#define TD_KERNEL_EVICT "lrm" /* with a prefetch policy or a log; else the kernel chooses */
#define TD_KERNEL_PREFETCH "none"
#define TD_KERNEL_CHUNK "64K"

/* NULL: not given. */
struct td_lib_kernel_run {
	const char *near_size, *page, *chunk, *evict, *prefetch, *seed, *log;
};

struct td_lib_kernel;

/* Can this machine do it? What there is as words, and -errno with the reason if it cannot. */
int td_lib_kernel_look(char *found, size_t size, struct tide_error *err);

int td_lib_kernel_open(struct td_lib_kernel **out, const struct td_lib_kernel_run *run,
		       struct tide_error *err);
/* See mech/kernel/kernel.h. */
int td_lib_kernel_enter(struct td_lib_kernel *k);
void td_lib_kernel_begin(struct td_lib_kernel *k, pid_t pid);
uint64_t td_lib_kernel_tick(struct td_lib_kernel *k);
int td_lib_kernel_finish(struct td_lib_kernel *k, struct tide_error *err);
void td_lib_kernel_close(struct td_lib_kernel *k); /* NULL is allowed */

struct td_lib_kernel_said {
	struct tide_counts counts;
	struct td_kernel_figures figures;
	const char *evict, *prefetch, *chunk; /* as they were written, or the defaults */
	bool by_kernel;                       /* no policy chooses, and the counts are 0 */
	const char *ejected;                  /* empty: none */
};
void td_lib_kernel_said(struct td_lib_kernel *k, struct td_lib_kernel_said *said);
json_t *td_lib_kernel_policy(struct td_lib_kernel *k); /* what the policies report */

#endif
