/* Computes the distance of every vertex of a graph from one vertex. The edges are in files that may
 * be larger than near memory. The state of the vertices stays on the GPU.
 * usage: gpu_bfs OFFSETS TARGETS START [NEAR [HOST]]
 *
 * OFFSETS: 64-bit numbers, one per vertex and one more; TARGETS: 32-bit numbers of vertices. The
 * edges of vertex v go to TARGETS[OFFSETS[v]] up to, but not including, TARGETS[OFFSETS[v + 1]]. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <tide/device.cuh>

#define UNSEEN UINT32_MAX
#define ALL 0xffffffffu

struct graph {
	tide_span offsets, targets;
	uint32_t *level;            /* of every vertex */
	uint32_t *now, *next;       /* vertices of this level and of the next */
	unsigned long long *counts; /* of next, of edges */
	uint32_t vertices;
};

/* One vertex per warp, 32 of its edges at a time. All lanes take part in every read; `on` says
 * which of them want an element. */
__global__ void step(graph g, uint32_t n, uint32_t level)
{
	uint32_t lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
	uint64_t edges = g.targets.bytes / sizeof(uint32_t);

	for (uint32_t w = (blockIdx.x * blockDim.x + threadIdx.x) / 32; w < n; w += warps) {
		uint64_t edge = tide_read<uint64_t>(g.offsets, g.now[w] + lane, lane < 2);
		uint64_t end = min(__shfl_sync(ALL, edge, 1), edges);
		edge = min(__shfl_sync(ALL, edge, 0), end);
		if (lane == 0)
			atomicAdd(&g.counts[1], end - edge);
		for (; edge < end; edge += 32) {
			bool on = edge + lane < end;
			uint32_t to = tide_read<uint32_t>(g.targets, edge + lane, on);
			if (on && to < g.vertices &&
			    atomicCAS(&g.level[to], UNSEEN, level) == UNSEEN)
				g.next[atomicAdd(&g.counts[0], 1ull)] = to;
		}
	}
}

static int check(cudaError_t code, struct tide_error *err)
{
	return code == cudaSuccess ? 0 : tide_fail(err, -EIO, "CUDA: %s", cudaGetErrorString(code));
}

static int prepare(graph *g, uint32_t start, struct tide_error *err)
{
	size_t bytes = (size_t)g->vertices * sizeof(uint32_t);
	uint32_t zero = 0;
	int rc = check(cudaMalloc(&g->level, bytes), err);

	if (!rc)
		rc = check(cudaMalloc(&g->now, bytes), err);
	if (!rc)
		rc = check(cudaMalloc(&g->next, bytes), err);
	if (!rc)
		rc = check(cudaMalloc(&g->counts, 2 * sizeof *g->counts), err);
	if (!rc)
		rc = check(cudaMemset(g->counts, 0, 2 * sizeof *g->counts), err);
	if (!rc)
		rc = check(cudaMemset(g->level, 0xff, bytes), err);
	if (!rc)
		rc = check(cudaMemcpy(g->now, &start, sizeof start, cudaMemcpyDefault), err);
	if (!rc)
		rc = check(cudaMemcpy(g->level + start, &zero, sizeof zero, cudaMemcpyDefault),
			   err);
	return rc;
}

static int walk(struct tide_gpu *gpu, graph *g, struct tide_error *err)
{
	unsigned long long counts[2] = {1, 0}, seen = 0;
	uint32_t level = 0;

	while (counts[0]) {
		seen += counts[0];
		int rc = check(cudaMemset(g->counts, 0, sizeof *g->counts), err);
		if (!rc)
			rc = tide_launch(gpu, err, 64, 128, 1, step, *g, (uint32_t)counts[0],
					 ++level);
		if (!rc)
			rc = check(cudaMemcpy(counts, g->counts, sizeof counts, cudaMemcpyDefault),
				   err);
		if (rc)
			return rc;
		uint32_t *swap = g->now;
		g->now = g->next;
		g->next = swap;
	}
	printf("%llu of %u vertices reached, %u levels, %llu edges\n", seen, g->vertices, level,
	       counts[1]);
	return 0;
}

static int open_graph(struct tide_gpu *gpu, graph *g, char **argv, struct tide_error *err)
{
	struct tide_gpu_array_options offsets = {}, targets = {};
	offsets.size = sizeof offsets;
	targets.size = sizeof targets;
	unsigned long start = strtoul(argv[3], NULL, 10);

	offsets.path = argv[1];
	targets.path = argv[2];
	int rc = tide_gpu_array(gpu, &g->offsets, 0, &offsets, err);
	if (!rc)
		rc = tide_gpu_array(gpu, &g->targets, 0, &targets, err);
	if (rc)
		return rc;
	g->vertices = (uint32_t)(g->offsets.bytes / sizeof(uint64_t) - 1);
	if (start >= g->vertices)
		return tide_fail(err, -EINVAL, "START %lu: there are %u vertices", start,
				 g->vertices);
	return prepare(g, (uint32_t)start, err);
}

int main(int argc, char **argv)
{
	struct tide_gpu_options options = {};
	options.size = sizeof options;
	struct tide_error err = {};
	struct tide_gpu *gpu = NULL;
	graph g = {};

	if (argc < 4)
		return fprintf(stderr, "usage: gpu_bfs OFFSETS TARGETS START [NEAR [HOST]]\n"), 2;
	options.near_size = argc > 4 ? argv[4] : "256M";
	options.host = argc > 5 ? argv[5] : "1G";
	int rc = tide_gpu_open(&gpu, &options, &err);
	if (!rc)
		rc = open_graph(gpu, &g, argv, &err);
	if (!rc)
		rc = walk(gpu, &g, &err);
	if (rc)
		fprintf(stderr, "gpu_bfs: %s\n", err.text);
	tide_gpu_close(gpu, NULL);
	return rc == -ENODEV ? 3 : rc ? 1 : 0;
}
