/* The pager against a shadow of its memory, one thread: everything a program can do to it in random
 * order, and after each stretch whether its own books agree. tests/live has the threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mech/uffd/in.h"
#include "mech/uffd/lanes.h"
#include "mech/uffd/out.h"
#include "mech/uffd/pager.h"

#define REGIONS 6
#define WORDS 512 /* of a kernel page */

struct area {
	uint64_t *at;
	uint64_t *shadow;
	size_t pages; /* of 4 KiB */
	char path[64];
	bool file, shared;
};

struct setup {
	uint32_t page_bytes, chunk_pages;
	uint64_t near_chunks, host_pages;
	enum td_uffd_host host;
	const struct td_mapping *mapping;
	const struct td_service *service;
	bool storage;
	const char *evict, *prefetch, *place;
};

static char folder[] = "/tmp/tide-uffd-XXXXXX";
static unsigned has;

/* ---- a pager ---- */

static struct td_policy_choice named(const char *name, enum tide_role role)
{
	struct td_policy_choice choice;
	assert_int_equal(td_policy_choose(&choice, name, role, NULL), 0);
	return choice;
}

static struct td_pager *begin(const struct setup *s)
{
	char storage[64];
	struct td_pager *p = NULL;
	struct tide_error err = {0};
	struct td_uffd_config c = {
		.page_bytes = s->page_bytes,
		.chunk_pages = s->chunk_pages,
		.near_pages = s->near_chunks * s->chunk_pages,
		.host_pages = s->host_pages,
		.host = s->host,
		.mapping = s->mapping,
		.service = s->service,
		.seed = 1,
		.watchdog_ns = 20000000000u,
	};
	c.evict = named(s->evict, TIDE_EVICT);
	c.prefetch = named(s->prefetch, TIDE_PREFETCH);
	if (s->place)
		c.place = named(s->place, TIDE_PLACE);
	snprintf(storage, sizeof storage, "%s/far", folder);
	c.storage = s->storage ? storage : NULL;
	int rc = td_pager_open(&p, &c, &err);
	if (rc)
		fail_msg("%s", err.text);
	return p;
}

static void end(struct td_pager *p)
{
	struct tide_error err = {0};
	const char *why = td_pager_check(p);
	if (why)
		fail_msg("%s", why);
	if (td_pager_close(p, &err))
		fail_msg("%s", err.text);
}

/* ---- areas ---- */

static uint64_t word_of(uint64_t page, uint64_t version)
{
	return tide_hash64(page * 1000003 + version);
}

static void make_file(struct area *a, uint64_t seed)
{
	snprintf(a->path, sizeof a->path, "%s/file-%llu", folder, (unsigned long long)seed);
	FILE *f = fopen(a->path, "w");
	assert_non_null(f);
	for (size_t i = 0; i < a->pages * WORDS; i++)
		a->shadow[i] = word_of(i, seed);
	assert_int_equal(fwrite(a->shadow, 4096, a->pages, f), a->pages);
	fclose(f);
}

static void map(struct td_pager *p, struct area *a, size_t pages, uint64_t draw)
{
	struct tide_error err = {0};
	struct td_uffd_file file = {.path = NULL};
	void *at = NULL;
	*a = (struct area){.pages = pages, .file = draw % 3 == 1, .shared = draw % 6 == 1};
	a->shadow = calloc(pages, 4096);
	assert_non_null(a->shadow);
	if (a->file) {
		make_file(a, draw);
		file = (struct td_uffd_file){.path = a->path, .shared = a->shared};
	}
	if (td_pager_map(p, &at, pages * 4096, NULL, &file, &err))
		fail_msg("%s", err.text);
	a->at = at;
}

static void check_file(const struct area *a)
{
	uint64_t *content = malloc(a->pages * 4096);
	FILE *f = fopen(a->path, "r");
	assert_non_null(content);
	assert_non_null(f);
	assert_int_equal(fread(content, 4096, a->pages, f), a->pages);
	assert_memory_equal(content, a->shadow, a->pages * 4096);
	fclose(f);
	free(content);
}

static void unmap(struct td_pager *p, struct area *a)
{
	assert_int_equal(td_pager_unmap(p, a->at, a->pages * 4096, NULL), 0);
	assert_false(td_pager_owns(p, a->at));
	if (a->shared)
		check_file(a);
	if (a->file)
		unlink(a->path);
	free(a->shadow);
	*a = (struct area){0};
}

