/* A program of the GPU runtime with orchestrate=host, on the GPU of plain memory: more pages than
 * are near, written and read. Every word is looked at, in near memory and in the file.
 * usage: hostile_gpu ROLE POLICY TIMEOUT
 * Status 0: all is well, and standard output has the result. 3: a call failed, and standard error
 * has its name and its sentence. */
#define PAGES 240u
#include "cuda_file.h"

#include <stdio.h>

static const char *const *given;

static struct tide_gpu_options options(void)
{
	bool evict = !strcmp(given[1], "evict");
	return (struct tide_gpu_options){.size = sizeof(struct tide_gpu_options),
					 .near_size = "64p",
					 .host = "512p",
					 .page = "4K",
					 .chunk = "8p",
					 .address = "4096p",
					 .orchestrate = "host",
					 .evict = evict ? given[2] : NULL,
					 .prefetch = evict ? "sequential:n=40" : given[2],
					 .timeout = given[3]};
}

/* A handle that a call has failed with can still be closed. */
static void end_if(int rc, const char *call, struct fixture *f, const struct tide_error *why)
{
	struct tide_error err = {0};
	if (!rc)
		return;
	fprintf(stderr, "%s: %s\n", call, why->text);
	rc = f->g ? gpu->close(f->g, &err) : 0;
	if (rc && strcmp(err.text, why->text) != 0)
		fprintf(stderr, "close: %s\n", err.text);
	unlink(f->path);
	exit(3);
}

static void use(struct fixture *f)
{
	struct tide_gpu_array_options how = {.size = sizeof how, .path = f->path, .writable = true};
	struct tide_error err = {0};
	end_if(gpu->array(f->g, &f->span, 0, &how, &err), "array", f, &err);
	for (unsigned i = 0; i < 4; i++) {
		struct launch l = launch_of(f, 300);
		l.seed = i;
		l.body = i == 2 ? body_loop : body_random;
		end_if(launch(&l, i == 3 ? 6 : 1, &err), "launch", f, &err);
		assert_int_equal(l.wrong + l.lost, 0);
		assert_ok(gpu->check(f->g, &err), &err);
	}
	end_if(gpu->sync(f->g, &err), "sync", f, &err);
	assert_file(f->path, f->versions, PAGES);
}

static void test_policy(void **state)
{
	struct fixture f = {.g = NULL};
	struct tide_gpu_options o = options();
	struct tide_gpu_stats stats = {.size = sizeof stats};
	struct tide_error err = {0};
	char *text = NULL;
	(void)state;
	make_file(f.path, PAGES * PAGE);
	end_if(gpu->open(&f.g, &o, &err), "open", &f, &err);
	use(&f);
	end_if(gpu->stats_json(f.g, &text, &err), "stats", &f, &err);
	puts(text);
	/* The struct says the same as the document. */
	assert_ok(gpu->stats(f.g, &stats, &err), &err);
	assert_int_equal(!*stats.ejected, !strstr(text, "\"ejected\": "));
	free(text);
	int rc = gpu->close(f.g, &err);
	f.g = NULL;
	assert_file(f.path, f.versions, PAGES);
	end_if(rc, "close", &f, &err);
	unlink(f.path);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_policy)};
	given = (const char *const *)argv;
	if (argc != 4)
		return 2;
	return cmocka_run_group_tests_name("hostile_gpu", tests, NULL, NULL) ? 1 : 0;
}
