/* Reads and writes against a shadow, by many threads, with and without io_uring and direct I/O. */
#include "tiers_help.h"

#include <errno.h>
#include <sys/stat.h>

#include "tiers/io.h"

/* Where the file is, what is injected, and whether direct I/O is taken away. */
struct setting {
	const char *dir, *inject;
	bool direct;
};

static const struct setting settings[] = {
	{"/var/tmp", NULL, true},         {"/var/tmp", NULL, false},
	{"/var/tmp", "sync", true},       {"/var/tmp", "short=3", true},
	{"/var/tmp", "short=3", false},   {"/var/tmp", "sync,short=3", true},
	{"/var/tmp", "delay=30us", true}, {"/dev/shm", NULL, true},
	{"/dev/shm", "short=5", false},
};

struct fixture {
	struct td_io *io;
	struct td_io_file file;
	char path[64];
};

static void open_io(struct fixture *f, unsigned depth, const char *inject)
{
	struct tide_error err = {0};
	assert_int_equal(td_io_open(&f->io, depth, inject, &err), 0);
}

static void open_file(struct fixture *f, enum td_io_mode mode, bool direct)
{
	struct tide_error err = {0};
	assert_int_equal(td_io_file_open(&f->file, f->path, mode, &err), 0);
	if (!direct && f->file.direct_fd >= 0) {
		close(f->file.direct_fd);
		f->file.direct_fd = -1;
	}
}

static void set_up(struct fixture *f, const char *dir, unsigned depth, const char *inject,
		   bool direct)
{
	*f = (struct fixture){0};
	make_path(f->path, dir);
	open_io(f, depth, inject);
	open_file(f, TD_IO_CREATE, direct);
}

static void tear_down(struct fixture *f)
{
	td_io_close(f->io);
	td_io_file_close(&f->file);
	unlink(f->path);
}

static struct td_io_request request(struct fixture *f, uint64_t block, void *addr, size_t blocks,
				    bool write)
{
	return (struct td_io_request){.file = &f->file,
				      .offset = block * BLOCK,
				      .addr = addr,
				      .bytes = blocks * BLOCK,
				      .write = write};
}

static int now(struct fixture *f, uint64_t block, void *addr, size_t blocks, bool write)
{
	struct td_io_request r = request(f, block, addr, blocks, write);
	return td_io_now(f->io, &r);
}

/* ---- many threads against a shadow ---- */

#define THREADS 8
#define OWN 48   /* blocks of each thread */
#define FLIGHT 8 /* requests started together */
#define LONGEST 6

struct many {
	struct fixture f;
	unsigned rounds;
	unsigned char *shadow;
	_Atomic unsigned bad, done;
};

static void count_done(struct td_io_request *r)
{
	atomic_fetch_add((_Atomic unsigned *)r->arg, 1);
}

/* Requests that do not overlap: each in its own sixth of the thread's blocks. */
static void prepare(struct many *m, unsigned thread, uint64_t *seed, unsigned char *memory,
		    struct td_io_request *r, unsigned i)
{
	uint64_t blocks = 1 + draw(seed) % LONGEST;
	uint64_t block = thread * OWN + i * LONGEST + draw(seed) % (LONGEST - blocks + 1);
	*r = request(&m->f, block, memory + i * LONGEST * BLOCK, blocks, draw(seed) % 2);
	if (r->write) {
		scribble(r->addr, r->bytes, draw(seed));
		memcpy(m->shadow + r->offset, r->addr, r->bytes);
	} else {
		memset(r->addr, 0xa5, r->bytes);
	}
	if (draw(seed) % 2) {
		r->done = count_done;
		r->arg = &m->done;
	}
}

static void carry_out(struct td_io *io, struct td_io_request *requests, uint64_t way)
{
	struct td_io_request *list[FLIGHT];
	for (unsigned i = 0; i < FLIGHT; i++)
		list[i] = &requests[i];
	if (way % 8 == 0) {
		for (unsigned i = 0; i < FLIGHT; i++)
			td_io_now(io, list[i]);
		return;
	}
	td_io_start(io, list, FLIGHT);
	if (way % 8 == 1)
		td_io_poll(io);
	if (way % 8 == 2)
		td_io_drain(io);
	for (unsigned i = 0; i < FLIGHT; i++)
		td_io_wait(io, list[way & 16 ? i : FLIGHT - 1 - i]);
}

