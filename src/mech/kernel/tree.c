#include "tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel.h"

static int open_pagemap(pid_t pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/pagemap", (int)pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void forget(struct td_kernel_process *p)
{
	if (p->pidfd >= 0)
		close(p->pidfd);
	if (p->pagemap >= 0)
		close(p->pagemap);
	*p = (struct td_kernel_process){.pidfd = -1, .pagemap = -1};
}

static bool remember(struct td_kernel_process *p, pid_t pid)
{
	*p = (struct td_kernel_process){
		.pid = pid,
		.pidfd = (int)syscall(SYS_pidfd_open, pid, 0),
		.pagemap = open_pagemap(pid),
		.there = true,
	};
	if (p->pidfd >= 0 && p->pagemap >= 0)
		return true;
	forget(p);
	return false;
}

bool td_kernel_process_renew(struct td_kernel_process *p)
{
	int fd = open_pagemap(p->pid);
	if (p->pagemap >= 0)
		close(p->pagemap);
	p->pagemap = fd;
	return fd >= 0;
}

/* ---- who is there ---- */

static void count_unseen(struct td_kernel_tree *t, pid_t pid)
{
	t->unseen += pid > t->unseen_last;
	t->unseen_last = pid > t->unseen_last ? pid : t->unseen_last;
}

static void see(void *arg, pid_t pid)
{
	struct td_kernel_tree *t = arg;
	uint32_t free = TD_KERNEL_PROCESSES;
	for (uint32_t i = 0; i < t->n; i++) {
		if (t->at[i].pid == pid) {
			t->at[i].there = true;
			return;
		}
		if (!t->at[i].pid && free == TD_KERNEL_PROCESSES)
			free = i;
	}
	if (free == TD_KERNEL_PROCESSES)
		free = t->n;
	if (free == TD_KERNEL_PROCESSES) {
		count_unseen(t, pid);
	} else if (remember(&t->at[free], pid)) {
		t->seen++;
		t->n += free == t->n;
	}
}

static void see_children(struct td_kernel_tree *t, pid_t pid, unsigned depth);

static void see_children_of(struct td_kernel_tree *t, pid_t pid, const char *thread, unsigned depth)
{
	char path[300];
	int child;
	snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)pid, thread);
	FILE *file = fopen(path, "re");
	while (file && fscanf(file, "%d", &child) == 1) {
		see(t, child);
		see_children(t, child, depth + 1);
	}
	if (file)
		fclose(file);
}

static void see_children(struct td_kernel_tree *t, pid_t pid, unsigned depth)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *threads = depth < TD_KERNEL_PROCESSES ? opendir(path) : NULL;
	for (struct dirent *d; threads && (d = readdir(threads));)
		if (*d->d_name != '.')
			see_children_of(t, pid, d->d_name, depth);
	if (threads)
		closedir(threads);
}

static void end_missing(struct td_kernel_tree *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		if (!t->at[i].pid || t->at[i].there)
			continue;
		t->ended(t->arg, i);
		forget(&t->at[i]);
	}
	while (t->n && !t->at[t->n - 1].pid)
		t->n--;
}

void td_kernel_tree_look(struct td_kernel_tree *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		t->at[i].there = false;
	if (*t->group->path) {
		td_kernel_group_processes(t->group, see, t);
	} else if (t->root) {
		see(t, t->root);
		see_children(t, t->root, 0);
	}
	end_missing(t);
}

void td_kernel_tree_end(struct td_kernel_tree *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->at[i].pid)
			forget(&t->at[i]);
	t->n = 0;
}

uint64_t td_kernel_process_bytes(const struct td_kernel_process *p)
{
	unsigned long size, resident = 0, shared = 0;
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/statm", (int)p->pid);
	FILE *file = fopen(path, "re");
	if (file && fscanf(file, "%lu %lu %lu", &size, &resident, &shared) != 3)
		resident = shared = 0;
	if (file)
		fclose(file);
	return resident > shared ? (uint64_t)(resident - shared) * TD_KERNEL_PAGE : 0;
}
