/* Public structs that begin with their size, between a program and the library: either may know
 * more members than the other. */
#ifndef TD_LIB_SIZED_H
#define TD_LIB_SIZED_H

#include <stddef.h>

#include "tide/error.h"

/* Into the library's own struct, which holds what counts where the program says nothing. -EINVAL:
 * given is NULL or has no size, or sets what this library does not know. name: of the struct. */
int td_lib_take(void *own, size_t own_bytes, const void *given, const char *name,
		struct tide_error *err);

/* Out of the library's own struct, no further than to->size says. */
int td_lib_give(void *to, const void *own, size_t own_bytes, const char *name,
		struct tide_error *err);

/* What a struct says of itself. -EINVAL: it is NULL or has no size. */
int td_lib_size(const void *given, const char *name, size_t *size, struct tide_error *err);

/* -EINVAL: the pointer is NULL. what: the parameter's name. */
int td_lib_given(const void *pointer, const char *what, struct tide_error *err);

#define TD_LIB_TAKE(own, given, type, err) td_lib_take(own, sizeof(struct type), given, #type, err)
#define TD_LIB_GIVE(to, own, type, err) td_lib_give(to, own, sizeof(struct type), #type, err)

#endif
