/* Records which pages of 64 KiB the kernels of cuBLAS, cuSOLVER and cuSPARSE access, and in which
 * order, as a trace for tide: run.sh builds and runs it. Standard error says which kernels ran. */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <errno.h>
#include <sanitizer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

#define CHECK(call) \
	do { \
		long failed = (long)(call); \
		if (failed) { \
			fprintf(stderr, "gpu_pages: line %d: %s: error %ld\n", __LINE__, #call, \
				failed); \
			exit(1); \
		} \
	} while (0)

#define CHUNK ((size_t)2 << 20) /* arrays begin at one */
#define ROOM (100u << 20)       /* events, of 4 bytes */

static struct recorder host, *device;
static bool recording;
static char *memory;
static size_t room, used;

/* ---- the Compute Sanitizer ---- */

static void patch(const Sanitizer_ResourceModuleData *m)
{
	CHECK(sanitizerAddPatchesFromFile("patch.fatbin", 0));
	CHECK(sanitizerPatchInstructions(SANITIZER_INSTRUCTION_GLOBAL_MEMORY_ACCESS, m->module,
					 "on_access"));
	CHECK(sanitizerPatchInstructions(SANITIZER_INSTRUCTION_MEMCPY_ASYNC, m->module, "on_copy"));
	CHECK(sanitizerPatchModule(m->module));
}

static void on_event(void *, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
		     const void *data)
{
	if (domain == SANITIZER_CB_DOMAIN_RESOURCE && id == SANITIZER_CBID_RESOURCE_MODULE_LOADED) {
		patch((const Sanitizer_ResourceModuleData *)data);
	} else if (domain == SANITIZER_CB_DOMAIN_LAUNCH && id == SANITIZER_CBID_LAUNCH_BEGIN) {
		const Sanitizer_LaunchData *l = (const Sanitizer_LaunchData *)data;
		if (recording)
			fprintf(stderr, "%s <%u,%u,%u> <%u,%u,%u>\n", l->functionName, l->gridDim_x,
				l->gridDim_y, l->gridDim_z, l->blockDim_x, l->blockDim_y,
				l->blockDim_z);
		CHECK(sanitizerSetCallbackData(l->function, device));
	}
}

/* ---- data ---- */

static __global__ void fill_floats(float *p, size_t n)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
	     i += (size_t)gridDim.x * blockDim.x)
		p[i] = 0.1f + (float)(i * 2654435761u >> 8 & 0xffff) * 1e-5f;
}

/* A matrix that can be decomposed without pivots. */
static __global__ void fill_doubles(double *p, size_t n, size_t side)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
	     i += (size_t)gridDim.x * blockDim.x)
		p[i] = i % side == i / side ? 1e5 : 0.1 + (double)(i & 0xffff) * 1e-5;
}

static __global__ void fill_sparse(int *offsets, int *columns, float *values, int rows, int each)
{
	size_t n = (size_t)rows * each;
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
	     i += (size_t)gridDim.x * blockDim.x) {
		uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
		x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
		columns[i] = (int)((x ^ x >> 29) % rows);
		values[i] = 0.5f;
		if (i <= (size_t)rows)
			offsets[i] = (int)(i * each);
	}
	if (blockIdx.x == 0 && threadIdx.x == 0)
		offsets[rows] = rows * each;
}

static void *take(size_t bytes)
{
	void *p = memory + used;

	used += (bytes + CHUNK - 1) / CHUNK * CHUNK;
	if (used <= room)
		return p;
	fprintf(stderr, "gpu_pages: arrays of %zu bytes are too large: give a smaller N\n", used);
	exit(1);
}

static float *floats(size_t n)
{
	float *p = (float *)take(n * 4);

	fill_floats<<<1024, 256>>>(p, n);
	return p;
}

static double *doubles(size_t n, size_t side)
{
	double *p = (double *)take(n * 8);

	fill_doubles<<<1024, 256>>>(p, n, side);
	return p;
}

/* ---- recording ---- */

static void begin(void)
{
	CHECK(cudaDeviceSynchronize());
	host.base = (uint64_t)memory;
	host.bytes = used;
	CHECK(cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice));
	recording = true;
}

static void end(FILE *to)
{
	struct recorder r;

	CHECK(cudaDeviceSynchronize());
	recording = false;
	CHECK(cudaMemcpy(&r, device, sizeof r, cudaMemcpyDeviceToHost));
	if (r.n > r.room) {
		fprintf(stderr, "gpu_pages: %u events, more than %u: give a longer PAUSE\n", r.n,
			r.room);
		exit(1);
	}
	uint32_t *events = (uint32_t *)malloc(4 * (size_t)r.n + 4);
	CHECK(events == NULL);
	CHECK(cudaMemcpy(events, r.out, 4 * (size_t)r.n, cudaMemcpyDeviceToHost));
	for (uint32_t i = 0; i < r.n; i++)
		fprintf(to, "%u %c\n", events[i] >> 1, "rw"[events[i] & 1]);
	free(events);
	CHECK(fclose(to));
	fprintf(stderr, "%u events, %zu pages\n", r.n, used >> PAGE_SHIFT);
}

/* ---- the programs ---- */

