/* The processes of a program: all that are in its cgroup, or that descend from it. */
#ifndef TD_KERNEL_TREE_H
#define TD_KERNEL_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "group.h"

#define TD_KERNEL_PROCESSES 256

struct td_kernel_process {
	pid_t pid; /* 0: the place is free */
	int pidfd, pagemap;
	bool there; /* at the last look */
};

struct td_kernel_tree {
	const struct td_kernel_group *group;
	pid_t root; /* 0: nothing runs */
	struct td_kernel_process at[TD_KERNEL_PROCESSES];
	uint32_t n; /* places used so far */
	uint64_t seen, unseen;
	pid_t unseen_last;
	void (*ended)(void *arg, uint32_t process);
	void *arg;
};

/* Looks who is there. Calls ended for each place of a process that is not any more. */
void td_kernel_tree_look(struct td_kernel_tree *t);
/* Memory that a process has for itself: anonymous pages that are present. */
uint64_t td_kernel_process_bytes(const struct td_kernel_process *p);
/* The file of its page table anew: it has executed another program. False: it has ended. */
bool td_kernel_process_renew(struct td_kernel_process *p);
void td_kernel_tree_end(struct td_kernel_tree *t);

#endif
