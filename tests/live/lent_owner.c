/* A process whose memory another one serves. Threads read and write words, each its own, and know
 * from a shadow what each must be; one thread also removes pages. At the end all words are looked
 * at. usage: lent_owner SOCKET SNAPSHOT MIB SECONDS NEAR-MIB memfd|plain|keep
 *
 * keep: as memfd, but writes one page, says so, and waits for its end at standard input. NEAR-MIB
 * 0: any. */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "pager_help.h"

enum { THREADS = 3, PAGE_WORDS = 512, REMOVED_PAGES = 256 };

static uint64_t *words, words_n, deadline_ns;
static uint32_t *version; /* the shadow; UINT32_MAX: removed, and zero */
static int uffd = -1, memfd = -1;
static uint64_t most_bytes, operations, removals;

static uint64_t wanted(uint64_t word)
{
	return version[word] == UINT32_MAX ? 0 : word_value(word, version[word]);
}

static void look(uint64_t word)
{
	uint64_t is = __atomic_load_n(&words[word], __ATOMIC_RELAXED);
	must(is == wanted(word), "word %llu is %llx, not %llx", (unsigned long long)word,
	     (unsigned long long)is, (unsigned long long)wanted(word));
}

static void store(uint64_t word)
{
	version[word] = version[word] == UINT32_MAX ? 1 : version[word] + 1;
	__atomic_store_n(&words[word], wanted(word), __ATOMIC_RELAXED);
}

/* ---- threads; the last pages are the first thread's alone ---- */

static void remove_page(uint64_t *random)
{
	uint64_t page = words_n / PAGE_WORDS - 1 - tide_random_next(random) % REMOVED_PAGES;
	uint64_t first = page * PAGE_WORDS;
	store(first);
	must(madvise(&words[first], 4096, memfd < 0 ? MADV_DONTNEED : MADV_REMOVE) == 0,
	     "madvise: %s", strerror(errno));
	for (uint64_t word = first; word < first + PAGE_WORDS; word++)
		version[word] = UINT32_MAX;
	look(first);
	look(first + 1);
	removals++;
}

static void note_bytes(void)
{
	struct stat st;
	if (memfd >= 0 && !fstat(memfd, &st) && (uint64_t)st.st_blocks * 512 > most_bytes)
		most_bytes = (uint64_t)st.st_blocks * 512;
}

static void *work(void *arg)
{
	uint64_t id = (uintptr_t)arg, random = id + 1, n = 0;
	uint64_t shared = words_n - REMOVED_PAGES * PAGE_WORDS;
	while (now_ns() < deadline_ns) {
		uint64_t word = tide_random_next(&random) % (id ? shared : words_n);
		if (word < shared)
			word = word / THREADS * THREADS + id;
		if (word >= words_n || (id && word >= shared))
			continue;
		look(word);
		if (tide_random_next(&random) % 2)
			store(word);
		if (id == 0 && ++n % 100 == 0)
			remove_page(&random);
		if (id == 0)
			note_bytes();
		__atomic_fetch_add(&operations, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* ---- the memory, and handing it over ---- */

static void make_memory(size_t bytes, bool shared)
{
	struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_EVENT_REMOVE};
	uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (uffd < 0 || ioctl(uffd, UFFDIO_API, &api)) {
		printf("skipped: no userfaultfd: %s\n", strerror(errno));
		exit(77);
	}
	if (shared) {
		memfd = memfd_create("lent", MFD_CLOEXEC);
		must(memfd >= 0 && ftruncate(memfd, (off_t)bytes) == 0, "no memfd");
	}
	words = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		     shared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, memfd, 0);
	must(words != MAP_FAILED, "no memory");
	struct uffdio_register r = {.range = {(uintptr_t)words, bytes},
				    .mode = UFFDIO_REGISTER_MODE_MISSING};
	must(ioctl(uffd, UFFDIO_REGISTER, &r) == 0, "cannot register: %s", strerror(errno));
}

static int connect_to(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	for (int i = 0; connect(fd, (struct sockaddr *)&at, sizeof at); i++) {
		must(i < 1000, "nobody listens at %s", path);
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	}
	return fd;
}

/* As two regions, the upper half first. */
static void hand_over(int fd, size_t bytes)
{
	char text[512];
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control = {0};
	int n = snprintf(text, sizeof text,
			 "[{\"base_host_virt_addr\":%llu,\"size\":%zu,\"offset\":%zu,\"page_size\":"
			 "4096,\"page_size_kib\":4096},{\"base_host_virt_addr\":%llu,\"size\":%zu,"
			 "\"offset\":0,\"page_size\":4096,\"page_size_kib\":4096}]",
			 (unsigned long long)(uintptr_t)words + bytes / 2, bytes / 2, bytes / 2,
			 (unsigned long long)(uintptr_t)words, bytes / 2);
	struct iovec part = {text, (size_t)n};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control};
	size_t fds_n = memfd < 0 ? 1 : 2;
	m.msg_controllen = CMSG_SPACE(fds_n * sizeof(int));
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	*c = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
	c->cmsg_len = CMSG_LEN(fds_n * sizeof(int));
	memcpy(CMSG_DATA(c), (int[]){uffd, memfd}, fds_n * sizeof(int));
	must(sendmsg(fd, &m, 0) == n, "cannot send: %s", strerror(errno));
}

static void wait_for_end(void)
{
	char byte;
	store(0);
	puts("written");
	fflush(stdout);
	(void)!read(0, &byte, 1);
	look(0);
}

int main(int argc, char **argv)
{
	must(argc == 7, "usage: lent_owner SOCKET SNAPSHOT MIB SECONDS NEAR-MIB KIND");
	size_t bytes = (size_t)atoi(argv[3]) * MIB;
	bool keep = strcmp(argv[6], "keep") == 0;
	pthread_t thread[THREADS];
	alarm(120);
	if (strcmp(argv[2], "-") != 0)
		make_file(argv[2], bytes);
	make_memory(bytes, strcmp(argv[6], "plain") != 0);
	words_n = bytes / 8;
	version = calloc(words_n, sizeof *version);
	must(version, "no memory");
	for (uint64_t i = 0; !strcmp(argv[2], "-") && i < words_n; i++)
		version[i] = UINT32_MAX;
	int fd = connect_to(argv[1]);
	hand_over(fd, bytes);
	close(fd); /* as Firecracker does */
	if (keep) {
		wait_for_end();
		return 0;
	}
	deadline_ns = now_ns() + (uint64_t)atoi(argv[4]) * 1000000000;
	for (uintptr_t i = 0; i < THREADS; i++)
		must(!pthread_create(&thread[i], NULL, work, (void *)i), "no thread");
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (uint64_t word = 0; word < words_n; word++)
		look(word);
	note_bytes();
	uint64_t near = (uint64_t)atoi(argv[5]) * MIB;
	must(!near || most_bytes <= near, "%llu bytes were in memory",
	     (unsigned long long)most_bytes);
	printf("%llu operations, %llu removals, at most %llu bytes in memory\n",
	       (unsigned long long)operations, (unsigned long long)removals,
	       (unsigned long long)most_bytes);
	return 0;
}
