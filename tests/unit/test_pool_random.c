/* Pools of every shape, one call after the other, against a shadow: sizes and settings at their
 * ends, files of any length, pins that stay, failures of the file and of the device, hashes that
 * collide. A call that fails leaves each of its pages as it was or as it should be. */
#include "pool_help.h"

#include <sys/stat.h>

#define CALLS 1200
#define PINS 3

static struct td_pool_device device; /* of this run: one of the table, perhaps with faults */
static const struct td_pool_device *base;
static struct {
	unsigned fail_every;   /* transfers and hashes, on average; 0: none */
	_Atomic uint64_t seed; /* threads of the pool draw too */
	uint64_t hash_bits;    /* of the hash that count */
} faults;

static bool has_bad_luck(void)
{
	uint64_t seed = atomic_fetch_add(&faults.seed, 1);
	return faults.fail_every && draw(&seed) % faults.fail_every == 0;
}

static int gather(void *state, const uint32_t *slots, void *const *to, size_t n)
{
	return has_bad_luck() ? -EIO : base->gather(state, slots, to, n);
}

static int scatter(void *state, const uint32_t *slots, const void *const *from, size_t n)
{
	return has_bad_luck() ? -EIO : base->scatter(state, slots, from, n);
}

static int hash(void *state, enum td_pool_hash which, const void *const *blocks, size_t n,
		struct td_pool_signature *signatures)
{
	int rc = has_bad_luck() ? -EIO : base->hash(state, which, blocks, n, signatures);
	for (size_t i = 0; !rc && i < n; i++)
		signatures[i].at[0] &= faults.hash_bits;
	return rc;
}

struct run {
	struct fixture f;
	uint64_t seed, bytes; /* bytes: of the file */
	unsigned char *got;
	struct tide_pool_pin pins[PINS];
	bool held[PINS];
	bool may_fail;
	char shape[384];
};

static uint64_t pick(struct run *r, uint64_t n)
{
	return draw(&r->seed) % n;
}

/* ---- a pool ---- */

static const char *pick_inject(struct run *r)
{
	static const char *const faults_of_files[] = {
		"short=3", "read=EIO:5", "write=EIO:4", "write=ENOSPC:3,read=EIO:11,short=5",
		"sync",    "delay=1us"};
	return pick(r, 2) ? NULL : faults_of_files[pick(r, 6)];
}

static const char *where_of(const struct td_pool_device *d)
{
	return !strcmp(d->name, "file") ? "/var/tmp" : !strcmp(d->name, "numa") ? "0" : NULL;
}

static void pick_device(struct run *r)
{
	static const uint64_t bits[] = {UINT64_MAX, UINT64_MAX, 0, UINT64_C(0xff) << 32, 0xff};
	size_t kinds = 0;
	while (td_pool_device_table[kinds])
		kinds++;
	base = td_pool_device_table[pick(r, kinds)];
	r->f.config.where = where_of(base);
	if (base == &td_pool_device_file && r->f.config.block_bytes < 4096)
		r->f.config.block_bytes = 4096;
	device = *base;
	device.gather = gather;
	device.scatter = scatter;
	device.hash = hash;
	faults.fail_every = pick(r, 3) ? 0 : 2 + (unsigned)pick(r, 20);
	faults.hash_bits = bits[pick(r, 5)];
}

/* POOL_EVICT=NAME: this one. */
static void pick_policy(struct run *r)
{
	static const char *const evicts[] = {
		"2q",    "arc",        "cacheus", "clock",      "cp",           "duel",
		"fifo",  "gdsf",       "hpe",     "hyperbolic", "least-stale",  "lecar",
		"lfu",   "lirs",       "lrfu",    "lrm",        "lru-k",        "mhpe",
		"mru",   "observ-lfu", "random",  "observ-lru", "reserved-lru", "s3fifo",
		"sieve", "slru",       "duel",    "tournament", "wtinylfu",     "prefix-lru"};
	static const char *const places[] = {"bam", "random", "reuse", "tier-order", "worth"};
	struct td_pool_config *c = &r->f.config;
	const char *given = getenv("POOL_EVICT");
	c->seed = pick(r, 100);
	if (c->dedup != TD_POOL_OFF || (!given && pick(r, 2)))
		return;
	c->evict = given ? given : evicts[pick(r, sizeof evicts / sizeof *evicts)];
	if (given || !c->device_pages || pick(r, 4))
		return;
	c->evict = NULL;
	c->place = places[pick(r, sizeof places / sizeof *places)];
}