/* ---- what a program does ---- */

static void touch(struct area *a, uint64_t draw)
{
	size_t page = draw % a->pages, word = page * WORDS + (draw >> 32) % WORDS;
	if (a->at[word] != a->shadow[word])
		fail_msg("page %zu of %zu is wrong", page, a->pages);
	if (draw >> 63)
		a->at[word] = a->shadow[word] = draw;
}

static void advise(struct td_pager *p, struct area *a, uint64_t draw)
{
	size_t unit = p->page_bytes / 4096, first = draw % a->pages / unit * unit;
	size_t n = (draw >> 20) % 40 + 1;
	n = first + n > a->pages ? a->pages - first : n;
	unsigned char *at = (unsigned char *)a->at + first * 4096;
	size_t held, bytes = (n + unit - 1) / unit * unit * 4096;
	switch (draw >> 60) {
	case 0:
	case 1: assert_int_equal(td_pager_prefetch(p, at, bytes, NULL), 0); break;
	case 2: assert_int_equal(td_pager_cold(p, at, bytes, NULL), 0); break;
	case 3:
		if (a->file)
			break;
		assert_int_equal(td_pager_drop(p, at, bytes, NULL), 0);
		memset(a->shadow + first * WORDS, 0,
		       first * 4096 + bytes > a->pages * 4096 ? (a->pages - first) * 4096 : bytes);
		break;
	case 4: assert_int_equal(td_pager_sync(p, at, bytes, NULL), 0); break;
	case 5:
		assert_int_equal(td_pager_sync(p, NULL, 0, NULL), 0);
		if (a->shared)
			check_file(a);
		break;
	case 6:
		assert_int_equal(td_pager_hold(p, at + 7, 4000, draw & 1, &held, NULL), 0);
		assert_true(held > 0);
		td_pager_release(p, at + 7, held);
		break;
	default: break;
	}
}

static void live(struct td_pager *p, uint64_t steps, uint64_t seed)
{
	struct area area[REGIONS] = {{0}};
	uint64_t most = p->config.near_pages * p->page_bytes / 4096;
	for (uint64_t i = 0; i < steps; i++) {
		struct area *a = &area[tide_random_next(&seed) % REGIONS];
		uint64_t draw = tide_random_next(&seed);
		uint64_t what = tide_random_next(&seed);
		if (!a->at)
			map(p, a, draw % most + 1, what);
		else if (what % 1000 == 0)
			unmap(p, a);
		else if (what % 50 == 0)
			advise(p, a, draw);
		else
			touch(a, draw);
		if (i % 997 == 0 && td_pager_check(p))
			fail_msg("after %llu steps: %s", (unsigned long long)i, td_pager_check(p));
	}
	for (unsigned i = 0; i < REGIONS; i++) {
		for (size_t w = 0; area[i].at && w < area[i].pages * WORDS; w += 61)
			assert_int_equal(area[i].at[w], area[i].shadow[w]);
		if (area[i].at)
			unmap(p, &area[i]);
	}
	assert_int_equal(p->held_pages + p->tier2_pages + p->swapped_pages, 0);
}

static void run(const struct setup *s, uint64_t steps)
{
	if (s->mapping == &td_mapping_fast && !(has & TD_UFFD_HAS_MOVE))
		return;
	if (s->mapping == &td_mapping_copy && !(has & TD_UFFD_HAS_CONTINUE_WP))
		return;
	struct td_pager *p = begin(s);
	live(p, steps, 1);
	end(p);
}

/* ---- the combinations ---- */

#define ALL UINT64_MAX

