/* Modules and libraries: tables of C functions (struct fake_image). FAKE_CUDA_HASH=1 adds an image
 * that begins with "tide fake hash": it has td_hash(data, words, result). */
#include <stdio.h>

#include "fake.h"

struct cu_module {
	struct made made;
	const struct fake_image *image;
	bool is_library;
	struct cu_function *functions, *kernels;
	void **globals;
};

/* ---- the hash: two sums that depend on every word and on its place ---- */

struct hash_params {
	cu_ptr data;
	uint64_t words;
	cu_ptr result;
};

static void run_hash(const struct fake_grid *grid, const void *params)
{
	const struct hash_params *p = params;
	const uint64_t *data = (const uint64_t *)p->data;
	uint64_t a = p->words, b = ~p->words;
	(void)grid;
	for (uint64_t i = 0; i < p->words; i++) {
		a = (a ^ data[i]) * UINT64_C(0x9E3779B97F4A7C15);
		a ^= a >> 32;
		b = (b + data[i] * UINT64_C(0xD6E8FEB86659FD93)) ^ (b << 13) ^ (b >> 7);
	}
	uint64_t *result = (uint64_t *)p->result;
	result[0] = a;
	result[1] = b;
}

static const struct fake_param hash_places[] = {{0, 8}, {8, 8}, {16, 8}};
static const struct fake_kernel hash_kernel = {"td_hash", run_hash, 3, hash_places};
static const struct fake_image hash_image = {FAKE_IMAGE, 1, &hash_kernel, 0, NULL};

/* ---- loading ---- */

static bool begins(const char *image, const char *text)
{
	size_t i = 0;
	while (text[i] && image[i] == text[i])
		i++;
	return !text[i];
}

static const struct fake_image *image_of(const void *image)
{
	if (begins(image, FAKE_IMAGE))
		return image;
	const char *hash = getenv("FAKE_CUDA_HASH");
	return hash && *hash == '1' && begins(image, "tide fake hash") ? &hash_image : NULL;
}

static cu_result load_globals(cu_module m)
{
	cu_result result = CU_OK;
	for (size_t i = 0; i < m->image->globals_n && !result; i++) {
		cu_ptr at;
		result = fake_allocate_device(&at, m->image->globals[i].bytes);
		if (!result)
			m->globals[i] = memset((void *)at, 0, m->image->globals[i].bytes);
	}
	return result;
}

static void unload(cu_module m)
{
	for (size_t i = 0; i < m->image->globals_n; i++)
		fake_free_now((cu_ptr)m->globals[i]);
	free(m->globals);
	free(m->functions);
	free(m->kernels);
	fake_unmake(m);
}

static cu_result load(cu_module *module, const void *data, bool is_library)
{
	const struct fake_image *image = data ? image_of(data) : NULL;
	if (!fake_context())
		return CU_INVALID_CONTEXT;
	if (!image)
		return data ? FAKE_NO_BINARY : CU_INVALID_VALUE;
	cu_module m = fake_make(MADE_MODULE, sizeof *m);
	m->image = image;
	m->is_library = is_library;
	m->functions = fake_allocate(image->kernels_n * sizeof *m->functions);
	m->kernels = fake_allocate(image->kernels_n * sizeof *m->kernels);
	m->globals = fake_allocate(image->globals_n * sizeof *m->globals);
	for (size_t i = 0; i < image->kernels_n; i++) {
		m->functions[i] = (struct cu_function){&image->kernels[i], m->globals, false, NULL};
		m->kernels[i] = (struct cu_function){&image->kernels[i], m->globals, true,
						     &m->functions[i]};
	}
	cu_result result = load_globals(m);
	if (result)
		unload(m);
	else
		*module = m;
	return result;
}

EXPORT cu_result cuModuleLoadData(cu_module *module, const void *image)
{
	ENTER(cuModuleLoadData);
	return load(module, image, false);
}

EXPORT cu_result cuModuleLoadDataEx(cu_module *module, const void *image, unsigned n, int *options,
				    void **values)
{
	ENTER(cuModuleLoadDataEx);
	(void)n, (void)options, (void)values;
	return load(module, image, false);
}

