/* Files, pools and random numbers for the tests of src/pool. */
#ifndef POOL_HELP_H
#define POOL_HELP_H

#include "tiers_help.h"

#include <errno.h>

#include "pool/pool.h"

#define PAGE 4096u

struct fixture {
	char path[64];
	uint64_t pages;
	unsigned char *shadow; /* what the file is to hold */
	struct td_pool_config config;
	struct td_pool *pool;
};

/* Page i is made of seeds[i]. */
static inline void make_file(struct fixture *f, uint64_t pages, uint64_t (*seed_of)(uint64_t page))
{
	*f = (struct fixture){.pages = pages};
	make_path(f->path, access("/dev/shm", W_OK) ? "/var/tmp" : "/dev/shm");
	f->shadow = take_blocks(pages * PAGE);
	for (uint64_t i = 0; i < pages; i++)
		scribble(f->shadow + i * PAGE, PAGE, seed_of ? seed_of(i) : i + 1);
	int fd = open(f->path, O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, f->shadow, pages * PAGE), pages * PAGE);
	close(fd);
	f->config = (struct td_pool_config){.path = f->path,
					    .page_bytes = PAGE,
					    .block_bytes = PAGE,
					    .main_pages = 16,
					    .device_pages = 16,
					    .device = &td_pool_device_ram,
					    .batch = 16,
					    .epoch_ns = 50000,
					    .max_backlog = 4096};
}

static inline void open_pool(struct fixture *f)
{
	struct tide_error err = {0};
	int rc = td_pool_open(&f->pool, &f->config, &err);
	if (rc)
		fail_msg("%s", err.text);
}

static inline void check_pool(struct fixture *f)
{
	struct tide_error err = {0};
	if (td_pool_check(f->pool, &err))
		fail_msg("%s", err.text);
}

static inline void close_pool(struct fixture *f)
{
	struct tide_error err = {0};
	check_pool(f);
	if (td_pool_close(f->pool, &err))
		fail_msg("%s", err.text);
	f->pool = NULL;
}

static inline void check_file(const struct fixture *f)
{
	unsigned char *bytes = take_blocks(f->pages * PAGE);
	int fd = open(f->path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, bytes, f->pages * PAGE), f->pages * PAGE);
	close(fd);
	for (uint64_t i = 0; i < f->pages; i++)
		if (memcmp(bytes + i * PAGE, f->shadow + i * PAGE, PAGE))
			fail_msg("page %llu of the file is wrong", (unsigned long long)i);
	free(bytes);
}

static inline void remove_file(struct fixture *f)
{
	unlink(f->path);
	free(f->shadow);
}

static inline struct tide_pool_stats stats_of(struct fixture *f)
{
	struct tide_pool_stats s = {.size = sizeof s};
	td_pool_stats(f->pool, &s);
	return s;
}

static inline struct tide_pool_pin get(struct fixture *f, uint64_t page, bool write)
{
	struct tide_error err = {0};
	struct tide_pool_pin pin = {.size = sizeof pin};
	if (td_pool_get(f->pool, page, write ? TIDE_POOL_WRITE : TIDE_POOL_READ, &pin, &err))
		fail_msg("%s", err.text);
	return pin;
}

/* One access, checked: a write changes eight bytes in the pool and in the shadow. */
static inline void access_page(struct fixture *f, uint64_t page, bool write, uint64_t value)
{
	struct tide_pool_pin pin = get(f, page, write);
	unsigned char *shadow = f->shadow + page * PAGE;
	assert_memory_equal(pin.addr, shadow, PAGE);
	if (write) {
		size_t at = value % (PAGE / 8) * 8;
		memcpy((unsigned char *)pin.addr + at, &value, 8);
		memcpy(shadow + at, &value, 8);
	}
	td_pool_put(f->pool, &pin, NULL);
}

static inline void read_all(struct fixture *f)
{
	for (uint64_t i = 0; i < f->pages; i++)
		access_page(f, i, false, 0);
}

#endif
