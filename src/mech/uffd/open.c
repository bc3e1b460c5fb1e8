/* Life of a pager. */
#include "core/assert.h"
#include "in.h"
#include "lanes.h"
#include "lock.h"
#include "out.h"
#include "pager.h"
#include "space.h"
#include "threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#define IO_DEPTH 128
/* One instruction may need four pages, and a policy may evict the newest first: what it evicts must
 * stay mapped for a while. */
#define BATCH_LEAST 4

unsigned td_pager_needs(const struct td_uffd_config *c)
{
	return c->evict.needs | c->prefetch.needs | c->place.needs;
}

/* ---- parts ---- */

static int open_own(struct td_pager *p, struct tide_error *err)
{
	unsigned shadow;
	int rc = td_uffd_open(&p->uffd, !p->service->wakes, &p->has);
	if (!rc)
		rc = td_uffd_open(&p->shadow_uffd, true, &shadow);
	if (rc == -EPERM)
		return tide_fail(err, rc,
				 "userfaultfd is not allowed: sudo sysctl "
				 "vm.unprivileged_userfaultfd=1, or see tide doctor");
	if (rc)
		return tide_fail(err, rc, "cannot open userfaultfd: %s: see tide doctor",
				 strerror(-rc));
	return 0;
}

static int open_faults(struct td_pager *p, struct tide_error *err)
{
	const struct td_uffd_lent *lent = p->config.lent;
	int rc = lent ? lent->mapping->foreign->open(p, err) : open_own(p, err);
	if (rc)
		return rc;
	p->tracks_writes = p->has & TD_UFFD_HAS_WP && p->has & TD_UFFD_HAS_CONTINUE_WP;
	rc = td_pager_choose_mappings(p, err);
	if (rc)
		return rc;
	rc = td_pager_open_slots(p);
	if (!rc && p->mapping->open)
		rc = p->mapping->open(p);
	return rc ? tide_fail(err, rc, "cannot make buffers: %s", strerror(-rc)) : 0;
}

/* No more than a pipe holds, and the chunk more that makes a batch leave. */
static uint64_t batch_chunks(const struct td_pager *p)
{
	uint64_t n = p->config.near_pages / p->chunk_pages / p->mapping->batch_share;
	uint64_t held = p->pipes_n ? p->pipes[0].pipe.bytes / p->chunk_bytes : 0;
	if (held > BATCH_LEAST && n >= held)
		n = held - 1;
	n = n < TD_PAGER_BATCH ? n : TD_PAGER_BATCH;
	return n > BATCH_LEAST ? n : BATCH_LEAST;
}

static int open_engine(struct td_pager *p, struct tide_error *err)
{
	struct td_uffd_config *c = &p->config;
	char mechanism[48];
	p->batch_pages = batch_chunks(p) * c->chunk_pages;
	p->batch_pages = 4 * p->batch_pages < c->near_pages ? p->batch_pages : 0;
	p->samples = td_pager_needs(c) & TIDE_TAKES_SAMPLES;
	snprintf(mechanism, sizeof mechanism, "the pager with mapping %s", p->mapping->name);
	struct td_engine_config e = {
		/* One batch lingers, one may wait for a helper, one leaves, and one is for threads
		 * that come to that at the same time. */
		.near_pages = c->near_pages - 4 * p->batch_pages,
		.chunk_pages = c->chunk_pages,
		.last_page = UINT64_MAX,
		.pages = UINT64_MAX,
		.maps = true,
		.seed = c->seed,
		.mechanism = mechanism,
		.gives = td_pager_gives(p),
		.replace_invalid = true,
		.evict = c->evict,
		.prefetch = c->prefetch,
		.place = c->place,
		.host_pages = c->host_pages == UINT64_MAX ? 0 : c->host_pages,
		.log_path = c->log_path,
	};
	td_pager_make_carrier(p, &e.carrier);
	c->evict = c->prefetch = c->place = (struct td_policy_choice){0};
	int rc = td_engine_create(&p->engine, &e, err);
	if (rc)
		return rc;
	td_pager_open_lanes(p);
	return 0;
}