static void pick_config(struct run *r)
{
	static const uint64_t backlogs[] = {0, 3, 4096};
	struct td_pool_config *c = &r->f.config;
	uint32_t most = 9 + (uint32_t)pick(r, 12); /* 2^9 is 512 */
	c->page_bytes = PAGE << (pick(r, 3) ? pick(r, 3) : pick(r, 9));
	c->dedup = (enum td_pool_dedup)pick(r, 3);
	c->block_bytes = c->page_bytes;
	while (c->dedup != TD_POOL_OFF && c->block_bytes > 512 && c->block_bytes > 1u << most)
		c->block_bytes /= 2;
	c->main_pages = 1 + pick(r, pick(r, 2) ? 3 : 40);
	c->device_pages = pick(r, 3) ? pick(r, 40) : 0;
	c->batch = 1 + (uint32_t)pick(r, pick(r, 2) ? 3 : 70);
	c->epoch_ns = pick(r, 2) ? 0 : 20000;
	c->max_backlog = backlogs[pick(r, 3)];
	c->device = &device;
	pick_device(r);
	pick_policy(r);
	c->inject = pick_inject(r);
	c->dirty_pages = pick(r, 2) ? 1 + pick(r, 20) : 0;
	c->ahead_bytes = pick(r, 2) << 20;
	c->straight_bytes = pick(r, 2) ? 1 + pick(r, 8 * PAGE) : 0;
	r->may_fail = faults.fail_every || (c->inject && strstr(c->inject, "=E"));
}

static void describe(struct run *r, uint64_t seed)
{
	const struct td_pool_config *c = &r->f.config;
	snprintf(
		r->shape, sizeof r->shape,
		"seed %llu: file %llu page %u block %u main %llu %s %llu dedup %d batch %u "
		"backlog %llu dirty %llu ahead %llu straight %llu evict %s place %s inject %s fail %u bits %llx",
		(unsigned long long)seed, (unsigned long long)r->bytes, c->page_bytes,
		c->block_bytes, (unsigned long long)c->main_pages, base->name,
		(unsigned long long)c->device_pages, c->dedup, c->batch,
		(unsigned long long)c->max_backlog, (unsigned long long)c->dirty_pages,
		(unsigned long long)c->ahead_bytes, (unsigned long long)c->straight_bytes,
		c->evict ? c->evict : "-", c->place ? c->place : "-",
		c->inject ? c->inject : "none", faults.fail_every,
		(unsigned long long)faults.hash_bits);
}

/* Contents of a few kinds, which differ within a page. */
static void fill(struct run *r, uint64_t at, uint64_t n)
{
	uint64_t kind = pick(r, 4);
	for (uint64_t i = at; i < at + n; i++)
		r->f.shadow[i] = (unsigned char)(kind ? kind * 31 + i / 512 % 8 : pick(r, 256));
}

/* Is it less than a device of slots of any size takes? */
static bool is_too_little(const struct run *r)
{
	struct td_pool_want want = {.slots = r->f.config.device_pages,
				    .slot_bytes = r->f.config.block_bytes,
				    .most = 1,
				    .bytes = r->f.config.device_pages * r->f.config.page_bytes};
	void *state = NULL;
	int rc = base->alloc(&state, &want, NULL);
	base->free(state);
	return rc == -EINVAL;
}

static void start(struct run *r, uint64_t seed)
{
	*r = (struct run){.seed = seed};
	make_file(&r->f, 4, NULL);
	faults.seed = seed;
	pick_config(r);
	free(r->f.shadow);
	r->bytes = 1 + pick(r, 100 * r->f.config.page_bytes);
	r->bytes -= pick(r, 3) ? r->bytes % PAGE : 0;
	r->bytes = r->bytes ? r->bytes : 100;
	r->f.shadow = take_blocks(r->bytes + r->f.config.page_bytes);
	r->got = take_blocks(r->bytes + r->f.config.page_bytes);
	for (uint64_t at = 0; at < r->bytes; at += 512)
		fill(r, at, r->bytes - at < 512 ? r->bytes - at : 512);
	int fd = open(r->f.path, O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, r->f.shadow, r->bytes), r->bytes);
	close(fd);
	while (device.dense && is_too_little(r))
		r->f.config.device_pages++;
	describe(r, seed);
	open_pool(&r->f);
}