static void mappings_keep_every_byte(void **state)
{
	static const struct setup setups[] = {
		{4096, 16, 26, ALL, 0, &td_mapping_exact, NULL, false, "lrm", "locality", NULL},
		{4096, 16, 26, ALL, 0, &td_mapping_fast, NULL, false, "lrm", "locality", NULL},
		{4096, 16, 26, ALL, 0, &td_mapping_around, NULL, false, "cp", "locality", NULL},
		{4096, 1, 100, ALL, 0, &td_mapping_exact, NULL, false, "fifo", "none", NULL},
		{4096, 1, 100, ALL, 0, &td_mapping_fast, NULL, false, "mhpe", "none", NULL},
		{16384, 64, 24, ALL, 0, &td_mapping_exact, NULL, false, "mhpe", "pattern", NULL},
		{8192, 7, 30, ALL, 0, &td_mapping_fast, NULL, false, "random", "aggressive", NULL},
		{4096, 16, 26, ALL, 0, &td_mapping_copy, NULL, false, "lrm", "locality", NULL},
		{4096, 1, 100, ALL, 0, &td_mapping_copy, NULL, false, "fifo", "none", NULL},
		{16384, 64, 24, ALL, 0, &td_mapping_copy, &td_service_thread, false, "lrm", "tree",
		 NULL},
		{4096, 16, 26, ALL, 0, &td_mapping_exact, &td_service_thread, false, "lrm", "tree",
		 NULL},
		{4096, 16, 26, ALL, 0, &td_mapping_fast, &td_service_thread, false, "lrm", "tree",
		 NULL},
	};
	(void)state;
	for (size_t i = 0; i < sizeof setups / sizeof *setups; i++)
		run(&setups[i], 6000);
}

static void tiers_keep_every_byte(void **state)
{
	static const struct setup setups[] = {
		{4096, 16, 26, 200, 0, &td_mapping_exact, NULL, true, "lrm", "locality", NULL},
		{4096, 16, 26, 0, 0, &td_mapping_around, NULL, true, "cp", "rgp", NULL},
		{4096, 16, 26, 90, TD_HOST_LZ4, &td_mapping_around, NULL, true, "clock", "tree",
		 NULL},
		{4096, 16, 26, 200, 0, &td_mapping_fast, NULL, true, "lrm", "sequential", NULL},
		{4096, 16, 26, 0, 0, &td_mapping_fast, NULL, true, "fifo", "locality", NULL},
		{4096, 16, 26, 200, 0, &td_mapping_copy, NULL, true, "lrm", "sequential", NULL},
		{4096, 16, 26, 0, 0, &td_mapping_copy, NULL, true, "fifo", "locality", NULL},
		{4096, 4, 40, 60, TD_HOST_LZ4, &td_mapping_copy, NULL, true, "lrm", "locality",
		 NULL},
		{4096, 16, 26, 60, TD_HOST_LZ4, &td_mapping_exact, NULL, true, "lrm", "locality",
		 NULL},
		{4096, 4, 40, 60, TD_HOST_ZSTD, &td_mapping_fast, NULL, true, "lrm", "locality",
		 NULL},
		{16384, 4, 26, 40, TD_HOST_LZ4, &td_mapping_exact, NULL, true, "tournament", "fdp",
		 NULL},
	};
	(void)state;
	for (size_t i = 0; i < sizeof setups / sizeof *setups; i++)
		run(&setups[i], 3000);
}

/* Where there is swap, or no pipe to be had: pages are protected while they are copied. */
static void copies_without_pipes_keep_every_byte(void **state)
{
	struct setup s = {4096, 4,     40,    ALL,        0,   &td_mapping_copy,
			  NULL, false, "lrm", "locality", NULL};
	(void)state;
	if (!(has & TD_UFFD_HAS_CONTINUE_WP))
		return;
	struct td_pager *p = begin(&s);
	td_pager_close_pipes(p);
	live(p, 6000, 1);
	end(p);
}

static void placements_keep_every_byte(void **state)
{
	static const char *const places[] = {"bam", "tier-order", "random", "reuse"};
	struct setup s = {4096, 1,    200,     80,     0,   &td_mapping_exact,
			  NULL, true, "clock", "none", NULL};
	(void)state;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		s.place = places[i];
		run(&s, 4000);
	}
}

static void every_live_policy_runs(void **state)
{
	static const char *const evict[] = {"observ-lru", "observ-lfu", "cp",   "tournament",
					    "clock",      "random",     "mhpe", "hpe"};
	struct setup s = {4096, 16, 26, ALL, 0, NULL, NULL, false, NULL, "locality", NULL};
	(void)state;
	for (size_t i = 0; i < sizeof evict / sizeof *evict; i++) {
		s.evict = evict[i];
		run(&s, 3000);
	}
	s = (struct setup){4096, 1, 100, ALL, 0, NULL, NULL, false, "leu", "none", NULL};
	run(&s, 3000);
}

static unsigned char *mapped(struct td_pager *p, size_t bytes)
{
	void *at = NULL;
	assert_int_equal(td_pager_map(p, &at, bytes, NULL, NULL, NULL), 0);
	return at;
}

