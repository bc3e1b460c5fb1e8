/* Reads and writes files by io_uring, many requests at a time, with direct I/O where the file
 * system has it.
 *
 * After open, nothing here allocates or takes a lock of the C library, because the pager serves
 * faults in a signal handler. Any thread may make any call. If the kernel refuses io_uring, the
 * calling thread uses pread and pwrite. */
#ifndef TD_TIERS_IO_H
#define TD_TIERS_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tide/error.h"

struct td_io;

struct td_io_file {
	int fd;         /* as opened: for what direct I/O cannot do (the last, partial block) */
	int direct_fd;  /* -1: none */
	uint64_t bytes; /* its end; of one that grows: the end of what was written so far */
	bool writable;
	bool grows;          /* made by CREATE */
	uint64_t room_bytes; /* of this room: to where its size was raised ahead of the writes */
	char name[64];       /* in messages: the end of the path */
};

/* CREATE: emptied, read and written. AGAIN: one that was made by CREATE goes on. */
enum td_io_mode { TD_IO_READ, TD_IO_WRITE, TD_IO_CREATE, TD_IO_AGAIN };
int td_io_file_open(struct td_io_file *f, const char *path, enum td_io_mode mode,
		    struct tide_error *err);
void td_io_file_close(struct td_io_file *f);

/* One request. Addresses, offsets and sizes are multiples of 4 KiB. What lies behind the end of the
 * file reads as zero and is not written: a file never grows but one that was made by CREATE. */
struct td_io_request {
	struct td_io_file *file;
	uint64_t offset;
	void *addr;
	size_t bytes;
	bool write;
	int result; /* once done: 0 or -errno; a short read within the file is -EIO */
	/* In the thread that reaps, without locks of this room: must not wait for I/O. This room
	 * does not look at r any more, so it may be used anew. NULL: none. */
	void (*done)(struct td_io_request *r);
	void *arg;
	struct td_io_request *next; /* of this room */
	int state;                  /* of this room */
};

/* inject: "read=EIO:1000,write=ENOSPC:5,delay=200us,short=100": every n-th read or write fails so,
 * each takes longer by delay, every n-th read is short in the middle of the file (which this room
 * repairs by reading on); "sync": as if the kernel refused io_uring. Requests are counted as they
 * start. NULL: none. */
int td_io_open(struct td_io **out, unsigned depth, const char *inject, struct tide_error *err);
void td_io_close(struct td_io *io);

/* Starts n requests; waits only where more than depth are under way.
 *
 * The kernel ends a request by the hand of the thread that started it, wherever that is. So that a
 * thread of the program finds its system calls as they were (epoll_wait() and the like would fail
 * with EINTR), and does not have to answer while it is stuck in the kernel in a fault of its own,
 * it waits for what it started before it goes on; only a thread of the pager may leave requests
 * behind. */
void td_io_start(struct td_io *io, struct td_io_request *const *requests, size_t n);
/* Until this one is done, and its done has returned; reaps others on the way. */
void td_io_wait(struct td_io *io, struct td_io_request *r);
void td_io_poll(struct td_io *io);  /* reaps what is done, waits for nothing */
void td_io_drain(struct td_io *io); /* until nothing is under way */
/* One request, here and now, at the price of a pread. Its done is not called. */
int td_io_now(struct td_io *io, struct td_io_request *r);
int td_io_flush(struct td_io *io, struct td_io_file *f); /* durable: 0 or -errno */

/* Frees the blocks of a range of a CREATEd file; a file system that cannot: nothing. */
void td_io_punch(struct td_io_file *f, uint64_t offset, uint64_t bytes);

/* The same, and the range reads as zero whatever the file system can do: 0 or -errno. */
int td_io_zero(struct td_io_file *f, uint64_t offset, uint64_t bytes);

/* Does the mapping of some pages fail, as inject has it ("map=ENOMEM:100")? 0 or -errno. */
int td_io_map_fails(struct td_io *io);

uint64_t td_io_errors(const struct td_io *io);
bool td_io_has_ring(struct td_io *io); /* or does each request take its thread's time */

#endif
