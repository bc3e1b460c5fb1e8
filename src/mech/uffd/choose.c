/* Which way of mapping a pager has, and which each of its mappings. This is the one place that
 * decides it; all others ask the table. */
#include "pager.h"

#include <errno.h>
#include <unistd.h>

static const struct td_mapping *const mappings[] = {&td_mapping_exact, &td_mapping_around,
						    &td_mapping_fast, &td_mapping_copy};

const struct td_mapping *td_mapping_at(size_t i)
{
	return i < sizeof mappings / sizeof *mappings ? mappings[i] : NULL;
}

const char *td_mapping_name(const struct td_mapping *m)
{
	return m->name;
}

bool td_mapping_sees_touched(const struct td_mapping *m)
{
	return m->gives & TIDE_NEEDS_TOUCHED;
}

bool td_mapping_is_protectable(const struct td_mapping *m)
{
	return m->protectable;
}

static const struct td_service *const services[] = {&td_service_signal, &td_service_thread};

const struct td_service *td_service_at(size_t i)
{
	return i < sizeof services / sizeof *services ? services[i] : NULL;
}

const char *td_service_name(const struct td_service *s)
{
	return s->name;
}

/* ---- of a pager ---- */

/* Every page that is near was touched: none came without a fault. */
static bool touched_by_faults(const struct td_uffd_config *c)
{
	return c->chunk_pages == 1 && !c->prefetch.policy->plan_prefetch;
}

/* Of enum tide_needs: what policies want to see that comes by itself, or not at all. */
static unsigned wants(const struct td_uffd_config *c)
{
	unsigned needs = td_pager_needs(c);
	return touched_by_faults(c) ? needs & ~(unsigned)TIDE_NEEDS_TOUCHED : needs;
}

/* Anonymous memory is moved, not copied, and needs no frames that are freed and cleared again. But
 * nobody sees who touches what, unless a page comes by its own fault alone; nor what is written. */
static bool nobody_looks(const struct td_pager *p)
{
	unsigned sees = TIDE_NEEDS_TOUCHED | TIDE_NEEDS_NOTICES | TIDE_NEEDS_ACCESSES;
	return p->has & TD_UFFD_HAS_MOVE && !(wants(&p->config) & sees);
}

/* Small pages are as quickly copied as mapped; and those that were copied are dropped many at once,
 * without a word to the other processors for each. That is for threads that fault at the same time,
 * and takes memory in tier 2 for what is near too. */
static bool better_copied(const struct td_pager *p)
{
	const struct td_uffd_config *c = &p->config;
	uint64_t memory_pages = (uint64_t)sysconf(_SC_PHYS_PAGES);
	return !p->service->wakes && p->tracks_writes && p->unmapper.pidfd >= 0 &&
	       c->page_bytes == 4096 && c->chunk_pages == 1 && c->host_pages == UINT64_MAX &&
	       c->near_pages <= memory_pages / 8 && !td_uffd_swaps();
}

/* Unmapping single pages of shared memory is cheaper than moving them: many at once. */
static bool better_moved(const struct td_pager *p)
{
	return p->chunk_pages > 1 || !(p->has & TD_UFFD_HAS_MINOR);
}

static const struct td_mapping *choose(const struct td_pager *p)
{
	if (nobody_looks(p) && better_copied(p))
		return &td_mapping_copy;
	if (nobody_looks(p) && better_moved(p))
		return &td_mapping_fast;
	return wants(&p->config) & TIDE_NEEDS_TOUCHED ? &td_mapping_exact : &td_mapping_around;
}

/* A file that may be written needs shared memory: pages are only moved where both ends may be
 * written, and what a copy changes is not seen to differ from the file. One that is only read can
 * do without: what is evicted is dropped, unless there is a tier 2 for it. */
static void choose_for_files(struct td_pager *p, bool nobody_sees)
{
	uint64_t host = p->config.host_pages;
	p->file_mapping = p->read_mapping = p->mapping->for_files;
	if (p->mapping->foreign)
		return;
	p->read_mapping =
		nobody_sees && (!host || host == UINT64_MAX) ? &td_mapping_file : p->file_mapping;
}

static int check_kernel(const struct td_pager *p, struct tide_error *err)
{
	const struct td_mapping *m = p->mapping;
	if ((p->has & m->kernel) == m->kernel)
		return 0;
	return tide_fail(err, -ENOTSUP, "mapping %s needs a kernel with %s", m->name, m->lacking);
}

int td_pager_choose_mappings(struct td_pager *p, struct tide_error *err)
{
	const struct td_mapping *asked =
		p->config.lent ? p->config.lent->mapping : p->config.mapping;
	p->mapping = asked ? asked : choose(p);
	choose_for_files(p, asked ? !asked->gives : nobody_looks(p));
	return check_kernel(p, err);
}

unsigned td_pager_gives(const struct td_pager *p)
{
	unsigned given = p->mapping->gives & p->file_mapping->gives & p->read_mapping->gives;
	if (touched_by_faults(&p->config))
		given |= TIDE_NEEDS_TOUCHED;
	return given | p->service->gives | TIDE_NEEDS_PAGES;
}

/* ---- of a mapping ---- */

const struct td_mapping *td_pager_mapping_of(const struct td_pager *p, const struct td_extent *x)
{
	if (!x->has_file)
		return p->mapping;
	return x->read_only ? p->read_mapping : p->file_mapping;
}
