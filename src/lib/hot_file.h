/* A set as a file: which pages of which mappings. It is text, so that people can read it:
 *
 *     tide-set 1
 *     memory 67108864 3             the fourth anonymous mapping of so many bytes
 *     pages 0 16                    of this mapping, from byte 0 on, in units of 4 KiB
 *     file /data/index              a mapped file
 *     pages 512 64                  of the file
 *     end 0123456789abcdef          XXH3 of all lines before
 *
 * It is read from anyone: the worst that a file can do is to name pages that nobody needs. */
#ifndef TD_LIB_HOT_FILE_H
#define TD_LIB_HOT_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tide/error.h"

#define TD_LIB_HOT_UNIT 4096

struct td_lib_hot_run {
	uint64_t first, n;
};

struct td_lib_hot_part {
	char *path; /* NULL: anonymous memory */
	uint64_t bytes, nth;
	size_t run, runs_n; /* of the set's runs, ascending and apart */
};

struct td_lib_hot_file {
	struct td_lib_hot_part *parts;
	struct td_lib_hot_run *runs;
	size_t parts_n, runs_n;
};

/* 0 or -errno with a sentence, and *set is empty. */
int td_lib_hot_file_read(struct td_lib_hot_file *set, const char *path, struct tide_error *err);
void td_lib_hot_file_free(struct td_lib_hot_file *set);

int td_lib_hot_file_add_part(struct td_lib_hot_file *set, const char *path, uint64_t bytes,
			     uint64_t nth);
/* To the last part, behind its other runs; one that touches the run before makes that longer. */
int td_lib_hot_file_add_run(struct td_lib_hot_file *set, uint64_t first, uint64_t n);

/* A whole file, or the one that was there before. */
int td_lib_hot_file_write(const struct td_lib_hot_file *set, const char *path,
			  struct tide_error *err);

#endif