/* ---- what is unmapped in parts ---- */

static void parts_of_a_mapping_can_go(void **state)
{
	struct setup s = {4096, 16, 24, ALL, 0, NULL, NULL, false, "lrm", "locality", NULL};
	struct td_pager *p = begin(&s);
	unsigned char *at;
	(void)state;
	at = mapped(p, 64 * 4096);
	memset(at, 7, 64 * 4096);
	assert_int_equal(td_pager_unmap(p, at + 20 * 4096, 8 * 4096, NULL), 0);
	assert_true(td_pager_owns(p, at + 19 * 4096));
	assert_false(td_pager_owns(p, at + 20 * 4096));
	assert_false(td_pager_owns(p, at + 28 * 4096 - 1));
	assert_true(td_pager_owns(p, at + 28 * 4096));
	for (unsigned i = 0; i < 64; i++)
		assert_true((i >= 20 && i < 28) || at[i * 4096] == 7);
	assert_int_equal(p->mapped_pages, 56);
	assert_int_equal(td_pager_unmap(p, at, 64 * 4096, NULL), 0);
	assert_int_equal(p->mapped_pages, 0);
	assert_int_equal(p->extents_n, 0);
	end(p);
}

/* ---- what cannot be mapped ---- */

/* Memory is taken away behind the pager's back: a touch fails, the books are as before, and when
 * the memory is there again so is what was in it. */
