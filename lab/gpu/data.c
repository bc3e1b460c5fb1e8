#include "data.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/jobs.h"
#include "graph.h"
#include "lab/workload/graph.h"

/* Files have whole pages of any size, and are read and written by parts of this. */
enum { ALIGN = 4096, WHOLE = 2 << 20, PART = 8 << 20 };

static uint64_t file_bytes(const struct td_app_array *a)
{
	return (a->bytes + WHOLE - 1) / WHOLE * WHOLE;
}

int td_app_path(char path[TD_GPU_PATH], const struct td_app_shape *s, unsigned array,
		const struct td_gpu_setup *setup, struct tide_error *err)
{
	const struct td_app_array *a = &s->array[array];
	char name[96];

	snprintf(name, sizeof name, "%s-%s-%" PRIu64 "-%" PRIu64,
		 a->flags & TD_APP_GRAPH ? "graph" : s->plan->name, a->name, a->bytes, s->seed);
	return td_gpu_path(path, setup, name, err);
}

/* ---- parts of an array, on all cores ---- */

struct parts {
	const struct td_app_shape *s;
	const struct td_app_array *a;
	int fd;   /* -1: no file */
	char *to; /* loading */
	_Atomic int rc;
	_Atomic uint64_t sum;
};

/* All but an error that came first. */
static void fail(struct parts *p, int rc)
{
	int none = 0;

	atomic_compare_exchange_strong(&p->rc, &none, rc);
}

static size_t part_bytes(uint64_t bytes, size_t part)
{
	uint64_t left = bytes - part * (uint64_t)PART;

	return left < PART ? (size_t)left : PART;
}

static void fill_part(const struct parts *p, size_t part, char *to)
{
	size_t bytes = part_bytes(p->a->bytes, part), element = p->a->element_bytes;

	if (p->a->fill)
		p->a->fill(p->s, part * (uint64_t)PART / element, bytes / element, to);
	else
		memset(to, 0, bytes);
}

