/* Messages about memory that are wrong or hostile: one sentence, and no file stays open.
 * usage: lent_refusals */
#include <dirent.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "pager_help.h"

static int uffd, memfd;
static char store[] = "/tmp/tide-lent-XXXXXX";
static struct tide_options options = {.size = sizeof options, .near_size = "4M", .storage = store};

static unsigned open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void send_to(int fd, const char *text, size_t bytes, const int *fds, size_t n)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(8 * sizeof(int))];
	} control = {0};
	struct iovec part = {(void *)(uintptr_t)text, bytes};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
	if (n) {
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(n * sizeof(int));
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		*c = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
		c->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	}
	must(sendmsg(fd, &m, 0) == (ssize_t)bytes, "sendmsg: %s", strerror(errno));
}

static void refused_with(const char *text, const int *fds, size_t n, const char *why)
{
	struct tide_error err = {0, ""};
	struct tide *t;
	int pair[2];
	unsigned before = open_files();
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "no sockets");
	if (*text)
		send_to(pair[0], text, strlen(text), fds, n);
	close(pair[0]);
	int rc = tide_adopt(&t, pair[1], &options, NULL, &err);
	must(rc < 0, "taken: %s", text);
	must(strstr(err.text, why), "%s: says '%s', not '%s'", text, err.text, why);
	close(pair[1]);
	must(open_files() == before, "%s: files stay open", text);
}

static void refused(const char *text, const char *why)
{
	refused_with(text, (int[]){uffd, memfd}, 2, why);
}

#define REGION(base, size, offset) \
	"{\"base_host_virt_addr\":" base ",\"size\":" size ",\"offset\":" offset "}"

static void messages(void)
{
	refused("", "closed without a message");
	refused("hello", "no JSON array");
	refused("[]", "no JSON array");
	refused("{}", "no JSON array");
	refused("[1]", "lacks base_host_virt_addr");
	refused("[{}]", "lacks base_host_virt_addr");
	refused("[" REGION("-1", "65536", "0") "]", "no number");
	refused("[" REGION("\"x\"", "65536", "0") "]", "no number");
	refused("[" REGION("65536", "1.5", "0") "]", "no number");
	refused("[" REGION("65536", "4096", "0") "]", "no whole chunks");
	refused("[" REGION("65536", "0", "0") "]", "no whole chunks");
	refused("[" REGION("65537", "65536", "0") "]", "does not begin at a page");
	refused("[" REGION("65536", "65536", "1") "]", "does not begin at a page");
	refused("[" REGION("65536", "9223372036854710272", "0") "]", "beyond all addresses");
	refused("[" REGION("9223372036854710272", "65536", "0") "]", "beyond all addresses");
	refused("[" REGION("65536", "65536", "9223372036854710272") "]", "beyond all addresses");
	refused("[" REGION("65536", "1073741824", "0") "]", "ends behind the memory");
	refused("[" REGION("1048576", "65536", "0") "," REGION("1048576", "65536", "65536") "]",
		"overlap");
	refused("[" REGION("1048576", "65536", "0") "," REGION("2097152", "65536", "0") "]",
		"overlap");
	refused("[{\"base_host_virt_addr\":0,\"size\":65536,\"offset\":0,\"page_size\":2097152}]",
		"pages of 2097152 bytes");
	/* Addresses where nothing is registered, or nothing is at all. */
	refused("[" REGION("65536", "65536", "0") "]", "cannot map");
	refused_with("[" REGION("65536", "65536", "0") "]", NULL, 0, "no userfaultfd");
	refused_with("[" REGION("65536", "65536", "0") "]", &memfd, 1, "no userfaultfd");
	refused_with("[" REGION("65536", "65536", "0") "]", (int[]){uffd, 0, 1, 2, memfd}, 5,
		     "cannot map");
}

static void settings(void)
{
	struct tide_options o = options;
	options.storage = NULL;
	refused("[" REGION("65536", "65536", "0") "]", "give storage");
	options = o;
	options.host = "1M";
	refused("[" REGION("65536", "65536", "0") "]", "host does not go");
	options = o;
	options.mapping = "exact";
	refused("[" REGION("65536", "65536", "0") "]", "mapping does not go");
	options = o;
	options.evict = "lru";
	refused("[" REGION("65536", "65536", "0") "]", "");
	options = o;
}

/* Calls about memory of this process; and a second server at the same time. */
static void calls(void)
{
	char text[256];
	struct tide_error err;
	struct tide *t, *other;
	void *p = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	struct uffdio_register r = {.range = {(uintptr_t)p, MIB},
				    .mode = UFFDIO_REGISTER_MODE_MISSING};
	int pair[2];
	size_t held;
	must(ioctl(uffd, UFFDIO_REGISTER, &r) == 0, "cannot register");
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "no sockets");
	int n = snprintf(text, sizeof text, "[" REGION("%llu", "1048576", "0") "]",
			 (unsigned long long)(uintptr_t)p);
	send_to(pair[0], text, (size_t)n, (int[]){uffd, memfd}, 2);
	must(tide_adopt(&t, pair[1], &options, NULL, &err) == 0, "tide_adopt: %s", err.text);
	must(tide_map(t, &p, MIB, NULL, &err) == -ENOTSUP, "maps");
	must(tide_unmap(t, p, MIB, &err) == -ENOTSUP, "unmaps");
	must(tide_hold(t, p, 4096, false, &held, &err) == -ENOTSUP, "holds");
	must(tide_adopt(&other, pair[1], &options, NULL, &err) == -EWOULDBLOCK,
	     "two servers at once");
	must(((volatile char *)p)[5000] == 0, "not zero");
	((volatile char *)p)[5000] = 1;
	must(tide_advise(t, p, MIB, TIDE_COLD, &err) == 0, "%s", err.text);
	must(((volatile char *)p)[5000] == 1, "what was evicted is lost");
	must(tide_advise(t, p, MIB, TIDE_COLD, &err) == 0, "%s", err.text);
	must(tide_close(t, &err) == 0, "%s", err.text);
	char *saved = options.storage ? strdup(options.storage) : NULL;
	options.storage = "/tmp/tide-lent-another";
	must(tide_adopt(&t, pair[1], &options, NULL, &err) == -ESTALE ||
		     (unlink("/tmp/tide-lent-another"), false),
	     "another store is taken");
	unlink("/tmp/tide-lent-another.map");
	options.storage = saved;
	must(tide_adopt(&t, pair[1], &options, NULL, &err) == 0, "tide_adopt: %s", err.text);
	must(((volatile char *)p)[5000] == 1, "what was evicted is lost");
	must(tide_close(t, &err) == 0, "%s", err.text);
	free(saved);
}

int main(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (uffd < 0 || ioctl(uffd, UFFDIO_API, &api)) {
		printf("skipped: no userfaultfd: %s\n", strerror(errno));
		return 77;
	}
	memfd = memfd_create("lent", MFD_CLOEXEC);
	must(memfd >= 0 && ftruncate(memfd, MIB) == 0, "no memfd");
	int fd = mkstemp(store);
	must(fd >= 0, "no file");
	close(fd);
	messages();
	settings();
	calls();
	char map[64];
	snprintf(map, sizeof map, "%s.map", store);
	unlink(map);
	unlink(store);
	return 0;
}