static void work(void *arg, unsigned thread)
{
	struct many *m = arg;
	struct td_io_request requests[FLIGHT];
	void *buffer = NULL;
	uint64_t seed = thread;
	if (posix_memalign(&buffer, BLOCK, FLIGHT * LONGEST * BLOCK))
		return;
	unsigned char *memory = buffer;
	for (unsigned round = 0; round < m->rounds; round++) {
		for (unsigned i = 0; i < FLIGHT; i++)
			prepare(m, thread, &seed, memory, &requests[i], i);
		carry_out(m->f.io, requests, draw(&seed));
		for (unsigned i = 0; i < FLIGHT; i++) {
			struct td_io_request *r = &requests[i];
			m->bad += r->result != 0 ||
				  memcmp(m->shadow + r->offset, r->addr, r->bytes) != 0;
		}
	}
	free(memory);
}

static void test_shadow(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		const struct setting *s = &settings[i];
		struct many m = {.rounds = SANITIZED ? 10 : 25};
		m.shadow = take_blocks(THREADS * OWN * BLOCK);
		set_up(&m.f, s->dir, 5, s->inject, s->direct);
		run_crew(THREADS, work, &m);
		assert_int_equal(m.bad, 0);
		assert_int_equal(td_io_errors(m.f.io), 0);
		tear_down(&m.f);
		free(m.shadow);
	}
}

/* ---- several threads wait for requests that one started ---- */

#define SHARED 12

struct shared {
	struct fixture f;
	unsigned rounds;
	struct td_io_request requests[SHARED];
	pthread_barrier_t barrier;
	_Atomic unsigned bad, done;
};

static void wait_for_shared(void *arg, unsigned thread)
{
	struct shared *s = arg;
	struct td_io_request *list[SHARED];
	for (unsigned i = 0; i < SHARED; i++)
		list[i] = &s->requests[i];
	for (unsigned round = 0; round < s->rounds; round++) {
		if (!thread) {
			for (unsigned i = 0; i < SHARED; i++)
				list[i]->result = 1;
			td_io_start(s->f.io, list, SHARED);
		}
		pthread_barrier_wait(&s->barrier);
		for (unsigned i = 0; i < SHARED; i++) {
			struct td_io_request *r = list[(i + thread * 3) % SHARED];
			td_io_wait(s->f.io, r);
			s->bad += r->result != 0;
		}
		pthread_barrier_wait(&s->barrier);
	}
}

static void test_waiters(void **state)
{
	(void)state;
	struct shared s = {.rounds = SANITIZED ? 200 : 600};
	unsigned char *memory = take_blocks(SHARED * BLOCK);
	set_up(&s.f, "/var/tmp", SHARED, NULL, true);
	assert_int_equal(now(&s.f, 0, memory, SHARED, true), 0);
	for (unsigned i = 0; i < SHARED; i++) {
		s.requests[i] = request(&s.f, i, memory + i * BLOCK, 1, false);
		s.requests[i].done = count_done;
		s.requests[i].arg = &s.done;
	}
	pthread_barrier_init(&s.barrier, NULL, 4);
	run_crew(4, wait_for_shared, &s);
	pthread_barrier_destroy(&s.barrier);
	assert_int_equal(s.bad, 0);
	assert_int_equal(s.done, s.rounds * SHARED);
	tear_down(&s.f);
	free(memory);
}

/* ---- callbacks ---- */

static void free_request(struct td_io_request *r)
{
	count_done(r);
	free(r);
}

/* What done has got is its own: here it is gone when done returns. */
static void test_done_frees(void **state)
{
	static const char *const injects[] = {NULL, "sync", "read=EIO:2"};
	(void)state;
	for (size_t k = 0; k < 3; k++) {
		struct fixture f;
		struct td_io_request *list[40];
		_Atomic unsigned done = 0;
		unsigned char *memory = take_blocks(40 * BLOCK);
		set_up(&f, "/var/tmp", 7, injects[k], true);
		assert_int_equal(now(&f, 0, memory, 40, true), 0);
		for (unsigned i = 0; i < 40; i++) {
			list[i] = malloc(sizeof *list[i]);
			*list[i] = request(&f, i, memory + i * BLOCK, 1, false);
			list[i]->done = free_request;
			list[i]->arg = &done;
		}
		td_io_start(f.io, list, 40);
		td_io_drain(f.io);
		assert_int_equal(done, 40);
		assert_int_equal(td_io_errors(f.io), k == 2 ? 20 : 0);
		tear_down(&f);
		free(memory);
	}
}

static void be_slow(struct td_io_request *r)
{
	usleep(20000);
	count_done(r);
}

struct slow {
	struct fixture f;
	struct td_io_request r;
	_Atomic unsigned done, seen;
};

