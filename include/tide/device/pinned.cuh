/* Elements read and written with a pin. Part of tide/device.cuh. */
#ifndef TIDE_DEVICE_PINNED_CUH
#define TIDE_DEVICE_PINNED_CUH

#include "element.cuh"

/* A pin for loads that bypass the first level cache. The loads need the address that comes with
 * the pin, so they are later. The unpin adds a number that depends on all loads, so it is later
 * than they are. Neither waits for other work of the warp, as the pin for plain loads and stores
 * does. */
template <bool WRITE> TD_DEV uint64_t td_dev_pin_as(uint64_t *at)
{
	if (WRITE || TD_DEV_STRICT)
		return td_dev_pin(at, WRITE);
	uint64_t e = td_dev_add(at, TD_DEV_PIN);
	if (td_dev_state(e) != TD_DEV_TIER1)
		td_dev_raise(at, -TD_DEV_PIN);
	else if (!(e & TD_DEV_REFERENCED))
		td_dev_or(at, TD_DEV_REFERENCED);
	return e;
}

template <class T, bool WRITE>
TD_DEV void td_dev_unpin_as(const tide_span &a, uint64_t *at, bool mine, T value)
{
	uint64_t none = 0;
	const bool plain = WRITE || TD_DEV_STRICT;
	if (plain)
		__syncwarp();
	else
		none = __ballot_sync(0xffffffffu, td_dev_depends(a, value) != 0);
	if (mine && plain)
		td_dev_unpin(at);
	else if (mine)
		td_dev_raise(at, none - TD_DEV_PIN);
}

/* The same as tide_read(), with a pin for the time of the access. WRITE: stores *value. */
template <class T, bool WRITE>
TD_DEV void td_dev_pinned(const tide_span &a, uint64_t i, bool active, T *value)
{
	uint64_t byte = i * sizeof(T), index = byte >> a.page_shift;
	uint32_t rank = td_dev_warp().rank;
	uint32_t key = active ? (uint32_t)index : UINT32_MAX;
	uint64_t e = 0;
	int same;
	__match_all_sync(0xffffffffu, key, &same);
	uint32_t group = same ? 0xffffffffu : __match_any_sync(0xffffffffu, key);
	uint32_t leader = td_dev_lowest(group);
	if (active && rank == leader) {
		e = td_dev_pin_as<WRITE>(&a.entries[index]);
		td_dev_first(a.control, a.first_page + (uint32_t)index, e, WRITE);
	}
	e = __shfl_sync(0xffffffffu, (unsigned long long)e, (int)leader);
	if (TD_DEV_STRICT)
		__syncwarp(); /* what the leader has seen, all have */
	bool here = active && td_dev_state(e) == TD_DEV_TIER1;
	if (here) {
		unsigned char *at = a.near_memory + ((uint64_t)td_dev_index(e) << a.page_shift) +
				    (byte & (((uint64_t)1 << a.page_shift) - 1));
		if (WRITE)
			*(T *)at = *value;
		else
			*value = td_dev_get<T>(at);
	}
	td_dev_unpin_as<T, WRITE>(a, &a.entries[index], here && rank == leader, *value);
	uint32_t missing = __ballot_sync(0xffffffffu, active && !here);
	uint32_t pages = (uint32_t)__popc(__ballot_sync(0xffffffffu, active && rank == leader));
	if (rank == 0)
		td_dev_tick(a.control, pages);
	if (missing) {
		T held = td_dev_away<T, WRITE>(a, byte, missing, *value);
		*value = here ? *value : held;
	}
}

template <class T> TD_DEV T tide_read_pinned(const tide_span &a, uint64_t i, bool active = true)
{
	T value = T();
	td_dev_check_elements<T>(a, TD_DEV_CALL_READ_PINNED, i, active);
	td_dev_pinned<T, false>(a, i, active, &value);
	return value;
}

template <class T>
TD_DEV void tide_write(const tide_span &a, uint64_t i, T value, bool active = true)
{
	td_dev_check_elements<T>(a, TD_DEV_CALL_WRITE, i, active);
	td_dev_pinned<T, true>(a, i, active, &value);
}

#endif
