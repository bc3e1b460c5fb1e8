/* The mechanism of `tide run --mapping kernel`: the kernel pages a program, and the policies decide
 * what leaves. Nothing is put in front of the program. tide stays beside it, on another processor:
 *
 *     tick    memory in use below the mark? then sleep
 *             look at the page tables (PAGEMAP_SCAN): what came is a fault, what left is gone
 *             the engine and its policies choose victims
 *             process_madvise(MADV_PAGEOUT): the kernel compresses them here, not in the program
 *
 * Without a policy the kernel chooses, which knows what was referenced: tide makes it reclaim ahead
 * of need, here instead of in the program.
 *
 * A memory cgroup, if one can be made, holds the bound at every moment: a program that is quicker
 * than the ticks reclaims by itself, by the kernel's choice. */
#ifndef TD_KERNEL_KERNEL_H
#define TD_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/engine.h"
#include "figures.h"
#include "mech/mech.h"
#include "tide/error.h"

#define TD_KERNEL_PAGE 4096u

extern const struct td_mech td_kernel_mech;

struct td_kernel_config {
	uint64_t near_bytes;
	uint32_t chunk_pages;                    /* 1 to 64, a power of two */
	struct td_policy_choice evict, prefetch; /* taken over */
	bool by_kernel; /* the kernel chooses what leaves; where no cgroup can be made, the policies
			   do */
	uint64_t seed;
	const char *log_path; /* NULL: no log of decisions */
};

struct td_kernel;

/* needs.c: what the machine lacks, as a sentence. swap: what there is, "zram0 and 1 more, 4.0 GiB".
 */
struct td_kernel_machine {
	char swap[100];
	uint64_t swap_bytes, swap_free_bytes;
	bool may_advise;   /* other processes: CAP_SYS_NICE */
	bool scans;        /* PAGEMAP_SCAN */
	bool makes_groups; /* a memory cgroup of our own */
};
void td_kernel_look(struct td_kernel_machine *m);
int td_kernel_check(const struct td_kernel_machine *m, struct tide_error *err);

int td_kernel_open(struct td_kernel **out, struct td_kernel_config *config, struct tide_error *err);
/* In the child, before it becomes the program: into the cgroup. A negative errno: it cannot. */
int td_kernel_enter(struct td_kernel *k);
/* The program and its descendants are looked at from now on. */
void td_kernel_begin(struct td_kernel *k, pid_t pid);
/* Does what is due, and says how many nanoseconds nothing will be. */
uint64_t td_kernel_tick(struct td_kernel *k);

void td_kernel_figures(struct td_kernel *k, struct td_kernel_figures *figures);
struct td_engine *td_kernel_engine(struct td_kernel *k);
bool td_kernel_by_kernel(const struct td_kernel *k);
/* Completes the log. */
int td_kernel_finish(struct td_kernel *k, struct tide_error *err);
/* The cgroup goes; processes that are still there go on without a bound. */
void td_kernel_close(struct td_kernel *k);

#endif
