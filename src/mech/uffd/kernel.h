/* What the pager asks of the kernel: userfaultfd and the advice that goes with it. One function per
 * call, 0 or -errno. Constants that are newer than the headers of Debian 12 are said here. */
#ifndef TD_UFFD_KERNEL_H
#define TD_UFFD_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Features of a kernel that not all have. */
enum td_uffd_has {
	TD_UFFD_HAS_WP = 1 << 0,          /* write protection of shared memory */
	TD_UFFD_HAS_CONTINUE_WP = 1 << 1, /* a page can be mapped write-protected at once */
	TD_UFFD_HAS_MOVE = 1 << 2,
	TD_UFFD_HAS_POISON = 1 << 3,
	TD_UFFD_HAS_MINOR = 1 << 4,         /* minor faults of shared memory: mapping `exact` */
	TD_UFFD_HAS_KERNEL_FAULTS = 1 << 5, /* faults of system calls are served too */
};

/* What this kernel and this user's rights offer, without opening a pager. */
int td_uffd_probe(unsigned *has);

/* A userfaultfd whose faults are signals, or messages. *has: see above. */
int td_uffd_open(int *fd, bool signals, unsigned *has);

enum td_uffd_kind { TD_UFFD_SHARED, TD_UFFD_ANONYMOUS, TD_UFFD_PROTECTED /* anonymous too */ };
int td_uffd_register(int fd, void *addr, size_t bytes, enum td_uffd_kind kind, unsigned has);

int td_uffd_unregister(int fd, void *addr, size_t bytes);

/* Maps pages that the shared memory holds already. One that is mapped is fine. */
int td_uffd_continue(int fd, void *addr, size_t bytes, bool protect, bool wake);
/* Maps new pages with the bytes at from; shared memory holds them from then on. */
int td_uffd_copy(int fd, void *addr, const void *from, size_t bytes, bool protect, bool wake);
/* The same, and two more below, of a process that may change its mappings meanwhile: -EAGAIN until
 * somebody has read the message about that. From *done on, which moves. */
int td_uffd_copy_try(int fd, void *addr, const void *from, size_t bytes, bool protect, bool wake,
		     size_t *done);
/* A page, write-protected, if there is none: 0, -EEXIST or -EAGAIN. */
int td_uffd_copy_absent(int fd, void *addr, const void *from, size_t bytes);
int td_uffd_zero(int fd, void *addr, size_t bytes, bool wake);
/* Pages change their place, and are gone from where they were; holes stay holes. One that a device
 * fills or reads stays: -EBUSY, and *moved bytes from the front have moved. moved NULL: it is
 * waited for. */
int td_uffd_move(int fd, void *to, void *from, size_t bytes, bool wake, size_t *moved);
/* Pages that are there get to be this process's alone, by a copy where another has them too. */
int td_uffd_unshare(void *addr, size_t bytes);
int td_uffd_protect(int fd, void *addr, size_t bytes, bool protect, bool wake);
int td_uffd_protect_try(int fd, void *addr, size_t bytes, bool protect, bool wake);
/* An access is a SIGBUS from now on. */
int td_uffd_poison(int fd, void *addr, size_t bytes);
int td_uffd_wake(int fd, void *addr, size_t bytes);

/* Takes ranges of this process out of its page tables, in one go where the kernel can. */
struct td_uffd_unmapper {
	int pidfd; /* -1: one by one */
};
void td_uffd_unmapper_open(struct td_uffd_unmapper *u);
void td_uffd_unmapper_close(struct td_uffd_unmapper *u);
void td_uffd_unmap(const struct td_uffd_unmapper *u, const struct iovec *ranges, size_t n);

/* Memory that outlives its mapping: a pipe takes the pages themselves, whoever writes to them goes
 * on doing so until they are unmapped, and only then they are copied out. */
struct td_uffd_pipe {
	int from, to;
	size_t bytes; /* that it can hold */
};
int td_uffd_pipe_open(struct td_uffd_pipe *pipe, size_t bytes);
void td_uffd_pipe_close(struct td_uffd_pipe *pipe);
/* All of them, or none: -errno. */
int td_uffd_pipe_grab(const struct td_uffd_pipe *pipe, const struct iovec *pages, size_t n);
int td_uffd_pipe_copy(const struct td_uffd_pipe *pipe, const struct iovec *to, size_t n);
/* A page that is swapped out and in again may be another one. */
bool td_uffd_swaps(void);

#endif
