/* What the files of this room share and that needs no CUDA: progress, time, results,
 * files of their own, and a plain reader of files to compare with. */
#ifndef TD_GPU_TOOLS_H
#define TD_GPU_TOOLS_H

#include "gpu.h"
#include "tide/event.h"
#include "tide/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TD_GPU_MIB ((uint64_t)1 << 20)
#define TD_GPU_GIB ((uint64_t)1 << 30)

__attribute__((format(printf, 2, 3))) void td_gpu_tell(const struct td_gpu_setup *s,
						       const char *format, ...);

void td_gpu_sleep_ns(uint64_t ns);
uint64_t td_gpu_seed(const struct td_gpu_setup *s);
/* Sorts them. */
double td_gpu_median(double *values, unsigned n);

/* Is a name in a list with commas? An entry may be the start of the name. NULL and "all" list
 * every name. */
bool td_gpu_listed(const char *list, const char *name);
/* -EINVAL where an entry of the list is the start of no name. */
int td_gpu_list_check(const char *list, const struct td_gpu_part *parts, const char *what,
		      struct tide_error *err);

/* Makes the GPU current in this thread. */
int td_gpu_choose(const struct td_gpu_setup *s, struct tide_error *err);

/* ---- results ---- */

struct td_gpu_result *td_gpu_result_make(void); /* NULL: no memory */
void td_gpu_result_free(struct td_gpu_result *r);
/* Adds one element, all zero, to an array of n. NULL: there is no memory, and nothing has changed.
 * */
void *td_gpu_more(void *array, size_t *n, size_t each);
/* A new table, which is ok so far. It stays where it is until the next one is made. */
struct td_gpu_table *td_gpu_table(struct td_gpu_result *r, const char *name);

/* ---- a table: rows and claims. Where there is no memory for one, the table is not ok. ---- */

struct td_gpu_row {
	const char *what;
	uint64_t bytes; /* moved, or 0: */
	uint64_t count; /* done */
	double ns;
	double ratio;   /* 0: none */
	const char *of; /* what the ratio is to */
};

void td_gpu_table_row(struct td_gpu_table *table, const struct td_gpu_setup *s,
		      const struct td_gpu_row *row);
/* One of another kind. */
void td_gpu_table_measure(struct td_gpu_table *table, const struct td_gpu_measure *measure);
enum td_gpu_bound { TD_GPU_AT_LEAST, TD_GPU_AT_MOST };
void td_gpu_table_claim(struct td_gpu_table *table, const struct td_gpu_setup *s, const char *what,
			enum td_gpu_bound bound, double target, double measured);
/* Says that something could not be measured, or came out wrong. The table is not ok then. */
void td_gpu_table_fault(struct td_gpu_table *table, const struct td_gpu_setup *s, const char *what,
			const struct tide_error *err);

static inline double td_gpu_gbps(uint64_t bytes, double ns)
{
	return ns > 0 ? (double)bytes / ns : 0;
}

/* ---- files ---- */

#define TD_GPU_PATH 512

/* Makes a path in the folder for files, with the number of the process in its name. */
int td_gpu_path(char path[TD_GPU_PATH], const struct td_gpu_setup *s, const char *name,
		struct tide_error *err);

/* Word i (of 8 bytes) of every file and array of this room, at first; the low 24 bits are zero. */
static inline TIDE_DEVICE uint64_t td_gpu_word(uint64_t i)
{
	return tide_hash64(i + 1) & ~(uint64_t)0xffffff;
}

/* A file of such words, on the disk and not in the page cache. */
int td_gpu_file_make(const char *path, uint64_t bytes, struct tide_error *err);

/* Reads blocks in order (or shuffled) with io_uring and direct I/O, `depth` under way. */
struct td_gpu_reader {
	const char *path;
	uint64_t bytes, block_bytes;
	unsigned depth;
	bool shuffled;
	uint64_t time_limit_ns; /* 0: none */
	/* what came of it */
	uint64_t read_bytes;
	double ns;
	bool direct;
};
int td_gpu_disk_read(struct td_gpu_reader *r, struct tide_error *err);

#ifdef __cplusplus
}
#endif

#endif
