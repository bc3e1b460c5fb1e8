/* Says how many bytes of state a run keeps besides the page-number map: a line for each eviction
 * policy with its name and the bytes per chunk, per frame and per access. A chunk is one page
 * here, as in the runs beside this.
 *
 * Per chunk: the four bitmaps and one bit of the plan (include/tide/policy.h, struct tide_near),
 * the policy's slot, and for those that need the future the time of the next access. Per access,
 * for the latter: the chunk accessed then and the access after it. Per frame: what the policy
 * takes for itself when it is created, found as the address space that a run with many frames has
 * more than a run with one; a policy need not touch all of it.
 *
 * usage: state */
#include <stdio.h>
#include <unistd.h>

#include "tide/policy.h"
#include "tide/tide.h"

#define LANES 4
#define FRAMES (1 << 24)

/* 0 where it cannot be known. */
static long address_space_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (f && fscanf(f, "%ld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

/* The address space while a run is open. */
static long open_bytes(const char *policy, const char *near_size, struct tide_error *err)
{
	struct tide_sim_options options = {
		.workload = "cyclic:pages=1,rounds=1",
		.chunk = "4K",
		.near_size = near_size,
		.evict = policy,
		.prefetch = "none",
	};
	struct tide_sim *sim;
	long bytes;

	if (tide_sim_open(&sim, &options, err))
		return -1;
	bytes = address_space_bytes();
	tide_sim_close(sim);
	return bytes;
}

static int print_state(const struct tide_policy *p)
{
	int future_bytes = p->needs & TIDE_NEEDS_FUTURE ? (int)sizeof(uint32_t) : 0;
	double page_bytes = LANES + 1.0 / 8 + (double)p->chunk_bytes + future_bytes;
	struct tide_error err;
	char many[32];
	long one_frame, frames;

	snprintf(many, sizeof many, "%dp", FRAMES);
	one_frame = open_bytes(p->name, "1p", &err);
	frames = open_bytes(p->name, many, &err);
	if (one_frame < 0 || frames < 0) {
		fprintf(stderr, "state: %s: %s\n", p->name, err.text);
		return 1;
	}
	printf("%s %.3f %.3f %d\n", p->name, page_bytes, (double)(frames - one_frame) / FRAMES,
	       2 * future_bytes);
	return 0;
}

int main(void)
{
	const struct tide_policy *p;
	int rc = 0;

	for (size_t i = 0; (p = tide_policy_at(i)); i++)
		if (p->role == TIDE_EVICT)
			rc |= print_state(p);
	return rc;
}
