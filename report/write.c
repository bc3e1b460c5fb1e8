#include "write.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int td_report_file_open(struct td_report_file *f, const char *folder, const char *name,
			const char *ending, struct tide_error *err)
{
	int fd = -1;

	*f = (struct td_report_file){0};
	if (asprintf(&f->path, "%s/%s.%s", folder, name, ending) < 0)
		f->path = NULL;
	if (!f->path || asprintf(&f->part, "%s.%ld.part", f->path, (long)getpid()) < 0)
		f->part = NULL;
	if (f->part)
		fd = open(f->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	f->to = fd < 0 ? NULL : fdopen(fd, "w+");
	if (f->to)
		return 0;
	tide_fail(err, -errno, "cannot write %.150s: %s: give another folder",
		  f->path ? f->path : folder, strerror(errno));
	free(f->path);
	free(f->part);
	return -EIO;
}

/* The mode of the file that it takes the place of is what its owner wants. */
static void keep_mode(FILE *to, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && fchmod(fileno(to), st.st_mode & 07777) != 0)
		return; /* some file systems have no modes */
}

int td_report_file_close(struct td_report_file *f, int rc, struct tide_error *err)
{
	bool bad = ferror(f->to);

	keep_mode(f->to, f->path);
	bad |= fclose(f->to) != 0;
	if (!rc && (bad || rename(f->part, f->path) != 0))
		rc = tide_fail(err, -EIO, "cannot write %.150s: %s: is the disk full?", f->path,
			       strerror(errno));
	if (rc)
		unlink(f->part);
	free(f->path);
	free(f->part);
	return rc;
}

/* ---- everything that was read ---- */

static void put_cell(FILE *to, const char *text)
{
	td_report_csv(to, text);
	putc(',', to);
}

static void put_run(const struct td_report *r, const struct td_report_run *run, FILE *to)
{
	fprintf(to, "%u,", run->number);
	put_cell(to, r->files.at[run->file]);
	put_cell(to, r->inputs.at[run->input]);
	put_cell(to, r->policies.at[run->evict]);
	put_cell(to, r->policies.at[run->prefetch]);
	put_cell(to, run->is_placed ? r->policies.at[run->place] : "");
	put_cell(to, r->models.at[run->model]);
	fprintf(to,
		"%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		",%" PRIu64 ",",
		run->page_bytes, run->chunk_bytes, run->near_pages, run->host_pages,
		run->footprint_pages, run->seed, run->is_measured ? 0 : run->time_ns,
		run->is_measured ? run->time_ns : 0);
	for (size_t i = 0; i < TD_REPORT_COUNTS; i++)
		fprintf(to, "%" PRIu64 ",", run->counts[i]);
	put_cell(to, run->error ? run->error : "");
	put_cell(to, r->versions.at[run->version]);
	put_cell(to, run->digest ? r->digests.at[run->digest - 1] : "");
	put_cell(to, td_report_state_name(run->state));
	td_report_csv(to, run->command);
	putc('\n', to);
}

static void put_runs(const struct td_report *r, FILE *to)
{
	fputs("run,file,input,evict,prefetch,place,model,page_bytes,chunk_bytes,near_pages,"
	      "host_pages,footprint_pages,seed,simulated_ns,measured_ns,",
	      to);
	for (size_t i = 0; i < TD_REPORT_COUNTS; i++)
		put_cell(to, td_report_count_names[i]);
	fputs("error,tide,input_digest,state,command\n", to);
	for (size_t i = 0; i < r->n_runs; i++)
		put_run(r, &r->runs[i], to);
}

static void put_curves(const struct td_report *r, FILE *to)
{
	fputs("input,policy,pages,misses,miss_ratio\n", to);
	for (size_t i = 0; i < r->n_curves; i++)
		for (size_t k = 0; k < r->curves[i].n; k++) {
			const struct td_report_point *p = &r->curves[i].at[k];
			put_cell(to, r->inputs.at[r->curves[i].input]);
			put_cell(to, r->policies.at[r->curves[i].policy]);
			fprintf(to, "%.15g,", p->pages);
			if (isfinite(p->misses))
				fprintf(to, "%.15g", p->misses);
			fprintf(to, ",%.15g\n", p->ratio);
		}
}

static void put_statements(const struct td_report *r, FILE *to)
{
	fputs("paper,id,what,published,measured,verdict,note\n", to);
	for (size_t i = 0; i < r->n_papers; i++)
		for (size_t k = 0; k < r->papers[i].n; k++) {
			const struct td_report_statement *s = &r->papers[i].at[k];
			put_cell(to, r->papers[i].name);
			put_cell(to, s->id);
			put_cell(to, s->what);
			put_cell(to, s->published);
			put_cell(to, s->measured);
			put_cell(to, td_report_verdict(s).text);
			td_report_csv(to, s->note ? s->note : "");
			putc('\n', to);
		}
}

int td_report_write_all(const struct td_report *r, const char *folder, struct tide_error *err)
{
	const struct {
		const char *name;
		size_t n;
		void (*put)(const struct td_report *r, FILE *to);
	} all[] = {{"runs", r->n_runs, put_runs},
		   {"curves", r->n_curves, put_curves},
		   {"statements", r->n_papers, put_statements}};
	int rc = 0;

	for (size_t i = 0; i < 3 && !rc; i++) {
		struct td_report_file file;
		if (!all[i].n)
			continue;
		rc = td_report_file_open(&file, folder, all[i].name, "csv", err);
		if (rc)
			break;
		all[i].put(r, file.to);
		rc = td_report_file_close(&file, 0, err);
	}
	return rc;
}