static int open_tiers(struct td_pager *p, struct tide_error *err)
{
	const struct td_uffd_config *c = &p->config;
	uint64_t limit =
		c->host_pages == UINT64_MAX ? UINT64_MAX / 2 : c->host_pages * p->page_bytes;
	int rc = td_io_open(&p->io, IO_DEPTH, c->inject, err);
	if (!rc && c->lent) {
		rc = p->mapping->foreign->open_store(p, err);
	} else if (!rc && c->storage) {
		rc = td_io_file_open(&p->storage, c->storage, TD_IO_CREATE, err);
		p->has_storage = !rc;
	}
	if (!rc && c->host != TD_HOST_PLAIN && c->host_pages)
		rc = td_store_open(&p->store, c->host == TD_HOST_LZ4 ? TD_STORE_LZ4 : TD_STORE_ZSTD,
				   p->page_bytes, limit, err);
	p->store_mark_bytes = limit - limit / 16;
	return rc;
}

static int open_arrays(struct td_pager *p, struct tide_error *err)
{
	tide_vec_init(&p->linger.room, sizeof(uint32_t));
	p->arrivals = calloc(TD_PAGER_ARRIVALS, sizeof *p->arrivals);
	p->reads = calloc(TD_PAGER_READS, sizeof *p->reads);
	p->zeros = mmap(NULL, p->page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!p->arrivals || !p->reads || p->zeros == MAP_FAILED)
		return tide_fail(err, -ENOMEM, "out of memory");
	int lent = p->config.lent ? p->config.lent->memfd : -1;
	p->memfd = lent >= 0        ? fcntl(lent, F_DUPFD_CLOEXEC, 0)
		   : p->config.lent ? -1
				    : memfd_create("tide", MFD_CLOEXEC);
	p->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if ((p->memfd < 0 && (lent >= 0 || !p->config.lent)) || p->stop_fd < 0)
		return tide_fail(err, -errno, "cannot make shared memory: %s", strerror(errno));
	td_uffd_unmapper_open(&p->unmapper);
	return 0;
}

static int init(struct td_pager *p, struct tide_error *err)
{
	p->page_bytes = p->config.page_bytes;
	p->chunk_pages = p->config.chunk_pages;
	p->chunk_bytes = (size_t)p->page_bytes * p->chunk_pages;
	p->service = p->config.service ? p->config.service : &td_service_signal;
	p->uffd = p->shadow_uffd = p->memfd = p->stop_fd = p->unmapper.pidfd = p->kept.fd = -1;
	p->heard.fd = -1;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->calm, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->room, NULL);
	int rc = open_arrays(p, err);
	if (!rc)
		rc = open_faults(p, err);
	if (!rc)
		rc = open_tiers(p, err);
	if (!rc)
		rc = open_engine(p, err);
	if (!rc && p->has_storage && (rc = td_pager_start_helpers(p)))
		return tide_fail(err, rc, "cannot start threads: %s", strerror(-rc));
	if (!rc && p->config.lent)
		rc = p->mapping->foreign->begin(p, err);
	if (!rc)
		rc = p->service->start(p, err);
	return rc ? rc : td_pager_start_watchdog(p, err);
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void destroy(struct td_pager *p)
{
	uint64_t one = 1;
	atomic_store(&p->stopping, true);
	if (p->stop_fd >= 0) {
		ssize_t ignored = write(p->stop_fd, &one, sizeof one); /* a counter at 0 */
		(void)ignored;
	}
	td_pager_stop_watchdog(p);
	p->service->stop(p);
	td_pager_stop_helpers(p);
	if (p->io)
		td_io_close(p->io);
	if (p->has_storage)
		td_io_file_close(&p->storage);
	if (p->mapping && p->mapping->foreign)
		p->mapping->foreign->end(p);
	if (p->store)
		td_store_close(p->store);
	td_engine_destroy(p->engine);
	close_fd(p->uffd);
	close_fd(p->shadow_uffd);
	close_fd(p->memfd);
	close_fd(p->stop_fd);
	td_uffd_unmapper_close(&p->unmapper);
	td_pager_close_lanes(p);
	if (p->zeros && p->zeros != MAP_FAILED)
		munmap(p->zeros, p->page_bytes);
	td_pager_close_slots(p);
	td_pager_close_pipes(p);
	free(p->arrivals);
	free(p->reads);
	free(p->regions);
	free(p->extents);
	free(p->free_spans);
	pthread_cond_destroy(&p->calm);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->room);
	pthread_mutex_destroy(&p->lock);
	td_policy_release(&p->config.evict);
	td_policy_release(&p->config.prefetch);
	td_policy_release(&p->config.place);
	free(p);
}

