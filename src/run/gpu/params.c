/* Which of a kernel's parameters are addresses of managed memory? The driver says where each
 * parameter lies and how long it is. Any word that is such an address counts, also in structures. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload.h"

#define BUCKETS 4096

static struct td_gpu_kernel_info *_Atomic bucket[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t kernels_n;

static unsigned bucket_of(cu_function function)
{
	return (unsigned)(((uintptr_t)function >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 52) %
	       BUCKETS;
}

/* A handle is a function, or what the runtime calls a kernel; the wrong question fails. */
static bool param(cu_function function, size_t i, size_t *bytes)
{
	size_t offset;
	return td_gpu_cuda.cuFuncGetParamInfo(function, i, &offset, bytes) == CU_OK ||
	       td_gpu_cuda.cuKernelGetParamInfo(function, i, &offset, bytes) == CU_OK;
}

static bool known(cu_function function, const char **name)
{
	*name = NULL;
	return (td_gpu_cuda.cuFuncGetName(name, function) == CU_OK ||
		td_gpu_cuda.cuKernelGetName(name, function) == CU_OK) &&
	       *name;
}

static struct td_gpu_kernel_info *learn(cu_function function)
{
	uint32_t bytes[TD_GPU_PARAMS_MAX];
	const char *name;
	size_t n = 0, size;
	bool has_name = known(function, &name);
	while (n < TD_GPU_PARAMS_MAX && param(function, n, &size))
		bytes[n++] = (uint32_t)size;
	struct td_gpu_kernel_info *k = calloc(1, sizeof *k + n * sizeof *bytes);
	if (!k)
		return NULL;
	k->function = function;
	k->number = ++kernels_n;
	k->params_n = has_name && n < TD_GPU_PARAMS_MAX ? (int)n : -1;
	memcpy(k->bytes, bytes, n * sizeof *bytes);
	k->verified = has_name && td_gpu_verified(name);
	snprintf(k->said.name, sizeof k->said.name, "%s", has_name ? name : "?");
	return k;
}

static struct td_gpu_kernel_info *find(cu_function function)
{
	struct td_gpu_kernel_info *k = bucket[bucket_of(function)];
	while (k && k->function != function)
		k = k->next;
	return k;
}

struct td_gpu_kernel_info *td_gpu_kernel(cu_function function)
{
	struct td_gpu_kernel_info *k = find(function);
	if (k)
		return k;
	pthread_mutex_lock(&lock);
	k = find(function);
	if (!k && (k = learn(function))) {
		k->next = bucket[bucket_of(function)];
		bucket[bucket_of(function)] = k;
	}
	pthread_mutex_unlock(&lock);
	return k;
}

/* Others may look at them just now, so they are taken out, and not freed: programs seldom unload. */
void td_gpu_forget_kernels(void)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < BUCKETS; i++) {
		for (struct td_gpu_kernel_info *k = bucket[i]; k; k = k->next)
			k->function = NULL;
	}
	pthread_mutex_unlock(&lock);
}

static void name_words(struct td_vmm_work *w, const void *at, size_t bytes)
{
	uint64_t word;
	for (size_t i = 0; i + sizeof word <= bytes; i += sizeof word) {
		memcpy(&word, (const char *)at + i, sizeof word);
		td_gpu_name_word(w, word);
	}
}

/* A launch that gives its parameters as a buffer: `extra` is pairs of a word and a value. */
static void name_extra(struct td_vmm_work *w, void **extra)
{
	const void *buffer = NULL;
	size_t bytes = 0;
	for (; *extra != CU_LAUNCH_END; extra += 2) {
		if (*extra == CU_LAUNCH_BUFFER)
			buffer = extra[1];
		else if (*extra == CU_LAUNCH_BUFFER_SIZE)
			bytes = *(const size_t *)extra[1];
	}
	if (buffer)
		name_words(w, buffer, bytes);
}

void td_gpu_name_params(struct td_vmm_work *w, const struct td_gpu_kernel_info *k, void **params,
			void **extra)
{
	w->ref = k ? k->number : 0;
	w->strays |= !k || !k->verified;
	if (extra)
		name_extra(w, extra);
	if (!params)
		return;
	if (!k || k->params_n < 0)
		w->everything = true;
	for (int i = 0; k && i < k->params_n; i++)
		name_words(w, params[i], k->bytes[i]);
}

/* ---- what they waited for ---- */

void td_gpu_note_kernel(struct td_gpu_kernel_info *k, const struct td_vmm_work *w)
{
	struct td_gpu_kernel *said = &k->said;
	__atomic_fetch_add(&said->launches, 1, __ATOMIC_RELAXED);
	if (w->waited_ns) {
		__atomic_fetch_add(&said->waited_launches, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&said->waited_ns, w->waited_ns, __ATOMIC_RELAXED);
	}
	if (w->remote)
		__atomic_fetch_add(&said->remote_launches, 1, __ATOMIC_RELAXED);
}

static bool is_worse(const struct td_gpu_kernel *a, const struct td_gpu_kernel *b)
{
	return a->waited_ns != b->waited_ns ? a->waited_ns > b->waited_ns
					    : a->remote_launches > b->remote_launches;
}

static uint32_t insert(struct td_gpu_kernel *to, uint32_t have, uint32_t n,
		       const struct td_gpu_kernel *new)
{
	uint32_t at = have;
	while (at && is_worse(new, &to[at - 1]))
		at--;
	if (at == n)
		return have;
	have = have < n ? have + 1 : n;
	memmove(&to[at + 1], &to[at], (have - at - 1) * sizeof *to);
	to[at] = *new;
	return have;
}

uint32_t td_gpu_worst_kernels(struct td_gpu_kernel *to, uint32_t n)
{
	uint32_t have = 0;
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < BUCKETS; i++) {
		for (struct td_gpu_kernel_info *k = bucket[i]; k; k = k->next) {
			if (k->said.waited_launches || k->said.remote_launches)
				have = insert(to, have, n, &k->said);
		}
	}
	pthread_mutex_unlock(&lock);
	return have;
}
