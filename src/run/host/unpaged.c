/* What of a process was not paged, and why: noted at its end, where it had more memory than near
 * memory is large. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "next.h"
#include "preload.h"

#define PAGER_BYTES ((uint64_t)16 << 20) /* buffers of a pager, at most */

static _Atomic unsigned kinds; /* bits 1 << TD_UNPAGED_... of what was seen */

static enum td_unpaged_kind kind_of(int prot, int flags)
{
	if ((flags & MAP_TYPE) != MAP_PRIVATE)
		return TD_UNPAGED_SHARED;
	if (prot == PROT_NONE || (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)))
		return TD_UNPAGED_RESERVED;
	return TD_UNPAGED_SPECIAL;
}

void td_preload_note_kind(enum td_unpaged_kind kind)
{
	atomic_fetch_or_explicit(&kinds, 1u << kind, memory_order_relaxed);
}

void td_preload_note_mapped(size_t bytes, int prot, int flags)
{
	if ((flags & MAP_ANONYMOUS) && bytes >= td_preload_settings.threshold_bytes &&
	    !td_preload_inside)
		td_preload_note_kind(kind_of(prot, flags));
}

/* ---- how much ---- */

/* In bytes. */
struct use {
	uint64_t most; /* of all kinds, at its highest */
	uint64_t anonymous, file, shared;
};

static uint64_t value(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) << 10 : 0;
}

static bool read_use(struct use *use)
{
	char text[4096];
	int fd = next.open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : next.read(fd, text, sizeof text - 1);

	if (fd >= 0)
		next.close(fd);
	text[n > 0 ? n : 0] = '\0';
	*use = (struct use){value(text, "VmHWM:"), value(text, "RssAnon:"), value(text, "RssFile:"),
			    value(text, "RssShmem:")};
	return n > 0;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* At least. Without a pager what there was at its highest; with one what there is now and is not
 * the pager's, which has its pages in anonymous or in shared memory. */
static uint64_t unpaged_bytes(const struct use *use)
{
	struct tide_stats s = {.size = sizeof s};

	if (!td_preload_tide)
		return less(use->most, use->file);
	tide_stats(td_preload_tide, &s, NULL);
	return less(use->anonymous, less(s.near_bytes + s.tier2_bytes, use->shared) + s.near_bytes +
					    s.metadata_bytes + PAGER_BYTES);
}

/* ---- at the end ---- */

static void note(struct td_slots *slots, uint64_t bytes)
{
	unsigned n = atomic_fetch_add(&slots->unpaged_n, 1);
	struct td_unpaged *u = &slots->unpaged[n < TD_UNPAGED_MAX ? n : 0];

	if (n >= TD_UNPAGED_MAX)
		return;
	u->pid = getpid();
	snprintf(u->program, sizeof u->program, "%s", td_preload_settings.program);
	u->kinds = atomic_load(&kinds);
	u->bytes = bytes;
}

static void note_most(struct td_slots *slots, uint64_t bytes)
{
	uint64_t most = atomic_load(&slots->most_bytes);

	while (most < bytes && !atomic_compare_exchange_weak(&slots->most_bytes, &most, bytes))
		;
}

/* Most processes are small: one system call tells. */
void td_preload_note_unpaged(void)
{
	uint64_t near = td_preload_settings.near_bytes;
	struct td_slots *slots;
	struct rusage usage;
	struct use use;

	if (!near || getrusage(RUSAGE_SELF, &usage) || (uint64_t)usage.ru_maxrss << 10 <= near ||
	    !read_use(&use) || !(slots = td_preload_open_slots()))
		return;
	note_most(slots, use.most);
	if (unpaged_bytes(&use) > near)
		note(slots, unpaged_bytes(&use));
	next.munmap(slots, sizeof *slots);
}
