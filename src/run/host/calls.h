/* Data between a file and paged memory, in a way the kernel can carry out: through a buffer where
 * it is little, and in pieces that are held near where it is much. */
#ifndef TD_PRELOAD_CALLS_H
#define TD_PRELOAD_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "preload.h"

#define TD_BOUNCE_BYTES ((size_t)64 << 10)

/* Is it paged? The address goes through a number: what a buffer to be filled holds is nobody's
 * business, as the compiler knows. */
static inline bool td_calls_paged(const void *p, size_t bytes)
{
	uintptr_t first = (uintptr_t)p, last = first + bytes - 1;

	if (td_preload_off() || !bytes)
		return false;
	__asm__("" : "+r"(first));
	return tide_owns(td_preload_tide, (const void *)first) ||
	       tide_owns(td_preload_tide, (const void *)last);
}

/* Is it a buffer that a system call could not use by itself? */
static inline bool td_calls_mine(const void *p, size_t bytes)
{
	return td_preload_settings.helps && td_calls_paged(p, bytes);
}

/* Is it one that a device would fill or read, and that must not leave meanwhile? */
bool td_calls_direct(int fd, const void *p, size_t bytes);

/* Either of them. */
static inline bool td_calls_takes(int fd, const void *p, size_t bytes)
{
	return td_calls_mine(p, bytes) || td_calls_direct(fd, p, bytes);
}

/* Between the parts of a buffer, from byte `skip` of them on, and one block. */
void td_call_copy(const struct iovec *parts, size_t n, size_t skip, char *block, size_t bytes,
		  bool to_block);

/* One call of the kernel's, with all its other arguments in here. */
struct td_call {
	ssize_t (*run)(const struct td_call *c, void *data, size_t bytes, size_t done);
	int fd, flags;
	off_t offset; /* of the first byte */
	bool write;   /* from memory to the file */
	bool all;     /* to the end, even if it has to wait; else a piece is enough */
	bool ready;   /* to the end, as long as it need not wait */
	bool whole;   /* a message: in one piece or not at all */
	bool stored;  /* it waits for nobody: memory may be held near meanwhile */
};
ssize_t td_call_read(const struct td_call *c, void *data, size_t bytes, size_t done);
ssize_t td_call_write(const struct td_call *c, void *data, size_t bytes, size_t done);
ssize_t td_call_pread(const struct td_call *c, void *data, size_t bytes, size_t done);
ssize_t td_call_pwrite(const struct td_call *c, void *data, size_t bytes, size_t done);
bool td_call_is_stream(int socket);
/* What kind of file it is, and so how far a reader goes. A writer goes to the end. */
void td_call_look(struct td_call *c);
ssize_t td_call_run(const struct td_call *c, const struct iovec *parts, size_t n);

#endif
