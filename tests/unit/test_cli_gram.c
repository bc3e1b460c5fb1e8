/* The files and accesses of tide reproduce gram: what a page holds, and that a wrong one is found;
 * generated disks that share a system, images of real ones, and machines that use them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/claims/gram.h"

static void content(const struct td_cli_gram_source *s, uint64_t page, unsigned char *to)
{
	assert_int_equal(s->content(s, page, to, NULL), 0);
}

/* Sums of all pages, to be freed. */
static uint64_t *sums_of(const struct td_cli_gram_source *s)
{
	uint64_t *sums = calloc(s->pages, sizeof *sums);
	unsigned char page[GRAM_PAGE];

	assert_non_null(sums);
	for (uint64_t i = 0; i < s->pages; i++) {
		content(s, i, page);
		sums[i] = td_cli_gram_sum(page);
	}
	return sums;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

static size_t count_distinct(uint64_t *sums, size_t n)
{
	size_t distinct = n > 0;

	qsort(sums, n, sizeof *sums, compare);
	for (size_t i = 1; i < n; i++)
		distinct += sums[i] != sums[i - 1];
	return distinct;
}

/* ---- random blocks ---- */

static void draws_copies(void **state)
{
	struct td_cli_gram_drawn d;

	(void)state;
	for (uint64_t copies = 1; copies <= 10; copies++) {
		td_cli_gram_draw(&d, 100, copies, 7);
		uint64_t *sums = sums_of(&d.source);
		assert_int_equal(count_distinct(sums, 100), (100 + copies - 1) / copies);
		free(sums);
	}
}

/* ---- the file ---- */

static void open_file(struct td_cli_gram_file *f, struct td_cli_gram_drawn *d)
{
	td_cli_gram_draw(d, 20, 2, 1);
	assert_int_equal(td_cli_gram_file_open(f, ".", NULL), 0);
	assert_int_equal(td_cli_gram_file_fill(f, &d->source, NULL), 0);
	assert_int_equal(f->pages, 20);
}

static void read_page(const struct td_cli_gram_file *f, uint64_t page, unsigned char *to)
{
	assert_int_equal(pread(f->file.fd, to, GRAM_PAGE, (off_t)(page * GRAM_PAGE)), GRAM_PAGE);
}

static void holds_its_source(void **state)
{
	unsigned char is[GRAM_PAGE], must[GRAM_PAGE];
	struct td_cli_gram_file f;
	struct td_cli_gram_drawn d;

	(void)state;
	open_file(&f, &d);
	for (uint64_t page = 0; page < 20; page++) {
		read_page(&f, page, is);
		content(&d.source, page, must);
		assert_memory_equal(is, must, GRAM_PAGE);
		assert_true(td_cli_gram_check(&f, page, is));
		is[GRAM_PAGE - 1] ^= 1;
		assert_false(td_cli_gram_check(&f, page, is));
	}
	td_cli_gram_file_close(&f);
}

static void is_restored(void **state)
{
	unsigned char page[GRAM_PAGE], must[GRAM_PAGE];
	struct td_cli_gram_file f;
	struct td_cli_gram_drawn d;

	(void)state;
	open_file(&f, &d);
	read_page(&f, 3, page);
	td_cli_gram_update(&f, 3, page, 99);
	assert_true(td_cli_gram_check(&f, 3, page));
	assert_int_equal(pwrite(f.file.fd, page, GRAM_PAGE, 3 * GRAM_PAGE), GRAM_PAGE);
	assert_int_equal(td_cli_gram_file_restore(&f, NULL), 0);
	read_page(&f, 3, page);
	content(&d.source, 3, must);
	assert_memory_equal(page, must, GRAM_PAGE);
	assert_true(td_cli_gram_check(&f, 3, page));
	td_cli_gram_file_close(&f);
}

static void finds_a_lost_update(void **state)
{
	unsigned char page[GRAM_PAGE];
	struct td_cli_gram_file f;
	struct td_cli_gram_drawn d;
	struct tide_error err;

	(void)state;
	open_file(&f, &d);
	read_page(&f, 3, page);
	td_cli_gram_update(&f, 3, page, 99); /* and nobody writes it */
	assert_int_equal(td_cli_gram_file_restore(&f, &err), -EIO);
	assert_non_null(strstr(err.text, "page 3"));
	td_cli_gram_file_close(&f);
}

/* ---- disks ---- */

static void disks_share_a_system(void **state)
{
	struct td_cli_gram_disks d;

	(void)state;
	assert_int_equal(td_cli_gram_disks_generate(&d, 16, 1, NULL), 0);
	assert_int_equal(d.n, 4);
	uint64_t *sums = sums_of(&d.source);
	/* One disk has hardly a page twice; in four, files of packages and most of what is served
	 * are the same, a fifth of each disk is not. */
	size_t one = d.at[0].pages, distinct = count_distinct(sums, one);
	assert_in_range(distinct, one * 94 / 100, one * 999 / 1000);
	free(sums);
	sums = sums_of(&d.source);
	distinct = count_distinct(sums, d.source.pages);
	assert_in_range(distinct, d.source.pages * 38 / 100, d.source.pages * 50 / 100);
	free(sums);
	td_cli_gram_disks_close(&d);
}

static void disks_lie_apart(void **state)
{
	struct td_cli_gram_disks d;
	uint64_t page = 0;

	(void)state;
	assert_int_equal(td_cli_gram_disks_generate(&d, 4, 1, NULL), 0);
	for (unsigned m = 0; m < d.n; m++) {
		assert_int_equal(d.at[m].first, page);
		for (size_t i = 0; i < d.at[m].n; i++) {
			assert_int_equal(d.at[m].extents[i].first, page);
			page += d.at[m].extents[i].pages;
		}
		assert_int_equal(page, d.at[m].first + d.at[m].pages);
	}
	assert_int_equal(page, d.source.pages);
	td_cli_gram_disks_close(&d);
}

static void disks_follow_the_seed(void **state)
{
	struct td_cli_gram_disks one, same, other;
	unsigned char a[GRAM_PAGE], b[GRAM_PAGE];

	(void)state;
	assert_int_equal(td_cli_gram_disks_generate(&one, 4, 1, NULL), 0);
	assert_int_equal(td_cli_gram_disks_generate(&same, 4, 1, NULL), 0);
	assert_int_equal(td_cli_gram_disks_generate(&other, 4, 2, NULL), 0);
	for (uint64_t page = 0; page < one.source.pages; page += 7) {
		content(&one.source, page, a);
		content(&same.source, page, b);
		assert_memory_equal(a, b, GRAM_PAGE);
	}
	content(&one.source, one.source.pages - 1, a);
	content(&other.source, other.source.pages - 1, b);
	assert_memory_not_equal(a, b, GRAM_PAGE);
	td_cli_gram_disks_close(&one);
	td_cli_gram_disks_close(&same);
	td_cli_gram_disks_close(&other);
}

/* ---- images ---- */

/* A disk of that number as an image. */
static void write_image(const struct td_cli_gram_disks *d, unsigned machine, const char *path)
{
	unsigned char page[GRAM_PAGE];
	FILE *to = fopen(path, "w");

	assert_non_null(to);
	for (uint64_t i = 0; i < d->at[machine].pages; i++) {
		content(&d->source, d->at[machine].first + i, page);
		assert_int_equal(fwrite(page, GRAM_PAGE, 1, to), 1);
	}
	fputc('x', to); /* a last page that is not whole */
	assert_int_equal(fclose(to), 0);
}

static void scans_images(void **state)
{
	struct td_cli_list images = {2, {"test-gram-a.img", "test-gram-b.img"}};
	unsigned char a[GRAM_PAGE], b[GRAM_PAGE];
	struct td_cli_gram_disks made, d;
	uint64_t used = 0;

	(void)state;
	assert_int_equal(td_cli_gram_disks_generate(&made, 16, 1, NULL), 0);
	write_image(&made, 0, images.at[0]);
	write_image(&made, 1, images.at[1]);
	assert_int_equal(td_cli_gram_disks_scan(&d, &images, NULL), 0);
	assert_int_equal(d.n, 2);
	assert_int_equal(d.at[1].first, made.at[0].pages + 1);
	content(&d.source, made.at[0].pages, a);
	assert_int_equal(a[0], 'x');
	assert_int_equal(a[1], 0);
	for (uint64_t page = 0; page < made.at[1].pages; page += 5) {
		content(&made.source, made.at[1].first + page, a);
		content(&d.source, d.at[1].first + page, b);
		assert_memory_equal(a, b, GRAM_PAGE);
	}
	/* Whatever is not zero is of some file. */
	for (unsigned role = GRAM_FREE; role < GRAM_ROLES; role++)
		used += td_cli_gram_role_pages(&d, 1, role);
	assert_int_equal(used, d.at[0].pages - made.at[0].extents[0].pages);
	td_cli_gram_disks_close(&d);
	td_cli_gram_disks_close(&made);
	unlink(images.at[0]);
	unlink(images.at[1]);
}

static void refuses_images(void **state)
{
	struct td_cli_list none = {1, {"nonexistent.img"}}, empty = {1, {"test-gram-empty.img"}};
	struct td_cli_gram_disks d;
	struct tide_error err;

	(void)state;
	assert_int_equal(td_cli_gram_disks_scan(&d, &none, &err), -ENOENT);
	assert_non_null(strstr(err.text, "nonexistent.img"));
	td_cli_gram_disks_close(&d);
	fclose(fopen(empty.at[0], "w"));
	assert_int_equal(td_cli_gram_disks_scan(&d, &empty, &err), -EINVAL);
	assert_non_null(strstr(err.text, "too little data"));
	td_cli_gram_disks_close(&d);
	unlink(empty.at[0]);
}

/* ---- accesses ---- */

static const struct td_cli_gram_extent *extent_at(const struct td_cli_gram_disks *d, uint64_t page,
						  unsigned *machine)
{
	for (unsigned m = 0; m < d->n; m++)
		for (size_t i = 0; i < d->at[m].n; i++) {
			const struct td_cli_gram_extent *e = &d->at[m].extents[i];
			*machine = m;
			if (page >= e->first && page < e->first + e->pages)
				return e;
		}
	return NULL;
}

/* All that a machine starts with is read, before it serves; it writes its logs and nothing else;
 * and machines that are off do nothing. */
static void machines_start_and_serve(void **state)
{
	struct td_cli_gram_accesses a = {0};
	struct td_cli_gram_disks d;
	uint64_t n[3][GRAM_ROLES] = {0}, updates = 0;

	(void)state;
	assert_int_equal(td_cli_gram_disks_generate(&d, 4, 1, NULL), 0);
	assert_int_equal(td_cli_gram_replay(&a, &d, 3, 2000, 1, NULL), 0);
	for (size_t i = 0; i < a.n; i++) {
		unsigned m = 0;
		const struct td_cli_gram_extent *e = extent_at(&d, a.at[i] / 2, &m);
		assert_non_null(e);
		assert_in_range(m, 0, 2);
		if (e->role == GRAM_DOCUMENT && n[m][GRAM_DOCUMENT]++ == 0)
			assert_true(n[m][GRAM_BOOT] >=
				    td_cli_gram_role_pages(&d, m + 1, GRAM_BOOT) -
					    td_cli_gram_role_pages(&d, m, GRAM_BOOT));
		else if (e->role != GRAM_DOCUMENT)
			n[m][e->role]++;
		assert_int_equal(a.at[i] & 1, e->role == GRAM_LOG);
		updates += a.at[i] & 1;
	}
	for (unsigned m = 0; m < 3; m++) {
		assert_in_range(n[m][GRAM_DOCUMENT], 2000, 2000 + 137);
		assert_int_equal(n[m][GRAM_FREE], 0);
	}
	assert_in_range(updates, 10, a.n / 10);
	free(a.at);
	td_cli_gram_disks_close(&d);
}

static void updates_change_no_page_number(void **state)
{
	struct td_cli_gram_accesses none = {0}, half = {0};
	uint64_t updates = 0;

	(void)state;
	assert_int_equal(td_cli_gram_uniform(&none, 50, 2000, 0, 3, NULL), 0);
	assert_int_equal(td_cli_gram_uniform(&half, 50, 2000, 50, 3, NULL), 0);
	for (size_t i = 0; i < 2000; i++) {
		assert_in_range(none.at[i] / 2, 0, 49);
		assert_int_equal(none.at[i] & 1, 0);
		assert_int_equal(half.at[i] / 2, none.at[i] / 2);
		updates += half.at[i] & 1;
	}
	assert_in_range(updates, 900, 1100);
	free(none.at);
	free(half.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draws_copies),
		cmocka_unit_test(holds_its_source),
		cmocka_unit_test(is_restored),
		cmocka_unit_test(finds_a_lost_update),
		cmocka_unit_test(disks_share_a_system),
		cmocka_unit_test(disks_lie_apart),
		cmocka_unit_test(disks_follow_the_seed),
		cmocka_unit_test(scans_images),
		cmocka_unit_test(refuses_images),
		cmocka_unit_test(machines_start_and_serve),
		cmocka_unit_test(updates_change_no_page_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
