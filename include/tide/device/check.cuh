/* Checks of how kernels call tide. They are on where TIDE_DEVICE_CHECK is defined before
 * tide/device.cuh is included (nvcc -DTIDE_DEVICE_CHECK); otherwise they cost nothing.
 *
 * A kernel that breaks a rule is stopped by a trap, and tide_gpu_end() says which rule, which call
 * and which warp. CUDA loses its context then, so the program has to start anew. What cannot be
 * checked: an address of a cursor that is used after the cursor went to another page. */
#ifndef TIDE_DEVICE_CHECK_CUH
#define TIDE_DEVICE_CHECK_CUH

#include "access.h"

#ifdef TIDE_DEVICE_CHECK

/* A seat for every warp that can be resident: 64 on each multiprocessor. */
#define TD_DEV_SEATS (256 * 64)

struct td_dev_seat {
	uint32_t arrived; /* lanes that came to a check so far, a multiple of 32 between checks */
	uint32_t lanes;   /* those of the present check */
	uint32_t holds;   /* pages that cursors hold */
	uint32_t unused;
};

static __device__ struct td_dev_seat td_dev_seats[TD_DEV_SEATS];

TD_DEV struct td_dev_seat *td_dev_own_seat(void)
{
	uint32_t warp;
	asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
	return &td_dev_seats[(td_dev_part() * 64 + warp) % TD_DEV_SEATS];
}

/* Tells the processor and stops the kernel. A lane that comes second waits until the first has
 * told, but not for ever: a kernel that was given up has failed without a word. */
#define TD_DEV_TELL_NS 1000000000
TD_DEV_SLOW void td_dev_misuse(struct td_dev_control *c, enum td_dev_rule rule,
			       enum td_dev_call call, uint32_t lanes, uint64_t number)
{
	struct td_dev_failure *f = c->failure;
	if (td_dev_cas32(&c->failed, 0, 1) == 0) {
		f->error = -EINVAL;
		f->op = (uint32_t)rule;
		f->call = (uint32_t)call;
		f->lanes = lanes;
		f->block = blockIdx.x + (uint64_t)gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
		f->warp =
			(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32;
		f->number = number;
		td_dev_fence_far();
		td_dev_store_far32(&f->said, 1);
	}
	for (uint64_t since_ns = td_dev_now_ns();
	     !td_dev_load_far32(&f->said) && td_dev_now_ns() - since_ns < TD_DEV_TELL_NS;)
		td_dev_pause(1000);
	td_dev_fence_far();
	__trap();
}

/* Lanes may come one after another, so a mask of the active ones would not do: they are counted in
 * memory, where one that waits cannot keep another from coming. */
TD_DEV_SLOW void td_dev_check_meeting(struct td_dev_control *c, enum td_dev_call call)
{
	struct td_dev_seat *s = td_dev_own_seat();
	uint32_t rank = td_dev_warp().rank, full = (atomicAdd(&s->arrived, 1u) / 32 + 1) * 32;
	uint64_t since_ns = td_dev_now_ns();
	int same;
	atomicOr(&s->lanes, 1u << rank);
	while ((int32_t)(td_dev_peek32(&s->arrived) - full) < 0) {
		if (td_dev_now_ns() - since_ns > c->timeout_ns)
			td_dev_misuse(c, TD_DEV_DIVERGED, call, td_dev_peek32(&s->lanes), 0);
		td_dev_pause(200);
	}
	__syncwarp();
	if (rank == 0)
		td_dev_poke32(&s->lanes, 0);
	__match_all_sync(0xffffffffu, (unsigned)call, &same);
	if (!same)
		td_dev_misuse(c, TD_DEV_MIXED, call, 0xffffffffu, 0);
}

/* All 32 lanes make this call together. */
TD_DEV void td_dev_check_warp(struct td_dev_control *c, enum td_dev_call call)
{
	td_dev_check_meeting(c, call);
}

/* Element i is in the array, where the lane is active. */
template <class T>
TD_DEV void td_dev_check_index(const tide_span &a, enum td_dev_call call, uint64_t i, bool active)
{
	if (active && i >= a.bytes / sizeof(T))
		td_dev_misuse(a.control, TD_DEV_BEYOND, call, 1u << td_dev_warp().rank, i);
}

/* All lanes gave the same element. */
TD_DEV void td_dev_check_same(const tide_span &a, enum td_dev_call call, uint64_t i)
{
	int same;
	__match_all_sync(0xffffffffu, (unsigned long long)i, &same);
	if (!same)
		td_dev_misuse(a.control, TD_DEV_DIFFERENT, call, 0xffffffffu, i);
}

/* The warp's cursors hold so many pages more, or fewer; and the call holds some for a moment. */
TD_DEV void td_dev_check_pins(const tide_span &a, enum td_dev_call call, int more, uint32_t moment)
{
	struct td_dev_seat *s = td_dev_own_seat();
	if (td_dev_warp().rank == 0)
		td_dev_poke32(&s->holds, td_dev_peek32(&s->holds) + (uint32_t)more);
	__syncwarp();
	uint32_t holds = td_dev_peek32(&s->holds) + moment;
	if (holds > a.control->pins)
		td_dev_misuse(a.control, TD_DEV_TOO_MANY_PINS, call, 0xffffffffu, holds);
	__syncwarp();
}

#else

TD_DEV void td_dev_check_warp(struct td_dev_control *, enum td_dev_call)
{
}
template <class T>
TD_DEV void td_dev_check_index(const tide_span &, enum td_dev_call, uint64_t, bool)
{
}
TD_DEV void td_dev_check_same(const tide_span &, enum td_dev_call, uint64_t)
{
}
TD_DEV void td_dev_check_pins(const tide_span &, enum td_dev_call, int, uint32_t)
{
}

#endif

/* A call of all lanes, for an element of each that is active. */
template <class T>
TD_DEV void td_dev_check_elements(const tide_span &a, enum td_dev_call call, uint64_t i,
				  bool active)
{
	td_dev_check_warp(a.control, call);
	td_dev_check_index<T>(a, call, i, active);
	td_dev_check_pins(a, call, 0, 1);
}

#endif
