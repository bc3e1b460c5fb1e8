/* The inputs of reproductions, as files that any number of runs can read. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "reproduce.h"
#include "trace/input.h"
#include "trace/output.h"

#define PARTS_MAX 4

static int start(struct td_cli_copy *copy, struct tide_error *err)
{
	const char *folder = td_trace_tmpdir();
	int fd = td_trace_tmpfile(folder);

	*copy = (struct td_cli_copy){.file = fd < 0 ? NULL : fdopen(fd, "w")};
	if (copy->file) {
		snprintf(copy->path, sizeof copy->path, "/proc/self/fd/%d", fd);
		return 0;
	}
	if (fd >= 0)
		close(fd);
	return tide_fail(err, fd < 0 ? fd : -ENOMEM,
			 "cannot make a temporary file in %s: %s: set TMPDIR", folder,
			 strerror(fd < 0 ? -fd : ENOMEM));
}

static void put(struct td_cli_copy *copy, const struct tide_event *event, uint64_t ref)
{
	fprintf(copy->file, "%" PRIu64 " %c %" PRIu64 "\n", event->page, event->write ? 'w' : 'r',
		ref);
	copy->accesses++;
	copy->refs |= ref != 0;
}

static int finish(struct td_cli_copy *copy, int rc, struct tide_error *err)
{
	if (!rc && fflush(copy->file) != 0)
		rc = tide_fail(err, -EIO, "cannot write a temporary file: %s", strerror(errno));
	if (rc)
		td_cli_copy_close(copy);
	return rc;
}

void td_cli_copy_close(struct td_cli_copy *copy)
{
	if (copy->file)
		fclose(copy->file);
	copy->file = NULL;
}

/* One workload of a weave, and how much of it is out. */
struct thread {
	struct tide_trace *trace;
	uint64_t base; /* its page 0 */
	uint64_t done, accesses;
	bool over;
};

static int open_threads(struct thread *threads, const struct td_cli_part *parts, size_t n,
			const char *seed, struct tide_error *err)
{
	uint64_t base = 0;

	for (size_t i = 0; i < n; i++) {
		/* Of the workloads used here none has more than 16 times as many. */
		char spec[160];
		int rc;
		threads[i].accesses = parts[i].accesses;
		threads[i].base = base;
		base += 16 * parts[i].pages;
		snprintf(spec, sizeof spec, "%s%" PRIu64 ",accesses=%" PRIu64, parts[i].workload,
			 parts[i].pages, parts[i].accesses);
		rc = tide_trace_open(
			&threads[i].trace,
			&(struct tide_trace_options){.size = sizeof(struct tide_trace_options),
						     .workload = spec,
						     .seed = seed},
			err);
		if (rc)
			return rc;
	}
	return 0;
}

/* The one that is furthest behind. */
static struct thread *choose(struct thread *threads, size_t n)
{
	struct thread *best = NULL;
	double least = 2;

	for (size_t i = 0; i < n; i++) {
		double share = (double)(threads[i].done + 1) / (double)threads[i].accesses;
		if (!threads[i].over && share < least) {
			least = share;
			best = &threads[i];
		}
	}
	return best;
}

static int weave(struct td_cli_copy *copy, struct thread *threads, size_t n, struct tide_error *err)
{
	struct tide_event event = {.size = sizeof event};
	struct thread *t;
	int rc = 0;

	while ((t = choose(threads, n))) {
		rc = tide_trace_next(t->trace, &event, err);
		if (rc < 0)
			return rc;
		t->over = rc == 0 || ++t->done == t->accesses;
		if (!rc)
			continue;
		event.page += t->base;
		put(copy, &event, (uint64_t)(t - threads) + 1);
	}
	return 0;
}

int td_cli_weave(struct td_cli_copy *copy, const struct td_cli_part *parts, size_t n,
		 const char *seed, struct tide_error *err)
{
	struct thread threads[PARTS_MAX] = {0};
	int rc = start(copy, err);

	if (rc)
		return rc;
	if (n > PARTS_MAX)
		n = PARTS_MAX;
	rc = open_threads(threads, parts, n, seed, err);
	if (!rc)
		rc = weave(copy, threads, n, err);
	for (size_t i = 0; i < n; i++)
		tide_trace_close(threads[i].trace);
	return finish(copy, rc, err);
}

int td_cli_copy_trace(struct td_cli_copy *copy, const struct td_claims_options *args,
		      struct tide_error *err)
{
	struct tide_trace_options options = {.size = sizeof options,
					     .path = args->trace,
					     .format = args->format,
					     .columns = args->columns,
					     .page = args->page};
	struct tide_trace *trace = NULL;
	struct tide_event event = {.size = sizeof event};
	int rc = start(copy, err);

	if (rc)
		return rc;
	rc = tide_trace_open(&trace, &options, err);
	while (!rc && (rc = tide_trace_next(trace, &event, err)) > 0) {
		put(copy, &event, event.ref);
		rc = 0;
	}
	tide_trace_close(trace);
	return finish(copy, rc, err);
}

int td_cli_copy_letters(struct td_cli_copy *copy, const char *round, const char *refs,
			unsigned rounds, struct tide_error *err)
{
	int rc = start(copy, err);

	if (rc)
		return rc;
	for (unsigned i = 0; i < rounds; i++)
		for (const char *c = round; *c; c++)
			put(copy,
			    &(struct tide_event){.size = sizeof(struct tide_event),
						 .page = (uint64_t)(*c - 'a')},
			    (uint64_t)(refs[c - round] - '0'));
	return finish(copy, 0, err);
}
