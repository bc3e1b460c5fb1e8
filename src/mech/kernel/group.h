/* A memory cgroup of our own, of version 1 or 2, that holds a program and its descendants. */
#ifndef TD_KERNEL_GROUP_H
#define TD_KERNEL_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define TD_KERNEL_PATH 512

struct td_kernel_group {
	char path[TD_KERNEL_PATH];   /* empty: there is none */
	char parent[TD_KERNEL_PATH]; /* where its processes go when it goes */
	int usage, stat;             /* files that are read often */
	uint64_t limit_bytes;
	int guard; /* closing this pipe ends the group, also if tide is killed */
	pid_t guard_pid;
	bool v2;
};

/* Makes one with this limit; leaves path empty if none can be made. */
void td_kernel_group_make(struct td_kernel_group *g, uint64_t limit_bytes);
bool td_kernel_group_possible(void);
int td_kernel_group_enter(const struct td_kernel_group *g); /* this process */
/* Its processes go to the parent, and it goes. */
void td_kernel_group_end(struct td_kernel_group *g);

/* The kernel takes memory back until no more than low_bytes are used, by its own choice, and in
 * this thread; for a few milliseconds at most. */
void td_kernel_group_reclaim(const struct td_kernel_group *g, uint64_t used_bytes,
			     uint64_t low_bytes);

uint64_t td_kernel_group_usage(const struct td_kernel_group *g);
uint64_t td_kernel_group_most(const struct td_kernel_group *g); /* 0: the kernel keeps no peak */
/* Of files, and not used for a while: memory that the kernel takes back for nothing. */
uint64_t td_kernel_group_idle_files(const struct td_kernel_group *g);
/* Anonymous, and among what the kernel looks at first. */
uint64_t td_kernel_group_idle(const struct td_kernel_group *g);
uint64_t td_kernel_group_major_faults(const struct td_kernel_group *g);
uint64_t td_kernel_group_killed(const struct td_kernel_group *g);
/* Calls see for each process. */
void td_kernel_group_processes(const struct td_kernel_group *g, void (*see)(void *arg, pid_t pid),
			       void *arg);

#endif
