/* The rules of the fake driver itself: virtual memory, names, injected errors, the hash. */
#include <string.h>

#include "program.h"

enum { PIECE = 2 << 20 };

static int failed;

static void expect_at(int line, long got, long wanted)
{
	if (got == wanted)
		return;
	fprintf(stderr, "line %d: %ld, not %ld\n", line, got, wanted);
	failed = 1;
}

#define EXPECT(got, wanted) expect_at(__LINE__, (long)(got), (long)(wanted))

static cu_piece piece_of(size_t bytes, int location)
{
	struct cu_piece_of what = {.type = CU_ALLOCATION_PINNED, .location = {location, 0}};
	cu_piece piece = 0;
	MUST(cuMemCreate(&piece, bytes, &what, 0));
	return piece;
}

static void allow(cu_ptr at, size_t bytes)
{
	struct cu_access who = {{CU_LOCATION_DEVICE, 0}, CU_ACCESS_READ_WRITE};
	MUST(cuMemSetAccess(at, bytes, &who, 1));
}

static void pieces(void)
{
	cu_ptr at, other;
	MUST(cuMemAddressReserve(&at, 4 * PIECE, 0, 0, 0));
	MUST(cuMemAddressReserve(&other, PIECE, PIECE, 0, 0));
	EXPECT(at % PIECE, 0);
	uint64_t before = cu->fake_cuda_device_bytes();
	cu_piece near = piece_of(PIECE, CU_LOCATION_DEVICE),
		 far = piece_of(2 * PIECE, CU_LOCATION_HOST_NUMA);
	EXPECT(cu->fake_cuda_device_bytes() - before, PIECE);
	MUST(cuMemMap(at, PIECE, 0, near, 0));
	EXPECT(cu->cuMemMap(at, PIECE, 0, near, 0), CU_INVALID_VALUE);
	EXPECT(cu->cuMemMap(at + 3 * PIECE, 2 * PIECE, 0, far, 0), CU_INVALID_VALUE);
	EXPECT(cu->cuMemMap(at + PIECE, PIECE, 0, far, 0), CU_INVALID_VALUE);
	MUST(cuMemMap(at + PIECE, 2 * PIECE, 0, far, 0));
	MUST(cuMemMap(other, PIECE, 0, near, 0));
	allow(at, 3 * PIECE);
	allow(other, PIECE);
	MUST(cuMemsetD32_v2(at, 0x01020304, 3 * PIECE / 4));
	uint32_t word = 0;
	MUST(cuMemcpyDtoH_v2(&word, other + 4096, 4));
	EXPECT(word, 0x01020304);
	EXPECT(cu->cuMemUnmap(at, 3 * PIECE), CU_INVALID_VALUE);
	EXPECT(cu->cuMemUnmap(at + PIECE, PIECE), CU_INVALID_VALUE);
	EXPECT(cu->cuMemAddressFree(at, 4 * PIECE), CU_INVALID_VALUE);
	MUST(cuMemUnmap(at, PIECE));
	MUST(cuMemRelease(near));
	EXPECT(cu->cuMemRelease(near), CU_INVALID_VALUE);
	EXPECT(cu->fake_cuda_device_bytes() - before, PIECE);
	MUST(cuMemUnmap(other, PIECE));
	EXPECT(cu->fake_cuda_device_bytes(), before);
	MUST(cuMemUnmap(at + PIECE, 2 * PIECE));
	MUST(cuMemRelease(far));
	MUST(cuMemAddressFree(at, 4 * PIECE));
	EXPECT(cu->cuMemAddressFree(at, 4 * PIECE), CU_INVALID_VALUE);
	MUST(cuMemAddressFree(other, PIECE));
	EXPECT(cu->fake_cuda_peak() >= before + PIECE, 1);
}

static void new_memory_is_poison(void)
{
	cu_ptr at;
	unsigned char bytes[4096];
	MUST(cuMemAlloc_v2(&at, sizeof bytes));
	MUST(cuMemcpyDtoH_v2(bytes, at, sizeof bytes));
	EXPECT(bytes[0] == 0xA5 && bytes[4095] == 0xA5, 1);
	MUST(cuMemFree_v2(at));
}

static void names(void)
{
	void *f = NULL, *own = NULL;
	int status = -1;
	EXPECT(cu->cuGetProcAddress_v2("cuMemAlloc", &f, 13000, 1, &status), 0);
	EXPECT(f != NULL && !status, 1);
	EXPECT(cu->cuGetProcAddress_v2("cuMemAlloc", &f, 3000, 1, &status), 0);
	EXPECT(!f && status == 2, 1);
	EXPECT(cu->cuGetProcAddress_v2("cuNothing", &f, 13000, 1, &status), 0);
	EXPECT(!f && status == 1, 1);
	EXPECT(cu->cuGetProcAddress("cuNothing", &f, 13000, 1), CU_NOT_FOUND);
	MUST(cuGetProcAddress("cuLaunchKernel", &f, 13000, 1));
	MUST(cuGetProcAddress("cuLaunchKernel", &own, 13000, CU_PROC_PER_THREAD_STREAM));
	EXPECT(f != own, 1);
}

static void hash(void)
{
	cu_module module;
	cu_function function;
	cu_ptr data, result;
	uint64_t words = 1000, first[2], second[2];
	EXPECT(cu->cuModuleLoadData(&module, ".version 8.0"), 209);
	if (!getenv("FAKE_CUDA_HASH")) {
		EXPECT(cu->cuModuleLoadData(&module, "tide fake hash"), 209);
		return;
	}
	MUST(cuModuleLoadData(&module, "tide fake hash"));
	MUST(cuModuleGetFunction(&function, module, "td_hash"));
	EXPECT(cu->cuModuleGetFunction(&function, module, "other"), CU_NOT_FOUND);
	MUST(cuMemAlloc_v2(&data, words * 8));
	MUST(cuMemAlloc_v2(&result, 16));
	MUST(cuMemsetD32_v2(data, 5, words * 2));
	void *params[] = {&data, &words, &result};
	MUST(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	MUST(cuMemcpyDtoH_v2(first, result, 16));
	MUST(cuMemsetD8_v2(data + 4001, 1, 1));
	MUST(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	MUST(cuMemcpyDtoH_v2(second, result, 16));
	EXPECT(first[0] != second[0] && first[1] != second[1], 1);
}

/* Run with FAKE_CUDA_FAIL=cuEventCreate:2,cuStreamCreate:1+:700. */
static void injected(void)
{
	cu_event event;
	cu_stream stream;
	const char *name;
	EXPECT(cu->cuEventCreate(&event, 0), 0);
	EXPECT(cu->cuEventCreate(&event, 0), CU_OUT_OF_MEMORY);
	EXPECT(cu->cuEventCreate(&event, 0), 0);
	EXPECT(cu->cuStreamCreate(&stream, 0), 700);
	EXPECT(cu->cuStreamCreate(&stream, 0), 700);
	MUST(cuGetErrorName(CU_OUT_OF_MEMORY, &name));
	EXPECT(strcmp(name, "CUDA_ERROR_OUT_OF_MEMORY"), 0);
}

int main(void)
{
	program_begin();
	pieces();
	new_memory_is_poison();
	names();
	hash();
	if (getenv("FAKE_CUDA_FAIL"))
		injected();
	return failed;
}
