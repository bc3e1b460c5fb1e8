/* The results of jobs, from their files into the sweep's. A file is removed when all that counts of
 * it is safe; whoever is killed in between finds nothing new in it the next time. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster.h"

#define NAME_BYTES (sizeof((struct td_cli_cluster *)0)->folder + 300)

/* ---- names: `17.3.jsonl` is of job 17 for part 3 ---- */

static bool read_name(const char *name, const char *end, uint64_t *job, uint64_t *part)
{
	size_t first = strcspn(name, "."), second;

	if (!name[first] || td_core_u64(name, first, job))
		return false;
	name += first + 1;
	second = strcspn(name, ".");
	return td_core_u64(name, second, part) == 0 && strcmp(name + second, end) == 0;
}

static bool is_live(const struct td_cli_cluster *c, uint64_t job, uint64_t part)
{
	return part >= 1 && part <= c->n && c->parts[part - 1].live &&
	       c->parts[part - 1].job == job;
}

/* ---- one file ---- */

static void note_failure(struct td_cli_sweep *s, uint32_t index, const char *line, size_t n)
{
	json_t *o = json_loadb(line, n, 0, NULL);
	const char *text = json_string_value(json_object_get(o, "error"));

	if (!s->failed++ || index < s->failed_index) {
		s->failed_index = index;
		tide_fail(&s->failure, -EIO, "%s", text ? text : "");
	}
	json_decref(o);
}

/* A line that is no result, as a dying machine may leave, is left out: its run is made again. So is
 * what another job has already made. */
static int merge_line(struct td_cli_sweep *s, const char *line, size_t n, struct tide_error *err)
{
	struct td_cli_planned *run;
	enum td_cli_state state;
	int rc = td_cli_read_result(&s->reading, line, n, &run, &state);

	if (rc == -ENOMEM)
		return tide_fail(err, rc, "no memory for the results: free some");
	if (rc || !run || state < TD_CLI_DONE || run->state >= TD_CLI_DONE)
		return 0;
	rc = td_cli_results_add(&s->results, line, n, err);
	if (rc)
		return rc;
	run->state = state;
	if (state == TD_CLI_DONE)
		s->done++;
	else
		note_failure(s, run->index, line, n);
	return 0;
}

/* From the last line to the first, since of several of a run the last one counts. */
static int merge_lines(struct td_cli_sweep *s, const char *text, size_t n, struct tide_error *err)
{
	const char *end = memrchr(text, '\n', n);
	int rc = 0;

	for (; end && !rc; end = end > text ? memrchr(text, '\n', (size_t)(end - text)) : NULL) {
		const char *before = memrchr(text, '\n', (size_t)(end - text));
		const char *line = before ? before + 1 : text;
		rc = merge_line(s, line, (size_t)(end - line) + 1, err);
	}
	return rc;
}

static int fail_read(const char *path, struct tide_error *err)
{
	int code = errno;

	return tide_fail(err, code == EINVAL ? -EIO : -code,
			 "cannot read %s (%s): make it readable", path, strerror(code));
}

static int merge_open(struct td_cli_sweep *s, int fd, const char *path, struct tide_error *err)
{
	struct stat st;
	char *text;
	int rc;

	if (fstat(fd, &st))
		return fail_read(path, err);
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		return fail_read(path, err);
	rc = merge_lines(s, text, (size_t)st.st_size, err);
	munmap(text, (size_t)st.st_size);
	return rc ? rc : td_cli_results_sync(&s->results, err);
}

/* A job that Slurm has lost may still write: its file is merged and removed when it is free. */
static int merge_file(struct td_cli_sweep *s, const char *path, struct tide_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	int rc = 0;

	if (fd < 0)
		return errno == ENOENT ? 0 : fail_read(path, err);
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
		rc = merge_open(s, fd, path, err);
		if (!rc)
			unlink(path);
	}
	close(fd);
	return rc;
}

/* ---- all of them ---- */

typedef int of_file(const struct td_cli_cluster *c, const char *path, uint64_t job, uint64_t part,
		    struct tide_error *err);

/* Calls for each file of the folder that has such a name. */
static int each_file(const struct td_cli_cluster *c, const char *end, of_file *call,
		     struct tide_error *err)
{
	DIR *folder = opendir(c->folder);
	const struct dirent *entry;
	uint64_t job, part;
	int rc = 0;

	if (!folder)
		return fail_read(c->folder, err);
	while (!rc && (entry = readdir(folder))) {
		char path[NAME_BYTES];
		snprintf(path, sizeof path, "%s/%s", c->folder, entry->d_name);
		if (read_name(entry->d_name, end, &job, &part))
			rc = call(c, path, job, part, err);
	}
	closedir(folder);
	return rc;
}

static int merge_ended(const struct td_cli_cluster *c, const char *path, uint64_t job,
		       uint64_t part, struct tide_error *err)
{
	return is_live(c, job, part) ? 0 : merge_file(c->s, path, err);
}

int td_cli_cluster_merge(struct td_cli_cluster *c, struct tide_error *err)
{
	int rc;

	pthread_mutex_lock(&c->s->lock);
	rc = each_file(c, ".jsonl", merge_ended, err);
	pthread_mutex_unlock(&c->s->lock);
	return rc;
}

static int remove_log(const struct td_cli_cluster *c, const char *path, uint64_t job, uint64_t part,
		      struct tide_error *err)
{
	(void)c, (void)job, (void)part, (void)err;
	unlink(path);
	return 0;
}

void td_cli_cluster_tidy(const struct td_cli_cluster *c)
{
	each_file(c, ".log", remove_log, NULL);
	rmdir(c->folder);
}

/* ---- what live jobs have so far ---- */

static void see_part(const struct td_cli_cluster *c, struct td_cli_part *part, size_t number)
{
	char path[NAME_BYTES], text[65536];
	int fd;
	ssize_t n;

	snprintf(path, sizeof path, "%s/%" PRIu64 ".%zu.jsonl", c->folder, part->job, number);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = pread(fd, text, sizeof text, part->seen_bytes)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			part->seen += text[i] == '\n';
		part->seen_bytes += n;
	}
	if (fd >= 0)
		close(fd);
}

void td_cli_cluster_see(struct td_cli_cluster *c)
{
	size_t seen = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->parts[i].running) {
			see_part(c, &c->parts[i], i + 1);
			seen += c->parts[i].seen;
		}
	pthread_mutex_lock(&c->s->lock);
	c->s->elsewhere = seen;
	c->s->runs.millionths = (seen + c->s->done + c->s->failed) * UINT64_C(1000000);
	pthread_mutex_unlock(&c->s->lock);
}