static void blas(const char *name, int n, FILE *to)
{
	const float one = 1, zero = 0;
	const double d_one = 1, d_zero = 0;
	size_t all = (size_t)n * n;
	cublasHandle_t h;

	CHECK(cublasCreate(&h));
	if (name[0] == 'g' && name[2] == 'v') {
		cublasOperation_t op = name[3] ? CUBLAS_OP_T : CUBLAS_OP_N;
		double *a = doubles(all, n), *x = doubles(n, n), *y = doubles(n, n);
		begin();
		for (int i = 0; i < 5; i++)
			CHECK(cublasDgemv(h, op, n, n, &d_one, a, n, x, 1, &d_zero, y, 1));
	} else if (name[0] == 'g') {
		float *a = floats(all), *b = floats(all), *c = floats(all);
		begin();
		CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c,
				  n));
	} else if (name[2] == 'k') {
		float *a = floats(all), *c = floats(all);
		begin();
		CHECK(cublasSsyrk(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, n, n, &one, a, n, &zero,
				  c, n));
	} else {
		float *a = floats(all), *b = floats(all), *c = floats(all);
		begin();
		CHECK(cublasSsyr2k(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, n, n, &one, a, n, b, n,
				   &zero, c, n));
	}
	end(to);
}

static void lu(int n, FILE *to)
{
	cusolverDnHandle_t h;
	double *a = doubles((size_t)n * n, n), *work;
	int work_doubles, *info;

	CHECK(cusolverDnCreate(&h));
	CHECK(cusolverDnDgetrf_bufferSize(h, n, n, a, n, &work_doubles));
	CHECK(cudaMalloc(&work, (size_t)work_doubles * 8));
	CHECK(cudaMalloc(&info, sizeof *info));
	begin();
	CHECK(cusolverDnDgetrf(h, n, n, a, n, work, NULL, info));
	end(to);
}

static void spm(int rows, bool by_rows, FILE *to)
{
	const int each = 128, columns = 896;
	const cusparseOrder_t order = by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
	const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
	const float one = 1, zero = 0;
	size_t entries = (size_t)rows * each, work_bytes = 0;
	int64_t pitch = by_rows ? columns : rows;
	cusparseHandle_t h;
	cusparseSpMatDescr_t A;
	cusparseDnMatDescr_t B, C;
	void *work = NULL;

	int *offsets = (int *)take(((size_t)rows + 1) * 4), *cols = (int *)take(entries * 4);
	float *values = (float *)take(entries * 4);
	fill_sparse<<<1024, 256>>>(offsets, cols, values, rows, each);
	float *b = floats((size_t)rows * columns), *c = floats((size_t)rows * columns);
	CHECK(cusparseCreate(&h));
	CHECK(cusparseCreateCsr(&A, rows, rows, (int64_t)entries, offsets, cols, values,
				CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
				CUDA_R_32F));
	CHECK(cusparseCreateDnMat(&B, rows, columns, pitch, b, CUDA_R_32F, order));
	CHECK(cusparseCreateDnMat(&C, rows, columns, pitch, c, CUDA_R_32F, order));
	CHECK(cusparseSpMM_bufferSize(h, plain, plain, &one, A, B, &zero, C, CUDA_R_32F,
				      CUSPARSE_SPMM_ALG_DEFAULT, &work_bytes));
	CHECK(cudaMalloc(&work, work_bytes + 1));
	begin();
	CHECK(cusparseSpMM(h, plain, plain, &one, A, B, &zero, C, CUDA_R_32F,
			   CUSPARSE_SPMM_ALG_DEFAULT, work));
	end(to);
}

static void make_room(void)
{
	size_t left, all;

	CHECK(cudaMemGetInfo(&left, &all));
	room = left / 2 / CHUNK * CHUNK;
	CHECK(cudaMalloc(&memory, room + CHUNK));
	memory = (char *)(((size_t)memory + CHUNK - 1) / CHUNK * CHUNK);
	host.room = ROOM;
	CHECK(cudaMalloc(&host.out, 4 * (size_t)ROOM));
	CHECK(cudaMalloc(&host.seen, (room >> PAGE_SHIFT) * 8));
	CHECK(cudaMemset(host.seen, 0, (room >> PAGE_SHIFT) * 8));
	CHECK(cudaMalloc(&device, sizeof *device));
	CHECK(cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice));
}

int main(int argc, char **argv)
{
	static const char names[] = " gmm srk sr2 gmv gmvt lu spm spmr ";
	Sanitizer_SubscriberHandle h;
	char name[16];

	snprintf(name, sizeof name, " %s ", argc > 1 ? argv[1] : "");
	if (argc != 5 || !strstr(names, name) || atoi(argv[2]) < 1 || atoi(argv[3]) < 1) {
		fprintf(stderr,
			"Usage: gpu_pages NAME N PAUSE OUT\n\nNAME is one of%s\nN is the "
			"side of its matrices, PAUSE in microseconds\n",
			names);
		return 2;
	}
	FILE *to = fopen(argv[4], "wx");
	if (!to) {
		fprintf(stderr, "gpu_pages: cannot make %s: %s\n", argv[4], strerror(errno));
		return 1;
	}
	host.pause = (uint32_t)(atoi(argv[3]) / 1.024);
	CHECK(sanitizerSubscribe(&h, on_event, NULL));
	CHECK(sanitizerEnableDomain(1, h, SANITIZER_CB_DOMAIN_RESOURCE));
	CHECK(sanitizerEnableDomain(1, h, SANITIZER_CB_DOMAIN_LAUNCH));
	make_room();
	if (strcmp(argv[1], "lu") == 0)
		lu(atoi(argv[2]), to);
	else if (strncmp(argv[1], "spm", 3) == 0)
		spm(atoi(argv[2]), argv[1][3] == 'r', to);
	else
		blas(argv[1], atoi(argv[2]), to);
	return 0;
}
