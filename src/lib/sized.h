/* Copies public structs that begin with their size between a program and the library. Either of the
 * two may know more members than the other. */
#ifndef TD_LIB_SIZED_H
#define TD_LIB_SIZED_H

#include <stddef.h>

#include "tide/error.h"

/* Copies into the library's own struct, which holds the values for members that the program does
 * not have. -EINVAL: given is NULL or has no size, or it sets a member that this library does not
 * know. name: the name of the struct. */
int td_lib_take(void *own, size_t own_bytes, const void *given, const char *name,
		struct tide_error *err);

/* Copies out of the library's own struct, no further than to->size says. */
int td_lib_give(void *to, const void *own, size_t own_bytes, const char *name,
		struct tide_error *err);

/* Reads the size of a struct. -EINVAL: the struct is NULL or has no size. */
int td_lib_size(const void *given, const char *name, size_t *size, struct tide_error *err);

/* -EINVAL: the pointer is NULL. what: the parameter's name. */
int td_lib_given(const void *pointer, const char *what, struct tide_error *err);

#define TD_LIB_TAKE(own, given, type, err) td_lib_take(own, sizeof(struct type), given, #type, err)
#define TD_LIB_GIVE(to, own, type, err) td_lib_give(to, own, sizeof(struct type), #type, err)

#endif
