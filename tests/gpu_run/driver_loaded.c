/* The driver, loaded as CUDA's runtime loads it: dlopen(), dlsym(), then cuGetProcAddress_v2(). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static const struct row {
	const char *name, *base;
	int since;
	size_t offset;
} rows[] = {
#define CALL(name, base, since, arguments) {#name, #base, since, offsetof(struct driver, name)},
#include "driver.def"
#undef CALL
};

static void *by_dlsym(void *library, const char *name)
{
	void *found = dlsym(library, name);
	if (!found) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return found;
}

static void *by_name(cu_result (*find)(const char *, void **, int, uint64_t, int *),
		     const struct row *r)
{
	const char *end = strrchr(r->name, '_');
	uint64_t flags = end && (!strcmp(end, "_ptsz") || !strcmp(end, "_ptds"))
				 ? CU_PROC_PER_THREAD_STREAM
				 : 1;
	void *found = NULL;
	int status = -1;
	if (find(r->base, &found, r->since, flags, &status) || status || !found) {
		fprintf(stderr, "no %s: status %d\n", r->name, status);
		exit(1);
	}
	return found;
}

const struct driver *driver(void)
{
	static struct driver loaded;
	if (loaded.cuInit)
		return &loaded;
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	cu_result (*find)(const char *, void **, int, uint64_t, int *);
	*(void **)&find = by_dlsym(library, "cuGetProcAddress_v2");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		*(void **)((char *)&loaded + rows[i].offset) = by_name(find, &rows[i]);
	*(void **)&loaded.fake_cuda_peak = by_dlsym(library, "fake_cuda_peak");
	*(void **)&loaded.fake_cuda_device_bytes = by_dlsym(library, "fake_cuda_device_bytes");
	return &loaded;
}
