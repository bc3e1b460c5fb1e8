/* Who serves faults: threads of the GPU, or the engine on the processor with policies of its own.
 */
#include "bench.h"
#include "gather.cuh"

#define PAGE ((uint64_t)65536)
#define PAGES 16384u
#define NEAR_PAGES 8192u
#define WARPS 1024u

static const struct server {
	const char *name, *orchestrate, *place, *evict, *prefetch;
} servers[] = {
	{"the GPU, reuse", "gpu", "reuse", nullptr, nullptr},
	{"the GPU, tier-order", "gpu", "tier-order", nullptr, nullptr},
	{"the host, lrm and tree", "host", nullptr, "lrm", "tree"},
	{"the host, mhpe and pattern", "host", nullptr, "mhpe", "pattern"},
};

struct serving {
	const struct td_gpu_setup *s;
	struct td_gpu_table *table;
	runtime r;
	struct tide_span a = {};
	struct draws draws;
	struct sum_word stream_sum, gather_sum;
	double stream_ns = 0, gather_ns = 0; /* of the first server */
};

static int open_runtime(struct serving &x, const struct server *by, struct tide_error *err)
{
	double ns;
	size_text near_bytes(NEAR_PAGES * PAGE), host_bytes((PAGES + 64) * PAGE);
	size_text address((PAGES + 64) * PAGE);
	struct tide_gpu_options o = {};
	o.size = sizeof o;
	o.near_size = near_bytes;
	o.host = host_bytes;
	o.address = address;
	o.orchestrate = by->orchestrate;
	o.place = by->place;
	o.evict = by->evict;
	o.prefetch = by->prefetch;
	int rc = x.r.open(x.s, &o, err);
	if (!rc)
		rc = x.r.array(&x.a, PAGES * PAGE, err);
	if (!rc)
		rc = run_kernel(x.r.g, &ns, err, shape{64, 256, 1}, fill_tide, x.a, (uint64_t)PAGES,
				PAGE);
	return rc;
}

static void row(struct serving &x, const char *what, const struct server *by, uint64_t bytes,
		uint64_t count, double ns, double *first_ns)
{
	char text[96];
	snprintf(text, sizeof text, "%s, by %s", what, by->name);
	struct td_gpu_row r = {text,           bytes, count, ns, by == servers ? 0 : *first_ns / ns,
			       servers[0].name};
	if (by == servers)
		*first_ns = ns;
	td_gpu_table_row(x.table, x.s, &r);
}

static int time_server(struct serving &x, const struct server *by, struct tide_error *err)
{
	double stream_ns = 0, gather_ns = 0;
	struct shape shape = {WARPS / 8, 256, 1};
	int rc = open_runtime(x, by, err);
	if (!rc)
		rc = sum_median(x.r.g, x.stream_sum, 3, &stream_ns, err, shape, sum_tide<4>, x.a,
				(uint64_t)PAGES, PAGE);
	if (!rc)
		row(x, "stream of twice near memory", by, PAGES * PAGE, 0, stream_ns, &x.stream_ns);
	if (!rc)
		rc = sum_median(x.r.g, x.gather_sum, 3, &gather_ns, err, shape, gather_pages, x.a,
				(const uint32_t *)x.draws.list.at, x.draws.n, PAGE / 4);
	if (!rc)
		row(x, "skewed reads", by, 0, x.draws.n, gather_ns, &x.gather_ns);
	if (!rc)
		rc = tide_gpu_check(x.r.g, err);
	return rc ? rc : x.r.close(err);
}

/* One that fails is told, and the next has its turn. */
int td_gpu_bench_serve(const struct td_gpu_setup *s, struct td_gpu_table *table,
		       struct tide_error *err)
{
	struct serving x;
	x.s = s;
	x.table = table;
	int rc = x.stream_sum.make(err);
	if (!rc)
		rc = x.gather_sum.make(err);
	if (!rc)
		rc = x.draws.make(s->quick ? 1 << 13 : 1 << 16, PAGES, 0.9, td_gpu_seed(s), err);
	for (const struct server *by = servers; by < servers + 4 && !rc; by++) {
		struct tide_error said = {};
		if (time_server(x, by, &said))
			td_gpu_table_fault(table, s, by->name, &said);
		x.r.close(nullptr);
	}
	return rc;
}
