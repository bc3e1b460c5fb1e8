/* Addresses and options of sockets, in paged memory: the kernel gets copies. A connection that
 * accept() has taken would be lost where its address cannot be written. */
#include "helped.h"

/* Larger options go to the kernel as they are. */
#define OPTION_BYTES ((size_t)512)

typedef struct sockaddr_storage address;

/* An address that the kernel fills, and its size, which goes both ways. */
struct filled {
	struct sockaddr *to;
	socklen_t *bytes;
	address room;
	socklen_t room_bytes, had;
	bool copied;
};

static void begin(struct filled *f, struct sockaddr *to, socklen_t *bytes)
{
	*f = (struct filled){.to = to, .bytes = bytes, .had = to && bytes ? *bytes : 0};
	f->copied = td_helped_on() && to && bytes &&
		    (td_calls_mine(to, f->had) || td_calls_mine(bytes, sizeof *bytes));
	f->room_bytes = f->had < sizeof f->room ? f->had : (socklen_t)sizeof f->room;
}

static struct sockaddr *at(struct filled *f)
{
	return f->copied ? (struct sockaddr *)&f->room : f->to;
}

static socklen_t *bytes_at(struct filled *f)
{
	return f->copied ? &f->room_bytes : f->bytes;
}

/* The kernel says how much there was, which may be more than fitted. */
static int end(struct filled *f, int rc)
{
	size_t most = f->had < sizeof f->room ? f->had : sizeof f->room;

	if (!f->copied || rc < 0)
		return rc;
	memcpy(f->to, &f->room, f->room_bytes < most ? f->room_bytes : most);
	*f->bytes = f->room_bytes;
	return rc;
}

#define FILLED(name, params, args) \
	TD_EXPORT int name params \
	{ \
		struct filled f; \
		begin(&f, to, bytes); \
		return end(&f, next.name args); \
	}
FILLED(getsockname, (int fd, struct sockaddr *to, socklen_t *bytes), (fd, at(&f), bytes_at(&f)))
FILLED(getpeername, (int fd, struct sockaddr *to, socklen_t *bytes), (fd, at(&f), bytes_at(&f)))
FILLED(accept, (int fd, struct sockaddr *to, socklen_t *bytes), (fd, at(&f), bytes_at(&f)))
FILLED(accept4, (int fd, struct sockaddr *to, socklen_t *bytes, int flags),
       (fd, at(&f), bytes_at(&f), flags))

#define GIVEN(name) \
	TD_EXPORT int name(int fd, const struct sockaddr *to, socklen_t bytes) \
	{ \
		address room; \
		return next.name(fd, bytes > sizeof room ? to : td_helped_in(to, &room, bytes), \
				 bytes); \
	}
GIVEN(bind)
GIVEN(connect)

TD_EXPORT int setsockopt(int fd, int level, int name, const void *value, socklen_t bytes)
{
	char room[OPTION_BYTES];

	return next.setsockopt(fd, level, name,
			       bytes > sizeof room ? value : td_helped_in(value, room, bytes),
			       bytes);
}

TD_EXPORT int getsockopt(int fd, int level, int name, void *value, socklen_t *bytes)
{
	char room[OPTION_BYTES];
	socklen_t had = bytes ? *bytes : 0, bytes_room;
	socklen_t *used = td_helped_in(bytes, &bytes_room, sizeof bytes_room);
	void *use = had > sizeof room ? value : td_helped_in(value, room, had);
	int rc = next.getsockopt(fd, level, name, use, used);

	td_helped_out(value, room, use, had);
	td_helped_out(bytes, &bytes_room, used, sizeof bytes_room);
	return rc;
}