EXPORT cu_result cuLibraryLoadData(cu_module *library, const void *code, int *jit,
				   void **jit_values, unsigned jit_n, int *options, void **values,
				   unsigned n)
{
	ENTER(cuLibraryLoadData);
	(void)jit, (void)jit_values, (void)jit_n, (void)options, (void)values, (void)n;
	return load(library, code, true);
}

static cu_result unload_if(cu_module m, bool is_library)
{
	if (!fake_is(m, MADE_MODULE) || m->is_library != is_library)
		return CU_INVALID_HANDLE;
	fake_wait_all(NULL);
	unload(m);
	return CU_OK;
}

EXPORT cu_result cuModuleUnload(cu_module module)
{
	ENTER(cuModuleUnload);
	return unload_if(module, false);
}

EXPORT cu_result cuLibraryUnload(cu_module library)
{
	ENTER(cuLibraryUnload);
	return unload_if(library, true);
}

static cu_result find(cu_function *function, cu_module m, const char *name, bool is_library)
{
	if (!fake_is(m, MADE_MODULE) || m->is_library != is_library)
		return CU_INVALID_HANDLE;
	for (size_t i = 0; i < m->image->kernels_n; i++)
		if (!strcmp(m->image->kernels[i].name, name)) {
			*function = is_library ? &m->kernels[i] : &m->functions[i];
			return CU_OK;
		}
	return CU_NOT_FOUND;
}

EXPORT cu_result cuModuleGetFunction(cu_function *function, cu_module module, const char *name)
{
	ENTER(cuModuleGetFunction);
	return find(function, module, name, false);
}

EXPORT cu_result cuLibraryGetKernel(cu_function *kernel, cu_module library, const char *name)
{
	ENTER(cuLibraryGetKernel);
	return find(kernel, library, name, true);
}

EXPORT cu_result cuKernelGetFunction(cu_function *function, cu_function kernel)
{
	ENTER(cuKernelGetFunction);
	if (!kernel || !kernel->is_kernel)
		return CU_INVALID_HANDLE;
	*function = kernel->twin;
	return CU_OK;
}

EXPORT cu_result cuModuleGetGlobal_v2(cu_ptr *at, size_t *bytes, cu_module module, const char *name)
{
	ENTER(cuModuleGetGlobal_v2);
	if (!fake_is(module, MADE_MODULE))
		return CU_INVALID_HANDLE;
	for (size_t i = 0; i < module->image->globals_n; i++) {
		const struct fake_global *g = &module->image->globals[i];
		if (strcmp(g->name, name))
			continue;
		if (at)
			*at = (cu_ptr)module->globals[i];
		if (bytes)
			*bytes = g->bytes;
		return CU_OK;
	}
	return CU_NOT_FOUND;
}

/* ---- what a kernel is: a function and a kernel each answer only their own questions ---- */

static cu_result param(cu_function f, bool is_kernel, size_t i, size_t *offset, size_t *bytes)
{
	if (!f || f->is_kernel != is_kernel)
		return CU_INVALID_HANDLE;
	if (i >= f->kernel->params_n)
		return CU_INVALID_VALUE;
	*offset = f->kernel->params[i].offset;
	if (bytes)
		*bytes = f->kernel->params[i].bytes;
	return CU_OK;
}

EXPORT cu_result cuFuncGetParamInfo(cu_function function, size_t i, size_t *offset, size_t *bytes)
{
	ENTER(cuFuncGetParamInfo);
	return param(function, false, i, offset, bytes);
}

EXPORT cu_result cuKernelGetParamInfo(cu_function kernel, size_t i, size_t *offset, size_t *bytes)
{
	ENTER(cuKernelGetParamInfo);
	return param(kernel, true, i, offset, bytes);
}

EXPORT cu_result cuFuncGetName(const char **name, cu_function function)
{
	ENTER(cuFuncGetName);
	if (!function || function->is_kernel)
		return CU_INVALID_HANDLE;
	*name = function->kernel->name;
	return CU_OK;
}

EXPORT cu_result cuKernelGetName(const char **name, cu_function kernel)
{
	ENTER(cuKernelGetName);
	if (!kernel || !kernel->is_kernel)
		return CU_INVALID_HANDLE;
	*name = kernel->kernel->name;
	return CU_OK;
}
