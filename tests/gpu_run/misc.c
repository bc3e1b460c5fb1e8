/* What programs do besides computing: one case per run. It says what it saw, without addresses.
 * usage: misc CASE */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

enum { BIG = 6 << 20, WORDS = BIG / 8 };

struct add_params {
	cu_ptr out, in;
	uint64_t words;
	uint32_t pause_ms, filler;
};

/* out += in, in two halves with a pause between. */
static void run_add(const struct fake_grid *grid, const void *params)
{
	const struct add_params *p = params;
	uint64_t *out = (uint64_t *)p->out;
	const uint64_t *in = (const uint64_t *)p->in;
	(void)grid;
	for (uint64_t i = 0; i < p->words; i++) {
		if (i == p->words / 2)
			usleep(p->pause_ms * 1000);
		out[i] += in[i];
	}
}

static const struct fake_param add_places[] = {{0, 8}, {8, 8}, {16, 8}, {24, 4}};
static const struct fake_kernel kernels[] = {{"add", run_add, LENGTH(add_places), add_places}};

static cu_function add;

static cu_ptr make(unsigned char value)
{
	cu_ptr at;
	MUST(cuMemAlloc_v2(&at, BIG));
	MUST(cuMemsetD8_v2(at, value, BIG));
	return at;
}

