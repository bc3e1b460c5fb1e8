/* Gives our functions to those who look for the driver's. Programs find it in three ways: they are
 * linked to libcuda.so.1 (then the linker finds our exported names first), they call dlsym(), or
 * they ask cuGetProcAddress(), as CUDA's runtime does. */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "preload.h"

struct td_gpu_next td_gpu_next;
struct td_cuda td_gpu_cuda;
__thread unsigned td_gpu_inside;

#define TD_WRAP(name, base, version, per_thread, parameters) \
	TD_EXPORT cu_result name parameters;
#include "wrapped.def"
#undef TD_WRAP

struct row {
	const char *name, *base;
	int version, per_thread;
	void *ours;
	void **next;
};

static const struct row rows[] = {
#define TD_WRAP(name, base, version, per_thread, parameters) \
	{#name, #base, version, per_thread, (void *)(uintptr_t)name, (void **)(void *)&td_gpu_next.name},
#include "wrapped.def"
#undef TD_WRAP
};
#define ROWS (sizeof rows / sizeof *rows)

static const struct {
	const char *name;
	void **to;
} used[] = {
#define TD_CUDA(name, arguments) {#name, (void **)(void *)&td_gpu_cuda.name},
#include "mech/vmm/cuda.def"
#undef TD_CUDA
};

typedef void *look_up(void *handle, const char *name);
look_up *td_gpu_next_dlsym;

static void find_dlsym(void)
{
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5"};
	for (unsigned i = 0; i < 2 && !td_gpu_next_dlsym; i++)
		td_gpu_next_dlsym =
			(look_up *)(uintptr_t)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool found;

static void find_driver(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	if (!td_gpu_next_dlsym)
		find_dlsym();
	if (!driver || !td_gpu_next_dlsym)
		return;
	found = true;
	for (unsigned i = 0; i < ROWS; i++)
		*rows[i].next = td_gpu_next_dlsym(driver, rows[i].name);
	for (unsigned i = 0; i < sizeof used / sizeof *used; i++) {
		*used[i].to = td_gpu_next_dlsym(driver, used[i].name);
		found &= *used[i].to != NULL;
	}
}

bool td_gpu_find_driver(void)
{
	pthread_once(&once, find_driver);
	return found;
}

/* ---- dlsym() ---- */

/* Our function of that name; NULL: dlsym() goes on as if we were not there. */
void *td_gpu_found(void *handle, const char *name);
__attribute__((visibility("hidden"), used)) void *td_gpu_found(void *handle, const char *name)
{
	if (!td_gpu_next_dlsym)
		find_dlsym();
	if (!td_gpu.on || !name || name[0] != 'c' || name[1] != 'u' || td_gpu_inside)
		return NULL;
	for (unsigned i = 0; i < ROWS; i++) {
		if (!strcmp(rows[i].name, name) && td_gpu_find_driver() &&
		    td_gpu_next_dlsym(handle, name) && *rows[i].next)
			return rows[i].ours;
	}
	return NULL;
}

/* dlsym() looks at its return address: who asks for the next one of a name? So it is left by a jump,
 * as if it had not been passed. */
#ifdef __x86_64__
__asm__(".text\n"
	".globl dlsym\n"
	".type dlsym, @function\n"
	"dlsym:\n"
	"	pushq %rdi\n"
	"	pushq %rsi\n"
	"	subq $8, %rsp\n"
	"	call td_gpu_found\n"
	"	addq $8, %rsp\n"
	"	popq %rsi\n"
	"	popq %rdi\n"
	"	testq %rax, %rax\n"
	"	jz 1f\n"
	"	ret\n"
	"1:	movq td_gpu_next_dlsym@GOTPCREL(%rip), %rax\n"
	"	jmp *(%rax)\n"
	".size dlsym, . - dlsym\n");
#else
#error "write dlsym() for this processor"
#endif

/* ---- cuGetProcAddress() ---- */

/* The driver has answered with `at`. Where that is one of the functions that it exports, it is known
 * which; else the newest one that this version of CUDA may have. */
static void *instead(const char *name, void *at, int version, bool per_thread)
{
	const struct row *best = NULL;
	for (unsigned i = 0; i < ROWS; i++) {
		const struct row *r = &rows[i];
		if (strcmp(r->base, name) != 0 || !*r->next)
			continue;
		if (*r->next == at)
			return r->ours;
		if (r->version <= version && (!best || r->version > best->version ||
					      (r->per_thread == per_thread &&
					       best->per_thread != per_thread)))
			best = r;
	}
	return best ? best->ours : at;
}

cu_result cuGetProcAddress(const char *name, void **to, int version, uint64_t flags)
{
	if (!td_gpu_find_driver() || !td_gpu_next.cuGetProcAddress)
		return CU_NOT_FOUND;
	cu_result rc = td_gpu_next.cuGetProcAddress(name, to, version, flags);
	if (!rc && td_gpu.on && name && to && *to)
		*to = instead(name, *to, version, flags & CU_PROC_PER_THREAD_STREAM);
	return rc;
}

cu_result cuGetProcAddress_v2(const char *name, void **to, int version, uint64_t flags, int *status)
{
	if (!td_gpu_find_driver() || !td_gpu_next.cuGetProcAddress_v2)
		return CU_NOT_FOUND;
	cu_result rc = td_gpu_next.cuGetProcAddress_v2(name, to, version, flags, status);
	if (!rc && td_gpu.on && name && to && *to)
		*to = instead(name, *to, version, flags & CU_PROC_PER_THREAD_STREAM);
	return rc;
}
