/* Accesses of tide reproduce gram: uniform ones, and machines that start together and then serve
 * files. */
#include <errno.h>
#include <stdlib.h>

#include "gram.h"
#include "tide/event.h"
#include "workload/zipf.h"

#define SKEW 0.8 /* of the documents */
#define STRAY_PERCENT \
	10             /* while it starts: one page from somewhere of the system, after a file \
			*/
#define CODE_PERCENT 5 /* of the requests need a page of a program that is not in memory */
#define LOG_PAGES 32   /* are written of one log before the next */
#define LOG_PERCENT 12 /* of the requests fill a page of a log */

static uint64_t below(uint64_t *random, uint64_t bound)
{
	return (uint64_t)((unsigned __int128)tide_random_next(random) * bound >> 64);
}

static int add(struct td_cli_gram_accesses *a, uint64_t page, bool update, struct tide_error *err)
{
	if (a->n == a->room) {
		size_t room = a->room ? 2 * a->room : 4096;
		uint64_t *at = reallocarray(a->at, room, sizeof *at);
		if (!at)
			return tide_fail(err, -ENOMEM, "no memory for the accesses: free some");
		a->at = at;
		a->room = room;
	}
	a->at[a->n++] = page * 2 + update;
	return 0;
}

int td_cli_gram_uniform(struct td_cli_gram_accesses *a, uint64_t pages, uint64_t n,
			unsigned updates_percent, uint64_t seed, struct tide_error *err)
{
	uint64_t random = tide_hash64(seed);
	int rc = 0;

	for (uint64_t i = 0; i < n && !rc; i++) {
		/* The same pages, whatever the share of updates. */
		uint64_t page = below(&random, pages), luck = below(&random, 100);
		rc = add(a, page, luck < updates_percent, err);
	}
	return rc;
}

/* ---- machines ---- */

struct list {
	const struct td_cli_gram_extent **at;
	size_t n;
};

struct machine {
	struct list files[GRAM_ROLES];
	size_t booted;   /* files read */
	uint64_t served; /* pages read since */
	uint64_t logged;
	struct td_workload_zipf zipf;
};

struct replay {
	struct td_cli_gram_accesses *to;
	struct machine *machines;
	unsigned n;
	uint64_t serve, random;
};

static int by_order(const void *a, const void *b)
{
	const struct td_cli_gram_extent *const *one = a, *const *other = b;

	if ((*one)->order != (*other)->order)
		return (*one)->order < (*other)->order ? -1 : 1;
	return (*one)->first < (*other)->first ? -1 : (*one)->first > (*other)->first;
}

static int list_files(struct list *l, const struct td_cli_gram_disk *disk,
		      enum td_cli_gram_role role, struct tide_error *err)
{
	l->at = calloc(disk->n + 1, sizeof *l->at);
	if (!l->at)
		return tide_fail(err, -ENOMEM, "no memory for the files of a disk: free some");
	for (size_t i = 0; i < disk->n; i++)
		if (disk->extents[i].role == role)
			l->at[l->n++] = &disk->extents[i];
	qsort(l->at, l->n, sizeof *l->at, by_order);
	return 0;
}

static int start_machine(struct machine *m, const struct td_cli_gram_disk *disk,
			 struct tide_error *err)
{
	int rc = 0;

	for (unsigned role = 0; role < GRAM_ROLES && !rc; role++)
		rc = list_files(&m->files[role], disk, role, err);
	if (!rc)
		td_workload_zipf_make(&m->zipf, m->files[GRAM_DOCUMENT].n, SKEW);
	return rc;
}

static int read_file(struct replay *r, const struct td_cli_gram_extent *file,
		     struct tide_error *err)
{
	int rc = 0;

	for (uint64_t i = 0; i < file->pages && !rc; i++)
		rc = add(r->to, file->first + i, false, err);
	return rc;
}

static int read_any(struct replay *r, const struct list *files, struct tide_error *err)
{
	const struct td_cli_gram_extent *file = files->at[below(&r->random, files->n)];

	return add(r->to, file->first + below(&r->random, file->pages), false, err);
}

static bool luck(struct replay *r, unsigned percent)
{
	return below(&r->random, 100) < percent;
}

/* A file of those that starting reads, whole; and now and then a page of another one. */
static int boot_step(struct replay *r, struct machine *m, struct tide_error *err)
{
	int rc = read_file(r, m->files[GRAM_BOOT].at[m->booted++], err);

	return rc || !luck(r, STRAY_PERCENT) ? rc : read_any(r, &m->files[GRAM_BASE], err);
}

/* Logs are written round and round. */
static int log_line(struct replay *r, struct machine *m, struct tide_error *err)
{
	const struct list *logs = &m->files[GRAM_LOG];
	const struct td_cli_gram_extent *log;

	if (!logs->n)
		return 0;
	log = logs->at[m->logged / LOG_PAGES % logs->n];
	return add(r->to, log->first + m->logged++ % LOG_PAGES % log->pages, true, err);
}

static int serve_step(struct replay *r, struct machine *m, struct tide_error *err)
{
	uint64_t rank;

	td_workload_zipf_draw(&m->zipf, &r->random, &rank, 1);
	const struct td_cli_gram_extent *file = m->files[GRAM_DOCUMENT].at[rank];
	int rc = read_file(r, file, err);
	m->served += file->pages;
	if (!rc && luck(r, CODE_PERCENT))
		rc = read_any(r, &m->files[GRAM_BOOT], err);
	return rc || !luck(r, LOG_PERCENT) ? rc : log_line(r, m, err);
}

static bool is_done(const struct replay *r, const struct machine *m)
{
	return m->booted == m->files[GRAM_BOOT].n && m->served >= r->serve;
}

static int run_machines(struct replay *r, struct tide_error *err)
{
	unsigned busy = r->n;
	int rc = 0;

	while (busy && !rc) {
		struct machine *m = &r->machines[below(&r->random, r->n)];
		if (is_done(r, m))
			continue;
		rc = m->booted < m->files[GRAM_BOOT].n ? boot_step(r, m, err)
						       : serve_step(r, m, err);
		busy -= is_done(r, m);
	}
	return rc;
}

int td_cli_gram_replay(struct td_cli_gram_accesses *a, const struct td_cli_gram_disks *d,
		       unsigned machines, uint64_t serve, uint64_t seed, struct tide_error *err)
{
	struct replay r = {.to = a, .n = machines, .serve = serve, .random = tide_hash64(seed)};
	int rc = 0;

	r.machines = calloc(machines, sizeof *r.machines);
	if (!r.machines)
		return tide_fail(err, -ENOMEM, "no memory for the machines: free some");
	for (unsigned i = 0; i < machines && !rc; i++)
		rc = start_machine(&r.machines[i], &d->at[i], err);
	if (!rc)
		rc = run_machines(&r, err);
	for (unsigned i = 0; i < machines; i++)
		for (unsigned role = 0; role < GRAM_ROLES; role++)
			free(r.machines[i].files[role].at);
	free(r.machines);
	return rc;
}
