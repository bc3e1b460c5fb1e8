/* Memory that was handed over: messages that are wrong or hostile give one sentence, and no file
 * stays open; servers follow each other, with other settings; reads and writes fail; sets. usage:
 * lent_calls */
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
	int ends[2];
	must(pipe(ends) == 0, "no pipe");
	refused_with("[" REGION("65536", "65536", "0") "]",
		     (int[]){ends[0], uffd, uffd, ends[1], memfd}, 5, "cannot map");
	close(ends[0]);
	close(ends[1]);
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

/* ---- memory of this very process, served by a thread of the pager ---- */

struct memory {
	uint64_t *words;
	size_t bytes;
	int memfd, socket, other;
};

static struct memory make(size_t bytes, int fd)
{
	char text[256];
	struct memory m = {.bytes = bytes, .memfd = fd};
	int pair[2];
	if (fd < 0)
		m.memfd = memfd_create("lent", MFD_CLOEXEC);
	must(m.memfd >= 0 && ftruncate(m.memfd, (off_t)bytes) == 0, "no memfd");
	m.words = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m.memfd, 0);
	must(m.words != MAP_FAILED, "no memory");
	struct uffdio_register r = {.range = {(uintptr_t)m.words, bytes},
				    .mode = UFFDIO_REGISTER_MODE_MISSING};
	must(ioctl(uffd, UFFDIO_REGISTER, &r) == 0, "cannot register");
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "no sockets");
	int n = snprintf(text, sizeof text, "[" REGION("%llu", "%zu", "0") "]",
			 (unsigned long long)(uintptr_t)m.words, bytes);
	send_to(pair[0], text, (size_t)n, (int[]){uffd, m.memfd}, 2);
	m.socket = pair[1];
	m.other = pair[0];
	return m;
}

static void end(struct memory *m)
{
	munmap(m->words, m->bytes);
	close(m->memfd);
	close(m->socket);
	close(m->other);
}

static struct tide *adopt(const struct memory *m, const struct tide_options *o,
			  const char *snapshot)
{
	struct tide_adopt_options how = {.size = sizeof how, .snapshot = snapshot};
	struct tide_error err;
	struct tide *t;
	must(tide_adopt(&t, m->socket, o, &how, &err) == 0, "tide_adopt: %s", err.text);
	return t;
}

static size_t in_memory(const struct memory *m)
{
	struct stat st;
	must(fstat(m->memfd, &st) == 0, "fstat");
	return (size_t)st.st_blocks * 512;
}