/* ---- calls ---- */

static void wrong(const struct run *r, const char *what, uint64_t at)
{
	fail_msg("%s at %llu; %s", what, (unsigned long long)at, r->shape);
}

static void check_rc(const struct run *r, int rc, const char *what)
{
	if (rc && (!r->may_fail || (rc != -EIO && rc != -ENOSPC && rc != -ENOBUFS)))
		wrong(r, what, (uint64_t)-rc);
}

static void compare(const struct run *r, const void *bytes, uint64_t at, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (((const unsigned char *)bytes)[i] != r->f.shadow[at + i])
			wrong(r, "other bytes than were written", at + i);
}

static void read_range(struct run *r, uint64_t at, uint64_t n)
{
	int rc = td_pool_read(r->f.pool, r->got, n, at, NULL);
	check_rc(r, rc, "a read failed");
	if (!rc)
		compare(r, r->got, at, n);
}

/* What the pool has now, however often it takes to get it. */
static void read_again(struct run *r, unsigned char *to, uint64_t at, uint64_t n)
{
	unsigned tries = 0;
	while (td_pool_read(r->f.pool, to, n, at, NULL))
		if (++tries == 1000)
			wrong(r, "a page cannot be read any more", at);
}

/* A write of several pages failed: each is old, or new. */
static void settle(struct run *r, const unsigned char *old, uint64_t at, uint64_t n)
{
	uint64_t page = r->f.config.page_bytes;
	for (uint64_t i = at, step; i < at + n; i += step) {
		step = page - i % page < at + n - i ? page - i % page : at + n - i;
		read_again(r, r->got, i, step);
		if (memcmp(r->got, r->f.shadow + i, step) == 0)
			continue;
		if (memcmp(r->got, old + (i - at), step) != 0)
			wrong(r, "a page is neither old nor new", i);
		memcpy(r->f.shadow + i, old + (i - at), step);
	}
}

static int change(struct run *r, unsigned how, uint64_t at, uint64_t n)
{
	if (how == 0)
		return td_pool_clear(r->f.pool, at, n, 0, NULL);
	if (how == 1)
		return td_pool_clear(r->f.pool, at, n, TIDE_POOL_KEEP, NULL);
	if (how == 2)
		return td_pool_clear(r->f.pool, at, n, (unsigned)pick(r, 2) | TIDE_POOL_FAST, NULL);
	return td_pool_write(r->f.pool, how == 3 ? NULL : r->f.shadow + at, n, at, NULL);
}

static void write_range(struct run *r, uint64_t at, uint64_t n)
{
	unsigned how = (unsigned)pick(r, 8);
	unsigned char *old = take_blocks(n + 1);
	memcpy(old, r->f.shadow + at, n);
	if (how > 3)
		fill(r, at, n);
	else
		memset(r->f.shadow + at, 0, n);
	int rc = change(r, how, at, n);
	if (how != 2 || rc != -EOPNOTSUPP)
		check_rc(r, rc, "a write failed");
	if (rc)
		settle(r, old, at, n);
	free(old);
}

static void use_range(struct run *r)
{
	uint64_t at = pick(r, r->bytes), n = 1 + pick(r, r->bytes - at);
	uint64_t most = pick(r, 4) ? 2 * r->f.config.page_bytes : r->bytes;
	n = n < most ? n : most;
	if (pick(r, 2))
		read_range(r, at, n);
	else
		write_range(r, at, n);
}

/* Bytes of a page, which may be the last. */
static uint64_t bytes_of(const struct run *r, uint64_t page)
{
	uint64_t at = page * r->f.config.page_bytes;
	return r->bytes - at < r->f.config.page_bytes ? r->bytes - at : r->f.config.page_bytes;
}

static bool is_held(const struct run *r, uint64_t page)
{
	for (unsigned i = 0; i < PINS; i++)
		if (r->held[i] && r->pins[i].page == page)
			return true;
	return false;
}

