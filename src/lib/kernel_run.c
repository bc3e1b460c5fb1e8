#include "kernel_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "engine/report.h"
#include "mech/kernel/kernel.h"
#include "sizes.h"

/* Below this the pages of a few instructions are all that there is. */
#define FEWEST_CHUNKS 24

struct td_lib_kernel {
	struct td_kernel *kernel;
	const char *evict, *prefetch, *chunk;
};

int td_lib_kernel_look(char *found, size_t size, struct tide_error *err)
{
	struct td_kernel_machine m;
	td_kernel_look(&m);
	int rc = td_kernel_check(&m, err);
	if (!rc)
		snprintf(found, size, "swap: %s; %s", m.swap,
			 m.makes_groups ? "a memory cgroup holds the bound"
					: "no memory cgroup: the bound is kept by ticks alone");
	return rc;
}

static int parse_near(const struct td_lib_kernel_run *run, struct td_kernel_config *c,
		      struct tide_error *err)
{
	struct td_lib_near near;
	int rc = td_lib_near_parse(run->near_size, TD_KERNEL_PAGE, &near, err);
	if (rc)
		return rc;
	if (near.share_numerator)
		return tide_fail(err, -EINVAL,
				 "near memory of '%s': a program's footprint is not known: give a "
				 "size, say 512M",
				 run->near_size);
	c->near_bytes = near.pages * TD_KERNEL_PAGE;
	if (near.pages / c->chunk_pages >= FEWEST_CHUNKS)
		return 0;
	return tide_fail(err, -EINVAL,
			 "near memory of '%s' has fewer than %d chunks: give more, say 512M, or a "
			 "smaller chunk",
			 run->near_size, FEWEST_CHUNKS);
}

static int parse_chunk(const struct td_lib_kernel_run *run, struct td_kernel_config *c,
		       struct tide_error *err)
{
	uint64_t page_bytes;
	int rc = td_lib_page_bytes(run->page, &page_bytes, err);
	if (!rc && page_bytes != TD_KERNEL_PAGE)
		rc = tide_fail(err, -EINVAL, "under mapping kernel a page has 4K: leave page out");
	if (!rc)
		rc = td_lib_chunk_pages(run->chunk ? run->chunk : TD_KERNEL_CHUNK, TD_KERNEL_PAGE,
					&c->chunk_pages, err);
	if (!rc && c->chunk_pages & (c->chunk_pages - 1))
		rc = tide_fail(err, -EINVAL,
			       "under mapping kernel a chunk has a power of two of pages: give 4K, "
			       "8K, to 256K");
	return rc;
}

static int parse(struct td_lib_kernel *k, const struct td_lib_kernel_run *run,
		 struct td_kernel_config *c, struct tide_error *err)
{
	int rc = parse_chunk(run, c, err);
	if (!rc)
		rc = parse_near(run, c, err);
	if (!rc)
		rc = td_lib_seed(run->seed, &c->seed, err);
	if (!rc)
		rc = td_policy_choose(&c->evict, k->evict, TIDE_EVICT, err);
	if (!rc)
		rc = td_policy_choose(&c->prefetch, k->prefetch, TIDE_PREFETCH, err);
	c->log_path = run->log;
	c->by_kernel = !run->evict && !run->prefetch && !run->log;
	return rc;
}

static int check_machine(struct tide_error *err)
{
	struct td_kernel_machine m;
	td_kernel_look(&m);
	return td_kernel_check(&m, err);
}

int td_lib_kernel_open(struct td_lib_kernel **out, const struct td_lib_kernel_run *run,
		       struct tide_error *err)
{
	struct td_kernel_config config = {0};
	struct td_lib_kernel *k = calloc(1, sizeof *k);
	if (!k)
		return tide_fail(err, -ENOMEM, "out of memory");
	k->evict = run->evict ? run->evict : TD_KERNEL_EVICT;
	k->prefetch = run->prefetch ? run->prefetch : TD_KERNEL_PREFETCH;
	k->chunk = run->chunk ? run->chunk : TD_KERNEL_CHUNK;
	int rc = parse(k, run, &config, err);
	if (!rc)
		rc = check_machine(err);
	if (!rc)
		rc = td_kernel_open(&k->kernel, &config, err);
	td_policy_release(&config.evict);
	td_policy_release(&config.prefetch);
	if (rc)
		free(k);
	else
		*out = k;
	return rc;
}

int td_lib_kernel_enter(struct td_lib_kernel *k)
{
	return td_kernel_enter(k->kernel);
}

void td_lib_kernel_begin(struct td_lib_kernel *k, pid_t pid)
{
	td_kernel_begin(k->kernel, pid);
}

uint64_t td_lib_kernel_tick(struct td_lib_kernel *k)
{
	return td_kernel_tick(k->kernel);
}

int td_lib_kernel_finish(struct td_lib_kernel *k, struct tide_error *err)
{
	return td_kernel_finish(k->kernel, err);
}

void td_lib_kernel_close(struct td_lib_kernel *k)
{
	if (k)
		td_kernel_close(k->kernel);
	free(k);
}

void td_lib_kernel_said(struct td_lib_kernel *k, struct td_lib_kernel_said *said)
{
	struct td_engine *e = td_kernel_engine(k->kernel);
	*said = (struct td_lib_kernel_said){
		.counts = e->counts,
		.by_kernel = td_kernel_by_kernel(k->kernel),
		.evict = k->evict,
		.prefetch = k->prefetch,
		.chunk = k->chunk,
		.ejected = e->ejected,
	};
	td_kernel_figures(k->kernel, &said->figures);
}

json_t *td_lib_kernel_policy(struct td_lib_kernel *k)
{
	json_t *to = json_object();
	td_engine_report(td_kernel_engine(k->kernel), to);
	return to;
}
