/* Memory of this library's own, which no allocator of the program's knows. */
#ifndef TD_PRELOAD_OWN_H
#define TD_PRELOAD_OWN_H

#include <stdbool.h>
#include <stddef.h>

/* At a multiple of align, a power of two, and of 16; NULL: none is left. */
void *td_own_take(size_t bytes, size_t align);
void td_own_give(void *p);
bool td_own_has(const void *p);
size_t td_own_bytes(void *p); /* from p to the end of its block */

/* For the time of a fork, and in a child. */
void td_own_lock(void);
void td_own_unlock(void);
void td_own_reset_lock(void);

#endif
