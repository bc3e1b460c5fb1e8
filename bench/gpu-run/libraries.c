/* A program on cuBLAS and cuSPARSE: prints one JSON line with checksums.
 *
 *     nvcc -O2 -w bench/gpu-run/libraries.c -o libraries -lcublas -lcusparse
 *     tide run --gpu-near 1G -- ./libraries */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusparse.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 6144
#define LAYERS 12
#define COLUMNS 16
#define ROWS (1 << 21)
#define PER_ROW 12

#define MUST(call) \
	do { \
		int rc_ = (int)(call); \
		if (rc_) { \
			fprintf(stderr, "%s: error %d\n", #call, rc_); \
			exit(1); \
		} \
	} while (0)

static uint64_t state = 1;

static uint32_t draw(void)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(state >> 33);
}

static float *random_on_card(size_t n, float scale)
{
	float *host = malloc(n * sizeof *host), *card;
	if (!host)
		exit(1);
	for (size_t i = 0; i < n; i++)
		host[i] = ((float)(draw() & 0xffff) / 32768 - 1) * scale;
	MUST(cudaMalloc((void **)&card, n * sizeof *card));
	MUST(cudaMemcpy(card, host, n * sizeof *card, cudaMemcpyHostToDevice));
	free(host);
	return card;
}

static uint64_t sum_of(const float *card, size_t n)
{
	uint32_t *host = malloc(n * 4);
	uint64_t sum = 0;
	if (!host)
		exit(1);
	MUST(cudaMemcpy(host, card, n * 4, cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < n; i++)
		sum = (sum ^ host[i]) * UINT64_C(0x9E3779B97F4A7C15);
	free(host);
	return sum;
}

static uint64_t dense(void)
{
	float *layer[LAYERS], one = 1, zero = 0;
	cublasHandle_t blas;
	MUST(cublasCreate(&blas));
	for (int i = 0; i < LAYERS; i++)
		layer[i] = random_on_card((size_t)SIDE * SIDE, 0.02f);
	float *x = random_on_card((size_t)SIDE * COLUMNS, 1), *y;
	MUST(cudaMalloc((void **)&y, (size_t)SIDE * COLUMNS * 4));
	for (int i = 0; i < 4 * LAYERS; i++) {
		MUST(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, SIDE, COLUMNS, SIDE, &one,
				 layer[i % LAYERS], SIDE, x, SIDE, &zero, y, SIDE));
		float *old = x;
		x = y;
		y = old;
	}
	uint64_t sum = sum_of(x, (size_t)SIDE * COLUMNS);
	for (int i = 0; i < LAYERS; i++)
		MUST(cudaFree(layer[i]));
	MUST(cublasDestroy(blas));
	return sum;
}

static void *ints_on_card(const int *host, size_t n)
{
	void *card;
	MUST(cudaMalloc(&card, n * sizeof *host));
	MUST(cudaMemcpy(card, host, n * sizeof *host, cudaMemcpyHostToDevice));
	return card;
}

static uint64_t sparse(void)
{
	size_t n = (size_t)ROWS * PER_ROW, room_bytes;
	int *start = malloc((ROWS + 1) * sizeof *start), *column = malloc(n * sizeof *column);
	float *value[4], *x = random_on_card(ROWS, 1), *y = random_on_card(ROWS, 1);
	float scale = 1.0f / PER_ROW, zero = 0;
	if (!start || !column)
		exit(1);
	for (int i = 0; i <= ROWS; i++)
		start[i] = i * PER_ROW;
	for (size_t i = 0; i < n; i++)
		column[i] = (int)(draw() % ROWS);
	void *starts = ints_on_card(start, ROWS + 1), *columns = ints_on_card(column, n), *room;
	cusparseHandle_t handle;
	cusparseSpMatDescr_t a;
	cusparseDnVecDescr_t from, to;
	MUST(cusparseCreate(&handle));
	for (int i = 0; i < 4; i++)
		value[i] = random_on_card(n, 1);
	for (int i = 0; i < 12; i++) {
		MUST(cusparseCreateCsr(&a, ROWS, ROWS, (int64_t)n, starts, columns, value[i % 4],
				       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
				       CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
		MUST(cusparseCreateDnVec(&from, ROWS, x, CUDA_R_32F));
		MUST(cusparseCreateDnVec(&to, ROWS, y, CUDA_R_32F));
		MUST(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &scale, a, from,
					     &zero, to, CUDA_R_32F, CUSPARSE_SPMV_CSR_ALG2,
					     &room_bytes));
		MUST(cudaMalloc(&room, room_bytes + 4));
		MUST(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &scale, a, from, &zero, to,
				  CUDA_R_32F, CUSPARSE_SPMV_CSR_ALG2, room));
		MUST(cudaFree(room));
		MUST(cusparseDestroySpMat(a));
		MUST(cusparseDestroyDnVec(from));
		MUST(cusparseDestroyDnVec(to));
		float *old = x;
		x = y;
		y = old;
	}
	return sum_of(x, ROWS);
}

int main(void)
{
	uint64_t of_dense = dense(), of_sparse = sparse();
	printf("{\"dense\": \"%016llx\", \"sparse\": \"%016llx\"}\n", (unsigned long long)of_dense,
	       (unsigned long long)of_sparse);
	return 0;
}
