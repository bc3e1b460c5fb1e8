/* What the processes of a run on a GPU have published, one by one and together. */
#include <string.h>

#include "run.h"

unsigned td_run_gpu_processes(const struct td_run *r)
{
	uint32_t used = r->gpu.slots ? atomic_load(&r->gpu.slots->used) : 0;

	return used < TD_GPU_SLOTS_MAX ? used : TD_GPU_SLOTS_MAX;
}

#define END(text) ((text)[sizeof(text) - 1] = '\0')

/* The program could have written anything there. */
static void end_texts(struct td_gpu_said *said)
{
	END(said->evict);
	END(said->prefetch);
	END(said->ejected);
	END(said->trust);
	if (said->kernels_n > TD_GPU_KERNELS_MAX)
		said->kernels_n = TD_GPU_KERNELS_MAX;
	for (uint32_t i = 0; i < said->kernels_n; i++)
		END(said->kernels[i].name);
}

/* Longest waits first; of those that did not wait, most reads over the bus. */
static bool is_before(const struct td_gpu_kernel *a, const struct td_gpu_kernel *b)
{
	return a->waited_ns != b->waited_ns ? a->waited_ns > b->waited_ns
					    : a->remote_launches > b->remote_launches;
}

static void sort_kernels(struct td_gpu_said *said)
{
	for (uint32_t i = 1; i < said->kernels_n; i++) {
		struct td_gpu_kernel k = said->kernels[i];
		uint32_t at = i;
		for (; at > 0 && is_before(&k, &said->kernels[at - 1]); at--)
			said->kernels[at] = said->kernels[at - 1];
		said->kernels[at] = k;
	}
}

void td_run_gpu_said(const struct td_run *r, unsigned i, struct td_gpu_said *said)
{
	td_gpu_slot_read(&r->gpu.slots->at[i], said);
	end_texts(said);
	sort_kernels(said);
}

/* ---- together ---- */

static void add_figures(struct td_gpu_said *total, const struct td_gpu_said *said)
{
	uint64_t bus = total->figures.bus_bytes_per_second;

#define TIDE_COUNTER(name, help) total->counts.name += said->counts.name;
#include "tide/counters.def"
#undef TIDE_COUNTER
#define TD_GPU_FIGURE(name, help) total->figures.name += said->figures.name;
#include "mech/vmm/figures.def"
#undef TD_GPU_FIGURE
	if (bus < said->figures.bus_bytes_per_second)
		bus = said->figures.bus_bytes_per_second;
	total->figures.bus_bytes_per_second = bus; /* they share it */
}

/* Where it is, or goes; NULL: all that are there matter more. */
static struct td_gpu_kernel *place_of(struct td_gpu_said *total, const struct td_gpu_kernel *k)
{
	struct td_gpu_kernel *last = &total->kernels[TD_GPU_KERNELS_MAX - 1];

	for (uint32_t i = 0; i < total->kernels_n; i++)
		if (strcmp(total->kernels[i].name, k->name) == 0)
			return &total->kernels[i];
	if (total->kernels_n < TD_GPU_KERNELS_MAX)
		last = &total->kernels[total->kernels_n++];
	else if (!is_before(k, last))
		return NULL;
	*last = (struct td_gpu_kernel){0};
	memcpy(last->name, k->name, sizeof last->name);
	return last;
}

static void add_kernel(struct td_gpu_said *total, const struct td_gpu_kernel *k)
{
	struct td_gpu_kernel *to = place_of(total, k);

	if (!to)
		return;
	to->launches += k->launches;
	to->waited_launches += k->waited_launches;
	to->waited_ns += k->waited_ns;
	to->remote_launches += k->remote_launches;
	sort_kernels(total);
}

void td_run_gpu_total(const struct td_run *r, struct td_gpu_said *total)
{
	struct td_gpu_said said;

	memset(total, 0, sizeof *total);
	for (unsigned i = 0; i < td_run_gpu_processes(r); i++) {
		td_run_gpu_said(r, i, &said);
		if (i == 0) {
			memcpy(total->evict, said.evict, sizeof said.evict);
			memcpy(total->prefetch, said.prefetch, sizeof said.prefetch);
			memcpy(total->trust, said.trust, sizeof said.trust);
		}
		if (!*total->ejected)
			memcpy(total->ejected, said.ejected, sizeof said.ejected);
		add_figures(total, &said);
		for (uint32_t k = 0; k < said.kernels_n; k++)
			add_kernel(total, &said.kernels[k]);
	}
}

/* What left without a copy is part of what left. */
uint64_t td_run_gpu_crossed(const struct td_gpu_figures *f)
{
	uint64_t clean = f->clean_bytes < f->out_bytes ? f->clean_bytes : f->out_bytes;

	return f->in_bytes + f->out_bytes - clean;
}