static int write_at(int fd, const char *from, size_t bytes, uint64_t at)
{
	while (bytes) {
		ssize_t n = pwrite(fd, from, bytes, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		from += n;
		at += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return 0;
}

static int read_at(int fd, char *to, size_t bytes, uint64_t at)
{
	while (bytes) {
		ssize_t n = pread(fd, to, bytes, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		to += n;
		at += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return 0;
}

static void write_part(void *arg, size_t part)
{
	struct parts *p = arg;
	size_t bytes = part_bytes(file_bytes(p->a), part), filled = part_bytes(p->a->bytes, part);
	char *buffer = atomic_load(&p->rc) ? NULL : aligned_alloc(ALIGN, PART);

	if (!buffer) {
		fail(p, -ENOMEM);
		return;
	}
	fill_part(p, part, buffer);
	memset(buffer + filled, 0, bytes - filled);
	int rc = write_at(p->fd, buffer, bytes, part * (uint64_t)PART);
	if (rc)
		fail(p, rc);
	free(buffer);
}

static void load_part(void *arg, size_t part)
{
	struct parts *p = arg;
	uint64_t at = part * (uint64_t)PART;

	if (p->fd < 0) {
		fill_part(p, part, p->to + at);
		return;
	}
	int rc = read_at(p->fd, p->to + at, part_bytes(p->a->bytes, part), at);
	if (rc)
		fail(p, rc);
}

static void sum_part(void *arg, size_t part)
{
	struct parts *p = arg;
	uint64_t at = part * (uint64_t)PART;
	char *buffer = aligned_alloc(ALIGN, PART);
	int rc = buffer ? read_at(p->fd, buffer, part_bytes(file_bytes(p->a), part), at) : -ENOMEM;

	if (rc)
		fail(p, rc);
	else
		atomic_fetch_add(&p->sum,
				 td_app_sum(buffer, at / 4, part_bytes(p->a->bytes, part) / 4));
	free(buffer);
}

static int each_part(struct parts *p, void (*job)(void *arg, size_t part))
{
	td_jobs_run((size_t)((p->a->bytes + PART - 1) / PART), 0, job, p);
	return atomic_load(&p->rc);
}

/* Past the page cache where the file system can. */
static int open_direct(const char *path, int flags)
{
	int fd = open(path, flags | O_DIRECT | O_CLOEXEC, 0600);

	return fd < 0 && errno == EINVAL ? open(path, flags | O_CLOEXEC, 0600) : fd;
}

/* ---- files ---- */

static bool is_made(const char *path, const struct td_app_array *a)
{
	struct stat st;

	return stat(path, &st) == 0 && (uint64_t)st.st_size == file_bytes(a);
}

static int make_file(const struct td_app_shape *s, unsigned array, const char *path,
		     struct tide_error *err)
{
	struct parts p = {.s = s, .a = &s->array[array], .fd = open_direct(path, O_RDWR | O_CREAT)};

	if (p.fd < 0)
		return tide_fail(err, -errno, "cannot make %s: %s: give another folder with --dir",
				 path, strerror(errno));
	int rc = each_part(&p, write_part);
	if (!rc && fsync(p.fd))
		rc = -errno;
	if (!rc)
		(void)posix_fadvise(p.fd, 0, 0, POSIX_FADV_DONTNEED);
	close(p.fd);
	if (!rc)
		return 0;
	unlink(path);
	return tide_fail(err, rc, "cannot write %" PRIu64 " bytes to %s: %s", file_bytes(p.a), path,
			 strerror(-rc));
}

static int make_array(const struct td_app_shape *s, unsigned array,
		      const struct td_gpu_setup *setup, struct tide_error *err)
{
	char path[TD_GPU_PATH];
	int rc = td_app_path(path, s, array, setup, err);

	if (rc || (is_made(path, &s->array[array]) && !(s->array[array].flags & TD_APP_WRITTEN)))
		return rc;
	return make_file(s, array, path, err);
}

int td_app_make(const struct td_app_shape *s, const struct td_gpu_setup *setup,
		struct tide_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < s->arrays && !rc; i++) {
		if (!(s->array[i].flags & (TD_APP_NEAR | TD_APP_GRAPH)))
			rc = make_array(s, i, setup, err);
	}
	return rc;
}

void td_app_remove(const struct td_app_shape *s, const struct td_gpu_setup *setup, bool graph)
{
	char path[TD_GPU_PATH];

	for (unsigned i = 0; i < s->arrays; i++) {
		if ((graph || !(s->array[i].flags & TD_APP_GRAPH)) &&
		    !td_app_path(path, s, i, setup, NULL))
			unlink(path);
	}
}

/* ---- the graph ---- */

static int make_graph(struct td_app_shape *s, const struct td_gpu_setup *setup,
		      struct tide_error *err)
{
	struct td_graph graph = {0};
	int rc = td_graph_kronecker(&graph, s->plan->name, (unsigned)s->size[TD_APP_SCALE], s->seed,
				    0, err);

	s->graph = &graph;
	if (!rc)
		rc = make_array(s, TD_APP_EDGES, setup, err);
	if (!rc)
		rc = make_array(s, TD_APP_FIRST, setup, err);
	s->graph = NULL;
	td_graph_free(&graph);
	return rc;
}

/* The first node that has an edge. */
static int find_source(struct td_app_shape *s, const char *path, struct tide_error *err)
{
	enum { SOME = 4096 };
	uint64_t *first = malloc(SOME * sizeof *first), nodes = s->size[TD_APP_NODES], v = 0;
	int fd = first ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	int rc = fd < 0 ? -errno : 0;

	for (bool found = false; !rc && !found && v < nodes;) {
		uint64_t n = nodes + 1 - v < SOME ? nodes + 1 - v : SOME;
		rc = read_at(fd, (char *)first, n * sizeof *first, v * sizeof *first);
		for (uint64_t i = 1; !rc && !found && i < n; i++, v += !found)
			found = first[i] > 0;
	}
	if (fd >= 0)
		close(fd);
	free(first);
	s->size[TD_APP_SOURCE] = v < nodes ? v : 0;
	return rc ? tide_fail(err, rc, "cannot read %s: %s", path, strerror(-rc)) : 0;
}

int td_app_prepare(struct td_app_shape *s, const struct td_gpu_setup *setup, struct tide_error *err)
{
	char edges[TD_GPU_PATH], first[TD_GPU_PATH];

	if (!s->plan->graph)
		return 0;
	int rc = td_app_path(edges, s, TD_APP_EDGES, setup, err);
	if (!rc)
		rc = td_app_path(first, s, TD_APP_FIRST, setup, err);
	if (!rc &&
	    !(is_made(edges, &s->array[TD_APP_EDGES]) && is_made(first, &s->array[TD_APP_FIRST])))
		rc = make_graph(s, setup, err);
	return rc ? rc : find_source(s, first, err);
}

/* ---- reading ---- */

/* What has a file of the graph is read from there, all else is worked out. */
int td_app_load(const struct td_app_shape *s, unsigned array, const struct td_gpu_setup *setup,
		void *to, struct tide_error *err)
{
	struct parts p = {.s = s, .a = &s->array[array], .fd = -1, .to = to};
	char path[TD_GPU_PATH] = "";
	int rc = 0;

	if (p.a->flags & TD_APP_GRAPH) {
		rc = td_app_path(path, s, array, setup, err);
		p.fd = rc ? -1 : open(path, O_RDONLY | O_CLOEXEC);
		if (!rc && p.fd < 0)
			rc = tide_fail(err, -errno, "cannot read %s: %s", path, strerror(errno));
		if (rc)
			return rc;
	}
	rc = each_part(&p, load_part);
	if (p.fd >= 0) {
		(void)posix_fadvise(p.fd, 0, 0, POSIX_FADV_DONTNEED);
		close(p.fd);
	}
	return rc ? tide_fail(err, rc, "cannot read %s: %s", path, strerror(-rc)) : 0;
}

int td_app_file_sum(const struct td_app_shape *s, unsigned array, const struct td_gpu_setup *setup,
		    uint64_t *sum, struct tide_error *err)
{
	struct parts p = {.s = s, .a = &s->array[array], .fd = -1};
	char path[TD_GPU_PATH];
	int rc = td_app_path(path, s, array, setup, err);

	if (rc)
		return rc;
	p.fd = open_direct(path, O_RDONLY);
	rc = p.fd < 0 ? -errno : each_part(&p, sum_part);
	if (p.fd >= 0)
		close(p.fd);
	*sum = atomic_load(&p.sum);
	return rc ? tide_fail(err, rc, "cannot read %s: %s", path, strerror(-rc)) : 0;
}

int td_app_refer(const struct td_app_shape *s, const struct td_gpu_setup *setup,
		 void *array[TD_APP_ARRAYS], struct tide_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < s->arrays && !rc; i++) {
		array[i] = malloc(s->array[i].bytes);
		rc = array[i] ? td_app_load(s, i, setup, array[i], err)
			      : tide_fail(err, -ENOMEM, "%s: no memory for %s", s->plan->name,
					  s->array[i].name);
	}
	return rc ? rc : s->plan->reference(s, array, err);
}
