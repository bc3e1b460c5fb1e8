/* Memory that is registered with the kernel for I/O while the rest comes and goes: no page of it
 * can be moved, so it stays, and everything else goes on.
 * usage: pager_pinned MAPPING SERVICE PAGE KIB */
#include <liburing.h>

#include "pager_help.h"

#define ALL (32 * MIB)
#define BUFFERS 256

static void fill(unsigned char *p)
{
	for (size_t i = 0; i < ALL; i += 4 * KIB)
		p[i] = (unsigned char)(i / 4096 % 251);
}

static void look(const unsigned char *p)
{
	for (unsigned round = 0; round < 2; round++)
		for (size_t i = 0; i < ALL; i += 4 * KIB)
			must(p[i] == (unsigned char)(i / 4096 % 251), "another byte at %zu", i);
}

/* It has to be near for that, and is held there for as long as it takes. */
static void pin(struct tide *t, struct io_uring *ring, unsigned char *p, size_t bytes)
{
	struct tide_error err;
	size_t held;
	unsigned n = 0;
	for (size_t done = 0; done < bytes; done += held, n++) {
		must(tide_hold(t, p + done, bytes - done, true, &held, &err) == 0, "tide_hold: %s",
		     err.text);
		struct iovec range = {p + done, held};
		__u64 tag = 0;
		int rc = io_uring_register_buffers_update_tag(ring, n, &range, &tag, 1);
		must(rc == 1, "a buffer is not registered: %s", strerror(-rc));
		tide_release(t, p + done, held);
	}
}

int main(int argc, char **argv)
{
	must(argc == 5, "usage: pager_pinned MAPPING SERVICE PAGE KIB");
	struct tide_options o = {.size = sizeof o,
				 .near_size = "4M",
				 .evict = "fifo",
				 .prefetch = "none",
				 .mapping = argv[1],
				 .service = argv[2],
				 .page = argv[3]};
	size_t bytes = (size_t)atoi(argv[4]) * KIB;
	struct tide *t = open_pager(&o);
	unsigned char *p = map(t, ALL, NULL);
	struct io_uring ring;
	struct tide_error err;
	int rc = io_uring_queue_init(4, &ring, 0);
	if (rc) {
		printf("skipped: no io_uring: %s\n", strerror(-rc));
		return 77;
	}
	must(io_uring_register_buffers_sparse(&ring, BUFFERS) == 0, "no room for buffers");
	fill(p);
	pin(t, &ring, p + MIB + 20 * KIB, bytes); /* from the middle of a large page on */
	look(p);
	must(tide_advise(t, p, 2 * MIB, TIDE_COLD, &err) == 0, "TIDE_COLD: %s", err.text);
	look(p);
	pin(t, &ring, p + 4 * MIB, bytes); /* in place of the others */
	look(p);
	close_pager(t);
	io_uring_queue_exit(&ring);
	return 0;
}
