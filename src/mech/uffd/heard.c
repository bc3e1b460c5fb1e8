#include "lent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define AT_ONCE 16

int td_lent_hear_begin(struct td_pager *p)
{
	struct td_heard *h = &p->heard;
	pthread_mutex_init(&h->lock, NULL);
	h->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return h->fd < 0 ? -errno : 0;
}

void td_lent_hear_end(struct td_pager *p)
{
	struct td_heard *h = &p->heard;
	if (h->fd < 0)
		return;
	close(h->fd);
	free(h->at);
	pthread_mutex_destroy(&h->lock);
}

static size_t read_some(struct td_pager *p, struct uffd_msg *to, size_t most)
{
	ssize_t n = read(p->uffd, to, most * sizeof *to);
	return n > 0 ? (size_t)n / sizeof *to : 0;
}

/* The lock is held. */
static size_t keep_some(struct td_pager *p)
{
	struct td_heard *h = &p->heard;
	if (h->n + AT_ONCE > h->room) {
		struct uffd_msg *more = reallocarray(h->at, 2 * h->room + AT_ONCE, sizeof *more);
		if (!more)
			return 0;
		h->at = more;
		h->room = 2 * h->room + AT_ONCE;
	}
	size_t n = read_some(p, h->at + h->n, AT_ONCE);
	h->n += n;
	return n;
}

void td_lent_listen(struct td_pager *p)
{
	const struct timespec little = {.tv_nsec = 20000};
	const uint64_t one = 1;
	pthread_mutex_lock(&p->heard.lock);
	size_t n = keep_some(p);
	pthread_mutex_unlock(&p->heard.lock);
	if (n && write(p->heard.fd, &one, sizeof one) < 0)
		return; /* it is full, which says the same */
	if (!n)
		nanosleep(&little, NULL); /* the owner has been woken, and has to run */
}

size_t td_lent_hear(struct td_pager *p, struct uffd_msg *messages, size_t most)
{
	struct td_heard *h = &p->heard;
	uint64_t ignored;
	ssize_t cleared = read(h->fd, &ignored, sizeof ignored);
	(void)cleared;
	pthread_mutex_lock(&h->lock);
	size_t n = h->n < most ? h->n : most;
	if (n) {
		memcpy(messages, h->at, n * sizeof *messages);
		h->n -= n;
		memmove(h->at, h->at + n, h->n * sizeof *h->at);
	} else {
		n = read_some(p, messages, most);
	}
	bool more = h->n;
	pthread_mutex_unlock(&h->lock);
	const uint64_t one = 1;
	if (more && write(h->fd, &one, sizeof one) < 0)
		return n;
	return n;
}