static void fails_and_comes_back(struct td_pager *p, unsigned char *at, unsigned char value)
{
	const size_t bytes = 4 * 4096;
	struct td_touch t = {.addr = (uintptr_t)at + 4096, .write = true};
	uint64_t held = p->held_pages;
	munmap(at, bytes);
	assert_true(td_pager_touch(p, &t) < 0);
	t.write = false;
	assert_true(td_pager_touch(p, &t) < 0);
	assert_null(td_pager_check(p));
	assert_int_equal(p->held_pages, held);
	assert_ptr_equal(mmap(at, bytes, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			 at);
	assert_int_equal(td_uffd_register(p->uffd, at, bytes, TD_UFFD_PROTECTED, p->has), 0);
	for (size_t i = 0; i < bytes; i += 4096)
		assert_int_equal(at[i], value);
}

static void what_cannot_be_mapped_is_taken_back(void **state)
{
	struct setup s = {4096, 4,     40,    ALL,        0,   &td_mapping_copy,
			  NULL, false, "lrm", "locality", NULL};
	unsigned char *at;
	(void)state;
	if (!(has & TD_UFFD_HAS_CONTINUE_WP))
		return;
	struct td_pager *p = begin(&s);
	at = mapped(p, 204 * 4096);
	memset(at, 7, 200 * 4096);
	fails_and_comes_back(p, at, 7);
	fails_and_comes_back(p, at + 200 * 4096, 0); /* nobody was there before */
	for (size_t i = 0; i < 200; i++)
		assert_int_equal(at[i * 4096], 7);
	end(p);
}

/* ---- what is written after it was read ---- */

static bool comes_writable(struct td_pager *p, unsigned char *at)
{
	assert_int_equal(td_pager_cold(p, at, 4096, NULL), 0);
	assert_int_equal(*(volatile unsigned char *)at, 5);
	return td_pager_get(p, 0, LANE_WRITABLE) & 1;
}

static void written_after_a_read_it_comes_writable(void **state)
{
	struct setup s = {4096, 1, 40, ALL, 0, &td_mapping_copy, NULL, false, "lrm", "none", NULL};
	unsigned char *at;
	unsigned times = 0;
	(void)state;
	if (!(has & TD_UFFD_HAS_CONTINUE_WP))
		return;
	struct td_pager *p = begin(&s);
	at = mapped(p, 4096);
	*(volatile unsigned char *)at = 5;
	assert_false(comes_writable(p, at));
	*(volatile unsigned char *)at = 5;
	/* Nobody writes to it any more: that is found out. */
	while (times < 100 && comes_writable(p, at))
		times++;
	assert_in_range(times, 1, 99);
	assert_false(comes_writable(p, at));
	end(p);
	s.storage = true; /* what is not written must not go to the file */
	p = begin(&s);
	at = mapped(p, 4096);
	assert_int_equal(*(volatile unsigned char *)at, 0);
	*(volatile unsigned char *)at = 5;
	assert_false(comes_writable(p, at));
	end(p);
}

/* ---- chunks in a line ---- */

static void a_line_keeps_its_order(void **state)
{
	enum { CHUNKS = 4096 };
	static uint32_t model[CHUNKS], n;
	static bool in[CHUNKS];
	struct td_line l = {.first = 0};
	uint64_t random = 3;
	(void)state;
	tide_vec_init(&l.room, sizeof(uint32_t));
	assert_int_equal(tide_vec_reserve(&l.room, CHUNKS), 0);
	for (int i = 0; i < 60000; i++) {
		uint32_t chunk = (uint32_t)(tide_random_next(&random) % CHUNKS), at = 0;
		if (!in[chunk]) {
			td_line_push(&l, chunk);
			model[n++] = chunk;
			in[chunk] = true;
			continue;
		}
		if (i % 4 && i < 30000)
			td_line_remove(&l, chunk);
		else
			chunk = td_line_pop(&l);
		while (model[at] != chunk)
			at++;
		assert_true(at == 0 || (i % 4 && i < 30000));
		memmove(model + at, model + at + 1, (--n - at) * sizeof *model);
		in[chunk] = false;
		assert_int_equal(l.n, n);
		assert_memory_equal(td_line_at(&l, 0), model, n * sizeof *model);
	}
	assert_true(l.reached <= CHUNKS);
	tide_vec_free(&l.room);
}

/* ---- the pager's thread ---- */

static void count_message(void *arg, const char *text)
{
	if (strstr(text, "another takes over"))
		atomic_fetch_add((_Atomic int *)arg, 1);
}

/* The address sanitizer takes the stack that a cancelled thread leaves behind for damaged. */
#ifdef __SANITIZE_ADDRESS__
#define CAN_CANCEL false
#else
#define CAN_CANCEL true
#endif

static void a_thread_that_ends_is_replaced(void **state)
{
	if (!CAN_CANCEL)
		skip();
	struct setup s = {4096,  16,    24,         ALL, 0, NULL, &td_service_thread,
			  false, "lrm", "locality", NULL};
	_Atomic int messages = 0;
	struct td_pager *p = begin(&s);
	unsigned char *at;
	(void)state;
	p->config.message = count_message;
	p->config.message_arg = &messages;
	at = mapped(p, 64 * 4096);
	at[0] = 1;
	pthread_cancel(p->handler); /* it waits for faults, and holds nothing */
	at[32 * 4096] = 2;          /* waits for the next one */
	assert_int_equal(at[0] + at[32 * 4096], 3);
	assert_int_equal(messages, 1);
	end(p);
}

static void numbers_are_used_again(void **state)
{
	struct setup s = {4096, 16, 24, ALL, 0, NULL, NULL, false, "lrm", "locality", NULL};
	struct td_pager *p = begin(&s);
	void *a, *b;
	(void)state;
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(td_pager_map(p, &a, 100 * 4096, NULL, NULL, NULL), 0);
		assert_int_equal(td_pager_map(p, &b, 50 * 4096, NULL, NULL, NULL), 0);
		*(volatile char *)a = 1;
		assert_int_equal(td_pager_unmap(p, a, 100 * 4096, NULL), 0);
		assert_int_equal(td_pager_unmap(p, b, 50 * 4096, NULL), 0);
	}
	assert_true(p->numbers <= 2 * 112 + 64);
	end(p);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char storage[64];
	(void)state;
	snprintf(storage, sizeof storage, "%s/far", folder);
	unlink(storage);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mappings_keep_every_byte),
		cmocka_unit_test(tiers_keep_every_byte),
		cmocka_unit_test(copies_without_pipes_keep_every_byte),
		cmocka_unit_test(placements_keep_every_byte),
		cmocka_unit_test(every_live_policy_runs),
		cmocka_unit_test(parts_of_a_mapping_can_go),
		cmocka_unit_test(what_cannot_be_mapped_is_taken_back),
		cmocka_unit_test(written_after_a_read_it_comes_writable),
		cmocka_unit_test(a_line_keeps_its_order),
		cmocka_unit_test(numbers_are_used_again),
		cmocka_unit_test(a_thread_that_ends_is_replaced),
	};
	if (td_uffd_probe(&has) || !(has & TD_UFFD_HAS_MINOR)) {
		puts("userfaultfd with minor faults is not to be had here");
		return 77;
	}
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
