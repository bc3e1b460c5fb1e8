/* DEDU one request at a time, against a plain model: an LRU queue of what is stored, in which pages
 * that were found equal stand for each other. */
#include "pool_help.h"

#define PAGES 120u
#define MAX_D 8u
#define KINDS 60u

/* A class is a set of block positions that were compared and found equal. It is held or not. */
struct model {
	uint32_t degree;
	size_t main_max, all_max;
	int class_of[PAGES * MAX_D];     /* -1: never read */
	unsigned content[PAGES * MAX_D]; /* of a class: what its bytes are */
	int classes;
	int queue[PAGES * MAX_D]; /* held classes, the last used first */
	size_t n;
	uint64_t hits, device, reads;
};

static unsigned kinds[PAGES * MAX_D]; /* of the file: what the bytes of each position are */

static size_t place_of(const struct model *m, int class)
{
	size_t i = 0;
	while (i < m->n && m->queue[i] != class)
		i++;
	return i;
}

static void use(struct model *m, int class)
{
	size_t at = place_of(m, class);
	m->n += at == m->n;
	memmove(m->queue + 1, m->queue, at * sizeof *m->queue);
	m->queue[0] = class;
}

/* The position was read: an equal class that is held takes it in, else its own is held again. */
static int join(struct model *m, size_t position)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->content[m->queue[i]] == kinds[position])
			return m->queue[i];
	if (m->class_of[position] >= 0)
		return m->class_of[position];
	m->content[m->classes] = kinds[position];
	return m->classes++;
}

static void access_model(struct model *m, uint64_t page)
{
	size_t first = page * m->degree, furthest = 0;
	for (size_t i = first; i < first + m->degree; i++) {
		size_t place = m->class_of[i] < 0 ? m->n : place_of(m, m->class_of[i]);
		furthest = place > furthest ? place : furthest;
		if (place == m->n)
			furthest = SIZE_MAX;
	}
	m->hits += furthest < m->main_max;
	m->device += furthest >= m->main_max && furthest != SIZE_MAX;
	m->reads += furthest == SIZE_MAX;
	for (size_t i = first; i < first + m->degree; i++) {
		if (m->class_of[i] < 0 || place_of(m, m->class_of[i]) == m->n)
			m->class_of[i] = join(m, i);
		use(m, m->class_of[i]);
	}
	m->n = m->n < m->all_max ? m->n : m->all_max;
}

static void fill_file(struct fixture *f, uint32_t degree, uint64_t *seed)
{
	size_t bytes = PAGE / degree;
	for (size_t i = 0; i < PAGES * degree; i++) {
		kinds[i] = draw(seed) % 4 ? (unsigned)(draw(seed) % KINDS) : (unsigned)(1000 + i);
		scribble(f->shadow + i * bytes, bytes, kinds[i]);
	}
	int fd = open(f->path, O_WRONLY);
	assert_int_equal(write(fd, f->shadow, PAGES * PAGE), PAGES * PAGE);
	close(fd);
}

static void compare(uint32_t degree, uint64_t seed)
{
	struct fixture f;
	struct model *m = calloc(1, sizeof *m);
	uint64_t main = 4 + draw(&seed) % 12, device = draw(&seed) % 16;
	make_file(&f, PAGES, NULL);
	fill_file(&f, degree, &seed);
	f.config.dedup = TD_POOL_ON;
	f.config.block_bytes = PAGE / degree;
	f.config.main_pages = main;
	f.config.device_pages = device;
	f.config.batch = 32; /* all that is remembered has room */
	*m = (struct model){
		.degree = degree, .main_max = main * degree, .all_max = (main + device) * degree};
	memset(m->class_of, -1, sizeof m->class_of);
	open_pool(&f);
	for (unsigned i = 0; i < 2500; i++) {
		uint64_t a = draw(&seed) % PAGES, b = draw(&seed) % PAGES;
		access_page(&f, a < b ? a : b, false, 0);
		access_model(m, a < b ? a : b);
	}
	struct tide_counts c = stats_of(&f).counts;
	assert_int_equal(c.hits, m->hits);
	assert_int_equal(c.tier2_hits, m->device);
	assert_int_equal(c.tier3_reads, m->reads);
	close_pool(&f);
	remove_file(&f);
	free(m);
}

static void test_blocks_are_pages(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++)
		compare(1, seed);
}

static void test_pages_of_blocks(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		compare(2, seed);
		compare(8, seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks_are_pages),
		cmocka_unit_test(test_pages_of_blocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
