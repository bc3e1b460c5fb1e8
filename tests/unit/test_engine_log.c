#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "engine_help.h"

struct file {
	char path[64];
};

static struct file make_file(void)
{
	struct file f = {"/tmp/tide-test-log-XXXXXX"};
	int fd = mkstemp(f.path);

	assert_true(fd >= 0);
	close(fd);
	return f;
}

static void assert_file(const struct file *f, const char *expected)
{
	char text[4096];
	FILE *file = fopen(f->path, "r");
	size_t n;

	assert_non_null(file);
	n = fread(text, 1, sizeof text - 1, file);
	text[n] = '\0';
	fclose(file);
	assert_string_equal(text, expected);
}

static struct td_engine *begin(const struct file *f, uint32_t chunk_pages, uint64_t near_pages,
			       const char *prefetch)
{
	struct td_engine_config config = config_of(chunk_pages, near_pages);

	config.log_path = f->path;
	config.evict = named("fifo", TIDE_EVICT);
	config.prefetch = named(prefetch, TIDE_PREFETCH);
	return start(&config);
}

static void end(struct td_engine *e)
{
	assert_int_equal(td_engine_finish(e, NULL), 0);
	td_engine_destroy(e);
}

static void one_line_per_fault(void **state)
{
	struct file f = make_file();
	struct td_engine *e = begin(&f, 4, 8, "sequential:n=6");

	(void)state;
	read_page(e, 2); /* 2..7: two chunks */
	read_page(e, 3); /* a hit leaves no line */
	read_page(e, 30);
	read_page(e, 16);
	end(e);
	assert_file(&f, "{\"t\":1,\"fault\":2,\"evict\":[],\"bring\":[[2,2],[4,4]]}\n"
			"{\"t\":3,\"fault\":30,\"evict\":[0,1],\"bring\":[[30,2],[32,4]]}\n"
			"{\"t\":4,\"fault\":16,\"evict\":[7,8],\"bring\":[[16,4],[20,2]]}\n");
	unlink(f.path);
}

static void runs_are_cut_at_what_is_here(void **state)
{
	struct file f = make_file();
	struct td_engine *e = begin(&f, 16, 32, "tree:threshold=10");

	(void)state;
	read_page(e, 4); /* of 8 pages 1 is 12.5 %, of 16 it is 6 %: pages 0 .. 7 */
	read_page(e, 15);
	end(e);
	assert_file(&f, "{\"t\":1,\"fault\":4,\"evict\":[],\"bring\":[[0,8]]}\n"
			"{\"t\":2,\"fault\":15,\"evict\":[],\"bring\":[[8,8]]}\n");
	e = begin(&f, 16, 32, "sequential:n=5");
	read_page(e, 7);
	read_page(e, 1);  /* 1..5 */
	read_page(e, 0);  /* nothing else is absent up to 4 */
	read_page(e, 6);  /* 7..10 are here */
	read_page(e, 15); /* two chunks */
	read_page(e, 12);
	end(e);
	assert_file(&f, "{\"t\":1,\"fault\":7,\"evict\":[],\"bring\":[[7,5]]}\n"
			"{\"t\":2,\"fault\":1,\"evict\":[],\"bring\":[[1,5]]}\n"
			"{\"t\":3,\"fault\":0,\"evict\":[],\"bring\":[[0,1]]}\n"
			"{\"t\":4,\"fault\":6,\"evict\":[],\"bring\":[[6,1]]}\n"
			"{\"t\":5,\"fault\":15,\"evict\":[],\"bring\":[[15,1],[16,4]]}\n"
			"{\"t\":6,\"fault\":12,\"evict\":[],\"bring\":[[12,3]]}\n");
	e = begin(&f, 8, 32, "tree:threshold=25");
	read_page(e, 0); /* of 2 pages 50 %, of 4 pages 25 %: no more than 2 */
	read_page(e, 5); /* 4, 5; then 4 of 8 */
	end(e);
	assert_file(&f, "{\"t\":1,\"fault\":0,\"evict\":[],\"bring\":[[0,2]]}\n"
			"{\"t\":2,\"fault\":5,\"evict\":[],\"bring\":[[2,6]]}\n");
	unlink(f.path);
}

