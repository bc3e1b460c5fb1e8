/* Arrays that grow, zero-filled, for state that is indexed by a dense number.
 *
 * They are mapped, not allocated: growing moves page tables instead of bytes, parts never
 * touched cost nothing, and large ones ask for huge pages, because their use is random and
 * would otherwise miss the TLB at every step. */
#ifndef TD_CORE_VEC_H
#define TD_CORE_VEC_H

#include <stddef.h>
#include <stdint.h>

struct td_vec {
	unsigned char *at;
	size_t item_bytes;
	size_t mapped_bytes;
};

/* An item_bytes of 0 makes a vec that stays empty: at is NULL, every call succeeds. */
void td_vec_init(struct td_vec *v, size_t item_bytes);

/* Room for n items at least: 0 or -ENOMEM, then nothing has changed. */
int td_vec_reserve(struct td_vec *v, uint64_t n);

void td_vec_free(struct td_vec *v);

#endif