static void wait_for_slow(void *arg, unsigned thread)
{
	struct slow *s = arg;
	(void)thread;
	td_io_wait(s->f.io, &s->r);
	s->seen += s->done;
}

/* Nobody's wait is over before done is. */
static void test_wait_for_done(void **state)
{
	(void)state;
	struct slow s = {0};
	unsigned char *memory = take_blocks(BLOCK);
	set_up(&s.f, "/var/tmp", 7, NULL, true);
	assert_int_equal(now(&s.f, 0, memory, 1, true), 0);
	s.r = request(&s.f, 0, memory, 1, false);
	s.r.done = be_slow;
	s.r.arg = &s.done;
	td_io_start(s.f.io, &(struct td_io_request *){&s.r}, 1);
	run_crew(4, wait_for_slow, &s);
	assert_int_equal(s.seen, 4);
	tear_down(&s.f);
	free(memory);
}

static void test_poll(void **state)
{
	(void)state;
	struct fixture f;
	unsigned char *memory = take_blocks(BLOCK);
	_Atomic unsigned done = 0;
	set_up(&f, "/var/tmp", 4, "delay=2ms", true);
	td_io_poll(f.io);
	struct td_io_request r = request(&f, 0, memory, 1, true);
	r.done = count_done;
	r.arg = &done;
	td_io_start(f.io, &(struct td_io_request *){&r}, 1);
	for (unsigned i = 0; !done && i < 10000; i++) {
		td_io_poll(f.io);
		usleep(1000);
	}
	assert_int_equal(done, 1);
	tear_down(&f);
	free(memory);
}

/* ---- the end of the file ---- */

#define ODD (3 * BLOCK + 700)

static void fill_file(struct fixture *f, size_t bytes, unsigned char *data)
{
	scribble(data, bytes / 8 * 8, bytes);
	assert_int_equal(pwrite(f->file.fd, data, bytes, 0), (ssize_t)bytes);
	td_io_file_close(&f->file);
}

static int started(struct fixture *f, uint64_t block, void *addr, size_t blocks, bool write)
{
	struct td_io_request r = request(f, block, addr, blocks, write);
	td_io_start(f->io, &(struct td_io_request *){&r}, 1);
	td_io_wait(f->io, &r);
	return r.result;
}

typedef int carry(struct fixture *f, uint64_t block, void *addr, size_t blocks, bool write);
static carry *const ways[] = {now, started};

static void check_end(struct fixture *f, carry *go, const unsigned char *data)
{
	unsigned char *memory = take_blocks(8 * BLOCK), *zero = take_blocks(8 * BLOCK);
	for (uint64_t block = 0; block < 6; block++) {
		size_t in = block * BLOCK < ODD ? ODD - block * BLOCK : 0;
		memset(memory, 0xa5, 8 * BLOCK);
		assert_int_equal(go(f, block, memory, 8, false), 0);
		assert_memory_equal(memory, data + block * BLOCK, in);
		assert_memory_equal(memory + in, zero, 8 * BLOCK - in);
	}
	free(memory);
	free(zero);
}

static void test_end_of_file(void **state)
{
	(void)state;
	unsigned char *data = take_blocks(16 * BLOCK);
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		const struct setting *s = &settings[i];
		struct fixture f;
		struct stat st;
		set_up(&f, s->dir, 4, s->inject, s->direct);
		memset(data, 0, 16 * BLOCK);
		fill_file(&f, ODD, data);
		for (size_t k = 0; k < 2; k++) {
			open_file(&f, TD_IO_READ, s->direct);
			assert_int_equal(f.file.bytes, ODD);
			check_end(&f, ways[k], data);
			assert_int_equal(ways[k](&f, 0, data, 1, true), -EBADF);
			td_io_file_close(&f.file);
			open_file(&f, TD_IO_WRITE, s->direct);
			scribble(data, 16 * BLOCK, k + 7);
			assert_int_equal(ways[k](&f, 0, data, 8, true), 0);
			assert_int_equal(ways[k](&f, 9, data, 2, true), 0);
			check_end(&f, ways[k], data);
			assert_int_equal(fstat(f.file.fd, &st), 0);
			assert_int_equal(st.st_size, ODD); /* it did not grow */
			td_io_file_close(&f.file);
		}
		tear_down(&f);
	}
	free(data);
}

