/* Cases of run_calls: data between files and paged memory. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "run_calls.h"

/* ---- data from and to files ---- */

static void through_file(char *p, char *q)
{
	FILE *f = tmpfile();
	struct iovec v[3] = {{p, MB}, {p + MB, 3 * MB}, {p + 4 * MB, SIZE - 4 * MB}};
	int fd = f ? fileno(f) : -1;

	fill(p, SIZE, 1);
	CHECK(write(fd, p, SIZE) == (ssize_t)SIZE);
	CHECK(lseek(fd, 0, SEEK_SET) == 0);
	CHECK(read(fd, q, SIZE) == (ssize_t)SIZE && holds(q, SIZE, 1));
	CHECK(read(fd, q, SIZE) == 0);
	fill(p, SIZE, 2);
	CHECK(pwrite(fd, p, SIZE, 0) == (ssize_t)SIZE);
	memset(q, 0, SIZE);
	CHECK(pread(fd, q, SIZE, 0) == (ssize_t)SIZE && holds(q, SIZE, 2));
	CHECK(pread(fd, q, SIZE, (off_t)(SIZE - 100)) == 100);
	fill(p, SIZE, 3);
	CHECK(pwritev(fd, v, 3, 0) == (ssize_t)SIZE);
	memset(p, 0, SIZE);
	CHECK(preadv(fd, v, 3, 0) == (ssize_t)SIZE && holds(p, SIZE, 3));
	CHECK(read(-1, q, SIZE) == -1 && errno == EBADF);
	rewind(f);
	memset(q, 0, SIZE);
	CHECK(fread(q, 8, SIZE / 8 + 5, f) == SIZE / 8 && holds(q, SIZE, 3));
	rewind(f);
	fill(q, SIZE, 4);
	CHECK(fwrite(q, SIZE, 1, f) == 1 && !fflush(f));
	CHECK(pread(fd, p, SIZE, 0) == (ssize_t)SIZE && holds(p, SIZE, 4));
	fclose(f);
}

static void *drain(void *arg)
{
	char room[10000];
	size_t *got = arg;
	ssize_t n;

	while ((n = read((int)got[0], room, sizeof room)) > 0)
		got[1] += (size_t)n;
	return NULL;
}

static void through_pipe(char *p, char *q)
{
	int ends[2];
	pthread_t thread;
	size_t got[2] = {0, 0};

	/* A reader gets what is there, and does not wait for all that it could take. */
	CHECK(!pipe(ends) && write(ends[1], "hello", 5) == 5);
	CHECK(read(ends[0], q, SIZE) == 5 && !memcmp(q, "hello", 5));
	got[0] = (size_t)ends[0];
	CHECK(!pthread_create(&thread, NULL, drain, got));
	CHECK(write(ends[1], p, SIZE) == (ssize_t)SIZE);
	close(ends[1]);
	CHECK(!pthread_join(thread, NULL) && got[1] == SIZE);
	close(ends[0]);
}

