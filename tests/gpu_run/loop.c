/* A model as memory sees it: weights that are read in order, round after round, into activations.
 * usage: loop [WEIGHTS [ROUNDS [MIB]]] */
#include <string.h>

#include "program.h"

enum { ACTIVATIONS = 1024 };

struct add_params {
	cu_ptr weight;
	uint64_t words;
	cu_ptr activations;
};

/* Every activation takes its share of the weight's words, and what the round before left. */
static void run_add(const struct fake_grid *grid, const void *params)
{
	const struct add_params *p = params;
	const uint64_t *weight = (const uint64_t *)p->weight;
	uint64_t *activations = (uint64_t *)p->activations;
	(void)grid;
	for (uint64_t i = 0; i < p->words; i++) {
		uint64_t *a = &activations[i % ACTIVATIONS];
		*a = *a * 3 + weight[i];
	}
}

static const struct fake_param add_places[] = {{0, 8}, {8, 8}, {16, 8}};
static const struct fake_kernel kernels[] = {{"add", run_add, 3, add_places}};

static size_t weights_n = 32, rounds = 4, weight_bytes = 4 << 20;
static cu_ptr *weights, activations;
static cu_stream stream;

static void make_weights(void)
{
	uint64_t *host = malloc(weight_bytes);
	weights = calloc(weights_n, sizeof *weights);
	if (!host || !weights)
		exit(1);
	for (size_t w = 0; w < weights_n; w++) {
		for (size_t i = 0; i < weight_bytes / 8; i++)
			host[i] = (w + 1) * UINT64_C(0x9E3779B97F4A7C15) + i;
		MUST(cuMemAlloc_v2(&weights[w], weight_bytes));
		MUST(cuMemcpyHtoD_v2(weights[w], host, weight_bytes));
	}
	free(host);
}

static void use_weights(cu_function add)
{
	for (size_t r = 0; r < rounds; r++)
		for (size_t w = 0; w < weights_n; w++) {
			struct add_params p = {weights[w], weight_bytes / 8, activations};
			void *params[] = {&p.weight, &p.words, &p.activations};
			MUST(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
		}
}

int main(int n, char **args)
{
	weights_n = n > 1 ? strtoul(args[1], NULL, 10) : weights_n;
	rounds = n > 2 ? strtoul(args[2], NULL, 10) : rounds;
	weight_bytes = n > 3 ? strtoul(args[3], NULL, 10) << 20 : weight_bytes;
	program_begin();
	cu_function add;
	MUST(cuModuleGetFunction(&add, program_module(kernels, LENGTH(kernels)), "add"));
	MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	MUST(cuMemAlloc_v2(&activations, ACTIVATIONS * 8));
	MUST(cuMemsetD8_v2(activations, 0, ACTIVATIONS * 8));
	make_weights();
	MUST(cuCtxSynchronize());
	use_weights(add);
	uint64_t out[ACTIVATIONS];
	MUST(cuStreamSynchronize(stream));
	MUST(cuMemcpyDtoH_v2(out, activations, sizeof out));
	printf("loop %016llx\n", (unsigned long long)program_sum(0, out, sizeof out));
	for (size_t w = 0; w < weights_n; w++)
		MUST(cuMemFree_v2(weights[w]));
	MUST(cuMemFree_v2(activations));
	program_end();
	free(weights);
	return 0;
}