/* A file that somebody cuts short must not read as zero where it had data. */
static void test_truncated(void **state)
{
	(void)state;
	unsigned char *memory = take_blocks(8 * BLOCK);
	for (size_t k = 0; k < 4; k++) {
		struct fixture f;
		set_up(&f, "/var/tmp", 4, NULL, k % 2);
		assert_int_equal(now(&f, 0, memory, 8, true), 0);
		assert_int_equal(ftruncate(f.file.fd, 3 * BLOCK), 0);
		assert_int_equal(ways[k / 2](&f, 0, memory, 3, false), 0);
		assert_int_equal(ways[k / 2](&f, 2, memory, 4, false), -EIO);
		assert_int_equal(ways[k / 2](&f, 7, memory, 1, false), -EIO);
		assert_int_equal(td_io_errors(f.io), 2);
		tear_down(&f);
	}
	free(memory);
}

static void test_grows(void **state)
{
	(void)state;
	unsigned char *memory = take_blocks(4 * BLOCK), *zero = take_blocks(4 * BLOCK);
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		const struct setting *s = &settings[i];
		struct fixture f;
		set_up(&f, s->dir, 4, s->inject, s->direct);
		memset(memory, 0xa5, 4 * BLOCK);
		assert_int_equal(started(&f, 3, memory, 4, false), 0);
		assert_memory_equal(memory, zero, 4 * BLOCK);
		scribble(memory, BLOCK, 3);
		assert_int_equal(started(&f, 10, memory, 1, true), 0);
		assert_int_equal(f.file.bytes, 11 * BLOCK);
		memset(memory + BLOCK, 0xa5, 3 * BLOCK);
		assert_int_equal(started(&f, 9, memory + BLOCK, 3, false), 0);
		assert_memory_equal(memory + BLOCK, zero, BLOCK);
		assert_memory_equal(memory + 2 * BLOCK, memory, BLOCK);
		assert_memory_equal(memory + 3 * BLOCK, zero, BLOCK);
		assert_int_equal(td_io_flush(f.io, &f.file), 0);
		tear_down(&f);
	}
	free(memory);
	free(zero);
}

static void test_punch(void **state)
{
	(void)state;
	struct fixture f;
	struct stat before, after;
	unsigned char *memory = take_blocks(64 * BLOCK), *zero = take_blocks(BLOCK);
	set_up(&f, "/dev/shm", 4, NULL, true);
	scribble(memory, 64 * BLOCK, 1);
	assert_int_equal(now(&f, 0, memory, 64, true), 0);
	assert_int_equal(fstat(f.file.fd, &before), 0);
	td_io_punch(&f.file, 16 * BLOCK, 32 * BLOCK);
	td_io_punch(&f.file, 0, 0);
	assert_int_equal(fstat(f.file.fd, &after), 0);
	assert_int_equal(before.st_size, after.st_size);
	assert_int_equal(before.st_blocks - after.st_blocks, 32 * BLOCK / 512);
	assert_int_equal(started(&f, 15, memory + BLOCK, 3, false), 0);
	assert_memory_equal(memory + BLOCK, memory + 15 * BLOCK, BLOCK);
	assert_memory_equal(memory + 2 * BLOCK, zero, BLOCK);
	tear_down(&f);
	free(memory);
	free(zero);
}

/* ---- failures ---- */

static void test_injected(void **state)
{
	static const char *const injects[] = {"read=EIO:3,write=ENOSPC:5",
					      "sync,read=EIO:3,write=ENOSPC:5"};
	(void)state;
	for (size_t k = 0; k < 4; k++) {
		struct fixture f;
		unsigned char *memory = take_blocks(2 * BLOCK);
		set_up(&f, "/var/tmp", 4, injects[k / 2], true);
		for (int i = 1; i <= 30; i++) {
			scribble(memory, BLOCK, (uint64_t)i);
			int rc = ways[k % 2](&f, (uint64_t)i, memory, 1, true);
			assert_int_equal(rc, i % 5 ? 0 : -ENOSPC);
			rc = ways[k % 2](&f, (uint64_t)i, memory + BLOCK, 1, false);
			assert_int_equal(rc, i % 3 ? 0 : -EIO);
			if (!rc && i % 5)
				assert_memory_equal(memory, memory + BLOCK, BLOCK);
		}
		assert_int_equal(td_io_errors(f.io), 16);
		tear_down(&f);
		free(memory);
	}
}

static uint64_t clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void test_delay(void **state)
{
	(void)state;
	for (size_t k = 0; k < 4; k++) {
		struct fixture f;
		unsigned char *memory = take_blocks(BLOCK);
		set_up(&f, "/var/tmp", 4, k < 2 ? "delay=20ms" : "sync,delay=20ms", true);
		uint64_t begin = clock_ns();
		assert_int_equal(ways[k % 2](&f, 0, memory, 1, true), 0);
		assert_true(clock_ns() - begin >= 20000000);
		tear_down(&f);
		free(memory);
	}
}