/* Pins for reading that stay for a while; those for writing are put at once. */
static void use_pin(struct run *r)
{
	unsigned i = (unsigned)pick(r, PINS);
	uint64_t size = r->f.config.page_bytes, page = pick(r, (r->bytes + size - 1) / size);
	bool write = pick(r, 2);
	if (r->held[i]) {
		td_pool_put(r->f.pool, &r->pins[i], NULL);
		r->held[i] = false;
	}
	if (is_held(r, page))
		return;
	int rc = td_pool_get(r->f.pool, page, write ? TIDE_POOL_WRITE : TIDE_POOL_READ, &r->pins[i],
			     NULL);
	check_rc(r, rc, "a get failed");
	if (rc)
		return;
	compare(r, r->pins[i].addr, page * size, bytes_of(r, page));
	if (write) {
		fill(r, page * size, bytes_of(r, page));
		memcpy(r->pins[i].addr, r->f.shadow + page * size, bytes_of(r, page));
	}
	r->held[i] = !write && r->f.config.main_pages > PINS;
	if (!r->held[i])
		td_pool_put(r->f.pool, &r->pins[i], NULL);
}

static void put_all(struct run *r)
{
	for (unsigned i = 0; i < PINS; i++)
		if (r->held[i])
			td_pool_put(r->f.pool, &r->pins[i], NULL);
	memset(r->held, 0, sizeof r->held);
}

struct parts {
	struct run *r;
	uint64_t at;
	bool any, was_hole;
};

/* One behind the other, of two kinds by turns; a hole reads as zero. */
static bool check_part(void *arg, uint64_t offset, uint64_t bytes, bool is_hole)
{
	struct parts *p = arg;
	if (offset != p->at || !bytes || (p->any && is_hole == p->was_hole))
		wrong(p->r, "a part is not where it should be", offset);
	for (uint64_t i = offset; is_hole && i < offset + bytes; i++)
		if (p->r->f.shadow[i])
			wrong(p->r, "what was written is called a hole", i);
	*p = (struct parts){p->r, offset + bytes, true, is_hole};
	return true;
}

static void check_extents(struct run *r)
{
	uint64_t at = pick(r, r->bytes), n = 1 + pick(r, r->bytes - at);
	struct parts p = {.r = r, .at = at};
	assert_int_equal(td_pool_extents(r->f.pool, at, n, check_part, &p, NULL), 0);
	if (p.at != at + n)
		wrong(r, "the parts end early", p.at);
}

static void check_state(struct run *r)
{
	struct tide_error err = {0};
	put_all(r);
	if (td_pool_check(r->f.pool, &err))
		fail_msg("%s; %s", err.text, r->shape);
}

static void one_call(struct run *r)
{
	uint64_t luck = pick(r, 100);
	if (luck < 4)
		check_rc(r, td_pool_flush(r->f.pool, NULL), "a flush failed");
	else if (luck < 6)
		check_state(r);
	else if (luck < 8)
		check_extents(r);
	else if (luck < 9)
		check_rc(r, td_pool_prefetch(r->f.pool, 0, pick(r, r->bytes), NULL), "a prefetch");
	else if (luck < 40)
		use_pin(r);
	else
		use_range(r);
}

/* ---- the end ---- */

static void flush_at_last(struct run *r)
{
	unsigned tries = 0;
	faults.fail_every = 0;
	while (td_pool_flush(r->f.pool, NULL))
		if (++tries == 1000)
			wrong(r, "cannot be flushed", 0);
	assert_int_equal(stats_of(&r->f).dirty_pages, 0);
}

static void check_end(struct run *r)
{
	struct stat st;
	int fd = open(r->f.path, O_RDONLY);
	assert_int_equal(read(fd, r->got, r->bytes), r->bytes);
	compare(r, r->got, 0, r->bytes);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, r->bytes);
	close(fd);
}

static void run_one(uint64_t seed)
{
	struct run *r = malloc(sizeof *r);
	start(r, seed);
	unsigned calls = r->f.config.page_bytes > 65536 ? CALLS / 20 : CALLS;
	for (unsigned i = 0; i < calls; i++)
		one_call(r);
	check_state(r);
	settle(r, r->f.shadow, 0, r->bytes);
	flush_at_last(r);
	check_end(r);
	td_pool_close(r->f.pool, NULL);
	remove_file(&r->f);
	free(r->got);
	free(r);
}

/* POOL_SEEDS=FIRST,END: others than these. */
static void test_random(void **state)
{
	unsigned long long first = 1, end = SANITIZED ? 12 : 40;
	const char *seeds = getenv("POOL_SEEDS");
	(void)state;
	if (seeds)
		assert_int_equal(sscanf(seeds, "%llu,%llu", &first, &end), 2);
	for (uint64_t seed = first; seed < end; seed++)
		run_one(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