static void launch(cu_stream stream, cu_ptr out, cu_ptr in, uint32_t pause_ms)
{
	struct add_params p = {out, in, WORDS, pause_ms, 0};
	void *params[] = {&p.out, &p.in, &p.words, &p.pause_ms};
	MUST(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
}

/* What a buffer holds, if it holds the same in every byte. */
static int content(cu_ptr at)
{
	unsigned char *host = malloc(BIG);
	if (!host)
		exit(1);
	MUST(cuMemcpyDtoH_v2(host, at, BIG));
	int value = host[0];
	for (size_t i = 0; i < BIG && value >= 0; i++)
		value = host[i] == host[0] ? value : -1;
	free(host);
	return value;
}

static void getinfo(void)
{
	size_t before, during, after, total, total_now;
	MUST(cuMemGetInfo_v2(&before, &total));
	cu_ptr at = make(1);
	MUST(cuMemGetInfo_v2(&during, &total_now));
	MUST(cuMemFree_v2(at));
	MUST(cuMemGetInfo_v2(&after, &total));
	printf("fits %d, less while allocated %d, as before %d, same total %d\n", before <= total,
	       during + BIG <= before, after == before, total == total_now);
}

static void range(void)
{
	cu_ptr at = make(1), base = 0;
	size_t bytes = 0;
	MUST(cuMemGetAddressRange_v2(&base, &bytes, at + 12345));
	printf("base %d, bytes %zu\n", base == at, bytes);
	MUST(cuMemGetAddressRange_v2(&base, NULL, at));
	MUST(cuMemGetAddressRange_v2(NULL, &bytes, at + BIG - 1));
	MUST(cuMemFree_v2(at));
	printf("after the free: error %d\n", cu->cuMemGetAddressRange_v2(&base, &bytes, at));
}

static void say_attributes(const char *what, cu_ptr at, cu_ptr base)
{
	unsigned type = 99;
	int ordinal = 99, error;
	unsigned char managed = 99;
	cu_ptr start = 0, device = 0;
	size_t bytes = 0;
	int asked[] = {CU_POINTER_MEMORY_TYPE, 8, CU_POINTER_RANGE_START,
		       CU_POINTER_RANGE_SIZE,  3, 9};
	void *to[] = {&type, &managed, &start, &bytes, &device, &ordinal};
	error = cu->cuPointerGetAttributes(LENGTH(to), asked, to, at);
	printf("%s: error %d, type %u, managed %u, start %d, bytes %zu, device %d, ordinal %d\n",
	       what, error, type, managed, start == base, bytes, device == at, ordinal);
	for (size_t i = 0; i < LENGTH(to); i++)
		printf(" %d", cu->cuPointerGetAttribute(to[i], asked[i], at));
	printf("; type %u, start %d, bytes %zu\n", type, start == base, bytes);
}

static void attributes(void)
{
	cu_ptr big = make(1), small, managed;
	void *pinned, *pageable = malloc(4096);
	cu_context now, of = NULL;
	MUST(cuMemAlloc_v2(&small, 4096));
	MUST(cuMemAllocManaged(&managed, 8192, 1));
	MUST(cuMemHostAlloc(&pinned, 8192, 0));
	say_attributes("big", big, big);
	say_attributes("in big", big + (5 << 20), big);
	say_attributes("small", small, small);
	say_attributes("managed", managed, managed);
	say_attributes("pinned", (cu_ptr)pinned, (cu_ptr)pinned);
	printf("pageable: error %d\n", cu->cuPointerGetAttribute(&of, 1, (cu_ptr)pageable));
	MUST(cuPointerGetAttribute(&of, 1, big));
	MUST(cuCtxGetCurrent(&now));
	printf("context %d\n", of == now);
	free(pageable);
}

static void double_free(void)
{
	cu_ptr at = make(1);
	MUST(cuMemFree_v2(at));
	printf("again: error %d\n", cu->cuMemFree_v2(at));
	printf("nothing: error %d\n", cu->cuMemFree_v2(0));
	at = make(1);
	MUST(cuMemFreeAsync(at, NULL));
	printf("again: error %d\n", cu->cuMemFreeAsync(at, NULL));
	MUST(cuCtxSynchronize());
	printf("again: error %d\n", cu->cuMemFree_v2(at));
}

static void middle_free(void)
{
	cu_ptr at = make(7);
	printf("error %d, ", cu->cuMemFree_v2(at + (2 << 20)));
	printf("error %d, ", cu->cuMemFreeAsync(at + 256, NULL));
	printf("content %d\n", content(at));
	MUST(cuMemFree_v2(at));
}

static void huge(void)
{
	cu_ptr at = 0, fine = make(5);
	printf("error %d\n", cu->cuMemAlloc_v2(&at, (size_t)1 << 44));
	printf("error %d\n", cu->cuMemAllocAsync(&at, (size_t)1 << 44, NULL));
	printf("error %d\n", cu->cuMemAlloc_v2(&at, SIZE_MAX - 5));
	printf("of nothing: error %d\n", cu->cuMemAlloc_v2(&at, 0));
	printf("content %d\n", content(fine));
}

static void abort_in_the_middle(void)
{
	cu_ptr out = make(1), in = make(2);
	for (int i = 0; i < 20; i++)
		launch(NULL, out, in, 10);
	fflush(NULL);
	abort();
}

/* The child has no streams, and must end all the same. */
static void fork_in_the_middle(void)
{
	cu_ptr out = make(1), in = make(2);
	int status = -1;
	for (int i = 0; i < 5; i++)
		launch(NULL, out, in, 10);
	fflush(NULL);
	pid_t child = fork();
	if (!child)
		exit(7);
	waitpid(child, &status, 0);
	for (int i = 0; i < 5; i++)
		launch(NULL, out, in, 0);
	printf("child %d, content %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1,
	       content(out));
}

static void exit_without_freeing(void)
{
	cu_ptr out = make(1), in = make(2);
	for (int i = 0; i < 20; i++)
		launch(NULL, out, in, 10);
	printf("leaving\n");
	fflush(NULL);
	exit(3);
}

struct job {
	cu_context context;
	cu_ptr out, in;
	int error;
};

static void *leave_work(void *job)
{
	struct job *j = job;
	struct add_params p = {j->out, j->in, WORDS, 30, 0};
	void *params[] = {&p.out, &p.in, &p.words, &p.pause_ms};
	cu_stream stream;
	MUST(cuCtxSetCurrent(j->context));
	MUST(cuLaunchKernel_ptsz(add, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	MUST(cuStreamSynchronize_ptsz(NULL));
	MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	launch(stream, j->out, j->in, 30);
	MUST(cuStreamDestroy_v2(stream));
	return NULL;
}

static void thread_that_ends(void)
{
	struct job j = {.out = make(1), .in = make(2)};
	pthread_t thread;
	MUST(cuCtxGetCurrent(&j.context));
	MUST(cuCtxSynchronize());
	if (pthread_create(&thread, NULL, leave_work, &j))
		exit(1);
	pthread_join(thread, NULL);
	MUST(cuCtxSynchronize());
	printf("content %d\n", content(j.out));
}

static void context(void)
{
	cu_context primary, own, now;
	cu_ptr kept = make(9);
	MUST(cuCtxGetCurrent(&primary));
	MUST(cuCtxSynchronize());
	MUST(cuCtxCreate_v2(&own, 0, 0));
	cu_ptr out = make(1), in = make(2);
	launch(NULL, out, in, 30);
	MUST(cuCtxDestroy_v2(own));
	MUST(cuCtxGetCurrent(&now));
	printf("back %d, its memory: error %d, content %d\n", now == primary, cu->cuMemFree_v2(out),
	       content(kept));
}

static _Atomic bool over;

static void *allocate_meanwhile(void *job)
{
	struct job *j = job;
	cu_stream stream;
	MUST(cuCtxSetCurrent(j->context));
	MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	while (!over) {
		cu_ptr at;
		MUST(cuMemAlloc_v2(&at, BIG));
		MUST(cuMemsetD8Async(at, 3, BIG, stream));
		launch(stream, at, at, 0);
		MUST(cuStreamSynchronize(stream));
		MUST(cuMemFree_v2(at));
	}
	MUST(cuStreamDestroy_v2(stream));
	return NULL;
}

static cu_exec capture_some(cu_stream stream, cu_ptr out, cu_ptr in)
{
	cu_graph graph;
	cu_exec exec;
	MUST(cuStreamBeginCapture_v2(stream, 1));
	for (int i = 0; i < 3; i++) {
		launch(stream, out, in, 0);
		usleep(2000);
	}
	MUST(cuStreamEndCapture(stream, &graph));
	MUST(cuGraphInstantiateWithFlags(&exec, graph, 0));
	MUST(cuGraphDestroy(graph));
	return exec;
}

static void capture(void)
{
	struct job j = {.out = make(0), .in = make(1)};
	pthread_t threads[2];
	cu_stream stream;
	MUST(cuCtxGetCurrent(&j.context));
	MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	MUST(cuCtxSynchronize());
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, allocate_meanwhile, &j))
			exit(1);
	for (int i = 0; i < 5; i++) {
		cu_exec exec = capture_some(stream, j.out, j.in);
		MUST(cuGraphLaunch(exec, stream));
		MUST(cuGraphLaunch(exec, stream));
		MUST(cuGraphExecDestroy(exec));
	}
	over = true;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	MUST(cuStreamSynchronize(stream));
	printf("content %d\n", content(j.out));
}

/* A capture forbids calls that wait or allocate, and ends with an error where they were made. */
static void capture_forbids(void)
{
	cu_stream stream;
	cu_graph graph;
	cu_ptr at = 0, out = make(0), in = make(1);
	int relaxed = CU_CAPTURE_MODE_RELAXED, status;
	MUST(cuCtxSynchronize());
	MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	MUST(cuStreamBeginCapture_v2(stream, 0));
	MUST(cuThreadExchangeStreamCaptureMode(&relaxed));
	MUST(cuMemAlloc_v2(&at, BIG));
	MUST(cuThreadExchangeStreamCaptureMode(&relaxed));
	launch(stream, out, in, 0);
	MUST(cuStreamIsCapturing(stream, &status));
	printf("capturing %d\n", status);
	MUST(cuStreamEndCapture(stream, &graph));
	MUST(cuGraphDestroy(graph));
	MUST(cuMemFree_v2(at));
	MUST(cuStreamBeginCapture_v2(stream, 0));
	printf("allocation: error %d, ", cu->cuMemAlloc_v2(&at, BIG));
	printf("wait: error %d, ", cu->cuCtxSynchronize());
	printf("end: error %d\n", cu->cuStreamEndCapture(stream, &graph));
	MUST(cuStreamBeginCapture_v2(stream, 0));
	printf("free: error %d, ", cu->cuMemFree_v2(in));
	printf("end: error %d\n", cu->cuStreamEndCapture(stream, &graph));
	launch(stream, out, in, 0);
	MUST(cuCtxSynchronize());
	printf("content %d\n", content(out));
}

static void free_during_use(void)
{
	cu_stream stream;
	cu_ptr out = make(0);
	MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	MUST(cuCtxSynchronize());
	for (int i = 0; i < 6; i++) {
		cu_ptr in = make(1), other;
		MUST(cuCtxSynchronize());
		launch(stream, out, in, 10);
		if (i % 2)
			MUST(cuMemFreeAsync(in, stream));
		else
			MUST(cuMemFree_v2(in));
		MUST(cuMemAllocAsync(&other, BIG, stream));
		MUST(cuMemsetD8Async(other, 200, BIG, stream));
		MUST(cuMemFreeAsync(other, stream));
	}
	MUST(cuStreamSynchronize(stream));
	printf("content %d\n", content(out));
}

/* Small allocations leave less of the card for large ones, which kernels are using. */
static void squeeze(void)
{
	enum { LARGE = 4, SMALL = 20 };
	cu_ptr large[LARGE], small[SMALL];
	for (int i = 0; i < LARGE; i++)
		large[i] = make((unsigned char)(i + 1));
	MUST(cuCtxSynchronize());
	for (int i = 1; i < LARGE; i++)
		launch(NULL, large[i], large[0], 20);
	for (int i = 0; i < SMALL; i++)
		MUST(cuMemAlloc_v2(&small[i], 512 << 10));
	MUST(cuCtxSynchronize());
	for (int i = 0; i < LARGE; i++)
		printf("content %d\n", content(large[i]));
	for (int i = 0; i < SMALL; i++)
		MUST(cuMemFree_v2(small[i]));
}

/* Takes all that there is, in sizes that leave gaps; what it got must work. */
static void fill(void)
{
	enum { MOST = 400 };
	static cu_ptr all[MOST];
	size_t n = 0, wrong = 0;
	cu_result error = CU_OK;
	for (; n < MOST && !error; n += !error)
		error = cu->cuMemAlloc_v2(&all[n], BIG + ((n * 5 % 7) << 20));
	for (size_t i = 0; i < n; i++)
		MUST(cuMemsetD8_v2(all[i], (unsigned char)(i % 100), BIG));
	for (size_t i = 1; i < n; i += 2)
		launch(NULL, all[i], all[i - 1], 0);
	for (size_t i = 0; i < n; i++)
		wrong += content(all[i]) != (int)(i % 100 + (i % 2 ? (i - 1) % 100 : 0));
	printf("at least two %d, wrong %zu, error %d\n", n > 1, wrong, error);
	for (size_t i = 0; i < n; i++)
		MUST(cuMemFree_v2(all[i]));
}

/* A kernel that uses what is freed; the driver must not let it pass. */
static void wild(void)
{
	cu_ptr out = make(0), in = make(1);
	MUST(cuMemFree_v2(in));
	launch(NULL, out, in, 0);
	MUST(cuCtxSynchronize());
	printf("nobody saw it\n");
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"getinfo", getinfo},
	{"range", range},
	{"attributes", attributes},
	{"double-free", double_free},
	{"middle-free", middle_free},
	{"huge", huge},
	{"abort", abort_in_the_middle},
	{"fork", fork_in_the_middle},
	{"exit", exit_without_freeing},
	{"thread", thread_that_ends},
	{"context", context},
	{"capture", capture},
	{"capture-forbids", capture_forbids},
	{"free-during-use", free_during_use},
	{"squeeze", squeeze},
	{"fill", fill},
	{"wild", wild},
};

int main(int n, char **args)
{
	for (size_t i = 0; n == 2 && i < LENGTH(cases); i++) {
		if (strcmp(cases[i].name, args[1]))
			continue;
		program_begin();
		MUST(cuModuleGetFunction(&add, program_module(kernels, LENGTH(kernels)), "add"));
		cases[i].run();
		program_end();
		return 0;
	}
	fprintf(stderr, "usage: misc CASE\n");
	return 2;
}