/* With the chunk's first page; what changes nothing leaves no line. */
static void what_was_asked_is_said(void **state)
{
	struct file f = make_file();
	struct td_engine *e = begin(&f, 4, 4, "none");
	tide_chunk first = {0}, second = {1};

	(void)state;
	read_page(e, 42);
	read_page(e, 2);
	assert_int_equal(td_engine_bring(e, second, 0x4, NULL), 0);
	assert_int_equal(td_engine_bring(e, second, 0xb, NULL), 0);
	assert_int_equal(td_engine_cold(e, first, NULL), 0);
	assert_int_equal(td_engine_cold(e, second, NULL), 0);
	end(e);
	assert_file(&f, "{\"t\":1,\"fault\":42,\"evict\":[],\"bring\":[[42,1]]}\n"
			"{\"t\":2,\"fault\":2,\"evict\":[],\"bring\":[[2,1]]}\n"
			"{\"t\":2,\"asked\":0,\"evict\":[10],\"bring\":[[0,2],[3,1]]}\n"
			"{\"t\":2,\"cold\":0,\"evict\":[0]}\n");
	unlink(f.path);
}

static void runs_may_be_a_whole_chunk(void **state)
{
	struct file f = make_file();
	struct td_engine *e = begin(&f, 64, 128, "locality-stop");

	(void)state;
	read_page(e, 64); /* a whole chunk of 64 */
	read_page(e, 63);
	read_page(e, 130); /* full: still the whole chunk */
	read_page(e, 70);
	read_page(e, 72);
	end(e);
	assert_file(&f, "{\"t\":1,\"fault\":64,\"evict\":[],\"bring\":[[64,64]]}\n"
			"{\"t\":2,\"fault\":63,\"evict\":[],\"bring\":[[0,64]]}\n"
			"{\"t\":3,\"fault\":130,\"evict\":[1],\"bring\":[[128,64]]}\n"
			"{\"t\":4,\"fault\":70,\"evict\":[0],\"bring\":[[70,1]]}\n"
			"{\"t\":5,\"fault\":72,\"evict\":[],\"bring\":[[72,1]]}\n");
	unlink(f.path);
}

static void numbers_are_the_true_ones(void **state)
{
	struct file f = make_file();
	struct td_engine *e = begin(&f, 1, 1, "none");

	(void)state;
	read_page(e, UINT64_MAX);
	read_page(e, 7);
	end(e);
	assert_file(
		&f,
		"{\"t\":1,\"fault\":\"18446744073709551615\",\"evict\":[],"
		"\"bring\":[[\"18446744073709551615\",1]]}\n"
		"{\"t\":2,\"fault\":7,\"evict\":[\"18446744073709551615\"],\"bring\":[[7,1]]}\n");
	unlink(f.path);
}

static void a_log_that_cannot_be_written_is_refused(void **state)
{
	struct td_engine_config config = config_of(1, 1);
	struct td_engine *e = NULL;
	struct tide_error err = {0};

	(void)state;
	config.log_path = "/nonexistent/decisions.jsonl";
	config.evict = named("fifo", TIDE_EVICT);
	assert_int_equal(td_engine_create(&e, &config, &err), -ENOENT);
	assert_null(e);
	assert_non_null(strstr(err.text, "/nonexistent/decisions.jsonl"));
}

static void a_full_disk_is_told_at_the_end(void **state)
{
	struct td_engine_config config = config_of(1, 1);
	struct tide_error err = {0};
	struct td_engine *e;

	(void)state;
	if (access("/dev/full", W_OK))
		skip();
	config.log_path = "/dev/full";
	config.evict = named("fifo", TIDE_EVICT);
	e = start(&config);
	read_page(e, 1);
	assert_int_equal(td_engine_finish(e, &err), -EIO);
	assert_non_null(strstr(err.text, "/dev/full"));
	td_engine_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line_per_fault),
		cmocka_unit_test(runs_are_cut_at_what_is_here),
		cmocka_unit_test(what_was_asked_is_said),
		cmocka_unit_test(runs_may_be_a_whole_chunk),
		cmocka_unit_test(numbers_are_the_true_ones),
		cmocka_unit_test(a_log_that_cannot_be_written_is_refused),
		cmocka_unit_test(a_full_disk_is_told_at_the_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
