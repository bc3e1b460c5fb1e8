/* Handles that tell whether they are open. A handle begins with struct td_handle. Its kind lies
 * behind the bytes that an allocator writes into freed memory, so a closed handle is recognised as
 * long as its memory has not been given to something else. */
#ifndef TD_CORE_HANDLE_H
#define TD_CORE_HANDLE_H

#include <errno.h>
#include <stdint.h>

#include "tide/error.h"

/* kind: one text per kind of handle, the name of its struct; NULL: closed. */
struct td_handle {
	uint64_t allocators[4];
	const char *volatile kind;
};

/* -EINVAL: the handle is NULL, closed, or of another kind. Where a sanitizer would end the program,
 * it gets a message. */
__attribute__((no_sanitize("address"))) static inline int
td_handle_check(const void *handle, const char *kind, struct tide_error *err)
{
	const struct td_handle *h = (const struct td_handle *)handle;
	if (h && h->kind == kind)
		return 0;
	return tide_fail(err, -EINVAL, "struct %s is %s: open one first", kind,
			 h ? "not open, or was closed" : "NULL");
}

#endif
