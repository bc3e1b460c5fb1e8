/* Says how many bytes of state a run keeps besides the page-number map: a line for each eviction
 * policy with its name and the bytes per chunk, per frame and per access, and whether it needs
 * refs. A chunk is one page here, as in the runs beside this.
 *
 * Per chunk: the four bitmaps and one bit of the plan (include/tide/policy.h, struct tide_near),
 * the slots of the policy and of those inside it, and for those that need the future the time of
 * the next access. Per access, for the latter: the chunk accessed then and the access after it.
 * Per frame: what the policy takes for itself when it is created, found as the address space that
 * a run with many frames has more than a run with one; a policy need not touch all of it.
 *
 * usage: state */
#include <stdio.h>
#include <unistd.h>

#include "lib/lib.h"

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

/* Slots of a policy and of its members, per chunk. */
static size_t slot_bytes(const struct td_engine_box *box)
{
	size_t bytes = box->slots.item_bytes;
	unsigned members = box->members ? box->choice.member_value->n : 0;
	for (unsigned i = 0; i < members; i++)
		bytes += slot_bytes(&box->members[i]);
	return bytes;
}

struct state {
	long open_bytes; /* address space while a run is open */
	size_t slot_bytes;
	unsigned needs;
};

static int look(const char *policy, const char *near_size, struct state *out,
		struct tide_error *err)
{
	struct tide_sim_options options = {
		.size = sizeof options,
		.workload = "cyclic:pages=1,rounds=1,refs=1",
		.chunk = "4K",
		.near_size = near_size,
		.evict = policy,
		.prefetch = "none",
	};
	struct tide_sim *sim;
	int rc = tide_sim_open(&sim, &options, err);
	if (rc)
		return rc;
	const struct td_engine_box *box = &sim->engine->box[TD_BOX_EVICT];
	out->open_bytes = address_space_bytes();
	out->slot_bytes = slot_bytes(box);
	out->needs = box->choice.needs;
	tide_sim_close(sim);
	return 0;
}

static int print_state(const char *policy)
{
	struct state one, many;
	struct tide_error err;
	char frames[32];
	snprintf(frames, sizeof frames, "%dp", FRAMES);
	if (look(policy, "1p", &one, &err) || look(policy, frames, &many, &err)) {
		fprintf(stderr, "state: %s: %s\n", policy, err.text);
		return 1;
	}
	int future_bytes = one.needs & TIDE_NEEDS_FUTURE ? (int)sizeof(uint32_t) : 0;
	printf("%s %.3f %.3f %d %s\n", policy,
	       LANES + 1.0 / 8 + (double)one.slot_bytes + future_bytes,
	       (double)(many.open_bytes - one.open_bytes) / FRAMES, 2 * future_bytes,
	       one.needs & TIDE_NEEDS_REFS ? "refs" : "-");
	return 0;
}

int main(void)
{
	const struct tide_policy *p;
	int rc = 0;

	for (size_t i = 0; (p = tide_policy_at(i)); i++)
		if (p->role == TIDE_EVICT)
			rc |= print_state(p->name);
	return rc;
}
