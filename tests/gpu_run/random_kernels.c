/* The kernels of the random program: one function, whose operands come in three ways. */
#include "random.h"

cu_function random_functions[KERNELS], random_kernels[KERNELS];

void random_mix(uint64_t *out, uint64_t words, const uint64_t *const *in, const uint64_t *in_words,
		int inputs, uint64_t salt)
{
	for (int k = 0; k < inputs; k++) {
		uint64_t at = salt % in_words[k];
		for (uint64_t i = 0; i < words; i++) {
			out[i] = (out[i] * 5 + in[k][at]) ^ (salt + i);
			at = at + 1 < in_words[k] ? at + 1 : 0;
		}
	}
	for (uint64_t i = 0; !inputs && i < words; i++)
		out[i] = out[i] * 7 + salt;
}

struct mix_params {
	cu_ptr out;
	uint64_t words;
	cu_ptr in;
	uint64_t in_words, salt;
};

static void run_mix(const struct fake_grid *grid, const void *params)
{
	const struct mix_params *p = params;
	const uint64_t *in = (const uint64_t *)p->in;
	(void)grid;
	random_mix((uint64_t *)p->out, p->words, &in, &p->in_words, in ? 1 : 0, p->salt);
}

static void run_struct(const struct fake_grid *grid, const void *params)
{
	const struct mix_struct *p = params;
	const uint64_t *in[INPUTS];
	uint64_t words[INPUTS];
	(void)grid;
	for (uint32_t i = 0; i < p->inputs; i++) {
		in[i] = (const uint64_t *)p->in[i].at;
		words[i] = p->in[i].words;
	}
	random_mix((uint64_t *)p->out, p->words, in, words, (int)p->inputs, p->salt);
}

struct table_params {
	cu_ptr table;
	uint32_t inputs, filler;
	uint64_t salt;
};

/* The table holds addresses and words: of the output, then of the inputs. */
static void run_table(const struct fake_grid *grid, const void *params)
{
	const struct table_params *p = params;
	const uint64_t *table = (const uint64_t *)p->table;
	const uint64_t *in[INPUTS];
	uint64_t words[INPUTS];
	(void)grid;
	for (uint32_t i = 0; i < p->inputs; i++) {
		in[i] = (const uint64_t *)table[2 + 2 * i];
		words[i] = table[3 + 2 * i];
	}
	random_mix((uint64_t *)table[0], table[1], in, words, (int)p->inputs, p->salt);
}

static const struct fake_param mix_places[] = {{0, 8}, {8, 8}, {16, 8}, {24, 8}, {32, 8}};
static const struct fake_param struct_places[] = {{0, sizeof(struct mix_struct)}};
static const struct fake_param table_places[] = {{0, 8}, {8, 4}, {16, 8}};
static const struct fake_kernel kernels[KERNELS] = {
	[KERNEL_MIX] = {"mix", run_mix, LENGTH(mix_places), mix_places},
	[KERNEL_STRUCT] = {"mix_struct", run_struct, 1, struct_places},
	[KERNEL_TABLE] = {"mix_table", run_table, LENGTH(table_places), table_places},
};
static const struct fake_image image = {FAKE_IMAGE, KERNELS, kernels, 0, NULL};

void random_load(void)
{
	cu_module module = program_module(kernels, KERNELS), library;
	MUST(cuLibraryLoadData(&library, &image, NULL, NULL, 0, NULL, NULL, 0));
	for (int i = 0; i < KERNELS; i++) {
		MUST(cuModuleGetFunction(&random_functions[i], module, kernels[i].name));
		MUST(cuLibraryGetKernel(&random_kernels[i], library, kernels[i].name));
	}
}
