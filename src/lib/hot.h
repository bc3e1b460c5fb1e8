/* Sets of a pager: which pages of its mappings were near, in a file, so that a program that is
 * started again gets them in one pass.
 *
 * Addresses differ from run to run. A page of a file is known by the file's path and its place in
 * the file. A page of anonymous memory is known by its place in the mapping, and the mapping by its
 * size and by how many of that size came before it. Anonymous memory of a new process is zero:
 * its pages come as that. */
#ifndef TD_LIB_HOT_H
#define TD_LIB_HOT_H

#include <pthread.h>

#include "hot_file.h"
#include "mech/uffd/uffd.h"

/* What is left of a mapping, or a part of that. */
struct td_lib_hot_mapping {
	uintptr_t start, end;
	uintptr_t origin; /* as it was made: its first byte, and its size */
	uint64_t bytes;
	char *path; /* NULL: anonymous */
	uint64_t file_offset;
	uint64_t nth; /* anonymous: so many of this size were made before */
};

struct td_lib_hot {
	pthread_mutex_t lock;
	struct td_pager *pager;
	struct td_lib_hot_mapping *at; /* ascending, apart */
	size_t n;
	struct td_lib_hot_size {
		uint64_t bytes, made;
	} * sizes;
	size_t sizes_n;
	struct td_lib_hot_file loaded;
};

void td_lib_hot_init(struct td_lib_hot *s);
void td_lib_hot_free(struct td_lib_hot *s);
/* A mapping was made, and what is loaded of it comes; any part of one went. path NULL: anonymous.
 * Without memory for that the set lacks the mapping, which is no error. */
void td_lib_hot_mapped(struct td_lib_hot *s, void *base, size_t bytes, const char *path,
		       uint64_t offset);
void td_lib_hot_unmapped(struct td_lib_hot *s, const void *addr, size_t bytes);

/* Around a fork: no other thread has the lock, which would stay locked in the child. */
void td_lib_hot_before_fork(struct td_lib_hot *s);
void td_lib_hot_after_fork(struct td_lib_hot *s);

int td_lib_hot_save(struct td_lib_hot *s, const char *path, struct tide_error *err);
int td_lib_hot_load(struct td_lib_hot *s, const char *path, struct tide_error *err);

#endif