static void through_socket(char *p, char *q)
{
	int ends[2];
	struct iovec v[2] = {{p, 60000}, {p + 3 * MB, 30000}}, w[2] = {{q, 1000}, {q + MB, 89000}};
	struct msghdr m = {.msg_iov = v, .msg_iovlen = 2}, n = {.msg_iov = w, .msg_iovlen = 2};

	fill(p, SIZE, 5);
	memset(q, 0, SIZE);
	/* A message is whole. */
	CHECK(!socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
	CHECK(send(ends[0], p, 90000, 0) == 90000);
	CHECK(recv(ends[1], q, SIZE, 0) == 90000 && holds(q, 89856, 5));
	memset(q, 0, SIZE);
	CHECK(sendmsg(ends[0], &m, 0) == 90000 && recvmsg(ends[1], &n, 0) == 90000);
	CHECK(!memcmp(q, p, 1000) && !memcmp(q + MB, p + 1000, 59000));
	CHECK(!memcmp(q + MB + 59000, p + 3 * MB, 30000));
	close(ends[0]);
	close(ends[1]);
}

/* What is looked at, cut short, or in several parts comes once, and in one piece. */
static void in_parts(char *p, char *q)
{
	int ends[2];
	struct iovec v[2] = {{p, 100}, {p + 3 * MB, 200}}, w[2] = {{q, 50}, {q + MB, MB}};

	memset(p, 6, 4 * MB);
	memset(q, 0, SIZE);
	CHECK(!socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
	CHECK(send(ends[0], p, 300, 0) == 300);
	CHECK(recv(ends[1], q, 100, MSG_TRUNC) == 300);
	CHECK(!memcmp(q, p, 100) && is_zero(q + 104, 1000));
	CHECK(writev(ends[0], v, 2) == 300 && readv(ends[1], w, 2) == 300);
	CHECK(!memcmp(q, p, 50) && !memcmp(q + MB, p + 50, 50));
	CHECK(!memcmp(q + MB + 50, p + 3 * MB, 200));
	close(ends[0]);
	close(ends[1]);
	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	CHECK(send(ends[0], p, 300, 0) == 300);
	CHECK(recv(ends[1], q, SIZE, MSG_PEEK) == 300);
	CHECK(recv(ends[1], q, SIZE, 0) == 300);
	close(ends[0]);
	close(ends[1]);
	/* The first part is full, and nothing else comes. */
	CHECK(!pipe(ends) && write(ends[1], p, 50) == 50);
	CHECK(readv(ends[0], w, 2) == 50);
	close(ends[0]);
	close(ends[1]);
}

/* Untouched memory first: nothing of it is there. */
void files(void)
{
	char *fresh = map(SIZE), *p = malloc(SIZE), *q = malloc(SIZE);
	int fd = open("/dev/zero", O_RDONLY);
	size_t n = 0;

	CHECK(read(fd, fresh, SIZE) == (ssize_t)SIZE && is_zero(fresh, SIZE));
	close(fd);
	CHECK(getrandom(fresh, 3 * MB, 0) == (ssize_t)(3 * MB));
	for (size_t i = 0; i < 3 * MB; i += PAGE)
		n += is_zero(fresh + i, PAGE);
	CHECK(n == 0);
	through_file(p, q);
	through_pipe(p, q);
	through_socket(p, q);
	in_parts(p, q);
	free(p);
	free(q);
}

/* ---- without a copy by the kernel ---- */

static char *pressed;
static volatile bool enough;

static void *press(void *arg)
{
	for (uint64_t i = (uintptr_t)arg; !enough; i = i * 6364136223846793005u + 1)
		pressed[(i >> 20) % SIZE]++;
	return NULL;
}

/* A device fills memory that others want to see leave. */
void direct(void)
{
	char name[] = "direct-XXXXXX", *p = aligned_alloc(PAGE, SIZE),
	     *q = aligned_alloc(PAGE, SIZE);
	struct iovec v[2] = {{q, 4 * MB}, {q + 4 * MB, SIZE - 4 * MB}};
	int fd = mkstemp(name);
	pthread_t thread[2];

	CHECK(fd >= 0 && !unlink(name));
	fill(p, SIZE, 1);
	CHECK(write(fd, p, SIZE) == (ssize_t)SIZE && !fsync(fd));
	if (fcntl(fd, F_SETFL, O_DIRECT)) /* not every file system has it */
		return;
	pressed = map(SIZE);
	for (size_t i = 0; i < 2; i++)
		CHECK(!pthread_create(&thread[i], NULL, press, (void *)(i + 1)));
	for (int round = 0; round < 4; round++) {
		memset(q, 1, SIZE);
		for (size_t at = 0; at < SIZE; at += MB)
			CHECK(pread(fd, q + at, MB, (off_t)at) == (ssize_t)MB);
		CHECK(holds(q, SIZE, 1));
		memset(q, 1, SIZE);
		CHECK(preadv(fd, v, 2, 0) == (ssize_t)SIZE && holds(q, SIZE, 1));
	}
	CHECK(pwrite(fd, p, SIZE, 0) == (ssize_t)SIZE);
	enough = true;
	for (size_t i = 0; i < 2; i++)
		CHECK(!pthread_join(thread[i], NULL));
	CHECK(pread(fd, q, SIZE, 0) == (ssize_t)SIZE && holds(q, SIZE, 1));
}

/* ---- what the C library does by itself ---- */

static size_t bytes_of(FILE *f)
{
	char line[100];
	size_t n = 0;

	rewind(f);
	while (fgets(line, sizeof line, f))
		n += strlen(line);
	return n;
}

/* Its buffers, and texts that it writes without one; with a small --threshold these are paged. */
void library(void)
{
	FILE *f = tmpfile();
	char *text = malloc(SIZE), *buffer = malloc(MB), *here;
	DIR *folder = opendir("/proc/self/fd");

	CHECK(f && text && buffer && folder && readdir(folder));
	closedir(folder);
	here = getcwd(NULL, 0);
	CHECK(here && here[0] == '/');
	free(here);
	memset(text, 'a', SIZE - 1);
	text[SIZE - 1] = '\0';
	CHECK(fputs(text, f) >= 0 && fputs(text, f) >= 0 && !fflush(f));
	CHECK(bytes_of(f) == 2 * (SIZE - 1));
	rewind(f);
	setbuffer(f, buffer, MB);
	memset(text, 'b', SIZE - 1);
	for (int i = 0; i < 3000; i++)
		CHECK(fprintf(f, "%.1000s\n", text) == 1001);
	CHECK(!fflush(f));
	CHECK(bytes_of(f) == 2 * (SIZE - 1));
	fclose(f);
}

/* ---- files of both ---- */

static void *open_many(void *arg)
{
	int *fd = arg;

	for (size_t i = 0; i < 400; i++) {
		fd[i] = open("/dev/null", O_RDWR);
		usleep(20);
	}
	return NULL;
}

/* What another thread opens while the pager does is that thread's. */
void opening(void)
{
	int fd[400];
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, open_many, fd));
	usleep(1000);
	fill(map(SIZE), SIZE, 1);
	CHECK(!pthread_join(thread, NULL));
	for (size_t i = 0; i < 400; i++)
		CHECK(fd[i] >= 0 && !close(fd[i]));
}

/* The pager's files are none of the program's. */
void closing(void)
{
	char *p = map(SIZE);

	fill(p, SIZE, 1);
	for (int fd = 3; fd < 100; fd++)
		close(fd);
	CHECK(holds(p, SIZE, 1));
	closefrom(3);
	CHECK(!close_range(3, 100, 0));
	fill(p, SIZE, 2);
	CHECK(holds(p, SIZE, 2));
	/* Nor does it have those that a program may want. */
	CHECK(dup2(2, 0) == 0);
	for (int fd = 3; fd < 100; fd++)
		CHECK(dup2(2, fd) == fd);
	for (int fd = 100; fd < 400; fd++)
		CHECK(dup2(2, fd) == fd || errno == EBUSY);
	CHECK(holds(p, SIZE, 2));
}