/* Helpers may have some of it in their hands. */
static void must_leave(const struct memory *m, size_t but)
{
	for (int i = 0; in_memory(m) > but; i++) {
		must(i < 1000, "%zu bytes do not leave", in_memory(m));
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
}

static void look_at_all(const struct memory *m, uint64_t version)
{
	for (size_t word = 5; word < m->bytes / 8; word += 512)
		must(((volatile uint64_t *)m->words)[word] == word_value(word, version),
		     "word %zu is wrong", word);
}

static void write_all(const struct memory *m, uint64_t version)
{
	for (size_t word = 5; word < m->bytes / 8; word += 512)
		((volatile uint64_t *)m->words)[word] = word_value(word, version);
}

/* Calls about memory of this process; and a second server at the same time. */
static void calls(void)
{
	struct memory m = make(MIB, -1);
	struct tide_error err;
	struct tide *t = adopt(&m, &options, NULL), *other;
	void *p;
	size_t held;
	must(tide_map(t, &p, MIB, NULL, &err) == -ENOTSUP, "maps");
	must(tide_unmap(t, m.words, MIB, &err) == -ENOTSUP, "unmaps");
	must(tide_hold(t, m.words, 4096, false, &held, &err) == -ENOTSUP, "holds");
	must(tide_adopt(&other, m.socket, &options, NULL, &err) == -EWOULDBLOCK,
	     "two servers at once");
	must(((volatile uint64_t *)m.words)[5] == 0, "not zero");
	write_all(&m, 1);
	must(tide_advise(t, m.words, MIB, TIDE_COLD, &err) == 0, "%s", err.text);
	must_leave(&m, 0);
	look_at_all(&m, 1);
	must(tide_advise(t, m.words, 4096, TIDE_DROP, &err) == 0, "%s", err.text);
	must(((volatile uint64_t *)m.words)[5] == 0, "dropped, and not zero");
	((volatile uint64_t *)m.words)[5] = word_value(5, 1);
	must(tide_advise(t, m.words, MIB, TIDE_COLD, &err) == 0, "%s", err.text);
	close_pager(t);
	/* Another store would give old pages. */
	struct tide_options o = options;
	o.storage = "/tmp/tide-lent-another";
	must(tide_adopt(&t, m.socket, &o, NULL, &err) == -ESTALE, "another store is taken");
	must(access(o.storage, F_OK), "another store was made");
	unlink("/tmp/tide-lent-another.map");
	t = adopt(&m, &options, NULL);
	look_at_all(&m, 1);
	close_pager(t);
	end(&m);
}

/* The next server has less near memory, smaller chunks and another policy; then more again. */
static void other_sizes(void)
{
	struct memory m = make(4 * MIB, -1);
	struct tide_options o = options;
	o.near_size = "8M";
	struct tide *t = adopt(&m, &o, NULL);
	write_all(&m, 1);
	close_pager(t);
	must(in_memory(&m) == 4 * MIB, "%zu bytes are in memory", in_memory(&m));
	o.near_size = "512K";
	o.chunk = "4K";
	o.evict = "fifo";
	t = adopt(&m, &o, NULL);
	must_leave(&m, 512 * KIB);
	look_at_all(&m, 1);
	write_all(&m, 2);
	close_pager(t);
	t = adopt(&m, &options, NULL);
	look_at_all(&m, 2);
	close_pager(t);
	end(&m);
}

/* Reads that fail are tried again, for as long as it takes; what cannot be written stays. */
static void failures(const char *snapshot)
{
	struct memory m = make(4 * MIB, -1);
	struct tide_options o = options;
	o.near_size = "1M";
	o.chunk = "16K";
	o.inject = "read=EIO:20,write=EIO:7";
	struct tide *t = adopt(&m, &o, snapshot);
	look_at_all(&m, 0);
	write_all(&m, 3);
	look_at_all(&m, 3);
	close_pager(t);
	t = adopt(&m, &options, snapshot);
	look_at_all(&m, 3);
	close_pager(t);
	end(&m);
}

/* A snapshot that is restored again: its hot pages come in one pass. */
static void sets(const char *snapshot, const char *set)
{
	struct tide_stats s = {.size = sizeof s};
	struct tide_error err;
	struct tide_options o = options;
	o.prefetch = "none";
	for (int again = 0; again < 2; again++) {
		struct memory m = make(4 * MIB, -1);
		struct tide *t = adopt(&m, &o, snapshot);
		if (again)
			must(tide_set_load(t, set, &err) == 0, "%s", err.text);
		for (size_t word = 5; word < m.bytes / 8; word += 4 * 512)
			must(((volatile uint64_t *)m.words)[word] == word_value(word, 0),
			     "word %zu is wrong", word);
		tide_stats(t, &s, NULL);
		must(again ? s.counts.faults < 20 : s.counts.faults >= 256, "%llu faults, %d",
		     (unsigned long long)s.counts.faults, again);
		if (!again)
			must(tide_set_save(t, set, &err) == 0, "%s", err.text);
		close_pager(t);
		end(&m);
	}
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
	char snapshot[64], set[64], map[64];
	int fd = mkstemp(store);
	must(fd >= 0, "no file");
	close(fd);
	snprintf(snapshot, sizeof snapshot, "%s.words", store);
	snprintf(set, sizeof set, "%s.set", store);
	snprintf(map, sizeof map, "%s.map", store);
	make_file(snapshot, 4 * MIB);
	alarm(60);
	messages();
	settings();
	calls();
	other_sizes();
	failures(snapshot);
	sets(snapshot, set);
	unlink(snapshot);
	unlink(set);
	unlink(map);
	unlink(store);
	return 0;
}
