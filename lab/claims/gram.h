/* Between the files of tide reproduce gram.
 *
 *     source    what every page of a file holds: drawn, generated machines, or images
 *     file      the source written to storage, and a sum of every page, so that reads are checked
 *     run       one pool over the file, one list of accesses; what came of it
 *
 * Sizes are in thousands (1,024) of the paper's pages; `thousand` is how many pages stand for that
 * many here. */
#ifndef TD_CLI_REPRODUCE_GRAM_H
#define TD_CLI_REPRODUCE_GRAM_H

#include "claims.h"
#include "cli/pool/use.h"

#define GRAM_PAGE 4096
#define GRAM_MACHINES 4

enum td_cli_gram_study {
	GRAM_DEVICE,  /* Figures 4a, 4b, 5b, 5c: size of device memory */
	GRAM_SET,     /* 4c: size of the working set */
	GRAM_BATCH,   /* section 5.2: misses served together */
	GRAM_FACTOR,  /* 5a: how often each block is there */
	GRAM_UPDATES, /* 5d: share of updates */
	GRAM_MACHINE, /* 6: number of virtual machines */
	GRAM_STUDIES
};

enum td_cli_gram_how {
	GRAM_NATIVE, /* main memory alone */
	GRAM_SHARED, /* the same, and equal blocks once */
	GRAM_GRAM,
	GRAM_DEDU,
	GRAM_AUTO,
	GRAM_HOWS
};
extern const char *const td_cli_gram_names[GRAM_HOWS];

/* ---- gram_file.c ---- */

struct td_cli_gram_source {
	/* Fills a page; 0 or a negative errno. */
	int (*content)(const struct td_cli_gram_source *s, uint64_t page, void *to,
		       struct tide_error *err);
	uint64_t pages;
};

/* Random blocks, each of them in `copies` pages. */
struct td_cli_gram_drawn {
	struct td_cli_gram_source source;
	uint64_t copies, seed;
};
void td_cli_gram_draw(struct td_cli_gram_drawn *d, uint64_t pages, uint64_t copies, uint64_t seed);

struct td_cli_gram_file {
	struct td_pool_file file;
	uint64_t pages;
	uint64_t *sums;         /* of every page, as it must be */
	unsigned char *changed; /* since it was filled */
	bool any_changed;
	const struct td_cli_gram_source *source; /* what it is filled with; NULL: nothing */
};
int td_cli_gram_file_open(struct td_cli_gram_file *f, const char *folder, struct tide_error *err);
void td_cli_gram_file_close(struct td_cli_gram_file *f);
int td_cli_gram_file_fill(struct td_cli_gram_file *f, const struct td_cli_gram_source *source,
			  struct tide_error *err);
/* What was written must be there; then the pages are as they were filled. */
int td_cli_gram_file_restore(struct td_cli_gram_file *f, struct tide_error *err);
uint64_t td_cli_gram_sum(const void *page);
/* A page of a pool, when it is pinned: false if it is not what it must be; an update changes it. */
bool td_cli_gram_check(struct td_cli_gram_file *f, uint64_t page, void *at);
void td_cli_gram_update(struct td_cli_gram_file *f, uint64_t page, void *at, uint64_t value);

/* ---- gram_images.c, gram_scan.c: disks of virtual machines, one behind the other ---- */

enum td_cli_gram_role {
	GRAM_FREE, /* no file's */
	GRAM_BASE, /* installed, and read now and then */
	GRAM_BOOT, /* read when the machine starts */
	GRAM_DOCUMENT,
	GRAM_LOG, /* written */
	GRAM_ROLES
};

struct td_cli_gram_extent {
	uint64_t first; /* page, of all disks */
	uint64_t pages;
	uint64_t order;   /* the same for the same file of another machine */
	uint64_t content; /* generated: what it holds */
	enum td_cli_gram_role role;
};

struct td_cli_gram_disk {
	struct td_cli_gram_extent *extents;
	size_t n, room;
	uint64_t first, pages; /* of the disk */
	int fd;                /* of an image; -1: generated */
};

struct td_cli_gram_disks {
	struct td_cli_gram_source source; /* all of them; fewer: their first pages */
	unsigned n;
	uint64_t seed;
	struct td_cli_gram_disk at[GRAM_MACHINES];
};

/* Installed systems that have the same base; thousand: pages for 1,024 of full size. */
int td_cli_gram_disks_generate(struct td_cli_gram_disks *d, uint64_t thousand, uint64_t seed,
			       struct tide_error *err);
/* Images of real ones: runs of pages that are not zero are their files. */
int td_cli_gram_disks_scan(struct td_cli_gram_disks *d, const struct td_cli_list *images,
			   struct tide_error *err);