static void start_and_leave(void *arg, unsigned thread)
{
	struct slow *s = arg;
	(void)thread;
	td_io_start(s->f.io, &(struct td_io_request *){&s->r}, 1);
}

/* The kernel drops what a thread that ends has not begun yet; the request is done all the same. */
static void test_thread_ends(void **state)
{
	(void)state;
	struct slow s = {0};
	unsigned char *memory = take_blocks(2 * BLOCK);
	set_up(&s.f, "/var/tmp", 4, "delay=50ms", true);
	scribble(memory, BLOCK, 1);
	assert_int_equal(now(&s.f, 0, memory, 1, true), 0);
	s.r = request(&s.f, 0, memory + BLOCK, 1, false);
	run_crew(1, start_and_leave, &s);
	td_io_wait(s.f.io, &s.r);
	assert_int_equal(s.r.result, 0);
	assert_memory_equal(memory, memory + BLOCK, BLOCK);
	tear_down(&s.f);
	free(memory);
}

static int find_ring(void)
{
	char path[32], to[64];
	for (int fd = 0; fd < 1024; fd++) {
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		ssize_t n = readlink(path, to, sizeof to - 1);
		if (n > 0 && memmem(to, (size_t)n, "io_uring", 8))
			return fd;
	}
	return -1;
}

/* io_uring is forbidden while it is in use, as a sandbox does it. */
static void test_ring_forbidden(void **state)
{
	(void)state;
	struct fixture f;
	struct td_io_request requests[10], *list[10];
	unsigned char *memory = take_blocks(20 * BLOCK);
	set_up(&f, "/var/tmp", 4, NULL, true);
	scribble(memory, 10 * BLOCK, 1);
	assert_int_equal(started(&f, 0, memory, 10, true), 0);
	int ring = find_ring(), null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (ring >= 0)
		assert_int_equal(dup2(null, ring), ring);
	close(null);
	for (unsigned i = 0; i < 10; i++) {
		requests[i] = request(&f, i, memory + (10 + i) * BLOCK, 1, false);
		list[i] = &requests[i];
	}
	td_io_start(f.io, list, 10);
	for (unsigned i = 0; i < 10; i++) {
		td_io_wait(f.io, list[i]);
		assert_int_equal(list[i]->result, 0);
	}
	assert_memory_equal(memory, memory + 10 * BLOCK, 10 * BLOCK);
	tear_down(&f);
	free(memory);
}

static void test_refused(void **state)
{
	static const char *const bad[] = {"read",    "read=EIO",  "read=EIO:0",  "read=OOPS:1",
					  "delay=5", "delay=us",  "delay=9999s", "short=x",
					  "sync=1",  "nothing=1", "write=EIO:1x"};
	(void)state;
	struct td_io *io;
	struct tide_error err = {0};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(td_io_open(&io, 4, bad[i], &err), -EINVAL);
		assert_null(io);
		assert_non_null(strstr(err.text, bad[i]));
	}
	assert_int_equal(td_io_open(&io, 0, NULL, &err), -EINVAL);
	assert_int_equal(td_io_open(&io, 100000, NULL, &err), -EINVAL);
	struct td_io_file file;
	assert_int_equal(td_io_file_open(&file, "/nonexistent/x", TD_IO_CREATE, &err), -ENOENT);
	assert_int_equal(td_io_file_open(&file, "/dev/null", TD_IO_READ, &err), -EINVAL);
	assert_int_equal(td_io_file_open(&file, "/var/tmp", TD_IO_READ, &err), -EINVAL);
	assert_int_equal(td_io_file_open(&file, "/var/tmp", TD_IO_WRITE, &err), -EISDIR);
	char path[64];
	make_path(path, "/var/tmp");
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(td_io_file_open(&file, path, TD_IO_READ, &err), -EINVAL);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shadow),         cmocka_unit_test(test_waiters),
		cmocka_unit_test(test_done_frees),     cmocka_unit_test(test_wait_for_done),
		cmocka_unit_test(test_poll),           cmocka_unit_test(test_end_of_file),
		cmocka_unit_test(test_truncated),      cmocka_unit_test(test_grows),
		cmocka_unit_test(test_punch),          cmocka_unit_test(test_injected),
		cmocka_unit_test(test_delay),          cmocka_unit_test(test_thread_ends),
		cmocka_unit_test(test_ring_forbidden), cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