int td_pager_open(struct td_pager **out, struct td_uffd_config *config, struct tide_error *err)
{
	struct td_pager *p = aligned_alloc(_Alignof(struct td_pager), sizeof *p);
	if (!p)
		return tide_fail(err, -ENOMEM, "out of memory");
	memset(p, 0, sizeof *p);
	p->config = *config;
	config->evict = config->prefetch = config->place = (struct td_policy_choice){0};
	int rc = init(p, err);
	if (rc)
		destroy(p);
	else
		*out = p;
	return rc;
}

int td_pager_close(struct td_pager *p, struct tide_error *err)
{
	int rc = td_pager_sync(p, NULL, 0, err);
	td_io_drain(p->io);
	td_checked(td_pager_check_all(p));
	while (p->extents_n && !p->mapping->foreign)
		td_pager_unmap_extent(p, p->extents[p->extents_n - 1]);
	td_assert(p->mapping->foreign ||
		  !(p->held_pages | p->linger_pages | p->tier2_pages | p->mapped_pages));
	int logged = td_engine_finish(p->engine, rc ? NULL : err);
	destroy(p);
	return rc ? rc : logged;
}

/* ---- what is going on ---- */

const char *td_pager_mapping(const struct td_pager *p)
{
	return p->mapping->name;
}

const char *td_pager_service(const struct td_pager *p)
{
	return p->service->name;
}

struct td_engine *td_pager_lock_engine(struct td_pager *p, struct td_pager_caller *saved)
{
	td_pager_enter(p, saved);
	td_engine_count_hits(p->engine);
	return p->engine;
}

void td_pager_unlock_engine(struct td_pager *p, const struct td_pager_caller *saved)
{
	td_pager_leave(p, saved);
}

static uint64_t metadata(struct td_pager *p)
{
	return td_pager_state_bytes(p) + td_engine_bytes(p->engine) +
	       TD_PAGER_ARRIVALS * sizeof *p->arrivals;
}

void td_pager_figures(struct td_pager *p, struct td_pager_figures *f)
{
	struct td_store_use use = {0};
	struct td_pager_caller saved;
	td_pager_enter(p, &saved);
	uint64_t page = p->page_bytes;
	if (p->store)
		td_store_use(p->store, &use);
	uint64_t there = td_pager_tier2_stays(p); /* what leaves still takes room here */
	uint64_t packed = use.pages - p->packed_near;
	uint64_t plain = there > packed ? there - packed : 0;
	*f = (struct td_pager_figures){
		.mapped_bytes = p->mapped_pages * page,
		.near_bytes = (p->held_pages - plain) * page,
		.near_limit_bytes = p->config.near_pages * page,
		.tier2_bytes = plain * page + use.memory_bytes,
		.tier2_data_bytes = there * page,
		.tier2_limit_bytes =
			p->config.host_pages == UINT64_MAX ? 0 : p->config.host_pages * page,
		.tier3_bytes = p->swapped_pages * page,
		.read_bytes = p->read_bytes,
		.write_bytes = p->write_bytes,
		.from_tier2_bytes = p->from_tier2_pages * page,
		.to_tier2_bytes = p->to_tier2_pages * page,
		.stalled_ns = p->stalled_ns,
		.waited_faults = p->waited_faults,
		.flushes = p->flushes,
		.flush_ns = p->flush_ns,
		.metadata_bytes = metadata(p),
		.io_errors = td_io_errors(p->io),
		.engine_pages = p->engine->near.capacity_pages,
		.set_bytes = p->set_pages * page,
	};
	td_pager_leave(p, &saved);
}