void td_cli_gram_disks_close(struct td_cli_gram_disks *d);
int td_cli_gram_extent_add(struct td_cli_gram_disk *disk, const struct td_cli_gram_extent *e,
			   struct tide_error *err);
/* Pages of files with that role, of the first so many machines. */
uint64_t td_cli_gram_role_pages(const struct td_cli_gram_disks *d, unsigned machines,
				enum td_cli_gram_role role);

/* ---- gram_replay.c: accesses ---- */

struct td_cli_gram_accesses {
	uint64_t *at; /* page * 2 + update */
	size_t n, room;
};
int td_cli_gram_uniform(struct td_cli_gram_accesses *a, uint64_t pages, uint64_t n,
			unsigned updates_percent, uint64_t seed, struct tide_error *err);
/* So many of the machines start, and then each serves until it has read `serve` pages. */
int td_cli_gram_replay(struct td_cli_gram_accesses *a, const struct td_cli_gram_disks *d,
		       unsigned machines, uint64_t serve, uint64_t seed, struct tide_error *err);

/* ---- gram_run.c ---- */

struct td_cli_gram_run {
	enum td_cli_gram_study study;
	enum td_cli_gram_how how;
	unsigned x; /* what varies */
	uint64_t main_pages, device_pages, set_pages, accesses, depth;
	unsigned copies, updates_percent, batch;
	/* What came of it, without what warmed it. */
	bool done;
	struct tide_pool_stats stats;
	uint64_t touched_pages;                      /* that are accessed */
	uint64_t samples, held_bytes, sharing_bytes; /* sums over the second half of it */
	double seconds;
};

struct td_cli_gram {
	const struct td_claims_options *args;
	struct td_cli_reproduction r;
	uint64_t thousand, seed;
	struct td_cli_gram_file file;
	struct td_cli_gram_drawn drawn;
	struct td_cli_gram_disks disks;
	struct td_cli_gram_run *runs;
	size_t n;
};
int td_cli_gram_do(struct td_cli_gram *g, struct td_cli_gram_run *run, struct tide_error *err);

/* ---- gram_figures.c: numbers out of runs; NAN where there are none ---- */

const struct td_cli_gram_run *td_cli_gram_find(const struct td_cli_gram *g,
					       enum td_cli_gram_study s, enum td_cli_gram_how how,
					       unsigned x);
typedef double td_cli_gram_figure(const struct td_cli_gram_run *run);
td_cli_gram_figure td_cli_gram_reads;   /* of the file, percent of the accesses */
td_cli_gram_figure td_cli_gram_io;      /* the same, with writes */
td_cli_gram_figure td_cli_gram_us;      /* of an access, in calls of the pool */
td_cli_gram_figure td_cli_gram_sharing; /* percent of the pages held that share their block */
td_cli_gram_figure td_cli_gram_shared;  /* these, in percent of the pages that are in use */
td_cli_gram_figure td_cli_gram_move_ns; /* of a page, to or from the device */
td_cli_gram_figure td_cli_gram_move_gbs;
td_cli_gram_figure td_cli_gram_move_percent; /* of the time that the file took */
td_cli_gram_figure td_cli_gram_signed;       /* signatures worked out, percent of the accesses */
td_cli_gram_figure td_cli_gram_index;        /* percent of the memory for blocks */
/* The median of runs of the same kind. */
double td_cli_gram_value(const struct td_cli_gram *g, td_cli_gram_figure *f,
			 enum td_cli_gram_study s, enum td_cli_gram_how how, unsigned x);
/* Percent of `than` that `how` saves. */
double td_cli_gram_saved(const struct td_cli_gram *g, td_cli_gram_figure *f,
			 enum td_cli_gram_study s, unsigned x, enum td_cli_gram_how how,
			 enum td_cli_gram_how than);
/* Figures 4b and 5c: points of native's miss rate, in percent, that a MB of device memory saves. */
double td_cli_gram_utility(const struct td_cli_gram *g, enum td_cli_gram_how how, unsigned x);

/* ---- what varies, gram.c ---- */

struct td_cli_gram_points {
	const char *name, *what, *axis;
	unsigned n, x[12];
	enum td_cli_gram_how hows[GRAM_HOWS];
	unsigned hows_n;
};
extern const struct td_cli_gram_points td_cli_gram_points[GRAM_STUDIES];
bool td_cli_gram_has(const struct td_cli_gram *g, enum td_cli_gram_study s);

void td_cli_gram_claims(struct td_cli_gram *g);                             /* gram_claims.c */
int td_cli_gram_print(const struct td_cli_gram *g, struct tide_error *err); /* gram_print.c */
json_t *td_cli_gram_run_json(const struct td_cli_gram *g, const struct td_cli_gram_run *run);
int td_cli_gram_plot(const struct td_cli_gram *g, struct tide_error *err); /* gram_plot.c */

#endif
